package history

import (
	"errors"
	"os"
	"syscall"

	"github.com/rogpeppe/go-internal/lockedfile"
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
	Rename(from, to string) error
	Remove(name string) error
	// SyncDir waits until the names in a directory are on the disk.
	SyncDir(name string) error
	// Lock waits until nobody else has the lock, which goes with the process.
	Lock(name string) (unlock func(), err error)
}

// disk is the real one.
type disk struct{}

func (disk) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

func (disk) ReadDir(name string) ([]string, error) {
	entries, err := os.ReadDir(name)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func (disk) MkdirAll(name string) error { return os.MkdirAll(name, 0o755) }

func (disk) WriteSynced(name string, data []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func (disk) Rename(from, to string) error { return os.Rename(from, to) }

func (disk) Remove(name string) error { return os.Remove(name) }

func (disk) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		err = nil // some file systems have nothing to wait for
	}
	return errors.Join(err, d.Close())
}

func (disk) Lock(name string) (func(), error) { return lockedfile.MutexAt(name).Lock() }
