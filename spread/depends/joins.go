package depends

import (
	"slices"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/syntax"
)

// isOfConfig reports whether an expression refers to a struct that may be one of config. Joined with another, the types
// of its fields, and of those that nobody gives, decide what comes out.
func (r *reader) isOfConfig(x ast.Expr, s *scope) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.isOfConfig(x.X, s)
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
	default:
		return false
	}
	if id, ok := x.(*ast.Ident); ok && id.Node == nil && id.Scope == nil {
		return false // one of CUE's own
	}
	n, exact, _ := r.refers(x, s)
	if n == nil || !exact {
		return !s.isModels()
	}
	return n.isStructOfConfig() || slices.ContainsFunc(n.copies, (*node).isStructOfConfig)
}

// holdsConfig reports whether an expression is a struct of config, or a struct with one in a field: an argument
// of a definition.
func (r *reader) holdsConfig(x ast.Expr, s *scope) bool {
	lit, ok := syntax.Unparen(x).(*ast.StructLit)
	if !ok {
		return r.isOfConfig(x, s)
	}
	return slices.ContainsFunc(lit.Elts, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		return ok && f.Value != nil && r.holdsConfig(f.Value, s)
	})
}

// embedsConfig reports whether a struct of config is embedded beside other fields, or is in a field beside
// something that is embedded, or in one that is declared twice.
func (r *reader) embedsConfig(x *ast.StructLit, s *scope) bool {
	embeds := func(d ast.Decl) bool {
		e, ok := d.(*ast.EmbedDecl)
		return ok && r.isOfConfig(e.Expr, s)
	}
	if len(x.Elts) < 2 || !slices.ContainsFunc(x.Elts, embeds) && !r.holdsConfig(x, s) {
		return false
	}
	names := map[string]bool{}
	return slices.ContainsFunc(x.Elts, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		if !ok {
			return isEmbedding(d)
		}
		name, ok := nameOf(labelOf(f))
		again := ok && names[name]
		names[name] = true
		return again
	})
}

// isStructOfConfig reports whether a field is one of config that may be a struct. What is given beside the sections
// of a config has no types.
func (n *node) isStructOfConfig() bool {
	if n.config == nil || len(n.config) > 0 && IsAside(n.config[0]) {
		return false
	}
	return slices.ContainsFunc(n.said, func(c *conjunct) bool { return !c.isModels() && c.x != nil && !isLeaf(c.x) })
}

// joinsConfig reports whether a field is a copy of a struct of config, and something else is said of it.
func (n *node) joinsConfig() bool {
	return slices.ContainsFunc(n.copies, (*node).isStructOfConfig) &&
		slices.ContainsFunc(n.said, func(c *conjunct) bool { return !c.isModels() && c.x != nil && !isReference(c.x) })
}

// isReference reports whether an expression is a name, or a struct in which nothing but one is embedded.
func isReference(x ast.Expr) bool {
	switch x := syntax.Unparen(x).(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
		return true
	case *ast.StructLit:
		if len(x.Elts) == 1 {
			e, ok := x.Elts[0].(*ast.EmbedDecl)
			return ok && isReference(e.Expr)
		}
	}
	return false
}
