package shape

import (
	"strconv"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// The sections of a description that only one kind of artifact has.
var sectionsOf = map[string][]string{
	"component": {"code", "size", "profile", "probe"},
	"service":   {"role", "vset", "connect"},
}

// kindless mends an artifact of which nobody says whether it is a component or a service,
// because its package is called otherwise, where its sections leave no doubt:
//
//	package web
//	#Artifact: description: code: …
func (m *mender) kindless() {
	if m.Name == "component" || m.Name == "service" {
		return
	}
	var lits []*ast.StructLit
	var in *ast.File
	for _, f := range m.Files {
		for _, c := range conjuncts(definition(f, "#Artifact")...) {
			lit, ok := c.(*ast.StructLit)
			if !ok {
				return // what it is of may say it
			}
			if in == nil {
				in = f
			}
			lits = append(lits, lit)
		}
	}
	kind := kindBy(below(lits, "description"))
	if kind == "" || !onlyFields(lits) || saysKind(lits) {
		return
	}
	clause := in.Pos()
	for _, d := range in.Decls {
		if p, ok := d.(*ast.Package); ok {
			clause = p.Name.Pos()
		}
	}
	m.report(diag.New(diag.Shape, diag.At(clause), "package %s says neither that its artifact is a component nor that it is a service: write package %s, or ref: kind: %q into the artifact", m.Name, kind, kind))
	value := &ast.BasicLit{ValuePos: lits[0].Pos(), Kind: token.STRING, Value: strconv.Quote(kind)}
	lits[0].Elts = append(lits[0].Elts, structOf(fromcue.Pos(lits[0]), "ref", structOf(fromcue.Pos(lits[0]), "kind", value)).Elts...)
}

// kindBy is the kind that the sections of descriptions are of, "" if that is not plain.
func kindBy(descriptions []*ast.StructLit) (kind string) {
	for _, name := range []string{"component", "service"} {
		if len(members(descriptions, sectionsOf[name]...)) > 0 {
			if kind != "" {
				return ""
			}
			kind = name
		}
	}
	return kind
}

// onlyFields reports whether structs have nothing but fields.
func onlyFields(lits []*ast.StructLit) bool {
	return !filter.Any(lits, func(lit *ast.StructLit) bool {
		return filter.Any(lit.Elts, func(d ast.Decl) bool { _, ok := d.(*ast.Field); return !ok })
	})
}

// saysKind reports whether artifacts have a kind, or a reference that may have one.
func saysKind(lits []*ast.StructLit) bool {
	for _, f := range members(lits, "ref") {
		ref, ok := f.Value.(*ast.StructLit)
		if !ok || !onlyFields([]*ast.StructLit{ref}) || len(members([]*ast.StructLit{ref}, "kind")) > 0 {
			return true
		}
	}
	return false
}
