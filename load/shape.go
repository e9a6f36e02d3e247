package load

import (
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/shape"
	"kumiki.dev/spread"
)

// mend gives the files of a package the model's form, as far as it is plain what
// is meant, before their imports are looked for.
func (l *loader) mend(m *module, p *spread.Package, files []*ast.File) {
	if !m.embedded {
		l.shapes(shape.Mend(&shape.Package{Path: p.Path, Name: p.Name, Files: files}))
	}
}

// mendArtifacts does so for what takes to know the imports.
func (l *loader) mendArtifacts(m *module, p *spread.Package) {
	if m.embedded {
		return
	}
	defines := func(spec *ast.ImportSpec, name string) bool {
		imp := p.Imports[strings.Trim(spec.Path.Value, `"`)]
		return imp != nil && !imp.Missing && hasField(imp.Files, name)
	}
	l.shapes(shape.MendArtifacts(&shape.Package{Path: p.Path, Name: p.Name, Files: p.Files}, defines))
}

// shapes reports problems, those of a file that belongs to several packages once.
func (l *loader) shapes(problems diag.List) {
	for _, d := range problems {
		if l.once("shape", d.Pos.String(), string(d.Code)) {
			l.report(d)
		}
	}
}
