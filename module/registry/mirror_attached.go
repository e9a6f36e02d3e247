package registry

import (
	"context"
	"errors"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
)

// copyListed makes what is attached to a mirrored module be found in the other
// registry too. CUE's client has copied it, but in a registry that does not know
// of referrers it is listed by a tag, as the signature is for cosign. That another
// module has the name there is nothing that CUE's client tells: it is looked at
// here.
func copyListed(ctx context.Context, src, dst modregistry.Resolver, v module.Version) error {
	from, err := locate(ctx, src, v)
	if err != nil {
		return err
	}
	to, err := locate(ctx, dst, v)
	if err != nil {
		return err
	}
	if from.manifest.Digest != to.manifest.Digest {
		return errors.New("another module of that version is there already")
	}
	known, err := from.referrers(ctx, "")
	if err != nil {
		return err
	}
	for _, d := range known {
		if err := to.list(ctx, d); err != nil {
			return err
		}
	}
	return copySignatures(ctx, from, to)
}

// copySignatures copies the signatures that have a tag: those of cosign are not
// referrers, so that CUE's client has not copied them.
func copySignatures(ctx context.Context, from, to *place) error {
	tag := signatureTag(from.manifest.Digest)
	r, err := from.Registry.GetTag(ctx, from.Repository, tag)
	if absent(err) {
		return nil
	}
	if err != nil {
		return err
	}
	m, contents, err := parseManifest(r, "")
	if err != nil {
		return err
	}
	for _, d := range append([]oci.Descriptor{m.Config}, m.Layers...) {
		data, err := from.layer(ctx, d)
		if err != nil {
			return err
		}
		if err := to.put(ctx, d, data); err != nil {
			return err
		}
	}
	_, err = to.Registry.PushManifest(ctx, to.Repository, tag, contents, oci.MediaTypeImageManifest)
	return err
}
