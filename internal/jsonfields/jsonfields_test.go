package jsonfields

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

type inner struct {
	B string `json:"b,omitempty"`
}

type outer struct {
	A int `json:"a"`
	inner
	Inner
	C     *int           `json:"c,omitempty"`
	D     map[string]int `json:"d,omitempty"`
	E     Inner          `json:"e,omitempty"`
	F     Inner          `json:"f,omitzero"`
	G     []int          `json:",omitempty"`
	H     bool           `json:"-"`
	I     float64
	notIn string
}

// Inner is embedded with its fields.
type Inner struct {
	J []int `json:"j,omitempty"`
}

// TestOf compares with the keys that encoding/json writes.
func TestOf(t *testing.T) {
	t.Parallel()
	one := 1
	table := Table{}
	for _, v := range []outer{
		{notIn: "x", inner: inner{B: "b"}},
		{C: &one, D: map[string]int{}, G: []int{}, F: Inner{J: []int{}}},
		{A: 1, Inner: Inner{J: []int{1}}, D: map[string]int{"x": 1}, G: []int{1}, H: true, I: 1},
	} {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		var want map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(text, &want))
		var got []string
		for _, f := range table.Of(reflect.TypeFor[outer]()) {
			if value := reflect.ValueOf(v).FieldByIndex(f.Index); !f.Omitted(value) {
				got = append(got, f.Key)
				require.Equal(t, value.Type(), f.Type)
			}
		}
		slices.Sort(got)
		require.Equal(t, slices.Sorted(maps.Keys(want)), got)
	}
}
