package depends

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/spread/syntax"
)

// Apart is what config decides of the fields of an artifact's description, by themselves and
// apart from the rest of it: what is written under if and for, and fields whose names are
// computed.
type Apart struct {
	// Holes are the parts, in the form that [Sources.Holes] returns.
	Holes []Hole
	// Files are those of the packages that the artifact is written in, without the parts.
	Files map[*Package][]*ast.File
}

// MayDecide reports whether there is anything in files that [Sources.Apart] could take out.
func MayDecide(files []*ast.File) (found bool) {
	for _, f := range files {
		ast.Walk(f, func(n ast.Node) bool {
			d, ok := n.(ast.Decl)
			if ok && !found {
				fields, fieldsOnly := made(d, nil)
				found = fieldsOnly && len(fields) > 0
			}
			return !found
		}, nil)
	}
	return found
}

// Apart takes such parts out of the description, outside of its roles. What anything else in the
// package refers to stays, as does what is declared elsewhere too. It is nil if nothing is left
// to take out.
func (s *Sources) Apart() *Apart {
	desc, exact := s.at(Path{"description"})
	if !exact {
		return nil
	}
	desc.expand()
	a := &apartReader{reader: s.reader, from: s.reader.writtenIn(desc)}
	a.visit(desc, Path{"description"})
	a.unseen(s)
	if len(a.found) == 0 {
		return nil
	}
	out, gone := &Apart{}, map[ast.Decl]bool{}
	s.separate()
	s.reader.parted, s.reader.named = map[*node]bool{}, map[*node]*node{}
	for _, x := range a.found {
		for _, d := range x.decls {
			gone[d] = true
		}
		out.Holes = append(out.Holes, x.holes(s.reader)...)
	}
	out.Files = map[*Package][]*ast.File{}
	for p := range a.from {
		out.Files[p] = syntax.Copy(p.Files, syntax.Change{Drop: func(_ ast.Node, d ast.Decl) bool { return gone[d] }})
	}
	return out
}

// writtenIn returns the packages that parts may be taken out of: the artifact's own and, if the artifact has no roles, the packages
// that it imports its definitions from. With roles, those packages may fill one, and then have to stay as they are.
func (r *reader) writtenIn(desc *node) map[*Package]bool {
	out := map[*Package]bool{r.own: true}
	if role := desc.fields["role"]; role != nil && filter.Any(role.said, func(c *conjunct) bool { return !c.isModels() }) {
		return out
	}
	for p := range r.packages {
		if !p.Model && !syntax.HasWrongNames(p.Files) { // which CUE minds
			out[p] = true
		}
	}
	return out
}

// decided are declarations in a struct, of fields that config decides.
type decided struct {
	in       *node
	path     Path
	decls    []ast.Decl
	named    []*node // those that have a name
	computed bool    // there are others
}

func (x *decided) holes(r *reader) (out []Hole) {
	for _, f := range x.named {
		if x.computed {
			f = r.byName(f)
		}
		out = r.holes(f, append(slices.Clip(x.path), f.name), out)
	}
	if x.computed {
		beside := []string{}
		for _, name := range sorting.Ordered(x.in.fields) {
			beside = append(beside, strings.TrimPrefix(name, `"`))
		}
		r.parted[x.in] = true
		out = append(out, Hole{Path: x.path, Set: r.reach(func(w *walk) { w.computed(x.in) }), Beside: beside})
	}
	return out
}

// byName is a field with only those of its declarations that name it. A computed name could be the same: that is checked later, when
// the computed names are known.
func (r *reader) byName(f *node) *node {
	out := &node{reader: r, up: f.up, name: f.name, certain: f.certain, declared: f.declared}
	for _, c := range f.said {
		if !c.hasComputedName() {
			out.said = append(out.said, c)
		}
	}
	r.named[f] = out
	return out
}

// hasComputedName reports whether a declaration is a field whose name is computed, and no pattern.
func (c *conjunct) hasComputedName() bool {
	f, ok := c.decl.(*ast.Field)
	return ok && isComputed(f) && !isPattern(f)
}

// apartReader looks for declarations that can be taken out.
type apartReader struct {
	reader *reader
	from   map[*Package]bool // see writtenIn
	found  []*decided
	names  *nameCount // nil until it is needed
}

// nameCount holds how often each name is used in files. Labels do not count.
type nameCount struct {
	uses   map[string]int
	labels map[ast.Node]bool
	lets   map[ast.Decl]string // the lets that declarations lie in
}

