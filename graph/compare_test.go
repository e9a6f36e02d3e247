package graph_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kumiki.dev/graph"
	"kumiki.dev/internal/cases"
	"kumiki.dev/internal/golden"
	"kumiki.dev/solution"
)

// TestCompare takes things away from a solution, and looks from both sides.
func TestCompare(t *testing.T) {
	golden.Each(t, "../testdata/cases/example-shop.txtar", func(t *testing.T, c *golden.Case) {
		full, less := cases.Solution(t, c), cases.Solution(t, c)
		desc := &less.Deployments["shop"].Artifact.Description
		desc.Connector = maps.Clone(desc.Connector)
		delete(desc.Connector, "peers")
		*desc.Role["web"].Config.Scale.Hsize = 7
		delete(less.Deployments, "shop.entry")
		less.Links = nil

		changed := map[string]graph.State{"shop/role/web": graph.Changed}
		for side, want := range map[graph.State][2]*solution.Solution{graph.Gone: {full, less}, graph.New: {less, full}} {
			got := states(graph.Compare(want[0], want[1]))
			expected := map[string]graph.State{
				"shop.entry": side, "shop/connect/peers": side,
				"shop.entry up shop": side, "shop.entry link shop/in/entry.inbound": side,
				"shop/role/api client shop/connect/peers": side, "shop/connect/peers server shop/role/api": side,
			}
			maps.Copy(expected, changed)
			if diff := cmp.Diff(expected, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", side, diff)
			}
		}
	})
}

// states are those of all parts that have one.
func states(g *graph.Graph) map[string]graph.State {
	out := map[string]graph.State{}
	add := func(id string, s graph.State) {
		if s != "" {
			out[id] = s
		}
	}
	for _, b := range g.Boxes {
		add(b.ID, b.State)
		for _, n := range b.Nodes {
			add(n.ID, n.State)
		}
	}
	for _, e := range g.Edges {
		add(e.From+" "+e.Kind+" "+e.To, e.State)
	}
	return out
}
