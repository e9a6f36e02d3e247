package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// nameCheck words a contradiction in a field that is no data: authors write such
// fields to check what is given, as in
//
//	_ok: true & (config.parameter.max >= config.parameter.min)
//
// What is given, and read by the check, comes first: that is where it is mended.
func nameCheck(p *Package, definition, who string, d *diag.Diagnostic, at Place) {
	if d.Code != diag.Conflict || len(d.At) == 0 || !syntax.IsAside(d.At[len(d.At)-1]) {
		return
	}
	check := findAssertion(p, append([]string{definition}, d.At...))
	if check == nil {
		return
	}
	d.Message = fmt.Sprintf("the check %s of %s fails: %s", d.At[len(d.At)-1], who, check.expr)
	for i, path := range check.reads {
		value := at.Given.Get(path...)
		if value == nil {
			value = at.level.Get(path...)
		}
		if value != nil {
			d.Message += fmt.Sprintf("%s %s is %s", []string{";", ","}[min(i, 1)], wording.Path(append([]string{"config"}, path...)), wording.Short(value.JSON()))
		}
	}
	d.Related = nil
	d.Pos = check.pos
	for _, path := range check.reads {
		if given := at.Given.Get(path...); given != nil && given.Pos.IsValid() && !value.IsStandIn(given.Pos) {
			d.Pos = given.Pos
			d.With(check.pos, "checked here")
			return
		}
	}
}

// assertion is a field of a package's sources, the source of its value, and the
// fields of config that it reads.
type assertion struct {
	pos   diag.Pos
	expr  string
	reads [][]string
}

// findAssertion finds the field at a path in the sources of a package, nil if it is not
// written there.
func findAssertion(p *Package, path []string) (found *assertion) {
	s := newSight(p, true)
	visit := func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if !ok {
			return true
		}
		s.labels = append(s.labels, s.label(f))
		if slices.Equal(s.labels, path) && found == nil {
			found = &assertion{pos: fromcue.Pos(f.Label), expr: wording.OneLine(f.Value), reads: s.readsOf(f.Value)}
		}
		return true
	}
	for _, f := range p.Files {
		ast.Walk(f, visit, s.leave)
	}
	return found
}

// readsOf are the fields of config that an expression refers to, by their paths
// from config on.
func (s *sight) readsOf(x ast.Expr) [][]string {
	var out [][]string
	known := map[string]bool{}
	ast.Walk(x, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		path := s.path(e)
		if rest, ok := fromConfig(path); ok && !known[strings.Join(rest, "\x00")] {
			known[strings.Join(rest, "\x00")] = true
			out = append(out, rest)
		}
		return path == nil
	}, nil)
	return out
}
