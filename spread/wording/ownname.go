package wording

import (
	"fmt"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/syntax"
)

// OwnName says what a field that is given its own name refers to, as name in
//
//	[for name, t in topics {name: name}]
//
// and how to mean the name outside. It is "" for any other field.
func OwnName(f *ast.Field) string {
	label, isName := f.Label.(*ast.Ident)
	id, isIdent := syntax.Unparen(f.Value).(*ast.Ident)
	if !isName || !isIdent || id.Name != label.Name {
		return ""
	}
	return fmt.Sprintf("in %s: %s, the name is that of the field itself; give the field a value, or write %q: %[1]s to mean one outside of the braces", label.Name, label.Name, label.Name)
}

// OwnNameIn is [OwnName] of the first such field in an expression.
func OwnNameIn(x ast.Expr) (says string) {
	ast.Walk(x, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && says == "" && f.Value != nil {
			says = OwnName(f)
		}
		return says == ""
	}, nil)
	return says
}
