package modsource

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelang.org/go/mod/modregistry"
)

// maxListed bounds what a registry lists in all pages together: no module has so
// many versions, nothing so many things attached to it, and nobody reads a list of
// so many modules.
const maxListed = 20_000

// ErrListing says that a registry lists what cannot be.
var ErrListing = errors.New("the registry's list")

// bounded is a resolver whose registries are believed to list each thing once, and
// not without end: one that ignores which page it is asked for would be asked for
// ever.
type bounded struct{ modregistry.Resolver }

// ResolveToRegistry implements [modregistry.Resolver].
func (b bounded) ResolveToRegistry(path, version string) (modregistry.RegistryLocation, error) {
	loc, err := b.Resolver.ResolveToRegistry(path, version)
	if err == nil {
		loc.Registry = listing{loc.Registry}
	}
	return loc, err
}

type listing struct{ ociregistry.Interface }

// Repositories implements [ociregistry.Lister].
func (l listing) Repositories(ctx context.Context, after string) iter.Seq2[string, error] {
	return once(l.Interface.Repositories(ctx, after), func(repo string) string { return "repository " + repo })
}

// Tags implements [ociregistry.Lister].
func (l listing) Tags(ctx context.Context, repo, after string) iter.Seq2[string, error] {
	return once(l.Interface.Tags(ctx, repo, after), func(tag string) string { return "tag " + tag })
}

// Referrers implements [ociregistry.Lister].
func (l listing) Referrers(ctx context.Context, repo string, digest ociregistry.Digest, artifactType string) iter.Seq2[ociregistry.Descriptor, error] {
	return once(l.Interface.Referrers(ctx, repo, digest, artifactType), func(d ociregistry.Descriptor) string { return "manifest " + string(d.Digest) })
}

// once is a list that ends with an error where something comes again, or too much.
func once[T any](all iter.Seq2[T, error], name func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		seen := map[string]bool{}
		for x, err := range all {
			switch is := name(x); {
			case err != nil:
			case seen[is]:
				err = fmt.Errorf("%w has %.200q again and again: it ignores which page it is asked for", ErrListing, is)
			case len(seen) == maxListed:
				err = fmt.Errorf("%w has more than %d entries", ErrListing, maxListed)
			default:
				seen[is] = true
			}
			if !yield(x, err) || err != nil {
				return
			}
		}
	}
}
