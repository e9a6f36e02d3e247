package modsource

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"cuelabs.dev/go/oci/ociregistry"
	"cuelang.org/go/mod/modcache"
	"cuelang.org/go/mod/modregistry"
	"cuelang.org/go/mod/module"
	"github.com/stretchr/testify/require"
)

// mirrored is a directory with one version of a module in an OCI layout.
func mirrored(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source := tree(t, map[string]string{"cue.mod/module.cue": "module: \"example.org/lib@v1\"\nlanguage: version: \"v0.12.0\"\n", "names.cue": "package lib\n\nname: \"lib\"\n"})
	v := module.MustNewVersion("example.org/lib@v1", "v1.2.0")
	zip, err := Archive(v, source)
	require.NoError(t, err)
	require.NoError(t, modregistry.NewClient(newDirectory(dir)).PutModule(t.Context(), v, strings.NewReader(string(zip)), int64(len(zip))))
	return dir
}

func served(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// TestTree reads a directory from a web server that lists nothing, as it is read on disk.
func TestTree(t *testing.T) {
	cache := t.TempDir()
	t.Cleanup(func() { _ = modcache.RemoveAll(cache) })
	t.Setenv("CUE_CACHE_DIR", cache)
	dir := mirrored(t)
	files := http.FileServer(http.Dir(dir))
	base := served(t, http.StripPrefix("/modules", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/") || r.Method != http.MethodGet {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		files.ServeHTTP(w, r)
	}))) + "/modules/"
	reg, err := Named(base)
	require.NoError(t, err)
	versions, err := reg.ModuleVersions(t.Context(), "example.org/lib")
	require.NoError(t, err)
	require.Equal(t, []string{"v1.2.0"}, versions)
	loc, err := reg.Fetch(t.Context(), module.MustNewVersion("example.org/lib@v1", "v1.2.0"))
	require.NoError(t, err)
	text, err := loc.FS.Open(path.Join(loc.Dir, "names.cue"))
	require.NoError(t, err)
	require.NoError(t, text.Close())
	_, err = reg.Fetch(t.Context(), module.MustNewVersion("example.org/lib@v1", "v1.3.0"))
	require.ErrorIs(t, err, modregistry.ErrNotFound)
	versions, err = reg.ModuleVersions(t.Context(), "example.org/absent")
	require.NoError(t, err)
	require.Empty(t, versions)

	resolver, err := Resolver(base)
	require.NoError(t, err)
	loc2, err := resolver.ResolveToRegistry("example.org/lib", "v1.4.0")
	require.NoError(t, err)
	_, err = loc2.Registry.PushBlob(t.Context(), "example.org/lib", ociregistry.Descriptor{}, strings.NewReader(""))
	require.ErrorContains(t, err, "is only read: publish or mirror to a directory")
}

// TestTreeRefuses checks what a web server may not do.
func TestTreeRefuses(t *testing.T) {
	dir := mirrored(t)
	files := http.FileServer(http.Dir(dir))
	other := served(t, files)
	tests := []struct {
		name string
		h    http.HandlerFunc
		want string
	}{
		{"another host", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other+r.URL.Path, http.StatusFound)
		}, "the server leads to " + other + ", which nobody asked for"},
		{"round and round", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "the server leads again and again"},
		{"a page for everything", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }, "oci-layout: invalid character"},
		{"out of order", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, "502"},
		{"another blob", func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/blobs/") {
				_, _ = w.Write([]byte("{}"))
				return
			}
			files.ServeHTTP(w, r)
		}, "is not what its name says"},
		{"without end", func(w http.ResponseWriter, _ *http.Request) {
			for w.Header().Set("Content-Type", "application/json"); ; {
				if _, err := w.Write([]byte(strings.Repeat(" ", 1<<16))); err != nil {
					return
				}
			}
		}, "is expected to have no more than 4194304 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			reg, err := newTree(served(t, tt.h))
			require.NoError(t, err)
			_, err = modregistry.NewClient(reg).GetModule(context.Background(), module.MustNewVersion("example.org/lib@v1", "v1.2.0"))
			require.ErrorContains(t, err, tt.want)
		})
	}
	for _, bad := range []string{"https://", "https://user:pass@example.org/", "https://example.org/?x=1", "http://[::1"} {
		_, err := newTree(bad)
		require.ErrorContains(t, err, "is no address of a directory of modules")
	}
}
