package shape

import (
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
)

// bareArtifact mends a role that is an artifact, where it has one:
//
//	role: cache: c.#Artifact
func (m *mender) bareArtifact(role *ast.Field) {
	name := nameOf(role.Label)
	mend := func(x ast.Expr) ast.Expr {
		d := diag.New(diag.RoleWithoutArtifact, fromcue.Pos(x), "role %s is %s itself, but a role has an artifact: write artifact: %s", name, expression(x), expression(x))
		d.Fixes = []diag.Fix{{Title: "write artifact: before it", Edits: []diag.Edit{{Pos: fromcue.Pos(x), Text: "artifact: "}}}}
		m.report(d, "description", "role", name)
		return structOf(fromcue.Pos(x), "artifact", x)
	}
	role.Value = m.withoutArtifact(role.Value, mend)
}

// isArtifact reports whether an expression is the #Artifact of an import.
func (m *mender) isArtifact(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || nameOf(sel.Sel) != "#Artifact" {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && m.imported(id.Name) != nil
}

// imported is the import of a name in the file, nil if there is none.
func (m *mender) imported(name string) *ast.ImportSpec {
	for spec := range m.file.ImportSpecs() {
		if spec.Name != nil && (spec.Name.Name == name || strings.Trim(spec.Path.Value, `"`) == name) {
			return spec
		}
	}
	return nil
}

// importedFrom is the import whose package lies in a directory of that name.
func (m *mender) importedFrom(name string) *ast.ImportSpec {
	for spec := range m.file.ImportSpecs() {
		dir, _, _ := strings.Cut(path.Base(strings.Trim(spec.Path.Value, `"`)), ":")
		if dir, _, _ = strings.Cut(dir, "@"); dir == name {
			return spec
		}
	}
	return nil
}

// replaced is an expression in which the conjuncts are what becomes of them.
func replaced(x ast.Expr, become func(ast.Expr) ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		x.X = replaced(x.X, become)
		return x
	case *ast.BinaryExpr:
		if x.Op == token.AND {
			x.X, x.Y = replaced(x.X, become), replaced(x.Y, become)
			return x
		}
	}
	return become(x)
}

// filled looks at the artifact that a role or deployment is given; without is the
// code for one that has none.
func (m *mender) filled(f *ast.Field, without diag.Code, at []string) {
	switch x := f.Value.(type) {
	case *ast.ListLit:
		if len(x.Elts) == 1 && m.isArtifact(x.Elts[0]) {
			m.only(f, x.Elts[0], "is in a list", without, at)
		}
	case *ast.CallExpr:
		if len(x.Args) == 0 && m.isArtifact(x.Fun) {
			m.only(f, x.Fun, "is called like a function", without, at)
		}
	case *ast.SelectorExpr:
		if m.isArtifact(x.X) {
			m.only(f, x.X, "is a part of one", without, at)
		} else if id, ok := x.X.(*ast.Ident); ok && nameOf(x.Sel) == "#Artifact" {
			m.unshadow(id)
		}
	case *ast.BasicLit:
		if name, ok := text(x); ok {
			m.named(f, name, without, at)
		}
	}
}

// only mends an artifact around which there is something.
func (m *mender) only(f *ast.Field, x ast.Expr, is string, without diag.Code, at []string) {
	m.report(diag.New(without, fromcue.Pos(f.Value), "the artifact %s: write artifact: %s", is, expression(x)), append(slices.Clip(at), "artifact")...)
	f.Value = x
}

// deployed mends a deployment that is an artifact, where it has one:
//
//	#Deployment: {name: "prod", shop.#Artifact}
func (m *mender) deployed() {
	for _, d := range m.file.Decls {
		field, ok := d.(*ast.Field)
		if !ok || nameOf(field.Label) != "#Deployment" {
			continue
		}
		mend := func(x ast.Expr) ast.Expr {
			d := diag.New(diag.NoArtifact, fromcue.Pos(x), "the deployment is %s itself, but a deployment has an artifact: write artifact: %s", expression(x), expression(x))
			d.Fixes = []diag.Fix{{Title: "write artifact: before it", Edits: []diag.Edit{{Pos: fromcue.Pos(x), Text: "artifact: "}}}}
			m.report(d, "artifact")
			return structOf(fromcue.Pos(x), "artifact", x)
		}
		field.Value = m.withoutArtifact(field.Value, mend)
	}
}

