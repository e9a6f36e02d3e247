package registry

import (
	"context"
	"fmt"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"

	"kumiki.dev/internal/modsource"
	"kumiki.dev/load"
)

// CacheDir is where modules are kept that have been fetched.
func CacheDir() (string, error) { return modsource.CacheDir() }

// Resolver says where in which registry a module is. The registry is named as
// CUE_REGISTRY has it or by the path of a directory; "" is the one that [Open]
// returns.
func Resolver(name string) (modregistry.Resolver, error) { return modsource.Resolver(name) }

// Mirror copies all that the module and its templates depend on to another registry, as it is
// and with what is attached to it, and calls done for each.
func Mirror(ctx context.Context, m *Module, reg Registry, to string, done func(module.Version)) error {
	src, err := Resolver("")
	if err != nil {
		return err
	}
	dst, err := Resolver(to)
	if err != nil {
		return err
	}
	from, into := modregistry.NewClientWithResolver(src), modregistry.NewClientWithResolver(dst)
	g, err := m.Graph(ctx, reg)
	if err != nil {
		return err
	}
	edges, err := m.published(ctx, reg)
	if err != nil {
		return err
	}
	copied := map[module.Version]bool{}
	for _, e := range append(g.Edges, edges...) { // what is not selected too: its file is read to select
		if copied[e.To] {
			continue
		}
		copied[e.To] = true
		if err := from.Mirror(ctx, into, e.To); err != nil {
			return fmt.Errorf("%s: %w", e.To, err)
		}
		if err := copyListed(ctx, src, dst, e.To); err != nil {
			return fmt.Errorf("%s: %w", e.To, err)
		}
		done(e.To)
	}
	return nil
}

// published are what the artifacts need that templates name by texts, and these themselves.
func (m *Module) published(ctx context.Context, reg Registry) (edges []Edge, err error) {
	lock, err := load.ReadLock(m.Dir)
	if err != nil {
		return nil, err
	}
	for _, text := range load.PublishedArtifacts(m.Dir) {
		path, version, _ := load.PublishedArtifact(text)
		_, g, err := exact(ctx, reg, lock, path, version)
		if err != nil {
			return nil, fmt.Errorf("templates: %w", err)
		}
		edges = append(edges, g.Edges...)
	}
	return edges, nil
}
