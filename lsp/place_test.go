package lsp_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// linkedShop is a copy of an example, and a link that leads to it.
func linkedShop(t *testing.T) (dir, link string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there")
	}
	dir = shop(t)
	link = filepath.Join(shop(t), "link")
	require.NoError(t, os.Symlink(dir, link))
	return dir, link
}

// TestLinkedBuffer: a buffer that was opened over a link is the file's.
func TestLinkedBuffer(t *testing.T) {
	t.Parallel()
	dir, link := linkedShop(t)
	c := start(t, dir)
	file := filepath.Join(link, "shop/shop.cue")
	deployment := filepath.Join(dir, "deploy/deployment.cue")
	c.open(deployment)
	c.open(file)
	require.Empty(t, c.said(file))
	i := strings.Index(c.buffers[file], "parameter: {") + len("parameter: {")
	c.replace(file, i, i, "\nbrandNew: string")
	require.Equal(t, []string{"spread/missing-field"}, c.codes(deployment))
	c.replace(file, i, i, "]")
	require.NotEmpty(t, c.codes(file), "the client's own name of the file")
	require.Empty(t, c.codes(filepath.Join(dir, "shop/shop.cue")))

	require.NoError(t, os.Remove(link))
	c.close(file)
	require.Empty(t, c.said(deployment), "what is on the disk counts again, wherever the link leads")
}

// TestLinkedWorkspace: all that a client hears of a workspace behind a link has
// the names that the client gave it.
func TestLinkedWorkspace(t *testing.T) {
	t.Parallel()
	_, link := linkedShop(t)
	c := start(t, link)
	file := filepath.Join(link, "shop/shop.cue")
	c.open(file)
	i := strings.Index(c.buffers[file], "parameter: {") + len("parameter: {")
	c.replace(file, i, i, "\nbrandNew: string")
	deployment := filepath.Join(link, "deploy/deployment.cue")
	require.Equal(t, []string{"spread/missing-field"}, c.codes(deployment))
	for _, r := range c.settled(deployment)[0].Related {
		require.True(t, strings.HasPrefix(path(r.Location.URI), link), r.Location.URI)
	}
	c.close(file)
	require.Empty(t, c.said(file))
}

// TestLinkedPackage: a directory of the module that is a link to another.
func TestLinkedPackage(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	require.NoError(t, os.Rename(filepath.Join(dir, "web"), filepath.Join(dir, "frontend")))
	require.NoError(t, os.Symlink("frontend", filepath.Join(dir, "web")))
	c := start(t, dir)
	files, err := filepath.Glob(filepath.Join(dir, "frontend/*.cue"))
	require.NoError(t, err)
	file := files[0]
	c.open(file)
	require.Empty(t, c.said(file))
	c.replace(file, 0, 0, "x: {\n")
	require.NotEmpty(t, c.codes(file))
	c.replace(file, 0, len("x: {\n"), "")
	require.Empty(t, c.said(file))
}

// TestLinkedHover: what CUE's server says of a buffer that was opened over a link
// is about the buffer.
func TestLinkedHover(t *testing.T) {
	t.Parallel()
	dir, link := linkedShop(t)
	c := start(t, dir)
	file := filepath.Join(link, "shop/shop.cue")
	c.open(file)
	text := "// a comment of the buffer\n#Other: 1\nother: #Other\n"
	end := len(c.buffers[file])
	c.replace(file, end, end, text)
	use := strings.LastIndex(c.buffers[file], "#Other")
	require.Empty(t, c.codes(file))
	require.Contains(t, c.hoverAt(file, at(c.buffers[file], use)), "a comment of the buffer")
}
