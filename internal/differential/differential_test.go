package differential

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/differential/generate"
	"kumiki.dev/internal/golden"
)

// cases is how many applications are compared. They are the same in every run;
// make differential tries others.
const cases = 3000

// TestDifferential compares kumiki with plain CUE on applications that are made up.
func TestDifferential(t *testing.T) {
	n := cases / Fewer
	if golden.Update() || testing.Short() {
		n = cases / 50 // what it finds does not depend on golden files
	}
	few, err := strconv.Atoi(os.Getenv("KUMIKI_CASES")) // of somebody who wants an answer soon
	if err == nil {
		n = few
	}
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // it is short of time, not of memory
	var all []Seen
	require.NoError(t, Sweep(1, n, t.TempDir(), Settings(), func(s Seen) { all = append(all, s) }))
	kinds := map[string][]Seen{}
	for _, s := range all {
		if s.Mismatch != nil {
			kinds[s.Mismatch.Kind] = append(kinds[s.Mismatch.Kind], s)
		}
	}
	if few > 0 {
		require.Empty(t, kinds)
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds))[:min(5, len(kinds))] {
		reportMismatch(t, kind, kinds[kind])
	}
	if len(kinds) > 5 {
		t.Errorf("%d more kinds of mismatches: %q", len(kinds)-5, slices.Sorted(maps.Keys(kinds))[5:])
	}
	if n == cases {
		checkSpread(t, all)
	}
}

// reportMismatch shows the first case of a kind, as small as it can be made.
func reportMismatch(t *testing.T, kind string, seen []Seen) {
	t.Helper()
	first := slices.MinFunc(seen, func(a, b Seen) int { return int(a.Seed) - int(b.Seed) })
	c, m := Smallest(first, t.TempDir(), Settings(), 600)
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("kumiki-differential-%d", first.Seed)) // it stays, for people
	require.NoError(t, c.Write(dir))
	t.Errorf("%d × %s (seed %d)\n%s\ncd %s && %s", len(seen), kind, first.Seed, m.Text, dir, c)
}

// checkSpread sees to it that the cases are worth their time: at least half of
// them deploy, a shortcut applies in half of those, and each construct is in enough.
func checkSpread(t *testing.T, all []Seen) {
	t.Helper()
	var deployed, undecided, fast, wrong int
	uses := map[string]int{}
	for _, s := range all {
		if s.Undecided {
			undecided++
		}
		if s.App.Mistake != "" {
			wrong++
		}
		if !s.Deployed {
			continue
		}
		deployed++
		if s.Work.Instantiated > 0 {
			fast++
		}
		for _, use := range s.App.Uses {
			uses[use]++
		}
	}
	t.Logf("%d cases, %d with a mistake: %d deploy, %d of them by a shortcut, %d are undecided", len(all), wrong, deployed, fast, undecided)
	assert.GreaterOrEqual(t, 2*deployed, len(all), "too few deploy")
	assert.GreaterOrEqual(t, 2*fast, deployed, "the shortcut applies to too few")
	assert.LessOrEqual(t, 50*undecided, len(all), "too many are undecided")
	assert.True(t, 25*len(all) <= 100*wrong && 100*wrong <= 40*len(all), "%d cases have a mistake", wrong)
	var rare []string
	for _, c := range generate.Constructs() {
		if 100*uses[c] < 3*deployed {
			rare = append(rare, fmt.Sprintf("%s: %d of %d", c, uses[c], deployed))
		}
	}
	assert.Empty(t, rare, "constructs that are in less than 3 of 100 cases")
}

// TestMinimize makes a case smaller as long as a word is in it.
func TestMinimize(t *testing.T) {
	c, _ := Made(3)
	c = Minimize(c, 2000, func(c Case) bool { return strings.Contains(c.Files["deploy/deployment.cue"], "#Deployment") })
	delete(c.Files, moduleFile)
	require.Equal(t, map[string]string{"deploy/deployment.cue": "package deployment\n\n#Deployment: {}\n"}, c.Files)
}
