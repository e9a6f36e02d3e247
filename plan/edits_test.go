package plan_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/planedits"
	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
	"kumiki.dev/targets/swarm"
)

var lowerings = map[string]targets.Target{"kubernetes": kubernetes.Lower, "swarm": swarm.Lower}

var orchestrators = map[string]targets.Orchestrator{"kubernetes": kubernetes.Orchestrator{}, "swarm": swarm.Orchestrator{}}

// readEdits reads the table.
func readEdits(t testing.TB) []planedits.Edit {
	t.Helper()
	all, err := planedits.All()
	require.NoError(t, err)
	return all
}

// edited is what an edit makes of a solution.
func edited(t testing.TB, e planedits.Edit, text []byte) *solution.Solution {
	t.Helper()
	text, err := e.Apply(text)
	require.NoError(t, err)
	return read(t, text)
}

func read(t testing.TB, text []byte) *solution.Solution {
	t.Helper()
	s, problems := solution.Read(text, "solution.json")
	for _, p := range problems {
		t.Errorf("%v: %s", p.At, p.Message)
	}
	require.NotNil(t, s)
	return s
}

func base(t testing.TB, name string) []byte {
	t.Helper()
	text, err := planedits.Base("../testdata/cases", name)
	require.NoError(t, err)
	return text
}

func lower(t testing.TB, target string, s *solution.Solution, o targets.Options) []targets.Object {
	t.Helper()
	if s == nil {
		return nil
	}
	objects, problems := lowerings[target](s, o)
	for _, p := range problems {
		require.NotEqual(t, "error", p.Severity.String(), "%s: %s", target, p.Message)
	}
	return objects
}

// classes are those of all entries that change, by place.
func classes(p *plan.Plan) map[string]string {
	out := map[string]string{}
	for _, e := range p.Entries {
		if e.Class != plan.Unchanged {
			out[e.String()] = string(e.Class)
		}
	}
	return out
}

// TestEdits compares the classes of each edit with the table. A target that the
// table does not name does what the model has.
func TestEdits(t *testing.T) {
	t.Parallel()
	all := readEdits(t)
	require.GreaterOrEqual(t, len(all), 60)
	for _, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			text := base(t, e.Base)
			old, new := read(t, text), edited(t, e, text)
			p := plan.Compare(old, new)
			if diff := cmp.Diff(e.Want["model"], classes(p)); diff != "" {
				t.Errorf("model (-want +got):\n%s", diff)
			}
			for _, target := range slices.Sorted(maps.Keys(lowerings)) {
				p := plan.Compare(old, new)
				require.NoError(t, p.On(target, orchestrators[target], lower(t, target, old, targets.Options{}), lower(t, target, new, targets.Options{})))
				if diff := cmp.Diff(e.On(target), classes(p)); diff != "" {
					t.Errorf("%s (-want +got):\n%s%s", target, diff, objects(p))
				}
			}
		})
	}
}

// objects lists what changes on the target, for a failing test.
func objects(p *plan.Plan) string {
	var b strings.Builder
	for _, o := range p.Target.Objects {
		fmt.Fprintf(&b, "  %s %s (%s/%s) restarts=%v", o.Action, o, o.Deployment, o.Role, o.Restarts)
		for _, c := range o.Changes {
			fmt.Fprintf(&b, " %s", c.Path)
		}
		b.WriteString("\n")
	}
	return b.String()
}
