package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuelabs.dev/go/oci/ociregistry/ociserver"
	"cuelang.org/go/mod/modregistry"
	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	_ "kumiki.dev/internal/apart"
)

const component = `package component

// Hello greets. It does nothing else.
#Artifact: {
	ref: name: "hello"
	description: {
		srv: server: web: port: 8080
		config: {
			parameter: who: string
			scale: hsize: *1 | uint
		}
		code: hello: {
			image: tag: "ghcr.example/hello:1.2.0"
			mapping: env: WHO: parameter: "who"
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`

// writeFiles writes a directory.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
}

// publication says how to publish in the registry, signed.
func (b *broken) publication(t *testing.T) Publication {
	t.Helper()
	reg, _ := b.open(t, newCache(t))
	key, err := ReadKey("testdata/key.pem")
	require.NoError(t, err)
	return Publication{Resolver: b.resolver(t), Registry: reg, Key: key, Tool: "v0.1.0"}
}

// greeter is example.org/lib, ready to be pushed.
func greeter(t *testing.T, source string) *release {
	t.Helper()
	m, err := OpenModule(writeFiles(t, map[string]string{"cue.mod/module.cue": libFile, "hello/hello.cue": source}))
	require.NoError(t, err)
	r, err := Publication{Tool: "v0.1.0"}.prepare(context.Background(), m, lib, nil)
	require.NoError(t, err)
	return r
}

// registries are those that know of referrers, and those that do not.
var registries = map[string]*ociserver.Options{"referrers": nil, "tags": {DisableReferrersAPI: true}}

// whole requires that everything is said about the module, once.
func whole(t *testing.T, p Publication) {
	t.Helper()
	ctx := context.Background()
	at, err := locate(ctx, p.Resolver, lib)
	require.NoError(t, err)
	for _, kind := range []string{indexType, provenanceType, signatureType} {
		all, err := at.attached(ctx, kind)
		require.NoError(t, err)
		require.Len(t, all, 1, kind)
	}
	ix, err := attachedIndex(ctx, p.Resolver, lib)
	require.NoError(t, err)
	require.Equal(t, "Hello greets.", ix.Entries()[0].Description())
	require.NoError(t, Verify(ctx, p.Resolver, p.Registry, lib, keysOf(t, "testdata/key.pub")))
}

func keysOf(t *testing.T, name string) *Keys {
	t.Helper()
	keys, err := ReadKeys(name)
	require.NoError(t, err)
	return keys
}

// TestNothingHalf lets the registry die at each of the requests that a
// publication consists of, before it does what it is asked to and after. Then
// nothing is published, or all of it; and once the registry is back, publishing
// again succeeds.
func TestNothingHalf(t *testing.T) {
	t.Parallel()
	r := greeter(t, component)
	for name, options := range registries {
		for _, done := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", name, done), func(t *testing.T) {
				t.Parallel()
				died := 0
				for n := 1; ; n++ {
					b := newBrokenWith(t, options)
					p := b.publication(t)
					count, dead := 0, false
					b.breaks(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
						if r.Method != http.MethodGet && r.Method != http.MethodHead {
							count++
						}
						switch {
						case dead:
							http.Error(w, "down", http.StatusBadGateway)
						case count == n:
							dead = true
							if done {
								next.ServeHTTP(httptest.NewRecorder(), r)
							}
							http.Error(w, "down", http.StatusBadGateway)
						default:
							next.ServeHTTP(w, r)
						}
					})
					err := p.push(context.Background(), r)
					b.mended()
					if !dead {
						require.NoError(t, err)
						whole(t, p)
						break
					}
					died++
					require.Error(t, err, "request %d", n)
					versions, err := modregistry.NewClientWithResolver(p.Resolver).ModuleVersions(context.Background(), lib.Path())
					require.NoError(t, err)
					if len(versions) > 0 {
						require.True(t, done)
						whole(t, p)
						continue
					}
					require.NoError(t, p.push(context.Background(), r))
					whole(t, p)
				}
				require.Greater(t, died, 8)
			})
		}
	}
}

