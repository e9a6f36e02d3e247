package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/live"
	"kumiki.dev/run/record"
)

type logsInput struct {
	DeploymentPath
	Path      string `query:"path" doc:"DEPLOYMENT or DEPLOYMENT/ROLE; all of it if it is left out."`
	Instance  string `query:"instance" doc:"The name of one instance; all if it is left out."`
	Container string `query:"container" doc:"The name of one container; all if it is left out."`
	Follow    bool   `query:"follow" doc:"Go on with what is written from now on."`
	Previous  bool   `query:"previous" doc:"What was written before the last restart."`
	Tail      int    `query:"tail" minimum:"-1" default:"-1" doc:"How many lines from the end of each; -1 for all."`
	Since     int    `query:"sinceSeconds" minimum:"0" doc:"Leave out what is older."`
}

func (in *logsInput) options() live.LogOptions {
	return live.LogOptions{Instance: in.Instance, Container: in.Container, Follow: in.Follow, Previous: in.Previous, Tail: in.Tail, Since: time.Duration(in.Since) * time.Second}
}

// getLogs reads what instances have written. What they write may be of those who use them: it
// takes somebody who may change the deployment.
func (s *Server) getLogs(ctx context.Context, in *logsInput) (*huma.StreamResponse, error) {
	d, e, err := s.located(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	system, by, err := s.Connect(e)
	if err != nil {
		return nil, unreached(e, err)
	}
	from, ok := system.(live.Logger)
	if !ok {
		return nil, problem(http.StatusUnprocessableEntity, string(diag.LiveTarget), by.Name+" has no logs that could be read")
	}
	r, err := system.Record(ctx, d.Name)
	if err != nil {
		return nil, unreached(e, err)
	}
	path := cmp.Or(in.Path, d.Name)
	places, err := r.PlacesIn(path)
	if err != nil {
		return nil, problem(http.StatusUnprocessableEntity, "manager/path", err.Error())
	}
	l := logs{e: e, from: from, solution: d.Name, places: places, options: in.options()}
	return &huma.StreamResponse{Body: l.run}, nil
}

// logs are the lines of the instances of places.
type logs struct {
	e        record.Environment
	from     live.Logger
	solution string
	places   []engine.Place
	options  live.LogOptions
}

// run sends lines as events, then one that says how they have ended.
func (l logs) run(ctx huma.Context) {
	_, out := humago.Unwrap(ctx)
	begin(ctx)
	bounded, cancel := context.WithCancel(ctx.Context())
	defer cancel()
	w := &eventWriter{out: out, flush: http.NewResponseController(out).Flush, gone: cancel}
	w.send("begin", struct{}{})
	stop := w.beats(bounded)
	err := l.read(bounded, func(line live.Line) { w.send("line", line) })
	stop()
	var p *Fault
	if err != nil && ctx.Context().Err() == nil && errors.As(unreached(l.e, err), &p) {
		w.send("error", p)
		return
	}
	w.send("end", struct{}{})
}

// read reads the places one after the other, or where lines are followed all at once.
func (l logs) read(ctx context.Context, line func(live.Line)) error {
	errs := make([]error, len(l.places))
	var wg sync.WaitGroup
	for i, place := range l.places {
		if !l.options.Follow {
			errs[i] = l.from.Logs(ctx, l.solution, place, l.options, line)
			continue
		}
		wg.Go(func() { errs[i] = l.from.Logs(ctx, l.solution, place, l.options, line) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// begin begins an answer of events.
func begin(ctx huma.Context) {
	ctx.SetHeader("Content-Type", "text/event-stream")
	ctx.SetHeader("Cache-Control", "no-store")
	ctx.SetHeader("X-Accel-Buffering", "no")
	ctx.SetStatus(http.StatusOK)
}

// eventWriter sends events, of which several may come at the same time.
type eventWriter struct {
	mu    sync.Mutex
	out   http.ResponseWriter
	flush func() error
	gone  func() // called when nobody reads any more
}

func (w *eventWriter) send(event string, of any) {
	data, err := json.Marshal(of)
	if err == nil {
		w.write(fmt.Sprintf("event: %s\ndata: %s\n\n", event, data))
	}
}

func (w *eventWriter) write(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.out.Write([]byte(text))
	if flushed := w.flush(); err != nil || flushed != nil && !errors.Is(flushed, http.ErrNotSupported) { // the page's keeps all
		w.gone()
	}
}

// beats says every now and then that it is there, until the returned function has returned.
func (w *eventWriter) beats(ctx context.Context) (stop func()) {
	bounded, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		beat := time.NewTicker(heartbeat)
		defer beat.Stop()
		for {
			select {
			case <-beat.C:
				w.write(":\n\n")
			case <-bounded.Done():
				return
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}
