package spread

import (
	"strings"

	"cuelang.org/go/cue/ast"
)

// IsModel reports whether a package is the model's, which comes with kumiki: its
// definitions do not refer from one field to the value of another. One of another
// module may have the same name.
func IsModel(p *Package) bool {
	rest, ok := strings.CutPrefix(p.Path, "kumori.systems/kumori")
	return ok && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "@")) && p.Name == "kumori" && (p.Module == nil || !p.Module.Main)
}

// ImportOf is the package that x names, nil for one of CUE's own; false if x names
// something else.
func (p *Package) ImportOf(x *ast.Ident) (*Package, bool) {
	spec, ok := x.Node.(*ast.ImportSpec)
	if !ok {
		return nil, false
	}
	return p.Imports[strings.Trim(spec.Path.Value, `"`)], true
}

// Link lets the names in a file know the fields of the other files that they
// stand for, as CUE does, but not before it evaluates the package.
func (p *Package) Link() {
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
