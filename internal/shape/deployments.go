package shape

import (
	"path/filepath"
	"slices"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
)

// oneDeployment reports a deployment beside another in the same package, which
// CUE takes for one with two names, and leaves it out.
func (m *mender) oneDeployment() {
	type named struct {
		file *ast.File
		name string
		pos  diag.Pos
	}
	var found []named
	for _, f := range m.Files {
		for _, x := range members(literals(definition(f, "#Deployment")...), "name") {
			if name, ok := text(x.Value); ok {
				found = append(found, named{f, name, fromcue.Pos(x.Value)})
				break
			}
		}
	}
	if len(found) < 2 {
		return
	}
	first := max(0, slices.IndexFunc(found, func(n named) bool { return filepath.Base(n.file.Filename) == "deployment.cue" }))
	for i, other := range found {
		if i == first || other.name == found[first].name {
			continue
		}
		d := diag.New(diag.ManyDeployments, other.pos, "package %s has a deployment %q already, and this is another one: put it into a directory of its own", m.Name, found[first].name)
		m.report(d.With(found[first].pos, "the other one"), "name")
		leaveOut(other.file)
	}
}

// leaveOut takes the deployment out of a file, and the imports that are for
// nothing else.
func leaveOut(f *ast.File) {
	before := used(f)
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		field, ok := d.(*ast.Field)
		return ok && nameOf(field.Label) == "#Deployment"
	})
	after := used(f)
	for _, d := range f.Decls {
		if imports, ok := d.(*ast.ImportDecl); ok {
			imports.Specs = slices.DeleteFunc(imports.Specs, func(s *ast.ImportSpec) bool { return before[s] && !after[s] })
		}
	}
	f.Decls = slices.DeleteFunc(f.Decls, func(d ast.Decl) bool {
		imports, ok := d.(*ast.ImportDecl)
		return ok && len(imports.Specs) == 0
	})
}

// used are the imports that something in a file refers to.
func used(f *ast.File) map[*ast.ImportSpec]bool {
	out := map[*ast.ImportSpec]bool{}
	ast.Walk(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if spec, ok := id.Node.(*ast.ImportSpec); ok {
				out[spec] = true
			}
		}
		return true
	}, nil)
	return out
}
