// Package inside reads and writes the files of a directory and never anything
// outside of it: links in the directory are not followed, wherever they lead. It is
// for directories whose contents somebody else may have put there.
package inside

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/lockedfile"

	"kumiki.dev/internal/atomicfile"
)

// ErrLink says that there is a link where a file or directory is to be.
var ErrLink = errors.New("it is a link, or no file at all, which is not followed here: put the file or directory itself there")

// Dir is an open directory. The names that its methods take are relative to it,
// with slashes.
type Dir struct {
	root *os.Root
	path string
}

// Open opens a directory. That its own name is a link is as the caller wants it.
func Open(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root, path}, nil
}

// Make makes the directory if it is not there, and opens it.
func Make(path string, mode fs.FileMode) (*Dir, error) {
	if err := os.MkdirAll(path, mode); err != nil {
		return nil, err
	}
	return Open(path)
}

// Close gives the directory back.
func (d *Dir) Close() { _ = d.root.Close() }

// ReadFile returns the contents of a file.
func (d *Dir) ReadFile(name string) ([]byte, error) {
	at, err := d.plain(name)
	if err != nil {
		return nil, err
	}
	data, err := d.root.ReadFile(at)
	return data, d.named(name, err)
}

// Exists reports whether there is a file of a name, and nothing else.
func (d *Dir) Exists(name string) bool {
	at, err := d.plain(name)
	if err != nil {
		return false
	}
	_, err = d.root.Lstat(at)
	return err == nil
}

// Write makes a file, or replaces it, as [atomicfile.Write] does, and makes the
// directories that it is in: for the user alone if the file is.
func (d *Dir) Write(name string, data io.WriterTo, opts atomicfile.Options) error {
	at, err := d.plain(name)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o755)
	if opts.Mode&0o077 == 0 {
		mode = 0o700
	}
	if err := d.root.MkdirAll(filepath.Dir(at), mode); err != nil {
		return d.named(name, err)
	}
	return d.named(name, atomicfile.WriteIn(d.root, at, data, opts))
}

// Create makes a file for the user alone, in the place of one that is there, and waits
// until its content is on the disk. It may end half way.
func (d *Dir) Create(name string, data []byte) error {
	if err := d.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := d.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return d.named(name, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return d.named(name, errors.Join(err, f.Close()))
}

// MkdirAll makes a directory and those that it is in.
func (d *Dir) MkdirAll(name string, mode fs.FileMode) error {
	if err := d.plainDirs(name); err != nil {
		return err
	}
	return d.named(name, d.root.MkdirAll(filepath.FromSlash(name), mode))
}

// Lock waits until nobody else has the lock of that name, which goes with the process.
func (d *Dir) Lock(name string) (unlock func(), err error) {
	at, err := d.plain(name)
	if err != nil {
		return nil, err
	}
	return lockedfile.MutexAt(filepath.Join(d.path, at)).Lock()
}

// Rename gives a file or a directory another name.
func (d *Dir) Rename(from, to string) error {
	if err := errors.Join(d.plainDirs(filepath.Dir(from)), d.plainDirs(filepath.Dir(to))); err != nil {
		return err
	}
	return d.named(to, d.root.Rename(filepath.FromSlash(from), filepath.FromSlash(to)))
}

// Remove removes a file, or a directory that is empty. A link is refused.
func (d *Dir) Remove(name string) error {
	at := filepath.FromSlash(name)
	if err := d.plainDirs(filepath.Dir(at)); err != nil {
		return err
	}
	if info, err := d.root.Lstat(at); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return &fs.PathError{Op: "remove", Path: d.full(name), Err: ErrLink}
	}
	return d.named(name, d.root.Remove(at))
}

// RemoveAll removes a directory and all that is in it; links in it are removed and
// not followed.
func (d *Dir) RemoveAll(name string) error {
	if err := d.plainDirs(filepath.Dir(filepath.FromSlash(name))); err != nil {
		return err
	}
	return d.named(name, d.root.RemoveAll(filepath.FromSlash(name)))
}

// Names lists what is in a directory, sorted.
func (d *Dir) Names(name string) ([]string, error) {
	if err := d.plainDirs(name); err != nil {
		return nil, err
	}
	f, err := d.root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, d.named(name, err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	slices.Sort(names)
	return names, d.named(name, err)
}

// Sync waits until the names in a directory are on the disk.
func (d *Dir) Sync(name string) error {
	if err := d.plainDirs(name); err != nil {
		return err
	}
	f, err := d.root.Open(filepath.FromSlash(name))
	if err != nil {
		return d.named(name, err)
	}
	return errors.Join(f.Sync(), f.Close())
}

// plain refuses a name on whose way there is a link, and one where something else
// than a file is. It returns the name as the system has it.
func (d *Dir) plain(name string) (string, error) {
	at := filepath.FromSlash(name)
	if err := d.plainDirs(filepath.Dir(at)); err != nil {
		return "", err
	}
	info, err := d.root.Lstat(at)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return at, nil
	case err != nil:
		return "", d.named(name, err)
	case info.IsDir():
		return "", &fs.PathError{Op: "open", Path: d.full(name), Err: errors.New("it is a directory, where a file was expected")}
	case !info.Mode().IsRegular():
		return "", &fs.PathError{Op: "open", Path: d.full(name), Err: ErrLink}
	}
	return at, nil
}

// plainDirs refuses a directory on whose way there is a link.
func (d *Dir) plainDirs(dir string) error {
	at := ""
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Clean(dir)), "/") {
		at = filepath.Join(at, part)
		info, err := d.root.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return d.named(at, err)
		case !info.IsDir() && !info.Mode().IsRegular():
			return &fs.PathError{Op: "open", Path: d.full(at), Err: ErrLink}
		case !info.IsDir():
			return &fs.PathError{Op: "open", Path: d.full(at), Err: errors.New("it is a file, where a directory was expected")}
		}
	}
	return nil
}

func (d *Dir) full(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// named is an error of the file that was asked for: with the directory's name
// before it, and not of the new one beside it.
func (d *Dir) named(name string, err error) error {
	path, link := new(fs.PathError), new(os.LinkError)
	switch {
	case errors.As(err, &path):
		return &fs.PathError{Op: strings.TrimSuffix(path.Op, "at"), Path: d.full(name), Err: path.Err}
	case errors.As(err, &link):
		return &fs.PathError{Op: "write", Path: d.full(name), Err: link.Err}
	case err != nil:
		return fmt.Errorf("%s: %w", d.full(name), err)
	}
	return nil
}
