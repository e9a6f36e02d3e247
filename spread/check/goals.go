package check

import (
	"maps"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/guards"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// tryAll tries the configurations by which the artifact may differ.
func (c *checker) tryAll() {
	if !c.accepted {
		return
	}
	for _, ch := range c.choices {
		for _, v := range ch.values {
			c.try(assignment{ch: v})
		}
	}
	for _, goal := range c.goals() {
		if !c.reached(goal) {
			for _, a := range c.reach(goal) {
				c.try(a)
			}
		}
	}
}

// exhausted reports whether no other configuration is to be begun.
func (c *checker) exhausted() bool { return c.trials >= maxTrials || c.work >= maxEvaluated }

// maxTriesEach is how many other values are tried for a configuration that the
// artifact refuses.
const maxTriesEach = 8

// try gives the artifact a configuration, and others with the same values where it
// refuses that.
func (c *checker) try(a assignment) {
	if c.exhausted() || !c.isNew(a) {
		return
	}
	c.trials++
	o := c.run(a)
	persistent := problemKeys(o.plain)
	if !o.taken() {
		o = c.mend(o, a, persistent)
	}
	if !o.refused() {
		c.keep(o, a, func(d *diag.Diagnostic) bool { return persistent[problemKey(d)] })
	}
	if o.taken() {
		c.take(o, a)
	}
}

// mend looks for a configuration that the artifact takes among those with other
// values beside the ones that are tried. Only such contradictions with the model are
// left in persistent as all of them have.
func (c *checker) mend(o *outcome, a assignment, persistent map[string]bool) *outcome {
	best, tries := o, 0
	for other := range c.others(o, a) {
		if c.mendings >= maxMendings || tries >= maxTriesEach || c.work >= maxEvaluated || best.taken() {
			break
		}
		if !c.isNew(other) {
			continue
		}
		c.mendings++
		tries++
		mended := c.run(other)
		keys := problemKeys(mended.plain)
		maps.DeleteFunc(persistent, func(k string, _ bool) bool { return !keys[k] })
		if mended.taken() || best.refused() && !mended.refused() {
			best = mended
		}
	}
	return best
}

// take reports what is wrong with the artifact in a configuration that it takes,
// with the values that show it.
func (c *checker) take(o *outcome, because assignment) {
	known := maps.Clone(c.placed)
	for _, d := range o.open {
		if d.Code == diag.CUE {
			if filter.Any(o.open, func(d *diag.Diagnostic) bool { return d.Code != diag.CUE }) {
				continue // it follows from that
			}
			d = c.noValue(d)
		}
		if here, at := placeKeys(d); !known[here] && !known[at] { // the same shows in several configurations
			c.placed[here], c.placed[at] = true, true
			c.shownBy(d, because)
			c.report(d)
		}
	}
	var truths []guards.Truth
	env := c.env(o.node, nil, nil)
	for _, g := range c.sources.Guards {
		truths = append(truths, c.sources.Truth(g, env))
	}
	c.truths = append(c.truths, truths)
}

// placeKeys stand for the places of a problem in the sources and in the artifact.
func placeKeys(d *diag.Diagnostic) (here, at string) {
	return string(d.Code) + " " + d.Pos.String(), string(d.Code) + " " + strings.Join(d.At, ".")
}

// noValue puts an error of CUE's in the words of a hole.
func (c *checker) noValue(d *diag.Diagnostic) *diag.Diagnostic {
	what := d.Message
	if i := strings.Index(what, ": "); i > 0 {
		what = what[i+2:]
	}
	at := fromcue.FieldPath(d.At)
	out := diag.New(diag.Hole, d.Pos, "%s of %s has no value although its config is known: %s", wording.Path(at), c.unit, what)
	out.Cause = d.Cause
	return out.AtPath(at...)
}

// shownBy says which values show a problem that others do not.
func (c *checker) shownBy(d *diag.Diagnostic, because assignment) {
	for _, ch := range c.choices {
		v := because[ch]
		if v == nil {
			continue
		}
		text := wording.Path(append([]string{"config"}, plainPath(ch.path)...)) + " is " + wording.Short(v.JSON())
		if pos := c.declaredAt(ch); pos.IsValid() {
			d.With(pos, "so it is when %s", text)
		}
	}
}

// goal is a set of conditions that are to hold, or not, together.
type goal []guards.Condition

// maxGoals bounds the sets of conditions that configurations are looked for.
const maxGoals = 400

// goals are, for each guard, that it holds and that it does not, with all that is
// around it; that all of those side by side do not hold, or do; and the same
// for any two.
func (c *checker) goals() []goal {
	all := c.sources.Guards
	var out []goal
	for _, holds := range []bool{true, false} {
		for _, g := range all {
			out = append(out, c.goal(guards.Condition{Guard: g, Holds: holds}))
		}
		out = append(out, c.sideBySide(holds)...)
	}
	for i, g := range all {
		for _, h := range all[:i] {
			for _, both := range [][2]bool{{true, true}, {false, false}, {true, false}, {false, true}} {
				if len(out) < maxGoals {
					out = append(out, c.goal(guards.Condition{Guard: h, Holds: both[0]}, guards.Condition{Guard: g, Holds: both[1]}))
				}
			}
		}
	}
	return filter.Out(out, func(g goal) bool { return g == nil })
}

// sideBySide are goals for guards in the same surroundings.
func (c *checker) sideBySide(hold bool) []goal {
	var out []goal
	all := c.sources.Guards
	for i := 0; i < len(all); i++ {
		var conditions []guards.Condition
		for _, g := range all {
			if slices.Equal(g.Within(), all[i].Within()) {
				conditions = append(conditions, guards.Condition{Guard: g, Holds: hold})
			}
		}
		if len(conditions) > 2 && conditions[0].Guard == all[i] {
			out = append(out, c.goal(conditions...))
		}
	}
	return out
}

// goal adds what is around the conditions; it is nil for conditions that exclude
// each other.
func (c *checker) goal(conditions ...guards.Condition) goal {
	var out goal
	seen := map[*guards.Guard]bool{}
	possible := true
	var add func(list []guards.Condition)
	add = func(list []guards.Condition) {
		for _, x := range list {
			if i := slices.IndexFunc(out, func(y guards.Condition) bool { return y.Guard == x.Guard }); i >= 0 {
				possible = possible && out[i].Holds == x.Holds
				continue
			}
			out = append(out, x)
			if !seen[x.Guard] {
				seen[x.Guard] = true
				add(x.Guard.Within())
				for _, p := range c.sources.ReadsOf(x.Guard) {
					add(c.sources.Within(p))
				}
			}
		}
	}
	add(conditions)
	if !possible {
		return nil
	}
	return out
}

// reached reports whether a configuration that was taken is known to be of the
// goal.
func (c *checker) reached(g goal) bool {
	index := map[*guards.Guard]int{}
	for i, x := range c.sources.Guards {
		index[x] = i
	}
	return filter.Any(c.truths, func(truths []guards.Truth) bool {
		return !filter.Any(g, func(x guards.Condition) bool { return truths[index[x.Guard]] != wanted(x) })
	})
}

func wanted(x guards.Condition) guards.Truth {
	if x.Holds {
		return guards.True
	}
	return guards.False
}

// Bounds of the search for a goal.
const (
	maxSteps     = 400 // assignments that are looked at
	maxSolutions = 6   // that are tried where it is not certain that they are of the goal
)

// reach finds assignments for which the conditions of a goal hold: one if that is
// certain, some if it cannot be told.
func (c *checker) reach(g goal) []assignment {
	s := &goalSearch{checker: c, goal: g, steps: maxSteps}
	for _, ch := range c.choices {
		if len(ch.values) > 0 && s.concerns(ch) {
			s.choices = append(s.choices, ch)
		}
	}
	s.next(assignment{}, 0)
	if s.certain != nil {
		return []assignment{s.certain}
	}
	return s.possible
}

// goalSearch goes through the values of the choices that a goal depends on.
type goalSearch struct {
	*checker
	goal     goal
	choices  []*choice
	steps    int
	certain  assignment
	possible []assignment
}

// concerns reports whether a choice has to do with the goal.
func (s *goalSearch) concerns(ch *choice) bool {
	return filter.Any(s.goal, func(x guards.Condition) bool {
		return filter.Any(s.sources.ReadsOf(x.Guard), func(p guards.Path) bool {
			n := min(len(p), len(ch.path))
			return slices.Equal(p[:n], ch.path[:n])
		})
	})
}

// next tries the values of the choices from i on.
func (s *goalSearch) next(a assignment, i int) {
	if s.steps--; s.steps < 0 || s.certain != nil {
		return
	}
	open := map[*choice]bool{}
	for _, ch := range s.choices[i:] {
		open[ch] = true
	}
	env := s.env(s.first, a, open)
	certain := true
	for _, x := range s.goal {
		switch truth := s.sources.Truth(x.Guard, env); {
		case truth == guards.Unknown:
			certain = false
		case truth != wanted(x):
			return
		}
	}
	if certain || i == len(s.choices) {
		if certain {
			s.certain = maps.Clone(a)
		} else if len(s.possible) < maxSolutions {
			s.possible = append(s.possible, maps.Clone(a))
		}
		return
	}
	s.next(a, i+1) // the value of the base
	for _, v := range s.choices[i].values {
		a[s.choices[i]] = v
		s.next(a, i+1)
		delete(a, s.choices[i])
	}
}

// env is what is known of the config: the values of an assignment over those of a
// node. Nothing is known of open choices.
func (c *checker) env(n *value.Node, a assignment, open map[*choice]bool) guards.Env {
	given := c.config(a)
	var env guards.Env
	env = func(p guards.Path) (any, bool) {
		for ch := range open {
			if k := min(len(p), len(ch.path)); slices.Equal(p[:k], ch.path[:k]) {
				return nil, false
			}
		}
		if v := given.Get(p...); v != nil {
			return spread.PlainValue(v), true
		}
		if len(a) > 0 && c.sources.Computed(p) {
			return c.sources.Value(p, env)
		}
		if v := n.Config.Get(p...); v != nil {
			return spread.PlainValue(v), true
		}
		return guards.Absent{}, true
	}
	return env
}
