package spread

import (
	"slices"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// Package is one CUE package as the loader hands it over: parsed and complete
// (the schema's conjuncts are among its files), but not evaluated.
type Package struct {
	// Path is the import path with its qualifier, unique in a compilation and
	// the same on every machine: "kumori.examples/calccache/kafka:service".
	Path string
	// Name is the package's name, the qualifier of Path.
	Name string
	// Module is the module that the package belongs to.
	Module *Module
	// Files are the parsed sources in a stable order. They are shared, never
	// changed by this package.
	Files []*ast.File
	// Imports maps every import path written in Files to its package. Builtin
	// packages of CUE ("strings") are not in it.
	Imports map[string]*Package
	// Digest is "sha256:…" over the names (relative to the module) and the
	// contents of the package's own sources; imports are not part of it.
	Digest string
	// Embedded are files that are no sources and stand in Files as values.
	Embedded []Embedded
	// Context tells that the sources mention the context of an artifact, config.#context.
	Context bool
	// Acknowledged are the warnings that the sources say are known.
	Acknowledged diag.Acknowledgements
	// Missing marks the placeholder of a package that was not found. The loader
	// has reported it; the stages go on without it to find what else is wrong.
	Missing bool
	// Broken marks a package that cannot be evaluated, because of its syntax or
	// of a circle that it imports itself by. The loader has reported that.
	Broken bool

	linked  bool     // see link
	origin  *Package // that it is a part or a copy of, see written
	written bool     // it is the artifact in a role of that
	// deployed tells that it is the artifact of that, a deployment.
	deployed bool
	// decided tells that it has fields in place of conditions of that.
	decided bool
	// unrolled tells that it has fields in place of comprehensions of that.
	unrolled bool
}

// Embedded is a file that a source embeds.
type Embedded struct {
	// File is its name within the module, with slashes.
	File string
	Text []byte
}

// ImportPath implements [value.Package].
func (p *Package) ImportPath() string { return p.Path }

// OwnFiles are the files without those of the model.
func (p *Package) OwnFiles() []*ast.File {
	return slices.DeleteFunc(slices.Clone(p.Files), func(f *ast.File) bool { return value.IsModel(fromcue.Pos(f)) })
}

// PackageOf is the package that the artifact of a node is defined in, nil where
// nothing is known of it.
func PackageOf(n *value.Node) *Package {
	p, _ := n.Package.(*Package)
	return p
}

// of is the package as a node has it.
func (p *Package) of() value.Package {
	if p == nil {
		return nil
	}
	return p
}

// unusable reports whether nothing can be said about what the package defines.
func (p *Package) unusable() bool { return p.Missing || p.Broken }

// hasRoles reports whether the package may define a service: it imports artifacts.
func (p *Package) hasRoles() bool {
	for _, imp := range p.Imports {
		if imp.IsArtifact() && imp.Name != "kumori" {
			return true
		}
	}
	return false
}

// Module is where a package comes from.
type Module struct {
	// Path is the module's path without version: "kumori.examples/calccache".
	Path string
	// Version is "3.0.7", without "v"; "" where a native main module has none.
	Version string
	// Main reports whether the module is the one that the deployment lies in.
	Main bool
	// Kam reports whether the module is written in the vendor's own style
	// (kmodule.cue). Undeclared config fields are only warnings there.
	Kam bool
}
