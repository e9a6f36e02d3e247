package shape

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// closedBase reports parameters and resources of an artifact beside those of a
// definition of the author's own, which is closed like every definition; and opens
// it.
//
//	#Base: k.#Component & {description: config: parameter: label: string}
//	#Artifact: #Base & {description: config: parameter: title: string}
func (m *mender) closedBase() {
	var conj []ast.Expr
	for _, f := range m.Files {
		conj = append(conj, conjuncts(definition(f, "#Artifact")...)...)
	}
	own := literals(conj...)
	for _, c := range conj {
		base, ok := c.(*ast.Ident)
		if !ok || !strings.HasPrefix(base.Name, "#") {
			continue
		}
		for _, section := range []string{"parameter", "resource"} {
			m.closedSection(base.Name, section, own)
		}
	}
}

// closedAlone reports a definition of the author's own that lacks fields of the model
// which it does not let in, as it has nothing of the model's; and opens it.
//
//	#Base: {name: string, artifact: s.#Artifact}
//	#Deployment: #Base & {config: …}
func (m *mender) closedAlone(name, what string) {
	var conj []ast.Expr
	for _, f := range m.Files {
		conj = append(conj, conjuncts(definition(f, name)...)...)
	}
	for _, c := range conj {
		base, ok := c.(*ast.Ident)
		if !ok || !strings.HasPrefix(base.Name, "#") {
			continue
		}
		var all []ast.Expr
		for _, f := range m.Files {
			all = append(all, conjuncts(definition(f, base.Name)...)...)
		}
		lits := literals(all...)
		if len(lits) == 0 || len(lits) < len(all) || filter.Any(lits, func(lit *ast.StructLit) bool { return !plain(lit) }) {
			continue
		}
		d := diag.New(diag.UnknownField, fromcue.Pos(base), "%s is closed, as every definition is, and %s has more fields than it: write ... at the end of %s, or call it _%s", base.Name, what, base.Name, base.Name[1:])
		for _, lit := range lits {
			d.With(fromcue.Pos(lit), "closed here")
			opened(lit)
		}
		m.report(d)
	}
}

// opened lets other fields in, into a struct and those in it.
func opened(x ast.Node) {
	ast.Walk(x, nil, func(n ast.Node) {
		lit, ok := n.(*ast.StructLit)
		if ok && !filter.Any(lit.Elts, func(e ast.Decl) bool { _, open := e.(*ast.Ellipsis); return open }) {
			lit.Elts = append(lit.Elts, &ast.Ellipsis{})
		}
	})
}

func (m *mender) closedSection(base, section string, own []*ast.StructLit) {
	lits, sure := m.closedBy(base, section)
	if !sure || len(lits) == 0 {
		return
	}
	var more []*ast.Field
	var names []string
	for _, f := range members(below(own, "description", "config", section)) {
		if name := nameOf(f.Label); len(members(lits, name)) == 0 && !slices.Contains(names, name) {
			more, names = append(more, f), append(names, quoted(name))
		}
	}
	if len(more) == 0 {
		return
	}
	verb := "are"
	if len(more) == 1 {
		verb = "is"
	}
	d := diag.New(diag.UnknownField, fromcue.Pos(more[0].Label), "%s %s not in config.%s of %s, and a definition is closed: write ... at the end of %s there, or write what it has here and leave %s out of %s",
		strings.Join(names, ", "), verb, section, base, section, section, base)
	for _, lit := range lits {
		d.With(fromcue.Pos(lit), "closed here")
		lit.Elts = append(lit.Elts, &ast.Ellipsis{})
	}
	m.report(d, "description", "config", section, nameOf(more[0].Label))
}

// closedBy are the structs that a definition of the package gives a section of the
// config. It is sure of them if they are all that there is: no reference, pattern
// or condition adds to them.
func (m *mender) closedBy(base, section string) (lits []*ast.StructLit, sure bool) {
	var all []ast.Expr
	for _, f := range m.Files {
		all = append(all, conjuncts(definition(f, base)...)...)
	}
	for _, path := range []string{"", "description", "config", section} {
		if path != "" {
			var next []ast.Expr
			for _, f := range members(literals(all...), path) {
				next = append(next, conjuncts(f.Value)...)
			}
			all = next
		}
		for _, x := range all {
			lit, isLit := x.(*ast.StructLit)
			if !isLit && (path != "" || !isModel(x)) || isLit && !plain(lit) {
				return nil, false
			}
		}
	}
	return literals(all...), true
}

// isModel reports whether an expression is one of the model's definitions, which
// leave parameters and resources to the author.
func isModel(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"#Artifact", "#Component", "#Service"}, nameOf(sel.Sel)) {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return false
	}
	spec, ok := id.Node.(*ast.ImportSpec)
	return ok && strings.HasPrefix(strings.Trim(spec.Path.Value, `"`), "kumori.systems/kumori")
}

// plain reports whether a struct consists of fields with names.
func plain(lit *ast.StructLit) bool {
	for _, e := range lit.Elts {
		switch x := e.(type) {
		case *ast.Field:
			if nameOf(x.Label) == "" {
				return false
			}
		case *ast.LetClause, *ast.Attribute, *ast.CommentGroup:
		default:
			return false
		}
	}
	return true
}
