package partial

import (
	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"
)

// isContained reports whether what is written at n refers to nothing but the model and
// CUE's own packages. What it is unified with cannot change it elsewhere then.
func isContained(p *spread.Package, n ast.Node) bool {
	contained := true
	ast.Walk(n, func(n ast.Node) bool {
		x, ok := n.(*ast.Ident)
		if ok && x.Node != nil {
			imp, isImport := p.ImportOf(x)
			contained = contained && isImport && (imp == nil || imp.IsModel())
		}
		return true
	}, nil)
	return contained
}

// hasPattern reports whether fields are described by a pattern. CUE places a struct
// that it describes there.
func hasPattern(n ast.Node) (found bool) {
	ast.Walk(n, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok {
			_, isPattern := f.Label.(*ast.ListLit)
			found = found || isPattern
		}
		return !found
	}, nil)
	return found
}

// inConfig reports whether the walk is in the artifact's config.
func (s *sources) inConfig() bool {
	return len(s.fields) > 2 && s.fields[0] == "#Artifact" && s.fields[2] == "config"
}

// imported reports whether a selector takes something from a package that refers to
// other things there, and so may depend on what it is unified with.
func (s *sources) imported(x *ast.SelectorExpr) bool {
	id, ok := x.X.(*ast.Ident)
	if !ok {
		return false
	}
	imp, _ := s.pkg.ImportOf(id)
	if imp == nil || imp.IsModel() || len(s.fields) == 5 && s.at("#Artifact", "description", "role", s.fields[3], "artifact") {
		return false
	}
	imp.Link()
	found := imp.Definitions(syntax.LabelName(x.Sel))
	for _, f := range found {
		if !isContained(imp, f.Value) || s.inConfig() && hasPattern(f.Value) {
			return true
		}
	}
	return len(found) == 0
}
