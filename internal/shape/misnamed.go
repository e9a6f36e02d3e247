package shape

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
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
	for _, name := range slices.Sorted(maps.Keys(found)) {
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

// declares reports whether a file of the package has a field of a name at the top.
func (m *mender) declares(name string) bool {
	return slices.ContainsFunc(m.Files, func(f *ast.File) bool { return len(definition(f, name)) > 0 })
}
