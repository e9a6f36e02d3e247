package wording

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

// refersToField is in messages about a reference to a field that is not there, before its name.
const refersToField = " refers to field "

// isNotThere ends them.
const isNotThere = ", which is not there"

// AbsentField is the field that is not there, or not given, and that a reference leads to which a
// problem is about; false for other problems.
func AbsentField(d *diag.Diagnostic) (name string, ok bool) {
	_, rest, ok := strings.Cut(d.Message, refersToField)
	name, _, there := strings.Cut(rest, ",")
	return name, ok && there && d.Code == diag.UnknownReference
}

// OfRoleConfig reports whether a path in a service leads into the config that it gives a role.
func OfRoleConfig(at []string) bool { return len(at) > 3 && at[1] == "role" && at[3] == "config" }

// NearField proposes the field that a reference to one that is not there was meant
// to lead to, and puts the problem where the name is written.
func NearField(files []*ast.File, d *diag.Diagnostic) {
	name, ok := AbsentField(d)
	if !ok {
		return
	}
	for _, f := range files {
		if value.IsModel(fromcue.Pos(f)) {
			continue
		}
		s := selection{name: name, lets: map[string][]string{}, lines: linesOf(d)}
		ast.Walk(f, s.before, nil)
		if s.found == nil {
			continue
		}
		d.Pos = fromcue.Pos(s.found.Sel)
		d.Related = filter.Out(d.Related, func(x diag.Related) bool { return lineOf(x.Pos) == lineOf(d.Pos) })
		near, ok := diag.Nearest(name, namesAt(files, s.parent))
		switch message := strings.TrimSuffix(d.Message, isNotThere); {
		case !ok || s.parent == nil:
		case near != name:
			d.Message = message + isNotThere + "; did you mean " + label(near) + "?"
		case s.parent[0] == "config" && !OfRoleConfig(d.At): // the artifact's has it, another one that is nearer has not
			d.Code = diag.OwnConfig
			d.Message = message + fmt.Sprintf("%s: in a role, config is the role's own; write description.%s for the service's", isNotThere, Path(append(s.parent, name)))
		}
		return
	}
}

// linesOf are the lines of the places of a problem.
func linesOf(d *diag.Diagnostic) []string {
	lines := []string{lineOf(d.Pos)}
	for _, x := range d.Related {
		lines = append(lines, lineOf(x.Pos))
	}
	return lines
}

func lineOf(p diag.Pos) string { return fmt.Sprint(p.Filename(), ":", p.Line()) }

// selection looks for the selector of a name in certain lines.
type selection struct {
	name   string
	lines  []string
	lets   map[string][]string
	found  *ast.SelectorExpr
	parent []string // the path of what it is selected from, nil if not known
}

func (s *selection) before(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.LetClause:
		if chain := chainOf(x.Expr, s.lets); chain != nil {
			s.lets[x.Ident.Name] = chain
		}
	case *ast.SelectorExpr:
		if s.found == nil && syntax.LabelName(x.Sel) == s.name && filter.Contains(s.lines, lineOf(fromcue.Pos(x.Sel))) {
			s.found, s.parent = x, chainOf(x.X, s.lets)
		}
	}
	return true
}

// chainOf is the path from the description that an expression names, nil if it
// is none; lets are what let names stand for.
func chainOf(x ast.Expr, lets map[string][]string) []string {
	switch x := x.(type) {
	case *ast.Ident:
		switch x.Name {
		case "description":
			return []string{}
		case "config", "srv":
			return []string{x.Name}
		}
		return lets[x.Name]
	case *ast.SelectorExpr:
		if inner := chainOf(x.X, lets); inner != nil {
			return append(slices.Clip(inner), syntax.LabelName(x.Sel))
		}
	}
	return nil
}

// namesAt are the names of the fields that the sources of the artifact have at a
// path of its description.
func namesAt(files []*ast.File, path []string) []string {
	var out []string
	at := append([]string{"#Artifact", "description"}, path...)
	for _, f := range files {
		var fields []string
		ast.Walk(f, func(n ast.Node) bool {
			if x, ok := n.(*ast.Field); ok {
				fields = append(fields, syntax.LabelName(x.Label))
				if len(fields) == len(at)+1 && slices.Equal(fields[:len(at)], at) {
					out = append(out, fields[len(at)])
				}
			}
			return true
		}, func(n ast.Node) {
			if _, ok := n.(*ast.Field); ok {
				fields = fields[:len(fields)-1]
			}
		})
	}
	slices.Sort(out)
	return slices.Compact(out)
}
