package registry

import (
	"context"
	"errors"
	"fmt"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"

	"kumiki.dev/internal/origin"
)

// Client returns the way to write to a registry, named as CUE_REGISTRY has it or
// by the path of a directory; "" is the one that [Open] returns.
func Client(name string) (*modregistry.Client, error) { return origin.Client(name) }

// Resolver says where in which registry a module is; the registries are named
// as for [Client].
func Resolver(name string) (modregistry.Resolver, error) {
	return origin.Resolver(name)
}

// Mirror copies all that the module depends on to another registry, as it is
// and with what is attached to it, and calls done for each.
func Mirror(ctx context.Context, m *Module, reg Registry, to string, done func(module.Version)) error {
	from, err := Client("")
	if err != nil {
		return err
	}
	dst, err := Client(to)
	if err != nil {
		return err
	}
	g, err := m.Graph(ctx, reg)
	if err != nil {
		return err
	}
	copied := map[module.Version]bool{}
	for _, e := range g.Edges { // what is not selected too: its file is read to select
		if copied[e.To] {
			continue
		}
		copied[e.To] = true
		if err := mirror(ctx, from, dst, e.To); err != nil {
			return fmt.Errorf("%s: %w", e.To, err)
		}
		if err := mirrorAttached(ctx, to, e.To); err != nil {
			return fmt.Errorf("%s: %w", e.To, err)
		}
		done(e.To)
	}
	return nil
}

// mirror copies one module, and looks at what is there afterwards: that another
// one has its name is nothing that CUE's client tells.
func mirror(ctx context.Context, from, to *modregistry.Client, v module.Version) error {
	if err := from.Mirror(ctx, to, v); err != nil {
		return err
	}
	want, err := from.GetModule(ctx, v)
	if err != nil {
		return err
	}
	got, err := to.GetModule(ctx, v)
	if err == nil && got.ManifestDigest() != want.ManifestDigest() {
		err = errors.New("another module of that version is there already")
	}
	return err
}
