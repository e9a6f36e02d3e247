package depends

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// Types is a struct of what is said of parameters of the artifact, which depend on nothing but
// each other. The fields are called p0, p1 and so on. It is nil
// where that is not certain, or if something has fields that another definition closes.
// It is alone if CUE can evaluate it by itself; otherwise values would lie elsewhere, or a struct
// that was a definition would take any field.
func (s *Sources) Types(names []string) (lit *ast.StructLit, alone bool) {
	if config, exact := s.at(Path{"description", "config"}); exact {
		config.expand()
	}
	parameter, exact := s.at(Path{"description", "config", "parameter"})
	if !exact || !parameter.isSimple(names) {
		return nil, false
	}
	t := types{reader: s.reader, names: names, fields: map[string]ast.Expr{}}
	for i, name := range names {
		n, exact := s.at(Path{"description", "config", "parameter", name})
		if !exact || len(n.said) == 0 {
			return nil, false
		}
		for _, c := range n.said {
			if !t.field(fmt.Sprint("p", i), c) {
				return nil, false
			}
		}
	}
	for _, id := range t.siblings {
		id.Node, id.Scope = t.fields[id.Name], &t.out
	}
	return &t.out, !t.within
}

// types is a struct in the making.
type types struct {
	reader   *reader
	names    []string
	out      ast.StructLit
	fields   map[string]ast.Expr // one declaration of each
	siblings []*ast.Ident        // that refer to a field
	within   bool                // CUE has to see it within the artifact
}

// isSimple reports whether all parameters are declared as fields with names, under any conditions, and no hidden field checks any of the given ones.
func (n *node) isSimple(names []string) bool {
	n.expand()
	own := func(c *conjunct) bool { _, p := c.scope.pkg(); return !p.Model }
	namesMore := func(c *conjunct) bool {
		x := c.decl.(*ast.Comprehension)
		return x.Fallback != nil || !hasNamesOnly(x.Value)
	}
	if filter.Any(n.patterns, own) || len(n.terms) > 0 || n.opaque || n.dynamic || len(n.copies) > 0 || filter.Any(n.bodies, namesMore) {
		return false
	}
	for name, f := range n.fields {
		if isHidden(name) && !filter.Contains(names, name) && n.reader.readsSome(f, names) {
			return false
		}
	}
	return true
}

// readsSome reports whether a field may depend on any of the named parameters.
func (r *reader) readsSome(f *node, names []string) bool {
	return filter.Any(r.reach(func(w *walk) { w.value(f, false) }), func(p Path) bool {
		return len(p) < 2 || filter.Contains(names, p[1])
	})
}

// field adds what one declaration says of a parameter; false if that cannot be written out.
func (t *types) field(name string, said *conjunct) bool {
	decl, ok := said.decl.(*ast.Field)
	if !ok || isComputed(decl) {
		return false
	}
	if _, p := said.scope.pkg(); p.Model || p != t.reader.own && syntax.HasField(decl.Value) {
		return false // a definition there may close the structs
	}
	copied := t.copied(term{x: decl.Value, scope: said.scope})
	if copied == nil || t.isOther(decl.Value, said.scope) {
		return false
	}
	t.within = t.within || isPatternOfItself(decl.Value)
	t.fields[name] = copied
	label := &ast.Ident{NamePos: decl.Pos(), Name: name}
	var field ast.Decl = &ast.Field{Label: label, Constraint: decl.Constraint, TokenPos: decl.TokenPos, Value: copied}
	if len(said.given) > 0 {
		under := &ast.Comprehension{Value: &ast.StructLit{Elts: []ast.Decl{field}}}
		for _, given := range said.given {
			is, ok := given.x.(*ast.IfClause)
			if !ok {
				return false
			}
			condition := t.copied(term{x: is.Condition, scope: given.scope})
			if condition == nil {
				return false
			}
			under.Clauses = append(under.Clauses, &ast.IfClause{If: is.If, Condition: condition})
		}
		field = under
	}
	t.out.Elts = append(t.out.Elts, field)
	return true
}

