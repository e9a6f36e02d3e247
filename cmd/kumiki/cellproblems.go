package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/matrix"
)

// mostNames and mostPlaces are how many solutions and places a line names.
const mostNames, mostPlaces = 3, 3

// cellProblems are what is wrong with cells, each once, with where; errors first. With --all
// a policy that is broken in many places is told for each.
func cellProblems(s streams, m *matrix.Matrix) diag.List {
	all := m.Problems()
	var out diag.List
	first := map[string]*diag.Diagnostic{}
	places := map[string]int{}
	for _, p := range all {
		d := together(p)
		by, grouped := policyOf(d)
		d.Message += "; in " + solutionNames(p.Cells)
		if grouped && !reportOptions(s.err).All {
			places[by]++
			if head := first[by]; head != nil {
				if places[by] <= mostPlaces {
					head.With(d.Pos, "and here, in %s", solutionNames(p.Cells))
				}
				continue
			}
			first[by] = d
		}
		out = append(out, d)
	}
	for by, d := range first {
		if n := places[by]; n > mostPlaces {
			d.Message += fmt.Sprintf("; %d places break it, --all lists them", n)
		}
	}
	sorting.By(out, func(a, b *diag.Diagnostic) int { return cmp.Compare(a.Severity, b.Severity) })
	return out
}

// together is one problem of several cells: it names the first environment, and how many more
// there are, and the first places to mend.
func together(p matrix.CellProblem) *diag.Diagnostic {
	d := *p.Diagnostic
	d.Related = slices.Clone(d.Related)
	environments := map[string]bool{}
	for _, r := range p.Cells {
		environments[r.Environment.Name] = true
	}
	if n := len(environments) - 1; n > 0 {
		name := "environment " + p.Cells[0].Environment.Name
		d.Message = strings.Replace(d.Message, name, fmt.Sprintf("%s and %d more", name, n), 1)
	}
	if d.Severity == diag.Warning {
		return &d
	}
	for _, other := range p.Others {
		for _, r := range other.Related {
			if len(d.Related) < mostPlaces && !filter.Any(d.Related, func(x diag.Related) bool { return x.Pos.String() == r.Pos.String() }) {
				d.With(r.Pos, "%s", r.Message)
			}
		}
	}
	return &d
}

// policyOf is where the policy is that a warning is about; false for other problems.
func policyOf(d *diag.Diagnostic) (string, bool) {
	if d.Code != diag.PolicyBroken || d.Severity != diag.Warning || len(d.Related) == 0 {
		return "", false
	}
	return d.Related[len(d.Related)-1].Pos.String(), true
}

// solutionNames are the names of the solutions of some cells, the first of them.
func solutionNames(cells []*matrix.Result) string {
	var names []string
	for _, r := range cells {
		names = append(names, r.Name)
	}
	if len(names) > mostNames {
		names = append(names[:mostNames], fmt.Sprintf("%d more", len(names)-mostNames))
	}
	return strings.Join(names, ", ")
}
