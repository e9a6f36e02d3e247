package benchapp_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
	"kumiki.dev/internal/golden"
)

// share is how many cases one is tried of: all, but for where it takes too long, and
// where outputs are written and nothing is compared.
func share() int {
	if golden.Update() {
		return 50
	}
	return fewer
}

// TestEachForm: every form is a valid application, of which the shortcuts make
// what CUE alone makes.
func TestEachForm(t *testing.T) {
	t.Parallel()
	forms := benchapp.Forms()
	require.GreaterOrEqual(t, len(forms), 110)
	seen := map[string]bool{}
	for i, f := range forms {
		require.False(t, seen[f.Name], f.Name)
		seen[f.Name] = true
		require.True(t, benchapp.Together(f), "%s: names a place that there is not", f.Name)
		if i%share() != 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			checkForms(t, f)
		})
	}
	checkForms(t)
}

// TestPairsOfForms: forms can be combined, unless they replace the same text.
func TestPairsOfForms(t *testing.T) {
	t.Parallel()
	forms := benchapp.Forms()
	r := rand.New(rand.NewPCG(1, 2))
	for n := 0; n < 40/share(); {
		a, b := forms[r.IntN(len(forms))], forms[r.IntN(len(forms))]
		if !benchapp.Together(a, b) {
			continue
		}
		n++
		t.Run(a.Name+" + "+b.Name, func(t *testing.T) {
			t.Parallel()
			checkForms(t, a, b)
		})
	}
}

// TestTogether: what replaces the same text, or takes a place away, excludes.
func TestTogether(t *testing.T) {
	t.Parallel()
	forms := map[string]benchapp.Form{}
	for _, f := range benchapp.Forms() {
		forms[f.Name] = f
	}
	all := func(names ...string) (out []benchapp.Form) {
		for _, n := range names {
			require.Contains(t, forms, n)
			out = append(out, forms[n])
		}
		return out
	}
	require.True(t, benchapp.Together(all("a size that is computed", "a regexp")...))
	require.False(t, benchapp.Together(all("a size that is computed", "a size that is a parameter")...))
	require.False(t, benchapp.Together(all("service: roles in a for over the config", "a regexp")...))
	// Both write the same file.
	require.False(t, benchapp.Together(all("env: in another file", "env: in another file")...))
}

func checkForms(t *testing.T, forms ...benchapp.Form) {
	t.Helper()
	app := benchapp.FormApp(4, forms...)
	dir := t.TempDir()
	require.NoError(t, app.Write(dir))
	var in compiler.Input
	in.Dir = filepath.Join(dir, benchapp.Deploy)
	got := solutionOf(t, in)
	in.NoPartial = true
	if diff := cmp.Diff(solutionOf(t, in), got); diff != "" {
		t.Errorf("(-CUE +partial):\n%s", diff)
	}
}

func solutionOf(t *testing.T, in compiler.Input) string {
	t.Helper()
	result, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
	for _, p := range problems {
		t.Errorf("%v: %s [%s]", p.Pos.Position(), p.Message, p.Code)
	}
	if problems.HasErrors() {
		t.FailNow()
	}
	data, err := result.Solution.Bytes()
	require.NoError(t, err)
	return string(data)
}
