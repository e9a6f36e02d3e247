package partial

import (
	"slices"
	"strconv"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/value"
)

// checkOf is the type of a config field as its source has it, made into a check;
// nil if more is said of the field than that, or in other words than these:
// string, bool, int, uint, literals, bounds, and what | and & make of them.
func checkOf(v cue.Value) func(*value.Data) bool {
	if field, ok := v.Source().(*ast.Field); ok { // of one conjunct alone
		return checkExpr(field.Value)
	}
	op, args := v.Expr()
	if op != cue.AndOp {
		return nil
	}
	var checks []func(*value.Data) bool
	for _, a := range args {
		n := a.Source()
		if field, ok := n.(*ast.Field); ok {
			n = field.Value
		}
		x, ok := n.(ast.Expr)
		if !ok {
			return nil
		}
		check := checkExpr(x)
		if check == nil {
			return nil
		}
		checks = append(checks, check)
	}
	return func(d *value.Data) bool {
		return !slices.ContainsFunc(checks, func(check func(*value.Data) bool) bool { return !check(d) })
	}
}

// checkExpr is the check of an expression: whether it takes a value, which then
// stays as it is.
func checkExpr(x ast.Expr) func(*value.Data) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return checkExpr(x.X)
	case *ast.Ident:
		return checkName(x)
	case *ast.BasicLit:
		return checkLiteral(x)
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return checkExpr(x.X)
		}
		return checkBound(x)
	case *ast.BinaryExpr:
		a, b := checkExpr(x.X), checkExpr(x.Y)
		switch {
		case a == nil || b == nil:
			return nil
		case x.Op == token.OR:
			return func(d *value.Data) bool { return a(d) || b(d) }
		case x.Op == token.AND:
			return func(d *value.Data) bool { return a(d) && b(d) }
		}
	}
	return nil
}

func checkName(x *ast.Ident) func(*value.Data) bool {
	kind, ok := map[string]value.Kind{"string": value.String, "bool": value.Bool, "int": value.Int, "uint": value.Int}[x.Name]
	if !ok || x.Node != nil {
		return nil
	}
	if x.Name == "uint" {
		return func(d *value.Data) bool { return d.Kind == value.Int && d.Text[0] != '-' }
	}
	return func(d *value.Data) bool { return d.Kind == kind }
}

func checkLiteral(x *ast.BasicLit) func(*value.Data) bool {
	switch x.Kind {
	case token.TRUE, token.FALSE:
		return func(d *value.Data) bool { return d.Kind == value.Bool && d.Text == x.Value }
	case token.INT:
		return func(d *value.Data) bool { return d.Kind == value.Int && d.Text == x.Value }
	case token.STRING:
		if text, err := literal.Unquote(x.Value); err == nil && x.Value[0] == '"' {
			return func(d *value.Data) bool { return d.Kind == value.String && d.Text == text }
		}
	}
	return nil
}

func checkBound(x *ast.UnaryExpr) func(*value.Data) bool {
	lit, ok := x.X.(*ast.BasicLit)
	if !ok || lit.Kind != token.INT {
		return nil
	}
	bound, err := strconv.ParseInt(lit.Value, 10, 64)
	if err != nil {
		return nil
	}
	within := map[token.Token]func(n int64) bool{
		token.GEQ: func(n int64) bool { return n >= bound },
		token.GTR: func(n int64) bool { return n > bound },
		token.LEQ: func(n int64) bool { return n <= bound },
		token.LSS: func(n int64) bool { return n < bound },
	}[x.Op]
	if within == nil {
		return nil
	}
	return func(d *value.Data) bool {
		n, err := strconv.ParseInt(d.Text, 10, 64)
		return d.Kind == value.Int && err == nil && within(n)
	}
}
