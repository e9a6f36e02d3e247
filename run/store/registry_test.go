package store_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/internal/registrytest"
	"kumiki.dev/run/store"
)

// logIn makes a login as docker login does.
func logIn(t *testing.T, host, password string) {
	t.Helper()
	dir := t.TempDir()
	text := fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, host, base64.StdEncoding.EncodeToString([]byte("kumiki:"+password)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(text), 0o600))
	t.Setenv("DOCKER_CONFIG", dir)
}

// trusting is TLS with the authority of a file.
func trusting(t *testing.T, file string) *tls.Config {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(text))
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

// TestRegistry: contents in a registry with TLS and a login are read by another server, and
// collected; one that is damaged, not allowed or away is told.
func TestRegistry(t *testing.T) {
	r := registrytest.Start(t, registrytest.Options{Password: "secret"})
	logIn(t, r.Host, "secret")
	at := store.Registry{Name: "oci://" + r.Host + "/team/kumiki", TLS: trusting(t, r.CA)}
	s := open(t, store.Options{Dir: t.TempDir(), Contents: at})
	_, err := s.Contents.Collect(t.Context(), nil, time.Hour)
	require.NoError(t, err, "nothing is there yet")
	kept, err := s.Contents.Put(t.Context(), []byte("kept"))
	require.NoError(t, err)
	gone, err := s.Contents.Put(t.Context(), []byte("gone"))
	require.NoError(t, err)
	again, err := s.Contents.Put(t.Context(), []byte("gone"))
	require.NoError(t, err)
	require.Equal(t, store.Digest([]byte("gone")), gone)
	require.Equal(t, gone, again)

	other := open(t, store.Options{Dir: t.TempDir(), Contents: at}) // whose records are lost
	data, err := other.Contents.Get(t.Context(), kept)
	require.NoError(t, err)
	require.Equal(t, "kept", string(data))

	for _, grace := range []time.Duration{time.Hour, -time.Second} {
		n, err := s.Contents.Collect(t.Context(), map[string]bool{kept: true}, grace)
		require.NoError(t, err)
		require.Equal(t, grace < 0, n == 1)
	}
	for digest, want := range map[string]bool{kept: true, gone: false, "no digest": false, store.Digest([]byte("other")): false} {
		there, err := s.Contents.Has(t.Context(), digest)
		require.NoError(t, err)
		require.Equal(t, want, there, digest)
	}
	_, err = s.Contents.Get(t.Context(), gone)
	require.ErrorIs(t, err, store.ErrNotFound)
	require.NoError(t, s.Contents.Remove(t.Context(), gone), "it is gone already")

	n, err := other.Contents.Collect(t.Context(), nil, time.Hour)
	require.NoError(t, err)
	require.Zero(t, n, "what no record is of is kept for an hour, too")
	n, err = other.Contents.Collect(t.Context(), nil, -time.Second)
	require.NoError(t, err)
	require.Equal(t, 1, n)

	kept, err = s.Contents.Put(t.Context(), []byte("kept"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(r.Blob(kept), []byte("KEPT"), 0o600))
	_, err = s.Contents.Get(t.Context(), kept)
	require.ErrorContains(t, err, kept+" in oci://"+r.Host+"/team/kumiki: it is damaged")
	require.NotErrorIs(t, err, store.ErrUnavailable, "asking again does not help")
	require.NoError(t, s.Contents.Remove(t.Context(), kept))

	logIn(t, r.Host, "wrong")
	_, err = open(t, store.Options{Dir: t.TempDir(), Contents: at}).Contents.Put(t.Context(), []byte("x"))
	require.ErrorIs(t, err, store.ErrUnavailable)
	require.ErrorContains(t, err, "docker login")
	at.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	_, err = open(t, store.Options{Dir: t.TempDir(), Contents: at}).Contents.Get(t.Context(), kept)
	require.ErrorIs(t, err, store.ErrUnavailable)
	require.ErrorContains(t, err, "certificate")
	r.Stop()
	// The first request may be cut off instead of refused: it uses a connection from before the
	// registry stopped.
	require.Eventually(t, func() bool {
		_, err := s.Contents.Has(t.Context(), kept)
		return errors.Is(err, store.ErrUnavailable) && strings.Contains(err.Error(), "connection refused")
	}, 20*time.Second, 20*time.Millisecond)
	r.Serve()
	_, err = s.Contents.Put(t.Context(), []byte("kept"))
	require.NoError(t, err)
}

// TestRegistryKeeps: what a registry does not let be removed is told, and stays.
func TestRegistryKeeps(t *testing.T) {
	t.Parallel()
	r := registrytest.Start(t, registrytest.Options{Keeps: true})
	s := open(t, store.Options{Dir: t.TempDir(), Contents: store.Registry{Name: "oci://" + r.Host + "/kumiki"}})
	digest, err := s.Contents.Put(t.Context(), []byte("text"))
	require.NoError(t, err)
	_, err = s.Contents.Collect(t.Context(), nil, -time.Second)
	require.ErrorContains(t, err, "storage.delete.enabled")
	again, err := s.Contents.Put(t.Context(), []byte("text"))
	require.NoError(t, err)
	require.Equal(t, digest, again)
	data, err := s.Contents.Get(t.Context(), digest)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
}

// TestRegistryAtOnce: what is written while another server collects it is there afterwards. Who
// has begun to remove something and was killed hinders nobody.
func TestRegistryAtOnce(t *testing.T) {
	t.Parallel()
	r := registrytest.Start(t, registrytest.Options{})
	s := open(t, store.Options{Dir: t.TempDir(), Contents: store.Registry{Name: "oci://" + r.Host + "/kumiki"}})
	removed := 0
	for i := range 20 {
		digest, err := s.Contents.Put(t.Context(), fmt.Append(nil, "text", i))
		require.NoError(t, err)
		old(t, s, digest, false)
		var wg sync.WaitGroup
		wg.Go(func() {
			n, err := s.Contents.Collect(t.Context(), nil, time.Hour)
			removed += n
			if err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			time.Sleep(time.Duration(i) * time.Millisecond)
			if _, err := s.Contents.Put(t.Context(), fmt.Append(nil, "text", i)); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		_, err = s.Contents.Get(t.Context(), digest)
		require.NoError(t, err, "round %d", i)
		require.NoError(t, s.Contents.Remove(t.Context(), digest))
	}
	require.Positive(t, removed, "nothing was removed at the same time")

	digest, err := s.Contents.Put(t.Context(), []byte("left"))
	require.NoError(t, err)
	old(t, s, digest, true)
	_, err = s.Contents.Put(t.Context(), []byte("left"))
	require.NoError(t, err)
	_, err = s.Contents.Get(t.Context(), digest)
	require.NoError(t, err)
	tags, err := http.Get("http://" + r.Host + "/v2/kumiki/tags/list")
	require.NoError(t, err)
	defer tags.Body.Close()
	var list struct{ Tags []string }
	require.NoError(t, json.NewDecoder(tags.Body).Decode(&list))
	require.Equal(t, []string{"content-" + digest[len("sha256:"):]}, list.Tags)
}

// old makes a content one that was written, or whose removal was begun, two hours ago.
func old(t *testing.T, s *store.Store, digest string, removing bool) {
	t.Helper()
	_, err := s.Commit(t.Context(), store.Put("contents/"+digest, map[string]any{"at": time.Now().Add(-2 * time.Hour), "removing": removing}, store.Present))
	require.NoError(t, err)
}

// TestRegistryName: what names no repository is refused before anything is opened.
func TestRegistryName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"registry.example/x", "oci://registry.example", "oci:///x", "oci://registry.example/", "oci://registry.example/Big", "oci://a b/c", "https://registry.example/x", "oci://r.example/x:tag"} {
		_, _, err := store.CheckRegistry(name)
		require.ErrorContains(t, err, "write oci://HOST/REPOSITORY", name)
	}
	host, repo, err := store.CheckRegistry("oci://[::1]:5000/team/kumiki")
	require.NoError(t, err)
	require.Equal(t, "[::1]:5000 team/kumiki", host+" "+repo)
}
