package kubernetes

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

// TestYAML shows that what is written is read again as what it was.
func TestYAML(t *testing.T) {
	text := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-z0-9.:/#&*!|>%@'"{} ~,?\[\]\n\t-]{0,12}`),
		rapid.StringMatching(`( ?[a-z]{1,12}){0,15}`),
		rapid.SampledFrom([]string{"true", "Yes", "on", "null", "~", "y", "1", "0x1f", "1e3", ".5", ".inf", "2001-01-01", "12:30:45", "<<", "=", "---", "|", "a\n", "a\nb\n", " a\n", "a\n\n", "\n", "a: b", "a #b", "- a"}),
	)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Just[any](true), rapid.Just[any](nil), rapid.Just[any](json.Number("-12")), rapid.Just[any](json.Number("0.5")))
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(v []any) any { return v }),
			rapid.Map(rapid.MapOfN(text, value(depth-1), 0, 3), func(v map[string]any) any { return v }))
	}
	rapid.Check(t, func(t *rapid.T) {
		in := map[string]any{"a": value(3).Draw(t, "value")}
		w := newWriter(nil)
		if err := w.Document(in); err != nil {
			t.Fatal(err)
		}
		out := w.Out
		data, err := yaml.YAMLToJSON(out)
		if err != nil {
			t.Fatalf("%v:\n%s", err, out)
		}
		dec := json.NewDecoder(bytes.NewReader(data))
		dec.UseNumber()
		var got map[string]any
		if err := dec.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(in, got); diff != "" {
			t.Fatalf("%s\n%s", out, diff)
		}
	})
}

// TestYAMLStyle shows that it is written as sigs.k8s.io/yaml writes it.
func TestYAMLStyle(t *testing.T) {
	const in = `{"a":{"b":["x",1,true,null,"yes","25%","http://0.api",{"c":"d","e":[]},{}],"file":"one\ntwo\n\n three\n","part":"one\ntwo"},"empty":{}}`
	var plain map[string]any
	dec := json.NewDecoder(bytes.NewReader([]byte(in)))
	dec.UseNumber()
	require.NoError(t, dec.Decode(&plain))
	want, err := yaml.JSONToYAML([]byte(in))
	require.NoError(t, err)
	w := newWriter(nil)
	require.NoError(t, w.Document(plain))
	require.Equal(t, string(want), string(w.Out))
}

// TestScalar shows that what is found out about strings here is what
// sigs.k8s.io/yaml does with them.
func TestScalar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.StringMatching(`[A-Za-z/][a-z0-9 :._/-]{0,70}`),
			rapid.StringMatching(`([A-Z]?[a-z]{0,4}[0-9_ .:-]?){1,20}`),
			rapid.StringMatching(`[0-9][0-9a-fA-FxobTt.]{0,20}`),
			rapid.StringMatching(`[0-9]{1,20}`),
			rapid.StringMatching(`[yY]|[yY][eE][sS]|[nN][oO]?|[oO][nN]|[oO][fF][fF]|[tT][rR][uU][eE]|[fF][aA][lL][sS][eE]|[nN][uU][lL][lL]`),
		).Draw(t, "s")
		if plainWord(s) || digits(s) {
			want, err := yaml.Marshal(s)
			require.NoError(t, err)
			require.Equal(t, string(want), scalars{}.of(s)+"\n")
		}
	})
}

// TestMisread writes in quotes what only some readers of YAML take for a text, such as
// those of YAML 1.1.
func TestMisread(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"=", "1e400", "22E2195", "-1E400", "1e", "._1", ".5", "5.", "1_000", "1,000", "_1", "+12", "0x_1", "0xFF", "0b1_0", "0o17", "007",
		"8080:80", "190:20:30", "-1:30.5", "2001-12-14", "2001-1-1", "2001-12-14 21:59:43.10 -5", "2001-12-14t21:59:43Z", "99999999999999999999",
	} {
		require.Equal(t, `"`+s+`"`, scalars{}.of(s))
	}
	for _, s := range []string{"1.0.0", "10.0.0.0/8", "10.0.0.1", "5d41402abc4b2a76", "200m", "10Mi", "8080/tcp", "v1", "a:b", "30s", "2001-12", "0abc"} {
		require.NotContains(t, scalars{}.of(s), `"`, s)
	}
	require.False(t, lineByLine("a\nb "))
	require.False(t, lineByLine("a\nb\t\n"))
	require.True(t, lineByLine("a \nb\n"))
}
