package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"k8s.io/apimachinery/pkg/labels"

	"kumiki.dev/run/access"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

type listOperationsInput struct {
	OrderQuery
	Deployment string `query:"deployment" doc:"Only those of this deployment."`
	Pending    bool   `query:"pending" doc:"Only those that have not ended."`
}

func (s *Server) listOperations(ctx context.Context, in *listOperationsInput) (*pageOutput[record.Operation], error) {
	me := who(ctx)
	return ordered(ctx, s.Store, record.Operations, in.OrderQuery, func(_ store.Entry, o record.Operation) bool {
		return me.Sees(o.Labels) && (in.Deployment == "" || o.Deployment == in.Deployment) && (!in.Pending || !o.Done)
	})
}

// OperationPath names an operation.
type OperationPath struct {
	ID string `path:"id" doc:"The operation's name."`
}

type getOperationInput struct {
	OperationPath
	Wait int `query:"waitSeconds" minimum:"0" maximum:"300" doc:"How long to wait for its end."`
}

type operationOutput struct {
	ETag string `header:"ETag"`
	Body record.Operation
}

func (s *Server) getOperation(ctx context.Context, in *getOperationInput) (*operationOutput, error) {
	o, revision, err := awaited(ctx, s.Store, record.Operations+in.ID, in.Wait,
		func() (record.Operation, int64, error) { return s.operation(ctx, in.ID) }, func(o record.Operation) bool { return o.Done })
	if err != nil {
		return nil, err
	}
	return &operationOutput{etag(revision), o}, nil
}

func (s *Server) operation(ctx context.Context, id string) (record.Operation, int64, error) {
	o, revision, err := store.Read[record.Operation](ctx, s.Store, record.Operations+id)
	if errors.Is(err, store.ErrNotFound) || err == nil && !who(ctx).Sees(o.Labels) {
		return record.Operation{}, 0, problem(http.StatusNotFound, "manager/not-found", fmt.Sprintf("there is no operation %q", id))
	}
	return o, revision, answer(err)
}

func (s *Server) cancelOperation(ctx context.Context, in *OperationPath) (*operationOutput, error) {
	for {
		o, revision, err := s.operation(ctx, in.ID)
		if err != nil || o.Done || o.Cancel {
			return &operationOutput{etag(revision), o}, err
		}
		o.Cancel = true
		at, err := s.commit(ctx, Audited{Verb: "cancel", What: record.Operations + in.ID}, store.Put(record.Operations+in.ID, o, revision),
			store.Put(record.Pending+in.ID, operate.Pending{Deployment: o.Deployment, Cancel: true}, store.Present))
		if err == nil {
			return &operationOutput{etag(at), o}, nil
		}
		if !errors.Is(err, store.ErrConflict) {
			return nil, answer(err)
		}
	}
}

type watchInput struct {
	SelectorQuery
	Collection string `path:"collection" enum:"deployments,operations,status" doc:"What is watched."`
	From       int64  `query:"from" minimum:"0" doc:"The revision after which changes are told, as a list says it; those from now on if it is left out."`
	Last       int64  `header:"Last-Event-ID" doc:"The last event that was seen, in place of from."`
}

// heartbeat is how often a watch says that it is there.
const heartbeat = 15 * time.Second

// labelled is what records of all collections have, where they are selected by labels.
type labelled struct {
	Labels map[string]string `json:"labels"`
}

// watch tells of changes, until the client goes.
func (s *Server) watch(ctx context.Context, in *watchInput) (*huma.StreamResponse, error) {
	selector, err := in.selector()
	if err != nil {
		return nil, err
	}
	me := who(ctx)
	now, _, err := s.Store.Now(ctx)
	if err != nil {
		return nil, answer(err)
	}
	from := max(in.From, in.Last)
	if from > now { // it would wait for that in silence
		return nil, answer(store.ErrFuture)
	}
	if from == 0 {
		from = now
	}
	w := watcher{s: s, me: me, selector: selector, prefix: in.Collection + "/", from: from}
	return &huma.StreamResponse{Body: w.run}, nil
}

type watcher struct {
	s        *Server
	me       access.Identity
	selector labels.Selector
	prefix   string
	from     int64
}

func (w watcher) run(ctx huma.Context) {
	_, out := humago.Unwrap(ctx)
	begin(ctx)
	flush := http.NewResponseController(out).Flush
	_, _ = fmt.Fprintf(out, "id: %d\nevent: begin\ndata: {}\n\n", w.from)
	_ = flush()
	batches := make(chan []store.Change)
	bounded, cancel := context.WithCancel(ctx.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		failed <- w.s.Store.Watch(bounded, w.prefix, w.from, func(changes []store.Change) error {
			select {
			case batches <- changes:
				return nil
			case <-bounded.Done():
				return bounded.Err()
			}
		})
	}()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for {
		var err error
		select {
		case changes := <-batches:
			for _, c := range changes {
				_, err = out.Write([]byte(w.event(c)))
			}
		case <-beat.C:
			_, err = out.Write([]byte(":\n\n"))
		case err = <-failed:
			w.last(ctx, out, err)
		}
		if err != nil || flush() != nil {
			return
		}
	}
}

// last tells why a watch ends: after 410 the client lists again.
func (w watcher) last(ctx huma.Context, out http.ResponseWriter, err error) {
	var p *Fault
	if ctx.Context().Err() != nil || !errors.As(answer(err), &p) {
		return
	}
	data, _ := json.Marshal(p)
	_, _ = fmt.Fprintf(out, "event: error\ndata: %s\n\n", data)
}

// event is a change as it is sent, "" for one that is not for who watches. What leaves the
// selection is gone for it.
func (w watcher) event(c store.Change) string {
	now, before := w.selects(c.Value), w.selects(c.Was)
	switch {
	case now:
		return fmt.Sprintf("id: %d\nevent: put\ndata: {\"key\":%q,\"revision\":%d,\"value\":%s}\n\n", c.Revision, strings.TrimPrefix(c.Key, w.prefix), c.Revision, c.Value)
	case before:
		return fmt.Sprintf("id: %d\nevent: delete\ndata: {\"key\":%q,\"revision\":%d}\n\n", c.Revision, strings.TrimPrefix(c.Key, w.prefix), c.Revision)
	}
	return ""
}

func (w watcher) selects(value []byte) bool {
	var l labelled
	return value != nil && json.Unmarshal(value, &l) == nil && w.me.Sees(l.Labels) && w.selector.Matches(labels.Set(l.Labels))
}
