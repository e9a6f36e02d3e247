package load

import (
	"path"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
)

// contextFile is the file of the model that says what an artifact knows of where it is
// deployed.
const contextFile = "context.cue"

// trimModel leaves that file out where nobody asks: then it costs nothing.
func trimModel(packages []*spread.Package) {
	if filter.Any(packages, func(p *spread.Package) bool { return p.Context }) {
		return
	}
	for _, p := range packages {
		if p.Module != nil && p.Module.Path == modelPath && EmbeddedModule(p.Module.Path) && !p.Module.Main {
			p.Files = filter.Out(p.Files, func(f *ast.File) bool { return path.Base(f.Filename) == contextFile })
		}
	}
}

// contextWritten finds the fields by which a file writes what an artifact is told of where it
// is deployed, and takes them out of the tree.
func contextWritten(f *ast.File) diag.List {
	var out diag.List
	var within []string // the labels of the fields around
	remove := func(decls []ast.Decl) []ast.Decl {
		if len(within) == 0 || within[len(within)-1] != "config" {
			return decls
		}
		return filter.Out(decls, func(d ast.Decl) bool {
			field, ok := d.(*ast.Field)
			if !ok || labelOf(field.Label) != spread.Context || isQuoted(field.Label) {
				return false
			}
			out = append(out, spread.ContextWritten(fromcue.Pos(field.Label)))
			return true
		})

	}
	ast.Walk(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			within = append(within, labelOf(x.Label))
		case *ast.StructLit:
			x.Elts = remove(x.Elts)
		}
		return true
	}, func(n ast.Node) {
		if _, ok := n.(*ast.Field); ok {
			within = within[:len(within)-1]
		}
	})
	return out
}

func isQuoted(l ast.Label) bool {
	_, ok := l.(*ast.BasicLit)
	return ok
}
