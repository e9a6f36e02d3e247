package compute

import (
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// joined is a struct of several struct literals that are unified, as a definition and its arguments are:
//
//	(#URL & {host: config.parameter.host, port: 80}).out
//
// Names in each refer to fields of all.
type joined struct {
	fields map[string]*joinedField
	names  []string // of the fields, in order
}

type joinedField struct {
	said  []scoped
	state int // of its evaluation
	value any // a joined, if the field is a struct
	known bool
}

// scoped is an expression with the names around it.
type scoped struct {
	x    ast.Expr
	vars *variables
}

// The states of a field.
const (
	unevaluated = iota
	evaluating
	evaluated
)

// joinedOf is the struct that an expression unifies; nil if it is not the & of several struct literals, or a selection of
// a struct from one.
func (r *run) joinedOf(x ast.Expr, vars *variables) *joined {
	x = syntax.Unparen(x)
	switch x := x.(type) {
	case *ast.Ident:
		v := vars.find(x.Name)
		if _, isConfig := r.refs[x]; isConfig || v == nil || v.in == nil {
			return nil
		}
		return r.structOf(v.in, x.Name)
	case *ast.SelectorExpr:
		name, _, err := ast.LabelName(x.Sel)
		in := r.joinedOf(x.X, vars)
		if err != nil || in == nil {
			return nil
		}
		return r.structOf(in, name)
	case *ast.BinaryExpr:
		var all []scoped
		for _, c := range syntax.Conjuncts(x) {
			all = append(all, scoped{c, vars})
		}
		if x.Op == token.AND {
			return r.join(all)
		}
	}
	return nil
}

// selectsMade is false for an expression that selects a field of a joined struct if the field only refers to something else: CUE
// gives such a value the position of what it refers to. It is true for any other expression.
func (r *run) selectsMade(x ast.Expr) bool {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok || r.refersTo(x) {
		return true
	}
	in := r.joinedOf(sel.X, nil)
	name, _, err := ast.LabelName(sel.Sel)
	if in == nil || err != nil || in.fields[name] == nil {
		return false
	}
	said := in.fields[name].said
	return len(said) == 1 && makes(syntax.Unparen(said[0].x))
}

// structOf is a field that is a struct, nil for any other.
func (r *run) structOf(in *joined, name string) *joined {
	f := in.fields[name]
	if f == nil || !f.evaluate(r) {
		return nil
	}
	of, _ := f.value.(*joined)
	return of
}

// join is nil if one of the expressions is not a literal of plain fields, or has a field that a definition does not allow.
func (r *run) join(all []scoped) *joined {
	out := &joined{fields: map[string]*joinedField{}}
	var closed []map[string]bool
	for _, s := range all {
		lit, ok := syntax.Unparen(s.x).(*ast.StructLit)
		if !ok || !out.add(lit, s.vars) {
			return nil
		}
		if r.defined[lit.Pos()] {
			closed = append(closed, namesOf(lit))
		}
	}
	for _, allowed := range closed {
		if filter.Any(out.names, func(name string) bool { return !allowed[name] }) {
			return nil
		}
	}
	return out
}

// add adds the fields of a literal. It is false for other than fields with names.
func (j *joined) add(lit *ast.StructLit, vars *variables) bool {
	for _, d := range lit.Elts {
		f, ok := d.(*ast.Field)
		if !ok || !syntax.IsPlainField(f) {
			return false
		}
		name, isIdent, _ := ast.LabelName(f.Label)
		if !isIdent && syntax.IsAside(name) {
			return false
		}
		if isIdent {
			vars = &variables{name: name, in: j, outer: vars}
		}
	}
	for _, d := range lit.Elts {
		f := d.(*ast.Field)
		name := syntax.LabelName(f.Label)
		if j.fields[name] == nil {
			j.fields[name], j.names = &joinedField{}, append(j.names, name)
		}
		j.fields[name].said = append(j.fields[name].said, scoped{f.Value, vars})
	}
	return true
}

func namesOf(lit *ast.StructLit) map[string]bool {
	out := map[string]bool{}
	for _, d := range lit.Elts {
		out[syntax.LabelName(d.(*ast.Field).Label)] = true
	}
	return out
}

// isRight reports whether each field has a value, or nothing but a type, as CUE wants it of a struct that something is
// selected from.
func (j *joined) isRight(r *run) bool {
	return !filter.Any(j.names, func(name string) bool {
		f := j.fields[name]
		if !f.evaluate(r) {
			return true
		}
		of, isStruct := f.value.(*joined)
		return isStruct && !of.isRight(r)
	})
}

// fieldOf is the value of a field.
func (r *run) fieldOf(in *joined, name string) (any, bool) {
	f := in.fields[name]
	if f == nil || !f.evaluate(r) || !f.known {
		return nil, false
	}
	_, isStruct := f.value.(*joined)
	return f.value, !isStruct
}

// evaluate makes the value of a field. It is false if CUE has to do that.
func (f *joinedField) evaluate(r *run) bool {
	switch f.state {
	case evaluated:
		return true
	case evaluating:
		return false // it refers to itself
	}
	f.state = evaluating
	if !f.make(r) {
		return false
	}
	f.state = evaluated
	return true
}

func (f *joinedField) make(r *run) bool {
	if filter.Any(f.said, func(s scoped) bool { return isStruct(s.x) }) {
		in := r.join(f.said)
		f.value, f.known = in, in != nil
		return in != nil
	}
	var types []ast.Expr
	falls := false
	for _, s := range f.said {
		for _, x := range syntax.Conjuncts(s.x) {
			falls = falls || syntax.IsFallback(x)
			if isType(x) {
				types = append(types, x)
				continue
			}
			v, ok := r.eval(x, s.vars)
			d := dataOf(v)
			if !ok || d == nil || f.known && f.value != v {
				return false
			}
			f.value, f.known = v, true
		}
	}
	if falls && filter.Any(types, syntax.HasDefault) {
		return false // CUE joins two defaults
	}
	if !f.known && len(types) == 1 {
		f.value, f.known = marked(types[0])
	}
	return !f.known || !filter.Any(types, func(x ast.Expr) bool { return !allows(x, dataOf(f.value)) })
}

func isStruct(x ast.Expr) bool {
	_, ok := syntax.Unparen(x).(*ast.StructLit)
	return ok
}

// marked returns the default of a type such as  *"a" | string.  It is false if the type has none.
func marked(x ast.Expr) (any, bool) {
	or, ok := syntax.Unparen(x).(*ast.BinaryExpr)
	if !ok || or.Op != token.OR {
		return nil, false
	}
	star, ok := syntax.Unparen(or.X).(*ast.UnaryExpr)
	if !ok || star.Op != token.MUL {
		return nil, false
	}
	lit, ok := star.X.(*ast.BasicLit)
	if !ok {
		return nil, false
	}
	return literalOf(lit)
}
