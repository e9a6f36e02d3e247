package partial

import (
	"fmt"
	"maps"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
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
// and structs of such fields, each of them under conditions or not.

// declaration is what is said of such a parameter, or of a field in one.
type declaration struct {
	// takes reports whether a given value fits. It is nil if no value fits, or if Go cannot tell.
	takes func(given *value.Data, beside fieldsMade) bool
	// made is the value if none is given, which the fields in needs go into; nil if one has to be.
	made  *computed
	needs []depends.Ref
	// fields are those of a struct, nil for a leaf.
	fields *declarations
	// each is what is said of the structs in a list or map, nil for anything else.
	each *declaredEach
}

// declarations are the fields of a struct. Expressions refer to them by their labels in it.
type declarations struct {
	all []declaredField
	// at is where the fields lie in what is made, while the struct is not complete.
	at    []string
	place placeOf // of the struct
}

type declaredField struct {
	name, label string
	optional    bool
	when        []condition // it is there if all of them hold
	*declaration
}

// condition is that of an if, which the fields in needs go into.
type condition struct {
	expr  *compute.Expr
	needs []depends.Ref
}

// fieldsMade are the fields that expressions can refer to so far: those that have been made, and those that are known to be absent.
type fieldsMade struct {
	values   *value.Data
	absent   []depends.Path
	complete bool // all that is not in values is absent
}

// know reports whether each of the fields that are referred to has a value or is known to be absent.
func (m fieldsMade) know(refs []depends.Ref) bool {
	return m.complete || !filter.Any(refs, func(x depends.Ref) bool {
		return m.values.Get(x.Path...) == nil && !isAmong(m.absent, x.Path)
	})
}

// declarationsIn reads the fields of a struct. The fields of the structs around it, and of the struct itself, are found in what is made
// by the paths in within. It is nil if CUE has to make one of the fields.
func declarationsIn(lit *ast.StructLit, at []string, within scopes) *declarations {
	out := &declarations{at: at}
	if !out.read(lit, nil, maps.Clone(within)) {
		return nil
	}
	return out
}

// read adds the fields of a struct literal that stands under conditions. It is false if CUE has to make one of them.
func (d *declarations) read(lit *ast.StructLit, when []condition, within scopes) bool {
	within[lit] = d.at
	for _, e := range lit.Elts {
		switch e := e.(type) {
		case *ast.Field:
			x, ok := declaredOf(e, d.at, within)
			x.when = when
			if !ok || len(when) == 0 && filter.Any(d.all, func(y declaredField) bool { return y.label == x.label }) {
				return false
			}
			d.all = append(d.all, x)
		case *ast.Comprehension:
			more, ok := within.conditions(e)
			body, isStruct := e.Value.(*ast.StructLit)
			if !ok || !isStruct || !d.read(body, slices.Concat(when, more), within) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// conditions returns the conditions of an if. It is false for a comprehension with a for or an else, and for a condition that Go cannot evaluate.
func (s scopes) conditions(x *ast.Comprehension) ([]condition, bool) {
	var out []condition
	for _, clause := range x.Clauses {
		is, ok := clause.(*ast.IfClause)
		if !ok {
			return nil, false
		}
		c := condition{needs: s.siblings(is.Condition)}
		if c.expr = compute.New(&depends.Closed{Exprs: []ast.Expr{is.Condition}, Config: c.needs}); c.expr == nil {
			return nil, false
		}
		out = append(out, c)
	}
	return out, x.Fallback == nil
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
	if d == nil || len(at) > 0 && d.isCopy() && !isNameOfField(f.Value) {
		return declaredField{}, false
	}
	return declaredField{name: name, label: name, optional: f.Constraint == token.OPTION, declaration: d}, true
}

// isCopy reports whether nothing is said of a field but that it is another one: in a struct, it is not known where that lies.
func (d *declaration) isCopy() bool { return d.takes == nil && d.made != nil && d.made.expr.IsCopy() }

// rulesOf reads the struct of [depends.Sources.Types], whose fields are p0, p1 and so on. It is nil if CUE has to make one of them.
func rulesOf(types *ast.StructLit, names []string) *declarations {
	if types == nil {
		return nil
	}
	out := declarationsIn(types, nil, scopes{})
	if out == nil {
		return nil
	}
	byLabel := map[string]string{}
	for i, name := range names {
		byLabel[labelOf(i)] = name
	}
	for i, f := range out.all {
		out.all[i].name = byLabel[f.label]
	}
	return out
}

// declarationOf reads  T,  *x | T,  x,  structs of fields, and lists and maps of those, where T refers to other fields in bounds alone.
func declarationOf(x ast.Expr, at []string, within scopes) *declaration {
	if each := declaredEachOf(syntax.Unparen(x), at, within); each != nil {
		return &declaration{each: each}
	}
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
	d := &declaration{made: madeOf(made, within), needs: within.siblings(made)}
	if hasDefault {
		d.takes = takesOf(other, within)
	}
	if d.made == nil || hasDefault && d.takes == nil {
		return nil
	}
	return d
}

// takesOf returns [declaration.takes] for a type, nil if Go cannot check values of it.
func takesOf(t ast.Expr, in scopes) func(given *value.Data, beside fieldsMade) bool {
	if !isScalarType(t) {
		return nil
	}
	if len(in.siblings(t)) == 0 {
		check := checkExpr(t)
		if check == nil {
			return nil
		}
		return func(given *value.Data, _ fieldsMade) bool { return check(given) }
	}
	var fixed func(*value.Data) bool
	itself := ast.NewIdent(givenName)
	bounds := &depends.Closed{Exprs: []ast.Expr{itself}, Config: []depends.Ref{{In: itself, Path: depends.Path{givenName}}}}
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
	within, needs := compute.New(bounds), bounds.Config[1:]
	if fixed == nil || within == nil {
		return nil // a bound alone takes fractions too
	}
	return func(given *value.Data, beside fieldsMade) bool {
		return fixed(given) && beside.know(needs) && within.Value(beside.values.Set(givenName, given)) != nil
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

// scopes are structs, with the paths of their fields in what is made, and patterns, of which the only name is that of the field.
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
	return g.rules.value(own.Get("parameter"), fieldsMade{values: value.NewStruct(own.Pos)})
}

// value is the struct with what is given of it; made are the fields of the structs around it so far. It is nil if a field that is left
// is for CUE, or is never known because it refers to itself, and if something is given that no condition allows.
func (d *declarations) value(given *value.Data, made fieldsMade) *value.Data {
	out, done := value.NewStruct(made.values.Pos), make([]bool, len(d.all))
	for left := len(d.all); left > 0; {
		before := left
		for i, f := range d.all {
			if done[i] {
				continue
			}
			x, known := f.value(given.Get(f.name), made)
			if !known {
				continue
			}
			done[i] = true
			left--
			path := append(slices.Clip(d.at), f.label)
			switch {
			case x == nil && !d.maySay(f.label, done):
				made.absent = append(slices.Clip(made.absent), path)
			case x == nil:
			case made.values.Get(path...) != nil:
				return nil // CUE joins what two places say
			default:
				made.values = made.values.With(path, x)
				if !syntax.IsAside(f.name) {
					out = out.Set(f.name, x)
				}
			}
		}
		if left == before {
			return nil
		}
	}
	if filter.Any(d.all, func(f declaredField) bool { return given.Get(f.name) != nil && out.Get(f.name) == nil }) {
		return nil
	}
	return out
}

// maySay reports whether a field may be there by a declaration that is not done.
func (d *declarations) maySay(label string, done []bool) bool {
	for i, f := range d.all {
		if f.label == label && !done[i] {
			return true
		}
	}
	return false
}

// holds reports whether the conditions of the field hold, if that is known yet.
func (f declaredField) holds(made fieldsMade) (holds, known bool) {
	for _, c := range f.when {
		if !made.know(c.needs) {
			return false, false
		}
		if holds, known = c.expr.Holds(made.values); !holds || !known {
			return false, known
		}
	}
	return true, true
}

// value makes the field from what is given of it, and from the other fields made so far. It is nil for a field that is not there; known is false
// if it cannot be made yet.
func (f declaredField) value(given *value.Data, made fieldsMade) (x *value.Data, known bool) {
	holds, known := f.holds(made)
	if !holds || !known || given == nil && f.optional {
		return nil, known
	}
	switch {
	case f.fields != nil:
		x = f.fields.placed(given, made)
	case f.each != nil:
		x = f.each.value(given, made)
	case syntax.IsAside(f.name), given == nil:
		if !made.know(f.needs) {
			return nil, false
		}
		if x = f.made.value(made.values); syntax.IsAside(f.name) {
			x = f.made.hidden(made.values)
		}
	case f.takes != nil && !given.IsComposite() && given.Pos.IsValid() && f.takes(given, made):
		x = &value.Data{Kind: given.Kind, Text: given.Text, Pos: given.Pos}
	}
	return x, x != nil
}

// placed is a parameter that is a struct, or a struct in one.
func (d *declarations) placed(given *value.Data, made fieldsMade) *value.Data {
	place, known := d.place.of(given)
	if !known || given != nil && (given.Kind != value.Struct || filter.Any(given.Fields, d.lacks)) {
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
	return !filter.Any(d.all, func(x declaredField) bool { return x.name == f.Name })
}

// learn takes the places of values that nobody gave from CUE, where Go makes the same.
func (g *parameterGroup) learn(own, made *value.Data) {
	if g.rules != nil {
		g.rules.learn(own.Get("parameter"), made, fieldsMade{values: g.rules.spread(made, value.NewStruct(made.Pos)), complete: true})
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
func (d *declarations) learn(given, fields *value.Data, all fieldsMade) {
	for _, f := range d.all {
		x, own := fields.Get(f.name), given.Get(f.name)
		holds, _ := f.holds(all)
		switch {
		case x == nil || !holds:
		case f.fields != nil:
			f.fields.place.learn(own, x)
			f.fields.learn(own, x, all)
		case f.each != nil:
			f.each.learn(own, x, all)
		case own == nil:
			f.made.learn(x, all.values)
		}
	}
}

// labelOf is what a parameter of a group is called in [depends.Sources.Types].
func labelOf(i int) string { return fmt.Sprint("p", i) }
