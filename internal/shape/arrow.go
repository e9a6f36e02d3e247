package shape

import (
	"cmp"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
)

// arrows mends connectors that are drawn as an arrow, which CUE takes for a minus and a
// bound:
//
//	connect: api: web.api -> api.rest // → api: {from: web: "api", to: api: rest: _}
//
// Of one that does not say which channels it joins nothing is left.
func (m *mender) arrows(description []*ast.StructLit) {
	for _, lit := range below(description, "connect") {
		lit.Elts = filter.Out(lit.Elts, func(d ast.Decl) bool {
			switch d := d.(type) {
			case *ast.EmbedDecl:
				if a, ok := arrowOf(d.Expr); ok {
					m.reportArrow(a, "NAME")
					return true
				}
			case *ast.Field:
				if a, ok := arrowOf(d.Value); ok {
					m.reportArrow(a, nameOf(d.Label))
					if d.Value = a.connector(); d.Value == nil {
						return true
					}
				}
			}
			return false
		})

	}
}

// arrow is one, with the role and the channel at each end; "" for a channel that is not
// there.
type arrow struct {
	pos      diag.Pos
	from, to [2]string
}

func arrowOf(x ast.Expr) (arrow, bool) {
	minus, ok := x.(*ast.BinaryExpr)
	if !ok || minus.Op != token.SUB {
		return arrow{}, false
	}
	head, ok := minus.Y.(*ast.UnaryExpr)
	if !ok || head.Op != token.GTR {
		return arrow{}, false
	}
	return arrow{fromcue.Pos(x), endOf(minus.X), endOf(head.X)}, true
}

// endOf is the role and the channel of an end: web, web.api, "web".
func endOf(x ast.Expr) [2]string {
	switch x := x.(type) {
	case *ast.Ident:
		return [2]string{x.Name}
	case *ast.SelectorExpr:
		return [2]string{endOf(x.X)[0], nameOf(x.Sel)}
	case *ast.BasicLit:
		if name, ok := text(x); ok {
			return [2]string{name}
		}
	}
	return [2]string{"ROLE"}
}

func (m *mender) reportArrow(a arrow, name string) {
	m.report(diag.New(diag.Shape, a.pos, "-> is no operator of CUE: a connector says which channels it joins; write %s: {from: %s: %q, to: %s: %s: _}",
		name, quoted(a.from[0]), cmp.Or(a.from[1], "CHANNEL"), quoted(a.to[0]), quoted(cmp.Or(a.to[1], "CHANNEL"))), "description", "connect", name)
}

// connector is what the arrow stands for, nil where it does not say which channels.
func (a arrow) connector() ast.Expr {
	if a.from[1] == "" || a.to[1] == "" {
		return nil
	}
	channel := ast.NewString(a.from[1])
	ast.SetPos(channel, fromcue.Token(a.pos))
	any := ast.NewIdent("_")
	ast.SetPos(any, fromcue.Token(a.pos))
	from := structOf(a.pos, "from", structOf(a.pos, a.from[0], channel))
	to := structOf(a.pos, "to", structOf(a.pos, a.to[0], structOf(a.pos, a.to[1], any)))
	return &ast.StructLit{Elts: append(from.Elts, to.Elts...)}
}
