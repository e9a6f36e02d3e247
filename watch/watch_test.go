package watch_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/watch"
)

func TestSources(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "a"), 0o755))
	ctx, cancel := context.WithCancel(t.Context())
	looked := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- watch.Sources(ctx, []string{root}, func() error { looked <- struct{}{}; return nil })
	}()
	again := func(what string) {
		t.Helper()
		select {
		case <-looked:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s was not noticed", what)
		}
	}
	again("the beginning")
	write := func(name string) {
		t.Helper()
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte("package a\n"), 0o644))
	}
	write("a/a.cue")
	again("a new file")
	write("a/a.cue")
	again("a change")
	require.NoError(t, os.Mkdir(filepath.Join(root, "b"), 0o755))
	again("a new directory")
	write("b/b.cue")
	again("a file in a new directory")
	require.NoError(t, os.RemoveAll(filepath.Join(root, "b")))
	again("a directory that is gone")
	write("kumiki.lock")
	again("a lock")
	write("a/notes.txt")
	select {
	case <-looked:
		t.Fatal("a file that is no source was noticed")
	case <-time.After(300 * time.Millisecond):
	}
	cancel()
	require.NoError(t, <-ended)
}
