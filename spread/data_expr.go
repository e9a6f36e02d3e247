package spread

import (
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/value"
)

// takes reports whether a schema takes a value.
func (e *Evaluator) takes(schema cue.Value, d *value.Data) bool {
	return schema.Unify(e.ctx.BuildExpr(Expr(d))).Validate() == nil
}

// Expr returns the value as a CUE literal in which every node has the position
// of its origin, so that CUE's errors about it point there.
func Expr(d *value.Data) ast.Expr {
	return exprWith(d, func(f value.Field) diag.Pos { return f.Value.Pos })
}

// expr is Expr with other positions for labels.
func exprWith(d *value.Data, label func(value.Field) diag.Pos) ast.Expr {
	var x ast.Expr
	switch d.Kind {
	case value.Struct:
		s := &ast.StructLit{Lbrace: fromcue.Token(d.Pos)}
		for _, f := range d.Fields {
			l := ast.NewStringLabel(f.Name)
			ast.SetPos(l, fromcue.Token(label(f)))
			s.Elts = append(s.Elts, &ast.Field{Label: l, Value: exprWith(f.Value, label)})
		}
		if d.Pos.IsValid() {
			return s // SetPos gives the position of a struct without braces to its first field
		}
		x = s // nor does one that lies nowhere get the place of that
	case value.List:
		l := &ast.ListLit{}
		for _, e := range d.Items {
			l.Elts = append(l.Elts, exprWith(e, label))
		}
		x = l
	case value.String:
		x = &ast.BasicLit{Kind: token.STRING, Value: literal.String.Quote(d.Text)}
	case value.Int, value.Float:
		x = numberExpr(d)
	case value.Bool:
		x = ast.NewBool(d.Text == "true")
	default:
		x = ast.NewNull()
	}
	ast.SetPos(x, fromcue.Token(d.Pos))
	return x
}

// numberExpr writes a negative number as CUE's unary expression, the only form
// that its grammar has.
func numberExpr(d *value.Data) ast.Expr {
	kind := token.INT
	if d.Kind == value.Float {
		kind = token.FLOAT
	}
	text, negative := strings.CutPrefix(d.Text, "-")
	var x ast.Expr = &ast.BasicLit{Kind: kind, Value: text}
	if negative {
		ast.SetPos(x, fromcue.Token(d.Pos))
		x = &ast.UnaryExpr{Op: token.SUB, X: x}
	}
	return x
}
