package guards

import (
	"cmp"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// Absent is the value of a field that nobody gives.
type Absent struct{}

// Truth is what is known of a condition.
type Truth int

// Unknown is the truth of a condition that cannot be told without evaluation.
const (
	Unknown Truth = iota
	True
	False
)

// Env returns the value of a field of config, false if that is not known: nil,
// [Absent], bool, string, [*big.Rat], []any or map[string]any.
type Env func(Path) (any, bool)

// Truth reports whether a guard holds by itself, whatever is around it.
func (s *Sources) Truth(g *Guard, env Env) Truth {
	e := evaluator{Sources: s, env: env}
	if g.source != nil {
		switch v, _ := e.value(g.source, maxConstants); v := v.(type) {
		case []any:
			return truth(len(v) > 0)
		case map[string]any:
			return truth(len(v) > 0)
		}
		return Unknown
	}
	return s.TruthOf(g.condition, env)
}

// TruthOf reports whether a condition of the sources holds.
func (s *Sources) TruthOf(x ast.Expr, env Env) Truth {
	v, known := evaluator{Sources: s, env: env}.value(x, maxConstants)
	is, ok := v.(bool)
	if !known || !ok {
		return Unknown
	}
	return truth(is)
}

func truth(is bool) Truth {
	if is {
		return True
	}
	return False
}

// evaluator computes conditions of the simpler kinds.
type evaluator struct {
	*Sources
	env Env
}

// value is what an expression is, false if that cannot be told.
func (e evaluator) value(x ast.Expr, depth int) (any, bool) {
	if depth == 0 {
		return nil, false
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return e.value(x.X, depth)
	case *ast.BasicLit:
		return basic(x)
	case *ast.UnaryExpr:
		return e.unary(x, depth)
	case *ast.BinaryExpr:
		return e.binary(x, depth)
	case *ast.CallExpr:
		return e.call(x, depth)
	case *ast.ListLit:
		return e.list(x, depth)
	case *ast.Interpolation:
		return e.text(x, depth)
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return e.reference(x, depth)
	}
	return nil, false
}

func (e evaluator) list(x *ast.ListLit, depth int) (any, bool) {
	out := []any{}
	for _, item := range x.Elts {
		v, known := e.value(item, depth)
		if !known {
			return nil, false
		}
		out = append(out, v)
	}
	return out, true
}

// text is a text with expressions in it.
func (e evaluator) text(x *ast.Interpolation, depth int) (any, bool) {
	texts, refs := pieces(x)
	if texts == nil {
		return nil, false
	}
	out := texts[0]
	for i, ref := range refs {
		v, known := e.value(ref, depth)
		if !known {
			return nil, false
		}
		switch v := v.(type) {
		case string:
			out += v
		case *big.Rat:
			if !v.IsInt() {
				return nil, false
			}
			out += v.Num().String()
		case bool:
			out += strconv.FormatBool(v)
		default:
			return nil, false
		}
		out += texts[i+1]
	}
	return out, true
}

func basic(x *ast.BasicLit) (any, bool) {
	switch x.Kind {
	case token.STRING:
		text, err := literal.Unquote(x.Value)
		return text, err == nil
	case token.INT, token.FLOAT:
		n := number(x.Value)
		return n, n != nil
	case token.TRUE, token.FALSE:
		return x.Kind == token.TRUE, true
	case token.NULL:
		return nil, true
	}
	return nil, false
}

// reference is the value of a name: of config, or of a constant.
func (e evaluator) reference(x ast.Expr, depth int) (any, bool) {
	if paths := e.exactOnce(x); len(paths) == 1 {
		if filter.Contains(paths[0], Member) || filter.Contains(paths[0], Label) {
			return nil, false
		}
		return e.env(paths[0])
	}
	found := e.meanings(x, nil, maxConstants)
	if len(found) != 1 || found[0].expr == x {
		return nil, false
	}
	return e.value(found[0].expr, depth-1)
}

// Value is what the sources make of a field of config that they compute of others.
func (s *Sources) Value(p Path, env Env) (any, bool) {
	declared := s.Declared(p)
	if len(declared) != 1 {
		return nil, false
	}
	return evaluator{Sources: s, env: env}.value(declared[0], maxConstants)
}

func (e evaluator) unary(x *ast.UnaryExpr, depth int) (any, bool) {
	v, known := e.value(x.X, depth)
	switch v := v.(type) {
	case bool:
		return !v, known && x.Op == token.NOT
	case *big.Rat:
		if x.Op == token.SUB {
			return new(big.Rat).Neg(v), known
		}
	}
	return nil, false
}

func (e evaluator) binary(x *ast.BinaryExpr, depth int) (any, bool) {
	if asked := syntax.ComparedWithBottom(x); asked != nil {
		v, known := e.value(asked, depth)
		_, absent := v.(Absent)
		return absent == (x.Op == token.EQL), known && (x.Op == token.EQL || x.Op == token.NEQ)
	}
	a, knownA := e.value(x.X, depth)
	b, knownB := e.value(x.Y, depth)
	if x.Op == token.LAND || x.Op == token.LOR {
		return logical(x.Op == token.LOR, a, knownA, b, knownB)
	}
	if !knownA || !knownB {
		return nil, false
	}
	if isComparison(x.Op) {
		return compare(x.Op, a, b)
	}
	m, ok := a.(*big.Rat)
	n, both := b.(*big.Rat)
	if !ok || !both {
		return nil, false
	}
	return arithmetic(x.Op, m, n)
}

// logical is || or &&: of the first, one side that holds decides, of the other one
// that does not.
func logical(decides bool, a any, knownA bool, b any, knownB bool) (any, bool) {
	if knownA && a == decides || knownB && b == decides {
		return decides, true
	}
	if !knownA || !knownB {
		return nil, false
	}
	return !decides, a == !decides && b == !decides
}

func arithmetic(op token.Token, m, n *big.Rat) (any, bool) {
	switch op {
	case token.ADD:
		return new(big.Rat).Add(m, n), true
	case token.SUB:
		return new(big.Rat).Sub(m, n), true
	case token.MUL:
		return new(big.Rat).Mul(m, n), true
	case token.QUO:
		if n.Sign() != 0 {
			return new(big.Rat).Quo(m, n), true
		}
	}
	return nil, false
}

func compare(op token.Token, a, b any) (any, bool) {
	switch a := a.(type) {
	case string:
		b, ok := b.(string)
		if !ok {
			return nil, false
		}
		if op == token.MAT || op == token.NMAT {
			matches, err := regexp.MatchString(b, a)
			return matches == (op == token.MAT), err == nil
		}
		holds, ok := syntax.Compares(op, cmp.Compare(a, b))
		return holds, ok
	case *big.Rat:
		b, ok := b.(*big.Rat)
		if !ok {
			return nil, false
		}
		holds, ok := syntax.Compares(op, a.Cmp(b))
		return holds, ok
	case bool:
		b, ok := b.(bool)
		return (a == b) == (op == token.EQL), ok && (op == token.EQL || op == token.NEQ)
	}
	return nil, false
}

// call computes the functions that are usual in conditions.
func (e evaluator) call(x *ast.CallExpr, depth int) (any, bool) {
	var args []any
	for _, a := range x.Args {
		v, known := e.value(a, depth)
		if !known {
			return nil, false
		}
		args = append(args, v)
	}
	switch f := x.Fun.(type) {
	case *ast.Ident:
		if f.Name == "len" && len(args) == 1 {
			return length(args[0])
		}
	case *ast.SelectorExpr:
		if pkg, ok := f.X.(*ast.Ident); ok && len(args) == 2 {
			return function(pkg.Name+"."+label(f.Sel), args[0], args[1])
		}
	}
	return nil, false
}

func length(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return big.NewRat(int64(len(v)), 1), true
	case []any:
		return big.NewRat(int64(len(v)), 1), true
	case map[string]any:
		return big.NewRat(int64(len(v)), 1), true
	}
	return nil, false
}

func function(name string, a, b any) (any, bool) {
	if list, ok := a.([]any); ok && name == "list.Contains" {
		for _, x := range list {
			if same, known := compare(token.EQL, x, b); !known || same == true {
				return same, known
			}
		}
		return false, true
	}
	s, ok := a.(string)
	t, both := b.(string)
	if !ok || !both {
		return nil, false
	}
	switch name {
	case "strings.HasPrefix":
		return strings.HasPrefix(s, t), true
	case "strings.HasSuffix":
		return strings.HasSuffix(s, t), true
	case "strings.Contains":
		return strings.Contains(s, t), true
	}
	return nil, false
}
