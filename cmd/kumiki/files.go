package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"

	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/inside"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/targets/kubernetes"
	"kumiki.dev/targets/swarm"
)

// listFile lists the files of a directory that kumiki has written, one a line.
const listFile = ".kumiki"

// outDir is a directory of objects' files while it is written.
type outDir struct {
	*inside.Dir
	path      string
	files     map[string][]byte
	old       map[string]bool // what the list says
	overwrite bool
}

// writeFiles makes a directory hold the files, by their names: it adds and
// replaces what has changed, and removes what it wrote there before and is not
// wanted any more. Files that it did not write are never removed; if one is in
// the way, or a link, nothing is written at all. The list is believed only where
// a file is of a form that kumiki writes: whoever made the directory made it too.
func writeFiles(dir string, files map[string][]byte, overwrite bool) error {
	d, err := inside.Make(dir, 0o700)
	if err != nil {
		return err
	}
	defer d.Close()
	o := &outDir{Dir: d, path: dir, files: files, overwrite: overwrite}
	if o.old, err = o.listed(); err != nil {
		return err
	}
	if err := o.free(); err != nil {
		return err
	}
	all := maps.Clone(o.old)
	for name := range files {
		all[name] = true
	}
	// The list comes first and last: whatever happens in between, what has been
	// written is known the next time.
	if err := o.list(all); err != nil {
		return err
	}
	for _, name := range sorting.Ordered(files) {
		if err := o.put(name, files[name]); err != nil {
			return err
		}
	}
	if err := o.removeOld(); err != nil {
		return err
	}
	return o.list(maps.Collect(func(yield func(string, bool) bool) {
		for name := range files {
			if !yield(name, true) {
				return
			}
		}
	}))
}

// free refuses files that were not written by kumiki and are in the way.
func (o *outDir) free() error {
	for _, name := range sorting.Ordered(o.files) {
		data, err := o.ReadFile(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case o.overwrite, bytes.Equal(data, o.files[name]), o.old[name] && own(name, data):
		default:
			return kept("%s was not written by kumiki: move it, choose another directory for --out, or say --overwrite", filepath.Join(o.path, filepath.FromSlash(name)))
		}
	}
	return nil
}

// removeOld removes what the list names and is not wanted any more.
func (o *outDir) removeOld() error {
	for _, name := range sorting.Ordered(o.old) {
		if _, wanted := o.files[name]; wanted {
			continue
		}
		data, err := o.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !own(name, data) {
			continue
		}
		if err != nil {
			return err
		}
		if err := o.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// put writes a file for the user alone, as it may have secrets in it. One that is as it
// should be is left alone.
func (o *outDir) put(name string, data []byte) error {
	if old, err := o.ReadFile(name); err == nil && bytes.Equal(old, data) {
		info, err := os.Lstat(filepath.Join(o.path, filepath.FromSlash(name)))
		if err == nil && info.Mode().Perm() == private {
			return nil
		}
	}
	return o.Write(name, bytes.NewReader(data), atomicfile.Options{Mode: private, Sync: true})
}

// own reports whether a file is of a form in which kumiki writes objects.
func own(name string, data []byte) bool {
	return kubernetes.Own(name, data) || swarm.Own(name, data)
}

func (o *outDir) listed() (map[string]bool, error) {
	data, err := o.ReadFile(listFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	names := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		name := strings.TrimSpace(line)
		if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) || path.Base(name) == listFile {
			return nil, fmt.Errorf("%s: %q is no name of a file in there", filepath.Join(o.path, listFile), name)
		}
		names[name] = true
	}
	return names, nil
}

func (o *outDir) list(names map[string]bool) error {
	return o.put(listFile, []byte(strings.Join(sorting.Ordered(names), "\n")+"\n"))
}
