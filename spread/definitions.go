package spread

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// undefined reports the definitions of other packages that p uses and that are
// not there. CUE itself says nothing of them until everything else is known,
// and then that something is incomplete.
func undefined(p *Package) (out []mistake) {
	for _, f := range p.Files {
		if value.IsModel(fromcue.Pos(f)) {
			continue
		}
		ast.Walk(f, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			imp := (&uses{pkg: p}).imported(sel.X)
			name := syntax.LabelName(sel.Sel)
			if imp == nil || imp.Missing || imp.Broken || imp.Defines(name) || !strings.HasPrefix(name, "#") && !imp.Defines("#"+name) {
				return true
			}
			d := diag.New(diag.UnknownReference, fromcue.Pos(sel.Sel), "package %s has no %s%s", imp.Path, name, meant(name, definitionNames(imp)))
			out = append(out, mistake{fromcue.Pos(sel.Sel), d, nearDefinition(sel, imp)})
			return false
		}, nil)
	}
	return out
}

// definitionNames are the definitions of a package, sorted.
func definitionNames(p *Package) []string {
	var out []string
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok && strings.HasPrefix(syntax.LabelName(field.Label), "#") {
				out = append(out, syntax.LabelName(field.Label))
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// importNames are the names by which the files of a package call its imports.
func importNames(p *Package) []string {
	var out []string
	for _, f := range p.Files {
		for _, d := range f.Decls {
			imports, ok := d.(*ast.ImportDecl)
			if !ok {
				continue
			}
			for _, spec := range imports.Specs {
				if spec.Name != nil {
					out = append(out, spec.Name.Name)
				} else if imp := p.Imports[strings.Trim(spec.Path.Value, `"`)]; imp != nil {
					out = append(out, imp.Name)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// importCalled says of a name that a file does not have how the import that was probably
// meant is called there, or that it is another file's.
func importCalled(p *Package, name string, at diag.Pos) (say, meant string) {
	for _, f := range p.Files {
		for spec := range f.ImportSpecs() {
			file := fromcue.Pos(spec.Path).Filename()
			isHere := file == at.Filename()
			switch {
			case spec.Name == nil || file == "":
			case spec.Name.Name == name && !isHere:
				return fmt.Sprintf(" is an import of another file, and each has its own: write import %s %s in this one", name, spec.Path.Value), diag.AnyImport
			case isHere && directoryOf(spec) == name && spec.Name.Name != name:
				return fmt.Sprintf(" is not what the import is called: write %s, as its package is, or import %s %s", spec.Name.Name, name, spec.Path.Value), spec.Name.Name
			}
		}
	}
	if strings.HasPrefix(name, "#") {
		return fmt.Sprintf(" is no definition of this package; one of another is written with what its import is called, NAME.%s", name), diag.AnyImport
	}
	if name == "k" || name == "kumori" {
		return fmt.Sprintf(" is neither a field here nor an import: write import %s \"kumori.systems/kumori:kumori\"", name), diag.AnyImport
	}
	return "", ""
}

// directoryOf is the last part of an import's path, without its package and version.
func directoryOf(spec *ast.ImportSpec) string {
	dir, _, _ := strings.Cut(path.Base(strings.Trim(spec.Path.Value, `"`)), ":")
	dir, _, _ = strings.Cut(dir, "@")
	return dir
}

// meant proposes the nearest of the names, or lists them.
func meant(word string, names []string) string {
	if near, ok := diag.Nearest(word, names); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	if len(names) == 0 || len(names) > 8 {
		return ""
	}
	return "; it has " + strings.Join(names, ", ")
}
