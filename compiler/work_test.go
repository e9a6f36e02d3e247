package compiler_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
	"kumiki.dev/load"
	"kumiki.dev/value"
)

// TestWorkRemembered counts what is evaluated when a component is edited that has
// been compiled before: what it is in, not what lies beside it or above.
func TestWorkRemembered(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, benchapp.Flat(100, 10).Kumiki().Write(dir))
	file := filepath.Join(dir, "c3/artifact.cue")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var in compiler.Input
	in.Dir, in.Memory = filepath.Join(dir, benchapp.Deploy), load.NewMemory()
	for n, want := range []value.Work{
		{Instantiated: 11, Remembered: 90},
		{Instantiated: 1, Recalled: 10, Remembered: 90},
		{Instantiated: 1, Recalled: 10, Remembered: 90},
	} {
		in.Overlay = map[string][]byte{file: fmt.Appendf(nil, "// %d\n%s", n, text)}
		result, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
		require.Empty(t, problems)
		require.Equal(t, want, nodes(result.Tree.Work))
	}
}

// TestWork bounds what compiling applications takes by what does not depend on
// the machine: how often CUE evaluates an artifact, and what is allocated.
func TestWork(t *testing.T) {
	for name, test := range map[string]struct {
		app       benchapp.Application
		work      value.Work
		megabytes uint64 // a quarter more than it was when this was written
	}{
		"roles that share configs":   {benchapp.Flat(100, 10), value.Work{Instantiated: 11, Remembered: 90}, 27},
		"roles with their own":       {benchapp.Usual(100), value.Work{Instantiated: 101}, 27},
		"one artifact, many configs": {benchapp.Distinct(100), value.Work{Instantiated: 101}, 20},
		"as many artifacts":          {benchapp.Flat(100, 100), value.Work{Instantiated: 101}, 84},
		"services in services":       {benchapp.Nested(4, 4, true), value.Work{Instantiated: 341}, 28},
		// The deployment says how many instances one of the components has.
		"services in services, scaled": {benchapp.Nested(4, 4, true), value.Work{Instantiated: 341}, 28},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, test.app.Kumiki().Write(dir))
			if strings.HasSuffix(name, "scaled") {
				require.NoError(t, test.app.Edit(7).Write(dir))
			}
			var in compiler.Input
			in.Dir = filepath.Join(dir, benchapp.Deploy)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			result, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
			runtime.ReadMemStats(&after)
			require.Empty(t, problems)
			require.Equal(t, test.work, nodes(result.Tree.Work))
			if compiler.Slower == 1 { // the race detector has pools drop some of what they hold
				require.LessOrEqual(t, (after.TotalAlloc-before.TotalAlloc)>>20, test.megabytes)
			}
		})
	}
}

// nodes leaves out of what compiling takes how much CUE was given for it.
func nodes(w value.Work) value.Work {
	w.Compiled = 0
	return w
}
