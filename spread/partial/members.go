package partial

import (
	"maps"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// declaredEach are the items of a list, or the fields of a map, all of which are structs of the same type.
type declaredEach struct {
	kind  value.Kind
	named []string // where expressions find the name of a map's field, nil if none needs it
	is    *declarations
	place placeOf
}

// placeOf is where CUE places a list or a struct: one that is not given, one that is given empty, or any other.
type placeOf struct{ absent, empty, filled place }

// place is where values were seen to lie.
type place struct {
	at      diag.Pos
	keeps   bool // where they are given
	unclear bool // there was more than one place
}

func (p *placeOf) kind(given *value.Data) *place {
	switch {
	case given == nil:
		return &p.absent
	case len(given.Members()) == 0:
		return &p.empty
	}
	return &p.filled
}

// of is the place of a value, false if that is not known.
func (p *placeOf) of(given *value.Data) (diag.Pos, bool) {
	x := p.kind(given)
	if x.keeps {
		return given.Pos, !x.unclear && given.Pos.IsValid()
	}
	return x.at, !x.unclear && x.at.IsValid() && x != &p.filled
}

// learn takes the place from CUE.
func (p *placeOf) learn(given, made *value.Data) {
	x, keeps := p.kind(given), given != nil && given.Pos == made.Pos
	known := x.keeps || x.at.IsValid()
	x.unclear = x.unclear || known && (keeps != x.keeps || !keeps && x.at != made.Pos)
	if x.keeps = keeps; !keeps {
		x.at = made.Pos
	}
}

// isNameOfField reports whether an expression is  Name  in a struct of  [Name=string]: {…} .
func isNameOfField(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	f, ok := id.Scope.(*ast.Field)
	if !ok {
		return false
	}
	name, _ := anyName(f.Label)
	return name == id.Name
}

// declaredEachOf reads  [...{…}],  {[string]: {…}}  and  {[Name=string]: {…}} . It is nil for anything else.
func declaredEachOf(x ast.Expr, at []string, within scopes) *declaredEach {
	out := &declaredEach{kind: value.List}
	var each ast.Expr
	switch x := x.(type) {
	case *ast.ListLit:
		each = typeOfItems(x)
	case *ast.StructLit:
		if len(x.Elts) != 1 {
			return nil
		}
		f, ok := x.Elts[0].(*ast.Field)
		if !ok || f.Constraint != token.ILLEGAL || len(f.Attrs) > 0 {
			return nil
		}
		name, isMap := anyName(f.Label)
		if !isMap {
			return nil
		}
		out.kind, each = value.Struct, f.Value
		if name != "" {
			out.named = append(slices.Clip(at), name)
			within = maps.Clone(within)
			within[f] = at
		}
	}
	lit, ok := syntax.Unparen(each).(*ast.StructLit)
	if !ok || len(lit.Elts) == 0 {
		return nil
	}
	if out.is = declarationsIn(lit, append(slices.Clip(at), "[] "), within); out.is == nil {
		return nil
	}
	return out
}

// anyName reports whether a label is  [string]  or  [Name=string],  and returns Name.
func anyName(l ast.Label) (name string, ok bool) {
	pattern, isPattern := l.(*ast.ListLit)
	if !isPattern || len(pattern.Elts) != 1 {
		return "", false
	}
	if alias, isAlias := pattern.Elts[0].(*ast.Alias); isAlias {
		id, isIdent := alias.Expr.(*ast.Ident)
		return alias.Ident.Name, isIdent && id.Name == "string" && id.Node == nil
	}
	return "", syntax.IsAnyName(l)
}

// value is the list or map with what is given of it, nil if CUE has to make it.
func (e *declaredEach) value(given *value.Data, made fieldsMade) *value.Data {
	place, known := e.place.of(given)
	if !known || given != nil && given.Kind != e.kind {
		return nil
	}
	out := &value.Data{Kind: e.kind, Pos: place}
	for _, m := range given.Members() {
		x := e.is.placed(m.Value, e.beside(m, made))
		if x == nil {
			return nil
		}
		if e.kind == value.List {
			out.Items = append(out.Items, x)
		} else {
			out.Fields = append(out.Fields, value.Field{Name: m.Name, Value: x})
		}
	}
	return out
}

// beside are the fields that expressions in a member find.
func (e *declaredEach) beside(m value.Field, made fieldsMade) fieldsMade {
	if e.named != nil {
		made.values = made.values.With(e.named, value.NewString(diag.NoPos, m.Name))
	}
	return made
}

// learn takes the places of the members from CUE.
func (e *declaredEach) learn(given, made *value.Data, all fieldsMade) {
	e.place.learn(given, made)
	for _, x := range made.Members() {
		own, beside := given.Get(x.Name), e.beside(x, all)
		beside.values = e.is.spread(x.Value, beside.values)
		e.is.place.learn(own, x.Value)
		e.is.learn(own, x.Value, beside)
	}
}
