package syntax

import (
	"slices"

	"cuelang.org/go/cue/ast"
)

// Nested returns a struct that has an expression at the path of fields with the names, which are
// written as they are.
func Nested(x ast.Expr, path ...string) ast.Expr {
	for _, name := range slices.Backward(path) {
		x = &ast.StructLit{Elts: []ast.Decl{&ast.Field{Label: ast.NewIdent(name), Value: x}}}
	}
	return x
}
