package registry

import (
	"context"
	"io"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelang.org/go/mod/modregistry"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
)

// attaching resolves to the same places as another resolver, in registries in
// which a manifest appears under its tag once all that is said about it is
// there. It is pushed without a tag first, for others to refer to.
type attaching struct {
	modregistry.Resolver
	// say attaches what there is to say about a manifest.
	say func(ctx context.Context, p *place) error
	// failed is the first error of a push, whose kind CUE's client does not keep.
	failed error
}

// ResolveToRegistry implements [modregistry.Resolver].
func (a *attaching) ResolveToRegistry(path, version string) (modregistry.RegistryLocation, error) {
	loc, err := a.Resolver.ResolveToRegistry(path, version)
	if err == nil {
		loc.Registry = attachingTo{loc.Registry, loc, a}
	}
	return loc, err
}

// attachingTo is the registry of a place that was resolved to.
type attachingTo struct {
	ociregistry.Interface
	loc modregistry.RegistryLocation // in the plain registry
	all *attaching
}

// PushBlob implements [ociregistry.Writer].
func (a attachingTo) PushBlob(ctx context.Context, repository string, d oci.Descriptor, r io.Reader) (oci.Descriptor, error) {
	d, err := a.Interface.PushBlob(ctx, repository, d, r)
	return d, a.keep(err)
}

// PushManifest implements [ociregistry.Writer].
func (a attachingTo) PushManifest(ctx context.Context, repository, tag string, contents []byte, mediaType string) (oci.Descriptor, error) {
	d, err := a.Interface.PushManifest(ctx, repository, "", contents, mediaType)
	if err != nil || tag == "" {
		return d, a.keep(err)
	}
	if err := a.all.say(ctx, &place{RegistryLocation: a.loc, manifest: d}); err != nil {
		return d, a.keep(err)
	}
	d, err = a.Interface.PushManifest(ctx, repository, tag, contents, mediaType)
	return d, a.keep(err)
}

// keep keeps the first error.
func (a attachingTo) keep(err error) error {
	if a.all.failed == nil {
		a.all.failed = err
	}
	return err
}