func (c *nameCount) count(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Field:
		if id, ok := labelOf(x).(*ast.Ident); ok {
			c.labels[id] = true
			if hasOtherName(x) {
				c.uses[id.Name] += 2
			}
		}
	case *ast.LetClause:
		c.labels[x.Ident] = true
		ast.Walk(x.Expr, func(n ast.Node) bool {
			if d, ok := n.(ast.Decl); ok {
				c.lets[d] = x.Ident.Name
			}
			if id, ok := n.(*ast.Ident); ok {
				c.uses[id.Name]++ // the let may be used more than once
			}
			return true
		}, nil)
	case *ast.Ident:
		if !c.labels[x] {
			c.uses[x.Name]++
		}
	case *ast.IndexExpr:
		if name, ok := indexed(x); ok {
			c.uses[strings.TrimPrefix(name, `"`)]++
		}
	}
	return true
}

// hasOtherName reports whether an alias stands for a field too, whose uses are not counted.
func hasOtherName(f *ast.Field) bool {
	_, label := f.Label.(*ast.Alias)
	_, value := f.Value.(*ast.Alias)
	return label || value || f.Alias != nil
}

// isUsedOnce reports whether a struct gets its declarations from where it is written, or from a field or let that nothing else uses. If
// something else did, it would lose the declarations that are taken out.
func (a *apartReader) isUsedOnce(n *node, decls []ast.Decl) bool {
	if a.names == nil {
		a.names = &nameCount{map[string]int{}, map[ast.Node]bool{}, map[ast.Decl]string{}}
		for p := range a.from {
			for _, f := range p.Files {
				ast.Walk(f, a.names.count, nil)
			}
		}
	}
	if filter.Any(decls, func(d ast.Decl) bool { return a.names.uses[a.names.lets[d]] > 1 }) {
		return false
	}
	for _, c := range n.said {
		for ; c != nil; c = c.in {
			if c.from == nil || c.from.scope == nil || c.from.isModels() {
				continue
			}
			for at := c.from.of; at != nil && at.up != nil && at.name != "description" && at.name != "#Artifact"; at = at.up {
				if a.names.uses[strings.TrimPrefix(at.name, `"`)] > 1 {
					return false
				}
			}
		}
	}
	return true
}

// visit looks for such declarations in a struct and in the structs below it, unless config decides
// whether the struct is there.
func (a *apartReader) visit(n *node, path Path) {
	n.expand()
	if n.opaque || len(n.copies) > 0 || len(n.terms) > 0 || !a.isFree(func(w *walk) { w.given(n); w.all(n.fixed()) }) {
		return
	}
	var x *decided
	if len(path) > 1 { // of the description itself, more than its values depends on its fields
		x = a.decided(n, path)
	}
	if x != nil {
		a.found = append(a.found, x)
	} else if n.dynamic {
		return
	}
	for _, name := range sorting.Ordered(n.fields) {
		f := n.fields[name]
		if f.config == nil && !isHidden(name) && !looksHidden(name) && (len(path) > 1 || name != "role") && (x == nil || !filter.Contains(x.named, f)) {
			a.visit(f, append(slices.Clip(path), name))
		}
	}
}

func (a *apartReader) isFree(from func(*walk)) bool { return len(a.reader.reach(from)) == 0 }

// fixed is what decides about a struct's fields besides those that have computed names.
func (n *node) fixed() []term {
	computed := map[termKey]bool{}
	for _, c := range n.computed() {
		for _, g := range c.given {
			computed[termKey{g.x, g.scope}] = true
		}
	}
	return filter.Out(n.shape, func(t term) bool { return computed[termKey{t.x, t.scope}] })
}

// computed are the declarations of a struct's fields whose names are computed.
func (n *node) computed() []*conjunct {
	return filter.Out(n.patterns, func(c *conjunct) bool {
		f, ok := c.decl.(*ast.Field)
		return ok && isPattern(f)
	})

}

