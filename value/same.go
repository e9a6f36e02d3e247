package value

import "slices"

// Same reports whether two values are the same, written at the same places and
// given by the same.
func Same(a, b *Data) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	return a.Kind == b.Kind && a.Text == b.Text && a.Pos == b.Pos && a.Origin == b.Origin &&
		slices.EqualFunc(a.Items, b.Items, Same) &&
		slices.EqualFunc(a.Fields, b.Fields, func(x, y Field) bool { return x.Name == y.Name && Same(x.Value, y.Value) })
}
