package history

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/inside"
)

// files is what a store does with files, so that tests can let it fail at any
// step.
type files interface {
	ReadFile(name string) ([]byte, error)
	// ReadDir lists the names in a directory.
	ReadDir(name string) ([]string, error)
	MkdirAll(name string) error
	// WriteSynced makes a file, or empties it, and waits until its content is on
	// the disk. It may end half way.
	WriteSynced(name string, data []byte) error
	// Replace gives a file its content, all or nothing, and makes its directory; a
	// failure of power may undo it.
	Replace(name string, data []byte) error
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir waits until the names in a directory are on the disk.
	SyncDir(name string) error
	// Lock waits until nobody else has the lock, which goes with the process.
	Lock(name string) (unlock func(), err error)
}

// disk is the real one: the directory of a store. What is in it is not reached over
// links, which somebody else may have put there.
type disk struct{ dir string }

// within opens the store's directory, and says what a name is called in it.
func (d disk) within(name string) (*inside.Dir, string, error) {
	rel, err := filepath.Rel(d.dir, name)
	if err != nil {
		return nil, "", err
	}
	in, err := inside.Open(d.dir)
	return in, filepath.ToSlash(rel), err
}

// on does something with a name in the store's directory.
func (d disk) on(name string, do func(*inside.Dir, string) error) error {
	in, rel, err := d.within(name)
	if err != nil {
		return err
	}
	defer in.Close()
	return do(in, rel)
}

func (d disk) ReadFile(name string) (data []byte, err error) {
	err = d.on(name, func(in *inside.Dir, rel string) error {
		data, err = in.ReadFile(rel)
		return err
	})
	return data, err
}

func (d disk) ReadDir(name string) (names []string, err error) {
	err = d.on(name, func(in *inside.Dir, rel string) error {
		names, err = in.Names(rel)
		return err
	})
	return names, err
}

func (d disk) MkdirAll(name string) error {
	if name == d.dir {
		return os.MkdirAll(name, 0o700)
	}
	return d.on(name, func(in *inside.Dir, rel string) error { return in.MkdirAll(rel, 0o700) })
}

func (d disk) WriteSynced(name string, data []byte) error {
	return d.on(name, func(in *inside.Dir, rel string) error { return in.Create(rel, data) })
}

func (d disk) Replace(name string, data []byte) error {
	return d.on(name, func(in *inside.Dir, rel string) error {
		return in.Write(rel, bytes.NewReader(data), atomicfile.Options{Mode: 0o600})
	})
}

func (d disk) Rename(from, to string) error {
	return d.on(to, func(in *inside.Dir, rel string) error {
		old, err := filepath.Rel(d.dir, from)
		if err != nil {
			return err
		}
		return in.Rename(filepath.ToSlash(old), rel)
	})
}

func (d disk) Remove(name string) error { return d.on(name, (*inside.Dir).Remove) }

func (d disk) SyncDir(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil // some file systems have nothing to wait for
	}
	return errors.Join(err, f.Close())
}

func (d disk) Lock(name string) (func(), error) {
	in, rel, err := d.within(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Lock(rel)
}
