package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
)

// Run brings one solution to where it is wanted.
type Run struct {
	Target  Target
	Desired engine.Desired
	// Record is what was made before, and is kept up to date with what is made.
	Record *Record
	// Next is what the record says of the solution once it has been applied.
	Next Record
	// Looks makes the run one that writes nothing: it waits only.
	Looks bool
	// KeepGoing goes on with later stages when an object fails.
	KeepGoing bool
	// Say is called with what is done, in the order in which it is; it may be nil.
	Say func(Event)

	seen    []engine.Seen
	fresh   bool // seen is what is there: nothing was written since
	settled bool // Await has just looked, and all was healthy
	begun   bool // the record that was saved says that a run is under way
	actions []engine.Action
	would   map[engine.ID]map[string]any // by trials
	mu      sync.Mutex
}

// Event is something that is done or found.
type Event struct {
	engine.Action
	// Failed is why it was not done, nil if it was.
	Failed error
	// Dropped are fields that were given and that the target did not keep.
	Dropped []string
}

// workers are how many objects are asked about or written at the same time.
const workers = 8

// Refusal is an action that cannot be carried out.
type Refusal struct {
	engine.Action
	Verdict
}

// Actions returns what [Run.Prepare] has decided.
func (r *Run) Actions() []engine.Action { return r.actions }

// Looked reports whether it has looked, and nothing was written since.
func (r *Run) Looked() bool { return r.fresh }

// Seen returns the objects that were there when it looked last.
func (r *Run) Seen() []engine.Seen { return r.seen }

// Look observes and decides, and asks the target nothing else.
func (r *Run) Look(ctx context.Context) error {
	seen, err := r.Target.Observe(ctx, r.Desired.Solution, r.Desired.Objects, r.Record.Objects)
	if err != nil {
		return err
	}
	r.seen, r.fresh = seen, true
	r.decide()
	return nil
}

func (r *Run) decide() {
	r.actions = engine.Decide(r.Desired, r.Record.Objects, r.seen, time.Now())
	for i, a := range r.actions {
		if at := r.find(a.ID); at >= 0 && len(a.Changes) > 0 {
			r.Target.Reveal(r.seen[at], r.actions[i].Changes)
		}
	}
}

func (r *Run) find(id engine.ID) int {
	return slices.IndexFunc(r.seen, func(s engine.Seen) bool { return s.ID == id })
}

// Prepare looks, decides, and lets the target try what would be written: nothing is. The
// refusals are all that there are.
func (r *Run) Prepare(ctx context.Context) ([]Refusal, error) {
	if err := r.Look(ctx); err != nil {
		return nil, err
	}
	verdicts := make([]Verdict, len(r.actions))
	err := Each(ctx, len(r.actions), func(i int) error {
		a := r.actions[i]
		if !a.Verb.Writes() || a.Verb == engine.Remove {
			return nil
		}
		v, err := r.Target.Try(ctx, a)
		verdicts[i] = v
		return err
	})
	if err != nil {
		return nil, err
	}
	again := false
	r.would = map[engine.ID]map[string]any{}
	for i, v := range verdicts {
		r.would[r.actions[i].ID] = v.Would
		again = r.learn(r.actions[i], v) || again
	}
	var refused []Refusal
	for i, v := range verdicts {
		if v.Refused == "" || v.Fixed || v.Foreign != "" && !r.Desired.Adopt { // that it is foreign is told below
			continue
		}
		v.Foreign = ""
		refused = append(refused, Refusal{r.actions[i], v})
	}
	if again {
		r.decide()
	}
	for _, a := range r.actions {
		if a.Verb == engine.Refuse {
			refused = append(refused, Refusal{a, Verdict{Foreign: a.Why}})
		}
	}
	return refused, nil
}

// learn adds what a trial has shown to what was seen, and reports whether it was new.
func (r *Run) learn(a engine.Action, v Verdict) bool {
	at := r.find(a.ID)
	switch {
	case v.Foreign != "" && at < 0:
		r.seen = append(r.seen, engine.Seen{About: a.About, Owner: v.Foreign, Fixed: v.Fixed})
	case v.Fixed && at >= 0:
		r.seen[at].Fixed = true
	default:
		return false
	}
	return true
}

// Writes returns the actions that change something.
func (r *Run) Writes() []engine.Action {
	return filter.Out(r.actions, func(a engine.Action) bool { return !a.Verb.Writes() })
}

// Idle reports whether there is nothing to write: neither objects nor the record.
func (r *Run) Idle() bool {
	return len(r.Writes()) == 0 && len(r.leaving()) == 0 && r.Record.Known() && !r.Record.Unlisted && r.Record.says(r.Next)
}

// says reports whether two records agree on the solution, its options, and what is stopped.
func (r *Record) says(other Record) bool {
	return r.Digest == other.Digest && string(r.Options) == string(other.Options) && r.Environment == other.Environment && len(r.Text) > 0 == (len(other.Text) > 0) &&
		slices.Equal(r.Stopped, other.Stopped) && fmt.Sprint(r.Restarts) == fmt.Sprint(other.Restarts)
}

