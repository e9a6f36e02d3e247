package modsource

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"golang.org/x/mod/semver"

	"kumiki.dev/internal/filter"
)

// maxListing is how long a registry may take to list what it has.
const maxListing = 2 * time.Minute

// Modules are the modules in the registry that [Open] finds for the working directory,
// sorted, by their paths without versions. With a path they are those at it and below it;
// where CUE_REGISTRY names several registries, the path says which is asked.
func Modules(ctx context.Context, under string) ([]string, error) {
	name, err := named(".")
	if err != nil {
		return nil, err
	}
	if dir, ok := Directory(name); ok {
		all, err := newDirectory(dir).modules()
		return below(all, under), err
	}
	if isTree(name) {
		return nil, fmt.Errorf("%s is files on a web server, which say nothing of each other: kumiki list --in reads an index of them", name)
	}
	resolver, err := network(name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, maxListing)
	defer cancel()
	all, err := repositories(ctx, resolver, under)
	return below(all, under), err
}

// below are the modules at a path and below it, sorted.
func below(all []string, under string) []string {
	all = filter.Out(all, func(path string) bool {
		return under != "" && path != under && !strings.HasPrefix(path, under+"/")
	})

	slices.Sort(all)
	return slices.Compact(all)
}

// anyModule is the path of no module, by which the registry of all others is found.
const anyModule = "module.invalid"

// repositories are the modules among the repositories of the registry that a path is in.
// Other images may lie beside them.
func repositories(ctx context.Context, resolver modregistry.Resolver, under string) ([]string, error) {
	at := under
	if at == "" || module.CheckPathWithoutVersion(at) != nil {
		at = anyModule
	}
	loc, err := resolver.ResolveToRegistry(at, "v0.0.0")
	if err != nil {
		return nil, err
	}
	prefix, ok := strings.CutSuffix(loc.Repository, at)
	if !ok {
		return nil, errors.New("the registry keeps modules under other names than theirs, and does not say which there are")
	}
	var all []string
	for repo, err := range loc.Registry.Repositories(ctx, "") {
		if err != nil {
			return nil, unlisted(err)
		}
		if path, ok := strings.CutPrefix(repo, prefix); ok && module.CheckPathWithoutVersion(path) == nil {
			all = append(all, path)
		}
	}
	return all, nil
}

// unlisted explains why a registry does not list what it has: many do not.
func unlisted(err error) error {
	for _, refusal := range []error{ociregistry.ErrUnsupported, ociregistry.ErrDenied, ociregistry.ErrUnauthorized, ociregistry.ErrNameUnknown} {
		if errors.Is(err, refusal) {
			return fmt.Errorf("the registry does not list its modules: %w; an index does, see kumiki index", err)
		}
	}
	return err
}

// modules are those in the directory: each in a layout of its own, or with a directory for
// each version, or all in one layout. Links are not followed.
func (d *directory) modules() (all []string, err error) {
	whole := &layout{dir: d.path}
	if ok, err := whole.is(); err != nil {
		return nil, err
	} else if ok {
		return whole.repositories()
	}
	err = filepath.WalkDir(d.path, func(name string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(d.path, name)
		if err != nil || !e.IsDir() || rel == "." {
			return err
		}
		repo := filepath.ToSlash(rel)
		if semver.IsValid(e.Name()) || module.CheckPathWithoutVersion(strings.ToLower(repo)) != nil && strings.Contains(repo, "/") {
			return fs.SkipDir
		}
		if _, err := os.Stat(filepath.Join(name, "oci-layout")); err == nil {
			all = append(all, repo)
			return fs.SkipDir
		}
		versions, err := d.versions(strings.ToLower(repo))
		if len(versions) > 0 {
			all = append(all, strings.ToLower(repo))
		}
		return err
	})
	return all, err
}

// repositories are those that a layout of several has.
func (l *layout) repositories() (all []string, err error) {
	index, err := l.index()
	if err != nil {
		return nil, err
	}
	for _, desc := range index.Manifests {
		repo, _, ok := strings.Cut(desc.Annotations[ocispec.AnnotationRefName], ":")
		if ok && module.CheckPathWithoutVersion(repo) == nil {
			all = append(all, repo)
		}
	}
	return all, nil
}
