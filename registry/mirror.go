package registry

import (
	"context"
	"fmt"

	"cuelang.org/go/mod/modconfig"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"

	"kumiki.dev/internal/origin"
)

// Client returns the way to write to a registry, named as CUE_REGISTRY has it;
// "" takes CUE_REGISTRY itself.
func Client(name string) (*modregistry.Client, error) {
	resolver, err := Resolver(name)
	if err != nil {
		return nil, err
	}
	return modregistry.NewClientWithResolver(resolver), nil
}

// Resolver says where in which registry a module is; the registries are named
// as for [Client].
func Resolver(name string) (modregistry.Resolver, error) {
	return modconfig.NewResolver(&modconfig.Config{CUERegistry: name, Transport: origin.Transport()})
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
		if err := from.Mirror(ctx, dst, e.To); err != nil {
			return fmt.Errorf("%s: %w", e.To, err)
		}
		if err := mirrorAttached(ctx, to, e.To); err != nil {
			return fmt.Errorf("%s: %w", e.To, err)
		}
		done(e.To)
	}
	return nil
}
