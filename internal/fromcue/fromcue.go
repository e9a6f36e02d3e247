// Package fromcue reads what CUE has evaluated and reported: it looks values up, and turns
// errors, and the paths and positions of errors and values, into ours. What of it has to be
// said in words of the model's is for spread/wording. Plain literals need no evaluation: [Literal].
package fromcue

import (
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
)

// Problems passes CUE's own errors on under a code, one problem each, with their
// text unchanged: the first of their positions is the problem's, the others are
// related. An error that is a problem already stays what it is.
func Problems(code diag.Code, err error) diag.List {
	var own *diag.Diagnostic
	if errors.As(err, &own) {
		return diag.List{own}
	}
	var l diag.List
	for _, e := range errors.Errors(err) {
		d := &diag.Diagnostic{Code: code, Message: errors.String(e), At: e.Path(), Cause: Detached(e)}
		for i, p := range errors.Positions(e) {
			if i == 0 {
				d.Pos = diag.At(p)
				continue
			}
			d.With(diag.At(p), "and here")
		}
		l = append(l, d)
	}
	return l
}

// Pos is where a node of the sources, or a value, is written.
func Pos(x interface{ Pos() token.Pos }) diag.Pos { return diag.At(x.Pos()) }

// Token is a position as CUE has it, none for one that is not CUE's.
func Token(p diag.Pos) token.Pos {
	t, _ := p.Location().(token.Pos)
	return t
}

// Positions are those of an error of CUE's, without those of a level's labels.
func Positions(err error) (out []diag.Pos) {
	for _, p := range errors.Positions(err) {
		if pos := diag.At(p); pos.Filename() != LevelFile {
			out = append(out, pos)
		}
	}
	return out
}
