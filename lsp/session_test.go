package lsp_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// shop is a copy of an example.
func shop(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, os.DirFS("../examples/shop")))
	return dir
}

// vetted is what kumiki vet says of a directory: "file:line: message [code]".
func vetted(t testing.TB, dir string) []string {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd := exec.Command(binary, "vet", "-o", "json", dir)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &stderr
	failed := new(exec.ExitError)
	if err := cmd.Run(); err != nil {
		require.True(t, errors.As(err, &failed) && failed.ExitCode() == 1, "%v\n%s", err, &stderr)
	}
	var doc struct {
		Diagnostics []struct {
			Code, Message, File string
			Range               struct{ Start struct{ Line, Column int } }
			Related             []struct{ Message string }
		}
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &doc))
	lines := []string{}
	for _, d := range doc.Diagnostics {
		file := d.File
		if !filepath.IsAbs(file) {
			file = filepath.Join(dir, file)
		}
		lines = append(lines, fmt.Sprintf("%s:%d:%d: %s [%s]", file, d.Range.Start.Line, d.Range.Start.Column, d.Message, d.Code))
	}
	slices.Sort(lines)
	return lines
}

// said is what the server has published, in the same form.
func (c *client) said(any string) []string {
	c.t.Helper()
	c.settled(any)
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := []string{}
	for file, list := range c.diagnostics {
		for _, d := range list {
			lines = append(lines, fmt.Sprintf("%s:%d:%d: %s [%s]", file, d.Range.Start.Line+1, d.Range.Start.Character+1, d.Message, d.Code))
		}
	}
	slices.Sort(lines)
	return lines
}

func TestOpenCleanExample(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "deploy/deployment.cue")
	c.open(file)
	require.Empty(t, c.said(file))
}

// TestTyping deletes a line of an artifact and writes it again, key by key:
// the deployment, which is not open, is told and cleared.
func TestTyping(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "deploy/deployment.cue")
	c.open(file)
	text := c.buffers[file]
	from := strings.Index(text, "config:")
	require.Positive(t, from)
	require.Empty(t, c.codes(file))
	c.replace(file, from, from+len("config:"), "confg:")
	require.NotEmpty(t, c.codes(file))
	c.replace(file, from, from+len("confg:"), "")
	for i, r := range "config:" {
		c.replace(file, from+i, from+i, string(r))
	}
	require.Equal(t, text, c.buffers[file])
	require.Empty(t, c.codes(file))
}

// TestArtifactConcernsDeployment edits an artifact and finds the problem at the
// deployment that uses it.
func TestArtifactConcernsDeployment(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "shop/shop.cue")
	c.open(file)
	text := c.buffers[file]
	i := strings.Index(text, "parameter: {")
	require.Positive(t, i)
	i += len("parameter: {")
	c.replace(file, i, i, "\n\t\t\tbrandNew: string")
	said := c.said(file)
	require.Len(t, said, 1)
	require.Contains(t, said[0], filepath.Join(dir, "deploy"))
	require.Contains(t, said[0], "[spread/missing-field]")
	c.close(file)
	require.Empty(t, c.said(file), "what is on the disk counts again")
}

// TestDelete deletes an artifact that is used, and puts it back.
func TestDelete(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "deploy/deployment.cue")
	c.open(file)
	require.Empty(t, c.said(file))
	gone, kept := filepath.Join(dir, "db"), filepath.Join(t.TempDir(), "db")
	change := func() {
		c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(gone), "type": 3}}})
	}
	require.NoError(t, os.Rename(gone, kept))
	change()
	require.Equal(t, vetted(t, filepath.Join(dir, "deploy")), c.said(file))
	require.NotEmpty(t, c.said(file))
	require.NoError(t, os.Rename(kept, gone))
	change()
	require.Empty(t, c.said(file))
}

// lines drops the columns, which vet counts in bytes and an editor in UTF-16.
func lines(list []string) []string {
	out := []string{}
	for _, l := range list {
		parts := strings.SplitN(l, ":", 4)
		out = append(out, parts[0]+":"+parts[1]+":"+parts[3])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestKam is the same in the vendor's own style.
func TestKam(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, os.DirFS("../examples/shop-kam")))
	c := start(t, dir)
	file := filepath.Join(dir, "deploy/deployment.cue")
	c.open(file)
	require.Empty(t, c.said(file))
	c.replace(file, 0, 0, "x: {\n")
	c.save(file)
	require.NotEmpty(t, c.codes(file))
	require.Equal(t, lines(vetted(t, filepath.Join(dir, "deploy"))), lines(c.said(file)))
}
