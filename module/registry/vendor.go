package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"cuelang.org/go/mod/module"

	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/inside"
)

// Vendor copies all that the module depends on to cue.mod/pkg, where it is
// found before any registry is asked. It returns the versions.
func Vendor(ctx context.Context, m *Module, reg Registry) ([]module.Version, error) {
	g, err := m.Graph(ctx, reg)
	if err != nil {
		return nil, err
	}
	in, err := inside.Open(m.Dir)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for _, v := range g.Selected {
		files, err := fetch(ctx, reg, v)
		if err != nil {
			return nil, err
		}
		dir := path.Join("cue.mod", "pkg", v.BasePath(), "@"+strings.TrimPrefix(v.Version(), "v"))
		if _, err := in.Names(dir); err == nil {
			continue // a version never changes
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := copyWhole(in, dir, files); err != nil {
			return nil, fmt.Errorf("%s: %w", v, err)
		}
	}
	return g.Selected, nil
}

// partPrefix is what the names of copies begin with that are not finished.
const partPrefix = ".part-"

// copyWhole copies all files or none to a directory of the module. Links on the way
// there are not followed.
func copyWhole(module *inside.Dir, dir string, files fs.FS) error {
	part := path.Join(path.Dir(dir), partPrefix+path.Base(dir))
	if err := module.RemoveAll(part); err != nil { // what somebody who was killed left
		return err
	}
	if err := module.MkdirAll(part, 0o755); err != nil {
		return err
	}
	err := fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return errors.Join(err, module.MkdirAll(path.Join(part, name), 0o755))
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return module.Write(path.Join(part, name), bytes.NewReader(text), atomicfile.Options{Mode: 0o644})
	})
	if err == nil {
		err = module.Rename(part, dir)
	}
	if err != nil {
		return errors.Join(err, module.RemoveAll(part))
	}
	return nil
}
