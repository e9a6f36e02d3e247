package kubernetes_test

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
)

// maxGrowth is how much more ten times the roles may take for each: a little,
// for what has to be sorted.
const maxGrowth = 1.6

// chain is a solution of n roles, each of which is connected with the next: they
// are those of a case, whose solution has roles of every kind.
func chain(t testing.TB, n int) *solution.Solution {
	t.Helper()
	data, err := os.ReadFile("../../testdata/cases/example-shop/solution.json")
	require.NoError(t, err)
	s, problems := solution.Read(data, "solution.json")
	require.Empty(t, problems)
	desc := &s.Deployments["shop"].Artifact.Description
	kinds := []*solution.Role{desc.Role["web"], desc.Role["api"], desc.Role["db"]}
	client := map[int]string{0: "api", 1: "db"}
	server := []string{"entry", "rest", "sql"}
	desc.Role, desc.Connector = map[string]*solution.Role{}, map[string]*solution.Connector{"entry": desc.Connector["entry"]}
	for i := range n {
		role := *kinds[i%3]
		role.Name = fmt.Sprintf("r%d", i)
		desc.Role[role.Name] = &role
		if channel, ok := client[i%3]; ok && i+1 < n {
			desc.Connector[fmt.Sprintf("c%d", i)] = &solution.Connector{
				Kind: "lb", Clients: []solution.Endpoint{{Channel: channel, Role: role.Name}},
				Servers: []solution.ServerGroup{{Links: []solution.Endpoint{{Channel: server[(i+1)%3], Role: fmt.Sprintf("r%d", i+1)}}, Meta: []solution.LinkMeta{{}}}},
			}
		}
	}
	desc.Connector["entry"].Servers[0].Links[0].Role = "r0"
	return s
}

func BenchmarkLower(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		s := chain(b, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				objects, _ := kubernetes.Lower(s, targets.Options{})
				if len(objects) < n {
					b.Fatal(len(objects))
				}
			}
		})
	}
}

func BenchmarkEncode(b *testing.B) {
	objects, _ := kubernetes.Lower(chain(b, 1000), targets.Options{})
	b.ReportAllocs()
	for b.Loop() {
		if err := kubernetes.Encode(io.Discard, objects); err != nil {
			b.Fatal(err)
		}
	}
}

// TestLinear bounds what is allocated for a role, which does not depend on the
// machine as time does.
func TestLinear(t *testing.T) {
	for name, test := range map[string]struct {
		does func([]targets.Object, *solution.Solution)
		most float64 // bytes for a role, a quarter more than it was when this was last looked at
	}{
		"lower":  {func(_ []targets.Object, s *solution.Solution) { kubernetes.Lower(s, targets.Options{}) }, 49_000},
		"encode": {func(objects []targets.Object, _ *solution.Solution) { _ = kubernetes.Encode(io.Discard, objects) }, 3_500},
	} {
		t.Run(name, func(t *testing.T) {
			allocated := func(n int) float64 {
				s := chain(t, n)
				objects, _ := kubernetes.Lower(s, targets.Options{})
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				test.does(objects, s)
				runtime.ReadMemStats(&after)
				return float64(after.TotalAlloc-before.TotalAlloc) / float64(n)
			}
			few, many := allocated(100), allocated(1000)
			t.Logf("%.0f bytes for one of 100 roles, %.0f for one of 1000", few, many)
			require.Less(t, many, few*maxGrowth)
			require.Less(t, many, test.most*larger)
		})
	}
}
