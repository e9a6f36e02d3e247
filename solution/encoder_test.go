package solution

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
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

// TestRandomSolutions compares with the library, whatever a solution holds: texts
// that are none, numbers without end, nothing where something is expected.
func TestRandomSolutions(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := &Solution{}
		draw(t, reflect.ValueOf(s).Elem(), 0)
		s.Digest = ""
		for name, d := range s.Deployments { // as some are in real ones
			if d != nil && rapid.Bool().Draw(t, "again") {
				s.Deployments[name+"2"] = &Deployment{Name: name, Artifact: d.Artifact}
			}
		}
		want, err := json.MarshalIndent(s, "", "  ")
		got, same := s.Bytes()
		require.Equal(t, err == nil, same == nil, "%v %v", err, same)
		if err != nil {
			return
		}
		require.Equal(t, string(want)+"\n", string(got))
		encoded, err := s.Encode()
		require.NoError(t, err)
		s.Digest = encoded.Digest
		want, err = json.MarshalIndent(s, "", "  ")
		require.NoError(t, err)
		require.Equal(t, string(want)+"\n", string(encoded.Bytes()))
	})
}

var (
	oddTexts   = []string{"", "plain", "a-b.c/d", "<&>", "\u2028\u2029", "\x00\x1f\x7f", "\xff", "é\xc3", "\ud7ff\ufffd", "日本", "\"\\\b\f\n\r\t", "\u0080", "e\u0301", "😀"}
	oddNumbers = []string{"", "0", "-0", "12", "1e400", "0.1000", "-1.5E-7", "123456789012345678901234567890", "01", "1.", "x", "NaN", "-"}
)

// draw fills a value at random.
func draw(t *rapid.T, v reflect.Value, depth int) {
	absent := rapid.IntRange(0, 3+depth/3).Draw(t, "kind")
	switch v.Kind() {
	case reflect.Pointer:
		if absent < 3 && depth < 14 {
			v.Set(reflect.New(v.Type().Elem()))
			draw(t, v.Elem(), depth+1)
		}
	case reflect.Struct:
		if r, ok := v.Addr().Interface().(*Resource); ok {
			drawResource(t, r, depth)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				draw(t, v.Field(i), depth+1)
			}
		}
	case reflect.Map:
		if absent == 0 || depth > 14 {
			return
		}
		v.Set(reflect.MakeMap(v.Type()))
		for range min(absent-1, 2) {
			value := reflect.New(v.Type().Elem()).Elem()
			draw(t, value, depth+1)
			v.SetMapIndex(reflect.ValueOf(rapid.SampledFrom(oddTexts).Draw(t, "key")), value)
		}
	case reflect.Slice:
		if n := min(absent-1, 2); n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				draw(t, v.Index(i), depth+1)
			}
		}
	case reflect.Interface:
		drawAny(t, v, depth)
	case reflect.String:
		from := oddTexts
		if v.Type() == reflect.TypeFor[json.Number]() {
			from = oddNumbers[:8]
			if rapid.IntRange(0, 200).Draw(t, "wrong") == 0 {
				from = oddNumbers
			}
		}
		v.SetString(rapid.SampledFrom(from).Draw(t, "text"))
	case reflect.Int, reflect.Int64:
		v.SetInt(rapid.Int64().Draw(t, "number"))
	case reflect.Bool:
		v.SetBool(absent > 1)
	}
}

func drawAny(t *rapid.T, v reflect.Value, depth int) {
	var x any
	switch rapid.IntRange(0, 6).Draw(t, "any") {
	case 0:
		x = rapid.SampledFrom(oddTexts).Draw(t, "text")
	case 1:
		x = json.Number(rapid.SampledFrom(oddNumbers[:8]).Draw(t, "number"))
	case 2:
		x = rapid.SampledFrom([]any{true, map[string]any(nil), []any(nil), (*Resource)(nil), 1.5, 7, []string{"<"}, map[string]string{"<": ">"}}).Draw(t, "other")
	case 3, 4:
		of := reflect.TypeFor[map[string]any]()
		if rapid.Bool().Draw(t, "list") {
			of = reflect.TypeFor[[]any]()
		}
		made := reflect.New(of).Elem()
		draw(t, made, depth+1)
		x = made.Interface()
	}
	if x != nil {
		v.Set(reflect.ValueOf(x))
	}
}

func drawResource(t *rapid.T, r *Resource, depth int) {
	switch rapid.IntRange(0, 4).Draw(t, "resource") {
	case 0:
		r.Volume = &Volume{ID: rapid.SampledFrom(oddTexts).Draw(t, "id")}
	case 1:
		r.Volume = &Volume{Size: &Amount{}}
		draw(t, reflect.ValueOf(r.Volume.Size).Elem(), depth+1)
	case 2:
		r.Secret = rapid.SampledFrom(oddTexts).Draw(t, "id")
	case 3:
		if depth < 14 {
			draw(t, reflect.ValueOf(&r.Group).Elem(), depth+1)
		}
	}
}
