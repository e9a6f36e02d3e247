package source

import (
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
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
	// Made tells how the package was made of another. It is zero for one that was loaded.
	Made Made

	linked bool // see Link
}

// Made tells how a package was made of another one.
type Made struct {
	// From is the package that this one is a copy or a part of.
	From *Package
	// Written tells that this one is an artifact that From writes out.
	Written bool
	// Deployed tells that this one is the artifact of From, a deployment.
	Deployed bool
	// Decided tells that this one has fields in place of conditions of From.
	Decided bool
	// Unrolled tells that this one has fields in place of comprehensions of From.
	Unrolled bool
	// But are the names of roles that are left as From has them, unlike in another copy.
	But string
}

// Embedded is a file that a source embeds.
type Embedded struct {
	// File is its name within the module, with slashes.
	File string
	Text []byte
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

// ImportPath implements [value.Package].
func (p *Package) ImportPath() string { return p.Path }

// HasFile reports whether a file is one of the package's.
func (p *Package) HasFile(name string) bool {
	return filter.Any(p.Files, func(f *ast.File) bool { return f.Filename == name })
}

// With returns a copy of the package that has other files.
func (p *Package) With(files []*ast.File) *Package {
	out := *p
	out.Files, out.linked = files, false
	return &out
}

// IsCopy reports whether the package was made of another one, other than one for the artifact of a role.
func (p *Package) IsCopy() bool { return p.Made.From != nil && (!p.Made.Written || p.Made.Deployed) }

// Source returns the package that was loaded: p itself, or the one that p was made of.
func (p *Package) Source() *Package {
	for p != nil && p.Made.From != nil {
		p = p.Made.From
	}
	return p
}

// OwnFiles are the files without those of the model.
func (p *Package) OwnFiles() []*ast.File {
	return filter.Out(p.Files, func(f *ast.File) bool { return value.IsModelFile(f.Filename) })
}

// IsUsable reports whether anything can be said about what the package defines: it was found and read.
func (p *Package) IsUsable() bool { return !p.Missing && !p.Broken }

// IsModel reports whether the package is the model's, which comes with kumiki: its
// definitions do not refer from one field to the value of another. One of another
// module may have the same name.
func (p *Package) IsModel() bool {
	rest, ok := strings.CutPrefix(p.Path, "kumori.systems/kumori")
	return ok && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "@")) && p.Name == "kumori" && (p.Module == nil || !p.Module.Main)
}

// HasRoles reports whether the package may define a service: it imports artifacts.
func (p *Package) HasRoles() bool {
	for _, imp := range p.Imports {
		if imp.IsArtifact() && imp.Name != "kumori" {
			return true
		}
	}
	return false
}
