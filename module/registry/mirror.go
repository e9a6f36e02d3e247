package registry

import (
	"context"
	"fmt"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"

	"kumiki.dev/internal/modsource"
)

// CacheDir is where modules are kept that have been fetched.
func CacheDir() (string, error) { return modsource.CacheDir() }

// Resolver says where in which registry a module is. The registry is named as
// CUE_REGISTRY has it or by the path of a directory; "" is the one that [Open]
// returns.
func Resolver(name string) (modregistry.Resolver, error) { return modsource.Resolver(name) }

// Mirror copies all that the module depends on to another registry, as it is
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
	copied := map[module.Version]bool{}
	for _, e := range g.Edges { // what is not selected too: its file is read to select
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