// Carry writes the decided changes except removals. The record is written first, and again
// if not all could be written: the next run does what is left.
func (r *Run) Carry(ctx context.Context) error {
	writes := filter.Out(r.Writes(), func(a engine.Action) bool { return a.Verb == engine.Remove })
	if len(writes) == 0 {
		return nil
	}
	for _, a := range writes {
		m := engine.Made{About: a.About, Begun: true}
		if i := r.entry(a.ID); i >= 0 {
			m.Answer = r.Record.Objects[i].Answer
		}
		r.remember(m)
	}
	r.Record.Solution, r.Record.Target, r.Record.Stopped, r.Record.Restarts = r.Next.Solution, r.Next.Target, r.Next.Stopped, r.Next.Restarts
	r.fresh, r.settled, r.begun = false, false, true
	if err := r.Target.Save(ctx, r.Record); err != nil {
		return err
	}
	var failed []error
	for _, stage := range stages(writes) {
		failed = append(failed, r.stage(ctx, stage)...)
		if len(failed) > 0 && !r.KeepGoing {
			break
		}
	}
	if len(failed) > 0 {
		failed = append(failed, r.Wrote(ctx))
	}
	return errors.Join(failed...)
}

// Wrote writes the record of a run that does not come to its end, with what it has written,
// also where the context has ended.
func (r *Run) Wrote(ctx context.Context) error {
	if !r.begun {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return r.Target.Save(ctx, r.Record)
}

// stages returns actions by the stages that they belong to.
func stages(actions []engine.Action) [][]engine.Action {
	var out [][]engine.Action
	for i, a := range actions {
		if i == 0 || actions[i-1].Stage != a.Stage {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], a)
	}
	return out
}

// stage carries out the actions of a stage, several at a time, and tells of them in order.
func (r *Run) stage(ctx context.Context, actions []engine.Action) (failed []error) {
	events := make([]Event, len(actions))
	stopped := Each(ctx, len(actions), func(i int) error {
		a := actions[i]
		events[i] = Event{Action: a, Failed: errNotTried}
		live, err := r.Target.Give(ctx, a)
		r.mu.Lock()
		defer r.mu.Unlock()
		if err != nil {
			events[i].Failed = fmt.Errorf("%v: %w", a.ID, err)
			return nil
		}
		answer, _ := engine.Answer(a.Give, live).(map[string]any)
		r.remember(engine.Made{About: a.About, Hash: a.Hash, Answer: engine.Excused(answer, a.Excused)})
		events[i] = Event{Action: a, Dropped: r.dropped(a, answer)}
		return nil
	})
	for _, e := range events {
		switch {
		case e.Verb == "":
			continue // the context has ended
		case e.Failed != nil:
			failed = append(failed, e.Failed)
		}
		r.say(e)
	}
	if stopped != nil {
		failed = append(failed, stopped)
	}
	return failed
}

// errNotTried says that an action was not begun.
var errNotTried = errors.New("it was not tried")

// dropped returns the fields that the target did not keep, and that were not reported before.
func (r *Run) dropped(a engine.Action, answer map[string]any) (fields []string) {
	for _, d := range engine.Compare(a.Give, answer) {
		if d.Live == nil {
			fields = append(fields, d.Path)
		}
	}
	told := r.Record.Dropped[a.ID.String()]
	if len(fields) == 0 {
		delete(r.Record.Dropped, a.ID.String())
		return nil
	}
	if r.Record.Dropped == nil {
		r.Record.Dropped = map[string][]string{}
	}
	r.Record.Dropped[a.ID.String()] = fields
	return filter.Out(fields, func(f string) bool { return filter.Contains(told, f) })
}

func (r *Run) say(e Event) {
	if r.Say != nil {
		r.Say(e)
	}
}

func (r *Run) entry(id engine.ID) int {
	return slices.IndexFunc(r.Record.Objects, func(m engine.Made) bool { return m.ID == id })
}

// remember replaces the record's entry of an object.
func (r *Run) remember(m engine.Made) {
	if i := r.entry(m.ID); i >= 0 {
		r.Record.Objects[i] = m
		return
	}
	r.Record.Objects = append(r.Record.Objects, m)
}

// Each calls do for the numbers up to n, several at a time, and returns all errors, that of
// the context first: when it has ended, nothing more is begun.
func Each(ctx context.Context, n int, do func(int) error) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	next := make(chan int)
	for range min(workers, n) {
		wg.Go(func() {
			for i := range next {
				if err := do(i); err != nil {
					mu.Lock()
					failed = errors.Join(failed, err)
					mu.Unlock()
				}
			}
		})
	}
	var ended error
	for i := 0; i < n && ended == nil; i++ {
		if ended = ctx.Err(); ended == nil {
			next <- i
		}
	}
	close(next)
	wg.Wait()
	return errors.Join(ended, failed)
}
