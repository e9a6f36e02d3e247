package partial

import (
	"slices"
	"strconv"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// choice is a type that is one of several structs of named fields:
//
//	*{kind: "memory"} | {kind: "disk", path: string}
//
// It takes values that say by a text, a boolean or a number which of the structs they are. Of others
// CUE has to tell, also where they are copied to: there the structs may not be closed.
type choice [][]alternativeField

// alternativeField is a field of one of the structs.
type alternativeField struct {
	name     string
	optional bool
	literal  *ast.BasicLit // nil if it may have several values
	takes    func(*value.Data) bool
}

// choiceOf is nil if the type is anything else, or not all that is said.
func choiceOf(v cue.Value) choice {
	n := v.Source()
	if field, ok := n.(*ast.Field); ok { // of one conjunct alone
		n = field.Value
	}
	switch n.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		of := cue.Dereference(v)
		if of.Source() == v.Source() || value.IsModel(fromcue.Pos(of)) || !isSelfContained(of.Source()) {
			return nil
		}
		return choiceOf(of)
	}
	x, ok := n.(*ast.BinaryExpr)
	if !ok || x.Op != token.OR {
		return nil
	}
	out, ok := choice{}.with(x)
	if !ok {
		return nil
	}
	return out
}

// with adds the structs of an expression. It is false if there is anything else.
func (c choice) with(x ast.Expr) (choice, bool) {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return c.with(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.MUL {
			return c.with(x.X)
		}
	case *ast.BinaryExpr:
		if x.Op != token.OR {
			return nil, false
		}
		c, ok := c.with(x.X)
		if !ok {
			return nil, false
		}
		return c.with(x.Y)
	case *ast.StructLit:
		if fields := alternative(x); fields != nil {
			return append(c, fields), true
		}
	}
	return nil, false
}

// alternative is nil for a struct with more in it than named fields of types that Go can check.
func alternative(x *ast.StructLit) (out []alternativeField) {
	for _, d := range x.Elts {
		f, ok := d.(*ast.Field)
		if !ok || f.Alias != nil || f.Value == nil || len(f.Attrs) > 0 {
			return nil
		}
		a := alternativeField{name: syntax.LabelName(f.Label), optional: f.Constraint == token.OPTION, takes: checkWhole(f.Value)}
		a.literal, _ = f.Value.(*ast.BasicLit)
		if a.name == "" || syntax.IsAside(a.name) || a.takes == nil || slices.ContainsFunc(out, func(b alternativeField) bool { return b.name == a.name }) {
			return nil
		}
		out = append(out, a)
	}
	return out
}

// checkWhole is [checkExpr] for types in which there is no choice between structs, and also for structs
// of named fields.
func checkWhole(x ast.Expr) func(*value.Data) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return checkWhole(x.X)
	case *ast.StructLit:
		if fields := alternative(x); fields != nil {
			return func(d *value.Data) bool { return takesAll(fields, d) }
		}
	case *ast.BinaryExpr, *ast.ListLit:
		hasStruct := false
		ast.Walk(x, func(n ast.Node) bool {
			_, is := n.(*ast.StructLit)
			hasStruct = hasStruct || is
			return !hasStruct
		}, nil)
		if hasStruct {
			return nil
		}
	}
	return checkExpr(x)
}

// takesAll reports whether a struct of the fields takes a value and leaves it as it is.
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

// contradicts reports whether a value has another text, boolean or number than a struct of the
// fields asks for.
func contradicts(fields []alternativeField, d *value.Data) bool {
	return slices.ContainsFunc(fields, func(f alternativeField) bool {
		x := d.Get(f.name)
		return f.literal != nil && x != nil && !f.takes(x) && isCertain(f.literal, x)
	})
}

// isCertain reports whether a literal and a value of another text differ.
func isCertain(lit *ast.BasicLit, d *value.Data) bool {
	if d.Kind != value.Int {
		return d.Kind == value.String || d.Kind == value.Bool
	}
	a, errA := strconv.Atoi(lit.Value)
	b, errB := strconv.Atoi(d.Text)
	return errA == nil && errB == nil && a != b // other than 0x10 and 1Ki
}

// takes reports whether one of the structs takes a value as it is, and the value contradicts all others.
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

// shownChoice is the choice that an expression copies from the config; nil if it copies none.
func (res *residual) shownChoice(p spread.Passed) choice {
	if p.Text || len(p.Parts) == 0 {
		return nil
	}
	path := p.Parts[0].Ref[1:]
	if len(path) == 0 {
		return nil
	}
	s := res.schema[path[0]]
	for _, name := range path[1:] {
		if s == nil {
			return nil
		}
		i := slices.IndexFunc(s.fields, func(f schemaField) bool { return f.name == name })
		if i < 0 {
			return nil
		}
		s = s.fields[i].schema
	}
	if s == nil {
		return nil
	}
	return s.choice
}
