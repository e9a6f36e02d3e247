package check

import (
	"iter"
	"maps"
	"slices"
	"strconv"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/value"
)

// begin looks for a first configuration, of no more than the artifact asks for,
// and for what else may be given.
func (c *checker) begin() {
	o := c.run(assignment{})
	c.first, c.base, c.needed = o.node, o.given, o.given
	c.survey()
	if !o.taken() {
		o = c.settle(o)
	}
	if !o.taken() {
		for _, d := range o.cycles { // for which nothing could be given
			c.report(d)
		}
		return
	}
	c.accepted, c.first, c.base = true, o.node, o.given
	c.take(o, nil)
}

// asksFor reports whether a deployment has to give the field, or part of it.
func (c *checker) asksFor(path []string) bool {
	for ch, v := range c.needed {
		if n := min(len(path), len(ch.path)); v != nil && slices.Equal(ch.path[:n], path[:n]) {
			return true
		}
	}
	return false
}

// settle looks for a configuration that the artifact takes where it refuses the
// first one. What contradicts the model, or the artifact of a role, whatever is
// tried is a mistake; so is what has nothing to do with the configuration.
func (c *checker) settle(first *outcome) *outcome {
	c.keep(first, nil, func(d *diag.Diagnostic) bool {
		found, known := c.relevant(d, first.node)
		return known && len(found) == 0
	})
	best, tries := first, 0
	persistent := problemKeys(first.plain)
	for a := range c.others(first, nil) {
		if tries++; tries > maxBaseTries || c.work > maxEvaluated || best.taken() {
			break
		}
		if !c.isNew(a) {
			continue
		}
		o := c.run(a)
		keys := problemKeys(o.plain)
		maps.DeleteFunc(persistent, func(k string, _ bool) bool { return !keys[k] })
		if o.taken() || best.refused() && !o.refused() {
			best = o
		}
	}
	if !best.taken() {
		c.keep(best, nil, func(d *diag.Diagnostic) bool { return persistent[problemKey(d)] })
	}
	best.cycles = first.cycles
	return best
}

// keep reports the contradictions that are mistakes, which are no reason for a
// refusal then.
func (c *checker) keep(o *outcome, because assignment, isMistake func(*diag.Diagnostic) bool) {
	keep := func(l diag.List) diag.List {
		return filter.Out(l, func(d *diag.Diagnostic) bool {
			if !isMistake(d) {
				return false
			}
			c.always[problemKey(d)] = true
			c.shownBy(d, because)
			c.report(d)
			return true
		})

	}
	o.plain, o.against = keep(o.plain), keep(o.against)
}

func problemKeys(l diag.List) map[string]bool {
	out := map[string]bool{}
	for _, d := range l {
		out[problemKey(d)] = true
	}
	return out
}

// isNew reports whether a configuration has not been tried, and counts it.
func (c *checker) isNew(a assignment) bool {
	k := c.config(a).JSON()
	if c.tried[k] {
		return false
	}
	c.tried[k] = true
	return true
}

// others are configurations like the one of an outcome, in which other choices
// than those that are fixed have other values: those that the artifacts of roles
// take; numbers that rise or fall from field to field; then one value at a time,
// and those of two fields at once. Those that have to do with what is wrong come
// first; where none has, only single values of the first few are tried.
func (c *checker) others(o *outcome, fixed assignment) iter.Seq[assignment] {
	given := maps.Clone(o.given)
	maps.Copy(given, fixed)
	free, known := c.free(o, fixed)
	return func(yield func(assignment) bool) {
		with := func(change assignment) bool {
			a := maps.Clone(given)
			maps.Copy(a, change)
			return yield(a)
		}
		for _, change := range append([]assignment{c.demanded(free)}, c.graded(free)...) {
			if len(change) > 0 && !with(change) {
				return
			}
		}
		if !known {
			free = free[:min(len(free), maxGuessed)]
		}
		for _, ch := range free {
			for _, v := range c.substitutes(ch, given) {
				if !with(assignment{ch: v}) {
					return
				}
			}
		}
		if known {
			c.pairs(free, given, with)
		}
	}
}

