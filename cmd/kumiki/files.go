package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// listFile lists the files of a directory that kumiki has written, one a line.
const listFile = ".kumiki"

// writeFiles makes a directory hold the files, by their names: it adds and
// replaces what has changed, and removes what it wrote there before and is not
// wanted any more. Files that it did not write are never touched; if one is in
// the way, nothing is.
func writeFiles(dir string, files map[string][]byte) error {
	old, err := listed(dir)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	for _, name := range names {
		at := filepath.Join(dir, filepath.FromSlash(name))
		data, err := os.ReadFile(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case !old[name] && !bytes.Equal(data, files[name]):
			return fmt.Errorf("%s was not written by kumiki: move it, or choose another directory for --out", at)
		}
	}
	all := maps.Clone(old)
	for _, name := range names {
		all[name] = true
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	// The list comes first and last: whatever happens in between, what has been
	// written is known the next time.
	if err := writeList(dir, all); err != nil {
		return err
	}
	for _, name := range names {
		if err := replace(filepath.Join(dir, filepath.FromSlash(name)), files[name]); err != nil {
			return err
		}
	}
	for name := range old {
		if _, wanted := files[name]; wanted {
			continue
		}
		if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		delete(all, name)
	}
	return writeList(dir, all)
}

// replace leaves a file alone that is as it should be.
func replace(name string, data []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return writeFile(name, data)
}

func listed(dir string) (map[string]bool, error) {
	data, err := os.ReadFile(filepath.Join(dir, listFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		name := strings.TrimSpace(line)
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("%s: %q is no name of a file in there", filepath.Join(dir, listFile), name)
		}
		names[name] = true
	}
	return names, nil
}

func writeList(dir string, names map[string]bool) error {
	return replace(filepath.Join(dir, listFile), []byte(strings.Join(slices.Sorted(maps.Keys(names)), "\n")+"\n"))
}
