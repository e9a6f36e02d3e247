package engine

import (
	"cmp"
	"time"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/internal/volumepath"
)

// decider holds the inputs of one decision, by ID, and the actions decided on so far.
type decider struct {
	desired Desired
	now     time.Time
	made    map[ID]Made
	seen    map[ID]Seen
	wanted  map[ID]bool
	actions []Action
	// unfinished reports that a desired object is absent or not healthy: nothing is removed then.
	unfinished bool
}

// Decide returns the actions that are due now, in the order in which they can be carried out.
// Objects that are no longer desired are removed only once every desired object is there and
// healthy; call Decide again then.
func Decide(desired Desired, made []Made, observed []Seen, now time.Time) []Action {
	d := begin(desired, made, observed, now)
	for _, o := range desired.Objects {
		if o.Halts && desired.stopped(o.Place) {
			if o.Halted == nil {
				continue // it is not desired
			}
			o.Given = o.Halted
			if seen, there := d.seen[o.ID]; there { // nobody else has the say in whether it runs
				seen.Excused = nil
				d.seen[o.ID] = seen
			}
		}
		d.wanted[o.ID] = true
		d.object(o)
	}
	for _, m := range made {
		d.gone(m)
	}
	for _, s := range observed {
		d.left(s)
	}
	sorting.By(d.actions, order)
	return d.actions
}

// Removals returns the removals that [Decide] returns once every desired object is healthy.
func Removals(desired Desired, made []Made, observed []Seen) []Action {
	d := begin(desired, made, observed, time.Time{})
	for _, o := range desired.Objects {
		d.wanted[o.ID] = !o.Halts || o.Halted != nil || !desired.stopped(o.Place)
	}
	for _, m := range made {
		d.gone(m)
	}
	sorting.By(d.actions, order)
	return filter.Out(d.actions, func(a Action) bool { return a.Verb != Remove })
}

func begin(desired Desired, made []Made, observed []Seen, now time.Time) *decider {
	d := &decider{desired: desired, now: now, made: map[ID]Made{}, seen: map[ID]Seen{}, wanted: map[ID]bool{}}
	for _, m := range made {
		d.made[m.ID] = m
	}
	for _, s := range observed {
		d.seen[s.ID] = s
	}
	return d
}

// order sorts writes by stage, and then removals by stage backwards.
func order(a, b Action) int {
	last := func(v Verb) int {
		if v == Remove || !v.Writes() {
			return 1
		}
		return 0
	}
	stage := cmp.Compare(a.Stage, b.Stage)
	if a.Verb == Remove && b.Verb == Remove {
		stage = -stage
	}
	return cmp.Or(cmp.Compare(last(a.Verb), last(b.Verb)), stage, a.compare(b.ID))
}

// stopped reports whether the instances of a place are not to run.
func (d Desired) stopped(p Place) bool {
	return filter.Any(d.Stopped, p.Within)
}

func (d *decider) act(verb Verb, about About, why string, give map[string]any, changes []Difference) {
	a := Action{Verb: verb, About: about, Give: give, Why: why, Changes: changes}
	if give != nil {
		a.Hash = Hash(give)
		a.Give, a.Excused = without(give, d.seen[about.ID].Excused)
	}
	d.actions = append(d.actions, a)
	if verb.Writes() || verb == Refuse {
		d.unfinished = true
	}
}

// object decides about a desired object.
func (d *decider) object(o Object) {
	seen, there := d.seen[o.ID]
	made, known := d.made[o.ID]
	switch {
	case !there && known && made.Hash != "":
		d.act(Create, o.About, "it is missing", o.Given, nil)
	case !there:
		d.act(Create, o.About, "", o.Given, nil)
	case seen.Going:
		d.unfinished = true
		d.act(Wait, o.About, cmp.Or(seen.Held, "it is being removed"), nil, nil)
	case seen.Solution != d.desired.Solution && !d.desired.Adopt:
		d.act(Refuse, o.About, seen.Owner, nil, nil)
	case seen.Fixed:
		d.replace(o)
	case seen.Solution != d.desired.Solution:
		d.act(Adopt, o.About, seen.Owner, o.Given, Compare(o.Given, seen.Value))
	case known && made.Begun:
		d.act(Resume, o.About, "a run that was to write it was broken off", o.Given, drift(made, seen))
	case !known || made.Hash == "":
		d.adopt(o, seen)
	case made.Hash != Hash(o.Given):
		d.act(Change, o.About, "", o.Given, drift(made, seen))
	default:
		d.compare(o, made, seen)
	}
}

