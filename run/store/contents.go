package store

import (
	"context"
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

// Contents are bundles and solutions by their digests. They lie in a directory of this server's,
// or in a repository of a registry, which several servers share. An error is [ErrUnavailable]
// where that does not answer.
type Contents interface {
	// Put keeps data, and returns its digest. It is there for good then.
	Put(ctx context.Context, data []byte) (digest string, err error)
	// Get reads a content. The error is [ErrNotFound] if there is none; what is damaged is an
	// error too.
	Get(ctx context.Context, digest string) ([]byte, error)
	// Has reports whether a content is there, and keeps it for the time of grace.
	Has(ctx context.Context, digest string) (bool, error)
	// Remove removes a content; one that is not there is no error.
	Remove(ctx context.Context, digest string) error
	// Collect removes what was not written for the time of grace and is not named. It returns
	// how many there were. Only the server that leads calls it, and Remove.
	Collect(ctx context.Context, named map[string]bool, grace time.Duration) (removed int, err error)
}

// Grace is how long a content is kept that nobody names: who has written it is about to.
const Grace = time.Hour

var digestForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Digest is that of data: sha256:HEX.
func Digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// hexOf is the digits of a digest, an error for what is none.
func hexOf(digest string) (string, error) {
	if !digestForm.MatchString(digest) {
		return "", fmt.Errorf("%q is no digest: sha256: and 64 digits", digest)
	}
	return strings.TrimPrefix(digest, "sha256:"), nil
}

// directory keeps contents as files, for its owner alone.
type directory struct{ dir string }

func openDirectory(dir string) (*directory, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &directory{dir}, os.Chmod(dir, 0o700)
}

// file is where a content is, an error for what is no digest.
func (c *directory) file(digest string) (string, error) {
	hex, err := hexOf(digest)
	if err != nil {
		return "", err
	}
	return filepath.Join(c.dir, hex[:2], hex), nil
}

// Put implements [Contents].
func (c *directory) Put(_ context.Context, data []byte) (string, error) {
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

// Get implements [Contents].
func (c *directory) Get(_ context.Context, digest string) ([]byte, error) {
	name, err := c.file(digest)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", digest, ErrNotFound)
	}
	if err == nil && Digest(data) != digest {
		err = fmt.Errorf("%s: %w: its digest is %s; put the file back from a backup", digest, ErrDamaged, Digest(data))
	}
	return data, err
}

// Has implements [Contents].
func (c *directory) Has(_ context.Context, digest string) (bool, error) {
	name, err := c.file(digest)
	now := time.Now()
	return err == nil && os.Chtimes(name, now, now) == nil, nil
}

// Remove implements [Contents].
func (c *directory) Remove(_ context.Context, digest string) error {
	file, err := c.file(digest)
	if err != nil {
		return err
	}
	if err := os.Remove(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Collect implements [Contents].
func (c *directory) Collect(_ context.Context, named map[string]bool, grace time.Duration) (removed int, err error) {
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
