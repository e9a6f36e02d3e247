package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/errors"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// settle gives the artifact the defaults of its config as well, where something
// in it stays open without: a reference to a field with a default, at a place that
// has a default of its own, such as
//
//	config: parameter: port: *8080 | uint16
//	srv: server: http: port: config.parameter.port // the model says *80
//
// is ambiguous in CUE. A field that others of the config refer to is given if that
// contradicts nothing: it would give the others a value too.
func (r *Runner) settle(u *Unit, c *configured, given *value.Data) {
	if isSettled(c.value) || r.finished(u, c, c.config.Merge(given)) {
		return
	}
	chosen, referred := c.config, selfReferences(u.Package)
	for _, path := range referred {
		chosen = chosen.Lacking(path)
	}
	r.finished(u, c, chosen.Merge(given))
	for _, path := range referred {
		if more := c.config.Within(path).Merge(chosen); !isSettled(c.value) && r.finished(u, c, more.Merge(given)) {
			chosen = more
		}
	}
}

// finished gives the artifact a finished config, if that contradicts nothing.
func (r *Runner) finished(u *Unit, c *configured, config *value.Data) bool {
	steps := u.chain.with(ConfigAt, config)
	value := r.Eval.level(u.Package, c.open, steps)
	if contradicts(value, c.value) {
		return false
	}
	c.value, c.chain = value, steps
	return true
}

// isSettled reports whether everything in a level has a value, apart from what is
// for others to say.
func isSettled(level cue.Value) bool {
	around, parts := PartsOf(level)
	if filter.Any(around, func(v cue.Value) bool { return v.Err() != nil }) {
		return false
	}
	return !filter.Any(parts, func(v cue.Value) bool {
		if v.Validate(cue.Concrete(true)) == nil {
			return false
		}
		f := &Finisher{Places: Nowhere}
		switch sels := v.Path().Selectors(); sels[len(sels)-1].String() {
		case "config": // nobody need say anything of a section
			f.Sections(v, nil)
		case "connect": // nothing need be said of a target
			f.Any = true
			f.Finish(v, nil)
		default:
			return true
		}
		return len(f.Problems) > 0
	})
}

// contradicts reports whether values in a level exclude each other that do not in
// another.
func contradicts(level, other cue.Value) bool {
	known := pathsOf(ErrorsOf(other))
	return filter.Any(ErrorsOf(level), func(e errors.Error) bool { return !filter.Contains(known, pathOfError(e)) })
}

// pathsOf are the paths of errors, from the artifact or deployment on.
func pathsOf(list []errors.Error) (out []string) {
	for _, e := range list {
		out = append(out, pathOfError(e))
	}
	return out
}

func pathOfError(e errors.Error) string { return strings.Join(fromcue.FieldPath(e.Path()), "\x00") }

// abide reports defaults that the artifact refuses once they are given. CUE does
// not look again at a default that a condition has read, and the condition's body
// then forbids:
//
//	parameter: {min: int, max: *5 | int}
//	if parameter.max < parameter.min {parameter: max: error("max is below min")}
func (r *Runner) abide(u *Unit, c configured, given *value.Data, at Place) {
	chosen := given
	for _, path := range ConditionalFields(u.Package) {
		chosen = c.config.Within(path).Merge(chosen)
	}
	if chosen.JSON() == given.JSON() {
		return
	}
	value := r.Eval.level(u.Package, c.open, u.chain.with(ConfigAt, chosen))
	if contradicts(value, c.value) {
		r.validate(u, value, at)
	}
}

// configSearch looks for what the sources of a package do with fields of configs.
// Paths are those from a config on.
type configSearch struct {
	*sight
	within      int // so many comprehensions
	conditional [][]string
	references  [][]string
}

// ConditionalFields are the fields of configs that the body of an if or for
// writes to.
func ConditionalFields(p *Package) [][]string { return searchConfig(p).conditional }

// selfReferences are the fields of configs that values of configs are made of.
// What a condition reads is not a part of what it is asked for.
func selfReferences(p *Package) [][]string { return searchConfig(p).references }

func searchConfig(p *Package) *configSearch {
	s := &configSearch{sight: newSight(p, true)}
	for _, f := range p.Files {
		if !value.IsModel(fromcue.Pos(f)) {
			ast.Walk(f, s.before, s.after)
		}
	}
	return s
}

func (s *configSearch) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.IfClause:
		return false
	case *ast.Comprehension:
		s.within++
	case *ast.Field:
		s.labels = append(s.labels, s.label(x))
		if path, ok := fromConfig(s.labels); ok && s.within > 0 {
			s.conditional = append(s.conditional, path)
		}
		return true
	}
	x, ok := n.(ast.Expr)
	if _, isInside := fromConfig(s.labels); !ok || !isInside {
		return true
	}
	path := s.path(x)
	if rest, ok := fromConfig(path); ok {
		s.references = append(s.references, rest)
	}
	return path == nil
}

func (s *configSearch) after(n ast.Node) {
	s.leave(n)
	if _, ok := n.(*ast.Comprehension); ok {
		s.within--
	}
}

// fromConfig is the part of a path that follows config, at least one name; false
// if it does not lead to the config of an artifact.
func fromConfig(path []string) ([]string, bool) {
	i := slices.Index(path, "config")
	if i < 0 || filter.Contains(path[:i], "role") {
		return nil, false
	}
	return append(slices.Clone(path[i+1:]), "")[:max(1, len(path)-i-1)], true
}
