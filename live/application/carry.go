package application

import (
	"cmp"
	"context"
	"encoding/json"
	"time"

	"kumiki.dev/engine"
	"kumiki.dev/live"
)

// Bounds say how far an application is carried.
type Bounds struct {
	// Wait waits until all is healthy, and removes then what is not desired any more.
	Wait bool
	// Timeout is how long each wait may take, 0 for as long as it takes.
	Timeout time.Duration
}

// Context returns a context that ends when the time is over.
func (b Bounds) Context(ctx context.Context) (context.Context, context.CancelFunc) {
	if b.Timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, b.Timeout)
}

// Outcome is what has come of carrying out. The zero value is that all is as it should be.
type Outcome struct {
	// Blocked are objects that do not go.
	Blocked []engine.Action
	// Unwell are objects that are not healthy, and Late tells that the time was over.
	Unwell []live.Unwell
	Late   bool
	// Failed is why something was not written or removed: the rest was.
	Failed error
}

// Done reports whether all is as it should be.
func (o Outcome) Done() bool { return len(o.Blocked)+len(o.Unwell) == 0 && !o.Late && o.Failed == nil }

// Teller is told what happens.
type Teller struct {
	// Event is called with what was done with each object.
	Event func(live.Event)
	// Changed is called with each object that changes while it is waited for.
	Changed func(engine.Seen)
	// Written is called when all was written that could be.
	Written func()
}

// Carry makes what [live.Run.Prepare] has decided so: it waits for what is on its way out,
// writes, waits until that is healthy, and removes. The error is that of a system which
// cannot be asked.
func (a *Application) Carry(ctx context.Context, b Bounds, tell Teller) (Outcome, error) {
	a.Say = tell.Event
	bounded, cancel := b.Context(ctx)
	defer cancel()
	if blocked, err := a.Vacate(bounded); len(blocked) > 0 {
		return Outcome{Blocked: blocked, Late: true}, nil
	} else if err != nil {
		return Outcome{}, err
	}
	err := a.Run.Carry(ctx)
	tell.Written()
	switch {
	case err != nil:
		return Outcome{Failed: err}, nil
	case !b.Wait: // what is not desired any more goes with the next run
		return Outcome{Failed: a.Close(ctx)}, nil
	}
	if o, err := a.Await(ctx, b, tell); !o.Done() || err != nil {
		return o, cmp.Or(err, a.Wrote(ctx))
	}
	return a.Remove(ctx, b, true)
}

// Await waits until all is healthy.
func (a *Application) Await(ctx context.Context, b Bounds, tell Teller) (Outcome, error) {
	bounded, cancel := b.Context(ctx)
	defer cancel()
	unwell, err := a.Run.Await(bounded, tell.Changed)
	switch {
	case err == nil:
		return Outcome{}, nil
	case len(unwell) == 0:
		return Outcome{}, err
	}
	return Outcome{Unwell: unwell, Late: bounded.Err() != nil && ctx.Err() == nil}, nil
}

// Remove removes what is not desired any more and writes the record: whole with what is
// desired now.
func (a *Application) Remove(ctx context.Context, b Bounds, whole bool) (Outcome, error) {
	bounded, cancel := b.Context(ctx)
	defer cancel()
	blocked, err := a.Finish(bounded, whole)
	if len(blocked) > 0 {
		return Outcome{Blocked: blocked, Late: true}, nil
	}
	if err != nil && bounded.Err() != nil {
		return Outcome{}, err
	}
	return Outcome{Failed: err}, nil
}

// Back returns the application of what ran before this one was carried out: text and options are
// those of the record at that time.
func (a *Application) Back(text, options json.RawMessage) (*Application, error) {
	was := *a.Record
	was.Text, was.Options = text, options
	return Recorded(a.System, a.by, &was, nil)
}
