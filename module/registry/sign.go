package registry

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	"cuelang.org/go/mod/modzip"
	"github.com/opencontainers/go-digest"
	oci "github.com/opencontainers/image-spec/specs-go/v1"

	"kumiki.dev/load"
)

// A signature is one of cosign's, which it calls a simple signing: a text that
// names the manifest, and the signature of the text. cosign reads what kumiki
// signs and the reverse.
const (
	signatureType = "application/vnd.dev.cosign.artifact.sig.v1+json"
	signedType    = "application/vnd.dev.cosign.simplesigning.v1+json"
	signatureNote = "dev.cosignproject.cosign/signature"
	signedWhat    = "cosign container image signature"

	// signedModule is what a signature says beyond cosign: which version of which
	// module it is. The manifest does not, so without it an old version could be
	// shown as a new one.
	signedModule = "dev.kumiki.module"
)

// signed is the text that is signed.
type signed struct {
	Critical struct {
		Identity struct {
			Reference string `json:"docker-reference"`
		} `json:"identity"`
		Image struct {
			Digest digest.Digest `json:"docker-manifest-digest"`
		} `json:"image"`
		Type string `json:"type"`
	} `json:"critical"`
	Optional map[string]any `json:"optional"`
}

// signatureTag is where cosign looks for signatures without asking for referrers.
func signatureTag(d digest.Digest) string { return referrersTag(d) + ".sig" }

// signature signs the manifest of a module.
func (k *Key) signature(v module.Version, manifest digest.Digest) (attachment, error) {
	var text signed
	text.Critical.Identity.Reference = v.BasePath()
	text.Critical.Image.Digest = manifest
	text.Critical.Type = signedWhat
	text.Optional = map[string]any{signedModule: v.String()}
	data, err := json.Marshal(text)
	if err != nil {
		return attachment{}, err
	}
	a, err := k.signed(data)
	a.tag = signatureTag(manifest)
	return a, err
}

// signed is a text with its signature.
func (k *Key) signed(text []byte) (attachment, error) {
	made, err := k.sign(text)
	return attachment{
		kind: signatureType, config: signatureType, layer: signedType, data: text,
		annotations: map[string]string{signatureNote: base64.StdEncoding.EncodeToString(made)},
	}, err
}

// Verify reports whether a published version of a module is signed with one of
// the keys, and whether what the registry keeps for it, and the cache has, is
// what was signed.
func Verify(ctx context.Context, resolver modregistry.Resolver, reg Registry, v module.Version, keys *Keys) error {
	p, err := locate(ctx, resolver, v)
	if err != nil {
		return err
	}
	if err := p.verify(ctx, v, keys); err != nil {
		return err
	}
	return p.same(ctx, resolver, reg, v)
}

// verify looks for a signature of the manifest. If none is good, the error is
// that of the one that comes nearest.
func (p *place) verify(ctx context.Context, v module.Version, keys *Keys) error {
	signatures, err := p.signatures(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", v, err)
	}
	if len(signatures) == 0 {
		return fmt.Errorf("%s is not signed: ask its publisher to publish the next version with --sign", v)
	}
	var nearest error
	for _, layer := range signatures {
		text, err := p.layer(ctx, layer)
		if err != nil {
			return fmt.Errorf("%s: its signature: %w", v, err)
		}
		made, err := base64.StdEncoding.DecodeString(layer.Annotations[signatureNote])
		if err != nil || !keys.made(text, made) {
			continue
		}
		if nearest = p.about(v, text); nearest == nil {
			return nil
		}
	}
	if nearest != nil {
		return nearest
	}
	return fmt.Errorf("%s is signed, but not with a key in %s: ask its publisher for the key, and how it came to be another one", v, keys.name)
}

