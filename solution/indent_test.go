package solution

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestIndent compares with the library's, which checks as it goes.
func TestIndent(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", `"`, `\`, `\"`, "{", "}", "[]", ",", ": ", "<&>", "\u2028"}))
	leaf := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Float64(), func(f float64) any { return f }), rapid.SampledFrom([]any{nil, true, 12}))
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
		compact, err := json.Marshal(value(4).Draw(t, "value"))
		require.NoError(t, err)
		var want bytes.Buffer
		require.NoError(t, json.Indent(&want, compact, "", "  "))
		var got bytes.Buffer
		require.NoError(t, indent(&got, compact))
		require.Equal(t, want.String()+"\n", got.String())
	})
}
