package depends

import (
	"sync"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// Slice is the sources of an artifact without what some of its values have nothing to
// do with.
type Slice struct {
	// Set is what the values depend on.
	Set Set
	// Defaults reports whether it may make a difference that a value of config is a default.
	Defaults bool
	// Orders reports whether it may make a difference in which order a struct of config has its fields.
	Orders bool
	// Loops and Writes tell which order that is: the one in which loops go through the fields, and the one in which they
	// are written out.
	Loops, Writes bool
	// Typed reports whether the values may differ if the types of config are left out. They may if a struct of config
	// is unified with another one, if the order of made fields is shown, and if list.FlattenN is called.
	Typed bool
	// Files are those of each package that something is left of.
	Files map[*Package][]*ast.File
	// Marks tells, of a slice without the model, that it marks a default with * somewhere outside of config.
	Marks bool
	// bare makes the files without the model, and tells of marks in them; nil if the model decides values.
	bare func() (map[*Package][]*ast.File, bool)
}

// Slice are the sources that the values at paths of the artifact are made of, with the
// config that they depend on. All values in them are what they are in the sources as a
// whole. If that config is given whole, its leaves need no types.
func (s *Sources) Slice(given bool, paths ...Path) Slice {
	w := s.reader.walk()
	w.free, w.judges = nil, true
	w.from(s, paths)
	for _, path := range paths {
		// Go checks data against the model's types, but not hidden fields and definitions.
		w.modelled = w.modelled || filter.Any(path, isHidden) && s.isModelled(path)
	}
	out := Slice{Set: w.set(), Defaults: w.asks, Orders: w.orders, Loops: w.loops, Writes: w.writes, Typed: w.typed || w.orders && w.mixes, Files: map[*Package][]*ast.File{}}
	change := s.keeping(w, given && !w.unfilled)
	for p := range s.reader.packages {
		out.Files[p] = syntax.Copy(p.Files, change)
	}
	if !w.unfilled && !w.modelled {
		out.bare = func() (map[*Package][]*ast.File, bool) { return s.bare(given, paths) }
	}
	return out
}

// from follows the values at paths of the artifact.
func (w *walk) from(s *Sources, paths []Path) {
	for _, path := range paths {
		n, exact := s.at(path)
		if exact && s.reader.parted[n] {
			w.computed(n)
		} else {
			w.value(n, false)
		}
	}
	w.markAll(s.reader.config)
}

func (s *Sources) isModelled(path Path) bool {
	n, _ := s.at(path)
	return n.isModelled(0)
}

// keeping returns the change that drops from the sources what a walk has not come by, and the types of
// config's leaves if the config is given.
func (s *Sources) keeping(w *walk, given bool) syntax.Change {
	change := syntax.Change{Instead: map[ast.Expr]ast.Expr{}, Drop: func(in ast.Node, d ast.Decl) bool { return s.reader.told[in] > 0 && !w.needs(d) }}
	if given {
		untyped(s.reader.config, change.Instead, w.notModel)
	}
	return change
}

// Bare returns the slice without the model's types. A value in it is what it is in the slice, if the
// model's type for its place accepts it as it is. Without a config that is given whole, only the
// type of the artifact is left out. It is false if the values may depend on the model otherwise.
func (s Slice) Bare() (Slice, bool) {
	if s.bare == nil {
		return s, false
	}
	s.Files, s.Marks = s.bare()
	return s, s.Files != nil
}

// bare makes the files of a slice without the model's types, or without those of whole artifacts
// only if no config is given. What only the model refers to is left out too. It is nil if anything in
// the files still refers to the model.
func (s *Sources) bare(given bool, paths []Path) (files map[*Package][]*ast.File, marks bool) {
	w := s.reader.walk()
	w.free, w.notModel = nil, true
	w.from(s, paths)
	change, repeats, out := s.keeping(w, given), s.reader.repeats(), map[*Package][]*ast.File{}
	for p := range s.reader.packages {
		if p.Model {
			continue
		}
		for _, f := range p.Files {
			ast.Walk(f, func(n ast.Node) bool {
				f, ok := n.(*ast.Field)
				if ok {
					p.withoutModel(f.Value, repeats, change.Instead)
				}
				return !ok || given
			}, nil)
		}
		files := syntax.Copy(p.Files, change)
		for _, f := range files {
			if p.namesModel(f) {
				return nil, false
			}
		}
		out[p] = files
	}
	if given { // what is said of config has been joined with it
		w = s.reader.walk()
		w.free, w.notModel, w.finished = nil, true, true
		w.from(s, paths)
	}
	return out, w.marks
}

// withoutModel replaces conjuncts of x that are types of the model with _, if the model says the same there.
func (p *Package) withoutModel(x ast.Expr, repeats map[ast.Expr]bool, instead map[ast.Expr]ast.Expr) {
	for _, x := range syntax.Conjuncts(x) {
		if p.namesType(x) && repeats[x] {
			instead[x] = anyAt(x)
		}
	}
}

// anyAt is the type _ in place of an expression.
func anyAt(x ast.Expr) *ast.Ident { return &ast.Ident{NamePos: x.Pos(), Name: "_"} }

// repeats finds where the sources name a type of the model for a field of the artifact. An expression is mapped to true if the model says the same of each
// field that it is for. Then it can be left out, because Go checks the value against the model's type for the field anyway. In config all can be left
// out: what is given there has been checked.
func (r *reader) repeats() map[ast.Expr]bool {
	artifact, out, visited := r.config.up.up, map[ast.Expr]bool{}, map[*node]bool{}
	var visit func(n *node)
	say := func(n *node, all, models []*conjunct) {
		for _, c := range all {
			_, p := c.scope.pkg()
			for _, x := range syntax.Conjuncts(c.x) {
				if !p.Model && p.namesType(x) {
					_, isSecond := out[x]
					out[x] = (out[x] || !isSecond) && (n == artifact || n.config != nil || isSaidBy(models, x))
				}
			}
		}
	}
	visit = func(n *node) {
		if visited[n] {
			return
		}
		visited[n] = true
		say(n, n.said, n.said)
		say(n, n.patterns, n.patterns)
		for _, of := range n.made {
			say(n, of.said, n.said)
		}
		for _, f := range n.fields {
			visit(f)
		}
	}
	visit(artifact)
	return out
}

// leftOut reports whether an expression is a type of the model that can be left out, see [reader.repeats].
type leftOut func(ast.Expr) bool

// repeatedTypes goes through the fields of the artifact no sooner than it is asked about a type of the model. Most expressions name none.
func (r *reader) repeatedTypes() leftOut {
	all := sync.OnceValue(r.repeats)
	return func(x ast.Expr) bool {
		for p := range r.packages {
			if p.namesType(x) {
				return all()[x]
			}
		}
		return false
	}
}

// isSaidBy reports whether a conjunct of the model names the same definition as x. The model writes #Container, and a package that imports it k.#Container.
func isSaidBy(all []*conjunct, x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	return ok && filter.Any(all, func(c *conjunct) bool {
		return c.isModels() && filter.Any(syntax.Conjuncts(c.x), func(x ast.Expr) bool {
			id, ok := x.(*ast.Ident)
			return ok && id.Name == syntax.LabelName(sel.Sel)
		})
	})
}

// isModel reports whether a name is that of the model's package.
func (p *Package) isModel(id *ast.Ident) bool {
	spec, ok := id.Node.(*ast.ImportSpec)
	if !ok {
		return false
	}
	path, err := literal.Unquote(spec.Path.Value)
	imp := p.Import(path)
	return err == nil && imp != nil && imp.Model
}

// namesModel reports whether anything in a file refers to the model.
func (p *Package) namesModel(f *ast.File) (found bool) {
	ast.Walk(f, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			found = found || p.isModel(id)
		}
		return !found
	}, nil)
	return found
}

// untyped puts _ in place of the types of leaves, and if asked of lists of leaves. Without the type of
// a list, CUE gives the items of the list other positions.
func untyped(n *node, instead map[ast.Expr]ast.Expr, lists bool) {
	for _, f := range n.fields {
		untyped(f, instead, lists)
	}
	if len(n.fields) > 0 {
		return
	}
	for _, c := range n.said {
		if c.x != nil && isType(c.x, lists) {
			instead[c.x] = anyAt(c.x)
		}
	}
}

// isType reports whether an expression consists of types, literals and bounds of leaves, and if asked
// of lists of those. It is false for structs, because the type of a struct may close it.
func isType(x ast.Expr, lists bool) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isType(x.X, lists)
	case *ast.UnaryExpr:
		return isType(x.X, lists)
	case *ast.BinaryExpr:
		return isType(x.X, lists) && isType(x.Y, lists)
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return x.Node == nil && x.Scope == nil && x.Name != "_" && syntax.IsType(x.Name)
	case *ast.Ellipsis:
		return x.Type != nil && isType(x.Type, false)
	case *ast.ListLit:
		return lists && !filter.Any(x.Elts, func(x ast.Expr) bool { return !isType(x, false) })
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
