package partial

import (
	"fmt"
	"maps"
	"slices"

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
//	most: *100 | (int & >=least)
//
// and structs of such fields.

// declaration is what is said of such a parameter, or of a field in one.
type declaration struct {
	// takes reports whether a given value fits; made are the values of other fields so far. It is nil if no value fits, or
	// if Go cannot tell.
	takes func(given, made *value.Data) bool
	// made is the value if none is given; nil if one has to be.
	made *computed
	// fields are those of a struct, nil for a leaf.
	fields *declarations
}

// declarations are the fields of a struct. Expressions refer to them by their labels in it.
type declarations struct {
	all []declaredField
	// at is where the fields lie in what is made, while the struct is not complete.
	at []string
	// place is where CUE places the struct if it is not given, keeps tells that one which is given keeps its place.
	place diag.Pos
	keeps bool
	// unclear tells that CUE has placed it otherwise too.
	unclear bool
}

type declaredField struct {
	name, label string
	optional    bool
	*declaration
}

// declarationsIn reads the fields of a struct. The fields of the structs around it, and of the struct itself, are found in what is made
// by the paths in within. It is nil if CUE has to make one of the fields.
func declarationsIn(lit *ast.StructLit, at []string, within scopes) *declarations {
	out := &declarations{at: at}
	within = maps.Clone(within)
	within[lit] = at
	for _, e := range lit.Elts {
		f, ok := e.(*ast.Field)
		if !ok {
			return nil
		}
		x, ok := declaredOf(f, at, within)
		if !ok || slices.ContainsFunc(out.all, func(y declaredField) bool { return y.label == x.label }) {
			return nil
		}
		out.all = append(out.all, x)
	}
	return out
}

// declaredOf reads a field, false if CUE has to make it.
func declaredOf(f *ast.Field, at []string, within scopes) (declaredField, bool) {
	plain := *f
	if f.Constraint == token.OPTION {
		plain.Constraint = token.ILLEGAL
	}
	if !syntax.IsPlainField(&plain) {
		return declaredField{}, false
	}
	name := syntax.LabelName(f.Label)
	d := declarationOf(f.Value, append(slices.Clip(at), name+" "), within)
	if d == nil || len(at) > 0 && d.isCopy() {
		return declaredField{}, false
	}
	return declaredField{name, name, f.Constraint == token.OPTION, d}, true
}

// isCopy reports whether nothing is said of a field but that it is another one: in a struct, it is not known where that lies.
func (d *declaration) isCopy() bool { return d.takes == nil && d.made != nil && d.made.expr.IsCopy() }

// rulesOf reads the struct of [depends.Sources.Types], whose fields are p0, p1 and so on. It is nil if CUE has to make one of them.
func rulesOf(types *ast.StructLit, names []string) *declarations {
	if types == nil || len(types.Elts) != len(names) {
		return nil
	}
	out := declarationsIn(types, nil, scopes{})
	for i, name := range names {
		if out == nil || out.all[i].label != labelOf(i) {
			return nil
		}
		out.all[i].name = name
	}
	return out
}

// declarationOf reads  T,  *x | T,  x  and structs of fields, where T refers to other fields in bounds alone.
func declarationOf(x ast.Expr, at []string, within scopes) *declaration {
	if lit, ok := syntax.Unparen(x).(*ast.StructLit); ok && len(lit.Elts) > 0 {
		if fields := declarationsIn(lit, at, within); fields != nil {
			return &declaration{fields: fields}
		}
		return nil
	}
	made, other, hasDefault := syntax.WithDefault(syntax.Unparen(x))
	if !hasDefault {
		if takes := takesOf(x, within); takes != nil {
			return &declaration{takes: takes}
		}
		made = x
	}
	d := &declaration{made: madeOf(made, within)}
	if hasDefault {
		d.takes = takesOf(other, within)
	}
	if d.made == nil || hasDefault && d.takes == nil {
		return nil
	}
	return d
}

// takesOf returns [declaration.takes] for a type, nil if Go cannot check values of it.
func takesOf(t ast.Expr, in scopes) func(given, made *value.Data) bool {
	if !isScalarType(t) {
		return nil
	}
	if len(in.siblings(t)) == 0 {
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
		siblings := in.siblings(x)
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
		bounds.Config = append(bounds.Config, siblings...)
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
func madeOf(x ast.Expr, within scopes) *computed {
	c := &depends.Closed{Exprs: []ast.Expr{x}, Config: within.siblings(x)}
	if made := newComputed(c); made.expr != nil {
		return made
	}
	return nil
}

// scopes are structs, with the paths of their fields in what is made.
type scopes map[ast.Node][]string

// siblings are the references in an expression to fields of the structs.
func (s scopes) siblings(x ast.Expr) (out []depends.Ref) {
	ast.Walk(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Scope != nil {
			if at, ok := s[id.Scope]; ok {
				out = append(out, depends.Ref{In: id, Path: append(slices.Clip(at), id.Name)})
			}
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
	return g.rules.value(own.Get("parameter"), value.NewStruct(own.Pos))
}

// value is the struct with what is given of it; made are the fields of the structs around it so far. It is nil if a field that is left
// is for CUE, or is never known because it refers to itself.
func (d *declarations) value(given, made *value.Data) *value.Data {
	out, done := value.NewStruct(made.Pos), make([]bool, len(d.all))
	for left := len(d.all); left > 0; {
		before := left
		for i, f := range d.all {
			if done[i] {
				continue
			}
			own := given.Get(f.name)
			if done[i] = own == nil && f.optional; done[i] {
				left--
				continue
			}
			x := f.value(own, made)
			if x == nil {
				continue
			}
			done[i] = true
			left--
			made = made.With(append(slices.Clip(d.at), f.label), x)
			if !syntax.IsAside(f.name) {
				out = out.Set(f.name, x)
			}
		}
		if left == before {
			return nil
		}
	}
	return out
}

// value makes the field from what is given of it, and from the other fields made so far; nil if that is not possible yet.
func (f declaredField) value(given, made *value.Data) *value.Data {
	switch {
	case syntax.IsAside(f.name):
		return f.made.hidden(made)
	case f.fields != nil:
		return f.fields.placed(given, made)
	case given == nil:
		return f.made.value(made)
	case f.takes == nil || given.IsComposite() || !given.Pos.IsValid() || !f.takes(given, made):
		return nil
	}
	return &value.Data{Kind: given.Kind, Text: given.Text, Pos: given.Pos}
}

// placed is a parameter that is a struct, or a struct in one.
func (d *declarations) placed(given, made *value.Data) *value.Data {
	place, known := d.place, d.place.IsValid()
	if given != nil {
		place, known = given.Pos, d.keeps && len(given.Fields) > 0 && !slices.ContainsFunc(given.Fields, d.lacks)
	}
	if !known || d.unclear {
		return nil
	}
	out := d.value(given, made)
	if out != nil {
		out.Pos = place
	}
	return out
}

// lacks reports whether a field is not declared.
func (d *declarations) lacks(f value.Field) bool {
	return !slices.ContainsFunc(d.all, func(x declaredField) bool { return x.name == f.Name })
}

// learn takes the places of values that nobody gave from CUE, where Go makes the same.
func (g *parameterGroup) learn(own, made *value.Data) {
	if g.rules != nil {
		g.rules.learn(own.Get("parameter"), made, g.rules.spread(made, value.NewStruct(made.Pos)))
	}
}

// spread adds finished fields to made, where expressions find the fields that they refer to.
func (d *declarations) spread(fields, made *value.Data) *value.Data {
	for _, f := range d.all {
		x := fields.Get(f.name)
		if x == nil {
			continue
		}
		made = made.With(append(slices.Clip(d.at), f.label), x)
		if f.fields != nil {
			made = f.fields.spread(x, made)
		}
	}
	return made
}

// learn takes the places of fields from CUE; all are the fields of the structs around them too.
func (d *declarations) learn(given, fields, all *value.Data) {
	for _, f := range d.all {
		x, own := fields.Get(f.name), given.Get(f.name)
		switch {
		case x == nil:
		case f.fields != nil:
			f.fields.learnPlace(own, x)
			f.fields.learn(own, x, all)
		case own == nil:
			f.made.learn(x, all)
		}
	}
}

// learnPlace takes the place of the struct from CUE.
func (d *declarations) learnPlace(given, made *value.Data) {
	if given == nil {
		d.unclear = d.unclear || d.place.IsValid() && d.place != made.Pos
		d.place = made.Pos
		return
	}
	d.keeps = given.Pos.IsValid() && given.Pos == made.Pos
	d.unclear = d.unclear || !d.keeps
}

// labelOf is what a parameter of a group is called in [depends.Sources.Types].
func labelOf(i int) string { return fmt.Sprint("p", i) }
