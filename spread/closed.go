package spread

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Closed evaluates expressions beside the values of config that they refer to. The value has
// them under their index. It is false if one of those has fields whose order an expression
// might show.
func (e *Evaluator) Closed(all []*depends.Closed, config *value.Data) (v cue.Value, ok bool) {
	x := withConfig(all, config)
	if x == nil {
		return cue.Value{}, false
	}
	return e.expression(x), true
}

// withConfig is a struct that has the expressions under their index, beside the values of config
// that they refer to. It is nil if one of those has fields whose order an expression might show.
func withConfig(closed []*depends.Closed, config *value.Data) *ast.StructLit {
	out := &ast.StructLit{}
	fields := map[string]*ast.Field{}
	field := func(path depends.Path) *ast.Field {
		key := strings.Join(path, "\x00")
		if f := fields[key]; f != nil {
			return f
		}
		f := &ast.Field{Label: ast.NewIdent(fmt.Sprint("config", len(fields))), Value: ast.NewIdent("_"), Constraint: token.OPTION}
		if d := config.Get(path...); d != nil {
			f.Value, f.Constraint = Expr(d), token.ILLEGAL
			ast.SetPos(f.Label, fromcue.Token(d.Pos))
		}
		fields[key] = f
		out.Elts = append(out.Elts, f)
		return f
	}
	for i, c := range closed {
		instead := map[ast.Expr]ast.Expr{}
		for _, x := range c.Config {
			if d := config.Get(x.Path...); d != nil && isOrdered(d) {
				return nil
			}
			f := field(x.Path)
			instead[x.In] = &ast.Ident{NamePos: x.In.Pos(), Name: f.Label.(*ast.Ident).Name, Node: f.Value, Scope: out}
		}
		label := ast.NewString(fmt.Sprint(i))
		for _, x := range c.Exprs {
			y, _ := syntax.CopyExpr(x, syntax.Change{Instead: instead})
			out.Elts = append(out.Elts, &ast.Field{Label: label, Value: y})
		}
		if len(c.Exprs) == 1 && c.Decl == nil {
			// CUE places a value at its field if there is nothing else, and the artifact has more.
			out.Elts = append(out.Elts, &ast.Field{Label: label, Value: ast.NewIdent("_")})
		}
	}
	return out
}

// isOrdered reports whether a value has fields that may come in another order.
func isOrdered(d *value.Data) (found bool) {
	d.Walk(nil, func(_ []string, x *value.Data) bool {
		found = found || len(x.Fields) > 1
		return !found
	})
	return found
}
