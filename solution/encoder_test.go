package solution

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestBytes compares the solution that is written in pieces with all of it, in
// JSON's own words; a field that is forgotten would be missing.
func TestBytes(t *testing.T) {
	t.Parallel()
	up, full := "top", &Solution{}
	fill(reflect.ValueOf(full).Elem(), 0)
	full.Deployments = map[string]*Deployment{"a<b": {Meta: map[string]any{"m": []any{}}, Up: &up}, "a": nil, "full": full.Deployments["text"]}
	for _, s := range []*Solution{{}, {Deployments: map[string]*Deployment{}, Links: []Link{}}, full} {
		got, err := s.Bytes()
		require.NoError(t, err)
		want, err := json.MarshalIndent(s, "", "  ")
		require.NoError(t, err)
		require.Equal(t, string(want)+"\n", string(got))
		encoded, err := s.Encode()
		require.NoError(t, err)
		digest, err := s.ContentDigest()
		require.NoError(t, err)
		require.Equal(t, digest, encoded.Digest)
		sealed := *s
		sealed.Digest = digest
		got, err = sealed.Bytes()
		require.NoError(t, err)
		require.Equal(t, string(got), string(encoded.Bytes()))
	}
}

// fill gives every field a value, as deep as is useful.
func fill(v reflect.Value, depth int) {
	if depth > 12 {
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), depth+1)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), depth+1)
			}
		}
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("text"), value)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth+1)
	case reflect.String:
		v.SetString("12") // json.Number is a string too
	case reflect.Int, reflect.Int64:
		v.SetInt(12)
	case reflect.Bool:
		v.SetBool(true)
	}
}

// TestPlainData compares with the library.
func TestPlainData(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `"`, `\`, `\"`, "{", "}", "[]", ",", ": ", "<&>", "\u2028"}))
	leaf := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Float64(), func(f float64) any { return f }), rapid.SampledFrom([]any{nil, true, 12, json.Number(""), json.Number("0"), json.Number("-1.50"), json.Number("1e3"), json.Number("120")}))
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 3), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(text, rapid.Deferred(func() *rapid.Generator[any] { return value(depth - 1) }), 0, 3), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		x := value(4).Draw(t, "value")
		want, err := json.MarshalIndent(x, "", "  ")
		require.NoError(t, err)
		var got []byte
		e := newEncoder(func(p []byte) { got = append(got, p...) })
		e.any(x)
		e.cut()
		require.NoError(t, e.err)
		require.Equal(t, string(want), string(got))
	})
}
