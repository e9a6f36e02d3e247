package lsp_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFix applies the action of a misspelt field.
func TestFix(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "deploy/deployment.cue")
	c.open(file)
	text := c.buffers[file]
	i := strings.Index(text, "title:")
	require.Positive(t, i, text)
	c.replace(file, i, i+len("title"), "tilte")
	problems := c.settled(file)
	require.NotEmpty(t, problems)
	var fix action
	for _, d := range problems {
		for _, a := range c.actions(file, d.Range) {
			if a.Kind == "quickfix" {
				fix = a
			}
		}
	}
	require.Contains(t, fix.Title, "title")
	c.apply(fix)
	require.Equal(t, text, c.buffers[file])
	require.Empty(t, c.said(file))
}

// gap makes a deployment in which a name is misspelt and two resources are
// missing, and returns its file.
func gap(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "deploy/deployment.cue")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	broken := strings.Replace(string(text), "title:", "titel:", 1)
	for _, line := range []string{"\t\t\tdbPassword: secret:       \"shop-db-password\"\n", "\t\t\tdbData: volume:           \"shop-db\"\n"} {
		require.Contains(t, broken, line)
		broken = strings.Replace(broken, line, "", 1)
	}
	require.NoError(t, os.WriteFile(file, []byte(broken), 0o644))
	return file
}

// titles are those of actions, fixAll's kind in front of its own.
func titles(list []action) []string {
	var out []string
	for _, a := range list {
		if a.Kind != "quickfix" {
			a.Title = a.Kind + ": " + a.Title
		}
		out = append(out, a.Title)
	}
	return out
}

// TestActions offers each fix where its problem is shown, and those that belong
// together as one.
func TestActions(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"shop", "shop-kam"} {
		dir := example(t, name)
		file := gap(t, dir)
		c := start(t, dir)
		c.open(file)
		c.settled(file)
		all := "source.fixAll.kumiki: mend what can be mended for certain (3 problems)"
		require.Equal(t, []string{"rename titel to title", all}, titles(c.actions(file, span{c.where(file, "titel", 0), c.where(file, "titel", 5)})))
		at := c.where(file, "resource: {", 0)
		got := titles(c.actions(file, span{at, at}))
		require.Len(t, got, 4)
		require.Contains(t, got[0], "add db")
		require.Contains(t, got[1], "add db")
		require.Equal(t, []string{"add 2 missing fields", all}, got[2:])
		c.apply(c.actions(file, span{at, at})[2])
		require.Contains(t, c.buffers[file], "\t\tresource: {\n\t\t\tdb")
		require.NotRegexp(t, `config\.resource\.\w+ is missing`, strings.Join(c.said(file), "\n"))
		require.Contains(t, c.codes(file), "spread/undeclared-field")
	}
}

// TestFixAll makes of a file what vet --fix makes of it.
func TestFixAll(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	file := gap(t, dir)
	c := start(t, dir)
	c.open(file)
	c.settled(file)
	list := c.actions(file, span{})
	require.Len(t, list, 1)
	c.apply(list[0])
	var edits []edit
	c.call("textDocument/formatting", map[string]any{"textDocument": id(file), "options": map[string]any{"tabSize": 4, "insertSpaces": false}}, &edits)
	format := action{}
	format.Edit.Changes = map[string][]edit{uri(file): edits}
	c.apply(format)
	cmd := exec.Command(binary, "vet", "--fix", filepath.Dir(file))
	out, err := cmd.CombinedOutput()
	failed := new(exec.ExitError)
	require.True(t, errors.As(err, &failed) && failed.ExitCode() == 1, "placeholders are no values: %v\n%s", err, out)
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), c.buffers[file])
}

// actions are those of a place.
func (c *client) actions(file string, where span) []action {
	c.t.Helper()
	var out []action
	c.call("textDocument/codeAction", map[string]any{
		"textDocument": id(file), "range": where, "context": map[string]any{"diagnostics": []any{}},
	}, &out)
	return out
}

// apply makes the edits of an action in the buffers, the last first.
func (c *client) apply(a action) {
	c.t.Helper()
	for u, edits := range a.Edit.Changes {
		file := path(u)
		for i := len(edits) - 1; i >= 0; i-- {
			from, to := offset(c.buffers[file], edits[i].Range.Start), offset(c.buffers[file], edits[i].Range.End)
			c.replace(file, from, to, edits[i].NewText)
		}
	}
}
