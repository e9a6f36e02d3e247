package spread

import (
	"fmt"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Closed evaluates expressions beside the values of config that they refer to. The value has
// them under their index. It is false if one of those has fields whose order an expression
// might show, or if a definition is written out in one.
func (e *Evaluator) Closed(all []*depends.Closed, config *value.Data) (v cue.Value, ok bool) {
	x := withConfig(all, config)
	if x == nil {
		return cue.Value{}, false
	}
	return e.expression(x), true
}

// withConfig is a struct that has the expressions under their index, beside the values of config
// that they refer to. It is nil if one of those has fields whose order an expression might show, or if only Go may evaluate an expression.
func withConfig(closed []*depends.Closed, config *value.Data) *ast.StructLit {
	b := &beside{out: &ast.StructLit{}, config: config, fields: map[string]*ast.Field{}, constants: map[*depends.Closed]*ast.Field{}}
	for i, c := range closed {
		if c.Defined != nil || c.Unplaced || filter.Any(c.Config, func(x depends.Ref) bool { return IsOrdered(config.Get(x.Path...)) }) {
			return nil
		}
		label := ast.NewString(fmt.Sprint(i))
		for _, x := range c.Exprs {
			b.add(label, b.written(c, x))
		}
		if len(c.Exprs) == 1 && c.Decl == nil && c.Picks == nil {
			// CUE places a value at its field if there is nothing else, and the artifact has more.
			b.add(label, ast.NewIdent("_"))
		}
	}
	return b.out
}

// beside is a struct that has expressions and, as fields beside them, what they refer to.
type beside struct {
	out       *ast.StructLit
	config    *value.Data
	fields    map[string]*ast.Field // those of config, by path
	constants map[*depends.Closed]*ast.Field
}

func (b *beside) add(label ast.Label, x ast.Expr) *ast.Field {
	f := &ast.Field{Label: label, Value: x}
	b.out.Elts = append(b.out.Elts, f)
	return f
}

// written is an expression that refers to fields of the struct.
func (b *beside) written(c *depends.Closed, x ast.Expr) ast.Expr {
	instead := map[ast.Expr]ast.Expr{}
	refer := func(id *ast.Ident, f *ast.Field) {
		instead[id] = &ast.Ident{NamePos: id.Pos(), Name: f.Label.(*ast.Ident).Name, Node: f.Value, Scope: b.out}
	}
	for _, k := range c.Constants {
		refer(k.In, b.constant(k.Is))
	}
	for _, x := range c.Config {
		refer(x.In, b.field(x.Path))
	}
	y, _ := syntax.CopyExpr(x, syntax.Change{Instead: instead})
	return y
}

// constant is the field for a constant, which is added once.
func (b *beside) constant(c *depends.Closed) *ast.Field {
	if b.constants[c] == nil {
		x := b.written(c, c.Exprs[0])
		b.constants[c] = b.add(ast.NewIdent(fmt.Sprint("constant", len(b.constants))), x)
	}
	return b.constants[c]
}

// field is the one for a value of config.
func (b *beside) field(path depends.Path) *ast.Field {
	key := strings.Join(path, "\x00")
	if f := b.fields[key]; f != nil {
		return f
	}
	f := b.add(ast.NewIdent(fmt.Sprint("config", len(b.fields))), ast.NewIdent("_"))
	f.Constraint = token.OPTION
	if d := b.config.Get(path...); d != nil {
		f.Value, f.Constraint = Expr(d), token.ILLEGAL
		ast.SetPos(f.Label, fromcue.Token(d.Pos))
	}
	b.fields[key] = f
	return f
}

// IsOrdered reports whether a value has fields that may come in another order.
func IsOrdered(d *value.Data) bool {
	return d.Holds(func(x *value.Data) bool { return len(x.Fields) > 1 })
}
