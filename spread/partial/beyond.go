package partial

import (
	"slices"
	"strings"

	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"

	"cuelang.org/go/cue/ast"
)

// isBeyond reports whether the sources of a package say something that this package does not understand, so that CUE has to see all
// of them: they use the experiment aliasv2, by which self is the struct around it, or a field is a part of #Artifact as the package
// defines it, without a config:
//
//	_defaults: #Artifact.description.config.parameter
//
// A reference to a field of that would be taken for one to the config that a role gives.
func isBeyond(p *spread.Package) bool {
	return usesSelf(p) || slices.ContainsFunc(p.Files, holdsArtifact)
}

// usesSelf looks for the experiment in the package and in those that it takes definitions from.
func usesSelf(p *spread.Package) bool {
	if slices.ContainsFunc(p.Files, func(f *ast.File) bool {
		return slices.ContainsFunc(f.Decls, func(d ast.Decl) bool {
			a, ok := d.(*ast.Attribute)
			return ok && strings.HasPrefix(a.Text, "@experiment(") && strings.Contains(a.Text, "aliasv2")
		})
	}) {
		return true
	}
	for _, imp := range p.Imports {
		if imp != nil && !imp.IsModel() && !imp.IsArtifact() && usesSelf(imp) {
			return true
		}
	}
	return false
}

// holdsArtifact reports whether a field or a let in a file is #Artifact, or a part of it.
func holdsArtifact(f *ast.File) (holds bool) {
	ast.Walk(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			holds = holds || isOwnArtifact(x.Value)
		case *ast.LetClause:
			holds = holds || isOwnArtifact(x.Expr)
		}
		return !holds
	}, nil)
	return holds
}

// isOwnArtifact reports whether an expression refers to the package's own #Artifact or a part of it, or unifies that with something.
func isOwnArtifact(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return isOwnArtifact(x.X)
	case *ast.Alias:
		return isOwnArtifact(x.Expr)
	case *ast.BinaryExpr:
		return isOwnArtifact(x.X) || isOwnArtifact(x.Y)
	case *ast.SelectorExpr:
		return isOwnArtifact(x.X)
	case *ast.IndexExpr:
		return isOwnArtifact(x.X)
	case *ast.StructLit:
		return slices.ContainsFunc(x.Elts, func(d ast.Decl) bool {
			e, ok := d.(*ast.EmbedDecl)
			return ok && isOwnArtifact(e.Expr)
		})
	case *ast.Ident:
		return syntax.LabelName(x) == "#Artifact"
	}
	return false
}
