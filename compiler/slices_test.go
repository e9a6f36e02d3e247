package compiler_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
)

// TestSlicesOfDefaults: once it is known where CUE places the defaults of config that a value
// shows, the value is evaluated once a role, and has the places that CUE gives it.
func TestSlicesOfDefaults(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{
		"a size that is a parameter":             1,
		"env: for over a map":                    2,
		"env: a parameter named by another":      1,
		"file: a comprehension over parameters":  1,
		"file: its path from a parameter":        1,
		"a struct that refers to its own fields": 2,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sliced []int
			for _, roles := range []int{60, 80} {
				in := switchable{}
				dir := t.TempDir()
				require.NoError(t, benchapp.FormApp(roles, formCalled(t, name)).Write(dir))
				in.Dir = filepath.Join(dir, benchapp.Deploy)
				if roles == 80 {
					require.Empty(t, switchesDiffer(in, []switches{noMemo}))
				}
				result, problems := compiler.Run(context.Background(), in.Input, compiler.ExtractStage)
				require.Empty(t, problems)
				sliced = append(sliced, result.Tree.Work.Sliced)
			}
			require.LessOrEqual(t, sliced[1]-sliced[0], most*20)
		})
	}
}

// formCalled is a form by its name.
func formCalled(t *testing.T, name string) benchapp.Form {
	for _, f := range benchapp.Forms() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("there is no form %s", name)
	return benchapp.Form{}
}
