package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// numbers are the whole numbers in x, each made one more and one less; whole is
// shown with them. None becomes negative where it is a place or a length.
func (e *editor) numbers(x ast.Expr, whole ast.Node, natural bool) {
	if x == nil {
		return
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, *ast.IndexExpr, *ast.SliceExpr:
			return false // these come by themselves
		case *ast.BinaryExpr:
			return neighbours[n.Op] == nil
		case *ast.BasicLit:
			e.number(n, whole, natural)
		}
		return true
	})
}

func (e *editor) number(lit *ast.BasicLit, whole ast.Node, natural bool) {
	t, ok := e.src.info.TypeOf(lit).(*types.Basic)
	if lit.Kind != token.INT || !ok || t.Info()&types.IsInteger == 0 || t.Info()&types.IsUntyped != 0 {
		return
	}
	n, err := strconv.ParseInt(lit.Value, 0, 64)
	if err != nil {
		return
	}
	for _, x := range []int64{n + 1, n - 1} {
		if x >= 0 || !natural && t.Info()&types.IsUnsigned == 0 {
			text := strconv.FormatInt(x, 10)
			e.add(counted, lit, whole, text, t.Name()+" "+text)
		}
	}
}

// statements are left out, one at a time, as long as the function compiles without.
func (e *editor) statements() {
	fixed := map[ast.Stmt]bool{}
	ast.Inspect(e.decl.Body, func(n ast.Node) bool {
		fix(fixed, n)
		if c, ok := n.(*ast.CaseClause); ok {
			e.empty(c)
		}
		if s, ok := n.(ast.Stmt); ok && !fixed[s] && isDroppable(s) && e.compilesWithout(s) {
			e.add(dropped, s, s, "", "")
		}
		return true
	})
}

// fix finds the statements in n that cannot be left out, and those that are all
// that a branch or a case has: its condition is false then, or it is emptied.
func fix(fixed map[ast.Stmt]bool, n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		fixed[n.Init] = true
		if n.Else == nil && len(n.Body.List) == 1 {
			fixed[n.Body.List[0]] = true
		}
	case *ast.ForStmt:
		fixed[n.Init], fixed[n.Post] = true, true
	case *ast.SwitchStmt:
		fixed[n.Init] = true
	case *ast.TypeSwitchStmt:
		fixed[n.Init], fixed[n.Assign] = true, true
	case *ast.CommClause:
		fixed[n.Comm] = true
	case *ast.CaseClause:
		if len(n.Body) == 1 {
			fixed[n.Body[0]] = true
		}
	}
}

// isDroppable reports whether a statement is one of those that are left out.
// Declarations are not: what follows would not compile.
func isDroppable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt, *ast.DeferStmt, *ast.IncDecStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK || s.Tok == token.CONTINUE
	case *ast.ExprStmt:
		_, isCall := s.X.(*ast.CallExpr)
		return isCall && !isPanic(s)
	case *ast.AssignStmt:
		return s.Tok != token.DEFINE
	}
	return false
}

// empty leaves out the statements of a case.
func (e *editor) empty(c *ast.CaseClause) {
	if len(c.Body) == 0 {
		return
	}
	last := c.Body[len(c.Body)-1]
	if b, ok := last.(*ast.BranchStmt); ok && b.Tok == token.FALLTHROUGH || !e.compilesWithout(last) {
		return
	}
	at := span{e.src.span(c.Body[0]).from, e.src.span(last).to}
	e.found = append(e.found, &mutant{
		src: e.src, fn: e.fn, line: e.src.fset.Position(c.Pos()).Line, at: at, form: dropped, node: c,
		from: oneLine(e.src.text[e.src.span(c).from:e.src.span(c).from+int(c.Colon-c.Pos())+1], 0), to: "emptied",
	})
}

// compilesWithout reports whether the function compiles without a statement: it
// may need it to end with.
func (e *editor) compilesWithout(s ast.Stmt) bool {
	ok := true
	check := func(results *ast.FieldList, body *ast.BlockStmt) {
		gone := map[ast.Stmt]bool{s: true}
		ok = ok && (results.NumFields() == 0 || terminates(body, "", gone) || !terminates(body, "", nil))
	}
	check(e.decl.Type.Results, e.decl.Body)
	ast.Inspect(e.decl.Body, func(n ast.Node) bool {
		if f, isFunc := n.(*ast.FuncLit); isFunc {
			check(f.Type.Results, f.Body)
		}
		return ok
	})
	return ok
}
