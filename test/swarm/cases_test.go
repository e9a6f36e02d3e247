package swarm_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
	"kumiki.dev/test/swarm"
)

// each runs f for the stack of every case.
func each(t *testing.T, f func(t *testing.T, name string, objects []targets.Object)) {
	t.Helper()
	golden.Each(t, "../../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		data := c.Section("out/solution.json")
		if data == nil {
			t.Skip("the case has no solution")
		}
		f(t, filepath.Base(t.Name()), lower(t, data))
	})
}

func lower(t *testing.T, data []byte) []targets.Object {
	t.Helper()
	s, problems := solution.Read(data, "solution.json")
	require.Empty(t, problems)
	objects, problems := target.Lower(s, targets.Options{})
	require.False(t, problems.HasErrors(), "%v", problems)
	return objects
}

func load(t *testing.T, objects []targets.Object) *swarm.Specs {
	t.Helper()
	specs, err := swarm.Load("st", t.TempDir(), objects)
	require.NoError(t, err)
	require.Empty(t, specs.Ignored)
	return specs
}
