// Package atomicfile writes files all or nothing.
package atomicfile

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
)

// Prefix is what the names of files that are not finished begin with. Those that
// a killed process leaves behind may be removed.
const Prefix = ".new-"

// Options say how a file is written.
type Options struct {
	Mode fs.FileMode
	// Sync waits until the data is on the disk: after a loss of power, too, the file
	// is the old one or the new one.
	Sync bool
}

// Write makes a file, or replaces it. The data goes to a new file beside it, which
// then takes its place, so that whoever reads finds all of the one or all of the
// other. After an error the file is as it was.
func Write(name string, data io.WriterTo, opts Options) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), Prefix+"*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name())
		}
	}()
	if err := errors.Join(fill(f, data, opts), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}

// WriteIn is [Write] for a file of a directory that is open: nothing outside of it
// is written.
func WriteIn(root *os.Root, name string, data io.WriterTo, opts Options) (err error) {
	f, temporary, err := createIn(root, filepath.Dir(name))
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = root.Remove(temporary)
		}
	}()
	if err := errors.Join(fill(f, data, opts), f.Close()); err != nil {
		return err
	}
	return root.Rename(temporary, name)
}

// createIn makes a file of a name that none has.
func createIn(root *os.Root, dir string) (*os.File, string, error) {
	for {
		name := filepath.Join(dir, Prefix+strconv.FormatUint(rand.Uint64(), 36))
		f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, name, err
		}
	}
}

func fill(f *os.File, data io.WriterTo, opts Options) error {
	if err := Copy(f, data); err != nil {
		return err
	}
	if err := f.Chmod(opts.Mode); err != nil {
		return err
	}
	if opts.Sync {
		return f.Sync()
	}
	return nil
}

// Copy writes data that comes in small pieces in larger ones.
func Copy(w io.Writer, data io.WriterTo) error {
	b := bufio.NewWriterSize(w, 64<<10)
	if _, err := data.WriteTo(b); err != nil {
		return err
	}
	return b.Flush()
}
