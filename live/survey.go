package live

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/targets"
)

// Surveyor is a system on which the objects of many solutions can be watched together.
type Surveyor interface {
	// EachRecord calls each with the records of all solutions, one after the other: with those that
	// can be read, also where it returns an error about others.
	EachRecord(ctx context.Context, each func(*Record)) error
	// Survey calls each with all objects of some kinds that have the name of a solution in
	// them, then synced, and then each with those that change, until the context ends. Calls
	// do not overlap. Known says what is known of an object by its ID, and by the label that
	// has the name of its solution. It returns an error where it has to be begun anew.
	Survey(ctx context.Context, kinds []engine.About, known Known, each func(Sight), synced func()) error
}

// Known says whose an object is, and how it was made by the record, nothing for one that is in
// none; the solution is "" for one that is not watched.
type Known func(id engine.ID, label string) (solution string, made engine.Object)

// Sight is an object that was found or has changed; its Value is nil if it is gone.
type Sight struct {
	engine.Seen
	// Record tells that it is a record, of which Solution alone is said.
	Record bool
}

// Monitor keeps what is not as it was made while several solutions are watched. It keeps no
// object: each is compared with its record when it is told of. What is on its way, as while a
// role gets new instances, is not told.
type Monitor struct {
	target    Target
	solutions map[string]*watchedSolution
	labels    map[string]string // solutions by their labels
}

// watchedSolution is what a monitor knows of a solution.
type watchedSolution struct {
	revision string
	begun    time.Time // since when a run is under way by the record, zero for none
	objects  map[engine.ID]*watchedObject
}

type watchedObject struct {
	about  engine.About // without a kind for one that is in no record
	answer []byte       // what the target has made of it, as JSON; nil where that is not known
	there  bool
	found  []Finding
}

// made returns the object as a record has it.
func (o *watchedObject) made() (engine.Object, engine.Made) {
	m := engine.Made{About: o.about}
	if o.answer != nil && json.Unmarshal(o.answer, &m.Answer) == nil {
		m.Hash = engine.Hash(m.Answer)
	}
	return engine.Object{About: o.about, Given: m.Answer}, m
}

// News is what has become of an object: what is found of it now, nothing if it is as it was made.
type News struct {
	Solution string    `json:"solution"`
	Object   string    `json:"object"`
	Findings []Finding `json:"findings"`
}

// NewMonitor watches nothing yet.
func NewMonitor(target Target) *Monitor {
	return &Monitor{target, map[string]*watchedSolution{}, map[string]string{}}
}

// Take takes the record of a solution in place of the one that was known. What was found of
// its objects, and whether they are there, is kept.
func (v *Monitor) Take(r *Record, now time.Time) {
	before := v.solutions[r.Solution]
	w := &watchedSolution{revision: r.Revision, objects: map[engine.ID]*watchedObject{}}
	if underWay(r) {
		if w.begun = now; before != nil && !before.begun.IsZero() {
			w.begun = before.begun
		}
	}
	for _, m := range r.Objects {
		o := &watchedObject{about: m.About}
		if m.Answer != nil {
			o.answer, _ = json.Marshal(m.Answer) // it was read as JSON
		}
		if before != nil && before.objects[m.ID] != nil {
			o.there, o.found = before.objects[m.ID].there, before.objects[m.ID].found
		}
		w.objects[m.ID] = o
	}
	v.solutions[r.Solution] = w
	v.labels[targets.ForeignLabels(r.Solution, "", "")[targets.SolutionLabel]] = r.Solution
}

// underWay reports whether a run has begun to write that has not ended, or was broken off.
func underWay(r *Record) bool {
	return filter.Any(r.Objects, func(m engine.Made) bool { return m.Begun })
}

// Drop forgets a solution.
func (v *Monitor) Drop(solution string) { delete(v.solutions, solution) }

// Revision returns the revision of the record that is known of a solution, "" for none.
func (v *Monitor) Revision(solution string) string {
	if w := v.solutions[solution]; w != nil {
		return w.revision
	}
	return ""
}

// UnderWay reports whether a run of a solution has begun by its record, since when not more
// than the patience has passed: what is found then is no drift.
func (v *Monitor) UnderWay(solution string, now time.Time, patience time.Duration) bool {
	w := v.solutions[solution]
	return w != nil && !w.begun.IsZero() && now.Sub(w.begun) < patience
}

