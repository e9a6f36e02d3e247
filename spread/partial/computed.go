package partial

import (
	"fmt"

	"cuelang.org/go/cue/ast"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/compute"
	"kumiki.dev/spread/depends"
	"kumiki.dev/spread/syntax"
	"kumiki.dev/value"
)

// computed is an expression that Go evaluates. CUE evaluates it with the first config where that has to show
// where its values lie, and both have to give the same.
type computed struct {
	expr *compute.Expr // nil for one that CUE has to evaluate with each config
	// literal is the same for a list or struct literal, of which only whether it is right counts; nil until it is needed.
	literal *compute.Expr
	// places are those of values that are made, by kind. copies tells that a value of config keeps its own.
	places map[value.Kind]diag.Pos
	copies bool
	// defaults are the places of copies of defaults, by those of the defaults in config. given tells that copies of other values
	// have their places.
	defaults map[diag.Pos]diag.Pos
	given    bool
}

// computedOf is what is known of an expression, which is kept.
func (u *unit) computedOf(c *depends.Closed) *computed {
	x := u.computed[c]
	if x == nil {
		x = newComputed(c)
		u.computed[c] = x
	}
	return x
}

func newComputed(c *depends.Closed) *computed {
	x := &computed{expr: compute.New(c), places: map[value.Kind]diag.Pos{}, defaults: map[diag.Pos]diag.Pos{}}
	var place ast.Node
	switch {
	case c.Decl != nil:
		place = c.Decl
	case c.Picks != nil:
		place, x.copies = c.Picks, true
	default:
		return x
	}
	for _, k := range []value.Kind{value.String, value.Int, value.Bool} {
		x.places[k] = fromcue.Pos(place)
	}
	return x
}

// value returns what Go makes of the expression, or nil if CUE has to evaluate it.
func (x *computed) value(config *value.Data) *value.Data {
	if x == nil || x.expr == nil {
		return nil
	}
	d := x.expr.Value(config)
	if d == nil {
		return nil
	}
	if x.copies && d.Pos.IsValid() {
		return d
	}
	place, ok := x.places[d.Kind]
	if !ok {
		return nil
	}
	d.Pos = place
	return d
}

// hidden is [computed.value] for a hidden field, which is not data: its place does not matter.
func (x *computed) hidden(config *value.Data) *value.Data {
	if x == nil || x.expr == nil {
		return nil
	}
	return x.expr.Value(config)
}

// learn takes the place of a value from CUE, if Go makes the same of the expression.
func (x *computed) learn(d, config *value.Data) {
	if x == nil || x.expr == nil {
		return
	}
	own := x.expr.Value(config)
	if own == nil {
		return
	}
	place, known := x.places[d.Kind]
	if x.copies && own.Pos.IsValid() {
		place = own.Pos
	}
	switch {
	case own.Kind != d.Kind || own.Text != d.Text || known && place != d.Pos:
		x.expr = nil
	case own.Pos.IsValid() && own.Pos == d.Pos:
		x.copies = true
	default:
		x.places[d.Kind] = d.Pos
	}
}

// valuesOf makes the values of expressions beside config, in Go where that is known to be the same. It is nil where
// [evaluateClosed] is.
func (u *unit) valuesOf(r *runner, all []*depends.Closed, config *value.Data) []*value.Data {
	if values := u.compute(all, config); values != nil {
		return values
	}
	values := evaluateClosed(r, all, config)
	for i, d := range values {
		u.computedOf(all[i]).learn(d, config)
	}
	return values
}

// learnMade learns from values of a slice.
func (u *unit) learnMade(all []*depends.Closed, values []*value.Data, config, given *value.Data) {
	for i, d := range values {
		x := u.computedOf(all[i])
		switch {
		case d == nil || x.expr == nil:
		case x.expr.IsCopy():
			x.learnCopy(d, config, given)
		default:
			x.learn(d, config)
		}
	}
}

// learnCopy learns where CUE places a copy of a value of config.
func (x *computed) learnCopy(d, config, given *value.Data) {
	own := x.expr.Value(config)
	switch {
	case own == nil:
	case own.Kind != d.Kind || own.Text != d.Text:
		x.expr = nil
	case showsDefault([]*value.Data{own}, config, given):
		x.defaults[own.Pos] = d.Pos
	case own.Pos == d.Pos:
		x.given, x.copies = true, true
	default:
		x.expr = nil
	}
}

// part is the value, if that is a part of config which the expression chooses; nil if its place is not known.
func (x *computed) part(config, given *value.Data) *value.Data {
	if x.expr == nil || !x.expr.IsPart() {
		return nil
	}
	d := x.expr.Value(config)
	if d == nil || !d.Pos.IsValid() {
		return nil
	}
	if !showsDefault([]*value.Data{d}, config, given) {
		return onlyIf(x.given, d)
	}
	place, known := x.defaults[d.Pos]
	d.Pos = place
	return onlyIf(known, d)
}

// copiesDefault reports whether one of the expressions is a copy of a default: CUE joins that, and not only its value, with the types
// beside the copy, which may have a default of their own.
func (u *unit) copiesDefault(all []*depends.Closed, config, given *value.Data) bool {
	return filter.Any(all, func(c *depends.Closed) bool {
		x := u.computedOf(c)
		if x.expr == nil || !x.expr.IsCopy() {
			return false
		}
		d := x.expr.Value(config)
		return d != nil && d.Pos.IsValid() && showsDefault([]*value.Data{d}, config, given)
	})
}

// compute returns what Go makes of expressions, or nil if CUE has to evaluate one of them.
func (u *unit) compute(all []*depends.Closed, config *value.Data) (values []*value.Data) {
	for _, c := range all {
		d := u.computedOf(c).value(config)
		if d == nil {
			return nil
		}
		values = append(values, d)
	}
	return values
}

// evaluateClosed has CUE make the values of expressions beside config; nil if one is wrong, open
// or no leaf: where CUE places the fields of a struct depends on what is around it.
func evaluateClosed(r *runner, closed []*depends.Closed, config *value.Data) (values []*value.Data) {
	if len(closed) == 0 {
		return nil
	}
	v, ok := r.Eval.Closed(closed, config)
	if !ok {
		return nil
	}
	r.Work.Sliced++
	if len(spread.ErrorsOf(v)) > 0 {
		return nil
	}
	for i, c := range closed {
		f := &spread.Finisher{Places: spread.Nowhere}
		d := f.Finish(v.LookupPath(spread.PathOf([]string{fmt.Sprint(i)})), nil)
		if d == nil || len(f.Problems) > 0 || d.IsComposite() {
			return nil
		}
		switch {
		case c.Decl != nil:
			d.Pos = fromcue.Pos(c.Decl)
		case c.Picks != nil && (d.Pos == fromcue.Pos(c.Picks.Value) || d.Pos == fromcue.Pos(syntax.Unparen(c.Picks.Value))):
			d.Pos = fromcue.Pos(c.Picks)
		}
		values = append(values, d)
	}
	return values
}
