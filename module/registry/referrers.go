package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	oci "github.com/opencontainers/image-spec/specs-go/v1"

	"kumiki.dev/internal/filter"
)

// maxAttached bounds what is read of a thing attached to a module.
const maxAttached = 16 << 20

// attachment is something that is said about a module: an OCI manifest of its
// own with one layer, whose subject is the module's manifest.
type attachment struct {
	kind        string            // its artifact type
	config      string            // media type of the config, "" for none
	layer       string            // media type of the layer
	data        []byte            // the layer
	annotations map[string]string // of the layer
	tag         string            // a name beside its digest, "" for none
}

// place is a manifest in a registry.
type place struct {
	modregistry.RegistryLocation
	manifest oci.Descriptor
	contents []byte
}

// errUnpublished says that a version of a module is not there.
var errUnpublished = errors.New("is not published")

// locate finds the manifest of a published module.
func locate(ctx context.Context, resolver modregistry.Resolver, v module.Version) (*place, error) {
	loc, err := resolver.ResolveToRegistry(v.BasePath(), v.Version())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v, err)
	}
	contents, err := tagged(ctx, loc)
	if absent(err) {
		return nil, fmt.Errorf("%s %w", v, errUnpublished)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", v, err)
	}
	d := oci.Descriptor{MediaType: oci.MediaTypeImageManifest, Digest: digest.FromBytes(contents), Size: int64(len(contents))}
	return &place{loc, d, contents}, nil
}

// tagged reads the manifest under a tag. Registries that keep tags in files may answer
// with a 500 while another client writes the same tag. After such an answer, tagged asks
// again, three times in all.
func tagged(ctx context.Context, loc modregistry.RegistryLocation) ([]byte, error) {
	for wait := 100 * time.Millisecond; ; wait *= 2 {
		r, err := loc.Registry.GetTag(ctx, loc.Repository, loc.Tag)
		if err == nil {
			return readAll(r)
		}
		var answer ociregistry.HTTPError
		if !errors.As(err, &answer) || answer.StatusCode() < http.StatusInternalServerError || wait > 200*time.Millisecond {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(wait):
		}
	}
}

// absent reports whether the error of a registry says that something is not there.
func absent(err error) bool {
	for _, known := range []error{ociregistry.ErrManifestUnknown, ociregistry.ErrNameUnknown, ociregistry.ErrBlobUnknown} {
		if errors.Is(err, known) {
			return true
		}
	}
	var answer ociregistry.HTTPError
	return errors.As(err, &answer) && answer.StatusCode() == http.StatusNotFound
}

func readAll(r ociregistry.BlobReader) ([]byte, error) {
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxAttached+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxAttached {
		return nil, fmt.Errorf("%s has more than %d bytes", r.Descriptor().Digest, maxAttached)
	}
	return data, nil
}

// attach pushes an attachment of the manifest, and makes it be found there.
func (p *place) attach(ctx context.Context, a attachment) error {
	empty := []byte("{}")
	config := oci.Descriptor{MediaType: oci.MediaTypeEmptyJSON, Digest: digest.FromBytes(empty), Size: int64(len(empty))}
	if a.config != "" {
		config.MediaType = a.config
	}
	layer := oci.Descriptor{MediaType: a.layer, Digest: digest.FromBytes(a.data), Size: int64(len(a.data)), Annotations: a.annotations}
	if err := p.put(ctx, config, empty); err != nil {
		return err
	}
	if err := p.put(ctx, layer, a.data); err != nil {
		return err
	}
	subject := p.manifest
	contents, err := json.Marshal(oci.Manifest{
		Versioned:    specs.Versioned{SchemaVersion: 2},
		MediaType:    oci.MediaTypeImageManifest,
		ArtifactType: a.kind,
		Config:       config,
		Layers:       []oci.Descriptor{layer},
		Subject:      &subject,
	})
	if err != nil {
		return err
	}
	if _, err := p.Registry.PushManifest(ctx, p.Repository, a.tag, contents, oci.MediaTypeImageManifest); err != nil {
		return err
	}
	return p.list(ctx, oci.Descriptor{MediaType: oci.MediaTypeImageManifest, ArtifactType: a.kind, Digest: digest.FromBytes(contents), Size: int64(len(contents))})
}

// put pushes a blob.
func (p *place) put(ctx context.Context, d oci.Descriptor, data []byte) error {
	_, err := p.Registry.PushBlob(ctx, p.Repository, d, bytes.NewReader(data))
	return err
}

