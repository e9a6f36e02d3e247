package spread

import (
	"strings"

	"cuelang.org/go/cue/ast"
)

// isModel reports whether a package is the model's, which comes with kumiki: its
// definitions do not refer from one field to the value of another. One of another
// module may have the same name.
func isModel(p *Package) bool {
	rest, ok := strings.CutPrefix(p.Path, "kumori.systems/kumori")
	return ok && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "@")) && p.Name == "kumori" && (p.Module == nil || !p.Module.Main)
}

// contained reports whether what is written at n refers to nothing but the model and
// CUE's own packages. What it is unified with cannot change it elsewhere then.
func (p *Package) contained(n ast.Node) bool {
	contained := true
	ast.Walk(n, func(n ast.Node) bool {
		x, ok := n.(*ast.Ident)
		if ok && x.Node != nil {
			imp, isImport := p.importOf(x)
			contained = contained && isImport && (imp == nil || isModel(imp))
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

// importOf is the package that x names, nil for one of CUE's own; false if x names
// something else.
func (p *Package) importOf(x *ast.Ident) (*Package, bool) {
	spec, ok := x.Node.(*ast.ImportSpec)
	if !ok {
		return nil, false
	}
	return p.Imports[strings.Trim(spec.Path.Value, `"`)], true
}

// imported reports whether a selector takes something from a package that refers to
// other things there, and so may depend on what it is unified with.
func (s *sources) imported(x *ast.SelectorExpr) bool {
	id, ok := x.X.(*ast.Ident)
	if !ok {
		return false
	}
	imp, _ := s.pkg.importOf(id)
	if imp == nil || isModel(imp) || len(s.fields) == 5 && s.at("#Artifact", "description", "role", s.fields[3], "artifact") {
		return false
	}
	imp.link()
	found := imp.definitions(labelName(x.Sel))
	for _, f := range found {
		if !imp.contained(f.Value) || s.inConfig() && hasPattern(f.Value) {
			return true
		}
	}
	return len(found) == 0
}

// link lets the names in a file know the fields of the other files that they
// stand for, as CUE does, but not before it evaluates the package.
func (p *Package) link() {
	if p.linked {
		return
	}
	p.linked = true
	fields := map[string]ast.Node{}
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if x, ok := d.(*ast.Field); ok && x.Value != nil {
				if id, ok := x.Label.(*ast.Ident); ok {
					fields[id.Name] = x.Value
				}
			}
		}
	}
	for _, f := range p.Files {
		for _, x := range f.Unresolved {
			if n, ok := fields[x.Name]; ok && x.Node == nil {
				x.Node = n
			}
		}
	}
}
