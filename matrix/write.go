package matrix

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/inside"
)

// Write compiles the cells and writes them to a directory, with its index: solutions below
// solutions/ENVIRONMENT and objects below objects/ENVIRONMENT. What is gone is removed. What
// could not be made stays as it was. The index comes last: a run that ends before it leaves
// files that the next one writes again. What the directory had is in written, nil for
// nothing; what is compared with may be something else.
func Write(ctx context.Context, in Input, dir string, written *Before, changes *Changes) (*Matrix, error) {
	d, err := inside.Make(dir, 0o755)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	in.Done = func(r *Result, files map[string][]byte) error {
		if old := written.entry(r.Cell); old != nil {
			if err := remove(d, old.Files, files); err != nil {
				return err
			}
		}
		for _, name := range r.Files {
			// Objects may hold what a deployment was configured with.
			if err := d.Write(name, bytes.NewReader(files[name]), atomicfile.Options{Mode: 0o600}); err != nil {
				return err
			}
		}
		return nil
	}
	m, err := Run(ctx, in)
	if err != nil {
		return m, err
	}
	for _, e := range changes.Removed {
		if err := remove(d, e.Files, nil); err != nil {
			return m, err
		}
	}
	x := m.IndexOf(changes, written, in.Before)
	if err := x.restore(d, in.Before); err != nil {
		return m, err
	}
	return m, x.Write(d)
}

// restore writes what is kept of what was there before and is not there: it must not seem
// to be gone. What was not made then either is taken out of the index.
func (x *Index) restore(d *inside.Dir, b *Before) error {
	if b == nil || b.Made == nil {
		return nil // nothing is kept
	}
	var absent []*Entry
	for _, e := range x.Cells {
		if len(e.Files) == 0 || filter.Any(e.Files, func(name string) bool { return !d.Exists(name) }) {
			absent = append(absent, e)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	files, err := b.Made(absent)
	if err != nil {
		return err
	}
	for name, data := range files {
		if d.Exists(name) || data == nil {
			continue
		}
		if err := d.Write(name, bytes.NewReader(data), atomicfile.Options{Mode: 0o600}); err != nil {
			return err
		}
	}
	x.Cells = filter.Out(x.Cells, func(e *Entry) bool { return len(e.Files) == 0 })
	return nil
}

// remove removes files that are not made again, and directories that are empty then.
func remove(d *inside.Dir, names []string, made map[string][]byte) error {
	for _, name := range names {
		if _, again := made[name]; again || !own(name) {
			continue
		}
		if err := d.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for dir := path.Dir(name); dir != "solutions" && dir != "objects" && dir != "."; dir = path.Dir(dir) {
			if d.Remove(dir) != nil {
				break // there is something in it
			}
		}
	}
	return nil
}

// own reports whether a name is one that this package writes to: an index is a file that
// others can write.
func own(name string) bool {
	first, _, _ := strings.Cut(path.Clean(name), "/")
	return filter.Contains([]string{"solutions", "objects"}, first) && fs.ValidPath(name)
}
