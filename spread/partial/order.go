package partial

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// order is the order in which CUE has the fields of a struct, and of the structs below. A nil order means by name.
type order struct {
	names []string
	below map[string]*order
}

// learntOrder is the order of configs in which the same fields are given. Its order is nil if it turned out wrong.
type learntOrder struct {
	*order
	// equal counts how often the order gave the same values as an evaluation with the types of config.
	equal int
	// text is set if [dependents.json] makes the same text as CUE does. It is the last such value, of which the
	// position is used again.
	text *value.Data
}

// minEqual is how often an order has to be right before it is relied on: the first level of a slice is
// evaluated in another way than the others.
const minEqual = 2

// orderOf reads the order of fields from an evaluated struct that has the fields of d. It is nil if v lacks one of
// them, or if a list of d has structs.
func orderOf(v cue.Value, d *value.Data) *order {
	if d.Kind == value.List {
		if hasStructInList(d) {
			return nil
		}
		return &order{}
	}
	if d.Kind != value.Struct {
		return &order{}
	}
	fields, err := v.Fields()
	if err != nil {
		return nil
	}
	o := &order{below: map[string]*order{}}
	for fields.Next() {
		name := fields.Selector().Unquoted()
		x := d.Get(name)
		if x == nil {
			continue
		}
		below := orderOf(fields.Value(), x)
		if below == nil {
			return nil
		}
		o.names, o.below[name] = append(o.names, name), below
	}
	if len(o.names) != len(d.Fields) {
		return nil
	}
	return o
}

// arranged returns d with its fields in the order. The result is only written out for CUE: everywhere else, fields
// of data are sorted by name.
func (o *order) arranged(d *value.Data) *value.Data {
	if o == nil || d.Kind != value.Struct {
		return d
	}
	out := *d
	out.Fields = make([]value.Field, len(o.names))
	for i, name := range o.names {
		out.Fields[i] = value.Field{Name: name, Value: o.below[name].arranged(d.Get(name))}
	}
	return &out
}

// shapeOf is a text that is the same for values with the same fields, and kinds of values in them.
func shapeOf(d *value.Data) string { return string(appendShape(nil, d)) }

func appendShape(b []byte, d *value.Data) []byte {
	b = strconv.AppendInt(b, int64(d.Kind), 10)
	for _, f := range d.Fields {
		b = appendShape(append(strconv.AppendQuote(b, f.Name), ':'), f.Value)
	}
	for _, x := range d.Items {
		b = appendShape(append(b, ','), x)
	}
	return append(b, ';')
}

// ordered evaluates a slice whose values may show the order of fields, with the types of config, which decide that
// order. If the order is the same for all values with the same fields, it is learnt, and later levels are evaluated
// without the types.
func (g *dependents) ordered(r *runner, u *unit, part, own *value.Data) ([]*value.Data, bool) {
	shape := shapeOf(own) + shapeOf(part)
	o := g.orders[shape]
	if o != nil && o.equal == minEqual {
		if text, ok := g.json(part, o.order); ok && o.text != nil {
			made := *o.text
			made.Text = text
			return []*value.Data{&made}, true
		}
		return g.finished(r, u, part, own, o.order)
	}
	typed := g.typedSlice(r, u)
	values, wrong, open := g.level(r, u, typed, own, nil)
	if wrong || open {
		return nil, false
	}
	if o == nil && g.fixesOrder {
		r.Work.Sliced++
		o = &learntOrder{order: orderOf(r.Eval.Imported(typed, own).LookupPath(spread.PathOf(spread.ConfigAt)), part)}
		g.orders[shape] = o
	}
	if o != nil && o.order != nil {
		g.learnOrder(r, u, part, own, values, o)
	}
	return values, true
}

// learnOrder compares the values that an order gives with those that were evaluated with the types of config.
func (g *dependents) learnOrder(r *runner, u *unit, part, own *value.Data, values []*value.Data, o *learntOrder) {
	others, ok := g.finished(r, u, part, own, o.order)
	if !ok || !slices.EqualFunc(values, others, value.Same) {
		o.order = nil
		return
	}
	o.equal, o.text = o.equal+1, nil
	if text, ok := g.json(part, o.order); ok && values[0] != nil && values[0].Kind == value.String && values[0].Text == text {
		o.text = values[0]
	}
}

// json makes the value of  json.Marshal(config.parameter)  and the like. It is false for other expressions, and if
// there is something in the config that CUE may write differently.
func (g *dependents) json(part *value.Data, o *order) (string, bool) {
	if g.marshalled == nil {
		return "", false
	}
	d := part.Get(g.marshalled...)
	if d == nil {
		return "", false
	}
	plain := true
	d.Walk(nil, func(path []string, x *value.Data) bool {
		plain = plain && x.Kind != value.Float && isPlainText(x.Text) && (len(path) == 0 || isPlainText(path[len(path)-1]))
		return plain
	})
	if !plain {
		return "", false
	}
	for _, name := range g.marshalled {
		o = o.below[name]
	}
	return o.arranged(d).JSON(), true
}

// isPlainText reports whether JSON has a text between quotes as it is, without escapes.
func isPlainText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) })
}
