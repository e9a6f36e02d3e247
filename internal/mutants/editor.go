package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"kumiki.dev/internal/filter"
)

// editor finds the edits of one function. What two edits have in common is listed
// once: where a branch has but a return in it, to leave out the return is to make
// the condition false.
type editor struct {
	src   *source
	fn    string
	decl  *ast.FuncDecl
	found []*mutant
}

func (e *editor) function() {
	ast.Inspect(e.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == token.VAR // constants have to stay constant
		case *ast.IfStmt:
			e.condition(n.Cond, true)
		case *ast.ForStmt:
			if n.Cond != nil {
				e.condition(n.Cond, false) // what never ends is known to be noticed
			}
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				e.condition(x, true)
			}
		case *ast.SwitchStmt:
			if n.Tag == nil {
				e.cases(n)
			}
		case *ast.BinaryExpr:
			e.binary(n)
		case *ast.IndexExpr:
			e.numbers(n.Index, n, true)
		case *ast.SliceExpr:
			for _, x := range []ast.Expr{n.Low, n.High, n.Max} {
				e.numbers(x, n, true)
			}
		case *ast.Ident:
			e.literal(n)
		}
		return true
	})
	e.statements()
}

// add adds the edit by which a node becomes text. whole is the node that is shown
// with it.
func (e *editor) add(f form, n, whole ast.Node, text, other string) {
	at, around := e.src.span(n), e.src.span(whole)
	edited := e.src.text[around.from:at.from] + text + e.src.text[at.to:around.to]
	if f == dropped {
		edited = "dropped"
	}
	e.found = append(e.found, &mutant{
		src: e.src, fn: e.fn, line: e.src.fset.Position(n.Pos()).Line, from: oneLine(e.src.of(whole), 0), to: oneLine(edited, 0),
		at: at, text: text, form: f, node: n, other: other,
	})
}

// isBool reports whether x is of Go's own type bool.
func (e *editor) isBool(x ast.Expr) bool {
	t, ok := e.src.info.TypeOf(x).(*types.Basic)
	return ok && t.Info()&types.IsBoolean != 0
}

func isLiteral(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && (id.Name == "true" || id.Name == "false")
}

// condition is what is decided by: it is made true, false, and its opposite.
func (e *editor) condition(x ast.Expr, mayBeTrue bool) {
	if !e.isBool(x) || isLiteral(x) {
		return
	}
	if mayBeTrue {
		e.add(isTrue, x, x, "true", "")
	}
	e.add(isFalse, x, x, "false", "")
	if b, ok := x.(*ast.BinaryExpr); ok && neighbours[b.Op] != nil {
		return // the opposite is another operator
	}
	e.add(negated, x, x, opposite(x, e.src.of(x)), "")
}

// opposite writes the opposite of a condition.
func opposite(x ast.Expr, text string) string {
	switch x.(type) {
	case *ast.UnaryExpr:
		return strings.TrimPrefix(text, "!")
	case *ast.Ident, *ast.CallExpr, *ast.SelectorExpr:
		return "!" + text
	}
	return "!(" + text + ")"
}

func (e *editor) cases(s *ast.SwitchStmt) {
	for _, c := range s.Body.List {
		for _, x := range c.(*ast.CaseClause).List {
			e.condition(x, true)
		}
	}
}

// literal turns true and false round.
func (e *editor) literal(id *ast.Ident) {
	if e.src.info.Uses[id] == types.Universe.Lookup("true") && e.isBool(id) {
		e.add(negated, id, id, "false", "")
	}
	if e.src.info.Uses[id] == types.Universe.Lookup("false") && e.isBool(id) {
		e.add(negated, id, id, "true", "")
	}
}

func (e *editor) binary(x *ast.BinaryExpr) {
	switch x.Op {
	case token.LAND, token.LOR:
		for _, operand := range []ast.Expr{x.X, x.Y} {
			if b, ok := operand.(*ast.BinaryExpr); ok && b.Op == x.Op || !e.isBool(operand) {
				continue // its operands are this one's
			}
			if x.Op == token.LAND {
				e.add(isTrue, operand, operand, "true", "")
			} else {
				e.add(isFalse, operand, operand, "false", "")
			}
		}
	default:
		e.comparison(x)
	}
}

// neighbours are the operators that a comparison gets; == and != get the second
// and third only between whole numbers.
var neighbours = map[token.Token][]token.Token{
	token.EQL: {token.NEQ, token.LEQ, token.GEQ},
	token.NEQ: {token.EQL, token.LSS, token.GTR},
	token.LSS: {token.LEQ, token.GEQ},
	token.LEQ: {token.LSS, token.GTR},
	token.GTR: {token.GEQ, token.LEQ},
	token.GEQ: {token.GTR, token.LSS},
}

func (e *editor) comparison(x *ast.BinaryExpr) {
	ops := neighbours[x.Op]
	if ops == nil || !e.isBool(x) {
		return
	}
	if (x.Op == token.EQL || x.Op == token.NEQ) && !e.isInt(x.X) {
		ops = ops[:1]
	}
	if isLength(x.X) && e.src.of(x.Y) == "0" { // which is never below
		ops = filter.Out(ops, func(op token.Token) bool { return op != neighbours[x.Op][len(neighbours[x.Op])-1] })
		if x.Op == token.EQL || x.Op == token.NEQ {
			ops = neighbours[x.Op][:1]
		}
	}
	for _, op := range ops {
		e.add(compared, x, x, e.src.of(x.X)+" "+op.String()+" "+e.src.of(x.Y), op.String())
	}
	e.numbers(x.X, x, isLength(x.Y))
	e.numbers(x.Y, x, isLength(x.X))
}

func (e *editor) isInt(x ast.Expr) bool {
	t, ok := e.src.info.TypeOf(x).(*types.Basic)
	return ok && t.Info()&types.IsInteger != 0
}

func isLength(x ast.Expr) bool {
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	id, ok := call.Fun.(*ast.Ident)
	return ok && (id.Name == "len" || id.Name == "cap")
}
