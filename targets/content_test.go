package targets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
	"kumiki.dev/solution"
)

// TestContent shows that JSON is laid out as encoding/json does.
func TestContent(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[a-z "\\<\n]{0,8}`))
	leaf := rapid.OneOf(
		rapid.Map(text, func(s string) any { return s }),
		rapid.SampledFrom([]any{nil, true, json.Number("-1.50"), json.Number("1e3"), json.Number(""), 0.5, map[string]any(nil), []any(nil), map[string]string{"a": "b"}}),
	)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(value(depth-1), 0, 3), func(v []any) any { return v }),
			rapid.Map(rapid.MapOfN(text, value(depth-1), 0, 3), func(v map[string]any) any { return v }))
	}
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		require.NoError(t, enc.Encode(v))
		got, err := Content(&solution.File{Format: "json", Data: &solution.FileData{Value: v}})
		require.NoError(t, err)
		require.Equal(t, want.String(), string(got))
	})
	_, err := Content(&solution.File{Format: "json", Data: &solution.FileData{Value: []any{func() {}}}})
	require.Error(t, err)
}

// TestNumbersInYAML shows that another parser reads the numbers of a file digit for digit, and
// that what looks like a name for one stays a text.
func TestNumbersInYAML(t *testing.T) {
	digits := rapid.StringMatching(`-?(0|[1-9][0-9]{0,40})(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]any{}
		for i, text := range rapid.SliceOfN(digits, 1, 12).Draw(t, "numbers") {
			want[fmt.Sprint("n", i)] = json.Number(text)
		}
		texts := rapid.SliceOfN(rapid.StringMatching(`(number)?x{0,2}[0-9]{0,2}x{0,1}`), 0, 4).Draw(t, "texts")
		want["texts"] = texts
		got, err := Content(&solution.File{Format: "yaml", Data: &solution.FileData{Value: want}})
		require.NoError(t, err)
		var read map[string]yaml.Node
		require.NoError(t, yaml.Unmarshal(got, &read), string(got))
		for key, x := range want {
			if n, ok := x.(json.Number); ok {
				require.Equal(t, n.String(), read[key].Value)
				require.Contains(t, []string{"!!int", "!!float"}, read[key].Tag, n)
			}
		}
		var back []string
		node := read["texts"]
		require.NoError(t, node.Decode(&back))
		require.Equal(t, append([]string{}, texts...), append([]string{}, back...))
	})
}
