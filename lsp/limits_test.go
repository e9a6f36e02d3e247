package lsp_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// bombs are what CUE would need hours, or all of the memory, for.
func bombs() map[string]struct{ flag, limit, text, said string } {
	var alternatives strings.Builder
	for n := range 24 {
		fmt.Fprintf(&alternatives, "\t{a%d: int} | {b%d: int}\n", n, n)
	}
	return map[string]struct{ flag, limit, text, said string }{
		"time":   {"--max-time", "2s", "package deployment\n\nslow: {\n" + alternatives.String() + "}\n", "it was given up after 2s"},
		"memory": {"--max-memory", "400", "package deployment\n\nimport \"list\"\n\nlarge: list.Range(0, 100_000_000, 1)\n", "it was given up at 400 MB of memory"},
	}
}

// TestBombs: what takes too much is given up, which is said; requests are answered
// meanwhile, and what comes after it is compiled again.
func TestBombs(t *testing.T) {
	t.Parallel()
	for name, bomb := range bombs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := shop(t)
			c := startCommand(t, dir, exec.Command(binary, "lsp", bomb.flag, bomb.limit), nil)
			file := filepath.Join(dir, "deploy/deployment.cue")
			c.open(file)
			require.Empty(t, c.said(file))
			other := filepath.Join(dir, "deploy/bomb.cue")
			c.openText(other, bomb.text)
			begin := time.Now()
			c.hoverAt(file, position{})
			require.Less(t, time.Since(begin), time.Second, "a hover does not wait for it")
			said := c.said(file)
			require.Len(t, said, 1)
			require.Contains(t, said[0], bomb.said)
			c.close(other)
			require.Empty(t, c.said(file))
		})
	}
}
