package partial

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/depends"
	"kumiki.dev/value"
)

// order is the order in which CUE has the fields of a struct, and of the structs below. A nil order means by name.
type order struct {
	names  []string
	below  map[string]*order
	byName bool              // as config is given
	each   map[string]*order // of the structs in a map, by the shape of what is given of each
	items  []*order
}

// learntOrder is the order of configs in which the same fields are given. Its order is nil if it turned out wrong.
type learntOrder struct {
	*order
	// equal counts how often the order gave the same values as an evaluation with the types of config.
	equal int
	// text is set if [dependents.encoded] makes the same text as CUE does. It is the last such value, of which the
	// position is used again.
	text *value.Data
}

// minEqual is how often an order has to be right before it is relied on: the first level of a slice is
// evaluated in another way than the others.
const minEqual = 2

// orderIn is the order in an evaluated level that a slice may show of its config, nil if that is not known. The order in which loops go through
// the fields of a struct is another one than that in which they are written out: what is given comes first.
func (g *dependents) orderIn(r *runner, level cue.Value, config, own *value.Data) *order {
	var looped, written *order
	at := spread.PathOf(spread.ConfigAt)
	if g.loops {
		looped = g.orderOf(loopNames{r.Eval, level, at}, config, own, nil)
	}
	if g.writes || !g.loops {
		written = g.orderOf(writtenNames{level.LookupPath(at)}, config, own, nil)
	}
	switch {
	case !g.loops:
		return written
	case g.writes && !reflect.DeepEqual(looped, written):
		return nil
	}
	return looped
}

// named is an evaluated struct or list, which tells the order of its fields.
type named interface {
	names() []string
	at(cue.Selector) named
}

// writtenNames has fields in the order in which CUE writes them out.
type writtenNames struct{ value cue.Value }

func (v writtenNames) names() (out []string) {
	fields, err := fromcue.Fields(v.value)
	for err == nil && fields.Next() {
		out = append(out, fields.Name())
	}
	return out
}

func (v writtenNames) at(s cue.Selector) named {
	return writtenNames{v.value.LookupPath(cue.MakePath(s))}
}

// loopNames has fields in the order in which a loop goes through them, at a path in a level.
type loopNames struct {
	eval  *spread.Evaluator
	level cue.Value
	path  cue.Path
}

func (v loopNames) names() (out []string) { return v.eval.LoopNames(v.level, v.path) }

func (v loopNames) at(s cue.Selector) named {
	return loopNames{v.eval, v.level, cue.MakePath(append(v.path.Selectors(), s)...)}
}

// orderOf reads the order of fields from an evaluated struct at a path of the config, that has the fields of d, of which own is given. It is nil if
// v lacks one of them, if a list that is not in g.lists has structs, or if a map's fields are not in the order of their names.
func (g *dependents) orderOf(v named, d, own *value.Data, path depends.Path) *order {
	if d.Kind == value.List {
		return g.orderOfItems(v, d, own, path)
	}
	if d.Kind != value.Struct {
		return &order{}
	}
	o := &order{below: map[string]*order{}, byName: isAmong(g.maps, path)}
	for _, name := range v.names() {
		x := d.Get(name)
		if x == nil {
			continue
		}
		below := g.orderOf(v.at(cue.Str(name)), x, own.Get(name), append(slices.Clip(path), name))
		if below == nil {
			return nil
		}
		o.names, o.below[name] = append(o.names, name), below
	}
	if len(o.names) != len(d.Fields) || o.byName && !o.isMap(own) {
		return nil
	}
	return o
}

// isMap reports whether the fields are in the order of their names, and all structs in them of which the same fields are given have one order, which
// it keeps in each.
func (o *order) isMap(own *value.Data) bool {
	o.each = map[string]*order{}
	for _, name := range o.names {
		shape := shapeOf(own.Get(name))
		if o.each[shape] == nil {
			o.each[shape] = o.below[name]
		} else if !slices.Equal(o.each[shape].names, o.below[name].names) {
			return false
		}
	}
	return slices.IsSorted(o.names)
}

// orderOfItems is [dependents.orderOf] for a list.
func (g *dependents) orderOfItems(v named, d, own *value.Data, path depends.Path) *order {
	if !hasStructInList(d) {
		return &order{}
	}
	if !isAmong(g.lists, path) {
		return nil
	}
	o := &order{}
	for i, x := range d.Items {
		item := g.orderOf(v.at(cue.Index(i)), x, own.Get(value.Element(i)), nil)
		if item == nil {
			return nil
		}
		o.items = append(o.items, item)
	}
	return o
}

func isAmong(paths []depends.Path, path depends.Path) bool {
	return filter.Any(paths, func(p depends.Path) bool { return slices.Equal(p, path) })
}

