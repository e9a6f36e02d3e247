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
	// Files are those of each package that something is left of.
	Files map[*Package][]*ast.File
}

// Slice are the sources that the values at paths of the artifact are made of, with the
// config that they depend on. All values in them are what they are in the sources as a
// whole, to the place of each.
func (s *Sources) Slice(paths ...Path) Slice {
	w := s.reader.walk()
	w.free = nil
	for _, path := range paths {
		n, _ := s.at(path)
		w.value(n, false)
	}
	w.markAll(s.reader.config)
	out := Slice{w.set(), map[*Package][]*ast.File{}}
	change := syntax.Change{Drop: func(in ast.Node, d ast.Decl) bool { return s.reader.told[in] && !w.needs(d) }}
	for p := range s.reader.packages {
		out.Files[p] = syntax.Copy(p.Files, change)
	}
	return out
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
