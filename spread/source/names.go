package source

import (
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/spread/syntax"
)

// IsArtifact reports whether the package defines an #Artifact.
func (p *Package) IsArtifact() bool { return p.Defines("#Artifact") }

// IsDeployment reports whether the package defines a #Deployment.
func (p *Package) IsDeployment() bool { return p.Defines("#Deployment") }

// Defines reports whether a field at the top of the files has the name.
func (p *Package) Defines(name string) bool { return len(p.Definitions(name)) > 0 }

// Definitions are the fields at the top of the files that have the name.
func (p *Package) Definitions(name string) []*ast.Field {
	var out []*ast.Field
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok && syntax.LabelName(field.Label) == name {
				out = append(out, field)
			}
		}
	}
	return out
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

// ArtifactOf is the package whose artifact an expression is, as in x.#Artifact; nil for
// anything else, and for a type of the model.
func (p *Package) ArtifactOf(x ast.Expr) *Package {
	id := syntax.OfArtifact(x)
	if id == nil {
		return nil
	}
	imp, _ := p.ImportOf(id)
	if imp == nil || !imp.IsArtifact() || imp.IsModel() {
		return nil
	}
	return imp
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