// Kinds returns one object for each kind that the solutions have.
func (v *Monitor) Kinds() (out []engine.About) {
	kinds := map[engine.ID]bool{}
	for _, w := range v.solutions {
		for _, o := range w.objects {
			key := engine.ID{Kind: o.about.Kind + " " + o.about.Version, Namespace: o.about.Namespace}
			if !kinds[key] && o.about.Kind != "" {
				kinds[key] = true
				out = append(out, o.about)
			}
		}
	}
	sorting.By(out, func(a, b engine.About) int {
		return strings.Compare(a.Kind+" "+a.Version+" "+a.Namespace, b.Kind+" "+b.Version+" "+b.Namespace)
	})
	return out
}

// Known implements [Known].
func (v *Monitor) Known(id engine.ID, label string) (string, engine.Object) {
	name := v.labels[label]
	w := v.solutions[name]
	if w == nil {
		return "", engine.Object{}
	}
	if o := w.objects[id]; o != nil {
		desired, _ := o.made()
		return name, desired
	}
	return name, engine.Object{}
}

// Unseen takes all objects of a solution for gone, until they are told of again; of all
// solutions for "".
func (v *Monitor) Unseen(solution string) {
	for name, w := range v.solutions {
		for _, o := range w.objects {
			o.there = o.there && solution != "" && name != solution
		}
	}
}

// Solutions returns the names of those that are watched, sorted.
func (v *Monitor) Solutions() []string { return sorting.Ordered(v.solutions) }

// Repairable reports whether something that was found of a solution can be set right.
func (v *Monitor) Repairable(solution string) bool {
	if w := v.solutions[solution]; w != nil && w.begun.IsZero() {
		for _, o := range w.objects {
			if filter.Any(o.found, func(f Finding) bool { return f.Kind == "missing" || f.Kind == "changed" }) {
				return true
			}
		}
	}
	return false
}

// See takes an object that was found, has changed or is gone, and reports whether what is
// found of it is something else now.
func (v *Monitor) See(s engine.Seen) (news News, ok bool) {
	w := v.solutions[s.Solution]
	if w == nil {
		return news, false
	}
	o := w.objects[s.ID]
	if o == nil {
		if s.Value == nil {
			return news, false
		}
		o = &watchedObject{}
		w.objects[s.ID] = o
	}
	o.there = s.Value != nil
	var seen []engine.Seen
	if o.there {
		seen = append(seen, s)
	} else if o.about.Kind == "" { // it was in no record
		delete(w.objects, s.ID)
	}
	return v.found(s.Solution, s.ID, o, seen)
}

// found decides about an object alone.
func (v *Monitor) found(solution string, id engine.ID, o *watchedObject, seen []engine.Seen) (News, bool) {
	var made []engine.Made
	d := engine.Desired{Solution: solution}
	if o.about.Kind != "" {
		desired, m := o.made()
		made, d.Objects = []engine.Made{m}, []engine.Object{desired}
	}
	actions := filter.Out(engine.Decide(d, made, seen, time.Time{}), func(a engine.Action) bool { return a.Verb == engine.Wait })
	for _, a := range actions {
		if len(a.Changes) > 0 && len(seen) > 0 {
			v.target.Reveal(seen[0], a.Changes)
		}
	}
	now := Drift(actions)
	same := slices.EqualFunc(now, o.found, func(a, b Finding) bool { return slices.Equal(a.Lines(), b.Lines()) })
	o.found = now
	return News{solution, id.String(), now}, !same
}

// Missing returns the objects of all solutions, or of one, that were made and that nobody has
// told of.
func (v *Monitor) Missing(solution string) (out []News) {
	for name, w := range v.solutions {
		if solution != "" && name != solution {
			continue
		}
		for id, o := range w.objects {
			if o.there || o.about.Kind == "" {
				continue
			}
			if news, ok := v.found(name, id, o, nil); ok {
				out = append(out, news)
			}
		}
	}
	sorting.By(out, func(a, b News) int { return strings.Compare(a.Solution+" "+a.Object, b.Solution+" "+b.Object) })
	return out
}
