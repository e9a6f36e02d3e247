package partial

import (
	"strconv"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// choice is a type that lets a value be one of several structs with named fields:
//
//	*{kind: "memory"} | {kind: "disk", path: string}
//
// Go decides which struct a value is if a literal rules out all others, as the text "disk" does. In all
// other cases CUE has to decide. It may decide differently where the value is copied to, because the
// structs need not be closed there.
type choice [][]alternativeField

// alternativeField is a field of one of the structs.
type alternativeField struct {
	name     string
	optional bool
	literal  *ast.BasicLit // the only value it may have, nil if it may have others
	takes    func(*value.Data) bool
}

// choiceOf returns the choice that a type is. It is nil if the type is not a choice, or if more than
// a choice is declared.
func choiceOf(v cue.Value) choice {
	if c := alternativesOf(v, maxNamed); len(c) > 1 {
		return c
	}
	return nil // one struct is no choice
}

// maxNamed bounds how many names are followed, one by the other: a definition may refer to itself.
const maxNamed = 8

// alternativesOf returns the structs that a value may be, which are written in its place or in definitions:  #Memory | {kind: "disk"} .
// It is nil if it may be anything else.
func alternativesOf(v cue.Value, further int) (out choice) {
	switch x := writtenAs(v).(type) {
	case *ast.StructLit:
		return structsOf(x)
	case *ast.Ident, *ast.SelectorExpr:
		if of, ok := definition(v); ok && further > 0 {
			return alternativesOf(of, further-1)
		}
	case *ast.BinaryExpr:
		if c := structsOf(x); c != nil {
			return c
		}
		op, all := v.Expr()
		for _, one := range all {
			c := alternativesOf(one, further)
			if op != cue.OrOp || c == nil {
				return nil
			}
			out = append(out, c...)
		}
	}
	return out
}

// definition is what a value that is written as a name refers to, false if that refers to more than definitions.
func definition(v cue.Value) (of cue.Value, ok bool) {
	of = cue.Dereference(v)
	return of, of.Source() != v.Source() && !value.IsModel(fromcue.Pos(of)) && isSelfContained(of.Source(), false)
}

// structsOf returns the structs that an expression joins with |. It is nil if anything else is joined.
func structsOf(x ast.Expr) choice {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return structsOf(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return structsOf(x.X)
		}
	case *ast.BinaryExpr:
		a, b := structsOf(x.X), structsOf(x.Y)
		if x.Op == token.OR && a != nil && b != nil {
			return append(a, b...)
		}
	case *ast.StructLit:
		if fields := alternative(x); fields != nil {
			return choice{fields}
		}
	}
	return nil
}

// alternative returns the fields of a struct. It is nil if the struct is empty, has anything but named
// fields, or has a field whose type Go cannot check.
func alternative(x *ast.StructLit) (out []alternativeField) {
	for _, d := range x.Elts {
		f, ok := d.(*ast.Field)
		if !ok || f.Alias != nil || f.Value == nil || len(f.Attrs) > 0 {
			return nil
		}
		a := alternativeField{name: syntax.LabelName(f.Label), optional: f.Constraint == token.OPTION, takes: checkWhole(f.Value)}
		a.literal, _ = f.Value.(*ast.BasicLit)
		if a.name == "" || syntax.IsAside(a.name) || a.takes == nil || filter.Any(out, func(b alternativeField) bool { return b.name == a.name }) {
			return nil
		}
		out = append(out, a)
	}
	return out
}

// checkWhole extends [checkExpr] to structs with named fields. It returns nil for a type that has
// a choice between structs in it.
func checkWhole(x ast.Expr) func(*value.Data) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return checkWhole(x.X)
	case *ast.StructLit:
		if fields := alternative(x); fields != nil {
			return func(d *value.Data) bool { return takesAll(fields, d) }
		}
	case *ast.BinaryExpr, *ast.ListLit:
		if syntax.HasField(x) {
			return nil
		}
	}
	return checkExpr(x)
}

// takesAll reports whether a value fits a struct with these fields, and already has all fields that the
// struct requires: CUE would add nothing to it.
func takesAll(fields []alternativeField, d *value.Data) bool {
	has := 0
	for _, f := range fields {
		x := d.Get(f.name)
		if x == nil && f.optional {
			continue
		}
		if x == nil || !f.takes(x) {
			return false
		}
		has++
	}
	return d.Kind == value.Struct && has == len(d.Fields)
}

// contradicts reports whether a literal in the struct rules the value out.
func contradicts(fields []alternativeField, d *value.Data) bool {
	return filter.Any(fields, func(f alternativeField) bool {
		x := d.Get(f.name)
		return f.literal != nil && x != nil && !f.takes(x) && isOther(f.literal, x)
	})
}

// isOther reports whether a value that is written differently from a literal is also a different value:
// 16 and 0x10 are the same number.
func isOther(lit *ast.BasicLit, d *value.Data) bool {
	if d.Kind != value.Int {
		return d.Kind == value.String || d.Kind == value.Bool
	}
	a, errA := strconv.Atoi(lit.Value)
	b, errB := strconv.Atoi(d.Text)
	return errA == nil && errB == nil && a != b
}

// takes reports whether a value fits exactly one of the structs as it is, and literals rule out all
// the others.
func (c choice) takes(d *value.Data) bool {
	taken, others := 0, 0
	for _, fields := range c {
		switch {
		case contradicts(fields, d):
			others++
		case takesAll(fields, d):
			taken++
		}
	}
	return taken == 1 && others == len(c)-1
}

// copiedChoice is the choice in the config that an expression is a copy of, nil if it is not one.
func (res *residual) copiedChoice(p spread.Passed) choice {
	if p.Text || len(p.Parts) == 0 || len(p.Parts[0].Ref) < 2 {
		return nil
	}
	path := p.Parts[0].Ref[1:]
	s := res.schema[path[0]]
	for _, name := range path[1:] {
		s = s.field(name)
	}
	if s == nil {
		return nil
	}
	return s.choice
}
