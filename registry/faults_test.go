package registry

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/opencontainers/go-digest"
	"github.com/stretchr/testify/require"
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
	b := &broken{store: ocimem.New()}
	next := ociserver.New(b.store, nil)
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
	cfg := &modconfig.Config{Env: []string{"CUE_REGISTRY=" + b.host + "+insecure", "CUE_CACHE_DIR=" + dir, "HOME=" + dir}}
	reg, err := modconfig.NewRegistry(cfg)
	require.NoError(t, err)
	resolver, err := modconfig.NewResolver(cfg)
	require.NoError(t, err)
	return reg, modregistry.NewClientWithResolver(resolver)
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

// TestFaults breaks the registry in several ways: reading fails, and once it is
// mended the same cache has the module as it was published.
func TestFaults(t *testing.T) {
	t.Parallel()
	faults := map[string]fault{
		"down": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) { panic(http.ErrAbortHandler) },
		"out of order": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "no", http.StatusInternalServerError)
		},
		"credentials": func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			http.Error(w, "no", http.StatusUnauthorized)
		},
		"slow":      func(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() },
		"truncated": onBlobs(func(b []byte) []byte { return b[:len(b)/2] }),
		"wrong bytes": onBlobs(func(b []byte) []byte {
			b = bytes.Clone(b)
			b[len(b)/2] ^= 1
			return b
		}),
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

			b.breaks(f)
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			_, _, err = m.Get(ctx, reg, "example.org/lib@v1.0.0")
			require.Error(t, err)
			require.Contains(t, err.Error(), "example.org/lib")
			require.Equal(t, before, read(t, m.Dir), "nothing is written")

			b.mended()
			reg, _ = b.open(t, cache)
			fresh, err := OpenModule(m.Dir)
			require.NoError(t, err)
			_, _, err = fresh.Get(context.Background(), reg, "example.org/lib@v1.0.0")
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
	archive, err := pack(m, lib)
	require.NoError(t, err)
	b.breaks(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(w, r)
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/manifests/") {
			upload(t, b.store, "package lib\n\nother: true\n")
		}
	})
	p := Publication{Client: client, Registry: reg}
	require.ErrorContains(t, p.push(context.Background(), lib, archive), "somebody else published it at the same time")

	// A push that breaks off has published nothing.
	b.breaks(func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method == http.MethodPut && strings.Contains(r.URL.Path, "/manifests/") {
			panic(http.ErrAbortHandler)
		}
		next.ServeHTTP(w, r)
	})
	next := module.MustNewVersion("example.org/lib@v1", "v1.1.0")
	require.Error(t, p.push(context.Background(), next, archive))
	b.mended()
	versions, err := client.ModuleVersions(context.Background(), "example.org/lib@v1")
	require.NoError(t, err)
	require.Equal(t, []string{"v1.0.0"}, versions)
}

// entry is a file of an archive that no honest publisher makes.
type entry struct {
	name    string
	mode    fs.FileMode
	content []byte
}

// TestArchives refuses archives that would write elsewhere, or too much.
func TestArchives(t *testing.T) {
	t.Parallel()
	tests := map[string][]entry{
		"out of the module":   {{"../../escaped.cue", 0o644, []byte("package x\n")}},
		"an absolute path":    {{"/tmp/escaped.cue", 0o644, []byte("package x\n")}},
		"names that fold":     {{"a.cue", 0o644, []byte("package x\n")}, {"A.cue", 0o644, []byte("package x\n")}},
		"another module file": {{"sub/cue.mod/module.cue", 0o644, []byte(libFile)}},
		"a backslash":         {{`..\escaped.cue`, 0o644, []byte("package x\n")}},
		"a bomb":              {{"bomb.cue", 0o644, make([]byte, 501<<20)}},
	}
	for name, entries := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBroken(t)
			pushRaw(t, b.store, entries)
			dir := newCache(t)
			reg, _ := b.open(t, dir)
			_, err := fetch(context.Background(), reg, lib)
			require.Error(t, err)
			t.Log(err)
			for file := range read(t, dir) {
				require.NotContains(t, file, "escaped")
				require.NotContains(t, file, "bomb.cue")
			}
			require.NoFileExists(t, "/tmp/escaped.cue")
		})
	}
}

// TestLink unpacks a link as the file that its text is.
func TestLink(t *testing.T) {
	t.Parallel()
	b := newBroken(t)
	pushRaw(t, b.store, []entry{{"link.cue", 0o777 | fs.ModeSymlink, []byte("/etc/passwd")}})
	dir := newCache(t)
	reg, _ := b.open(t, dir)
	_, err := fetch(context.Background(), reg, lib)
	require.NoError(t, err)
	info, err := os.Lstat(filepath.Join(dir, "mod/extract/example.org/lib@v1.0.0/link.cue"))
	require.NoError(t, err)
	require.True(t, info.Mode().IsRegular())
}

// pushRaw pushes an archive without the checks of an honest publisher.
func pushRaw(t *testing.T, r ociregistry.Interface, entries []entry) {
	t.Helper()
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for _, e := range append([]entry{{"cue.mod/module.cue", 0o644, []byte(libFile)}}, entries...) {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(h)
		require.NoError(t, err)
		_, err = w.Write(e.content)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	push := func(mediaType string, data []byte) ociregistry.Descriptor {
		d := ociregistry.Descriptor{MediaType: mediaType, Digest: digest.FromBytes(data), Size: int64(len(data))}
		_, err := r.PushBlob(context.Background(), "example.org/lib", d, bytes.NewReader(data))
		require.NoError(t, err)
		return d
	}
	manifest := map[string]any{
		"schemaVersion": 2,
		"mediaType":     "application/vnd.oci.image.manifest.v1+json",
		"config":        push("application/vnd.cue.module.v1+json", []byte("{}")),
		"layers": []any{
			push("application/zip", archive.Bytes()),
			push("application/vnd.cue.modulefile.v1", []byte(libFile)),
		},
	}
	data, err := json.Marshal(manifest)
	require.NoError(t, err)
	_, err = r.PushManifest(context.Background(), "example.org/lib", "v1.0.0", data, fmt.Sprint(manifest["mediaType"]))
	require.NoError(t, err)
}
