package partial

import (
	"fmt"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

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
//	most: *100 | (int & >=least)

// declaration is what is said of such a parameter.
type declaration struct {
	// takes reports whether a given value fits the parameter; made are the other parameters so far. It is nil if no value fits, or
	// if Go cannot tell.
	takes func(given, made *value.Data) bool
	// made is the value if none is given; nil if one has to be.
	made *computed
}

// declarations reads the struct of [depends.Sources.Types], whose fields are p0, p1 and so on. It returns nil if CUE
// has to make one of them.
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

// declarationOf reads  T,  *x | T  and  x,  where T refers to other parameters in bounds alone.
func declarationOf(x ast.Expr, types *ast.StructLit) *declaration {
	made, other, hasDefault := withDefault(syntax.Unparen(x))
	if !hasDefault {
		if takes := takesOf(x, types); takes != nil {
			return &declaration{takes: takes}
		}
		made = x
	}
	d := &declaration{made: madeOf(made, types)}
	if hasDefault {
		d.takes = takesOf(other, types)
	}
	if d.made == nil || hasDefault && d.takes == nil {
		return nil
	}
	return d
}

// takesOf returns [declaration.takes] for a type, nil if Go cannot check values of it.
func takesOf(t ast.Expr, types *ast.StructLit) func(given, made *value.Data) bool {
	if !isScalarType(t) {
		return nil
	}
	if len(siblingsIn(t, types)) == 0 {
		check := checkExpr(t)
		if check == nil {
			return nil
		}
		return func(given, _ *value.Data) bool { return check(given) }
	}
	var fixed func(*value.Data) bool
	bounds := &depends.Closed{Exprs: []ast.Expr{ast.NewIdent(givenName)}}
	bounds.Config = []depends.Ref{{In: bounds.Exprs[0].(*ast.Ident), Path: depends.Path{givenName}}}
	for _, x := range syntax.Conjuncts(t) {
		siblings := siblingsIn(x, types)
		if len(siblings) == 0 {
			before, check := fixed, checkExpr(x)
			if check == nil {
				return nil
			}
			fixed = func(d *value.Data) bool { return (before == nil || before(d)) && check(d) }
			continue
		}
		if b, ok := x.(*ast.UnaryExpr); !ok || !compute.IsBound(b.Op) {
			return nil
		}
		bounds.Exprs = append(bounds.Exprs, x)
		for _, id := range siblings {
			bounds.Config = append(bounds.Config, depends.Ref{In: id, Path: depends.Path{id.Name}})
		}
	}
	within := compute.New(bounds)
	if fixed == nil || within == nil {
		return nil // a bound alone takes fractions too
	}
	return func(given, made *value.Data) bool {
		return fixed(given) && within.Value(made.Set(givenName, given)) != nil
	}
}

// givenName is what a value that is given is called beside the parameters of [depends.Sources.Types].
const givenName = "given"

// madeOf is an expression for a value, nil for one that Go does not make. Whether a mere reference to another
// parameter lies here or there is not known.
func madeOf(x ast.Expr, types *ast.StructLit) *computed {
	c := &depends.Closed{Exprs: syntax.Conjuncts(x)}
	for _, id := range siblingsIn(x, types) {
		c.Config = append(c.Config, depends.Ref{In: id, Path: depends.Path{id.Name}})
	}
	if made := newComputed(c); made.expr != nil {
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

// compute makes the parameters of the group, of which some are given. It returns nil if CUE has to make one of them.
func (g *parameterGroup) compute(own *value.Data) *value.Data {
	if g.rules == nil {
		return nil
	}
	given, made, out := own.Get("parameter"), value.NewStruct(own.Pos), value.NewStruct(own.Pos)
	for len(made.Fields) < len(g.names) {
		before := len(made.Fields)
		for i, name := range g.names {
			if made.Get(labelOf(i)) != nil {
				continue
			}
			if syntax.IsAside(name) {
				if d := g.rules[i].made.hidden(made); d != nil {
					made = made.Set(labelOf(i), d)
				}
			} else if d := g.rules[i].value(given.Get(name), made); d != nil {
				made, out = made.Set(labelOf(i), d), out.Set(name, d)
			}
		}
		if len(made.Fields) == before {
			return nil // those that are left are for CUE, or refer to each other
		}
	}
	return out
}

// value is the parameter with what is given of it, and the others as far as they are made.
func (d *declaration) value(given, made *value.Data) *value.Data {
	if given != nil {
		if d.takes == nil || given.IsComposite() || !given.Pos.IsValid() || !d.takes(given, made) {
			return nil
		}
		return &value.Data{Kind: given.Kind, Text: given.Text, Pos: given.Pos}
	}
	return d.made.value(made)
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
		if d := made.Get(name); d != nil && given.Get(name) == nil {
			g.rules[i].made.learn(d, all)
		}
	}
}

// labelOf is what a parameter of a group is called in [depends.Sources.Types].
func labelOf(i int) string { return fmt.Sprint("p", i) }
