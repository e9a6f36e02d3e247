package repeatable_test

import (
	"flag"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
)

// TestSame draws twice.
func TestSame(t *testing.T) {
	if slices.ContainsFunc(os.Args, func(arg string) bool { return strings.Contains(arg, "rapid.seed") }) {
		t.Skip("the command line says how to draw")
	}
	require.NotEqual(t, "0", flag.Lookup("rapid.seed").Value.String())
	var first, second []uint64
	rapid.Check(t, func(t *rapid.T) { first = append(first, rapid.Uint64().Draw(t, "n")) })
	rapid.Check(t, func(t *rapid.T) { second = append(second, rapid.Uint64().Draw(t, "n")) })
	require.Equal(t, first, second)
}

// TestEverywhere looks for packages whose tests draw, and do so anew each time.
func TestEverywhere(t *testing.T) {
	const root = "../.."
	draws, same := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range f.Imports {
			switch name, _ := strconv.Unquote(spec.Path.Value); name {
			case "pgregory.net/rapid":
				draws[filepath.Dir(path)] = true
			case "kumiki.dev/internal/repeatable":
				same[filepath.Dir(path)] = true
			}
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, draws)
	for dir := range draws {
		require.True(t, same[dir], "the tests of %s draw: they import internal/repeatable, or CI fails for what nobody changed", dir)
	}
}
