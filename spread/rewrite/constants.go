package rewrite

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/source"
	"kumiki.dev/spread/syntax"
)

// A service may read what an artifact is whatever its config is:
//
//	config: parameter: backend: "\(w.#Artifact.description.srv.server.http.port)"
//
// and what its roles are called, whatever they are:
//
//	_names: [for name, _ in description.role {name}]
//
// Such values are written in place of what refers to them, in a copy of the service's package: so a
// stub can stand for the artifact all the same, and names of roles do not depend on the roles.

// Leaf is a literal for a value of the artifact of a package as it is without a config, with its place moved. It is nil
// where the value is no leaf, or not known.
type Leaf func(p *source.Package, path []string, move func(diag.Pos) diag.Pos) ast.Expr

// constants are literals for the leaves of artifacts that the sources of a package refer to, and
// structs of roles' names. Some of its roles may have artifacts that were written out.
func constants(p *source.Package, lib *source.Library, leaf Leaf, written map[string]inPlace) map[ast.Expr]ast.Expr {
	c := &constantSearch{lib: lib, leaf: leaf, pkg: p, written: written, instead: map[ast.Expr]ast.Expr{}, known: map[string]ast.Expr{}}
	for _, f := range p.Files {
		ast.Walk(f, c.visit, nil)
	}
	return c.instead
}

type constantSearch struct {
	lib     *source.Library
	leaf    Leaf
	pkg     *source.Package
	written map[string]inPlace // by role
	instead map[ast.Expr]ast.Expr
	known   map[string]ast.Expr // by role, package and path; nil for what is no leaf
}

func (c *constantSearch) visit(n ast.Node) bool {
	if x, ok := n.(*ast.Comprehension); ok {
		c.names(x)
	}
	x, ok := n.(*ast.SelectorExpr)
	if !ok {
		return true
	}
	imp, role, path := c.inArtifact(x)
	if imp == nil || len(path) == 0 {
		return true
	}
	if lit := c.constant(imp, role, path); lit != nil {
		c.instead[x] = lit
	}
	return false
}

// names replaces the struct of all roles in a comprehension by one with the same field names, if the
// comprehension uses nothing but those names.
func (c *constantSearch) names(x *ast.Comprehension) {
	for _, clause := range x.Clauses {
		f, ok := clause.(*ast.ForClause)
		if !ok || isUsed(f.Value, x) {
			continue
		}
		names, ok := c.lib.Sources(c.pkg).RoleNames(f.Source)
		if !ok {
			continue
		}
		lit := &ast.StructLit{Lbrace: f.Source.Pos()}
		for _, name := range names {
			lit.Elts = append(lit.Elts, &ast.Field{Label: ast.NewString(name), Value: ast.NewIdent("_")})
		}
		c.instead[f.Source] = lit
	}
}

// isUsed reports whether the variable of a clause is referred to in a comprehension.
func isUsed(variable *ast.Ident, in *ast.Comprehension) (used bool) {
	if variable == nil || variable.Name == "_" {
		return false
	}
	ast.Walk(in, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		used = used || ok && id != variable && id.Name == variable.Name
		return !used
	}, nil)
	return used
}

// inArtifact is the package, and the path in its artifact, that an expression names: by the
// import, or by way of a role that it fills.
func (c *constantSearch) inArtifact(x ast.Expr) (imp *source.Package, role string, path []string) {
	for {
		sel, ok := x.(*ast.SelectorExpr)
		if !ok {
			return nil, "", nil
		}
		if imp = c.pkg.ArtifactOf(sel); imp != nil {
			slices.Reverse(path)
			return imp, "", path
		}
		name := syntax.LabelName(sel.Sel)
		if name == "artifact" {
			role, filling := c.lib.Sources(c.pkg).Filling(sel)
			if imp = c.pkg.ArtifactOf(filling); imp != nil {
				slices.Reverse(path)
				return imp, role, path
			}
		}
		path = append(path, name)
		x = sel.X
	}
}

// constant is a literal for a leaf of the artifact of a package as it is without a config,
// nil where there is none.
func (c *constantSearch) constant(imp *source.Package, role string, path []string) ast.Expr {
	moved := c.written[role].moved
	key := imp.Path + "\x00" + strings.Join(path, "\x00")
	if moved != nil {
		key = role + "\x00" + key
	}
	if lit, ok := c.known[key]; ok {
		return lit
	}
	c.known[key] = nil
	if filter.Any(path, syntax.IsAside) || !imp.IsUsable() || path[0] == "ref" {
		return nil
	}
	if len(c.lib.Sources(imp).Of(path...)) > 0 {
		return nil
	}
	c.known[key] = c.leaf(imp, path, moved.move)
	return c.known[key]
}