// arranged returns d, of which own is given, with its fields in the order. The result is only written out for CUE: everywhere else, fields
// of data are sorted by name.
func (o *order) arranged(d, own *value.Data) *value.Data {
	if o == nil || !d.IsComposite() {
		return d
	}
	out := *d
	out.Items = slices.Clone(d.Items)
	for i, item := range o.items {
		out.Items[i] = item.arranged(d.Items[i], own.Get(value.Element(i)))
	}
	if o.byName {
		out.Fields = slices.Clone(d.Fields)
		for i, f := range d.Fields {
			given := own.Get(f.Name)
			out.Fields[i].Value = o.each[shapeOf(given)].arranged(f.Value, given)
		}
		return &out
	}
	out.Fields = make([]value.Field, len(o.names))
	for i, name := range o.names {
		out.Fields[i] = value.Field{Name: name, Value: o.below[name].arranged(d.Get(name), own.Get(name))}
	}
	return &out
}

// shapeOf is a text that is the same for values with the same fields, and kinds of values in them. Of fields at the paths in maps, the
// names make no difference.
func shapeOf(d *value.Data, maps ...depends.Path) string { return string(appendShape(nil, d, maps)) }

func appendShape(b []byte, d *value.Data, maps []depends.Path) []byte {
	if d == nil {
		return append(b, '-')
	}
	b = strconv.AppendInt(b, int64(d.Kind), 10)
	if filter.Any(maps, func(path depends.Path) bool { return len(path) == 0 }) {
		return append(append(b, shapesIn(d)...), ';')
	}
	for _, f := range d.Fields {
		b = appendShape(append(strconv.AppendQuote(b, f.Name), ':'), f.Value, below(maps, f.Name))
	}
	for _, x := range d.Items {
		b = appendShape(append(b, ','), x, nil)
	}
	return append(b, ';')
}

// shapesIn are the shapes of what is in a map.
func shapesIn(d *value.Data) string {
	var all []string
	for _, f := range d.Fields {
		all = append(all, shapeOf(f.Value))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "*")
}

// below are the rests of the paths that lead into a field.
func below(maps []depends.Path, name string) (out []depends.Path) {
	for _, path := range maps {
		if path[0] == name {
			out = append(out, path[1:])
		}
	}
	return out
}

// ordered evaluates a slice whose values may show the order of fields, with the types of config, which decide that
// order. If the order is the same for all values with the same fields, it is learnt, and later levels are evaluated
// without the types.
func (g *dependents) ordered(r *runner, u *unit, part, own *value.Data) ([]*value.Data, bool) {
	shape := shapeOf(own, g.maps...) + shapeOf(part, g.maps...)
	o := g.orders[shape]
	if o != nil && o.equal == minEqual {
		if text, ok := g.encoded(u, part, own, o.order); ok && o.text != nil {
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
		o = &learntOrder{order: g.orderIn(r, r.Eval.Imported(typed, own), part, own)}
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
	if text, ok := g.encoded(u, part, own, o.order); ok && values[0] != nil && values[0].Kind == value.String && values[0].Text == text {
		o.text = values[0]
	}
}

// encoded makes a text that shows the order of fields, such as the value of  json.Marshal(config.parameter) . It is false if the value is
// something else, and if there is something in the config that CUE may write differently.
func (g *dependents) encoded(u *unit, part, own *value.Data, o *order) (string, bool) {
	if g.marshalled == nil {
		return g.computed(u, o.arranged(part, own))
	}
	d := part
	for _, name := range g.marshalled {
		d, own, o = d.Get(name), own.Get(name), o.below[name]
		if d == nil {
			return "", false
		}
	}
	if g.encoding == "encoding/yaml" {
		return g.yaml.Marshal(spread.Expr(o.arranged(d, own)))
	}
	plain := true
	d.Walk(nil, func(path []string, x *value.Data) bool {
		plain = plain && x.Kind != value.Float && isPlainText(x.Text) && (len(path) == 0 || isPlainText(path[len(path)-1]))
		return plain
	})
	return o.arranged(d, own).JSON(), plain
}

// computed is the text that Go makes of the only expression, false if there are several or if CUE has to make it.
func (g *dependents) computed(u *unit, config *value.Data) (string, bool) {
	if len(g.closed) != 1 || g.checks() {
		return "", false
	}
	x := u.computedOf(g.closed[0]).expr
	if x == nil || x.IsCopy() {
		return "", false
	}
	d := x.InOrder(config)
	if d == nil || d.Kind != value.String {
		return "", false
	}
	return d.Text, true
}

// isPlainText reports whether JSON has a text between quotes as it is, without escapes.
func isPlainText(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"\<>&`, r) })
}
