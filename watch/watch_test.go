package watch_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/watch"
)

// watching is a run of [watch.Sources], each of whose looks waits for the test.
type watching struct {
	t      *testing.T
	root   string
	begun  chan struct{} // has one for each look that has begun
	looked chan struct{}
	end    func()
}

func watchRoot(t *testing.T) watching {
	t.Helper()
	w := watching{t: t, root: t.TempDir(), begun: make(chan struct{}, 100), looked: make(chan struct{})}
	require.NoError(t, os.Mkdir(filepath.Join(w.root, "a"), 0o755))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- watch.Sources(ctx, []string{w.root}, func() error {
			w.begun <- struct{}{}
			select {
			case w.looked <- struct{}{}:
			case <-ctx.Done():
			}
			return nil
		})
	}()
	w.end = func() {
		cancel()
		require.NoError(t, <-ended)
	}
	return w
}

// again waits for a look, which what there was to see has made happen.
func (w watching) again(what string) {
	w.t.Helper()
	select {
	case <-w.looked:
	case <-time.After(time.Minute):
		w.t.Fatalf("%s was not noticed", what)
	}
}

// quiet waits until nothing is looked at any more: where the machine is busy,
// one change can be two, whose parts are far apart.
func (w watching) quiet() {
	for {
		select {
		case <-w.looked:
		case <-time.After(300 * time.Millisecond):
			return
		}
	}
}

func (w watching) write(name string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(filepath.Join(w.root, name), []byte("package a\n"), 0o644))
}

func TestSources(t *testing.T) {
	t.Parallel()
	w := watchRoot(t)
	w.again("the beginning")
	for _, change := range []struct {
		what string
		make func()
	}{
		{"a new file", func() { w.write("a/a.cue") }},
		{"a change", func() { w.write("a/a.cue") }},
		{"a new directory", func() { require.NoError(t, os.Mkdir(filepath.Join(w.root, "b"), 0o755)) }},
		{"a file in a new directory", func() { w.write("b/b.cue") }},
		{"a lock", func() { w.write("kumiki.lock") }},
		{"a directory that is gone", func() { require.NoError(t, os.RemoveAll(filepath.Join(w.root, "b"))) }},
	} {
		change.make()
		w.again(change.what)
		w.quiet()
	}
	w.write("a/notes.txt")
	select {
	case <-w.looked:
		t.Fatal("a file that is no source was noticed")
	case <-time.After(300 * time.Millisecond):
	}
	w.end()
}

// TestTooMany changes more files than the system has room to tell of, as a
// checkout during a long look does.
func TestTooMany(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip("no inotify: other systems have no such bound")
	}
	room, err := strconv.Atoi(strings.TrimSpace(string(text)))
	require.NoError(t, err)
	w := watchRoot(t)
	<-w.begun
	from, to := filepath.Join(w.root, "a", "x.txt"), filepath.Join(w.root, "a", "y.txt")
	w.write("a/x.txt")
	for range room/2 + 4000 { // a name that goes and one that comes; some are read ahead
		require.NoError(t, os.Rename(from, to))
		from, to = to, from
	}
	w.again("the beginning")
	w.again("that much has changed")
	w.write("a/a.cue")
	w.again("a change after that")
	w.end()
}