// withoutArtifact is an expression of which artifacts are no part any more.
func (m *mender) withoutArtifact(x ast.Expr, mend func(ast.Expr) ast.Expr) ast.Expr {
	x = replaced(x, func(x ast.Expr) ast.Expr {
		if m.isArtifact(x) {
			return mend(x)
		}
		return x
	})
	for _, lit := range literals(x) {
		for i, e := range lit.Elts {
			if embedded, ok := e.(*ast.EmbedDecl); ok && m.isArtifact(embedded.Expr) {
				lit.Elts[i] = mend(embedded.Expr).(*ast.StructLit).Elts[0]
			}
		}
	}
	return x
}

// named mends an artifact that is given as the name of its import, in quotes.
func (m *mender) named(f *ast.Field, name string, without diag.Code, at []string) {
	spec := m.imported(name)
	if spec == nil {
		spec = m.importedFrom(name)
	}
	if spec == nil || spec.Name == nil {
		return
	}
	name = spec.Name.Name
	x := &ast.SelectorExpr{X: &ast.Ident{NamePos: f.Value.Pos(), Name: name, Node: spec}, Sel: ast.NewIdent("#Artifact")}
	d := diag.New(without, fromcue.Pos(f.Value), "the artifact is a text: write artifact: %s, without quotes", expression(x))
	d.Fixes = []diag.Fix{{Title: "write " + expression(x), Edits: []diag.Edit{{Pos: fromcue.Pos(f.Value), Len: len(f.Value.(*ast.BasicLit).Value), Text: expression(x)}}}}
	m.report(d, append(slices.Clip(at), "artifact")...)
	f.Value = x
}

// expression is a selector in CUE.
func expression(x ast.Expr) string {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	id, _ := sel.X.(*ast.Ident)
	if id == nil {
		return ""
	}
	return id.Name + "." + nameOf(sel.Sel)
}

// MendArtifacts does for artifacts what [Mend] does once it is known what the
// imports are; defines reports whether the package of one has a field at its top.
func MendArtifacts(p *Package, defines func(spec *ast.ImportSpec, name string) bool) diag.List {
	m := &mender{Package: p}
	for _, f := range p.Files {
		m.file = f
		for _, role := range members(below(literals(definition(f, "#Artifact")...), "description", "role")) {
			at := []string{"description", "role", nameOf(role.Label)}
			for _, x := range members(literals(role.Value), "artifact") {
				m.ofImport(x, diag.RoleWithoutArtifact, at, defines)
			}
		}
		for _, x := range members(literals(definition(f, "#Deployment")...), "artifact") {
			m.ofImport(x, diag.NoArtifact, nil, defines)
		}
	}
	return m.problems
}

// ofImport mends an artifact that is an import itself, or called like a regular
// field of it.
func (m *mender) ofImport(f *ast.Field, without diag.Code, at []string, defines func(*ast.ImportSpec, string) bool) {
	var id *ast.Ident
	field := ""
	switch x := f.Value.(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id, _ = x.X.(*ast.Ident)
		field = nameOf(x.Sel)
	}
	if id == nil || field != "" && !strings.EqualFold(field, "artifact") {
		return
	}
	spec, ok := id.Node.(*ast.ImportSpec)
	if !ok || !defines(spec, "#Artifact") || field != "" && defines(spec, field) || field == "" && (defines(spec, "ref") || defines(spec, "description")) {
		return
	}
	meant := &ast.SelectorExpr{X: id, Sel: ast.NewIdent("#Artifact")}
	d := diag.New(without, fromcue.Pos(f.Value), "%s is the package: write artifact: %s, the artifact in it", id.Name, expression(meant))
	length := len(id.Name)
	if field != "" {
		d.Message = expression(f.Value) + " is no field of the package: write artifact: " + expression(meant)
		length = len(expression(f.Value))
	}
	d.Fixes = []diag.Fix{{Title: "write " + expression(meant), Edits: []diag.Edit{{Pos: fromcue.Pos(f.Value), Len: length, Text: expression(meant)}}}}
	m.report(d, append(slices.Clip(at), "artifact")...)
	f.Value = meant
}
