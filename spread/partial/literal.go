package partial

import (
	"cmp"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/compute"
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// literalScope makes the values of a slice without CUE, if all of them are lists and structs that the sources write
// out. The positions of the values are learnt from a level that CUE makes, as for [bareScope].
type literalScope struct {
	values [][]writtenValue // each with what it is under some conditions
	types  typesOf
	at     *places
}

// writtenValue is a value by its conditions, and the literals that it is made of.
type writtenValue struct{ conditions, of []*compute.Expr }

// newLiteralScope is nil if CUE has to make one of the values.
func newLiteralScope(d *depends.Sources, paths [][]string, types typesOf) *literalScope {
	if types == nil {
		return nil
	}
	out := &literalScope{types: types}
	for _, path := range paths {
		var all []writtenValue
		for _, x := range d.Literals(path) {
			var l writtenValue
			for _, c := range x.If {
				l.conditions = append(l.conditions, compute.New(c))
			}
			for _, c := range x.Of {
				l.of = append(l.of, compute.NewLiteral(c))
			}
			all = append(all, l)
		}
		if all == nil {
			return nil
		}
		out.values = append(out.values, all)
	}
	return out
}

// level makes the values with a config, of which shown has the fields in CUE's order; that is nil if it does not matter. The result is nil if CUE
// has to make the values.
func (s *literalScope) level(u *unit, config, shown *value.Data) []*value.Data {
	if s == nil || s.at.isUnclear() {
		return nil
	}
	out := make([]*value.Data, len(s.values))
	for i, all := range s.values {
		for _, l := range all {
			d, ok := l.value(u, config, shown)
			if !ok || d != nil && out[i] != nil { // CUE joins two
				return nil
			}
			if d != nil {
				out[i] = d
			}
		}
	}
	return s.types.typed(out)
}

// value makes the value. It is nil if a condition does not hold, and not ok if CUE has to make it.
func (l writtenValue) value(u *unit, config, shown *value.Data) (d *value.Data, ok bool) {
	for _, c := range l.conditions {
		if c == nil {
			return nil, false
		}
		if holds, ok := c.Holds(config); !ok || !holds {
			return nil, ok
		}
	}
	for i, x := range l.of {
		made, joins := x.Data(cmp.Or(shown, config), shown != nil)
		switch {
		case made == nil || filter.Any(joins, u.saysMore):
			return nil, false
		case i == 0:
			d = made
		default:
			d.Fields = append(d.Fields, made.Fields...)
		}
	}
	if len(l.of) > 1 {
		d = value.Distinct(d.Pos, d.Fields...)
	}
	return d, d != nil
}

// saysMore reports whether the type of a struct of config may say anything of the fields beside it, other than that they are right.
func (u *unit) saysMore(j compute.Join) bool {
	if len(j.Beside) == 0 {
		return false
	}
	var path strings.Builder
	t := u.writePath(&path, j.Path)
	switch {
	case j.Path == nil || t == nil:
		return true
	case t.isMap():
		return filter.Any(j.Beside, func(f value.Field) bool { return !t.each.isWhole(f.Value) })
	case t.fields == nil:
		return true
	}
	return j.Closed && !t.open || filter.Any(j.Beside, func(f value.Field) bool { return t.field(f.Name) != nil })
}
