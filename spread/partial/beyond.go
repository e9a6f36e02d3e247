package partial

import (
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread"

	"cuelang.org/go/cue/ast"
)

// isBeyond reports whether the sources of a package say something that this package does not understand, so that CUE has to see all
// of them: they use the experiment aliasv2, by which self is the struct around it.
func isBeyond(p *spread.Package) bool { return usesSelf(p) }

// usesSelf looks for the experiment in the package and in those that it takes definitions from.
func usesSelf(p *spread.Package) bool {
	if filter.Any(p.Files, func(f *ast.File) bool {
		return filter.Any(f.Decls, func(d ast.Decl) bool {
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
