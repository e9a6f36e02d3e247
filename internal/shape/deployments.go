package shape

import (
	"path/filepath"
	"slices"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
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

// otherDeployments tells of what looks like a deployment beside the one that is read, and
// that nothing refers to.
func (m *mender) otherDeployments() {
	if !filter.Any(m.Files, func(f *ast.File) bool { return definition(f, "#Deployment") != nil }) {
		return
	}
	for _, f := range m.Files {
		for _, d := range f.Decls {
			field, ok := d.(*ast.Field)
			if !ok || nameOf(field.Label) == "#Deployment" || !isDeployment(field.Value) || m.isReferred(nameOf(field.Label)) {
				continue
			}
			m.problems = append(m.problems, diag.Warn(diag.ManyDeployments, fromcue.Pos(field), "%s looks like a deployment, but only #Deployment is read: put it into a directory of its own, and call it #Deployment", nameOf(field.Label)))
		}
	}
}

// isDeployment reports whether a field has what a deployment has: the model's definition,
// or a name and an artifact.
func isDeployment(x ast.Expr) bool {
	model := false
	ast.Walk(x, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		model = model || ok && nameOf(s.Sel) == "#Deployment"
		_, inner := n.(*ast.Field)
		return !inner
	}, nil)
	list := literals(x)
	return model || len(members(list, "name")) > 0 && len(members(list, "artifact")) > 0
}

// isReferred reports whether something in the package refers to a name.
func (m *mender) isReferred(name string) bool {
	found := false
	for _, f := range m.Files {
		ast.Walk(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Field: // whose label is no reference
				ast.Walk(n.Value, func(n ast.Node) bool {
					id, ok := n.(*ast.Ident)
					found = found || ok && id.Name == name
					return true
				}, nil)
				return false
			case *ast.Ident:
				found = found || n.Name == name
			}
			return true
		}, nil)
	}
	return found
}

// leaveOut takes the deployment out of a file, and the imports that are for
// nothing else.
func leaveOut(f *ast.File) {
	before := used(f)
	f.Decls = filter.Out(f.Decls, func(d ast.Decl) bool {
		field, ok := d.(*ast.Field)
		return ok && nameOf(field.Label) == "#Deployment"
	})

	after := used(f)
	for _, d := range f.Decls {
		if imports, ok := d.(*ast.ImportDecl); ok {
			imports.Specs = filter.Out(imports.Specs, func(s *ast.ImportSpec) bool { return before[s] && !after[s] })
		}
	}
	f.Decls = filter.Out(f.Decls, func(d ast.Decl) bool {
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
