package targets

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
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
