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

// bomb is what CUE would need hours, or all of the memory, for.
type bomb struct {
	most       time.Duration // more than anything else takes, also on a busy machine
	memory     string
	text, said string
}

func bombs() map[string]bomb {
	var alternatives strings.Builder
	for n := range 24 {
		fmt.Fprintf(&alternatives, "\t{a%d: int} | {b%d: int}\n", n, n)
	}
	return map[string]bomb{
		"time":   {8 * time.Second, "1024", "package deployment\n\nslow: {\n" + alternatives.String() + "}\n", "it was given up after 8s"},
		"memory": {time.Minute, "400", "package deployment\n\nimport \"list\"\n\nlarge: list.Range(0, 100_000_000, 1)\n", "it was given up at 400 MB of memory"},
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
			c := startCommand(t, dir, exec.Command(binary, "lsp", "--max-time", bomb.most.String(), "--max-memory", bomb.memory), nil)
			c.patience = bomb.most
			file := filepath.Join(dir, "deploy/deployment.cue")
			c.open(file)
			require.Empty(t, c.said(file))
			other := filepath.Join(dir, "deploy/bomb.cue")
			c.openText(other, bomb.text)
			begin := time.Now()
			c.hoverAt(file, position{})
			require.Less(t, time.Since(begin), bomb.most*3/4, "a hover does not wait for it")
			said := c.said(file)
			require.Len(t, said, 1)
			require.Contains(t, said[0], bomb.said)
			c.close(other)
			require.Empty(t, c.said(file))
		})
	}
}
