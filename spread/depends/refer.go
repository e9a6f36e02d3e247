package depends

import (
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
)

// pkg is the node of the package around a scope, and the package.
func (s *scope) pkg() (*node, *Package) {
	for s.out != nil {
		s = s.out
	}
	return s.is, s.of
}

// isModels reports whether a scope is one of the model's sources.
func (s *scope) isModels() bool {
	_, p := s.pkg()
	return p != nil && p.Model
}

// refers is the field that x refers to, or one that it lies in, which is not exact;
// nil if it is none that is known. It leads there through others.
func (r *reader) refers(x ast.Expr, s *scope) (n *node, exact bool, through []*node) {
	through = make([]*node, 0, 8)
	n, exact = r.refer(x, s, &through)
	return n, exact, through
}

// target is what x refers to, as [reader.refers] has it, where it does not matter what lies on the way.
func (r *reader) target(x ast.Expr, s *scope) (n *node, exact bool) { return r.refer(x, s, nil) }

func (r *reader) refer(x ast.Expr, s *scope, through *[]*node) (n *node, exact bool) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.refer(x.X, s, through)
	case *ast.Ident:
		return r.ident(x, s, through)
	case *ast.SelectorExpr:
		name, ok := nameOf(x.Sel)
		return r.below(x.X, name, ok, s, through)
	case *ast.IndexExpr:
		name, ok := indexed(x)
		return r.below(x.X, name, ok, s, through)
	}
	return nil, false
}

// indexed is the name in an index, false for one that is computed.
func indexed(x *ast.IndexExpr) (string, bool) {
	lit, ok := x.Index.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	name, err := literal.Unquote(lit.Value)
	if isHidden(name) {
		name = `"` + name
	}
	return name, err == nil
}

// below is the field of a name in what x refers to.
func (r *reader) below(x ast.Expr, name string, known bool, s *scope, through *[]*node) (*node, bool) {
	n, exact := r.refer(x, s, through)
	if n == nil || !exact || !known || strings.HasPrefix(name, "[") { // in a [Path], [0] is an element of a list
		return n, false
	}
	return n.there(name, through)
}

// there is [node.field] for a reference. Where nothing but a pattern or an optional field has the name, the field need not be
// there, and is not exact.
func (n *node) there(name string, through *[]*node) (f *node, exact bool) {
	f, exact = n.field(name, through)
	if exact && !f.exists() {
		return n, false
	}
	return f, exact
}

// exists reports whether a field, and each that it lies in, is declared by its name: neither as optional or required, nor by a pattern
// alone. What is given to the artifact counts.
func (n *node) exists() bool {
	for ; n.up != nil && n.config == nil; n = n.up {
		if !filter.Any(n.said, (*conjunct).makesField) {
			return false
		}
	}
	return true
}

// makesField reports whether a conjunct makes the field that it is said of, where it is used.
func (c *conjunct) makesField() bool {
	f, ok := c.decl.(*ast.Field)
	if !ok {
		return true
	}
	_, named := nameOf(labelOf(f))
	return named && f.Constraint == token.ILLEGAL
}

func (r *reader) ident(x *ast.Ident, s *scope, through *[]*node) (n *node, exact bool) {
	if spec, ok := x.Node.(*ast.ImportSpec); ok {
		_, p := s.pkg()
		path, _ := strconv.Unquote(spec.Path.Value)
		if p = p.Import(path); p == nil {
			return nil, false
		}
		return r.root(p), true
	}
	if t, ok := named(x, s); ok {
		if r.naming++; r.naming <= maxNaming {
			n, exact = r.refer(t.x.(ast.Expr), t.scope, through)
		}
		r.naming--
		return n, exact
	}
	if alias, ok := x.Node.(*ast.Alias); ok {
		if in := s.find(alias); in != nil {
			return in.is, true
		}
	}
	if isOfPattern(x) {
		return nil, false // it is a text
	}
	if x.Scope == nil {
		if root, _ := s.pkg(); root.fields[x.Name] != nil {
			return root.there(x.Name, through)
		}
		return nil, false
	}
	in := s.find(x.Scope)
	if in == nil {
		return nil, false // it is a name within the expression
	}
	if f, ok := x.Node.(*ast.Field); ok { // another name for it
		name, ok := nameOf(labelOf(f))
		if !ok {
			return in.is, false
		}
		return in.is.there(name, through)
	}
	return in.is.there(x.Name, through)
}

// named is the expression that a let or an alias of one stands for.
func named(x *ast.Ident, s *scope) (term, bool) {
	var expr ast.Expr
	switch d := x.Node.(type) {
	case *ast.LetClause:
		expr = d.Expr
	case *ast.Alias:
		expr = d.Expr
	default:
		return term{}, false
	}
	in := s.find(x.Scope)
	if in == nil {
		return term{}, false
	}
	return term{x: expr, scope: in}, true
}
