// Package syntax makes copies of CUE's syntax trees in which something is replaced or
// left out. The trees themselves are shared, and never changed.
package syntax

import (
	"reflect"
	"slices"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
)

// Change is what a copy has otherwise than the original.
type Change struct {
	// Instead has expressions that stand in place of others.
	Instead map[ast.Expr]ast.Expr
	// Drop, if not nil, tells of declarations in a struct or file that are left out.
	// Nothing that is left may refer to them.
	Drop func(in ast.Node, d ast.Decl) bool
	// Expand has comprehensions in whose place their bodies stand, once for each change.
	Expand map[ast.Decl][]Change
	// Imports are what files import besides.
	Imports map[*ast.File][]*ast.ImportSpec
}

// Copy copies files with a change. What refers to a node of the originals refers to
// its copy. Imports and names that nothing refers to any more, which CUE minds, are
// left out as well.
func Copy(files []*ast.File, change Change) []*ast.File {
	c := copier{Change: change, made: map[ast.Node]ast.Node{}}
	var out []*ast.File
	for _, f := range files {
		copied := *f
		c.made[f] = &copied
		out = append(out, &copied)
	}
	for i, f := range files {
		c.file(f, out[i])
	}
	for i, f := range out {
		for _, id := range files[i].Unresolved {
			if x, ok := c.made[id]; ok {
				f.Unresolved = append(f.Unresolved, x.(*ast.Ident))
			}
		}
		dropUnused(f)
	}
	return out
}

// CopyExpr copies an expression with a change. What names in it refer to outside of it, the
// copy refers to as well. The function tells the copy of a node, nil where there is none.
func CopyExpr(x ast.Expr, change Change) (ast.Expr, func(ast.Node) ast.Node) {
	c := copier{Change: change, made: map[ast.Node]ast.Node{}, within: map[ast.Node]bool{}}
	c.enter(x)
	return c.node(x).(ast.Expr), func(n ast.Node) ast.Node { return c.made[n] }
}

// enter notes all nodes of an expression as it will be.
func (c *copier) enter(x ast.Node) {
	ast.Walk(x, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok && c.Instead[x] != nil {
			c.enter(c.Instead[x])
			return false
		}
		c.within[n] = true
		return true
	}, nil)
}

type copier struct {
	Change
	made map[ast.Node]ast.Node // by the original
	// within are the nodes that are copied, nil for all; of others, outside makes the copies,
	// if it is not nil.
	within  map[ast.Node]bool
	outside *copier
}

// file fills the copy of a file but for its unresolved names: only some of them may be left.
func (c *copier) file(f, out *ast.File) {
	out.Unresolved = nil
	out.Decls = c.decls(f, f.Decls)
	if specs := c.Imports[f]; specs != nil {
		n := len(f.Preamble())
		out.Decls = slices.Insert(out.Decls, n, c.node(&ast.ImportDecl{Specs: specs}).(ast.Decl))
	}
}

func (c *copier) decls(in ast.Node, decls []ast.Decl) []ast.Decl {
	out := make([]ast.Decl, 0, len(decls))
	for _, d := range decls {
		if turns := c.Expand[d]; turns != nil {
			out = append(out, c.expand(d.(*ast.Comprehension).Value.(*ast.StructLit), turns)...)
			continue
		}
		if c.Drop == nil || !c.Drop(in, d) {
			out = append(out, c.node(d).(ast.Decl))
		}
	}
	return out
}

// expand copies the fields of a body for each turn. What they refer to outside of it is
// the same for all.
func (c *copier) expand(body *ast.StructLit, turns []Change) (out []ast.Decl) {
	within := map[ast.Node]bool{}
	ast.Walk(body, func(n ast.Node) bool { within[n] = true; return true }, nil)
	for _, change := range turns {
		turn := &copier{Change: change, made: map[ast.Node]ast.Node{}, within: within, outside: c}
		for _, x := range change.Instead {
			turn.within[x] = true
		}
		out = append(out, turn.decls(body, body.Elts)...)
		for _, x := range change.Instead {
			delete(turn.within, x)
		}
	}
	return out
}

