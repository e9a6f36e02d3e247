package lsp_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/benchapp"
)

// BenchmarkKeystroke measures the time from a keystroke to the problems, in an
// application of 100 roles: in a component of it and in its deployment. Every
// keystroke breaks the file or mends it.
func BenchmarkKeystroke(b *testing.B) {
	dir := b.TempDir()
	require.NoError(b, benchapp.Flat(100, 10).Kumiki().Write(dir))
	for _, bm := range []struct{ name, file, what string }{
		{"component", "c3/artifact.cue", "p00: string"},
		{"deployment", "deploy/deployment.cue", "p00:"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			c := start(b, dir)
			file := filepath.Join(dir, bm.file)
			c.open(file)
			i := strings.Index(c.buffers[file], bm.what)
			require.Positive(b, i)
			require.Empty(b, c.settled(file))
			var took []time.Duration
			for n := 0; b.Loop(); n++ {
				begin := time.Now()
				if n%2 == 0 {
					c.replace(file, i, i, "q")
				} else {
					c.replace(file, i, i+1, "")
				}
				c.settled(file)
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Milliseconds()), "median-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Milliseconds()), "p95-ms")
			b.ReportMetric(float64(c.memory()>>20), "MB")
		})
	}
}

// memory is what the server and its children have in memory, in bytes.
func (c *client) memory() int {
	total := 0
	for _, pages := range c.processes() {
		total += pages * os.Getpagesize()
	}
	return total
}

// processes are the server's and its children's, with their pages in memory.
func (c *client) processes() map[int]int {
	out := map[int]int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		data, err := os.ReadFile(name)
		_, rest, ok := strings.Cut(string(data), ") ")
		fields := strings.Fields(rest)
		if err != nil || !ok || len(fields) < 22 {
			continue
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
		if self := c.cmd.Process.Pid; pid == self || fields[1] == strconv.Itoa(self) {
			out[pid], _ = strconv.Atoi(fields[21])
		}
	}
	return out
}
