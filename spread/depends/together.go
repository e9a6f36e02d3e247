package depends

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
)

// Together returns the parameters of the config that depend on config: in groups of those that
// depend on each other, each sorted by name. The number of instances may depend on parameters
// too; size is nil where it does not. It is false where anything else in the config depends on
// config.
func (s *Sources) Together() (groups [][]string, size *Hole, ok bool) {
	config, _ := s.at(Path{"description", "config"})
	parameter, exact := s.at(Path{"description", "config", "parameter"})
	if !exact || !s.reader.independentHere(config) || !s.reader.independentHere(parameter) {
		return nil, nil, false
	}
	for name, f := range config.fields {
		if name == "parameter" || s.reader.independent(f) {
			continue
		}
		if name == "scale" {
			size = s.size(f)
		}
		if name != "scale" || size == nil {
			return nil, nil, false
		}
	}
	for _, name := range sorting.Ordered(parameter.fields) {
		f := parameter.fields[name]
		if s.reader.independent(f) {
			continue
		}
		names := []string{name} // a hidden field checks others: it is made with them
		switch {
		case f.config != nil:
			names[0] = f.config[len(f.config)-1]
		case parameter.fields[`"`+name] != nil:
			return nil, nil, false // a parameter has its name
		}
		for _, p := range s.reader.reach(func(w *walk) { w.value(f, false) }) {
			if len(p) < 2 || p[0] != "parameter" {
				return nil, nil, false
			}
			names = append(names, p[1])
		}
		groups = joined(groups, names)
	}
	return groups, size, true
}

// size is the number of instances, if that is made of parameters in a way that is known, and
// nothing else in the scale depends on config; nil otherwise.
func (s *Sources) size(scale *node) *Hole {
	if !s.reader.independentHere(scale) {
		return nil
	}
	for name, f := range scale.fields {
		if name != "hsize" && !s.reader.independent(f) {
			return nil
		}
	}
	n := scale.fields["hsize"]
	if n == nil {
		return nil
	}
	h := &Hole{Path: Path{"description", "config", "scale", "hsize"}, Formula: n.formula()}
	if h.Formula == nil {
		if h.Closed = n.closed(); h.Closed == nil {
			return nil
		}
	}
	for _, p := range s.reader.reach(func(w *walk) { w.value(n, false) }) {
		if slices.Equal(p, n.config) {
			continue
		}
		if len(p) < 2 || p[0] != "parameter" {
			return nil
		}
		h.Set = append(h.Set, p)
	}
	return h
}

// joined adds a group, as one with those that it shares something with.
func joined(groups [][]string, names []string) [][]string {
	shares := func(g []string) bool {
		return filter.Any(g, func(name string) bool { return filter.Contains(names, name) })
	}
	var out [][]string
	for _, g := range groups {
		if shares(g) {
			names = append(names, g...)
		} else {
			out = append(out, g)
		}
	}
	slices.Sort(names)
	out = append(out, slices.Compact(names))
	sorting.By(out, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return out
}

// independentHere reports whether a struct of the config has the fields that it has,
// whatever they are.
func (r *reader) independentHere(n *node) bool {
	n.expand()
	return len(r.reach(func(w *walk) {
		for _, c := range n.said {
			w.all(c.given)
		}
		for _, c := range n.bodies {
			if c.isEmpty() { // no field carries its conditions
				w.all(c.given)
			}
		}
		w.all(n.terms)
		w.all(n.shape)
		for _, c := range n.patterns {
			w.term(term{x: c.x, scope: c.scope})
		}
	})) == 0
}

// isEmpty reports whether a comprehension writes no field: it can have no effect but an error.
func (c *conjunct) isEmpty() bool {
	x := c.decl.(*ast.Comprehension)
	return !syntax.HasField(x.Value) && x.Fallback == nil
}
