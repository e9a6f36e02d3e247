package swarm_test

import (
	"encoding/json"
	"testing"

	api "github.com/moby/moby/api/types/swarm"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
	lives "kumiki.dev/live/swarm"
	"kumiki.dev/targets"
	"kumiki.dev/test/swarm"
)

// TestLiveSpecs holds the services that kumiki apply makes against those that docker stack deploy
// makes of the same stack's file.
func TestLiveSpecs(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, _ *golden.Case, objects []targets.Object) {
		want, err := swarm.Load("stack", t.TempDir(), objects)
		require.NoError(t, err)
		got, err := lives.Specs("stack", objects)
		require.NoError(t, err)
		require.Len(t, got, len(want.Services))
		for name, spec := range want.Services {
			require.JSONEq(t, withoutIDs(t, spec), withoutIDs(t, got[spec.Name]), "%s", name)
		}
	})
}

// withoutIDs is a spec without the IDs that a manager gives, and without empty lists, which
// the API reads as none.
func withoutIDs(t *testing.T, spec api.ServiceSpec) string {
	t.Helper()
	text, err := json.Marshal(spec)
	require.NoError(t, err)
	var plain map[string]any
	require.NoError(t, json.Unmarshal(text, &plain))
	text, err = json.Marshal(said(plain))
	require.NoError(t, err)
	return string(text)
}

func said(value any) any {
	switch v := value.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			member = said(member)
			if list, ok := member.([]any); member == nil || ok && len(list) == 0 || name == "ConfigID" || name == "SecretID" {
				continue
			}
			out[name] = member
		}
		return out
	case []any:
		for i := range v {
			v[i] = said(v[i])
		}
	}
	return value
}
