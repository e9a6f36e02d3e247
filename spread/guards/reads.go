package guards

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/sorting"
)

// maxSearch bounds the steps by which the fields behind an expression are looked
// for; what is further away is not found.
const maxSearch = 2000

// Reads returns the fields of config that the value of an expression may depend
// on, sorted.
func (s *Sources) Reads(x ast.Expr) []Path {
	w := newSearch(s)
	w.expr(x, nil)
	return w.sorted()
}

// Exact returns the fields of config that the expression is nothing but a name
// for: none where it makes something else of them.
func (s *Sources) Exact(x ast.Expr) []Path {
	w := newSearch(s)
	w.exact = true
	w.expr(x, nil)
	return w.sorted()
}

// exactOnce is [Sources.Exact], remembered: conditions are computed often.
func (s *Sources) exactOnce(x ast.Expr) []Path {
	paths, known := s.exact[x]
	if !known {
		paths = s.Exact(x)
		s.exact[x] = paths
	}
	return paths
}

// Given returns the fields of the service's config that are passed as they are to
// a field of a role's config.
func (s *Sources) Given(role string, p Path) []Path {
	w := newSearch(s)
	w.exact = true
	full := append([]string{"#Artifact", "description", "role", role, "config"}, p...)
	for n := len(full); n > 5; n-- {
		for _, f := range s.byPath[key(full[:n])] {
			w.expr(f.value, full[n:])
		}
	}
	return w.sorted()
}

// ReadsAt returns the fields of config that the sources make a field of the
// artifact of, sorted; false if they say nothing of the field. The path begins with
// the definition.
func (s *Sources) ReadsAt(path ...string) ([]Path, bool) {
	w := newSearch(s)
	known := false
	for n := len(path); n > 1; n-- {
		for _, f := range s.byPath[key(path[:n])] {
			known = known || n == len(path) || !isStruct(f.value)
			w.expr(f.value, path[n:])
		}
	}
	return w.sorted(), known
}

// search follows the references of expressions.
type search struct {
	*Sources
	found map[string]Path
	steps int
	exact bool // follow nothing but names
	seen  map[string]bool
}

func newSearch(s *Sources) *search {
	return &search{Sources: s, found: map[string]Path{}, seen: map[string]bool{}}
}

func (w *search) sorted() []Path {
	var out []Path
	for _, k := range sorting.Ordered(w.found) {
		out = append(out, w.found[k])
	}
	return out
}

// expr follows an expression of which the part at rest is asked for.
func (w *search) expr(x ast.Expr, rest []string) {
	if w.steps++; w.steps > maxSearch || x == nil {
		return
	}
	switch x := x.(type) {
	case *ast.Ident:
		w.name(x, rest)
	case *ast.SelectorExpr:
		w.expr(x.X, prepend(label(x.Sel), rest))
	case *ast.IndexExpr:
		name, fixed := indexName(x.Index)
		w.expr(x.X, prepend(name, rest))
		if !fixed && !w.exact {
			w.expr(x.Index, nil)
		}
	case *ast.ParenExpr:
		w.expr(x.X, rest)
	case *ast.BinaryExpr:
		switch {
		case x.Op == token.AND || x.Op == token.OR && !w.exact:
			w.expr(x.X, rest)
			w.expr(x.Y, rest)
		case !w.exact:
			w.expr(x.X, nil)
			w.expr(x.Y, nil)
		}
	default:
		if !w.exact {
			w.composed(x, rest)
		}
	}
}

// composed follows an expression that is made of others.
func (w *search) composed(x ast.Expr, rest []string) {
	switch x := x.(type) {
	case *ast.UnaryExpr:
		if x.Op != token.MUL { // the mark of a default
			rest = nil
		}
		w.expr(x.X, rest)
	case *ast.StructLit:
		for _, d := range x.Elts {
			w.decl(d, rest)
		}
	case *ast.ListLit:
		if len(rest) > 0 {
			rest = rest[1:]
		}
		for _, e := range x.Elts {
			w.expr(e, rest)
		}
	case *ast.CallExpr:
		for _, a := range x.Args {
			w.expr(a, nil)
		}
	case *ast.Comprehension:
		for _, c := range x.Clauses {
			if c, ok := c.(*ast.IfClause); ok {
				w.expr(c.Condition, nil)
			}
		}
		w.expr(x.Value, rest)
	default:
		for _, part := range parts(x) {
			w.expr(part, nil)
		}
	}
}

// decl follows the parts of a struct that have to do with rest.
func (w *search) decl(d ast.Decl, rest []string) {
	switch d := d.(type) {
	case *ast.Field:
		name := label(d.Label)
		switch {
		case len(rest) == 0:
			w.expr(d.Value, nil)
		case name == rest[0] || name == Member || rest[0] == Member:
			w.expr(d.Value, rest[1:])
		}
	case *ast.EmbedDecl:
		w.expr(d.Expr, rest)
	case *ast.Comprehension:
		w.composed(d, rest)
	}
}

// name follows a name.
func (w *search) name(x *ast.Ident, rest []string) {
	if x.Node == nil {
		w.place(append([]string{x.Name}, rest...))
		return
	}
	if l, ok := w.loops[x.Node]; ok {
		member := Member
		if l.label {
			member = Label
		}
		w.expr(l.source, prepend(member, rest))
		return
	}
	if value, ok := w.lets[x.Node]; ok {
		w.expr(value, rest)
		return
	}
	if path, ok := w.imports[x.Node]; ok {
		w.place(append([]string{path}, rest...))
		return
	}
	if path, ok := w.pathOf[x.Node]; ok {
		w.place(append(slices.Clip(path), rest...))
	}
}

// place follows a path of the sources.
func (w *search) place(path []string) {
	k := key(path)
	if w.seen[k] {
		return
	}
	w.seen[k] = true
	if p, ok := configPath(path); ok {
		w.found[key(p)] = p
		if w.exact {
			return
		}
	}
	known := w.written(path)
	if !known && !w.exact {
		for _, f := range w.byLabel[path[len(path)-1]] {
			w.field(f, nil) // it may be unified with what is meant
		}
	}
}

// written follows what the sources say of a path, false if that is nothing.
func (w *search) written(path []string) bool {
	known := false
	for n := len(path); n > 0; n-- {
		for _, f := range w.byPath[key(path[:n])] {
			known = known || !isType(f.value)
			w.field(f, path[n:])
		}
	}
	return known
}

// field follows what one place gives a field, and what it is given under.
func (w *search) field(f *field, rest []string) {
	w.expr(f.value, rest)
	if w.exact {
		return
	}
	for _, c := range f.within {
		w.expr(c.Guard.condition, nil)
		w.expr(c.Guard.source, nil)
	}
}

// isType reports whether an expression says of a field no more than what it takes.
func isType(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Node == nil
	case *ast.StructLit:
		return true
	case *ast.BinaryExpr:
		return isType(x.X) && isType(x.Y)
	}
	return false
}

// indexName is the name of the member that an index stands for, [Member] if that
// depends on something.
func indexName(x ast.Expr) (string, bool) {
	if lit, ok := x.(*ast.BasicLit); ok && lit.Kind == token.STRING {
		if name, err := literal.Unquote(lit.Value); err == nil {
			return name, true
		}
	}
	_, fixed := x.(*ast.BasicLit)
	return Member, fixed
}

func prepend(name string, rest []string) []string { return append([]string{name}, rest...) }

func key(path []string) string { return strings.Join(path, "\x00\x00") }
