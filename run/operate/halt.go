package operate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/live"
	"kumiki.dev/run/record"
	"kumiki.dev/solution"
)

// PlaceIn returns an error unless a solution has a place with instances that a path leads to.
func PlaceIn(connect Connector, e record.Environment, sol *solution.Solution, path string) error {
	system, by, err := connect(e)
	if err != nil {
		return asked(err)
	}
	lowered, _ := by.Lower(sol, e.Options)
	objects, err := system.Objects(sol.Ref.Name, lowered, nil)
	if err != nil {
		return err
	}
	places := map[string]bool{}
	for _, o := range objects {
		switch {
		case !o.Runs:
		case o.Place.Within(path):
			return nil
		default:
			places[o.Place.String()] = true
		}
	}
	return fmt.Errorf("%s: %s has no such deployment or role; it has %s", path, sol.Ref.Name, strings.Join(slices.Sorted(maps.Keys(places)), ", "))
}

// halt is the record of what runs with what the operation stops, starts and restarts. How often a
// place was restarted then is written down first: a server that is killed restarts it once.
func (w *work) halt(ctx context.Context, r *live.Record) (*live.Record, *record.Failure, error) {
	decided := false
	for i := range w.op.Halts {
		h := &w.op.Halts[i]
		if h.Verb == record.Restart && h.Instance == "" && h.Times == 0 {
			h.Times, decided = r.Restarts[h.Path]+1, true
		}
	}
	if decided {
		if err := w.phase(ctx, w.op.Phase); err != nil {
			return nil, nil, err
		}
	}
	next, failed := halted(r, w.op.Halts)
	return next, failed, nil
}

// halted is a record with what is stopped, started and restarted. It is the same however often
// that is done.
func halted(r *live.Record, halts []record.Halt) (*live.Record, *record.Failure) {
	next := *r
	for _, h := range halts {
		var err error
		switch {
		case h.Verb == record.Stop:
			next.Stop(h.Path)
		case h.Verb == record.Start:
			_, err = next.Start(h.Path)
		case h.Instance == "" && (h.Times == 0 || next.Restarts[h.Path] < h.Times):
			err = next.Restart(h.Path)
		}
		if err != nil {
			return nil, failure("manager/stopped", err.Error())
		}
	}
	return &next, nil
}

// Single returns a system that can restart a single instance, or an error that says what can be
// done in its place.
func Single(system live.System, target, path string) (live.Mover, error) {
	m, ok := system.(live.Mover)
	if !ok {
		return nil, fmt.Errorf("%s restarts no single instance; without instance all of %s are replaced, one after the other", target, path)
	}
	return m, nil
}

// replace lets the single instances go that the operation restarts, and waits until others are
// there in their place.
func (w *work) replace(ctx context.Context) (*record.Failure, error) {
	for i := range w.op.Halts {
		h := &w.op.Halts[i]
		if h.Instance == "" {
			continue
		}
		e, failed, err := w.environment(ctx)
		if failed != nil || err != nil {
			return failed, err
		}
		failed, err = insist(ctx, func() (*record.Failure, error) { return w.replaceOne(ctx, e, h) }, func(why string) { w.waits(ctx, e, why) })
		if failed != nil || err != nil {
			return failed, err
		}
	}
	return nil, nil
}

// waits writes down that an environment does not answer.
func (w *work) waits(ctx context.Context, e record.Environment, why string) {
	w.step(ctx, record.Step{Action: "wait", Object: "Environment/" + e.Name, Message: why})
}

func (w *work) replaceOne(ctx context.Context, e record.Environment, h *record.Halt) (*record.Failure, error) {
	system, by, err := w.Connect(e)
	if err != nil {
		return failure("manager/environment", err.Error()), nil
	}
	m, err := Single(system, by.Name, h.Path)
	if err != nil {
		return failure(string(diag.LiveTarget), err.Error()), nil
	}
	one, err := live.Named(ctx, m, h.Path, h.Instance)
	var none *live.NoInstance
	switch {
	case errors.As(err, &none) && h.ID != "", err == nil && h.ID != "" && one.ID != h.ID:
		return nil, nil // it was let go before the server was killed
	case errors.As(err, &none):
		return failure("manager/not-found", err.Error()), nil
	case err != nil:
		return nil, asked(err)
	case one.Fixed != "" && one.Fixed != live.EachNode:
		return failure("manager/refused", fmt.Sprintf("%v is not restarted: %s", one, one.Fixed)), nil
	}
	h.ID, w.op.Wrote = one.ID, true
	if err := w.phase(ctx, record.Applying); err != nil {
		return nil, err
	}
	err = live.Replace(ctx, m, one, func(text string) { w.says(ctx, "restart", one.Name, text) })
	w.reached("replaced")
	return nil, asked(err)
}

// says writes down in words what happens to an instance or node.
func (w *work) says(ctx context.Context, action, object, text string) {
	w.step(ctx, record.Step{Action: action, Object: object, Message: text})
	w.reached("object")
}
