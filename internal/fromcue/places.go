package fromcue

import (
	"cmp"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/value"
)

// ValuePositions returns where v was written, the most telling place first.
func ValuePositions(v cue.Value) []diag.Pos {
	var ps []diag.Pos
	add := func(p diag.Pos) {
		if p.IsValid() && !slices.Contains(ps, p) {
			ps = append(ps, p)
		}
	}
	d, _ := v.Default()
	add(ValuePos(d))
	add(ValuePos(v))
	if op, args := ExprOf(v); op == cue.AndOp {
		for _, a := range args {
			add(ValuePos(a))
		}
	}
	return ps
}

// OwnPos is the most telling place of a value that is not in the model.
func OwnPos(v cue.Value) diag.Pos {
	return cmp.Or(filter.Out(ValuePositions(v), value.IsModel)...)
}

// WrittenPos is the place of a struct or list: of its first conjunct that the
// model has not made.
func WrittenPos(v cue.Value) diag.Pos {
	if p := ValuePos(v); !value.IsModel(p) {
		return p
	}
	return OwnPos(v)
}

// ValuePos is where a value is written: of a single one that is given to a level, where
// that comes from, and not the label that the level has for it.
func ValuePos(v cue.Value) diag.Pos {
	p := Pos(v)
	if p.Filename() != LevelFile {
		return p
	}
	if f, ok := v.Source().(*ast.Field); ok {
		return givenPos(f.Value)
	}
	return diag.NoPos
}

// givenPos is where a given value comes from: of a struct that lies nowhere itself,
// its first field.
func givenPos(x ast.Expr) diag.Pos {
	s, ok := x.(*ast.StructLit)
	if !ok || s.Lbrace.IsValid() || len(s.Elts) == 0 {
		return Pos(x)
	}
	return givenPos(s.Elts[0].(*ast.Field).Value)
}
