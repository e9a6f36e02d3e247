package partial

import (
	"fmt"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/spread/compute"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// Of the parameters that CUE makes together, Go can make those that are leaves, such as
//
//	host: string
//	port: *8080 | uint16
//	url:  *"http://\(host):\(port)" | =~"^http"
//	name: strings.ToUpper(host)

// declaration is what is said of such a parameter.
type declaration struct {
	// takes reports whether the parameter can be a value that is given; nil if none may be.
	takes func(*value.Data) bool
	// made is the value if none is given; nil if one has to be.
	made *compute.Expr
	// place is where CUE has shown that such a value lies; known tells that it has.
	place diag.Pos
	known bool
}

// declarations reads the struct of [depends.Sources.Types], whose fields are p0, p1 and so on; nil if one of
// them is for CUE.
func declarations(types *ast.StructLit) (out []*declaration) {
	if types == nil {
		return nil
	}
	for i, e := range types.Elts {
		f := e.(*ast.Field)
		d := declarationOf(f.Value, types)
		if d == nil || syntax.LabelName(f.Label) != labelOf(i) || f.Constraint != token.ILLEGAL {
			return nil
		}
		out = append(out, d)
	}
	return out
}

// declarationOf reads  T,  *x | T  and  x,  where T refers to no other parameter.
func declarationOf(x ast.Expr, types *ast.StructLit) *declaration {
	chosen, other := x, ast.Expr(nil) // of several, the one that is marked as a default
	if or, ok := syntax.Unparen(x).(*ast.BinaryExpr); ok && or.Op == token.OR {
		chosen, other = or.X, or.Y
		if _, isStar := starred(chosen); !isStar {
			chosen, other = or.Y, or.X
		}
	}
	inner, isStar := starred(chosen)
	if !isStar {
		if takes := checkExpr(x); takes != nil && isScalarType(x) && len(siblingsIn(x, types)) == 0 {
			return &declaration{takes: takes}
		}
		return onlyMade(&declaration{made: madeOf(x, types)})
	}
	if other == nil || !isScalarType(other) || len(siblingsIn(other, types)) > 0 {
		return nil
	}
	d := &declaration{takes: checkExpr(other), made: madeOf(inner, types)}
	if d.takes == nil {
		return nil
	}
	return onlyMade(d)
}

// onlyMade is nil for a declaration of which Go cannot make the value.
func onlyMade(d *declaration) *declaration {
	if d.made == nil {
		return nil
	}
	return d
}

// starred is what is marked as a default.
func starred(x ast.Expr) (ast.Expr, bool) {
	star, ok := syntax.Unparen(x).(*ast.UnaryExpr)
	if !ok || star.Op != token.MUL {
		return nil, false
	}
	return star.X, true
}

// madeOf is an expression for a value, nil for one that Go does not make. A copy of another parameter may lie
// where that does, or here.
func madeOf(x ast.Expr, types *ast.StructLit) *compute.Expr {
	c := &depends.Closed{Exprs: []ast.Expr{x}}
	for _, id := range siblingsIn(x, types) {
		c.Config = append(c.Config, depends.Ref{In: id, Path: depends.Path{id.Name}})
	}
	if made := compute.New(c); made != nil && !made.IsCopy() {
		return made
	}
	return nil
}

// siblingsIn are the references in an expression to fields of the struct.
func siblingsIn(x ast.Expr, types *ast.StructLit) (out []*ast.Ident) {
	ast.Walk(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Scope == types {
			out = append(out, id)
		}
		return true
	}, nil)
	return out
}

// compute makes the parameters of the group with what is given of them; nil where that is for CUE.
func (g *parameterGroup) compute(own *value.Data) *value.Data {
	if g.rules == nil {
		return nil
	}
	given, made, out := own.Get("parameter"), value.NewStruct(own.Pos), value.NewStruct(own.Pos)
	for len(out.Fields) < len(g.names) {
		before := len(out.Fields)
		for i, name := range g.names {
			if made.Get(labelOf(i)) != nil {
				continue
			}
			if d := g.rules[i].value(given.Get(name), made); d != nil {
				made, out = made.Set(labelOf(i), d), out.Set(name, d)
			}
		}
		if len(out.Fields) == before {
			return nil // those that are left are for CUE, or refer to each other
		}
	}
	return out
}

// value is the parameter with what is given of it, and the others as far as they are made.
func (d *declaration) value(given, made *value.Data) *value.Data {
	if given != nil {
		if d.takes == nil || given.IsComposite() || !given.Pos.IsValid() || !d.takes(given) {
			return nil
		}
		return &value.Data{Kind: given.Kind, Text: given.Text, Pos: given.Pos}
	}
	x := d.make(made)
	if x == nil || !d.known {
		return nil
	}
	x.Pos = d.place
	return x
}

// make is the value if none is given.
func (d *declaration) make(made *value.Data) *value.Data {
	if d.made == nil {
		return nil
	}
	return d.made.Value(made)
}

// learn takes the places of values that nobody gave from CUE, where Go makes the same.
func (g *parameterGroup) learn(own, made *value.Data) {
	if g.rules == nil {
		return
	}
	given, all := own.Get("parameter"), value.NewStruct(made.Pos)
	for i, name := range g.names {
		if d := made.Get(name); d != nil {
			all = all.Set(labelOf(i), d)
		}
	}
	for i, name := range g.names {
		rule, d := g.rules[i], made.Get(name)
		if d == nil || given.Get(name) != nil {
			continue
		}
		x := rule.make(all)
		if x == nil {
			continue
		}
		if x.Kind != d.Kind || x.Text != d.Text || rule.known && rule.place != d.Pos {
			g.rules = nil
			return
		}
		rule.place, rule.known = d.Pos, true
	}
}

// labelOf is what a parameter of a group is called in [depends.Sources.Types].
func labelOf(i int) string { return fmt.Sprint("p", i) }