// maxGuessed is how many fields are varied where nothing tells which one a
// contradiction has to do with.
const maxGuessed = 3

// pairs are the values of two fields at once.
func (c *checker) pairs(free []*choice, given assignment, with func(assignment) bool) {
	for i, x := range free {
		for _, y := range free[:i] {
			for _, v := range c.substitutes(x, given) {
				for _, w := range c.substitutes(y, given) {
					if !with(assignment{x: v, y: w}) {
						return
					}
				}
			}
		}
	}
}

// free are the choices that are not fixed and have to do with what is wrong; if
// there is none, and something is that nothing is known of, all that are not fixed.
func (c *checker) free(o *outcome, fixed assignment) (free []*choice, known bool) {
	isFixed := func(ch *choice) bool { _, ok := fixed[ch]; return ok }
	all := filter.Out(c.choices, isFixed)
	unknown := o.lacking
	for _, d := range slices.Concat(o.against, o.plain) {
		found, known := c.relevant(d, o.node)
		unknown = unknown || !known
		for _, ch := range found {
			if !isFixed(ch) && !filter.Contains(free, ch) {
				free = append(free, ch)
			}
		}
	}
	if len(free) > 0 || !unknown {
		return free, true
	}
	slices.SortStableFunc(all, func(a, b *choice) int { return rank(c.valueOf(a, o.given)) - rank(c.valueOf(b, o.given)) })
	return all, false
}

// rank puts what has a value first.
func rank(v *value.Data) int {
	if v != nil {
		return 0
	}
	return 1
}

// demanded gives what the artifacts of roles take.
func (c *checker) demanded(free []*choice) assignment {
	out := assignment{}
	for _, ch := range free {
		demands := c.demands[pathKey(ch.path)]
		if len(demands) == 0 {
			continue
		}
		takes := func(x *value.Data) bool {
			return x != nil && !filter.Any(demands, func(v cue.Value) bool { return !c.eval.Takes(v, x) })
		}
		all := append([]*value.Data{c.base[ch]}, slices.Concat(ch.values, c.spare(ch))...)
		if i := slices.IndexFunc(all, takes); i > 0 {
			out[ch] = all[i]
		}
	}
	return out
}

// graded gives all whole numbers values that rise, that fall, and that are equal:
// most artifacts that compare two of their fields take one of these.
func (c *checker) graded(free []*choice) []assignment {
	numbers := filter.Out(free, func(ch *choice) bool { v := c.base[ch]; return v == nil || v.Kind != value.Int })
	slices.SortFunc(numbers, func(a, b *choice) int { return slices.Compare(a.path, b.path) })
	if len(numbers) < 2 {
		return nil
	}
	var out []assignment
	for _, f := range []func(i int) int{
		func(i int) int { return i + 1 },
		func(i int) int { return len(numbers) - i },
		func(int) int { return 1 },
		func(i int) int { return 1024 + i },
	} {
		a := assignment{}
		for i, ch := range numbers {
			if v := (&value.Data{Kind: value.Int, Text: strconv.Itoa(f(i)), Pos: ch.pos}); c.takes(ch, v) {
				a[ch] = v
			}
		}
		out = append(out, a)
	}
	return out
}

// maxSubstitutes bounds the values that are tried in place of one.
const maxSubstitutes = 8

// substitutes are values in place of the one that a choice has: what the fields
// have that it is compared with, then its own.
func (c *checker) substitutes(ch *choice, given assignment) []*value.Data {
	var out []*value.Data
	for _, h := range c.hints[pathKey(ch.path)] {
		for _, x := range c.nearPeers(h, c.config(given)) {
			if c.takes(ch, x) {
				out = append(out, x.MovedTo(ch.pos))
			}
		}
	}
	out = append(out, slices.Concat(ch.values, c.spare(ch))...)
	return out[:min(len(out), maxSubstitutes)]
}
