package swarm_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
	"kumiki.dev/targets"
	"kumiki.dev/test/swarm"
)

// TestAccepted gives every stack to the code that a manager checks stacks with.
func TestAccepted(t *testing.T) {
	each(t, func(t *testing.T, _ *golden.Case, objects []targets.Object) {
		m, err := swarm.NewManager()
		require.NoError(t, err)
		defer m.Close()
		require.NoError(t, m.Deploy(context.Background(), load(t, objects)))
	})
}
