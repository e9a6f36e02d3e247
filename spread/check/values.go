package check

import (
	"math/big"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/fromcue"
	"kumiki.dev/spread"
	"kumiki.dev/spread/guards"
	"kumiki.dev/spread/wording"
	"kumiki.dev/value"
)

// Bounds of what is tried for one field.
const maxValues, maxSpare = 24, 10

// fillValues finds the values of a choice that are worth trying.
func (c *checker) fillValues(ch *choice) {
	if v := c.base[ch]; v != nil {
		ch.known[v.JSON()] = true
	} else if d, ok := ch.schema.Default(); ok {
		if x := (&spread.Finisher{}).Finish(d, nil); x != nil {
			ch.known[x.JSON()] = true // giving it makes no difference
		}
	}
	ch.values = c.add(ch, ch.values, maxValues, c.alternativesOf(ch.schema))
	for _, h := range c.hints[pathKey(ch.path)] {
		ch.values = c.add(ch, ch.values, maxValues, c.hinted(ch, h))
		ch.values = c.add(ch, ch.values, maxValues, c.nearPeers(h, c.first.Config))
	}
	if ch.optional && len(ch.values) == 0 {
		ch.values = c.add(ch, ch.values, 1, spread.Candidates(ch.schema, ch.pos))
	}
}

// spare are other values that a choice takes, for when those of several fields
// contradict each other.
func (c *checker) spare(ch *choice) []*value.Data {
	if ch.spare != nil {
		return ch.spare
	}
	ch.spare = []*value.Data{}
	for _, demand := range c.demands[pathKey(ch.path)] {
		ch.spare = c.add(ch, ch.spare, maxSpare, spread.Candidates(demand, ch.pos))
	}
	if ch.schema.Exists() {
		ch.spare = c.add(ch, ch.spare, maxSpare, spread.Candidates(ch.schema, ch.pos))
	}
	return ch.spare
}

// add appends those of the values that a choice takes and does not have yet.
func (c *checker) add(ch *choice, to []*value.Data, limit int, values []*value.Data) []*value.Data {
	for _, x := range values {
		if text := x.JSON(); len(to) < limit && !ch.known[text] && c.takes(ch, x) {
			ch.known[text] = true
			to = append(to, x.MovedTo(ch.pos))
		}
	}
	return to
}

// takes reports whether the declaration of a choice takes a value by itself.
func (c *checker) takes(ch *choice, x *value.Data) bool {
	return !ch.schema.Exists() || c.eval.Takes(ch.schema, x)
}

// alternativesOf are the values by which a type makes a difference: those of an
// enumeration, both booleans, one of each kind, none and some members.
func (c *checker) alternativesOf(v cue.Value) []*value.Data {
	if !v.Exists() || v.IsConcrete() && v.IncompleteKind()&(cue.StructKind|cue.ListKind) == 0 {
		return nil
	}
	pos := diag.NoPos
	if kind := wording.ResourceKind(v); kind != "" {
		return resourceValues(kind)
	}
	if op, args := fromcue.ExprOf(v); op == cue.OrOp {
		var out []*value.Data
		for _, a := range args {
			out = append(out, c.eval.StandIn(a, pos))
		}
		return out
	}
	switch v.IncompleteKind() {
	case cue.BoolKind:
		return []*value.Data{{Kind: value.Bool, Text: "true"}, {Kind: value.Bool, Text: "false"}}
	case cue.ListKind:
		return c.lists(v, 0, 1, 2)
	case cue.StructKind:
		return c.maps(v, 0, 1)
	}
	return nil
}

func resourceValues(kind string) []*value.Data {
	id := value.NewStruct(diag.NoPos, value.Field{Name: kind, Value: value.NewString(diag.NoPos, "stand-in")})
	if kind != "volume" {
		return []*value.Data{id}
	}
	return []*value.Data{id, volatileOf(value.NewInt(diag.NoPos, 1), "G")}
}

// volatileOf is a volume that is requested on the spot.
func volatileOf(size *value.Data, unit string) *value.Data {
	return value.NewStruct(diag.NoPos, value.Field{Name: "volume", Value: value.NewStruct(diag.NoPos,
		value.Field{Name: "kind", Value: value.NewString(diag.NoPos, "storage")}, value.Field{Name: "size", Value: size}, value.Field{Name: "unit", Value: value.NewString(diag.NoPos, unit)})})
}

// lists are lists of the lengths, of the members that v takes.
func (c *checker) lists(v cue.Value, lengths ...int) []*value.Data {
	item := v.LookupPath(cue.MakePath(cue.AnyIndex))
	var out []*value.Data
	for _, n := range lengths {
		list := &value.Data{Kind: value.List}
		for range max(n, 0) {
			if !item.Exists() {
				break
			}
			list.Items = append(list.Items, c.eval.StandIn(item, diag.NoPos))
		}
		if len(list.Items) == n {
			out = append(out, list)
		}
	}
	return out
}

// maps are structs with the numbers of members that v has no names for.
func (c *checker) maps(v cue.Value, numbers ...int) []*value.Data {
	item := v.LookupPath(cue.MakePath(cue.AnyString))
	if !item.Exists() {
		return nil
	}
	var out []*value.Data
	for _, n := range numbers {
		m := c.eval.StandInStruct(v, diag.NoPos)
		for i := range max(n, 0) {
			m = m.Set(strings.Repeat(memberName, i+1), c.eval.StandIn(item, diag.NoPos))
		}
		out = append(out, m)
	}
	return out
}