// copied writes out an expression, nil if that cannot be.
func (t *types) copied(x term) ast.Expr {
	c := newCloser(t.reader)
	c.group = t.names
	if !c.expr(x) {
		return nil
	}
	t.within = t.within || len(c.defined) > 0
	copied, copyOf := syntax.CopyExpr(x.x.(ast.Expr), syntax.Change{Instead: c.instead})
	for at := range c.config {
		if id, ok := copyOf(at).(*ast.Ident); ok {
			t.siblings = append(t.siblings, id)
		}
	}
	return copied
}

// isOther reports whether an expression is nothing but a reference to another parameter: CUE says that the value lies where that
// leads to, which is another place in the artifact than beside nothing but types.
func (t *types) isOther(x ast.Expr, s *scope) bool {
	n, _ := t.reader.target(x, s)
	return n != nil && n.config != nil
}

// isPatternOfItself reports whether there is a pattern, or a list of any length, and something
// that refers to a field beside it: CUE places that otherwise where there is more around it.
func isPatternOfItself(x ast.Expr) bool {
	pattern, refers := false, false
	within := map[ast.Node]bool{}
	ast.Walk(x, func(n ast.Node) bool {
		within[n] = true
		switch x := n.(type) {
		case *ast.Ellipsis:
			pattern = true
		case *ast.Field:
			_, isList := labelOf(x).(*ast.ListLit)
			pattern = pattern || isList
		case *ast.Ident:
			refers = refers || x.Scope != nil && within[x.Scope]
		}
		return true
	}, nil)
	return pattern && refers
}

// sibling is an expression for a part of a parameter of the group, nil for another.
func (c *closer) sibling(x ast.Expr, path Path) ast.Expr {
	if len(path) < 2 || path[0] != "parameter" || !filter.Contains(c.group, path[1]) {
		return nil
	}
	id := &ast.Ident{NamePos: x.Pos(), Name: fmt.Sprint("p", slices.Index(c.group, path[1]))}
	c.config[id] = path
	var y ast.Expr = id
	for _, name := range path[2:] {
		y = &ast.IndexExpr{X: y, Lbrack: x.Pos(), Index: ast.NewString(name)}
	}
	return y
}

// IsTyped reports whether all that is said of the value at a path of the artifact, but that it is
// one of config, is said of that too: it is right where it is, as it is in the config.
func (s *Sources) IsTyped(path ...string) bool {
	n, exact := s.at(path)
	return exact && n.typed() != nil
}

// typed is the reference by which a field copies a value of config, if all other conjuncts of the
// field are definitions that are conjuncts of that value too; nil otherwise.
func (n *node) typed() *term {
	var copied *term
	var types []*node
	for _, c := range n.said {
		if d := n.reader.definition(c); d != nil {
			types = append(types, d)
		} else if copied == nil && n.reader.ofConfig(c.x, c.scope) != nil {
			copied = &term{x: c.x, scope: c.scope}
		} else {
			return nil
		}
	}
	if copied == nil {
		return nil
	}
	config, _ := n.reader.target(copied.x.(ast.Expr), copied.scope)
	for _, c := range config.said {
		types = filter.Out(types, func(d *node) bool { return d == n.reader.definition(c) })
	}
	if len(types) > 0 {
		return nil
	}
	return copied
}

// definition is the definition that a conjunct refers to, nil if it is no such reference.
func (r *reader) definition(c *conjunct) *node {
	n, exact := r.target(c.x, c.scope)
	if n == nil || !exact || !strings.HasPrefix(n.name, "#") || r.config.up.up.holds(n) {
		return nil
	}
	return n
}

// IsCopy reports whether all that is said of the value at a path of the artifact, but for types and literals, is that it is one of config: there are no
// alternatives to choose from.
func (s *Sources) IsCopy(path ...string) bool {
	n, exact := s.at(path)
	if !exact {
		return false
	}
	n.expand()
	if n.opaque || n.dynamic || len(n.fields) > 0 || len(n.copies) != 1 {
		return false
	}
	return !filter.Any(n.terms, func(t term) bool {
		switch x := t.x.(type) {
		case *ast.BasicLit:
			return false
		case *ast.UnaryExpr:
			return x.Op == token.MUL
		case ast.Expr:
			target, exact := n.reader.target(x, t.scope)
			return !exact || target != n.copies[0]
		}
		return true
	})
}
