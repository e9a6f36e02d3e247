package spread

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// contains is a role of a definition that another definition of the same
// package fills.
type contains struct {
	role, definition string
	pos              diag.Pos
}

// mistake is a problem, and the place of the expression that makes it.
type mistake struct {
	pos     diag.Pos
	problem *diag.Diagnostic
	meant   ast.Expr // nil if nobody can tell
}

// containment finds the artifacts that are a part of themselves, with the whole
// way. Only definitions of one package can contain each other in a circle, because
// imports cannot.
func containment(p *Package) (out []mistake) {
	parts := partsOf(p)
	for {
		way := findContainment(parts, "#Artifact", nil)
		if way == nil {
			return out
		}
		last := way[len(way)-1]
		out = append(out, mistake{pos: last.pos, problem: contained(way)})
		for name, all := range parts {
			parts[name] = filter.Out(all, func(c contains) bool { return c == last })
		}
	}
}

// contained words a definition that is a part of itself.
func contained(way []contains) *diag.Diagnostic {
	text := "#Artifact"
	start := 0
	for i, c := range way {
		text += fmt.Sprintf(" → role %s (%s)", c.role, c.definition)
		if c.definition == way[len(way)-1].definition && i < len(way)-1 {
			start = i + 1 // the circle begins below this
		}
	}
	last := way[len(way)-1]
	d := diag.New(diag.Cycle, last.pos, "%s contains itself: %s; an application is finite, so give role %s another artifact", last.definition, text, last.role)
	for _, c := range way[start : len(way)-1] {
		d.With(c.pos, "role %s contains %s", c.role, c.definition)
	}
	return d.AtPath("description", "role", last.role, "artifact")
}

// findContainment follows the parts of a definition until it meets one that it
// has come through.
func findContainment(parts map[string][]contains, definition string, way []contains) []contains {
	for _, c := range parts[definition] {
		next := append(slices.Clip(way), c)
		met := func(w contains) bool { return w.definition == c.definition }
		if c.definition == "#Artifact" || filter.Any(way, met) {
			return next
		}
		if found := findContainment(parts, c.definition, next); found != nil {
			return found
		}
	}
	return nil
}

// partsOf lists what the definitions of the package contain, by definition.
func partsOf(p *Package) map[string][]contains {
	out := map[string][]contains{}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			field, ok := d.(*ast.Field)
			if !ok || value.IsModel(fromcue.Pos(field)) || !strings.HasPrefix(syntax.LabelName(field.Label), "#") {
				continue
			}
			s := partSearch{pkg: p}
			ast.Walk(field.Value, s.before, s.after)
			name := syntax.LabelName(field.Label)
			out[name] = append(out[name], s.found...)
		}
	}
	return out
}

// partSearch walks a definition and knows at each node which fields it is in.
type partSearch struct {
	pkg    *Package
	fields []string
	found  []contains
}

func (s *partSearch) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Field:
		s.fields = append(s.fields, syntax.LabelName(x.Label))
	case *ast.Ident:
		n := len(s.fields)
		isArtifact := n >= 2 && s.fields[n-1] == "artifact"
		if isArtifact && strings.HasPrefix(x.Name, "#") && s.pkg.Defines(x.Name) {
			s.found = append(s.found, contains{s.fields[n-2], x.Name, fromcue.Pos(x)})
		}
	case *ast.SelectorExpr:
		return false // the definition of another package
	}
	return true
}

func (s *partSearch) after(n ast.Node) {
	if _, ok := n.(*ast.Field); ok {
		s.fields = s.fields[:len(s.fields)-1]
	}
}