// nearPeers are the values that the fields have which a choice is compared with,
// and those beside them.
func (c *checker) nearPeers(h *guards.Hints, config *value.Data) []*value.Data {
	var out []*value.Data
	for _, p := range h.Peers {
		v := config.Get(p...)
		if v == nil {
			continue
		}
		if n, ok := spread.PlainValue(v).(*big.Rat); ok {
			out = append(out, near(n, cue.NumberKind)...)
			continue
		}
		out = append(out, v)
	}
	return out
}

// hinted are the values that the sources speak of, for a choice.
func (c *checker) hinted(ch *choice, h *guards.Hints) []*value.Data {
	kind := ch.schema.IncompleteKind()
	if kind == cue.BottomKind {
		kind = cue.TopKind // not declared without a condition, or CUE does not say yet
	}
	if ch.path[0] == "resource" {
		return hintedResource(ch.schema, h)
	}
	var out []*value.Data
	for _, n := range h.Numbers {
		out = append(out, near(n, kind)...)
		if n.IsInt() && n.Num().IsInt64() && n.Num().Int64() <= spread.MaxLength {
			out = append(out, c.ofLength(ch.schema, kind, int(n.Num().Int64()))...)
		}
	}
	if kind&cue.StringKind != 0 {
		out = append(out, texts(h)...)
	}
	if kind&cue.ListKind != 0 {
		out = append(out, c.listsOf(h)...)
	}
	if kind&cue.StructKind != 0 && ch.schema.Exists() {
		for _, text := range h.Texts {
			if item := ch.schema.LookupPath(cue.MakePath(cue.AnyString)); item.Exists() {
				out = append(out, value.NewStruct(diag.NoPos, value.Field{Name: text, Value: c.eval.StandIn(item, diag.NoPos)}))
			}
		}
	}
	return out
}

func hintedResource(schema cue.Value, h *guards.Hints) []*value.Data {
	var out []*value.Data
	kind := wording.ResourceKind(schema)
	if kind == "" {
		return nil
	}
	for _, text := range h.Texts {
		out = append(out, value.NewStruct(diag.NoPos, value.Field{Name: kind, Value: value.NewString(diag.NoPos, text)}), volatileOf(value.NewInt(diag.NoPos, 1), text))
	}
	for _, n := range h.Numbers {
		for _, size := range near(n, cue.NumberKind) {
			out = append(out, volatileOf(size, "G"))
		}
	}
	return out
}

// near are the number and those beside it.
func near(n *big.Rat, kind cue.Kind) []*value.Data {
	var out []*value.Data
	step := big.NewRat(1, 1)
	if !n.IsInt() {
		step = big.NewRat(1, 2)
	}
	for _, x := range []*big.Rat{n, new(big.Rat).Add(n, step), new(big.Rat).Sub(n, step)} {
		switch {
		case x.IsInt() && kind&cue.IntKind != 0:
			out = append(out, &value.Data{Kind: value.Int, Text: x.Num().String()})
		case kind&cue.FloatKind != 0:
			if text := x.FloatString(9); strings.Contains(text, ".") {
				out = append(out, &value.Data{Kind: value.Float, Text: strings.TrimRight(text, "0") + "0"})
			}
		}
	}
	return out
}

// ofLength are values about as long as n.
func (c *checker) ofLength(schema cue.Value, kind cue.Kind, n int) []*value.Data {
	var out []*value.Data
	for _, m := range []int{n, n + 1, n - 1} {
		if m < 0 {
			continue
		}
		if kind&cue.StringKind != 0 {
			out = append(out, value.NewString(diag.NoPos, strings.Repeat("a", m)))
		}
		if kind&cue.ListKind != 0 && schema.Exists() {
			out = append(out, c.lists(schema, m)...)
		}
		if kind&cue.StructKind != 0 && schema.Exists() {
			out = append(out, c.maps(schema, m)...)
		}
	}
	return out
}

// texts are the strings that the sources speak of, and some that have them in them.
func texts(h *guards.Hints) []*value.Data {
	var all []string
	all = append(all, h.Texts...)
	for _, p := range h.Patterns {
		if text, ok := guards.Match(p); ok {
			all = append(all, text)
		}
	}
	for _, t := range h.Texts {
		all = append(all, t+"x", "x"+t, "x"+t+"x", strings.ToLower(t), strings.ToUpper(t))
	}
	var out []*value.Data
	for _, t := range all {
		out = append(out, value.NewString(diag.NoPos, t))
	}
	return out
}

// listsOf are lists of one of the values that the sources speak of.
func (c *checker) listsOf(h *guards.Hints) []*value.Data {
	var items []*value.Data
	for _, n := range h.Numbers {
		if n.IsInt() {
			items = append(items, &value.Data{Kind: value.Int, Text: n.Num().String()})
		}
	}
	for _, t := range h.Texts {
		items = append(items, value.NewString(diag.NoPos, t))
	}
	var out []*value.Data
	for _, x := range items {
		out = append(out, &value.Data{Kind: value.List, Items: []*value.Data{x}})
	}
	return slices.Clip(out)
}
