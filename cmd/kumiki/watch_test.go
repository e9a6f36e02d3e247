package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// TestWatch compiles a deployment, breaks it, mends it and changes it, and reads
// a line each time.
func TestWatch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../examples/hello")))
	file := filepath.Join(dir, "deploy/deployment.cue")
	kept := filepath.Join(dir, "hello.json")
	source, err := os.ReadFile(file)
	require.NoError(t, err)
	next, end := events(t, "watch", filepath.Dir(file), "-o", kept)
	write := func(text string) { // at once: an empty file might be compiled on a busy machine
		t.Helper()
		require.NoError(t, os.WriteFile(file+".new", []byte(text), 0o644))
		require.NoError(t, os.Rename(file+".new", file))
	}

	first := next()
	require.Equal(t, "hello", first.Solution)
	require.True(t, first.Changed)
	solution, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Contains(t, string(solution), first.Digest)

	write(strings.Replace(string(source), "config", "confg", 1))
	broken := next()
	require.Positive(t, broken.Errors)
	require.Contains(t, string(broken.Report), "confg")
	require.Empty(t, broken.Digest)
	still, err := os.ReadFile(kept)
	require.NoError(t, err)
	require.Equal(t, solution, still, "the last solution stays")

	write(string(source))
	mended := next()
	require.Equal(t, first.Digest, mended.Digest)
	require.False(t, mended.Changed)

	write(strings.Replace(string(source), "world", "moon", 1))
	changed := next()
	require.True(t, changed.Changed)
	require.NotEqual(t, first.Digest, changed.Digest)
	end()
}

// events runs a command that watches: next waits for its next line, end ends it.
func events(t *testing.T, args ...string) (next func() event, end func()) {
	t.Helper()
	lines, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		code := run(ctx, args, streams{in: strings.NewReader(""), out: out, err: io.Discard})
		out.Close()
		ended <- code
	}()
	read := bufio.NewReader(lines)
	next = func() event {
		t.Helper()
		line, err := read.ReadBytes('\n')
		require.NoError(t, err)
		var e event
		require.NoError(t, json.Unmarshal(line, &e), "%s", line)
		return e
	}
	end = func() {
		cancel()
		require.Zero(t, <-ended)
	}
	return next, end
}

// TestWatchLinks: files of links in a directory of their own, and what is saved, are looked
// at as well.
func TestWatchLinks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	archive, err := txtar.ParseFile("../../testdata/script/links.txtar")
	require.NoError(t, err)
	files, err := txtar.FS(archive)
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, files))
	app := filepath.Join(dir, "app")
	links, store := filepath.Join(dir, "links"), filepath.Join(dir, "solutions")
	for _, made := range []string{"front", "store"} {
		require.NoError(t, os.Mkdir(filepath.Join(app, made), 0o755))
		data, err := os.ReadFile(filepath.Join(dir, made+".cue"))
		require.NoError(t, err)
		if made == "front" {
			data = []byte(strings.Replace(string(data), "\tlinks: db: to: {deployment: \"store\", channel: \"sql\"}\n", "", 1))
		}
		require.NoError(t, os.WriteFile(filepath.Join(app, made, "deployment.cue"), data, 0o644))
	}
	save := func(more ...string) {
		code := run(t.Context(), append([]string{"compile", filepath.Join(app, "store"), "--with", filepath.Join(app, "front"), "--save=" + store}, more...), streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard})
		require.Zero(t, code)
	}
	save()
	require.NoError(t, os.Mkdir(links, 0o755))
	next, end := events(t, "watch", filepath.Join(app, "front"), "--links", links, "--solutions", store)
	first := next()
	require.Zero(t, first.Errors, "%s", first.Report)

	link, err := os.ReadFile(filepath.Join(dir, "link"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "new.cue"), link, 0o644))
	require.NoError(t, os.Rename(filepath.Join(dir, "new.cue"), filepath.Join(links, "db.cue")))
	linked := next()
	require.Zero(t, linked.Errors, "%s", linked.Report)
	require.NotEqual(t, first.Digest, linked.Digest)

	save("--comment", "another", "--set", "config.scale.hsize=3")
	require.Equal(t, linked.Digest, next().Digest, "the link leads to the same")
	end()
}
