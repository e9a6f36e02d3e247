package shape

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// unshadow reports a name that is meant to be an import and is that of a field
// around it, which is nearer; and calls the import otherwise.
//
//	import api "…"
//	role: api: artifact: api.#Artifact
func (m *mender) unshadow(id *ast.Ident) {
	spec := m.imported(id.Name)
	if spec == nil || id.Node == spec || m.field(id) == nil || definesArtifact(id) {
		return
	}
	name, free := id.Name, m.freeName(id.Name, spec)
	uses := m.usesOf(name, spec)
	d := diag.New(diag.ShadowedImport, fromcue.Pos(id), "%s is the field of that name around it, not the import, which is further away: give the import another name (%s %s), and write artifact: %s.#Artifact",
		name, free, spec.Path.Value, free)
	d.With(fromcue.Pos(spec), "the import")
	at := diag.Edit{Pos: fromcue.Pos(spec.Name), Len: len(name), Text: free}
	if fromcue.Pos(spec.Name) == fromcue.Pos(spec.Path) { // the name is that of the package
		at = diag.Edit{Pos: fromcue.Pos(spec.Path), Text: free + " "}
	}
	fix := diag.Fix{Title: fmt.Sprintf("call the import %s", free), Edits: []diag.Edit{at}}
	for _, use := range uses {
		fix.Edits = append(fix.Edits, diag.Edit{Pos: fromcue.Pos(use), Len: len(name), Text: free})
		use.Name, use.Node, use.Scope = free, spec, nil
	}
	d.Fixes = []diag.Fix{fix}
	m.report(d)
	renamed := ast.NewIdent(free)
	ast.SetPos(renamed, spec.Name.Pos())
	spec.Name = renamed
}

// usesOf are the names in the file that are those of an import, or that are
// taken for a field and can only be meant as the import: what a role or deployment
// has as its artifact.
func (m *mender) usesOf(name string, spec *ast.ImportSpec) []*ast.Ident {
	var out []*ast.Ident
	ast.Walk(m.file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportDecl:
			return false
		case *ast.Field:
			if sel, ok := x.Value.(*ast.SelectorExpr); ok && nameOf(x.Label) == "artifact" && nameOf(sel.Sel) == "#Artifact" {
				if id, ok := sel.X.(*ast.Ident); ok && id.Name == name && id.Node != spec && !definesArtifact(id) {
					out = append(out, id)
				}
			}
		case *ast.Ident:
			if x.Node == spec {
				out = append(out, x)
			}
		}
		return true
	}, nil)
	return out
}

// field is the field that a name leads to, nil if it leads elsewhere.
func (m *mender) field(id *ast.Ident) *ast.Field {
	var found *ast.Field
	ast.Walk(m.file, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && (id.Node == f || f.Value != nil && id.Node == f.Value) {
			found = f
		}
		return found == nil
	}, nil)
	return found
}

// definesArtifact reports whether what a name leads to may have an #Artifact of
// its own: anything may that is not written out.
func definesArtifact(id *ast.Ident) bool {
	value, _ := id.Node.(ast.Expr)
	if f, ok := id.Node.(*ast.Field); ok {
		value = f.Value
	}
	for _, x := range conjuncts(value) {
		if sel, ok := x.(*ast.SelectorExpr); ok && sel.X == id {
			continue // artifact: artifact.#Artifact
		}
		if lit, ok := x.(*ast.StructLit); !ok || holdsArtifact(lit) {
			return true
		}
	}
	return false
}

func holdsArtifact(lit *ast.StructLit) bool {
	if len(members([]*ast.StructLit{lit}, "#Artifact")) > 0 {
		return true
	}
	return filter.Any(lit.Elts, func(e ast.Decl) bool {
		if c, ok := e.(*ast.Comprehension); ok {
			inner, ok := c.Value.(*ast.StructLit)
			return !ok || holdsArtifact(inner)
		}
		_, embedded := e.(*ast.EmbedDecl)
		return embedded
	})
}

// freeName is another name for an import, made of the package's, that nothing
// in the file has.
func (m *mender) freeName(name string, spec *ast.ImportSpec) string {
	suffix := "artifact"
	if path := strings.Trim(spec.Path.Value, `"`); strings.Contains(path, ":") {
		suffix = path[strings.LastIndex(path, ":")+1:]
	}
	first, size := utf8.DecodeRuneInString(suffix)
	free := name + string(unicode.ToUpper(first)) + suffix[size:]
	for taken := true; taken; {
		taken = false
		ast.Walk(m.file, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Name == free {
				taken = true
			}
			return !taken
		}, nil)
		if taken {
			free += "2"
		}
	}
	return free
}
