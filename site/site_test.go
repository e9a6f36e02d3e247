package main

import (
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestSite builds the site of the repository: no link in it is broken, every page of the
// documentation is there, and twice makes the same bytes.
func TestSite(t *testing.T) {
	t.Parallel()
	repo := os.DirFS("..")
	files, err := build(repo)
	require.NoError(t, err)
	again, err := build(repo)
	require.NoError(t, err)
	require.Equal(t, files, again)
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md"} {
		pages, err := fs.Glob(repo, pattern)
		require.NoError(t, err)
		require.NotEmpty(t, pages)
		for _, p := range pages {
			require.Contains(t, files, outOf(p), "%s is in no section of the navigation", p)
		}
	}
	for name, text := range files {
		if strings.HasSuffix(name, ".html") {
			require.Equal(t, 1, strings.Count(string(text), "<h1"), name)
			require.Contains(t, string(text), `aria-current="page"`, name)
			require.NotContains(t, string(text), `href=""`, name)
			require.NotContains(t, string(text), `.md"`, "%s links to a source", name)
		}
	}
	require.Contains(t, string(files["search-index.js"]), `"a":"reference/component.html#codenameimagetag"`)
}

// TestLinks: a link has to lead to a file that there is, and to a heading of it.
func TestLinks(t *testing.T) {
	t.Parallel()
	good := map[string]string{
		"README.md":           "# Kumiki\n\n[a](docs/model.md#a-heads-name) [b](docs/model.md#twice-1) [c](#kumiki) [d](LICENSE) [e](https://example.com/x#y) `code`\n",
		"docs/model.md":       "# Model\n\n## A head's `name`\n\n## Twice\n\n## Twice\n\n[back](../README.md) [how](howto/x.md)\n",
		"docs/howto/x.md":     "# X\n\n| a | b |\n|---|---|\n| [m](../model.md) | <script>alert(1)</script> |\n",
		"docs/reference.md":   "# Reference\n",
		"LICENSE":             "free",
		"docs/reference/y.md": "# Y\n",
	}
	files, err := build(memory(good))
	require.NoError(t, err)
	require.Contains(t, string(files["index.html"]), `<a href="model.html#a-heads-name">a</a> <a href="model.html#twice-1">b</a>`)
	require.Contains(t, string(files["index.html"]), ` d <a href="https://example.com/x#y">e</a>`)
	require.Contains(t, string(files["howto/x.html"]), `<a href="../model.html">m</a>`)
	require.NotContains(t, string(files["howto/x.html"]), "alert(1)</script>")

	tests := map[string]string{
		"[a](docs/absent.md)":     "README.md: docs/absent.md: there is no such file",
		"[a](docs/model.md#none)": "README.md: docs/model.md#none: there is no such heading",
		"[a](#none)":              "README.md: #none: there is no such heading",
		"[a](../outside.md)":      "README.md: ../outside.md: that is outside of the repository",
		"[a](LICENSE#x)":          "README.md: LICENSE#x: that is no page, and has no headings",
	}
	for link, want := range tests {
		wrong := maps.Clone(good)
		wrong["README.md"] = "# Kumiki\n\n" + link + "\n"
		_, err := build(memory(wrong))
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "1 links lead nowhere")
	}
}

func memory(files map[string]string) fs.FS {
	out := fstest.MapFS{}
	for name, text := range files {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// TestRun: nothing is written where a link is broken.
func TestRun(t *testing.T) {
	t.Parallel()
	from, out := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(from+"/README.md", []byte("# Kumiki\n\n[a](gone.md)\n"), 0o644))
	require.Error(t, run(from, out+"/site"))
	require.NoDirExists(t, out+"/site")
	require.NoError(t, os.WriteFile(from+"/README.md", []byte("# Kumiki\n\n[a](#kumiki)\n"), 0o644))
	require.NoError(t, run(from, out+"/site"))
	require.FileExists(t, out+"/site/index.html")
}
