// Package registry keeps modules as versioned packages: it reads and writes
// their files, selects versions of what they depend on, and publishes them in
// OCI registries in CUE's own format, so that the cue command can read what
// kumiki writes and the reverse.
//
//	m, err := registry.OpenModule("shop")
//	err = m.Tidy(ctx, reg)
package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/mod/modconfig"
	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/module"

	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/inside"
	"kumiki.dev/internal/modsource"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
)

// Registry is where modules are read from.
type Registry = modconfig.Registry

// Open returns the registry for the working directory: the one that CUE_REGISTRY
// names, with the logins of the cue command and CUE's cache before it, or the
// directory that a settings file names.
func Open() (Registry, error) { return modsource.Open(".") }

// OpenNamed returns a registry by its name: what CUE_REGISTRY may be, or the path
// of a directory.
func OpenNamed(name string) (Registry, error) { return modsource.Named(name) }

// Modules are the modules in the registry for the working directory, sorted, by their paths
// without versions; those at a path and below it, unless it is "".
func Modules(ctx context.Context, under string) ([]string, error) {
	return modsource.Modules(ctx, under)
}

// IsDirectory reports whether the name of a registry is that of a directory, on this
// machine or on a web server.
func IsDirectory(name string) bool { return modsource.IsFiles(name) }

const moduleFile = "cue.mod/module.cue"

// language is the version of CUE that new module files ask for.
const language = "v0.12.0"

// Module is a native module on disk.
type Module struct {
	// Dir is its root.
	Dir string
	// File is its cue.mod/module.cue.
	File *modfile.File
	// Notes are what was chosen and might have been chosen otherwise, by the last
	// [Module.Get] or [Module.Tidy].
	Notes []string
}

// Init writes a module file for the module path in dir.
func Init(dir, path string) (*Module, error) {
	if !strings.Contains(path, "@") {
		path += "@v0"
	}
	if err := module.CheckPath(path); err != nil {
		return nil, fmt.Errorf("module %s: %w; write a path such as example.com/shop@v1", path, err)
	}
	if survey, _ := load.Look(dir); survey != nil && isRoot(dir) {
		return nil, fmt.Errorf("%s is a module already: %s", dir, survey.Module.Path)
	}
	m := &Module{Dir: dir, File: &modfile.File{Module: path, Language: &modfile.Language{Version: language}}}
	return m, m.Write()
}

func isRoot(dir string) bool {
	for _, name := range []string{moduleFile, "kmodule.cue"} {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			return true
		}
	}
	return false
}

// OpenModule reads the native module that dir lies in.
func OpenModule(dir string) (*Module, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for root := abs; ; root = filepath.Dir(root) {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(moduleFile)))
		switch {
		case err == nil:
			f, err := modfile.Parse(text, moduleFile)
			if err != nil {
				return nil, err
			}
			return &Module{Dir: root, File: f}, nil
		case !errors.Is(err, fs.ErrNotExist):
			return nil, err
		case root == filepath.Dir(root):
			return nil, fmt.Errorf("no cue.mod/module.cue was found in %s or above; write one with kumiki mod init", dir)
		}
	}
}

// Write writes the module file.
func (m *Module) Write() error {
	text, err := modfile.Format(m.File)
	if err != nil {
		return err
	}
	name := filepath.Join(m.Dir, filepath.FromSlash(moduleFile))
	if old, err := os.ReadFile(name); err == nil && string(old) == string(text) {
		return nil
	}
	return writeIn(m.Dir, moduleFile, text)
}

// writeIn writes all of a file of a module or leaves it as it was, and follows no link.
func writeIn(dir, name string, text []byte) error {
	d, err := inside.Make(dir, 0o755)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Write(name, bytes.NewReader(text), atomicfile.Options{Mode: 0o644, Sync: true})
}

