package depends

import (
	"cuelang.org/go/cue/ast"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// isOfConfig reports whether an expression refers to what may be a struct of config. If such a struct is unified with
// another one, the result depends on the types of its fields, even of optional fields that nobody gives.
func (r *reader) isOfConfig(x ast.Expr, s *scope) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return r.isOfConfig(x.X, s)
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
	default:
		return false
	}
	if id, ok := x.(*ast.Ident); ok && id.Node == nil && id.Scope == nil {
		return false // string, int and the like
	}
	n, exact := r.target(x, s)
	if n == nil || !exact {
		return !s.isModels()
	}
	return n.isStructOfConfig() || filter.Any(n.copies, (*node).isStructOfConfig)
}

// holdsConfig reports whether an expression refers to a struct of config, or is a struct literal with such a
// reference in a field, as for the argument of a definition:  #F & {#in: config.parameter.s}.
func (r *reader) holdsConfig(x ast.Expr, s *scope) bool {
	lit, ok := syntax.Unparen(x).(*ast.StructLit)
	if !ok {
		return r.isOfConfig(x, s)
	}
	return filter.Any(lit.Elts, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		return ok && f.Value != nil && r.holdsConfig(f.Value, s)
	})
}

// embedsConfig reports whether a struct literal unifies a struct of config with something: by embedding it beside
// other fields, or by having it in a field that an embedded struct or a second declaration may also have.
func (r *reader) embedsConfig(x *ast.StructLit, s *scope) bool {
	embeds := func(d ast.Decl) bool {
		e, ok := d.(*ast.EmbedDecl)
		return ok && r.isOfConfig(e.Expr, s)
	}
	if len(x.Elts) < 2 || !filter.Any(x.Elts, embeds) && !r.holdsConfig(x, s) {
		return false
	}
	names := map[string]bool{}
	return filter.Any(x.Elts, func(d ast.Decl) bool {
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

// isStructOfConfig reports whether a field belongs to config and may be a struct. Definitions that are given beside
// the sections of a config do not count, because they have no types.
func (n *node) isStructOfConfig() bool {
	if n.config == nil || len(n.config) > 0 && IsAside(n.config[0]) {
		return false
	}
	return filter.Any(n.said, func(c *conjunct) bool { return !c.isModels() && c.x != nil && !isLeaf(c.x) })
}

// joinsConfig reports whether a field is a copy of a struct of config and has other conjuncts too.
func (n *node) joinsConfig() bool {
	return filter.Any(n.copies, (*node).isStructOfConfig) &&
		filter.Any(n.said, func(c *conjunct) bool { return !c.isModels() && c.x != nil && !isReference(c.x) })
}

// isReference reports whether an expression is a reference, or a struct that only embeds one:  {config.parameter.s}.
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
