package matrix_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/environment"
	"kumiki.dev/matrix"
)

// tree has templates t0, t1, … for environments e0, e1, …, and the cells that keep says.
func tree(t *testing.T, templates, environments int, keep func(template, environment string) bool) (*environment.Tree, *environment.Placement) {
	t.Helper()
	out, p := &environment.Tree{}, &environment.Placement{}
	for e := range environments {
		out.Environments = append(out.Environments, &environment.Environment{Name: fmt.Sprintf("e%d", e), Target: "kubernetes"})
	}
	for i := range templates {
		out.Templates = append(out.Templates, &environment.Template{Name: fmt.Sprintf("t%d", i), Artifact: environment.Artifact{Text: fmt.Sprintf("example.com/a%d@v1.0.0", i)}})
	}
	for _, e := range out.Environments {
		for _, x := range out.Templates {
			if keep(x.Name, e.Name) {
				p.Cells = append(p.Cells, &environment.Cell{Template: x, Environment: e, Name: e.SolutionName(x.Name), Artifact: x.Artifact})
			}
		}
	}
	return out, p
}

// written is the index that a run with these cells leaves.
func written(p *environment.Placement, protected ...string) *matrix.Before {
	x := &matrix.Index{Environments: map[string]matrix.Place{}}
	for _, c := range p.Cells {
		x.Environments[c.Environment.Name] = matrix.Place{Target: c.Environment.Target}
		x.Cells = append(x.Cells, &matrix.Entry{Environment: c.Environment.Name, Template: c.Template.Name, Name: c.Name, Artifact: c.Artifact.String()})
	}
	for _, name := range protected {
		x.Environments[name] = matrix.Place{Target: "kubernetes", Protected: true}
	}
	return matrix.NewBefore(x)
}

func all(string, string) bool { return true }

// TestRefusal: how much may be removed without a word.
func TestRefusal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                    string
		templates, environments int
		protected               []string
		keep                    func(template, environment string) bool
		removed                 int
		refusal                 string
	}{
		{"nothing is gone", 4, 4, nil, all, 0, ""},
		{"three", 4, 4, nil, func(x, e string) bool { return x != "t0" || e == "e0" }, 3, ""},
		{"four of sixteen", 4, 4, nil, func(x, e string) bool { return x != "t0" && x != "t1" || e == "e0" || e == "e1" }, 4, "more than 3 of 16"},
		{"a tenth of many", 10, 10, nil, func(x, e string) bool { return x != "t0" || e == "e0" }, 9, ""},
		{"more than a tenth of many", 10, 10, nil, func(x, e string) bool { return x != "t0" && x != "t1" || e < "e4" }, 12, "more than 10 of 100"},
		{"one of a protected environment", 4, 4, []string{"e3"}, func(x, e string) bool { return x != "t0" || e != "e3" }, 1, "protected: e3"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, before := tree(t, test.templates, test.environments, all)
			now, p := tree(t, test.templates, test.environments, test.keep)
			c := matrix.Compare(written(before, test.protected...), now, p)
			require.Len(t, c.Removed, test.removed)
			require.Equal(t, test.refusal, c.Refusal())
		})
	}
}

// TestGone: a template or environment that is gone is told by its name, with the one that
// seems to have taken its place; what could not be read is not gone.
func TestGone(t *testing.T) {
	t.Parallel()
	_, before := tree(t, 3, 3, all)
	now, p := tree(t, 3, 3, all)
	now.Templates[2].Name = "site"
	c := matrix.Compare(written(before), now, p)
	require.Equal(t, []string{"t2"}, c.Templates)
	require.Equal(t, []matrix.Rename{{What: "template", From: "t2", To: "site", Cells: 3}}, c.Renamed)
	require.Equal(t, "templates that are in use are gone: t2", c.Refusal())

	now, p = tree(t, 3, 2, all)
	c = matrix.Compare(written(before), now, p)
	require.Equal(t, "environments that are in use are gone: e2", c.Refusal())

	now.UnknownEnvironments = []string{"e2"}
	c = matrix.Compare(written(before), now, p)
	require.Empty(t, c.Removed)
	require.Len(t, c.Unknown, 3)
	require.Empty(t, c.Refusal())
	require.Empty(t, matrix.Compare(nil, now, p).Removed, "nothing was there")
}
