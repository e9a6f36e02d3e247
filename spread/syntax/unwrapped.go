package syntax

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
)

// Unwrapped takes off what is written around an expression and does not change its value. It returns x for  {a: x}.a ,  [x][0] ,  {x} ,
// close({a: x}).a  and  x & _ , and any other expression as it is, without parentheses.
func Unwrapped(x ast.Expr) ast.Expr {
	for {
		inner := inside(Unparen(x))
		if inner == nil {
			return Unparen(x)
		}
		x = inner
	}
}

// inside takes off one such wrapping. It returns nil if there is none.
func inside(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return fieldIn(x.X, LabelName(x.Sel))
	case *ast.IndexExpr:
		lit, ok := x.Index.(*ast.BasicLit)
		if list, isList := Unparen(x.X).(*ast.ListLit); ok && isList && lit.Value == "0" && len(list.Elts) == 1 {
			return onlyExpr(list.Elts[0])
		}
		if ok && IsText(lit) {
			name, _ := literal.Unquote(lit.Value)
			return fieldIn(x.X, name)
		}
	case *ast.StructLit:
		return embedded(x)
	case *ast.BinaryExpr:
		switch {
		case x.Op == token.AND && IsAnything(x.X):
			return x.Y
		case x.Op == token.AND && IsAnything(x.Y):
			return x.X
		}
	}
	return nil
}

// fieldIn returns the value that a struct literal gives a field; nil unless the literal has only plain fields. Of two literals joined with &,
// one has to give the field the value  _ .
func fieldIn(x ast.Expr, name string) (value ast.Expr) {
	x = Unwrapped(x)
	if and, ok := x.(*ast.BinaryExpr); ok && and.Op == token.AND {
		a, b := fieldIn(and.X, name), fieldIn(and.Y, name)
		switch {
		case a == nil || b == nil:
			return nil
		case IsAnything(a):
			return b
		case IsAnything(b):
			return a
		}
		return nil
	}
	if call, ok := x.(*ast.CallExpr); ok && len(call.Args) == 1 {
		if id, isName := call.Fun.(*ast.Ident); isName && id.Name == "close" && id.Node == nil {
			x = Unwrapped(call.Args[0])
		}
	}
	lit, ok := x.(*ast.StructLit)
	for range maxInside {
		if !ok || name == "" {
			return nil
		}
		if value = valueIn(lit, name); value == nil {
			return nil
		}
		id, isName := Unparen(value).(*ast.Ident)
		if !isName || id.Scope != ast.Node(lit) {
			return value
		}
		name = id.Name // another of its fields
	}
	return nil
}

// maxInside is how often a field may be another one of the struct.
const maxInside = 5

func valueIn(lit *ast.StructLit, name string) (value ast.Expr) {
	for _, d := range lit.Elts {
		f, ok := d.(*ast.Field)
		if !ok || !IsPlainField(f) {
			return nil
		}
		if LabelName(f.Label) == name {
			if value != nil {
				return nil
			}
			value = f.Value
		}
	}
	return value
}

// embedded is what a struct literal embeds, if it has nothing else but lets and hidden fields.
func embedded(lit *ast.StructLit) (x ast.Expr) {
	for _, d := range lit.Elts {
		switch d := d.(type) {
		case *ast.LetClause:
		case *ast.Field:
			if !IsAside(LabelName(d.Label)) {
				return nil
			}
		case *ast.EmbedDecl:
			if x != nil {
				return nil
			}
			x = d.Expr
		default:
			return nil
		}
	}
	x = Unparen(x)
	if let := LetOf(x); let != nil && filter.Contains(lit.Elts, ast.Decl(let)) {
		return let.Expr
	}
	if id, ok := x.(*ast.Ident); ok && id.Scope == ast.Node(lit) {
		return valueIn(lit, id.Name)
	}
	return x
}

func onlyExpr(x ast.Expr) ast.Expr {
	switch x.(type) {
	case *ast.Comprehension, *ast.Ellipsis:
		return nil
	}
	return x
}

// IsAnything reports whether an expression is  _ .
func IsAnything(x ast.Expr) bool {
	id, ok := Unparen(x).(*ast.Ident)
	return ok && id.Name == "_"
}
