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
			require.Equal(t, tt.is, len(query.Instances([]query.Facts{query.FactsOf(s)}, tt.name)) == 1)
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
			s.Deployments = map[string]*solution.Deployment{s.Top: {Name: s.Top, Artifact: &solution.Artifact{}}, s.Top + ".in": {Name: s.Top + ".in", Artifact: &solution.Artifact{}}}
			for _, other := range rapid.SliceOfN(rapid.IntRange(0, 8), 0, 2).Draw(t, "needs") {
				s.Inputs.References = append(s.Inputs.References, solution.Reference{At: "config.parameter.x", Deployment: fmt.Sprintf("s%d.in", other), Field: "name"})
				needs[fmt.Sprintf("s%d s%d", i, other)] = other < n
			}
			solutions = append(solutions, s)
		}
		order, err := query.Order(query.FactsOfAll(solutions))
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

// TestImpactOf: an artifact is told by a short name, a module by its path, also where a
// solution was made of it and none of its artifacts fills a place.
func TestImpactOf(t *testing.T) {
	t.Parallel()
	web := query.Instance{Name: "web", Type: "kumiki.example/shop/front/web@2.0.0:component", Deployment: "shop", Path: "web"}
	all := []query.Facts{
		{Solution: "shop", Digest: "s", Modules: []string{"kumiki.example/shop@2.0.0"}, Instances: []query.Instance{web}},
		{Solution: "lib", Digest: "l", Modules: []string{"kumiki.example/shop@2.1.0"}},
		{Solution: "other", Digest: "o", Modules: []string{"kumiki.example/shopping"}},
	}
	made := map[string][]query.Made{"s": {
		{Kind: "Deployment", Name: "shop-web", Runs: true, Place: query.Place{Deployment: "shop", Role: "web", Path: "web", Type: web.Type}},
		{Kind: "Service", Name: "shop-web", Place: query.Place{Deployment: "shop", Role: "web", Path: "web", Type: web.Type}},
		{Kind: "Deployment", Name: "shop-api", Runs: true, Place: query.Place{Deployment: "shop", Role: "api", Path: "api", Type: "kumiki.example/shop/api@2.0.0:component"}},
	}}
	tests := []struct{ name, want string }{
		{"web", "shop Deployment/shop-web 2; "},
		{"front/web@2", "shop Deployment/shop-web 2; "},
		{"web@3", ""},
		{"kumiki.example/shop", "lib; shop Deployment/shop-web 2; "},
		{"kumiki.example/shop@2", "lib; shop Deployment/shop-web 2; "},
		{"kumiki.example/shop@2.1", "lib; "},
		{"kumiki.example/shopping", "other; "},
		{"nobody", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, x := range query.ImpactOf(all, made, tt.name) {
				got += x.Solution
				for _, at := range x.Instances {
					got += fmt.Sprint(" ", strings.Join(x.Restarts(at), ","), " ", len(x.Objects))
				}
				got += "; "
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestMentions(t *testing.T) {
	t.Parallel()
	all := []query.Facts{
		{Solution: "front", Deployments: []string{"front"}, Mentions: []query.Mention{
			{Solution: "front", Deployment: "front", At: "config.parameter.host", Of: "db", Field: "config.parameter.host"},
			{Solution: "front", Deployment: "front", At: "link sql", Of: "db.in", Field: "sql"},
			{Solution: "front", Deployment: "front", At: "up", Of: "dbx"},
		}},
		{Solution: "last", Deployments: []string{"last"}, Mentions: []query.Mention{{Solution: "last", Deployment: "last", At: "up", Of: "front"}}},
	}
	for name, want := range map[string]int{"db": 2, "db.in": 1, "db.in.sql": 1, "db.config": 1, "db.config.parameter.host": 1, "db.config.parameter.host.x": 1, "db.config.parameter.port": 0, "d": 0, "dbx": 1} {
		require.Len(t, query.Mentions(all, name), want, name)
	}
	require.Equal(t, []int{0, 1}, query.Naming(all, []string{"dbx"}))
	require.Equal(t, []int{1}, query.Naming(all, []string{"front"}))
	require.Empty(t, query.Naming(all, []string{"last"}))
	more := append([]query.Facts{{Solution: "alone", Deployments: []string{"alone"}}, {Solution: "db", Deployments: []string{"db", "db.in"}}}, all...)
	require.Equal(t, []int{1, 2}, query.Involved(more), "up needs no values")
}
