package lsp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// moduleEdit puts a mistake into a file that says what a module is.
type moduleEdit struct{ name, from, to string }

var moduleEdits = map[string]struct {
	example string
	edits   []moduleEdit
}{
	"native": {"../examples/shop", []moduleEdit{
		{"cue.mod/module.cue", "module:", "module: ]"},
		{"cue.mod/module.cue", "kumiki.example/shop", "kumiki.example/other"},
	}},
	"kam": {"../examples/shop-kam", []moduleEdit{
		{"kmodule.cue", "domain:", "domian:"},
		{"kmodule.cue", "[1,", "[\"1\","},
		{"kmodule.cue", "package kmodule", "package kmodul"},
	}},
}

// TestModuleFile edits a module's own file: as a buffer, saved by the editor, and
// by another program.
func TestModuleFile(t *testing.T) {
	t.Parallel()
	for name, test := range moduleEdits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			require.NoError(t, os.CopyFS(dir, os.DirFS(test.example)))
			c := start(t, dir)
			c.open(filepath.Join(dir, "deploy/deployment.cue"))
			for _, e := range test.edits {
				c.editModule(dir, e)
			}
		})
	}
}

// editModule makes an edit in all ways, and takes it back.
func (c *client) editModule(dir string, e moduleEdit) {
	c.t.Helper()
	file := filepath.Join(dir, e.name)
	text, err := os.ReadFile(file)
	require.NoError(c.t, err)
	i := strings.Index(string(text), e.from)
	require.GreaterOrEqual(c.t, i, 0, "%s in %s", e.from, text)
	require.Empty(c.t, c.said(file))

	c.open(file)
	c.replace(file, i, i+len(e.from), e.to)
	unsaved := c.said(file)
	require.NotEmpty(c.t, unsaved, "%v", e)
	c.save(file)
	want := vetted(c.t, filepath.Join(dir, "deploy"))
	require.Equal(c.t, lines(want), lines(unsaved))
	require.Equal(c.t, lines(want), lines(c.said(file)))
	c.replace(file, i, i+len(e.to), e.from)
	require.Empty(c.t, c.said(file), "%v", e)
	c.close(file)
	require.Equal(c.t, lines(want), lines(c.said(file)), "what is on the disk counts again")

	require.NoError(c.t, os.WriteFile(file, text, 0o644))
	c.changedOnDisk(file)
	require.Empty(c.t, c.said(file))
	require.NoError(c.t, os.Remove(file))
	c.changedOnDisk(file)
	require.Contains(c.t, c.said(file)[0], "[load/no-module]")
	require.NoError(c.t, os.WriteFile(file, text, 0o644))
	c.changedOnDisk(file)
	require.Empty(c.t, c.said(file))
}

// changedOnDisk tells the server that another program has changed a file.
func (c *client) changedOnDisk(file string) {
	c.t.Helper()
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(file), "type": 2}}})
}
