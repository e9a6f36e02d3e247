package registry

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelabs.dev/go/oci/ociregistry/ocimem"
	"cuelabs.dev/go/oci/ociregistry/ociserver"
	"cuelang.org/go/mod/modconfig"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/modregistrytest"
	"cuelang.org/go/mod/module"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/modsource"
)

// fault is what happens to an answer of the registry.
type fault func(http.ResponseWriter, *http.Request, http.Handler)

// broken is a registry in memory behind a fault that can be mended.
type broken struct {
	store ociregistry.Interface
	fault atomic.Pointer[fault]
	host  string
}

func newBroken(t *testing.T) *broken {
	t.Helper()
	return newBrokenWith(t, nil)
}

func newBrokenWith(t *testing.T, o *ociserver.Options) *broken {
	t.Helper()
	b := &broken{store: ocimem.New()}
	next := ociserver.New(b.store, o)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := b.fault.Load(); f != nil {
			(*f)(w, r, next)
			return
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	b.host = strings.TrimPrefix(server.URL, "http://")
	return b
}

func (b *broken) breaks(f fault) { b.fault.Store(&f) }
func (b *broken) mended()        { b.fault.Store(nil) }

// newCache returns a directory for CUE's cache, which is read-only.
func newCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Cleanup(func() {
		_ = filepath.WalkDir(dir, func(name string, _ fs.DirEntry, _ error) error { return os.Chmod(name, 0o777) })
	})
	return dir
}

// open returns the registry with a cache, as a new process sees it.
func (b *broken) open(t *testing.T, dir string) (Registry, *modregistry.Client) {
	t.Helper()
	reg, err := modconfig.NewRegistry(&modconfig.Config{Env: []string{"CUE_REGISTRY=" + b.host + "+insecure", "CUE_CACHE_DIR=" + dir, "HOME=" + dir}, Transport: modsource.Transport()})
	require.NoError(t, err)
	return modsource.Checked(reg), modregistry.NewClientWithResolver(b.resolver(t))
}

func (b *broken) resolver(t *testing.T) modregistry.Resolver {
	t.Helper()
	r, err := modconfig.NewResolver(&modconfig.Config{Env: []string{"CUE_REGISTRY=" + b.host + "+insecure", "HOME=" + t.TempDir()}, Transport: modsource.Transport()})
	require.NoError(t, err)
	return r
}

const libFile = "module: \"example.org/lib@v1\"\nlanguage: version: \"v0.12.0\"\n"

var lib = module.MustNewVersion("example.org/lib@v1", "v1.0.0")

// upload puts example.org/lib with the given source into the store.
func upload(t *testing.T, r ociregistry.Interface, source string) {
	t.Helper()
	require.NoError(t, modregistrytest.Upload(context.Background(), r, fstest.MapFS{
		"example.org_lib_v1.0.0/cue.mod/module.cue": {Data: []byte(libFile)},
		"example.org_lib_v1.0.0/lib.cue":            {Data: []byte(source)},
	}))
}

// onBlobs applies a change to the bytes of every blob that is read.
func onBlobs(change func([]byte) []byte) fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, "/blobs/") {
			next.ServeHTTP(w, r)
			return
		}
		answer := httptest.NewRecorder()
		next.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(change(answer.Body.Bytes()))
	}
}

// endless answers some requests without an end.
func endless(path string) fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !strings.Contains(r.URL.Path, path) || r.Method != http.MethodGet {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/vnd.oci.image.manifest.v1+json")
		w.Header().Set("Content-Length", fmt.Sprint(64<<20))
		for range 64 { // more than is read, and an end after all
			if _, err := w.Write(bytes.Repeat([]byte(" "), 1<<20)); err != nil {
				return
			}
		}
	}
}