// requirements are the versions that the module file asks for, without what
// comes with kumiki.
func requirements(f *modfile.File) ([]module.Version, error) {
	var out []module.Version
	for path, dep := range f.Deps {
		base, _, _ := ast.SplitPackageVersion(path)
		if load.Embedded(base) || dep == nil {
			continue
		}
		v, err := module.NewVersion(path, dep.Version)
		if err != nil {
			return nil, fmt.Errorf("dependency %s: %w", path, err)
		}
		out = append(out, v)
	}
	sorting.By(out, module.Version.Compare)
	return out, nil
}

// require makes the module file ask for exactly the given versions, and leaves
// what comes with kumiki as it is.
func (m *Module) require(versions []module.Version) error {
	deps := map[string]*modfile.Dep{}
	for path, dep := range m.File.Deps {
		if base, _, _ := ast.SplitPackageVersion(path); load.Embedded(base) {
			deps[path] = dep
		}
	}
	for _, v := range versions {
		dep := &modfile.Dep{Version: v.Version()}
		if old := m.File.Deps[v.Path()]; old != nil {
			dep.Default = old.Default
		}
		deps[v.Path()] = dep
	}
	m.File.Deps = deps
	return nil
}

// fetch returns the files of a module.
func fetch(ctx context.Context, reg Registry, v module.Version) (fs.FS, error) {
	loc, err := reg.Fetch(ctx, v)
	if err != nil {
		return nil, named(v, err)
	}
	return fs.Sub(loc.FS, loc.Dir)
}

// named is an error that says which module it is about.
func named(v module.Version, err error) error {
	if strings.Contains(err.Error(), v.String()) {
		return err
	}
	return fmt.Errorf("%s: %w", v, err)
}

// Directory returns where a module lies: MODULE@VERSION that is no directory is
// fetched from the registry, anything else is returned as it is.
func Directory(ctx context.Context, arg string) (string, error) {
	base, want, found := strings.Cut(arg, "@")
	if _, err := os.Stat(arg); !found || err == nil {
		return arg, nil
	}
	reg, err := Open()
	if err != nil {
		return "", err
	}
	v, err := Find(ctx, reg, base, want)
	if err != nil {
		return "", err
	}
	return rootOf(ctx, reg, v)
}

// rootOf fetches a module and returns its directory.
func rootOf(ctx context.Context, reg Registry, v module.Version) (string, error) {
	loc, err := reg.Fetch(ctx, v)
	if err != nil {
		return "", named(v, err)
	}
	root, ok := loc.FS.(module.OSRootFS)
	if !ok {
		return "", fmt.Errorf("the registry keeps %s in no directory", v)
	}
	return filepath.Join(root.OSRoot(), filepath.FromSlash(loc.Dir)), nil
}

// lock writes the digests of all selected modules.
func (m *Module) lock(ctx context.Context, reg Registry, selected []module.Version) error {
	lock, err := m.locked(ctx, reg, selected)
	if err != nil {
		return err
	}
	name := filepath.Join(m.Dir, load.LockFile)
	if len(lock) == 0 {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	return writeIn(m.Dir, load.LockFile, lock.Bytes())
}

// locked are the digests of all selected modules. One that was there and differs
// is an error: what is published does not change.
func (m *Module) locked(ctx context.Context, reg Registry, selected []module.Version) (load.Lock, error) {
	old, err := load.ReadLock(m.Dir)
	if err != nil {
		return nil, err
	}
	lock := load.Lock{}
	templates, err := m.templates(ctx, reg, old)
	if err != nil {
		return nil, err
	}
	for _, v := range slices.Concat(selected, templates) {
		files, err := fetch(ctx, reg, v)
		if err != nil {
			return nil, err
		}
		key := v.BasePath() + "@" + v.Version()
		if lock[key], err = load.ModuleDigest(files); err != nil {
			return nil, fmt.Errorf("%s: %w", v, err)
		}
		if was := old[key]; was != "" && was != lock[key] {
			return nil, fmt.Errorf("%s is not what it was: %s has %s, found %s; somebody replaced a published version: ask its publisher", key, load.LockFile, was, lock[key])
		}
	}
	return lock, nil
}
