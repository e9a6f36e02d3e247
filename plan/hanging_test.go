package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/plan"
	"kumiki.dev/solution"
)

// hangs is a solution with one deployment and one in that, which hangs from another.
func hangs(name, up string) *solution.Solution {
	s := &solution.Solution{Top: name, Ref: solution.SolutionRef{Kind: "solution", Name: name}}
	top, in := &solution.Deployment{Name: name}, &solution.Deployment{Name: name + ".in", Up: &name}
	if up != "" {
		top.Up = &up
	}
	s.Deployments = map[string]*solution.Deployment{name: top, in.Name: in}
	return s
}

func TestHangingFrom(t *testing.T) {
	t.Parallel()
	others := []*solution.Solution{
		hangs("d", "b.in"), hangs("b", "a"), hangs("c", "a.in"), hangs("e", "d"), hangs("free", ""), hangs("far", "elsewhere"),
		hangs("x", "y"), hangs("y", "x"), // a circle of its own, as older versions let pass
	}
	tests := []struct {
		name     string
		old, new *solution.Solution
		orphans  []string
		want     string
	}{
		{"all", hangs("a", ""), nil, nil, "b1 d2 e3 c1 "},
		{"nothing goes", hangs("a", ""), hangs("a", ""), nil, ""},
		{"nothing was", nil, hangs("a", ""), nil, ""},
		{"orphans of the whole", hangs("a", ""), nil, []string{"a"}, ""},
		{"orphans of a part", hangs("a", ""), nil, []string{"a.in"}, "b1 d2 e3 "},
		{"orphans further down", hangs("a", ""), nil, []string{"d"}, "b1 d2 c1 "},
		{"a circle", hangs("x", "y"), nil, nil, "y1 "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := ""
			for _, h := range plan.HangingFrom(tt.old, tt.new, others, plan.Allowed{Orphans: tt.orphans}) {
				got += fmt.Sprint(h.Solution.Top, h.Depth, " ")
			}
			require.Equal(t, tt.want, got)
		})
	}
}