// node copies a node, once: names lead to the fields and imports that they stand for.
func (c *copier) node(n ast.Node) ast.Node {
	if x, ok := n.(ast.Expr); ok && c.Instead[x] != nil {
		return c.node(c.Instead[x])
	}
	if c.within != nil && !c.within[n] {
		if c.outside != nil {
			return c.outside.node(n)
		}
		return n
	}
	if out, ok := c.made[n]; ok {
		return out
	}
	switch x := n.(type) {
	case *ast.File:
		return n // one that is not copied, which a name is in the scope of
	case *ast.Ident:
		out := copied(c, x)
		out.Scope, out.Node = optional(c, x.Scope), optional(c, x.Node)
	case *ast.BasicLit:
		copied(c, x)
	case *ast.Field:
		return c.field(x)
	case *ast.StructLit:
		out := copied(c, x)
		out.Elts = c.decls(x, x.Elts)
	case *ast.SelectorExpr:
		out := copied(c, x)
		out.X, out.Sel = optional(c, x.X), c.label(x.Sel)
	case *ast.BinaryExpr:
		out := copied(c, x)
		out.X, out.Y = optional(c, x.X), optional(c, x.Y)
	case *ast.ParenExpr:
		out := copied(c, x)
		out.X = optional(c, x.X)
	case *ast.CallExpr:
		out := copied(c, x)
		out.Fun, out.Args = optional(c, x.Fun), each(c, x.Args)
	case *ast.ListLit:
		out := copied(c, x)
		out.Elts = each(c, x.Elts)
	case *ast.Interpolation:
		out := copied(c, x)
		out.Elts = each(c, x.Elts)
	default:
		c.fields(n)
	}
	return c.made[n]
}

// field copies a field. Names refer to the value of a field, and to the field itself only if it has an alias, or its pattern has one: only
// then is the copy noted.
func (c *copier) field(x *ast.Field) *ast.Field {
	out := new(ast.Field)
	*out = *x
	_, isAlias := x.Label.(*ast.Alias)
	if _, isPattern := x.Label.(*ast.ListLit); isAlias || isPattern || x.Alias != nil {
		c.made[x] = out
	}
	out.Label, out.Value, out.Attrs = c.label(x.Label), optional(c, x.Value), each(c, x.Attrs)
	if x.Alias != nil {
		out.Alias = c.node(x.Alias).(*ast.PostfixAlias)
	}
	return out
}

// label copies a label. Nothing refers to a label that is a plain name or a text, so that the copy need not be noted.
func (c *copier) label(x ast.Label) ast.Label {
	switch x := x.(type) {
	case *ast.Ident:
		if x.Node == nil && x.Scope == nil {
			out := *x
			return &out
		}
	case *ast.BasicLit:
		out := *x
		return &out
	}
	return optional(c, x)
}

// copied is a copy of a node that still has the parts of the original.
func copied[T any, N interface {
	*T
	ast.Node
}](c *copier, x N) *T {
	out := new(T)
	*out = *x
	c.made[x] = N(out)
	return out
}

// optional is the copy of a part that may be nil.
func optional[N ast.Node](c *copier, x N) N {
	if any(x) == nil {
		return x
	}
	return c.node(x).(N)
}

// each copies the nodes of a list.
func each[N ast.Node](c *copier, all []N) []N {
	if all == nil {
		return nil
	}
	out := make([]N, len(all))
	for i, x := range all {
		out[i] = c.node(x).(N)
	}
	return out
}

// fields copies a node of any other kind. There are many kinds, and few nodes of each in a file.
func (c *copier) fields(n ast.Node) {
	v := reflect.ValueOf(n)
	out := reflect.New(v.Type().Elem())
	out.Elem().Set(v.Elem())
	c.made[n] = out.Interface().(ast.Node)
	for i := range out.Elem().NumField() {
		if f := out.Elem().Field(i); f.CanSet() {
			f.Set(c.value(f))
		}
	}
}

func (c *copier) value(v reflect.Value) reflect.Value {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return v
		}
		out := reflect.New(v.Type()).Elem()
		out.Set(c.value(v.Elem()))
		return out
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(c.value(v.Index(i)))
		}
		return out
	case reflect.Pointer:
		if n, ok := v.Interface().(ast.Node); ok && !v.IsNil() {
			return reflect.ValueOf(c.node(n))
		}
	}
	return v
}

// dropUnused takes out of a file what is only another name for something, where
// nothing refers to it by that.
func dropUnused(f *ast.File) {
	for changed := true; changed; {
		u := newUnused(f, otherNames(f))
		if len(u.names) > 0 {
			ast.Walk(f, u.drop, nil)
		}
		f.Decls = u.decls(f.Decls)
		changed = u.changed
	}
}

// HasWrongNames reports whether files have a let, or another name for a field or a value, that nothing refers to, or lets that are made of
// each other. CUE calls those mistakes.
func HasWrongNames(files []*ast.File) bool { return filter.Any(files, hasWrongNames) }

