package spread

import (
	"strings"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/syntax"
)

// written is a label as a source file has it.
type written struct {
	pos  diag.Pos
	text string // "" if the label was not found
}

// CUE gives either a field's label or its value as the place of a value.
// labelOf returns the label, or pos itself if that is not in a CUE file of the
// program (in a values file, say).
func (r *Runner) labelOf(pos diag.Pos) written {
	if f := r.fieldAt(pos); f != nil {
		return written{fromcue.Pos(f.Label), labelText(f.Label)}
	}
	return written{pos: pos}
}

// LabelAt returns the label at a place in the files of packages, as they have it, and its
// place; "" if there is none.
func LabelAt(packages []*Package, pos diag.Pos) (diag.Pos, string) {
	for _, p := range packages {
		if p.HasFile(pos.Filename()) {
			at := (&Runner{sources: []*Package{p}}).labelOf(pos)
			return at.pos, at.text
		}
	}
	return diag.NoPos, ""
}

// valueOf is like labelOf for the value.
func (r *Runner) valueOf(pos diag.Pos) diag.Pos {
	if f := r.fieldAt(pos); f != nil {
		return fromcue.Pos(f.Value)
	}
	return pos
}

// fieldAt returns the field whose label or value is at pos, nil if there is
// none. In a: b: 1 the value of a is where the label of b is: b is meant.
func (r *Runner) fieldAt(pos diag.Pos) *ast.Field {
	at := r.indexOf(pos.Filename())
	if f := at.labels[pos]; f != nil {
		return f
	}
	return at.values[pos]
}

// fileIndex is what a file of the program has at its places.
type fileIndex struct {
	labels, values map[diag.Pos]*ast.Field
	definitions    map[diag.Pos]bool // where one is taken from another package
}

// indexOf reads the places of a file once: where 1,000 roles are wrong, each asks for several.
func (r *Runner) indexOf(file string) fileIndex {
	at, ok := r.indexes[file]
	if ok {
		return at
	}
	at = fileIndex{map[diag.Pos]*ast.Field{}, map[diag.Pos]*ast.Field{}, map[diag.Pos]bool{}}
	if f := r.file(file); f != nil {
		ast.Walk(f, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.Field:
				if x.Value != nil {
					at.labels[fromcue.Pos(x.Label)], at.values[fromcue.Pos(x.Value)] = x, x
				}
			case *ast.SelectorExpr:
				if strings.HasPrefix(syntax.LabelName(x.Sel), "#") {
					at.definitions[fromcue.Pos(x)] = true
				}
			}
			return true
		}, nil)
	}
	if r.indexes == nil {
		r.indexes = map[string]fileIndex{}
	}
	r.indexes[file] = at
	return at
}

// labelText is a plain label as it is written, "" for a computed one.
func labelText(l ast.Label) string {
	switch x := l.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.BasicLit:
		return x.Value
	}
	return ""
}

// file is the file of the program that is called so, nil if there is none.
func (r *Runner) file(name string) *ast.File {
	for _, p := range r.sources {
		for _, f := range p.Files {
			if f.Filename == name {
				return f
			}
		}
	}
	return nil
}
