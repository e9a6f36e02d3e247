package registry

import (
	"context"
	"errors"
	"fmt"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"

	"kumiki.dev/compiler"
	"kumiki.dev/module/catalog"
)

// indexType is the artifact type of a module's index.
const indexType = "application/vnd.kumiki.index.v1+json"

// errNoIndex says that no index is attached to a module.
var errNoIndex = errors.New("no index is attached")

// Index reads the index of a published module, without its sources. One that
// cue published has none: its sources are fetched and looked at.
func Index(ctx context.Context, resolver modregistry.Resolver, reg Registry, v module.Version) (*catalog.Index, error) {
	ix, err := attachedIndex(ctx, resolver, v)
	if !errors.Is(err, errNoIndex) {
		return ix, err
	}
	root, err := rootOf(ctx, reg, v)
	if err != nil {
		return nil, err
	}
	m, problems := catalog.Of(ctx, root, v.Version(), compiler.TextsOf(ctx))
	if m == nil || problems.HasErrors() {
		return nil, fmt.Errorf("%s has no index attached, and none can be made: %s", v, problems[0].Message)
	}
	return catalog.New(*m), nil
}

func attachedIndex(ctx context.Context, resolver modregistry.Resolver, v module.Version) (*catalog.Index, error) {
	p, err := locate(ctx, resolver, v)
	if err != nil {
		return nil, err
	}
	all, err := p.attached(ctx, indexType)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v, err)
	}
	for _, m := range all {
		if len(m.Layers) != 1 || m.Layers[0].MediaType != indexType {
			continue
		}
		data, err := p.layer(ctx, m.Layers[0])
		if err != nil {
			return nil, fmt.Errorf("%s: its index: %w", v, err)
		}
		ix, err := catalog.Read(data)
		if err != nil {
			return nil, fmt.Errorf("%s: what is attached as its index: %w", v, err)
		}
		if len(ix.Modules) == 1 && ix.Modules[0].Path == v.Path() && ix.Modules[0].Version == v.Version() {
			return ix, nil
		}
	}
	return nil, errNoIndex
}
