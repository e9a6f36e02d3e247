package spread

import (
	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
)

// singleQuoted words a text in single quotes, which is bytes to CUE; nil for
// anything else.
func singleQuoted(p problem, at Place) *diag.Diagnostic {
	if p.value.Kind() != cue.BytesKind {
		return nil
	}
	text, err := p.value.Bytes()
	if err != nil {
		return nil
	}
	name := p.path[len(p.path)-1]
	return diag.New(diag.NotData, sourcePos(p.value), "%s of %s is in single quotes, which are for bytes: write %s: %s, a text, in double quotes",
		joined(p.path), at, label(name), literal.String.Quote(string(text))).AtPath(at.field(p.path[0], p.path[1:]...)...)
}

// sourcePos is where a value itself is written.
func sourcePos(v cue.Value) diag.Pos {
	if f, ok := v.Source().(*ast.Field); ok && f.Value != nil {
		return fromcue.Pos(f.Value)
	}
	return first(positions(v))
}

// quotedAt is the text that a field at a position is given, in quotes of either kind,
// "" for none.
func (p *Package) quotedAt(pos diag.Pos) string {
	lit, ok := p.valueAt(pos).(*ast.BasicLit)
	if !ok {
		return ""
	}
	text, _ := literal.Unquote(lit.Value)
	return text
}
