package syntax

import (
	"strconv"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// Compares returns what a comparison gives for two values: order is below zero if the first is less, and zero
// if they are equal. It is not ok for an operator that compares nothing.
func Compares(op token.Token, order int) (holds, ok bool) {
	switch op {
	case token.EQL:
		return order == 0, true
	case token.NEQ:
		return order != 0, true
	case token.LSS:
		return order < 0, true
	case token.LEQ:
		return order <= 0, true
	case token.GTR:
		return order > 0, true
	case token.GEQ:
		return order >= 0, true
	}
	return false, false
}

// Function returns the import path and the name of a function that is called as  package.Name,  "" for others.
func Function(fun ast.Expr) (path, name string) {
	sel, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	spec, ok := id.Node.(*ast.ImportSpec)
	if !ok {
		return "", ""
	}
	path, _ = strconv.Unquote(spec.Path.Value) // which CUE has parsed
	return path, LabelName(sel.Sel)
}
