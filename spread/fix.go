package spread

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/diag"
)

// written is a label as a source file has it.
type written struct {
	pos  token.Pos
	text string // "" if the label was not found
}

// CUE gives either a field's label or its value as the place of a value.
// labelOf returns the label, or pos itself if that is not in a CUE file of the
// program (in a values file, say).
func (r *runner) labelOf(pos token.Pos) written {
	if f := r.fieldAt(pos); f != nil {
		return written{f.Label.Pos(), labelText(f.Label)}
	}
	return written{pos: pos}
}

// valueOf is like labelOf for the value.
func (r *runner) valueOf(pos token.Pos) token.Pos {
	if f := r.fieldAt(pos); f != nil {
		return f.Value.Pos()
	}
	return pos
}

// fieldAt returns the field whose label or value is at pos, nil if there is
// none. In a: b: 1 the value of a is where the label of b is: b is meant.
func (r *runner) fieldAt(pos token.Pos) *ast.Field {
	var byLabel, byValue *ast.Field
	r.inFile(pos, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && f.Value != nil {
			switch pos {
			case f.Label.Pos():
				byLabel = f
			case f.Value.Pos():
				byValue = f
			}
		}
		return true
	})
	if byLabel != nil {
		return byLabel
	}
	return byValue
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

// inFile walks the file of the program that pos lies in.
func (r *runner) inFile(pos token.Pos, visit func(ast.Node) bool) {
	for _, p := range r.sources {
		for _, f := range p.Files {
			if f.Filename == pos.Filename() {
				ast.Walk(f, visit, nil)
				return
			}
		}
	}
}

// addition is the fix that adds a missing field, with its type as a
// placeholder, to the struct that is there for it. A struct without braces has
// no place for another field; there is no fix then.
func (r *runner) addition(at token.Pos, where place, p problem) []diag.Fix {
	at = r.valueOf(at)
	brace, depth := token.NoPos, 0
	r.inFile(at, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructLit); ok && s.Lbrace == at && at.IsValid() {
			brace = s.Lbrace
		}
		return true
	})
	if !brace.IsValid() {
		return nil
	}
	for n := len(p.path) - 1; n > 0; n-- { // what of the path the struct stands for
		if d := where.given.Get(p.path[1:n]...); d != nil && r.valueOf(d.Pos) == at {
			depth = n
			break
		}
	}
	if depth == 0 {
		return nil
	}
	var b strings.Builder
	for _, name := range p.path[depth:] {
		b.WriteString(label(name) + ": ")
	}
	line := b.String() + source(p.value)
	return []diag.Fix{{
		Title: "add " + strings.TrimSpace(line),
		Edits: []diag.Edit{{Pos: brace.Add(1), Text: "\n" + line + ","}},
	}}
}
