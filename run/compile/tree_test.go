package compile_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/compile"
)

// placed is a module with templates and environments.
const placed = "../cmd/kumikid/testdata/placed"

// filesOf are the files of a directory by their names.
func filesOf(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = string(text)
		return err
	}))
	return out
}

func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(files[name]))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

// treeCompiler is the compiler that make test-manager builds.
func treeCompiler(t *testing.T) *compile.Compiler {
	t.Helper()
	if os.Getenv("KUMIKI") == "" {
		t.Fatal("KUMIKI names no compiler: run make test-manager")
	}
	c, err := compile.New(t.Context(), os.Getenv("KUMIKI"), compile.Limits{})
	require.NoError(t, err)
	return c
}

// states are the cells, each with its state and class.
func states(tree *compile.Tree) (out []string) {
	for _, c := range tree.Cells {
		out = append(out, strings.TrimSpace(c.Name+" "+c.State+" "+c.Class))
	}
	return out
}

// TestTree: a tree is compiled without a network, with the modules that lie in it, and compared
// with what was placed before.
func TestTree(t *testing.T) {
	t.Parallel()
	c, files := treeCompiler(t), filesOf(t, placed)
	tree, err := c.Tree(t.Context(), packed(t, files), nil, nil)
	require.NoError(t, err)
	require.Equal(t, []string{"db-dev new", "greeter-dev new", "web-dev new", "db-eu new", "web-eu new", "db-us new", "web-us new"}, states(tree))
	require.Equal(t, "lost/bandwidth", tree.Problems[0].Code)
	require.Equal(t, "web/web.cue:20:9", tree.Problems[0].Position())
	require.True(t, tree.Places["eu"].Protected)
	web := tree.Cells[2]
	require.Equal(t, []any{"canary", 1, 1, "front"}, []any{web.Wave, web.WaveNumber, web.Level, web.Solution.ObjectLabels["team"]})

	var before []compile.Placed
	for _, cell := range tree.Cells {
		before = append(before, compile.Placed{Template: cell.Template, Environment: cell.Environment, Name: cell.Name, Solution: cell.Text, Digest: cell.Digest})
	}
	wrong := maps.Clone(files)
	wrong["environments/us.cue"] = strings.Replace(wrong["environments/us.cue"], "target:", "targt:", 1)
	wrong["environments/eu.cue"] = strings.Replace(wrong["environments/eu.cue"], `"europe"`, `"europeans"`, 1)
	again, err := c.Tree(t.Context(), packed(t, wrong), before, tree.Places)
	require.NoError(t, err)
	require.Contains(t, states(again), "web-eu changed rollout")
	require.Contains(t, states(again), "web-us unknown", "what cannot be read is not gone")
	require.Empty(t, again.Refusal)
	require.Equal(t, "environments/us.cue", again.Problems[0].File)

	delete(files, "templates/web.cue")
	again, err = c.Tree(t.Context(), packed(t, files), before, tree.Places)
	require.NoError(t, err)
	require.Equal(t, "3 solutions would be removed (templates that are in use are gone: web; protected: eu)", again.Refusal)
	require.Contains(t, states(again), "web-eu removed")
}

// TestTreeRefused: an archive writes nothing outside, and what is none is told.
func TestTreeRefused(t *testing.T) {
	t.Parallel()
	c := treeCompiler(t)
	link := func() []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		h := &zip.FileHeader{Name: "cue.mod"}
		h.SetMode(fs.ModeSymlink | 0o777)
		w, err := z.CreateHeader(h)
		require.NoError(t, err)
		_, err = w.Write([]byte("/etc"))
		require.NoError(t, err)
		require.NoError(t, z.Close())
		return b.Bytes()
	}()
	large := packed(t, map[string]string{"cue.mod/module.cue": strings.Repeat("\x00", 257<<20)})
	module := `module: "example.org/x@v1"` + "\n" + `language: version: "v0.12.0"` + "\n"
	for want, archive := range map[string][]byte{
		"it is no zip archive":                     []byte("PK\x03\x04 and nothing else"),
		`"../x" is no name of a file in a tree`:    packed(t, map[string]string{"../x": ""}),
		`"/etc/x" is no name`:                      packed(t, map[string]string{"/etc/x": ""}),
		"cue.mod is a link":                        link,
		"its files have more than 256 MB":          large,
		"it has no cue.mod":                        packed(t, map[string]string{"a.txt": ""}),
		"replaces modules on one machine":          packed(t, map[string]string{"cue.mod/local-module.cue": ""}),
		"there is no directory environments":       packed(t, map[string]string{"cue.mod/module.cue": module}),
		"inside/cue.mod/module.cue is there twice": append([]byte{}, twice(t)...),
	} {
		tree, err := c.Tree(t.Context(), archive, nil, nil)
		require.NoError(t, err, want)
		require.Contains(t, tree.Problems[0].Message, want)
		require.Empty(t, tree.Cells)
	}
	_, err := os.Stat("/etc/x")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// twice is an archive with a file that is there twice.
func twice(t *testing.T) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for range 2 {
		_, err := z.Create("inside/cue.mod/module.cue")
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}
