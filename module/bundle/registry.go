package bundle

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"cuelang.org/go/mod/modconfig"
	"cuelang.org/go/mod/modfile"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
)

// recorder keeps what a registry is asked for.
type recorder struct {
	dir  string // what the registry is for
	open func(dir string) (modconfig.Registry, error)

	mu      sync.Mutex
	next    modconfig.Registry
	files   map[module.Version]*modfile.File
	fetched map[module.Version]module.SourceLoc
}

func (r *recorder) upstream() (modconfig.Registry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next != nil {
		return r.next, nil
	}
	next, err := r.open(r.dir)
	r.next = next
	return next, err
}

// ModFile implements [modconfig.Registry].
func (r *recorder) ModFile(ctx context.Context, mv module.Version) (*modfile.File, error) {
	next, err := r.upstream()
	if err != nil {
		return nil, err
	}
	f, err := next.ModFile(ctx, mv)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.files[mv] = f
	}
	return f, err
}

// Fetch implements [modconfig.Registry].
func (r *recorder) Fetch(ctx context.Context, mv module.Version) (module.SourceLoc, error) {
	next, err := r.upstream()
	if err != nil {
		return module.SourceLoc{}, err
	}
	loc, err := next.Fetch(ctx, mv)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.fetched[mv] = loc
	}
	return loc, err
}

// ModuleVersions implements [modconfig.Registry]. Which versions there are is
// nothing that a compilation depends on.
func (r *recorder) ModuleVersions(context.Context, string) ([]string, error) { return nil, nil }

// replay is the registry of a bundle that was unpacked.
type replay struct{ dir string }

// inBundle is the name of a module's version in a bundle.
func inBundle(mv module.Version) string { return mv.BasePath() + "@" + mv.Version() }

// ModFile implements [modconfig.Registry].
func (r replay) ModFile(_ context.Context, mv module.Version) (*modfile.File, error) {
	text, err := fs.ReadFile(module.OSDirFS(r.dir), path.Join(moduleFilesDir, inBundle(mv)+".cue"))
	if err != nil {
		return nil, r.absent(mv)
	}
	return modfile.Parse(text, mv.String())
}

// Fetch implements [modconfig.Registry].
func (r replay) Fetch(_ context.Context, mv module.Version) (module.SourceLoc, error) {
	dir := filepath.Join(r.dir, registryDir, filepath.FromSlash(inBundle(mv)))
	files := module.OSDirFS(dir)
	if _, err := fs.Stat(files, "."); err != nil {
		return module.SourceLoc{}, r.absent(mv)
	}
	return module.SourceLoc{FS: files, Dir: "."}, nil
}

// ModuleVersions implements [modconfig.Registry].
func (r replay) ModuleVersions(context.Context, string) ([]string, error) { return nil, nil }

func (r replay) absent(mv module.Version) error {
	return fmt.Errorf("%s is not in the bundle: %w", strings.TrimSpace(mv.String()), modregistry.ErrNotFound)
}
