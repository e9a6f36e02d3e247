package benchapp_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
)

// TestFormsTogether: forms that are written in one application make CUE do what each makes it do, and no more for every further role.
// Otherwise together they lose a short way that each has.
func TestFormsTogether(t *testing.T) {
	t.Parallel()
	forms := benchapp.Forms()
	r := rand.New(rand.NewPCG(1, 5))
	for n := 0; n < 60/share(); {
		drawn := []benchapp.Form{forms[r.IntN(len(forms))], forms[r.IntN(len(forms))]}
		if n%2 == 1 {
			drawn = append(drawn, forms[r.IntN(len(forms))])
		}
		if !benchapp.Together(drawn...) || !distinct(drawn) {
			continue
		}
		n++
		var names []string
		for _, f := range drawn {
			names = append(names, f.Name)
		}
		t.Run(strings.Join(names, " + "), func(t *testing.T) {
			t.Parallel()
			most := 2 // which is no cliff
			for _, f := range drawn {
				most += growth(t, f)
			}
			require.LessOrEqual(t, growth(t, drawn...), most)
		})
	}
}

// distinct reports whether no form is there twice: it would say the same twice.
func distinct(forms []benchapp.Form) bool {
	names := map[string]bool{}
	for _, f := range forms {
		names[f.Name] = true
	}
	return len(names) == len(forms)
}

// growth is how many more levels and slices CUE evaluates for some more roles of each type; 0 for forms that exclude each other.
func growth(t *testing.T, forms ...benchapp.Form) int {
	t.Helper()
	var work []int
	for _, roles := range []int{60, 80} {
		dir := t.TempDir()
		require.NoError(t, benchapp.FormApp(roles, forms...).Write(dir))
		var in compiler.Input
		in.Dir = filepath.Join(dir, benchapp.Deploy)
		result, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
		if problems.HasErrors() {
			return 0
		}
		work = append(work, result.Tree.Work.Evaluated+result.Tree.Work.Sliced)
	}
	return work[1] - work[0]
}