// list makes sure that an attachment is found. A registry that knows of
// referrers does so by itself; for others OCI has a tag with an index of them,
// which clients write. Another client may write it at the same time, so what was
// written is looked at, and tried again.
func (p *place) list(ctx context.Context, d oci.Descriptor) error {
	for range 3 {
		known, err := p.referrers(ctx, "")
		if err != nil {
			return err
		}
		if filter.Any(known, func(k oci.Descriptor) bool { return k.Digest == d.Digest }) {
			return nil
		}
		contents, err := json.Marshal(oci.Index{
			Versioned: specs.Versioned{SchemaVersion: 2},
			MediaType: oci.MediaTypeImageIndex,
			Manifests: append(known, d),
		})
		if err != nil {
			return err
		}
		if _, err := p.Registry.PushManifest(ctx, p.Repository, referrersTag(p.manifest.Digest), contents, oci.MediaTypeImageIndex); err != nil {
			return err
		}
	}
	return fmt.Errorf("the registry does not list %s as attached to %s", d.Digest, p.manifest.Digest)
}

// referrersTag is the tag of the index of what is attached to a manifest.
func referrersTag(d digest.Digest) string { return d.Algorithm().String() + "-" + d.Encoded() }

// referrers are the descriptors of what is attached, of one kind or, for "", of
// all. What names itself twice is listed once.
func (p *place) referrers(ctx context.Context, kind string) ([]oci.Descriptor, error) {
	var out []oci.Descriptor
	for d, err := range p.Registry.Referrers(ctx, p.Repository, p.manifest.Digest, kind) {
		if absent(err) {
			continue
		}
		if unsupported(err) {
			return p.index(ctx, kind)
		}
		if err != nil {
			return nil, fmt.Errorf("what is attached to %s can't be read: %w", p.manifest.Digest, err)
		}
		if !filter.Any(out, func(o oci.Descriptor) bool { return o.Digest == d.Digest }) {
			out = append(out, d)
		}
	}
	return out, nil
}

// unsupported reports whether a registry does not know of referrers and says so
// otherwise than OCI asks it to, which is by 404.
func unsupported(err error) bool {
	var answer ociregistry.HTTPError
	if !errors.As(err, &answer) {
		return false
	}
	switch answer.StatusCode() {
	case http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusNotImplemented:
		return true
	}
	return false
}

// index are the referrers that the index under the tag has.
func (p *place) index(ctx context.Context, kind string) ([]oci.Descriptor, error) {
	r, err := p.Registry.GetTag(ctx, p.Repository, referrersTag(p.manifest.Digest))
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("what is attached to %s can't be read: %w", p.manifest.Digest, err)
	}
	contents, err := readAll(r)
	if err != nil {
		return nil, err
	}
	var index oci.Index
	if err := json.Unmarshal(contents, &index); err != nil {
		return nil, fmt.Errorf("the index of what is attached to %s: %w", p.manifest.Digest, err)
	}
	return filter.Out(index.Manifests, func(d oci.Descriptor) bool { return kind != "" && d.ArtifactType != kind }), nil
}

// attached reads the manifests that are attached, of one kind. What a registry
// lists and has another subject is none of them.
func (p *place) attached(ctx context.Context, kind string) ([]oci.Manifest, error) {
	known, err := p.referrers(ctx, kind)
	if err != nil {
		return nil, err
	}
	var out []oci.Manifest
	for _, d := range known {
		m, err := p.readManifest(ctx, d.Digest)
		if err != nil {
			return nil, err
		}
		if m.Subject != nil && m.Subject.Digest == p.manifest.Digest && m.ArtifactType == kind {
			out = append(out, *m)
		}
	}
	return out, nil
}

func (p *place) readManifest(ctx context.Context, want digest.Digest) (*oci.Manifest, error) {
	r, err := p.Registry.GetManifest(ctx, p.Repository, want)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", want, err)
	}
	m, _, err := parseManifest(r, want)
	return m, err
}

// parseManifest reads a manifest, which has the digest that it is wanted by.
func parseManifest(r ociregistry.BlobReader, want digest.Digest) (*oci.Manifest, []byte, error) {
	contents, err := readAll(r)
	if err != nil {
		return nil, nil, err
	}
	got := digest.FromBytes(contents)
	if want != "" && got != want {
		return nil, nil, fmt.Errorf("%s is not what the registry returns for it", want)
	}
	var m oci.Manifest
	if err := json.Unmarshal(contents, &m); err != nil {
		return nil, nil, fmt.Errorf("%s is no manifest: %w", got, err)
	}
	return &m, contents, nil
}

// layer reads a layer of an attachment.
func (p *place) layer(ctx context.Context, d oci.Descriptor) ([]byte, error) {
	if d.Size > maxAttached || d.Digest.Validate() != nil {
		return nil, fmt.Errorf("a layer of what is attached has %d bytes and the digest %q", d.Size, d.Digest)
	}
	r, err := p.Registry.GetBlob(ctx, p.Repository, d.Digest)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Digest, err)
	}
	data, err := readAll(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.Digest, err)
	}
	if digest.FromBytes(data) != d.Digest {
		return nil, fmt.Errorf("%s is not what the registry returns for it", d.Digest)
	}
	return data, nil
}
