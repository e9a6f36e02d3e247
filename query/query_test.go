package query_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
	"kumiki.dev/query"
	"kumiki.dev/solution"
)

func TestInstancesByName(t *testing.T) {
	t.Parallel()
	ref := solution.Ref{Domain: "kumiki.example", Module: "shop", Name: "front/web", Version: []int{2, 10, 0}, Kind: "component"}
	s := &solution.Solution{Top: "shop", Layout: &solution.Layout{Artifact: ref, Deployment: "shop"}}
	tests := []struct {
		name string
		is   bool
	}{
		{"", true},
		{"web", true},
		{"front/web", true},
		{"shop/front/web", true},
		{"kumiki.example/shop/front/web", true},
		{"web@2", true},
		{"web@2.10", true},
		{"web@2.10.0", true},
		{"web@2.10.0:component", true},
		{"web:component", true},
		{"web:service", false},
		{"web@2.1", false},
		{"web@1", false},
		{"eb", false},
		{"front", false},
		{"ront/web", false},
		{"@2", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.is, len(query.Instances([]*solution.Solution{s}, tt.name)) == 1)
		})
	}
}

// TestOrder: every solution is in one level, after all that it needs; or there
// is a circle, and the one that is shown is one.
func TestOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "solutions")
		var solutions []*solution.Solution
		needs := map[string]bool{}
		for i := range n {
			s := &solution.Solution{Top: fmt.Sprint("s", i), Inputs: &solution.Inputs{}}
			s.Deployments = map[string]*solution.Deployment{s.Top: {Name: s.Top}, s.Top + ".in": {Name: s.Top + ".in"}}
			for _, other := range rapid.SliceOfN(rapid.IntRange(0, 8), 0, 2).Draw(t, "needs") {
				s.Inputs.References = append(s.Inputs.References, solution.Reference{At: "config.parameter.x", Deployment: fmt.Sprintf("s%d.in", other), Field: "name"})
				needs[fmt.Sprintf("s%d s%d", i, other)] = other < n
			}
			solutions = append(solutions, s)
		}
		order, err := query.Order(solutions)
		if err != nil {
			_, circle, _ := strings.Cut(err.Error(), "circle: ")
			way := strings.Split(circle, " → ")
			require.Equal(t, way[0], way[len(way)-1])
			for i := 1; i < len(way); i++ {
				require.True(t, needs[way[i-1]+" "+way[i]], "%s does not need %s", way[i-1], way[i])
			}
			return
		}
		level := map[string]int{}
		for i, names := range order.Levels {
			for _, name := range names {
				level[name] = i
			}
		}
		require.Len(t, level, n)
		for edge, inside := range needs {
			from, to, _ := strings.Cut(edge, " ")
			if inside {
				require.Greater(t, level[from], level[to])
			} else {
				require.Contains(t, order.Outside, to+".in")
			}
		}
	})
}
