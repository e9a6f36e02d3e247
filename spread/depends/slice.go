package depends

import (
	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/syntax"
)

// Slice is the sources of an artifact without what some of its values have nothing to
// do with.
type Slice struct {
	// Set is what the values depend on.
	Set Set
	// Defaults reports whether it may make a difference that a value of config is a default.
	Defaults bool
	// Files are those of each package that something is left of.
	Files map[*Package][]*ast.File
}

// Slice are the sources that the values at paths of the artifact are made of, with the
// config that they depend on. All values in them are what they are in the sources as a
// whole. If that config is given whole, its leaves need no types.
func (s *Sources) Slice(given bool, paths ...Path) Slice {
	w := s.reader.walk()
	w.free = nil
	for _, path := range paths {
		if n, exact := s.at(path); exact && s.reader.parted[n] {
			w.computed(n)
		} else {
			w.value(n, false)
		}
	}
	w.markAll(s.reader.config)
	out := Slice{w.set(), w.asks, map[*Package][]*ast.File{}}
	change := syntax.Change{Instead: map[ast.Expr]ast.Expr{}, Drop: func(in ast.Node, d ast.Decl) bool { return s.reader.told[in] && !w.needs(d) }}
	if given && !w.unfilled {
		untyped(s.reader.config, change.Instead)
	}
	for p := range s.reader.packages {
		out.Files[p] = syntax.Copy(p.Files, change)
	}
	return out
}

// untyped puts _ in place of the types of leaves.
func untyped(n *node, instead map[ast.Expr]ast.Expr) {
	for _, f := range n.fields {
		untyped(f, instead)
	}
	if len(n.fields) > 0 {
		return
	}
	for _, c := range n.said {
		if c.x != nil && isType(c.x) {
			instead[c.x] = &ast.Ident{NamePos: c.x.Pos(), Name: "_"}
		}
	}
}

// isType reports whether an expression is one of types, literals and bounds, of leaves. Of what
// is in lists and structs, CUE would find another place without its type.
func isType(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isType(x.X)
	case *ast.UnaryExpr:
		return isType(x.X)
	case *ast.BinaryExpr:
		return isType(x.X) && isType(x.Y)
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return x.Node == nil && x.Scope == nil && x.Name != "_" && predeclared[x.Name]
	}
	return false
}

// needs reports whether a declaration, whose fields are nodes, is a part of what the
// walk has come by.
func (w *walk) needs(d ast.Decl) bool {
	switch x := d.(type) {
	case *ast.Field:
		return w.decls[x] || w.holds(x.Value)
	case *ast.Comprehension:
		return w.decls[x] || w.holds(x)
	}
	return true
}

// holds reports whether there is a field in an expression that the walk has come by.
func (w *walk) holds(x ast.Node) (found bool) {
	ast.Walk(x, func(n ast.Node) bool {
		d, ok := n.(ast.Decl)
		found = found || ok && w.decls[d]
		return !found
	}, nil)
	return found
}
