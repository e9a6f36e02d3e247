package wording

import (
	"cmp"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// NotData words a value of a config that is none of JSON's: path is that of the value, where
// names what the config is given to.
func NotData(where string, path []string, v cue.Value) *diag.Diagnostic {
	if d := Bytes(where, path, v); d != nil {
		return d
	}
	return diag.New(diag.NotData, cmp.Or(fromcue.ValuePositions(v)...), "%s of %s is %s, which JSON cannot hold; config is pure data: write a string, number, bool, list or struct",
		Path(path), where, v.IncompleteKind())
}

// Bytes words a value that is bytes: a text in single quotes, or what a function such as sha256.Sum256 returns. It is nil for any other value.
func Bytes(where string, path []string, v cue.Value) *diag.Diagnostic {
	if v.Kind() != cue.BytesKind {
		return nil
	}
	text, err := v.Bytes()
	if err != nil {
		return nil
	}
	name := path[len(path)-1]
	if isMade(v) {
		return diag.New(diag.NotData, sourcePos(v), "%s of %s is bytes, which no file and no variable holds: make a text of them, by hex.Encode(…) or base64.Encode(null, …)", Path(path), where)
	}
	return diag.New(diag.NotData, sourcePos(v), "%s of %s is in single quotes, which are for bytes: write %s: %s, a text, in double quotes",
		Path(path), where, label(name), literal.String.Quote(string(text)))
}

// isMade reports whether a function gives a value, or one of those that are joined to it.
func isMade(v cue.Value) bool {
	op, args := fromcue.ExprOf(v)
	if op == cue.AndOp {
		return filter.Any(args, isMade)
	}
	return op == cue.CallOp
}

// sourcePos is where a value itself is written.
func sourcePos(v cue.Value) diag.Pos {
	if f, ok := v.Source().(*ast.Field); ok && f.Value != nil {
		return fromcue.Pos(f.Value)
	}
	return cmp.Or(fromcue.ValuePositions(v)...)
}
