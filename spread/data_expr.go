package spread

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
)

// Expr returns the value as a CUE literal in which every node has the position
// of its origin, so that CUE's errors about it point there.
func (d *Data) Expr() ast.Expr {
	var x ast.Expr
	switch d.Kind {
	case Struct:
		s := &ast.StructLit{}
		for _, f := range d.Fields {
			label := ast.NewStringLabel(f.Name)
			ast.SetPos(label, f.Value.Pos)
			s.Elts = append(s.Elts, &ast.Field{Label: label, Value: f.Value.Expr()})
		}
		x = s
	case List:
		l := &ast.ListLit{}
		for _, e := range d.Items {
			l.Elts = append(l.Elts, e.Expr())
		}
		x = l
	case String:
		x = &ast.BasicLit{Kind: token.STRING, Value: literal.String.Quote(d.Text)}
	case Int, Float:
		x = numberExpr(d)
	case Bool:
		x = ast.NewBool(d.Text == "true")
	default:
		x = ast.NewNull()
	}
	ast.SetPos(x, d.Pos)
	return x
}

// unorderedExpr returns the value as [Data.Expr] does, in a form that tells CUE
// nothing of the order of fields: where an order is to be seen, as in what
// json.Marshal makes, it is that of the artifact's declarations. No two fields are
// in one struct literal, and no label has a position, by which CUE orders literals:
//
//	{parameter: host: "h"} & {parameter: port: 80}
//
// The labels of a list's elements keep theirs, because an error about one has no
// other place; there CUE sees by the conjunction itself that they have no order.
func (d *Data) unorderedExpr() ast.Expr {
	switch {
	case d.Kind == List:
		l := &ast.ListLit{}
		for _, e := range d.Items {
			l.Elts = append(l.Elts, e.unorderedItem())
		}
		ast.SetPos(l, d.Pos)
		return l
	case d.Kind != Struct || len(d.Fields) == 0:
		return d.Expr()
	}
	var list []ast.Expr
	for _, s := range d.singles() {
		list = append(list, s)
	}
	return allOf(list)
}

// unorderedItem is unorderedExpr for an element of a list.
func (d *Data) unorderedItem() ast.Expr {
	if d.Kind != Struct || len(d.Fields) == 0 {
		return d.unorderedExpr()
	}
	var list []ast.Expr
	for _, f := range d.Fields {
		for _, s := range NewStruct(d.Pos, f).singles() {
			ast.SetPos(s.Elts[0].(*ast.Field).Label, f.Value.Pos)
			list = append(list, s)
		}
	}
	return allOf(list)
}

// singles are struct literals that together are the struct, each with a single
// field, in which is a single field, and so on.
func (d *Data) singles() []*ast.StructLit {
	var out []*ast.StructLit
	add := func(name string, value ast.Expr) {
		out = append(out, &ast.StructLit{Elts: []ast.Decl{&ast.Field{Label: ast.NewStringLabel(name), Value: value}}})
	}
	for _, f := range d.Fields {
		if f.Value.Kind != Struct || len(f.Value.Fields) == 0 {
			add(f.Name, f.Value.unorderedExpr())
			continue
		}
		for _, s := range f.Value.singles() {
			add(f.Name, s)
		}
	}
	return out
}

// allOf is the conjunction of the expressions, as a tree that is not deep.
func allOf(list []ast.Expr) ast.Expr {
	if len(list) == 1 {
		return list[0]
	}
	n := len(list) / 2
	return &ast.BinaryExpr{X: allOf(list[:n]), Op: token.AND, Y: allOf(list[n:])}
}

// numberExpr writes a negative number as CUE's unary expression, the only form
// that its grammar has.
func numberExpr(d *Data) ast.Expr {
	kind := token.INT
	if d.Kind == Float {
		kind = token.FLOAT
	}
	text, negative := strings.CutPrefix(d.Text, "-")
	var x ast.Expr = &ast.BasicLit{Kind: kind, Value: text}
	if negative {
		ast.SetPos(x, d.Pos)
		x = &ast.UnaryExpr{Op: token.SUB, X: x}
	}
	return x
}
