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
	lines, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int, 1)
	go func() {
		code := run(ctx, []string{"watch", filepath.Dir(file), "-o", kept}, streams{in: strings.NewReader(""), out: out, err: io.Discard})
		out.Close()
		ended <- code
	}()
	read := bufio.NewReader(lines)
	next := func() event {
		t.Helper()
		line, err := read.ReadBytes('\n')
		require.NoError(t, err)
		var e event
		require.NoError(t, json.Unmarshal(line, &e), "%s", line)
		return e
	}
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
	cancel()
	require.Zero(t, <-ended)
}
