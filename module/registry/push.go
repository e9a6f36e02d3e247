package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	"github.com/opencontainers/go-digest"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/modsource"
	"kumiki.dev/module/catalog"
)

// release is all that is pushed.
type release struct {
	version  module.Version
	archive  []byte
	metadata *modregistry.Metadata
	said     []attachment
}

// prepare makes the archive, its index and its provenance.
func (p Publication) prepare(ctx context.Context, m *Module, v module.Version, selected []module.Version) (*release, error) {
	archive, err := modsource.Archive(v, m.Dir)
	if err != nil {
		return nil, err
	}
	listed, problems := catalog.Of(ctx, m.Dir, v.Version(), compiler.TextsOf(ctx))
	if listed == nil || problems.HasErrors() {
		return nil, fmt.Errorf("the artifacts can't be listed: %s", problems[0].Message)
	}
	index, err := catalog.New(*listed).Bytes()
	if err != nil {
		return nil, err
	}
	c := commitOf(ctx, m.Dir)
	sum := digest.FromBytes(archive)
	provenance, err := p.provenance(ctx, v, sum.Encoded(), selected, c)
	if err != nil {
		return nil, err
	}
	return &release{v, archive, c.metadata(), []attachment{
		{kind: indexType, layer: indexType, data: index},
		{kind: provenanceType, layer: provenanceType, data: provenance},
	}}, nil
}

// push pushes a release and reads it back: who publishes the same version at
// the same time gets it, or an error, but never half of each. The tag is the
// last that is pushed, so before it nothing is published, and after it all of it.
func (p Publication) push(ctx context.Context, r *release) error {
	var manifest digest.Digest
	to := &attaching{Resolver: p.Resolver, say: func(ctx context.Context, at *place) error {
		manifest = at.manifest.Digest
		return p.say(ctx, at, r)
	}}
	client := modregistry.NewClientWithResolver(to)
	err := client.PutModuleWithMetadata(ctx, r.version, bytes.NewReader(r.archive), int64(len(r.archive)), r.metadata)
	if to.failed != nil {
		err = to.failed
	}
	at, readErr := locate(ctx, p.Resolver, r.version)
	switch {
	case readErr == nil && at.manifest.Digest == manifest:
		return p.compare(ctx, at, r) // even if the answer to the last request was lost
	case errors.Is(err, errOther):
		return fmt.Errorf("%s: %w, and nothing of this was published; compare, and take the next version", r.version, errOther)
	case err != nil:
		return fmt.Errorf("%s can't be pushed, nothing is published: %w", r.version, err)
	case readErr != nil:
		return fmt.Errorf("%s was pushed and can't be read back: %w", r.version, readErr)
	}
	return otherPublisher(r.version)
}

func otherPublisher(v module.Version) error {
	return fmt.Errorf("%s is not what was pushed: %w; compare, and take the next version", v, errOther)
}

// say attaches all that is said about a release to its manifest.
func (p Publication) say(ctx context.Context, at *place, r *release) error {
	all := r.said
	if p.Key != nil {
		signature, err := p.Key.signature(r.version, at.manifest.Digest)
		if err != nil {
			return err
		}
		all = append(slices.Clip(all), signature)
	}
	for _, a := range all {
		if err := at.attach(ctx, a); err != nil {
			return err
		}
	}
	// A last look, as late as can be: registries replace a tag without a word.
	switch now, err := locate(ctx, p.Resolver, r.version); {
	case err == nil && now.manifest.Digest != at.manifest.Digest:
		return errOther
	case err != nil && !errors.Is(err, errUnpublished):
		return err
	}
	return nil
}

// errOther says that somebody else published the same version.
var errOther = errors.New("somebody else published it at the same time")

// compare reads back the archive that the published manifest names.
func (p Publication) compare(ctx context.Context, at *place, r *release) error {
	pushed, err := modregistry.NewClientWithResolver(p.Resolver).GetModuleWithManifest(r.version, at.contents, at.manifest.MediaType)
	if err != nil {
		return fmt.Errorf("%s was pushed and can't be read back: %w", r.version, err)
	}
	z, err := pushed.GetZip(ctx)
	if err != nil {
		return fmt.Errorf("%s was pushed and can't be read back: %w", r.version, err)
	}
	defer z.Close()
	got, err := io.ReadAll(io.LimitReader(z, int64(len(r.archive))+1))
	if err != nil {
		return fmt.Errorf("%s was pushed and can't be read back: %w", r.version, err)
	}
	if !bytes.Equal(got, r.archive) {
		return otherPublisher(r.version)
	}
	return nil
}
