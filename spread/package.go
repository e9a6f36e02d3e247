package spread

import (
	"kumiki.dev/spread/source"
	"kumiki.dev/value"
)

// Package is a [source.Package]: one CUE package as the loader hands it over.
type Package = source.Package

// Module is a [source.Module]: where a package comes from.
type Module = source.Module

// Embedded is a [source.Embedded]: a file that a source embeds.
type Embedded = source.Embedded

// PackageOf is the package that the artifact of a node is defined in, nil where
// nothing is known of it.
func PackageOf(n *value.Node) *Package {
	p, _ := n.Package.(*Package)
	return p
}

// asPackage is the package as a node has it.
func asPackage(p *Package) value.Package {
	if p == nil {
		return nil
	}
	return p
}
