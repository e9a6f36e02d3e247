// Package schema holds the CUE definitions of the service model, the single
// source of truth: what users import is what kumiki checks with.
package schema

import (
	"embed"
	"io/fs"
	"slices"
)

//go:embed kumori.systems kumiki.dev
var files embed.FS

// Files returns the sources of all modules, by import path:
// "kumori.systems/kumori/artifact.cue".
func Files() fs.FS { return files }

// Module is a module that comes with kumiki.
type Module struct {
	Path    string
	Version string // the version that is meant when nobody names one
}

var modules = []Module{
	{"kumori.systems/kumori", "1.0.11"},
	{"kumori.systems/builtins/inbound", "1.1.0"},
	{"kumiki.dev/environment", "1.0.0"},
	{"kumiki.dev/template", "1.0.0"},
	{"kumiki.dev/policy", "1.0.0"},
}

// Modules lists the modules in Files.
func Modules() []Module { return slices.Clone(modules) }
