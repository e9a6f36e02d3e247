package guards

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// meaning is what a name may stand for besides config: an expression of the
// sources, of which the part at rest is meant.
type meaning struct {
	expr ast.Expr
	rest []string
}

// meanings follows a name to the expressions behind it. Those behind names are
// followed themselves, down to depth.
func (s *Sources) meanings(x ast.Expr, rest []string, depth int) []meaning {
	if depth == 0 {
		return nil
	}
	switch x := x.(type) {
	case *ast.ParenExpr:
		return s.meanings(x.X, rest, depth)
	case *ast.SelectorExpr:
		return s.meanings(x.X, prepend(label(x.Sel), rest), depth)
	case *ast.IndexExpr:
		name, _ := indexName(x.Index)
		return s.meanings(x.X, prepend(name, rest), depth)
	case *ast.Ident:
		return s.named(x, rest, depth)
	case *ast.StructLit:
		return s.inStruct(x, rest, depth)
	case *ast.BinaryExpr:
		if x.Op == token.AND && len(rest) > 0 {
			return append(s.meanings(x.X, rest, depth-1), s.meanings(x.Y, rest, depth-1)...)
		}
	}
	if len(rest) > 0 {
		return nil
	}
	return []meaning{{x, nil}}
}

func (s *Sources) named(x *ast.Ident, rest []string, depth int) []meaning {
	if value, ok := s.lets[x.Node]; ok && x.Node != nil {
		return s.meanings(value, rest, depth-1)
	}
	path, ok := s.pathOf[x.Node]
	if imported, found := s.imports[x.Node]; found {
		path, ok = []string{imported}, true
	}
	if x.Node == nil {
		path, ok = []string{x.Name}, len(s.byPath[x.Name]) > 0
	}
	if !ok {
		return nil
	}
	path = append(slices.Clip(path), rest...)
	if _, ok := configPath(path); ok {
		return nil
	}
	var out []meaning
	for n := len(path); n > 0; n-- {
		for _, f := range s.byPath[key(path[:n])] {
			if n == len(path) || !isStruct(f.value) { // its fields are there by themselves
				out = append(out, s.meanings(f.value, path[n:], depth-1)...)
			}
		}
	}
	return out
}

func (s *Sources) inStruct(x *ast.StructLit, rest []string, depth int) []meaning {
	if len(rest) == 0 {
		return []meaning{{x, nil}}
	}
	var out []meaning
	for _, d := range x.Elts {
		if f, ok := d.(*ast.Field); ok && label(f.Label) == rest[0] {
			out = append(out, s.meanings(f.Value, rest[1:], depth-1)...)
		}
	}
	return out
}

func isStruct(x ast.Expr) bool {
	_, ok := x.(*ast.StructLit)
	return ok
}
