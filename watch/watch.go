// Package watch tells when the sources of a workspace change on the disk.
package watch

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// pause is how long nothing may happen before a change is complete: editors
	// and version control write in several steps.
	pause = 100 * time.Millisecond
	// maxDirs bounds the directories that are watched.
	maxDirs = 8_000
)

// Sources calls f, and again whenever a CUE source or the lock of a module below
// one of the roots has changed, until the context ends. Directories may come and
// go meanwhile.
func Sources(ctx context.Context, roots []string, f func() error) error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer w.Close()
	for {
		// Before f looks, so that no change is missed.
		for _, root := range roots {
			add(w, root)
		}
		if err := f(); err != nil {
			return err
		}
		if err := wait(ctx, w); err != nil || ctx.Err() != nil {
			return err
		}
	}
}

// add watches the directories below root, each once; where root is gone, the
// nearest one above it that is there.
func add(w *fsnotify.Watcher, root string) {
	for w.Add(root) != nil && root != filepath.Dir(root) {
		root = filepath.Dir(root)
	}
	n := 0
	_ = filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil // what can't be read can't be a source
		}
		if n++; n > maxDirs {
			return fs.SkipAll
		}
		if base := e.Name(); name != root && (strings.HasPrefix(base, ".") || base == "node_modules") {
			return fs.SkipDir
		}
		_ = w.Add(name)
		return nil
	})
}

// counts reports whether a file can change what is compiled: a source, the lock of
// a module, or, without a dot in its name, a directory.
func counts(name string) bool {
	ext := filepath.Ext(name)
	return ext == ".cue" || ext == "" || filepath.Base(name) == "kumiki.lock"
}

// wait returns when sources have changed and nothing more happens.
func wait(ctx context.Context, w *fsnotify.Watcher) error {
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case e := <-w.Events:
			if counts(e.Name) && e.Op != fsnotify.Chmod {
				quiet = time.After(pause)
			}
		case err := <-w.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return err
			}
			quiet = time.After(pause) // much has changed, maybe a source
		case <-quiet:
			return nil
		}
	}
}
