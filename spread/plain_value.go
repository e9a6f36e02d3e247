package spread

import (
	"math/big"

	"kumiki.dev/value"
)

// PlainValue returns a value as the package guards has it: a bool, a *big.Rat, a string, or a
// []any or map[string]any of these. It is nil for null.
func PlainValue(d *value.Data) any {
	switch d.Kind {
	case value.Bool:
		return d.Text == "true"
	case value.Int, value.Float:
		if n := ratOf(d); n != nil {
			return n
		}
	case value.List:
		out := []any{}
		for _, x := range d.Items {
			out = append(out, PlainValue(x))
		}
		return out
	case value.Struct:
		out := map[string]any{}
		for _, f := range d.Fields {
			out[f.Name] = PlainValue(f.Value)
		}
		return out
	case value.String:
		return d.Text
	}
	return nil
}

// ratOf is a number, nil for anything else.
func ratOf(d *value.Data) *big.Rat {
	if d.Kind != value.Int && d.Kind != value.Float {
		return nil
	}
	n, ok := new(big.Rat).SetString(d.Text)
	if !ok {
		return nil
	}
	return n
}