func hasWrongNames(f *ast.File) bool {
	var unused map[ast.Node]bool // what names would lead to
	var lets []*ast.LetClause
	add := func(n ast.Node) {
		if unused == nil {
			unused = map[ast.Node]bool{}
		}
		unused[n] = true
	}
	ast.Walk(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.LetClause:
			lets = append(lets, x)
			add(x)
		case *ast.Field:
			if _, ok := x.Label.(*ast.Alias); ok || x.Alias != nil && x.Alias.Field != nil && x.Alias.Field.Name != "_" {
				add(x)
			}
			if of, ok := x.Value.(*ast.Alias); ok {
				add(of)
			}
		}
		return true
	}, func(n ast.Node) {
		if x, ok := n.(*ast.Comprehension); ok { // a let between its clauses may be unused
			for _, c := range x.Clauses {
				delete(unused, c)
			}
		}
	})
	if unused == nil {
		return false
	}
	ast.Walk(f, func(n ast.Node) bool {
		if x, ok := n.(*ast.Ident); ok {
			delete(unused, x.Node)
		}
		return true
	}, nil)
	made := map[*ast.LetClause]bool{}
	return len(unused) > 0 || filter.Any(lets, func(x *ast.LetClause) bool { return isMadeOfItself(x, made) })
}

// isMadeOfItself reports whether a let refers to itself, directly or through other lets. In done, lets have true once they have been looked
// through, and false while they are.
func isMadeOfItself(x *ast.LetClause, done map[*ast.LetClause]bool) (is bool) {
	if isDone, met := done[x]; met {
		return !isDone
	}
	done[x] = false
	ast.Walk(x.Expr, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && !is {
			let := LetOf(id)
			is = let != nil && isMadeOfItself(let, done)
		}
		return !is
	}, nil)
	done[x] = true
	return is
}

// otherNames are those that lets and aliases give in a file.
func otherNames(f *ast.File) (names []string) {
	ast.Walk(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.LetClause:
			names = append(names, x.Ident.Name)
		case *ast.Alias:
			names = append(names, x.Ident.Name)
		case *ast.PostfixAlias:
			if x.Field != nil {
				names = append(names, x.Field.Name)
			}
		}
		return true
	}, nil)
	return names
}

// newUnused counts how often each of other names and each import is referred to in a file.
func newUnused(f *ast.File, names []string) *unused {
	u := &unused{imports: map[*ast.ImportSpec]int{}, names: map[string]int{}}
	for _, name := range names {
		u.names[name] = 0
	}
	ast.Walk(f, u.count, nil)
	return u
}

// unused finds names that nothing refers to.
type unused struct {
	imports map[*ast.ImportSpec]int
	names   map[string]int
	changed bool
}

func (u *unused) count(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.Ident:
		u.add(x.Name, 1)
		if spec, ok := x.Node.(*ast.ImportSpec); ok {
			u.imports[spec]++
		}
	case *ast.Field:
		u.isNoReference(x.Label)
	case *ast.SelectorExpr:
		u.isNoReference(x.Sel)
	}
	return true
}

// isNoReference takes back what is counted for a label.
func (u *unused) isNoReference(label ast.Label) {
	if id, ok := label.(*ast.Ident); ok {
		u.add(id.Name, -1)
	}
}

func (u *unused) add(name string, n int) {
	if _, ok := u.names[name]; ok {
		u.names[name] += n
	}
}

func (u *unused) drop(n ast.Node) bool {
	switch x := n.(type) {
	case *ast.StructLit:
		x.Elts = u.decls(x.Elts)
	case *ast.Field:
		if a, ok := x.Label.(*ast.Alias); ok && u.names[a.Ident.Name] == 1 {
			if label, ok := a.Expr.(ast.Label); ok {
				x.Label, u.changed = label, true
			}
		}
		if a, ok := x.Value.(*ast.Alias); ok && u.names[a.Ident.Name] == 1 {
			x.Value, u.changed = a.Expr, true
		}
		if a := x.Alias; a != nil && a.Field != nil && a.Label == nil && u.names[a.Field.Name] == 1 {
			x.Alias, u.changed = nil, true
		}
	}
	return true
}

// decls leaves out lets, aliases and imports that nothing refers to.
func (u *unused) decls(decls []ast.Decl) []ast.Decl {
	n := len(decls)
	decls = filter.Out(decls, func(d ast.Decl) bool {
		switch x := d.(type) {
		case *ast.LetClause:
			return u.names[x.Ident.Name] == 1
		case *ast.Alias:
			return u.names[x.Ident.Name] == 1
		case *ast.ImportDecl:
			x.Specs = filter.Out(x.Specs, func(s *ast.ImportSpec) bool { return u.imports[s] == 0 })
			return len(x.Specs) == 0
		}
		return false
	})

	u.changed = u.changed || len(decls) != n
	return decls
}
