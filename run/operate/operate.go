// Package operate carries out operations: it brings what runs to what deployments want.
//
// All that it knows is in the store and in the environments, so it may be killed anywhere: the
// next one looks at both and goes on. What an operation says of itself is only how far that
// has come.
package operate

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"kumiki.dev/live"
	"kumiki.dev/live/application"
	"kumiki.dev/run/compile"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
	"kumiki.dev/run/telemetry"
)

// Compiler makes solutions of bundles.
type Compiler interface {
	Compile(ctx context.Context, bundle []byte, name string, sets []string) (*compile.Result, error)
}

// Connector finds what runs in an environment, and asks it nothing yet.
type Connector func(record.Environment) (live.System, application.Lowering, error)

// Operator carries out operations.
type Operator struct {
	Store    *store.Store
	Compiler Compiler
	Connect  Connector
	Log      *slog.Logger
	// AtOnce is how many operations are carried out at the same time, 0 for 8.
	AtOnce int
	// Audit writes down what an operation is about to do, with how many places its plan has of
	// each class, together with other writes; it may be nil.
	Audit func(ctx context.Context, o record.Operation, classes map[string]int, writes ...store.Write) error
	// Metrics and Tracer tell of operations; they may be nil.
	Metrics *telemetry.Metrics
	Tracer  trace.Tracer
	// Reached is called at each step that a crash may follow; it may be nil.
	Reached func(point string)
}

const defaultAtOnce = 8

// Pending is what the key of an operation that has not ended holds.
type Pending struct {
	// Deployment is what it is about, or [OfNode]: of those about the same, one is carried out at
	// a time.
	Deployment string `json:"deployment"`
	// Cancel asks for its end.
	Cancel bool `json:"cancel,omitempty"`
}

// OfNode is what stands for a node in a [Pending]: no deployment is called so.
func OfNode(m *record.Move) string { return record.NodeName(m.Environment, m.Node) }

// Run carries out all operations that have not ended, until the context ends. Several may be
// run, of which one leads.
func (o *Operator) Run(ctx context.Context, id string) error {
	for ctx.Err() == nil {
		err := o.Store.Lead(ctx, "operator", id, o.lead)
		if err != nil && ctx.Err() == nil {
			o.Log.Warn("operations are begun anew", "error", err)
			if errors.Is(err, store.ErrFull) {
				_ = o.Store.MakeRoom(ctx) // which is tried until it goes
			}
			time.Sleep(time.Second)
		}
	}
	return nil
}

// queue has the operations that are carried out, one for each deployment at a time.
type queue struct {
	*Operator
	fence store.Write
	slots chan struct{}
	over  <-chan struct{} // closed when this one leads no more

	mu      sync.Mutex
	running map[string]*running // by deployments
	wg      sync.WaitGroup
}

// running is an operation that is being carried out.
type running struct {
	id     string
	cancel context.CancelCauseFunc
	next   string // the operation that follows it, "" for none
}

// The reasons for which an operation is broken off.
var (
	errCanceled   = errors.New("somebody has cancelled it")
	errSuperseded = errors.New("a later change of the deployment has taken its place")
)

func (o *Operator) lead(ctx context.Context, fence store.Write) error {
	atOnce := o.AtOnce
	if atOnce == 0 {
		atOnce = defaultAtOnce
	}
	q := &queue{Operator: o, fence: fence, slots: make(chan struct{}, atOnce), running: map[string]*running{}}
	defer q.wg.Wait()
	o.Log.Info("this server carries out operations")
	o.Metrics.Leads(true)
	defer o.Metrics.Leads(false)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q.over = ctx.Done()
	entries, at, _, err := o.Store.List(ctx, record.Pending, store.Page{})
	if err != nil {
		return err
	}
	for _, e := range entries {
		q.take(ctx, e.Key, e.Value)
	}
	q.wg.Go(func() { o.tend(ctx) })
	return o.Store.Watch(ctx, record.Pending, at, func(changes []store.Change) error {
		for _, c := range changes {
			if c.Value != nil {
				q.take(ctx, c.Key, c.Value)
			}
		}
		return nil
	})
}

// take begins an operation, or ends one that was cancelled.
func (q *queue) take(ctx context.Context, key string, value []byte) {
	id := strings.TrimPrefix(key, record.Pending)
	var p Pending
	if err := json.Unmarshal(value, &p); err != nil {
		q.Log.Error("an operation cannot be read", "operation", id, "error", err)
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.running[p.Deployment]
	switch {
	case r == nil:
		q.begin(ctx, p.Deployment, id)
	case r.id == id && p.Cancel:
		r.cancel(errCanceled)
	case r.id == id || p.Cancel:
	default: // operations are taken in their order
		if r.next != "" {
			before := r.next
			q.wg.Go(func() { q.carry(ctx, before) }) // it sees that it was superseded
		}
		r.next = id
		r.cancel(errSuperseded)
	}
}

// begin carries out an operation in the background; mu is held.
func (q *queue) begin(ctx context.Context, deployment, id string) {
	own, cancel := context.WithCancelCause(ctx)
	r := &running{id: id, cancel: cancel}
	q.running[deployment] = r
	q.wg.Go(func() {
		defer cancel(nil)
		select {
		case q.slots <- struct{}{}:
			q.Metrics.Running(1)
			q.carry(own, id)
			q.Metrics.Running(-1)
			<-q.slots
		case <-ctx.Done():
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		delete(q.running, deployment)
		if r.next != "" && ctx.Err() == nil {
			q.begin(ctx, deployment, r.next)
		}
	})
}

// carry carries out an operation until it has ended, whatever the store says in between.
func (q *queue) carry(ctx context.Context, id string) {
	leads := context.WithoutCancel(ctx)
	for pause := 100 * time.Millisecond; ; pause = min(2*pause, 10*time.Second) {
		w, err := q.read(leads, id)
		if err == nil {
			err = w.carry(ctx)
		}
		switch {
		case err == nil, errors.Is(err, store.ErrNotFound):
			return
		case errors.Is(context.Cause(ctx), context.Canceled) && ctx.Err() != nil:
			return // somebody else leads, or nobody: it goes on there
		}
		q.Log.Warn("an operation is looked at again", "operation", id, "error", err)
		select {
		case <-time.After(pause):
		case <-q.ended(ctx):
			if !brokenOff(ctx) {
				return
			}
		case <-q.over:
			return
		}
	}
}

// ended is closed when nothing is to go on any more; a broken off operation has yet to be
// written down.
func (q *queue) ended(ctx context.Context) <-chan struct{} {
	if brokenOff(ctx) {
		return nil
	}
	return ctx.Done()
}

// brokenOff reports whether an operation is to go no further, rather than all of them.
func brokenOff(ctx context.Context) bool {
	return errors.Is(context.Cause(ctx), errCanceled) || errors.Is(context.Cause(ctx), errSuperseded)
}

func (o *Operator) reached(point string) {
	if o.Reached != nil {
		o.Reached(point)
	}
}
