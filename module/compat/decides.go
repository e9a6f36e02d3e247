package compat

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
)

// decides reports whether a condition is always true or false: it compares fields
// that always have a value with constants of their kind.
func decides(x ast.Expr, known membership) bool {
	return decidesBy(x, func(x ast.Expr) (field, bool) {
		id, ok := x.(*ast.Ident)
		if !ok {
			return field{}, false
		}
		f, ok := known.fields[id.Name]
		return f, ok
	})
}

// decidesBy is decides with what finds the field that an expression names.
func decidesBy(x ast.Expr, known func(ast.Expr) (field, bool)) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return decidesBy(x.X, known)
	case *ast.UnaryExpr:
		return x.Op == token.NOT && decidesBy(x.X, known)
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return decidesBy(x.X, known) && decidesBy(x.Y, known)
		}
		a, b := kindOf(x.X, known), kindOf(x.Y, known)
		ordered := filter.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}, x.Op) && (a == cue.StringKind || a == cue.NumberKind)
		return a == b && a != cue.BottomKind && (ordered || x.Op == token.EQL || x.Op == token.NEQ)
	}
	return kindOf(x, known) == cue.BoolKind
}

// kindOf is the kind of a constant or of a regular field, bottom if that is not
// certain. All numbers are of one.
func kindOf(x ast.Expr, known func(ast.Expr) (field, bool)) cue.Kind {
	if x, ok := x.(*ast.BasicLit); ok {
		switch x.Kind {
		case token.INT, token.FLOAT:
			return cue.NumberKind
		case token.STRING:
			return cue.StringKind
		case token.TRUE, token.FALSE:
			return cue.BoolKind
		}
		return cue.BottomKind
	}
	if f, ok := known(x); ok && !f.optional {
		switch k := f.value.IncompleteKind(); k {
		case cue.IntKind, cue.FloatKind, cue.NumberKind:
			return cue.NumberKind
		case cue.StringKind, cue.BoolKind:
			return k
		}
	}
	return cue.BottomKind
}
