package guards

import (
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// Guard is a condition in the sources: of an if, or that there is something for a
// for to go through.
type Guard struct {
	condition ast.Expr // nil for a for
	source    ast.Expr // nil for an if
	within    []Condition
}

// Within are the conditions around the guard, the outermost first.
func (g *Guard) Within() []Condition { return g.within }

// ReadsOf returns the fields of config that the guard depends on, sorted; those
// of the conditions around it are not among them.
func (s *Sources) ReadsOf(g *Guard) []Path {
	if g.source != nil {
		return s.Reads(g.source)
	}
	return s.Reads(g.condition)
}

// atoms splits a condition into parts that hold or not by themselves.
func atoms(x ast.Expr) []ast.Expr {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return atoms(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return atoms(x.X)
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return append(atoms(x.X), atoms(x.Y)...)
		}
	}
	return []ast.Expr{x}
}

// allAtoms are the atoms of all guards and probes, each once.
func (s *Sources) allAtoms() []ast.Expr {
	var out []ast.Expr
	seen := map[ast.Expr]bool{}
	add := func(x ast.Expr) {
		if x == nil {
			return
		}
		for _, a := range atoms(x) {
			if !seen[a] {
				seen[a] = true
				out = append(out, a)
			}
		}
	}
	for _, g := range s.Guards {
		add(g.condition)
		add(g.source)
	}
	for _, x := range s.probes {
		add(x)
	}
	return slices.Clip(out)
}