// replace deletes and creates an object again; it is refused if data would be lost that may
// not be.
func (d *decider) replace(o Object) {
	if o.Volume != "" && !d.allowed(o.Volume) {
		d.act(Refuse, o.About, "a field of it cannot change, and the data of "+o.Volume+" would go with it", nil, nil)
		return
	}
	d.act(Replace, o.About, "a field of it cannot change", o.Given, nil)
}

// adopt takes over an object that carries the solution's name, but whose given fields are in
// no record.
func (d *decider) adopt(o Object, seen Seen) {
	d.act(Adopt, o.About, "", o.Given, Compare(o.Given, seen.Value))
}

// compare decides about an object that was last given the fields that it should have now.
func (d *decider) compare(o Object, made Made, seen Seen) {
	if made.Answer == nil {
		made.Answer = o.Given
	}
	if excused := filter.Out(Compare(made.Answer, seen.Value), func(c Difference) bool { return seen.Excused[c.Path] == "" }); len(excused) > 0 {
		d.act(Excuse, o.About, seen.Excused[excused[0].Path], nil, excused)
	}
	if changes := drift(made, seen); len(changes) > 0 {
		d.act(Repair, o.About, "", o.Given, changes)
		return
	}
	if seen.Again != "" {
		d.act(Resume, o.About, seen.Again, o.Given, nil)
		return
	}
	d.health(o, seen)
}

// drift returns the fields that others have changed since the object was written.
func drift(made Made, seen Seen) []Difference {
	if made.Answer == nil {
		return nil
	}
	return filter.Out(Compare(made.Answer, seen.Value), func(c Difference) bool { return seen.Excused[c.Path] != "" })
}

func (d *decider) health(o Object, seen Seen) {
	if !o.Runs || seen.Health == Healthy || seen.Health == "" {
		return
	}
	d.unfinished = true
	late := d.desired.Patience > 0 && !seen.Since.IsZero() && d.now.Sub(seen.Since) >= d.desired.Patience
	if seen.Health == Failed || late {
		d.act(Tell, o.About, seen.Why, nil, nil)
		return
	}
	d.act(Wait, o.About, seen.Why, nil, nil)
}

// gone decides about an object that was made and is no longer desired.
func (d *decider) gone(m Made) {
	seen, there := d.seen[m.ID]
	switch {
	case d.wanted[m.ID] || !there:
	case seen.Solution != d.desired.Solution:
		d.act(Leave, m.About, seen.Owner, nil, nil)
	case m.Stays:
	case m.Volume != "" && !d.allowed(m.Volume):
		d.act(Keep, m.About, "it holds data of "+m.Volume, nil, nil)
	case seen.Going:
		d.act(Wait, m.About, cmp.Or(seen.Held, "it is being removed"), nil, nil)
	case d.unfinished:
		// When what comes in its place is healthy.
	default:
		d.actions = append(d.actions, Action{Verb: Remove, About: m.About, Why: "it is not desired any more"})
	}
}

// left decides about an object that carries the solution's name and is in no record.
func (d *decider) left(s Seen) {
	if _, known := d.made[s.ID]; known || d.wanted[s.ID] || s.Solution != d.desired.Solution || s.Going {
		return
	}
	d.act(Residue, s.About, "it is in no record", nil, nil)
}

// allowed reports whether the data of a volume may go.
func (d *decider) allowed(volume string) bool {
	return volumepath.Covers(d.desired.Data, volume)
}