// TestLostAnswer loses the answer to the last request only: the module is
// published, and said to be.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	p, r := b.publication(t), greeter(t, component)
	b.breaks(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(w, r)
		if r.Method == http.MethodPut && r.URL.Path == "/v2/example.org/lib/manifests/v1.0.0" {
			panic(http.ErrAbortHandler)
		}
	})
	require.NoError(t, p.push(context.Background(), r))
	whole(t, p)
}

// TestSame publishes the same sources twice, to two registries: the same is pushed.
func TestSame(t *testing.T) {
	t.Parallel()
	var pushed []place
	for range 2 {
		b := newBroken(t)
		p, r := b.publication(t), greeter(t, component)
		require.NoError(t, p.push(context.Background(), r))
		at, err := locate(context.Background(), p.Resolver, lib)
		require.NoError(t, err)
		known, err := at.referrers(context.Background(), "")
		require.NoError(t, err)
		for _, d := range known {
			pushed = append(pushed, place{manifest: d})
		}
	}
	require.Len(t, pushed, 6)
	for i := range 3 {
		require.Equal(t, pushed[i].manifest.Digest, pushed[i+3].manifest.Digest)
	}
}

// TestProvenance reads what a module was made from.
func TestProvenance(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	p, r := b.publication(t), greeter(t, component)
	require.NoError(t, p.push(context.Background(), r))
	at, err := locate(context.Background(), p.Resolver, lib)
	require.NoError(t, err)
	all, err := at.attached(context.Background(), provenanceType)
	require.NoError(t, err)
	data, err := at.layer(context.Background(), all[0].Layers[0])
	require.NoError(t, err)
	var got Provenance
	require.NoError(t, json.Unmarshal(data, &got))
	require.Equal(t, statementType, got.Type)
	require.Equal(t, lib.String()+".zip", got.Subject[0].Name)
	archive, err := at.readManifest(context.Background(), at.manifest.Digest)
	require.NoError(t, err)
	require.Equal(t, archive.Layers[0].Digest.Encoded(), got.Subject[0].Digest["sha256"])
	if diff := cmp.Diff(map[string]string{"module": "example.org/lib@v1", "version": "v1.0.0"}, got.Predicate.BuildDefinition.ExternalParameters); diff != "" {
		t.Error(diff)
	}
	require.Equal(t, map[string]string{"kumiki": "v0.1.0"}, got.Predicate.RunDetails.Builder.Version)
}

// TestMirrored finds what is attached in a registry of any kind that a module
// was copied to, also when it is copied again.
func TestMirrored(t *testing.T) {
	t.Parallel()
	r := greeter(t, component)
	for from, fromOptions := range registries {
		for to, toOptions := range registries {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				src, dst := newBrokenWith(t, fromOptions), newBrokenWith(t, toOptions)
				p, q := src.publication(t), dst.publication(t)
				require.NoError(t, p.push(context.Background(), r))
				for range 2 {
					client := modregistry.NewClientWithResolver(p.Resolver)
					require.NoError(t, client.Mirror(context.Background(), modregistry.NewClientWithResolver(q.Resolver), lib))
					require.NoError(t, copyListed(context.Background(), p.Resolver, q.Resolver, lib))
					whole(t, q)
				}
			})
		}
	}
}

// TestOtherAnswers attaches in registries that do not know of referrers and do
// not say so as OCI asks them to.
func TestOtherAnswers(t *testing.T) {
	t.Parallel()
	r := greeter(t, component)
	for _, status := range []int{http.StatusBadRequest, http.StatusMethodNotAllowed, http.StatusNotImplemented} {
		b := newBrokenWith(t, registries["tags"])
		b.breaks(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			if strings.Contains(r.URL.Path, "/referrers/") {
				http.Error(w, "what?", status)
				return
			}
			next.ServeHTTP(w, r)
		})
		p := b.publication(t)
		require.NoError(t, p.push(context.Background(), r), status)
		whole(t, p)
	}
}
