package depends

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
)

// Package is what [Read] asks of a package: all its files, and what they import, nil
// for a package of CUE's own. The names in the files are resolved but for those of
// fields in other files.
type Package struct {
	Files  []*ast.File
	Import func(path string) *Package
}

// Path is that of a field.
type Path []string

// Set are paths of config, each with all that is below it. The empty path is all of
// the config.
type Set []Path

// Has reports whether a value that depends on the set can change with the field at a
// path, or with something in that.
func (s Set) Has(path Path) bool {
	return slices.ContainsFunc(s, func(p Path) bool {
		n := min(len(p), len(path))
		return slices.Equal(p[:n], path[:n])
	})
}

// Sources are those of an artifact.
type Sources struct {
	reader   *reader
	artifact *node
}

// Read reads the sources of the artifact that a package defines.
func Read(p *Package) *Sources {
	r := &reader{packages: map[*Package]*node{}}
	artifact := r.root(p).add("#Artifact")
	// The config is known before anything refers to it.
	r.config = artifact.add("description").add("config")
	r.config.config = Path{}
	return &Sources{r, artifact}
}

// Of is what the value at a path of the artifact depends on, with all that is in it.
func (s *Sources) Of(path ...string) Set {
	n, _ := s.at(path)
	return s.reader.reach(func(w *walk) { w.node(n) })
}

// at is the node at a path of the artifact, or one around it.
func (s *Sources) at(path []string) (n *node, exact bool) {
	n, exact = s.artifact, true
	for _, name := range path {
		if n, exact = n.field(name); !exact {
			break
		}
	}
	return n, exact
}

// Hole is a part that depends on config.
type Hole struct {
	Path Path
	Set  Set
}

// Holes are the smallest parts of the value at a path of the artifact that depend on
// config, such that nothing else of it does, by their paths from there. A field is one as
// a whole if it depends on config whether it is there, and a struct is if that decides
// what its fields are called. What is in roles' artifacts is not looked at: that is for
// their own sources to tell.
func (s *Sources) Holes(path ...string) []Hole {
	n, exact := s.at(path)
	if !exact {
		return []Hole{{nil, s.Of(path...)}}
	}
	return s.reader.holes(n, nil, nil)
}

func (r *reader) holes(n *node, path Path, out []Hole) []Hole {
	if n.config != nil || n.isArtifact() {
		return out
	}
	n.expand()
	whole := len(n.fields) == 0 || n.opaque || n.dynamic || len(n.copies) > 0
	if whole || len(r.reach(func(w *walk) { w.given(n); w.all(n.shape) })) > 0 {
		if set := r.reach(func(w *walk) { w.node(n) }); len(set) > 0 {
			out = append(out, Hole{path, set})
		}
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		out = r.holes(n.fields[name], append(slices.Clip(path), name), out)
	}
	return out
}

// reach is what a walk comes by, without what lies in something else of it.
func (r *reader) reach(from func(*walk)) Set {
	w := &walk{reader: r, seen: map[*node]bool{}, terms: map[termKey]bool{}, atoms: map[string]Path{}}
	from(w)
	var out Set
	for _, key := range slices.Sorted(maps.Keys(w.atoms)) {
		p := w.atoms[key]
		if !slices.ContainsFunc(out, func(q Path) bool { return len(q) <= len(p) && slices.Equal(q, p[:len(q)]) }) {
			out = append(out, p)
		}
	}
	return out
}

// walk follows references until it comes to the config.
type walk struct {
	reader *reader
	seen   map[*node]bool
	terms  map[termKey]bool
	atoms  map[string]Path
}

type termKey struct {
	x ast.Node
	s *scope
}

// node follows all that the value of a field is made of.
func (w *walk) node(n *node) {
	if n.config != nil {
		w.atoms[strings.Join(n.config, "\x00")] = n.config
		return
	}
	if w.seen[n] {
		return
	}
	w.seen[n] = true
	w.exists(n)
	n.expand()
	w.all(n.terms)
	w.all(n.shape)
	for _, name := range slices.Sorted(maps.Keys(n.fields)) {
		w.node(n.fields[name])
	}
	for _, c := range n.patterns {
		w.term(term{c.x, c.scope})
	}
}

// given follows the conditions under which a field is there.
func (w *walk) given(n *node) {
	if n.certain {
		return
	}
	for _, c := range n.said {
		w.all(c.given)
	}
}

// exists follows the conditions under which a field, and what it lies in, is there.
func (w *walk) exists(n *node) {
	for ; n != nil; n = n.up {
		w.given(n)
	}
}

func (w *walk) all(terms []term) {
	for _, t := range terms {
		w.term(t)
	}
}

// term follows the references in an expression.
func (w *walk) term(t term) {
	key := termKey{t.x, t.scope}
	if w.terms[key] {
		return
	}
	w.terms[key] = true
	ast.Walk(t.x, func(n ast.Node) bool { return w.inTerm(n, t.scope) }, nil)
}

func (w *walk) inTerm(n ast.Node, s *scope) bool {
	switch x := n.(type) {
	case *ast.Field:
		switch x.Label.(type) {
		case *ast.Ident, *ast.BasicLit:
		default:
			w.term(term{x.Label, s})
		}
		if x.Value != nil {
			w.term(term{x.Value, s})
		}
		return false
	case *ast.ImportDecl, *ast.Attribute, *ast.CommentGroup:
		return false
	case *ast.Ident:
		w.reference(x, s)
		return false
	case *ast.SelectorExpr:
		if !w.reference(x, s) {
			w.term(term{x.X, s})
		}
		return false
	case *ast.IndexExpr:
		w.term(term{x.Index, s})
		if !w.reference(x, s) {
			w.term(term{x.X, s})
		}
		return false
	}
	return true
}

// reference follows x if it is one to a field that is known, or to a name for an
// expression.
func (w *walk) reference(x ast.Expr, s *scope) bool {
	if n, _ := w.reader.refers(x, s); n != nil {
		w.node(n)
		return true
	}
	if id, ok := x.(*ast.Ident); ok {
		if t, ok := named(id, s); ok {
			w.term(t)
		}
		return true
	}
	return false
}
