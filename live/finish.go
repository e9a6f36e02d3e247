package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
)

// ErrUnhealthy says that what was applied does not run as it should.
var ErrUnhealthy = errors.New("not healthy")

// Unwell is an object that is not healthy, and why.
type Unwell struct {
	engine.About
	Why string
}

// Await waits until all that instances run for is healthy. It returns what is not when the
// context ends or something has failed; changed is called with each object that changes.
func (r *Run) Await(ctx context.Context, changed func(engine.Seen)) ([]Unwell, error) {
	for looked := false; ; {
		if !r.fresh {
			if err := r.Look(ctx); err != nil {
				return r.unwell(), err
			}
			looked = true
		}
		r.fresh = false
		if r.lost() && !r.Looks { // somebody has removed what was there
			if err := r.Carry(ctx); err != nil {
				return r.unwell(), err
			}
			continue
		}
		for _, s := range r.seen {
			if s.Runs {
				changed(s)
			}
		}
		switch unwell := r.unwell(); {
		case len(unwell) == 0:
			r.settled = looked
			return nil, nil
		case r.failed():
			return unwell, ErrUnhealthy
		}
		err := r.Target.Watch(ctx, r.Desired.Solution, r.running(), func(s engine.Seen) bool {
			changed(s)
			if s.Runs {
				r.observe(s)
			}
			return len(r.unwell()) > 0 && !r.failed() && s.Value != nil
		})
		if ctx.Err() != nil {
			return r.unwell(), ctx.Err()
		}
		if err != nil { // it is begun anew, not at once
			time.Sleep(100 * time.Millisecond)
		}
	}
}

// lost reports whether something desired is not there, and has to be made again.
func (r *Run) lost() bool {
	return filter.Any(r.actions, func(a engine.Action) bool { return a.Verb == engine.Create })
}

// Vacate waits until nothing that is desired is still being removed, as after a removal that
// was broken off, and decides anew. What does not go is returned when the context ends.
func (r *Run) Vacate(ctx context.Context) (blocked []engine.Action, err error) {
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		if blocked = r.leaving(); len(blocked) == 0 {
			return nil, nil
		}
		select {
		case <-ctx.Done():
			return blocked, ctx.Err()
		case <-time.After(pause):
		}
		if err := r.Look(ctx); err != nil {
			return blocked, err
		}
	}
}

// leaving returns the objects that are desired and that are being removed.
func (r *Run) leaving() []engine.Action {
	return filter.Out(r.actions, func(a engine.Action) bool {
		at := r.find(a.ID)
		wanted := filter.Any(r.Desired.Objects, func(o engine.Object) bool { return o.ID == a.ID })
		return a.Verb != engine.Wait || at < 0 || !r.seen[at].Going || !wanted
	})

}

// observe takes an object that has changed.
func (r *Run) observe(s engine.Seen) {
	at := r.find(s.ID)
	switch {
	case s.Value == nil && at >= 0:
		r.seen = slices.Delete(r.seen, at, at+1)
	case s.Value != nil && at >= 0:
		r.seen[at] = s
	case s.Value != nil:
		r.seen = append(r.seen, s)
	}
}

// running returns the objects that instances run for.
func (r *Run) running() []engine.About {
	var out []engine.About
	for _, o := range r.Desired.Objects {
		if o.Runs {
			out = append(out, o.About)
		}
	}
	return out
}

// unwell returns the objects that instances run for and that are not healthy.
func (r *Run) unwell() []Unwell {
	var out []Unwell
	for _, about := range r.running() {
		at := r.find(about.ID)
		switch {
		case at < 0:
			out = append(out, Unwell{about, "it is not there"})
		case r.seen[at].Health != engine.Healthy:
			out = append(out, Unwell{about, r.seen[at].Why})
		}
	}
	return out
}

func (r *Run) failed() bool {
	return filter.Any(r.seen, func(s engine.Seen) bool { return s.Runs && s.Health == engine.Failed })
}

// Finish removes what is not desired any more, stage by stage, and writes the record. With
// an empty list of what is desired it removes everything, the record last. It waits for
// what it removes, and returns what is still there when the context ends.
func (r *Run) Finish(ctx context.Context, whole bool) (blocked []engine.Action, err error) {
	if !r.settled {
		if err := r.Look(ctx); err != nil {
			return nil, err
		}
	}
	r.settled = false
	removals := filter.Out(r.Writes(), func(a engine.Action) bool { return a.Verb != engine.Remove })
	if err := r.beginRemoval(ctx, removals); err != nil {
		return nil, err
	}
	for _, stage := range stages(removals) {
		errs := make([]error, len(stage))
		stopped := Each(ctx, len(stage), func(i int) error {
			if err := r.Target.Remove(ctx, stage[i].About); err != nil {
				errs[i] = fmt.Errorf("%v: %w", stage[i].ID, err)
			}
			return nil
		})
		for i, a := range stage {
			r.say(Event{Action: a, Failed: errs[i]})
		}
		if err := errors.Join(append(errs, stopped)...); err != nil {
			return nil, err
		}
	}
	if len(removals) > 0 {
		if blocked, err = r.vanished(ctx, removals); err != nil {
			return blocked, err
		}
	}
	return blocked, r.close(ctx, whole)
}

// beginRemoval writes into the record what is about to be removed, unless it says already
// that a run is under way: whoever watches does not take it for lost.
func (r *Run) beginRemoval(ctx context.Context, removals []engine.Action) error {
	if len(removals) == 0 || r.begun {
		return nil
	}
	r.begun = true
	for _, a := range removals {
		if i := r.entry(a.ID); i >= 0 {
			m := r.Record.Objects[i]
			m.Begun = true
			r.remember(m)
		}
	}
	return r.Target.Save(ctx, r.Record)
}

// vanished waits until what was removed is not there any more.
func (r *Run) vanished(ctx context.Context, removed []engine.Action) ([]engine.Action, error) {
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		if err := r.Look(ctx); err != nil {
			return nil, err
		}
		var left []engine.Action
		for _, a := range removed {
			if at := r.find(a.ID); at >= 0 {
				a.Why = r.seen[at].Held
				left = append(left, a)
			}
		}
		if len(left) == 0 {
			return nil, nil
		}
		select {
		case <-ctx.Done():
			return left, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Close writes the final record and removes nothing. Objects that are no longer desired
// stay in it, for a later run to remove.
func (r *Run) Close(ctx context.Context) error {
	if err := r.Look(ctx); err != nil {
		return err
	}
	return r.close(ctx, true)
}

// close writes the record as it is in the end, where that is another than it was.
func (r *Run) close(ctx context.Context, whole bool) error {
	last := *r.Record
	last.Objects = filter.Out(last.Objects, func(m engine.Made) bool { return r.find(m.ID) < 0 })
	if len(r.Desired.Objects) == 0 && !filter.Any(last.Objects, func(m engine.Made) bool { return m.Volume == "" }) {
		return r.Target.Forget(ctx, r.Record)
	}
	if whole {
		n := r.Next
		n.Objects, n.Dropped, n.Revision, n.Parts = last.Objects, last.Dropped, last.Revision, last.Parts
		last = n
	}
	*r.Record = last
	return r.Target.Save(ctx, r.Record)
}