// signatures are the layers of all signatures of the manifest.
func (p *place) signatures(ctx context.Context) ([]oci.Descriptor, error) {
	manifests, err := p.attached(ctx, signatureType)
	if err != nil {
		return nil, err
	}
	r, err := p.Registry.GetTag(ctx, p.Repository, signatureTag(p.manifest.Digest))
	switch {
	case absent(err):
	case err != nil:
		return nil, fmt.Errorf("its signatures can't be read: %w", err)
	default:
		m, _, err := parseManifest(r, "")
		if err != nil {
			return nil, err
		}
		manifests = append(manifests, *m)
	}
	var out []oci.Descriptor
	for _, m := range manifests {
		for _, layer := range m.Layers {
			if layer.MediaType == signedType {
				out = append(out, layer)
			}
		}
	}
	return out, nil
}

// about reports whether a text that was signed with a good key is about the module.
func (p *place) about(v module.Version, text []byte) error {
	var s signed
	if err := json.Unmarshal(text, &s); err != nil || s.Critical.Type != signedWhat {
		return fmt.Errorf("%s: what is signed for it is no signature of a module", v)
	}
	said, _ := s.Optional[signedModule].(string)
	switch {
	case said == "":
		return fmt.Errorf("%s: its signature does not say which module and version it is of; sign with kumiki publish --sign, or with cosign sign -a %s=%s", v, signedModule, v)
	case said != v.String():
		return fmt.Errorf("%s: its signature is that of %.100q: somebody put it there, do not use the module", v, said)
	case s.Critical.Image.Digest != p.manifest.Digest:
		return fmt.Errorf("%s is not what was signed: the signature is of %s, found %s; somebody altered it, do not use it", v, s.Critical.Image.Digest, p.manifest.Digest)
	}
	return nil
}

// same compares what is fetched for a module, which may come from a cache, with
// the archive that its manifest names.
func (p *place) same(ctx context.Context, resolver modregistry.Resolver, reg Registry, v module.Version) error {
	m, err := modregistry.NewClientWithResolver(resolver).GetModuleWithManifest(v, p.contents, p.manifest.MediaType)
	if err != nil {
		return err
	}
	r, err := m.GetZip(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", v, err)
	}
	archive, err := io.ReadAll(io.LimitReader(r, modzip.MaxZipFile+1))
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("%s: %w", v, err)
	}
	var manifest oci.Manifest
	if err := json.Unmarshal(p.contents, &manifest); err != nil || len(manifest.Layers) == 0 || digest.FromBytes(archive) != manifest.Layers[0].Digest {
		return fmt.Errorf("%s: its archive is not what its manifest says; somebody altered it, do not use it", v)
	}
	z, _, _, err := modzip.CheckZip(v, bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return fmt.Errorf("%s: %w", v, err)
	}
	files, err := fetch(ctx, reg, v)
	if err != nil {
		return err
	}
	want, err := load.ModuleDigest(z)
	if err != nil {
		return fmt.Errorf("%s: %w", v, err)
	}
	got, err := load.ModuleDigest(files)
	if err != nil {
		return fmt.Errorf("%s: %w", v, err)
	}
	if got != want {
		return fmt.Errorf("%s in the cache is not what was signed: remove it there (CUE_CACHE_DIR says where that is)", v)
	}
	return nil
}

// Verified is the registry of a name, as for [Resolver], that fetches nothing that
// is not signed with one of the keys.
func Verified(reg Registry, name string, keys *Keys) (Registry, error) {
	resolver, err := Resolver(name)
	if err != nil {
		return nil, err
	}
	return verified{reg, resolver, keys, map[module.Version]bool{}}, nil
}

type verified struct {
	Registry
	resolver modregistry.Resolver
	keys     *Keys
	done     map[module.Version]bool
}

// Fetch implements [Registry].
func (r verified) Fetch(ctx context.Context, v module.Version) (module.SourceLoc, error) {
	if !r.done[v] {
		if err := Verify(ctx, r.resolver, r.Registry, v, r.keys); err != nil {
			return module.SourceLoc{}, err
		}
		r.done[v] = true
	}
	return r.Registry.Fetch(ctx, v)
}
