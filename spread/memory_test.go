package spread

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
)

// TestMemoryForgets: what no run needs is not kept, whether or not a run ever goes
// well.
func TestMemoryForgets(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	run := func(file string, well bool, names ...string) *recollection {
		pos := diag.NewFile(file, nil).Pos(0)
		c := m.begin(&Top{Package: &Package{Path: "d"}, Pos: pos})
		for _, name := range names {
			key := levelKey{pkg: name}
			if c.levels[key] == nil {
				c.levels[key] = []*knownLevel{{size: 1}}
			}
			c.levels[key][0].run = c.run
		}
		m.end(c, well)
		return c
	}
	for n := range 10 { // typing, before anything has ever been right
		require.Len(t, run("a", false, "same", fmt.Sprint(n)).levels, 2)
	}
	require.Len(t, run("a", true, "same", "x").levels, 2)
	for n := range 10 { // a mistake that hides x
		require.Len(t, run("a", false, fmt.Sprint(n)).levels, 3, "same and x are wanted when it is mended")
	}
	require.Len(t, run("a", true, "x").levels, 1)

	for n := range 10 {
		c := run(fmt.Sprint(n), true, "x")
		c.levels[levelKey{pkg: "x"}][0].size = maxKept / 3
	}
	require.Len(t, m.tops, 4, "the last one, and as many others as there is room for")
}
