package compute

import (
	"math/big"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/spread/syntax"
)

func (r *run) unary(x *ast.UnaryExpr, vars *variables) (any, bool) {
	v, ok := r.eval(x.X, vars)
	switch v := v.(type) {
	case bool:
		return !v, ok && x.Op == token.NOT
	case int64:
		n, fits := whole(new(big.Int).Neg(big.NewInt(v)))
		return n, ok && fits && x.Op == token.SUB && v != 0 // of which CUE makes -0
	}
	return nil, false
}

func (r *run) binary(x *ast.BinaryExpr, vars *variables) (any, bool) {
	if of := syntax.ComparedWithBottom(x); of != nil { // config is finished: what has no value is not there
		return (r.copied(of, vars) != nil) == (x.Op == token.NEQ), !picksPart(of) && (r.refersTo(of) || isPartOfCopy(of, vars))
	}
	switch x.Op {
	case token.AND:
		return r.unified(x, vars)
	case token.OR:
		return r.fallback(x, vars)
	}
	a, ok := r.eval(x.X, vars)
	b, also := r.eval(x.Y, vars)
	if !ok || !also {
		return nil, false // also where one decides: the other may be wrong
	}
	return r.operation(x.Op, a, b)
}

// fallback is the value of  *x | other , see [syntax.Fallback]: that of x if config has it, and of other if not. It is not ok if Go does not know
// what other is, because CUE may find that wrong even where x is there.
func (r *run) fallback(x ast.Expr, vars *variables) (any, bool) {
	chosen, other, ok := syntax.Fallback(x)
	if !ok || !r.refersTo(chosen) || !r.knowsIndexes(chosen, vars) {
		return nil, false
	}
	instead, isValue := r.eval(other, vars)
	switch {
	case !isValue && !isType(other):
		return nil, false
	case r.copied(chosen, vars) != nil:
		return r.eval(chosen, vars)
	}
	return instead, isValue
}

// knowsIndexes reports whether all that a reference picks by an index is picked by a text or a number that is known.
func (r *run) knowsIndexes(x ast.Expr, vars *variables) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return r.knowsIndexes(x.X, vars)
	case *ast.IndexExpr:
		i, ok := r.eval(x.Index, vars)
		return ok && dataOf(i) != nil && r.knowsIndexes(x.X, vars)
	}
	return true
}

// isPartOfCopy reports whether an expression refers to a part, by names, of a variable that is a copy of config.
func isPartOfCopy(x ast.Expr, vars *variables) bool {
	id := syntax.Root(x)
	return id != nil && vars.find(id.Name).copyOf() != nil
}

// unified is the value that all conjuncts of an expression have, of which others may be types.
func (r *run) unified(x ast.Expr, vars *variables) (any, bool) {
	f := &joinedField{said: []scoped{{x, vars}}}
	if !f.make(r) || !f.known || dataOf(f.value) == nil {
		return nil, false
	}
	return f.value, true
}

// operation is what an operator makes of two values of one kind.
func (r *run) operation(op token.Token, a, b any) (any, bool) {
	switch a := a.(type) {
	case string:
		if b, ok := b.(string); ok {
			return r.ofTexts(op, a, b)
		}
	case int64:
		if b, ok := b.(int64); ok {
			return ofNumbers(op, a, b)
		}
	case bool:
		if b, ok := b.(bool); ok {
			return ofTruths(op, a, b)
		}
	}
	return nil, false
}

func (r *run) ofTexts(op token.Token, a, b string) (any, bool) {
	switch op {
	case token.ADD:
		return a + b, true
	case token.MAT, token.NMAT:
		re := r.pattern(b)
		if re == nil {
			return nil, false
		}
		return re.MatchString(a) == (op == token.MAT), true
	}
	holds, ok := syntax.Compares(op, strings.Compare(a, b))
	return holds, ok
}

func ofNumbers(op token.Token, a, b int64) (any, bool) {
	x, y := big.NewInt(a), big.NewInt(b)
	switch op {
	case token.ADD:
		return whole(x.Add(x, y))
	case token.SUB:
		return whole(x.Sub(x, y))
	case token.MUL:
		if (a == 0 || b == 0) && min(a, b) < 0 {
			return nil, false // CUE makes -0 of it
		}
		return whole(x.Mul(x, y))
	}
	holds, ok := syntax.Compares(op, x.Cmp(y))
	return holds, ok
}

func ofTruths(op token.Token, a, b bool) (any, bool) {
	switch op {
	case token.LAND:
		return a && b, true
	case token.LOR:
		return a || b, true
	case token.EQL:
		return a == b, true
	case token.NEQ:
		return a != b, true
	}
	return nil, false
}
