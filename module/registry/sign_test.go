package registry

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	oci "github.com/opencontainers/image-spec/specs-go/v1"
	"github.com/stretchr/testify/require"
)

// TestVerify tells in words what is wrong with a signature.
func TestVerify(t *testing.T) {
	t.Parallel()
	r := greeter(t, component)
	altered := greeter(t, strings.Replace(component, "1.2.0", "6.6.6", 1))
	tests := map[string]struct {
		unsigned bool
		keys     string
		change   func(t *testing.T, b *broken, p Publication, at *place)
		want     string // "" if it is good
	}{
		"good":       {},
		"many keys":  {keys: "testdata/both.pub"},
		"not signed": {unsigned: true, want: "example.org/lib@v1.0.0 is not signed: ask its publisher"},
		"wrong key":  {keys: "testdata/other.pub", want: "is signed, but not with a key in testdata/other.pub"},
		"altered, signature left behind": {
			change: func(t *testing.T, _ *broken, p Publication, at *place) {
				put(t, p, altered)
			},
			want: "example.org/lib@v1.0.0 is not signed",
		},
		"altered, signature taken along": {
			change: func(t *testing.T, _ *broken, p Publication, at *place) {
				signature := take(t, at)
				require.NoError(t, put(t, p, altered).attach(context.Background(), signature))
			},
			want: "example.org/lib@v1.0.0 is not what was signed: the signature is of sha256:",
		},
		"the signature of another module": {
			change: func(t *testing.T, _ *broken, p Publication, at *place) {
				signature, err := p.Key.signature(module.MustNewVersion("example.org/other@v1", "v1.0.0"), at.manifest.Digest)
				require.NoError(t, err)
				require.NoError(t, at.attach(context.Background(), signature))
			},
			unsigned: true, want: `its signature is that of "example.org/other@v1.0.0": somebody put it there`,
		},
		"the signature of another version": {
			change: func(t *testing.T, _ *broken, p Publication, at *place) {
				signature, err := p.Key.signature(module.MustNewVersion("example.org/lib@v1", "v1.9.0"), at.manifest.Digest)
				require.NoError(t, err)
				require.NoError(t, at.attach(context.Background(), signature))
			},
			unsigned: true, want: `its signature is that of "example.org/lib@v1.9.0"`,
		},
		"a signature that does not say of what": {
			change: func(t *testing.T, _ *broken, p Publication, at *place) {
				var text signed
				text.Critical.Image.Digest, text.Critical.Type = at.manifest.Digest, signedWhat
				attachSigned(t, p, at, text)
			},
			unsigned: true, want: "does not say which module and version it is of; sign with kumiki publish --sign, or with cosign sign -a dev.kumiki.module=example.org/lib@v1.0.0",
		},
		"something else that was signed": {
			change: func(t *testing.T, _ *broken, p Publication, at *place) {
				attachSigned(t, p, at, map[string]string{"hello": "world"})
			},
			unsigned: true, want: "what is signed for it is no signature of a module",
		},
		"one good among bad ones": {
			change: func(t *testing.T, _ *broken, p Publication, at *place) {
				attachSigned(t, p, at, map[string]string{"hello": "world"})
			},
		},
		"blob of the signature altered": {
			change: func(_ *testing.T, b *broken, _ Publication, _ *place) {
				b.breaks(onBlobs(func(d []byte) []byte { return bytes.ReplaceAll(d, []byte("example"), []byte("evil.xy")) }))
			},
			want: "example.org/lib@v1.0.0: its signature: ",
		},
		"cache altered": {
			change: func(t *testing.T, _ *broken, p Publication, _ *place) {
				root, err := rootOf(context.Background(), p.Registry, lib)
				require.NoError(t, err)
				name := filepath.Join(root, "hello", "hello.cue")
				require.NoError(t, os.Chmod(name, 0o644))
				require.NoError(t, os.WriteFile(name, []byte("package component\n"), 0o644))
			},
			want: "in the cache is not what was signed",
		},
		"credentials": {
			change: func(_ *testing.T, b *broken, _ Publication, _ *place) {
				b.breaks(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
					http.Error(w, "no", http.StatusUnauthorized)
				})
			},
			want: "401",
		},
	}
	for name, test := range tests {
		for kind, options := range registries {
			t.Run(name+"/"+kind, func(t *testing.T) {
				t.Parallel()
				b := newBrokenWith(t, options)
				p := b.publication(t)
				first := p
				if test.unsigned {
					first.Key = nil
				}
				at := put(t, first, r)
				if test.change != nil {
					test.change(t, b, p, at)
				}
				keys := "testdata/key.pub"
				if test.keys != "" {
					keys = test.keys
				}
				err := Verify(context.Background(), p.Resolver, p.Registry, lib, keysOf(t, keys))
				if test.want == "" {
					require.NoError(t, err)
					return
				}
				require.ErrorContains(t, err, test.want)
			})
		}
	}
}

// put pushes a release with its signature, or replaces what is there by it, as
// nobody should.
func put(t *testing.T, p Publication, r *release) *place {
	t.Helper()
	if _, err := locate(context.Background(), p.Resolver, lib); err == nil {
		client := modregistry.NewClientWithResolver(p.Resolver)
		require.NoError(t, client.PutModule(context.Background(), r.version, bytes.NewReader(r.archive), int64(len(r.archive))))
	} else {
		require.NoError(t, p.push(context.Background(), &release{version: r.version, archive: r.archive}))
	}
	at, err := locate(context.Background(), p.Resolver, lib)
	require.NoError(t, err)
	return at
}

