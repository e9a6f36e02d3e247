package value

import (
	"slices"

	"kumiki.dev/diag"
)

// mapped returns d with what f makes of each field's value and each item: d itself if that is the same.
func (d *Data) mapped(f func(*Data) *Data) *Data {
	out := d
	own := func() *Data {
		if out == d {
			copied := *d
			copied.Fields, copied.Items = slices.Clone(d.Fields), slices.Clone(d.Items)
			out = &copied
		}
		return out
	}
	for i, m := range d.Fields {
		if x := f(m.Value); x != m.Value {
			own().Fields[i].Value = x
		}
	}
	for i, item := range d.Items {
		if x := f(item); x != item {
			own().Items[i] = x
		}
	}
	return out
}

// WithOrigin returns d with the origin in its leaves.
func (d *Data) WithOrigin(origin func(*Data) Origin) *Data {
	if d.IsComposite() {
		return d.mapped(func(x *Data) *Data { return x.WithOrigin(origin) })
	}
	o := origin(d)
	if o == d.Origin {
		return d
	}
	out := *d
	out.Origin = o
	return &out
}

// WithoutOrigin returns d as it is outside of a config, where values have no origin.
func (d *Data) WithoutOrigin() *Data { return d.WithOrigin(func(*Data) Origin { return Origin{} }) }

// Without returns a copy of d that lacks the value at path.
func (d *Data) Without(path []string) *Data { return d.With(path, nil) }

// With returns a copy of d that has the value at path; nil removes it.
func (d *Data) With(path []string, value *Data) *Data {
	if i, ok := Index(path[0]); ok && d != nil && d.Kind == List && i < len(d.Items) && value != nil {
		out := *d
		out.Items = slices.Clone(d.Items)
		if len(path) > 1 {
			value = d.Items[i].With(path[1:], value)
		}
		out.Items[i] = value
		return &out
	}
	if len(path) == 1 {
		return d.Set(path[0], value)
	}
	below := d.Get(path[0])
	if below == nil || below.Kind != List {
		below = OrEmpty(below)
	}
	return d.Set(path[0], below.With(path[1:], value))
}

// Replaced returns a copy of d that has other values at paths where there are some, which
// are sorted and not within each other. It is [Data.With] for many at once.
func (d *Data) Replaced(paths [][]string, values []*Data) *Data { return d.replaced(0, paths, values) }

func (d *Data) replaced(depth int, paths [][]string, values []*Data) *Data {
	if len(paths) == 0 {
		return d
	}
	if len(paths[0]) == depth {
		return values[0]
	}
	out := *d
	out.Fields, out.Items = slices.Clone(d.Fields), slices.Clone(d.Items)
	for from := 0; from < len(paths); {
		name, to := paths[from][depth], from+1
		for to < len(paths) && paths[to][depth] == name {
			to++
		}
		if i, ok := Index(name); ok && d.Kind == List {
			out.Items[i] = d.Items[i].replaced(depth+1, paths[from:to], values[from:to])
		} else if i := slices.IndexFunc(d.Fields, func(f Field) bool { return f.Name == name }); i >= 0 {
			out.Fields[i].Value = d.Fields[i].Value.replaced(depth+1, paths[from:to], values[from:to])
		}
		from = to
	}
	return &out
}

// IsComposite reports whether d is a struct or a list.
func (d *Data) IsComposite() bool { return d != nil && (d.Kind == Struct || d.Kind == List) }

// Members are the members of a struct, or the items of a list; none for nil or anything else.
func (d *Data) Members() []Field {
	if d == nil || d.Kind != List {
		return d.Each()
	}
	var out []Field
	for i, x := range d.Items {
		out = append(out, Field{Element(i), x})
	}
	return out
}

// LeafPos is the place of d, or of its first member for a struct without one.
func (d *Data) LeafPos() diag.Pos {
	for d != nil && !d.Pos.IsValid() && len(d.Fields) > 0 {
		d = d.Fields[0].Value
	}
	if d == nil {
		return diag.NoPos
	}
	return d.Pos
}

// Lacking returns a copy of d without what is at the path; "" in the path stands
// for any name.
func (d *Data) Lacking(path []string) *Data {
	if d == nil || d.Kind != Struct {
		return d
	}
	out := *d
	out.Fields = nil
	for _, f := range d.Fields {
		switch {
		case path[0] != "" && path[0] != f.Name:
			out.Fields = append(out.Fields, f)
		case len(path) > 1:
			out.Fields = append(out.Fields, Field{f.Name, f.Value.Lacking(path[1:])})
		}
	}
	return &out
}

// Within returns what d has at the path, in the structs around it; "" in the path
// stands for any name.
func (d *Data) Within(path []string) *Data {
	if len(path) == 0 || d == nil {
		return d
	}
	out := &Data{Kind: Struct, Pos: d.Pos}
	for _, f := range d.Each() {
		if path[0] != f.Name && path[0] != "" {
			continue
		}
		if value := f.Value.Within(path[1:]); value != nil && (len(path) == 1 || len(value.Fields) > 0) {
			out.Fields = append(out.Fields, Field{f.Name, value})
		}
	}
	return out
}

// MovedTo returns a copy of d in which everything has the position.
func (d *Data) MovedTo(pos diag.Pos) *Data {
	return d.Moved(func(diag.Pos) diag.Pos { return pos })
}

// Moved returns d with other positions.
func (d *Data) Moved(to func(diag.Pos) diag.Pos) *Data {
	return d.mapped(func(x *Data) *Data { return x.Moved(to) }).At(to(d.Pos))
}

// At returns d with another position of its own.
func (d *Data) At(pos diag.Pos) *Data {
	if pos == d.Pos {
		return d
	}
	out := *d
	out.Pos = pos
	return &out
}

// HasStandIn reports whether any part of d stands in for a value that is missing
// or wrong, which has been reported: what is found wrong with d is a
// consequence of that.
func (d *Data) HasStandIn() bool {
	return d.Holds(func(x *Data) bool { return IsStandIn(x.Pos) })
}
