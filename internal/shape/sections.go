package shape

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// configSections are those of every config.
var configSections = []string{"parameter", "resource", "scale", "resilience"}

// described are the sections of an artifact's description, those of the other
// kind left out where the kind is known.
func (m *mender) described(lits []*ast.StructLit) []string {
	component, service := sectionsOf["component"], sectionsOf["service"]
	out := []string{"builtin", "config", "srv"}
	kind := m.Name
	for _, f := range members(below(lits, "ref"), "kind") {
		if name, ok := text(f.Value); ok {
			kind = name
		}
	}
	for _, c := range conjuncts(definition(m.file, "#Artifact")...) {
		if sel, ok := c.(*ast.SelectorExpr); ok {
			switch nameOf(sel.Sel) {
			case "#Component":
				kind = "component"
			case "#Service":
				kind = "service"
			}
		}
	}
	switch kind {
	case "component":
		return append(out, component...)
	case "service":
		return append(out, service...)
	}
	return slices.Concat(out, component, service)
}

// sectionCalled is what other tools call config, and the parameters in it.
var sectionCalled = map[string]string{
	"configuration": "config",
	"values":        "parameter", "params": "parameter", "vars": "parameter", "variables": "parameter", "inputs": "parameter", "settings": "parameter", "properties": "parameter",
}

// sections reports the fields of a struct that are misspelt, and calls them what
// was meant. Fields that come near to nothing are left to CUE.
func (m *mender) sections(lits []*ast.StructLit, path, known []string) {
	var missing []string
	for _, name := range known {
		if len(members(lits, name)) == 0 {
			missing = append(missing, name)
		}
	}
	for _, f := range members(lits) {
		name := nameOf(f.Label)
		if slices.Contains(known, name) {
			continue
		}
		near, ok := diag.Nearest(name, missing)
		if !ok {
			near = sectionCalled[name]
			ok = slices.Contains(missing, near)
		}
		if !ok {
			continue
		}
		where := joined(path)
		switch {
		case path == nil:
			where = "a deployment"
		case where == "":
			where = "the artifact"
		}
		d := diag.New(diag.UnknownField, fromcue.Pos(f.Label), "%s is not a field of %s; did you mean %s?", name, where, near)
		d.Fixes = []diag.Fix{rename(f.Label, name, near)}
		m.report(d, append(slices.Clip(path), name)...)
		label := ast.NewIdent(near)
		ast.SetPos(label, f.Label.Pos())
		f.Label = label
		missing = filter.Out(missing, func(s string) bool { return s == near })
	}
}

// rename is the fix that gives a label another name.
func rename(label ast.Label, name, to string) diag.Fix {
	return diag.Fix{
		Title: fmt.Sprintf("rename %s to %s", name, to),
		Edits: []diag.Edit{{Pos: fromcue.Pos(label), Len: len(written(label)), Text: quoted(to)}},
	}
}

// written is a label as the source has it.
func written(label ast.Label) string {
	switch x := label.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.BasicLit:
		return x.Value
	}
	return ""
}

// literalString is the string that a literal stands for.
func literalString(lit *ast.BasicLit) (string, error) { return literal.Unquote(lit.Value) }

// reference mends a reference that is the name alone.
func (m *mender) reference(lits []*ast.StructLit) {
	for _, f := range members(lits, "ref") {
		name, ok := text(f.Value)
		if !ok {
			continue
		}
		value := f.Value
		m.report(diag.New(diag.Conflict, fromcue.Pos(value), "ref is %s; it takes a struct: write ref: name: %s", literal.String.Quote(name), literal.String.Quote(name)), "ref")
		f.Value = structOf(fromcue.Pos(value), "name", value)
	}
}

// structOf is a struct with one field, both at a place in the source.
func structOf(pos diag.Pos, name string, value ast.Expr) *ast.StructLit {
	label := ast.NewIdent(name)
	ast.SetPos(label, fromcue.Token(pos))
	return &ast.StructLit{Elts: []ast.Decl{&ast.Field{Label: label, Value: value}}}
}
