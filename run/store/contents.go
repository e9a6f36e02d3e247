package store

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Contents are files by their digests, in a directory for its owner alone.
type Contents struct{ dir string }

// Grace is how long a content is kept that nobody names: who has written it is about to.
const Grace = time.Hour

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

func openContents(dir string) (*Contents, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &Contents{dir}, os.Chmod(dir, 0o700)
}

// Digest is that of data: sha256:HEX.
func Digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// file is where a content is, an error for what is no digest.
func (c *Contents) file(digest string) (string, error) {
	if !digestForm.MatchString(digest) {
		return "", fmt.Errorf("%q is no digest: sha256: and 64 digits", digest)
	}
	hex := strings.TrimPrefix(digest, "sha256:")
	return filepath.Join(c.dir, hex[:2], hex), nil
}

// Put keeps data, and returns its digest. It is on the disk then.
func (c *Contents) Put(data []byte) (string, error) {
	digest := Digest(data)
	name, err := c.file(digest)
	if err != nil {
		return "", err
	}
	now := time.Now()
	if os.Chtimes(name, now, now) == nil {
		return digest, nil // and it stays for the time of grace
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(c.dir, "new-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(f.Name()) }()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	return digest, os.Rename(f.Name(), name)
}

// Get reads a content. The error is [ErrNotFound] if there is none; what is damaged is an
// error too.
func (c *Contents) Get(digest string) ([]byte, error) {
	name, err := c.file(digest)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", digest, ErrNotFound)
	}
	if err == nil && Digest(data) != digest {
		err = fmt.Errorf("%s is damaged: its digest is %s; put the file back from a backup", digest, Digest(data))
	}
	return data, err
}

// Has reports whether a content is there, and keeps it for the time of grace.
func (c *Contents) Has(digest string) bool {
	name, err := c.file(digest)
	now := time.Now()
	return err == nil && os.Chtimes(name, now, now) == nil
}

// Remove removes a content; one that is not there is no error.
func (c *Contents) Remove(digest string) error {
	file, err := c.file(digest)
	if err != nil {
		return err
	}
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Collect removes what was not written for the time of grace and is not named. It returns how
// many there were.
func (c *Contents) Collect(named map[string]bool, grace time.Duration) (removed int, err error) {
	old := time.Now().Add(-grace)
	err = filepath.WalkDir(c.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.ModTime().After(old) || named["sha256:"+d.Name()] {
			return nil
		}
		if err := os.Remove(name); err != nil {
			return err
		}
		removed++
		return nil
	})
	return removed, err
}
