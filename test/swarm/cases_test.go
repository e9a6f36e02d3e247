package swarm_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/cases"
	"kumiki.dev/internal/golden"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
	"kumiki.dev/test/swarm"
)

// each runs f for the stack of every case.
func each(t *testing.T, f func(t *testing.T, c *golden.Case, objects []targets.Object)) {
	t.Helper()
	golden.Each(t, "../../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		f(t, c, lower(t, cases.Solution(t, c)))
	})
}

func lower(t *testing.T, s *solution.Solution) []targets.Object {
	t.Helper()
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
