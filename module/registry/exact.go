package registry

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"

	"kumiki.dev/internal/filter"
	"kumiki.dev/load"
)

// Exact finds the artifact with a full path in a version, and the versions of all modules
// that it needs, its own among them. Where a lock has the module, no registry is asked for
// its versions.
func Exact(ctx context.Context, reg Registry, lock load.Lock, full, version string) (Found, []module.Version, error) {
	found, g, err := exact(ctx, reg, lock, full, version)
	if err != nil {
		return Found{}, nil, err
	}
	return found, g.Selected, nil
}

// exact is [Exact] with all that decides on the versions.
func exact(ctx context.Context, reg Registry, lock load.Lock, full, version string) (Found, *Graph, error) {
	v, err := moduleOf(ctx, reg, lock, full, version)
	if err != nil {
		return Found{}, nil, err
	}
	found, elsewhere, err := placed(ctx, reg, v, full)
	if err == nil && elsewhere != "" {
		err = fmt.Errorf("%s has moved to %s: name that", full, elsewhere)
	}
	if err != nil {
		return Found{}, nil, err
	}
	root, err := module.NewVersion("kumiki.local/template@v0", "")
	if err != nil {
		return Found{}, nil, err
	}
	g, err := Select(ctx, reg, root, []module.Version{v})
	if err != nil {
		return Found{}, nil, err
	}
	return found, g, nil
}

// templates are the versions that the templates of the module name by texts, and all that
// these need: each is compiled by itself, so a module may be there in several.
func (m *Module) templates(ctx context.Context, reg Registry, lock load.Lock) (out []module.Version, err error) {
	for _, text := range load.PublishedArtifacts(m.Dir) {
		path, version, _ := load.PublishedArtifact(text)
		_, selected, err := Exact(ctx, reg, lock, path, version)
		if err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
		out = append(out, selected...)
	}
	return out, nil
}

// moduleOf is the innermost module that a path can be in and that has a version.
func moduleOf(ctx context.Context, reg Registry, lock load.Lock, full, version string) (module.Version, error) {
	for p := full; strings.Contains(p, "/"); p = path.Dir(p) {
		if _, ok := lock[p+"@"+version]; ok {
			return module.NewVersion(p+"@"+major(version), version)
		}
	}
	var seen []string
	for p := full; strings.Contains(p, "/"); p = path.Dir(p) {
		versions, err := reg.ModuleVersions(ctx, p)
		switch {
		case err != nil && !errors.Is(err, modregistry.ErrNotFound):
			return module.Version{}, fmt.Errorf("%s: %w", p, err)
		case filter.Contains(versions, version):
			return module.NewVersion(p+"@"+major(version), version)
		case len(versions) > 0:
			seen = append(seen, fmt.Sprintf("%s has %s", p, strings.Join(versions, ", ")))
		}
	}
	if seen != nil {
		return module.Version{}, fmt.Errorf("%s@%s is not published; %s", full, version, strings.Join(seen, "; "))
	}
	return module.Version{}, fmt.Errorf("%s@%s: no module %s or above it is published", full, version, full)
}