// decided are the declarations in a struct that config decides, nil if there are none, or if it
// cannot be told which.
func (a *apartReader) decided(n *node, path Path) *decided {
	x := &decided{in: n, path: path}
	fields := map[*ast.Field]bool{} // that are declared by what is taken out
	for _, c := range n.said {
		if _, p := c.scope.pkg(); !a.from[p] || !a.reader.isFree(c) {
			continue
		}
		for _, lit := range syntax.Structs(c.x) {
			for _, d := range lit.Elts {
				if own, ok := a.declares(n, d); ok {
					x.decls = append(x.decls, d)
					for _, f := range own {
						fields[f] = true
					}
				}
			}
		}
	}
	if len(fields) == 0 || !a.isUsedOnce(n, x.decls) {
		return nil
	}
	once := map[ast.Decl]bool{}
	for _, c := range n.computed() {
		f, ok := c.decl.(*ast.Field)
		if x.computed = true; !ok || !fields[f] {
			return nil
		}
		once[f] = !a.reader.isRepeated(c)
	}
	for _, name := range sorting.Ordered(n.fields) {
		f := n.fields[name]
		named := filter.Out(f.said, func(c *conjunct) bool { return isOfAll(c) })
		ours := func(c *conjunct) bool { f, ok := c.decl.(*ast.Field); return ok && fields[f] }
		if !filter.Any(named, ours) {
			continue
		}
		if f.certain || isHidden(f.name) || looksHidden(f.name) || filter.Any(named, func(c *conjunct) bool { return !ours(c) && !isOptional(c) }) {
			return nil
		}
		x.named = append(x.named, f)
		for _, c := range named {
			once[c.decl] = !a.reader.isRepeated(c)
		}
	}
	for f := range fields {
		if !once[f] {
			return nil // it is one of another field too
		}
	}
	return x
}

// isOfAll reports whether a declaration is not one of a field by its name.
func isOfAll(c *conjunct) bool {
	f, ok := c.decl.(*ast.Field)
	return ok && isComputed(f)
}

// isOptional reports whether a declaration only says what a field is like if it is there.
func isOptional(c *conjunct) bool {
	f, ok := c.decl.(*ast.Field)
	return ok && f.Constraint != token.ILLEGAL
}

// declares are the fields that a declaration in a struct may make, false if config does not
// decide which of them there are, or if there may be others.
func (a *apartReader) declares(n *node, d ast.Decl) ([]*ast.Field, bool) {
	fields, ok := made(d, nil)
	depends := func(c *conjunct) bool {
		f, isField := c.decl.(*ast.Field)
		return isField && filter.Contains(fields, f) && !a.isFree(func(w *walk) { w.all(c.given) })
	}
	if _, isField := d.(*ast.Field); isField && len(fields) == 0 || !ok {
		return nil, false
	}
	if filter.Any(n.patterns, depends) {
		return fields, true
	}
	for _, f := range n.fields {
		if filter.Any(f.said, depends) {
			return fields, true
		}
	}
	return fields, !filter.Any(fields, func(f *ast.Field) bool { return !isComputed(f) }) && a.isMixed(n)
}

// isMixed reports whether fields of a struct depend on config, by their names.
func (a *apartReader) isMixed(n *node) bool {
	for _, f := range n.fields {
		if !a.isFree(func(w *walk) { w.value(f, false) }) {
			return true
		}
	}
	return false
}

// made appends the fields that a comprehension writes, or the field that d is if its name is
// computed. It is false for any other declaration, and if a body holds more than fields.
func made(d ast.Decl, out []*ast.Field) ([]*ast.Field, bool) {
	switch x := d.(type) {
	case *ast.Field:
		if !isPattern(x) && isComputed(x) && x.Constraint == token.ILLEGAL && x.Alias == nil {
			return append(out, x), true
		}
		return out, false
	case *ast.Comprehension:
		bodies := []ast.Expr{x.Value}
		if x.Fallback != nil {
			bodies = append(bodies, x.Fallback.Body)
		}
		for _, body := range bodies {
			lit, ok := body.(*ast.StructLit)
			if !ok {
				return out, false
			}
			for _, d := range lit.Elts {
				f, isField := d.(*ast.Field)
				if isField && !isComputed(f) && f.Constraint == token.ILLEGAL && f.Alias == nil {
					out = append(out, f)
				} else if out, ok = made(d, out); !ok {
					return out, false
				}
			}
		}
		return out, true
	}
	return out, false
}

// unseen leaves out what anything else refers to.
func (a *apartReader) unseen(s *Sources) {
	r := s.reader
	defer func() { r.aside = nil }()
	for len(a.found) > 0 {
		r.aside = map[*node]bool{}
		for _, x := range a.found {
			for _, f := range x.named {
				r.aside[f] = true
			}
		}
		w := r.walk()
		w.free = nil
		for p := range a.from {
			w.value(r.root(p), false)
		}
		before := len(a.found)
		a.found = filter.Out(a.found, func(x *decided) bool {
			return x.computed && w.done.marks[x.in] || filter.Any(x.named, func(f *node) bool { return w.sees[f] })
		})

		if len(a.found) == before {
			break
		}
	}
}

// computed follows what makes the fields of a struct whose names are computed.
func (w *walk) computed(n *node) {
	w.around(n)
	w.said(n)
}
