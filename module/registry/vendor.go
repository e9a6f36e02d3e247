package registry

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"cuelang.org/go/mod/module"
)

// Vendor copies all that the module depends on to cue.mod/pkg, where it is
// found before any registry is asked. It returns the versions.
func Vendor(ctx context.Context, m *Module, reg Registry) ([]module.Version, error) {
	g, err := m.Graph(ctx, reg)
	if err != nil {
		return nil, err
	}
	for _, v := range g.Selected {
		files, err := fetch(ctx, reg, v)
		if err != nil {
			return nil, err
		}
		dir := filepath.Join(m.Dir, "cue.mod", "pkg", filepath.FromSlash(v.BasePath()), "@"+strings.TrimPrefix(v.Version(), "v"))
		if _, err := os.Stat(dir); err == nil {
			continue // a version never changes
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := copyWhole(dir, files); err != nil {
			return nil, fmt.Errorf("%s: %w", v, err)
		}
	}
	return g.Selected, nil
}

// copyWhole copies all files or none.
func copyWhole(dir string, files fs.FS) (err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	part, err := os.MkdirTemp(filepath.Dir(dir), ".part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	err = fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		file := filepath.Join(part, "m", filepath.FromSlash(name))
		if err != nil || e.IsDir() {
			return errors.Join(err, os.MkdirAll(file, 0o755))
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(file, text, 0o644)
	})
	if err != nil {
		return err
	}
	return os.Rename(filepath.Join(part, "m"), dir)
}
