package syntax

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
)

// HasChoice reports whether files have a disjunction of structs, or ask whether structs can be unified. In
// both, the result depends on whether the structs are closed. If complete is set, the data already has all
// its fields, so an empty struct {} adds nothing and does not count as an alternative.
func HasChoice(files []*ast.File, complete bool) (found bool) {
	for _, f := range files {
		ast.Walk(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.BinaryExpr:
				found = found || structsIn(x, complete) > 1 || asksOfJoined(x)
			case *ast.CallExpr:
				id, ok := x.Fun.(*ast.Ident)
				found = found || ok && id.Name == "or"
			}
			return !found
		}, nil)
	}
	return found
}

// IsScalarType reports whether an expression is a type of texts, whole numbers and booleans, a literal of those, or a combination of such
// by | and &:  *"a" | string,  int & >=1.
func IsScalarType(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return IsScalarType(x.X)
	case *ast.Ident:
		return x.Node == nil && x.Scope == nil && (filter.Contains([]string{"_", "string", "int", "number", "bool"}, x.Name) || Unsigned(x.Name) != nil)
	case *ast.UnaryExpr:
		return x.Op == token.MUL && IsScalarType(x.X) || BoundOf(x) != nil
	case *ast.BasicLit:
		return x.Kind == token.STRING || x.Kind == token.INT || x.Kind == token.TRUE || x.Kind == token.FALSE
	case *ast.BinaryExpr:
		return (x.Op == token.OR || x.Op == token.AND) && IsScalarType(x.X) && IsScalarType(x.Y)
	}
	return false
}

// IsText tells a text, in double quotes, from bytes and numbers.
func IsText(x *ast.BasicLit) bool {
	return x.Kind == token.STRING && strings.HasPrefix(strings.TrimLeft(x.Value, "#"), `"`)
}

// BoundOf is the whole number in a bound such as  >=5 , nil for any other expression.
func BoundOf(x *ast.UnaryExpr) *ast.BasicLit {
	lit, ok := x.X.(*ast.BasicLit)
	if _, compares := Compares(x.Op, 0); !ok || lit.Kind != token.INT || !compares || x.Op == token.NEQ {
		return nil
	}
	return lit
}

// Unsigned returns the check of uint, uint8, uint16, uint32 or uint64: whether the type takes a whole number, which is given as text. It is nil for any
// other name.
func Unsigned(name string) func(number string) bool {
	size, ok := strings.CutPrefix(name, "uint")
	bits, err := strconv.Atoi(size)
	if !ok || size != "" && (err != nil || bits > 64) {
		return nil
	}
	return func(number string) bool {
		_, err := strconv.ParseUint(number, 10, bits)
		return err == nil || size == "" && number[0] != '-'
	}
}

// structsIn counts the alternatives of an expression that may be structs.
func structsIn(x ast.Expr, complete bool) int {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return structsIn(x.X, complete)
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return structsIn(x.X, complete)
		}
	case *ast.BinaryExpr:
		switch x.Op {
		case token.OR:
			return structsIn(x.X, complete) + structsIn(x.Y, complete)
		case token.AND:
			return structsIn(x.X, complete) * structsIn(x.Y, complete)
		}
	case *ast.Ident:
		if x.Name == "_" || x.Node != nil || x.Scope != nil || !IsType(x.Name) {
			return 1
		}
	case *ast.StructLit:
		if len(x.Elts) == 0 && complete {
			return 0
		}
		return 1
	case *ast.SelectorExpr, *ast.IndexExpr, *ast.CallExpr:
		return 1
	}
	return 0
}

// asksOfJoined reports whether an expression compares something other than a plain reference with _|_.
func asksOfJoined(x *ast.BinaryExpr) bool {
	of := ComparedWithBottom(x)
	for {
		switch part := Unparen(of).(type) {
		case nil:
			return false
		case *ast.SelectorExpr:
			of = part.X
		case *ast.IndexExpr:
			of = part.X
		case *ast.Ident:
			return joins(part)
		default:
			return true
		}
	}
}

// joins reports whether an identifier names a let, a hidden field or a definition whose value contains a &.
func joins(x *ast.Ident) (found bool) {
	_, isLet := x.Node.(*ast.LetClause)
	if x.Node == nil || !isLet && !strings.HasPrefix(x.Name, "_") && !strings.HasPrefix(x.Name, "#") {
		return false
	}
	ast.Walk(x.Node, func(n ast.Node) bool {
		and, ok := n.(*ast.BinaryExpr)
		found = found || ok && and.Op == token.AND
		return !found
	}, nil)
	return found
}

// ComparedWithBottom returns the operand that an expression compares with _|_, on either side; nil if it is no such
// comparison.
func ComparedWithBottom(x *ast.BinaryExpr) ast.Expr {
	if x.Op != token.NEQ && x.Op != token.EQL {
		return nil
	}
	left, right := Unparen(x.X), Unparen(x.Y)
	if _, ok := right.(*ast.BottomLit); ok {
		return left
	}
	if _, ok := left.(*ast.BottomLit); ok {
		return right
	}
	return nil
}

// JoinsDefaults reports whether files mark a default with *, and also unify values that may be structs with
// &. Two of those structs may then have different defaults for the same field.
func JoinsDefaults(files []*ast.File) bool {
	marks, joins := false, false
	for _, f := range files {
		ast.Walk(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.UnaryExpr:
				marks = marks || x.Op == token.MUL
			case *ast.BinaryExpr:
				joins = joins || x.Op == token.AND && structsIn(x, false) > 0 && !isArtifact(x.X) && !isArtifact(x.Y)
			}
			return !marks || !joins
		}, nil)
	}
	return marks && joins
}

// isArtifact reports whether a struct is what an artifact says of itself.
func isArtifact(x ast.Expr) bool {
	lit, ok := x.(*ast.StructLit)
	return ok && filter.Any(lit.Elts, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		return ok && (LabelName(f.Label) == "description" || LabelName(f.Label) == "ref")
	})
}

// HasDefault reports whether there is a default in an expression, which is marked with *.
func HasDefault(x ast.Expr) (has bool) {
	ast.Walk(x, func(n ast.Node) bool {
		mark, ok := n.(*ast.UnaryExpr)
		has = has || ok && mark.Op == token.MUL
		return !has
	}, nil)
	return has
}