// take is the signature of a manifest, to be put elsewhere.
func take(t *testing.T, at *place) attachment {
	t.Helper()
	layers, err := at.signatures(context.Background())
	require.NoError(t, err)
	data, err := at.layer(context.Background(), layers[0])
	require.NoError(t, err)
	return attachment{kind: signatureType, config: signatureType, layer: signedType, data: data, annotations: layers[0].Annotations}
}

// attachSigned signs a text that no publisher signs.
func attachSigned(t *testing.T, p Publication, at *place, text any) {
	t.Helper()
	data, err := json.Marshal(text)
	require.NoError(t, err)
	a, err := p.Key.signed(data)
	require.NoError(t, err)
	require.NoError(t, at.attach(context.Background(), a))
}

// TestVerified gets nothing that is not signed, and writes nothing then.
func TestVerified(t *testing.T) {
	t.Parallel()
	r := greeter(t, component)
	b := newBroken(t)
	p := b.publication(t)
	put(t, p, r)
	for _, keys := range []string{"testdata/other.pub", "testdata/key.pub"} {
		dir := t.TempDir()
		m, err := Init(dir, "example.com/shop@v0")
		require.NoError(t, err)
		before := read(t, dir)
		_, err = m.Get(context.Background(), verified{p.Registry, p.Resolver, keysOf(t, keys), map[module.Version]bool{}}, "example.org/lib@v1")
		if keys == "testdata/key.pub" {
			require.NoError(t, err)
			require.FileExists(t, filepath.Join(dir, "kumiki.lock"))
			continue
		}
		require.ErrorContains(t, err, "not with a key in")
		require.Equal(t, before, read(t, dir))
	}
}

// TestKeys reads keys that are none.
func TestKeys(t *testing.T) {
	t.Parallel()
	private := map[string]string{
		"testdata/key.pub":    "has no private key in PEM",
		"testdata/rsa.pem":    "has a key of another kind, expected ECDSA on P-256",
		"testdata/locked.pem": "the key is encrypted",
		"testdata/cosign.key": "the key is encrypted",
		"sign_test.go":        "has no private key in PEM",
	}
	for name, want := range private {
		_, err := ReadKey(name)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "openssl genpkey")
	}
	for name, want := range map[string]string{
		"testdata/key.pem": `has a "PRIVATE KEY", expected a PUBLIC KEY`,
		"testdata/rsa.pub": "has a key of another kind",
		"sign_test.go":     "has no public key in PEM",
	} {
		_, err := ReadKeys(name)
		require.ErrorContains(t, err, want)
	}
	_, err := ReadKeys("testdata/absent")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

// TestForeign lists nothing as attached that has another subject, whatever the
// registry's index says.
func TestForeign(t *testing.T) {
	t.Parallel()
	r := greeter(t, component)
	b := newBrokenWith(t, registries["tags"])
	p := b.publication(t)
	at := put(t, p, r)
	known, err := at.referrers(context.Background(), signatureType)
	require.NoError(t, err)
	other := put(t, p, greeter(t, strings.Replace(component, "1.2.0", "6.6.6", 1)))
	index, err := json.Marshal(oci.Index{MediaType: oci.MediaTypeImageIndex, Manifests: known})
	require.NoError(t, err)
	_, err = other.Registry.PushManifest(context.Background(), other.Repository, referrersTag(other.manifest.Digest), index, oci.MediaTypeImageIndex)
	require.NoError(t, err)
	all, err := other.attached(context.Background(), signatureType)
	require.NoError(t, err)
	require.Empty(t, all)
}

// TestCosign takes a signature that cosign 2.6.1 made, with its own key.
func TestCosign(t *testing.T) {
	t.Parallel()
	const (
		text      = `{"critical":{"identity":{"docker-reference":"127.0.0.1:5789/modules/example.org/bare"},"image":{"docker-manifest-digest":"sha256:f3e3ff61a6c50d0b6f0f2cb3ab72da3db8ba0bc1b2e0e6dbf90eb4c2860cc8f3"},"type":"cosign container image signature"},"optional":{"dev.kumiki.module":"example.org/bare@v1.0.0"}}`
		signature = "MEYCIQDIaJMmdl6FaufcWNP2mnOfHoGvUNRmNTdnfUa9TCVDbgIhAKV8HXHJAyAWDwvXQQ4GWJUG2ydVTqHa0YNChwAi24Cd"
	)
	made, err := base64.StdEncoding.DecodeString(signature)
	require.NoError(t, err)
	keys := keysOf(t, "testdata/cosign.pub")
	require.True(t, keys.made([]byte(text), made))
	require.False(t, keys.made([]byte(strings.Replace(text, "f3e3", "f3e4", 1)), made))
	require.False(t, keysOf(t, "testdata/key.pub").made([]byte(text), made))
	p := &place{manifest: oci.Descriptor{Digest: "sha256:f3e3ff61a6c50d0b6f0f2cb3ab72da3db8ba0bc1b2e0e6dbf90eb4c2860cc8f3"}}
	require.NoError(t, p.about(module.MustNewVersion("example.org/bare@v1", "v1.0.0"), []byte(text)))
	require.Error(t, p.about(module.MustNewVersion("example.org/bare@v1", "v1.0.1"), []byte(text)))
}
