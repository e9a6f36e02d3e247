package jsondata

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
)

// TestAppendString compares with the library.
func TestAppendString(t *testing.T) {
	t.Parallel()
	text := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"", "plain", `"`, `\`, "<&>", "a<b", "\x7f", "\u2028", "é", "\n"}))
	rapid.Check(t, func(t *rapid.T) {
		s, html := text.Draw(t, "text"), rapid.Bool().Draw(t, "html")
		var want strings.Builder
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(html)
		require.NoError(t, enc.Encode(s))
		require.Equal(t, "before"+strings.TrimSuffix(want.String(), "\n"), string(AppendString([]byte("before"), s, html)))
	})
}
