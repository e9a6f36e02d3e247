package shape

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/internal/sorting"
)

// misnamed reports names of packages that nothing has and that come near to that
// of an import which nothing else uses, and takes them for that.
func (m *mender) misnamed() {
	var unused []string
	used := used(m.file)
	for spec := range m.file.ImportSpecs() {
		if spec.Name != nil && !used[spec] {
			unused = append(unused, spec.Name.Name)
		}
	}
	if len(unused) == 0 {
		return
	}
	found := map[string][]*ast.Ident{}
	ast.Walk(m.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if id, ok := sel.X.(*ast.Ident); ok && id.Node == nil && strings.HasPrefix(nameOf(sel.Sel), "#") && !m.declares(id.Name) {
			found[id.Name] = append(found[id.Name], id)
		}
		return true
	}, nil)
	for _, name := range sorting.Ordered(found) {
		if near, ok := diag.Nearest(name, unused); ok {
			m.rename(name, near, found[name])
		}
	}
}

// rename takes all uses of a name for those of an import.
func (m *mender) rename(name, near string, uses []*ast.Ident) {
	d := diag.New(diag.UnknownReference, fromcue.Pos(uses[0]), "%q is neither a field here nor an import; did you mean %s?", name, near)
	fix := diag.Fix{Title: fmt.Sprintf("rename %s to %s", name, near)}
	for _, id := range uses {
		fix.Edits = append(fix.Edits, diag.Edit{Pos: fromcue.Pos(id), Len: len(name), Text: near})
		id.Name, id.Node = near, m.imported(near)
	}
	d.Fixes = []diag.Fix{fix}
	m.report(d)
}

// misspelt mends the definitions that the model looks for, where they are written in small
// letters or in quotes.
func (m *mender) misspelt() {
	for _, d := range m.file.Decls {
		field, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		for _, name := range []string{"#Artifact", "#Deployment"} {
			_, isIdent := field.Label.(*ast.Ident)
			found := nameOf(field.Label)
			switch {
			case !isIdent && found == name && !m.defines(name):
				m.report(diag.New(diag.UnknownField, fromcue.Pos(field.Label), "%q in quotes is an ordinary field: write %s", name, name))
			case isIdent && found != name && strings.EqualFold(found, name) && !m.declares(name):
				m.report(diag.New(diag.UnknownField, fromcue.Pos(field.Label), "%s is written with a capital letter: write %s", found, name))
			default:
				continue
			}
			label := ast.NewIdent(name)
			ast.SetPos(label, field.Label.Pos())
			field.Label = label
		}
	}
}

// defines reports whether a file of the package has a definition of a name at the top: in
// quotes it is an ordinary field, which an author may have beside it.
func (m *mender) defines(name string) bool {
	return filter.Any(m.Files, func(f *ast.File) bool {
		return filter.Any(f.Decls, func(d ast.Decl) bool {
			field, ok := d.(*ast.Field)
			if !ok {
				return false
			}
			id, ok := field.Label.(*ast.Ident)
			return ok && id.Name == name
		})
	})
}

// declares reports whether a file of the package has a field of a name at the top.
func (m *mender) declares(name string) bool {
	return filter.Any(m.Files, func(f *ast.File) bool { return len(definition(f, name)) > 0 })
}
