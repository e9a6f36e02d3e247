package main

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/benchapp"
)

// TestTargets: a full run has a figure for every target, a quick one for few.
func TestTargets(t *testing.T) {
	t.Parallel()
	var r results
	for i, c := range benchapp.Cases() {
		by := map[string]took{}
		for _, x := range contenders {
			if x.in(c) {
				by[x.name] = took{float64(i + 1), float64(i + 1), float64(i + 1)}
			}
		}
		r = append(r, result{c, by})
	}
	for _, x := range targets {
		_, ok := x.got(r)
		require.True(t, ok, x.what)
		_, ok = x.got(nil)
		require.False(t, ok, x.what)
	}
}

// TestFigures: what was not measured is told from what took too long.
func TestFigures(t *testing.T) {
	t.Parallel()
	r := results{
		{benchapp.Case{Shape: "flat", Size: 10, Roles: 10}, map[string]took{compile: {CPU: 1, Peak: 1024}, unified: {CPU: 4, Peak: 4096}}},
		{benchapp.Case{Shape: "flat", Size: 100, Roles: 100}, map[string]took{compile: {CPU: 100, Peak: 91 * 1024}}},
	}
	want := `| from    |       to | compile |  MiB | one unification | MiB |
| ------- | -------: | ------: | ---: | --------------: | --: |
| flat-10 | flat-100 |    2.00 | 1.00 |                 |     |
`
	if diff := cmp.Diff(want, r.growth()); diff != "" {
		t.Error(diff)
	}
	require.Contains(t, r.figures("%.2f", cpu), "over 1m0s")
	require.Contains(t, r.ratios(), "0.25×, 0.25×")
}

// TestWrite: the rest of the page stays as it is.
func TestWrite(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "page.md")
	require.NoError(t, os.WriteFile(page, []byte("a\n"+begin+"old\n"+end+"b\n"), 0o644))
	require.NoError(t, write(page, "new\n"))
	data, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Equal(t, "a\n"+begin+"\nnew\n\n"+end+"b\n", string(data))
	require.NoError(t, os.WriteFile(page, []byte("a\n"), 0o644))
	require.Error(t, write(page, "new\n"))
}

// TestFormsChosen: the same seed draws the same, and none twice in one.
func TestFormsChosen(t *testing.T) {
	t.Parallel()
	f := formsRun{roles: 4, pairs: 20, seed: 7}
	chosen := f.chosen()
	require.Len(t, chosen, len(benchapp.Forms())+2*f.pairs)
	for i, again := range f.chosen() {
		require.Equal(t, nameOf(chosen[i]), nameOf(again))
		require.True(t, benchapp.Together(again...))
	}
	form := func(name string) benchapp.Form {
		forms := benchapp.Forms()
		return forms[slices.IndexFunc(forms, func(f benchapp.Form) bool { return f.Name == name })]
	}
	require.True(t, compiles([]benchapp.Form{form("role: by let in each role")}))
	require.False(t, compiles([]benchapp.Form{form("role: by let in each role"), form("deployment: by let")}), "both give the queue")
	f.only = "no form has this name"
	require.Empty(t, f.chosen())
}

// TestFormsReport: the worst comes first, and what took too long before it.
func TestFormsReport(t *testing.T) {
	t.Parallel()
	measured := []formed{
		{"fair", 1, took{CPU: 1, Peak: 1024}, 1, 1},
		{"endless", 1, took{}, math.Inf(1), math.Inf(1)},
		{"slow", 1, took{CPU: 3, Peak: 2048}, 3, 2},
	}
	want := `| form    |    CPU, × | peak, × | CPU, s | peak, MiB |
| ------- | --------: | ------: | -----: | --------: |
| endless | over 1m0s |         |        |           |
| slow    |      3.00 |    2.00 |   3.00 |         2 |
| fair    |      1.00 |    1.00 |   1.00 |         1 |
`
	if diff := cmp.Diff(want, formsTable(measured)); diff != "" {
		t.Error(diff)
	}
	want = `| multiples of the plainest | number | median | 95th percentile | maximum |
| ------------------------- | -----: | -----: | --------------: | ------: |
| forms alone, CPU          |      3 |   3.00 |            +Inf |    +Inf |
| forms alone, peak memory  |      3 |   2.00 |            +Inf |    +Inf |
`
	if diff := cmp.Diff(want, formsSummary(measured)); diff != "" {
		t.Error(diff)
	}
}
