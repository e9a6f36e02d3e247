package lsp_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/stretchr/testify/require"
)

// TestRandomQuestions asks everything anywhere while files are being broken: there is
// always an answer, and in the end the same as in the beginning.
func TestRandomQuestions(t *testing.T) {
	t.Parallel()
	shops(t, func(t *testing.T, c *client, file func(string) string) {
		files := []string{file("deploy/deployment.cue"), file("shop/shop.cue"), file("api/api.cue")}
		originals := map[string]string{}
		for _, f := range files {
			originals[f] = c.buffers[f]
		}
		before := c.references(files[2], "orders: *true", 1)
		require.Contains(t, before, files[1])
		r := rand.New(rand.NewPCG(3, 4))
		pieces := []string{"{", "}", "\n", ": ", "\"", "import \"", "package", ".../", "role: ", "\\(", "é", "🙂", "[", ")"}
		methods := []string{"definition", "references", "hover", "completion", "rename", "prepareRename", "codeAction", "codeLens", "documentSymbol", "formatting"}
		for range 150 {
			f := files[r.IntN(len(files))]
			text := c.buffers[f]
			from := boundary(text, r.IntN(len(text)+1))
			c.replaceUTF16(f, from, boundary(text, min(len(text), from+r.IntN(6))), pieces[r.IntN(len(pieces))])
			f = files[r.IntN(len(files))]
			method := methods[r.IntN(len(methods))]
			lines := strings.Count(c.buffers[f], "\n")
			params := map[string]any{
				"textDocument": id(f), "position": position{r.IntN(lines + 2), r.IntN(60)}, "newName": "other", "range": span{End: position{Line: lines}},
				"context": map[string]any{"includeDeclaration": true, "diagnostics": []any{}}, "options": map[string]any{"tabSize": 4, "insertSpaces": false},
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			err := c.conn.Call(ctx, "textDocument/"+method, params, nil)
			cancel()
			if answered := new(jsonrpc2.Error); err != nil {
				require.ErrorAs(t, err, &answered, "%s in %s", method, filepath.Base(f))
				require.Equal(t, "rename", method, answered.Message)
			}
		}
		for _, f := range files {
			c.replaceUTF16(f, 0, len(c.buffers[f]), originals[f])
		}
		require.Equal(t, before, c.references(files[2], "orders: *true", 1))
		require.Empty(t, c.said(files[0]))
	})
}