// TestFaults breaks the registry in several ways: reading fails, and once it is
// mended the same cache has the module as it was published.
func TestFaults(t *testing.T) {
	t.Parallel()
	faults := map[string]struct {
		fault fault
		want  string // part of what is said
	}{
		"down": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { panic(http.ErrAbortHandler) }, "the registry can't be reached"},
		"out of order": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "no", http.StatusInternalServerError)
		}, "the registry is out of order"},
		"credentials": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "no", http.StatusUnauthorized)
		}, "log in again with cue login or docker login"},
		"not allowed": {func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "no", http.StatusForbidden)
		}, "example.org/lib"}, // many registries say so of what is not there
		"slow":      {func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }, "the registry takes too long"},
		"truncated": {onBlobs(func(b []byte) []byte { return b[:len(b)/2] }), "what came is not what the registry says it has"},
		"wrong bytes": {onBlobs(func(b []byte) []byte {
			b = bytes.Clone(b)
			b[len(b)/2] ^= 1
			return b
		}), "what came is not what the registry says it has"},
		"endless manifest": {endless("/manifests/"), "what came is not what the registry says it has"},
		"endless tags":     {endless("/tags/list"), "the registry sends more than there is reason to"},
	}
	for name, f := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBroken(t)
			upload(t, b.store, "package lib\n\nx: 1\n")
			cache := newCache(t)
			reg, _ := b.open(t, cache)
			m := &Module{Dir: t.TempDir()}
			_, err := Init(m.Dir, "example.com/shop@v0")
			require.NoError(t, err)
			m, err = OpenModule(m.Dir)
			require.NoError(t, err)
			before := read(t, m.Dir)

			b.breaks(f.fault)
			wait := time.Minute // and no other failure than the fault, however busy the machine is
			if name == "slow" {
				wait = time.Second
			}
			ctx, cancel := context.WithTimeout(context.Background(), wait)
			defer cancel()
			_, err = m.Get(ctx, reg, "example.org/lib@v1.0.0")
			require.Error(t, err)
			said := Explain(err).Error()
			require.Contains(t, said, "example.org/lib")
			require.Contains(t, said, f.want)
			require.NotContains(t, said, cache)
			require.Equal(t, before, read(t, m.Dir), "nothing is written")

			b.mended()
			reg, _ = b.open(t, cache)
			fresh, err := OpenModule(m.Dir)
			require.NoError(t, err)
			_, err = fresh.Get(context.Background(), reg, "example.org/lib@v1.0.0")
			require.NoError(t, err)
			files, err := fetch(context.Background(), reg, lib)
			require.NoError(t, err)
			text, err := fs.ReadFile(files, "lib.cue")
			require.NoError(t, err)
			require.Equal(t, "package lib\n\nx: 1\n", string(text))
		})
	}
}

// read returns all files of a directory.
func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		out[name] = string(text)
		return err
	}))
	return out
}

// TestTwoPublishers lets somebody else push the same version between what is
// pushed and the look at it.
func TestTwoPublishers(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	reg, client := b.open(t, newCache(t))
	dir := t.TempDir()
	m, err := Init(dir, "example.org/lib@v1")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "lib.cue"), []byte("package lib\n"), 0o644))
	archive, err := modsource.Archive(lib, m.Dir)
	require.NoError(t, err)
	b.breaks(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(w, r)
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "/manifests/v1.0.0") {
			upload(t, b.store, "package lib\n\nother: true\n")
		}
	})
	p := Publication{Resolver: b.resolver(t), Registry: reg}
	require.ErrorContains(t, p.push(context.Background(), &release{version: lib, archive: archive}), "somebody else published it at the same time")

	// One that comes before the tag is not replaced.
	early := newBroken(t)
	early.breaks(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPut && r.URL.Path == "/v2/example.org/lib/manifests/v1.0.0" {
			t.Error("the tag is pushed")
		}
		if r.Method == http.MethodPost {
			upload(t, early.store, "package lib\n\nother: true\n")
		}
		next.ServeHTTP(w, r)
	})
	err = early.publication(t).push(context.Background(), &release{version: lib, archive: archive})
	require.ErrorContains(t, err, "somebody else published it at the same time, and nothing of this was published")

	// A registry may not be able to read a tag while it is written.
	torn := newBroken(t)
	var failed atomic.Int32
	torn.breaks(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodGet && r.URL.Path == "/v2/example.org/lib/manifests/v1.0.0" && failed.Add(1)%3 != 0 {
			http.Error(w, "no", http.StatusInternalServerError)
			return
		}
		next.ServeHTTP(w, r)
	})
	require.NoError(t, torn.publication(t).push(context.Background(), &release{version: lib, archive: archive}))
	require.EqualValues(t, 6, failed.Load(), "the last look before the tag, and the first after it")

	// A push that breaks off has published nothing.
	b.breaks(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/manifests/") {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
	next := module.MustNewVersion("example.org/lib@v1", "v1.1.0")
	require.Error(t, p.push(context.Background(), &release{version: next, archive: archive}))
	b.mended()
	versions, err := client.ModuleVersions(context.Background(), "example.org/lib@v1")
	require.NoError(t, err)
	require.Equal(t, []string{"v1.0.0"}, versions)
}
