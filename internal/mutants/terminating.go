package main

import (
	"go/ast"
	"go/token"
)

// terminates reports whether a function cannot go on behind a statement, by the
// rules of Go's specification: a function with results has to end with such a
// one. Statements in gone count as removed.
func terminates(s ast.Stmt, label string, gone map[ast.Stmt]bool) bool {
	if s == nil || gone[s] {
		return false
	}
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH
	case *ast.ExprStmt:
		return isPanic(s)
	case *ast.BlockStmt:
		return listTerminates(s.List, gone)
	case *ast.IfStmt:
		return s.Else != nil && terminates(s.Body, "", gone) && terminates(s.Else, "", gone)
	case *ast.ForStmt:
		return s.Cond == nil && !breaks(s.Body, label, true)
	case *ast.LabeledStmt:
		return terminates(s.Stmt, s.Label.Name, gone)
	case *ast.SwitchStmt:
		return clausesTerminate(s.Body, label, false, gone)
	case *ast.TypeSwitchStmt:
		return clausesTerminate(s.Body, label, false, gone)
	case *ast.SelectStmt:
		return clausesTerminate(s.Body, label, true, gone)
	}
	return false
}

func listTerminates(list []ast.Stmt, gone map[ast.Stmt]bool) bool {
	return len(list) > 0 && terminates(list[len(list)-1], "", gone)
}

// clausesTerminate is about the body of a select, or of a switch, which is complete
// with a default only.
func clausesTerminate(body *ast.BlockStmt, label string, complete bool, gone map[ast.Stmt]bool) bool {
	for _, c := range body.List {
		var list []ast.Stmt
		switch c := c.(type) {
		case *ast.CaseClause:
			list, complete = c.Body, complete || c.List == nil
		case *ast.CommClause:
			list = c.Body
		}
		if !listTerminates(list, gone) {
			return false
		}
	}
	return complete && !breaks(body, label, true)
}

// breaks reports whether there is a break in n that leaves the statement around n:
// one without a label, if plain, or one with its label.
func breaks(n ast.Node, label string, plain bool) (found bool) {
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			return false
		case *ast.BranchStmt:
			found = found || x.Tok == token.BREAK && (x.Label == nil && plain || x.Label != nil && x.Label.Name == label)
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			if x != n && plain {
				found = found || breaks(x, label, false)
				return false
			}
		}
		return !found
	})
	return found
}

func isPanic(s *ast.ExprStmt) bool {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}
