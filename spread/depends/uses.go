package depends

import (
	"slices"
	"strconv"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/sorting"
)

// Use is a part of the artifact that depends on a field of config.
type Use struct {
	// Path is that of the part, from the artifact on.
	Path Path
	// Copy is what it is a copy of: the field, or one around it. Nil is any other use.
	Copy Path
	// Pos is where it is written.
	Pos token.Pos
}

// Uses are the smallest parts of the artifact that depend on a field of config. What is in
// roles' artifacts is not looked at, but for what is said of them here. A field of config
// that depends on another one is a use of that, and so is the field itself if what is said
// of it depends on any.
func (s *Sources) Uses(field Path) []Use {
	u := &uses{reader: s.reader, field: field}
	u.visit(s.artifact, nil)
	return u.out
}

type uses struct {
	reader *reader
	field  Path
	out    []Use
}

func (u *uses) visit(n *node, path Path) {
	r := u.reader
	n.expand()
	switch {
	case n.config != nil:
		u.config(n, path)
		return
	case n.isArtifact():
		u.other(n, path, func(w *walk) { w.value(n, false) })
		return
	}
	if u.other(n, path, func(w *walk) { w.given(n); w.all(n.shape) }) {
		return
	}
	if len(n.fields) == 0 || len(n.terms) > 0 || n.opaque || n.dynamic || len(n.copies) > 0 {
		if set := r.reach(func(w *walk) { w.value(n, false) }); set.Has(u.field) {
			u.whole(n, path)
		}
		return
	}
	for _, name := range sorting.Ordered(n.fields) {
		u.visit(n.fields[name], append(slices.Clip(path), name))
	}
}

// config looks at a field of config.
func (u *uses) config(n *node, path Path) {
	said := func(w *walk) {
		for _, c := range n.said {
			w.all(c.given)
		}
		w.all(n.terms)
		w.all(n.shape)
		for _, c := range n.patterns {
			w.all(c.given)
			w.term(term{x: c.x, scope: c.scope})
		}
	}
	if len(n.config) >= len(u.field) && slices.Equal(n.config[:len(u.field)], u.field) {
		if len(u.reader.reach(said)) > 0 {
			u.add(n, path, nil)
		}
	} else if u.other(n, path, said) {
		return
	}
	for _, name := range sorting.Ordered(n.fields) {
		u.visit(n.fields[name], append(slices.Clip(path), name))
	}
}

// other adds a use that is no copy, if a walk comes by the field.
func (u *uses) other(n *node, path Path, from func(*walk)) bool {
	if !u.reader.reach(from).Has(u.field) {
		return false
	}
	u.add(n, path, nil)
	return true
}

// whole adds the uses in a value without fields of its own.
func (u *uses) whole(n *node, path Path) {
	if of := n.copyOfConfig(); of != nil {
		u.add(n, path, of)
		return
	}
	if items, s := n.items(); items != nil && u.list(items, s, path) {
		return
	}
	u.add(n, path, nil)
}

// copyOfConfig is the field of config that n is nothing but a copy of, where n is there; nil
// if it is none.
func (n *node) copyOfConfig() Path {
	if n.dynamic || n.opaque || len(n.fields) > 0 || len(n.terms) == 0 {
		return nil
	}
	var out Path
	for i, t := range n.terms {
		x, ok := t.x.(ast.Expr)
		if !ok {
			return nil
		}
		if u, isBound := x.(*ast.UnaryExpr); isBound && isLiteral(u.X) {
			return nil
		}
		of := n.reader.ofConfig(x, t.scope)
		if of == nil || i > 0 && !slices.Equal(of, out) {
			return nil
		}
		out = of
	}
	return out
}

// items are those of the list that is all that is said of n by anybody but the model.
func (n *node) items() ([]ast.Expr, *scope) {
	var own []term
	for _, t := range n.terms {
		if _, p := t.scope.pkg(); p == nil || !p.Model {
			own = append(own, t)
		}
	}
	if len(own) != 1 {
		return nil, nil
	}
	lit, ok := own[0].x.(*ast.ListLit)
	if !ok {
		return nil, nil
	}
	return lit.Elts, own[0].scope
}

// list adds the uses in the items of a list; false if it is not certain which those are.
func (u *uses) list(items []ast.Expr, s *scope, path Path) bool {
	var out []Use
	for i, x := range items {
		if !u.reader.reach(func(w *walk) { w.term(term{x: x, scope: s}) }).Has(u.field) {
			switch x.(type) {
			case *ast.Ellipsis, *ast.Comprehension:
				return false // which moves the others
			}
			continue
		}
		use := Use{Path: append(slices.Clip(path), element(i)), Copy: u.reader.ofConfig(x, s), Pos: x.Pos()}
		out = append(out, use)
	}
	u.out = append(u.out, out...)
	return true
}

// add adds a use, where the first of what makes it one is written.
func (u *uses) add(n *node, path Path, of Path) {
	u.out = append(u.out, Use{Path: path, Copy: of, Pos: u.pos(n)})
}

// pos is where the first conjunct of n depends on the field, or else where n is written.
func (u *uses) pos(n *node) token.Pos {
	reaches := func(t term) bool {
		return u.reader.reach(func(w *walk) { w.term(t) }).Has(u.field)
	}
	var first token.Pos
	for _, c := range slices.Concat(n.said, n.patterns) {
		if c.scope == nil {
			continue
		}
		if c.isModels() {
			continue
		}
		for _, g := range c.given {
			if reaches(g) && g.x.Pos().IsValid() {
				return g.x.Pos()
			}
		}
		if c.x == nil {
			continue
		}
		if reaches(term{x: c.x, scope: c.scope}) {
			return c.x.Pos()
		}
		if !first.IsValid() {
			first = c.x.Pos()
		}
	}
	for _, t := range slices.Concat(n.shape, n.terms) {
		if reaches(t) && t.x.Pos().IsValid() {
			return t.x.Pos()
		}
	}
	return first
}

// element is how a path names an item of a list, as that of value.Data does.
func element(i int) string { return "[" + strconv.Itoa(i) + "]" }
