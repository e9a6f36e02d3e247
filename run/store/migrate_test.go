package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/store"
)

type labelled struct {
	Labels  map[string]string `json:"labels,omitempty"`
	Applied int               `json:"applied,omitempty"`
}

// first fills a store with records as of schema 1.
func first(t *testing.T, o store.Options, n int) {
	t.Helper()
	o.AsIs = true
	s := open(t, o)
	defer s.Close()
	kept := []store.Kept{{Key: "schema", Value: []byte("1")}}
	for i := range n {
		kept = append(kept, store.Kept{Key: fmt.Sprintf("deployments/%03d", i), Value: fmt.Appendf(nil, `{"labels": {"n": "%d"}, "new": true}`, i)},
			store.Kept{Key: fmt.Sprintf("status/%03d", i), Value: fmt.Appendf(nil, `{"applied": %d, "of another version": {"b": 1, "a": [1.50]}}`, i)})
	}
	kept = append(kept, store.Kept{Key: "status/gone", Value: []byte(`{"applied": 7}`)},
		store.Kept{Key: "deployments/plain", Value: []byte(`{}`)}, store.Kept{Key: "status/plain", Value: []byte(`{"applied": 8}`)})
	require.NoError(t, s.Keep(t.Context(), kept))
}

// migrated requires what first has filled to be of the last schema, with nothing lost.
func migrated(t *testing.T, s *store.Store, n int) {
	t.Helper()
	_, schema, err := s.Now(t.Context())
	require.NoError(t, err)
	require.Equal(t, "2", schema)
	for i := range n {
		e, err := s.Get(t.Context(), fmt.Sprintf("status/%03d", i))
		require.NoError(t, err)
		require.JSONEq(t, fmt.Sprintf(`{"labels": {"n": "%d"}, "applied": %d, "of another version": {"b": 1, "a": [1.50]}}`, i, i), string(e.Value))
	}
	for key, applied := range map[string]int{"status/gone": 7, "status/plain": 8} {
		got, _, err := store.Read[labelled](t.Context(), s, key)
		require.NoError(t, err)
		require.Equal(t, labelled{Applied: applied}, got)
	}
}

// TestMigrate: records of schema 1 are of the last one once a store is opened, also where that was
// broken off before, and then stay as they are.
func TestMigrate(t *testing.T) {
	t.Parallel()
	const n = 300
	o := store.Options{Dir: t.TempDir()}
	first(t, o, n)
	s := open(t, store.Options{Dir: o.Dir, AsIs: true})
	for i := range n / 2 { // as one that was broken off leaves it
		value := fmt.Appendf(nil, `{"labels": {"n": "%d"}, "applied": %d, "of another version": {"b": 1, "a": [1.50]}}`, i, i)
		require.NoError(t, s.Keep(t.Context(), []store.Kept{{Key: fmt.Sprintf("status/%03d", i), Value: value}}))
	}
	s.Close()
	s = open(t, o)
	migrated(t, s, n)
	before, _, err := s.Now(t.Context())
	require.NoError(t, err)
	s.Close()
	s = open(t, o)
	after, _, err := s.Now(t.Context())
	require.NoError(t, err)
	migrated(t, s, n)
	require.Less(t, after-before, int64(3), "nothing is written again")
}

// TestMigrateTogether: several servers of a new version may be started at the same time.
func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	const n = 200
	o := store.Options{Dir: t.TempDir(), Endpoints: []string{single(t)}}
	first(t, o, n)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			s, err := store.Open(t.Context(), o)
			if err != nil {
				t.Error(err)
				return
			}
			s.Close()
		})
	}
	wg.Wait()
	migrated(t, open(t, o), n)
}

// TestLaterSchema: what a later version has written is not touched.
func TestLaterSchema(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"3", "0", "-1", "x", ""} {
		o := store.Options{Dir: t.TempDir(), AsIs: true}
		s := open(t, o)
		require.NoError(t, s.Keep(t.Context(), []store.Kept{{Key: "schema", Value: []byte(version)}, {Key: "a", Value: []byte("1")}}))
		s.Close()
		_, err := store.Open(t.Context(), store.Options{Dir: o.Dir})
		require.ErrorContains(t, err, fmt.Sprintf("has schema %q, and this kumikid knows those up to 2: use the kumikid that wrote it, or a later one", version))
		s = open(t, o)
		e, err := s.Get(t.Context(), "a")
		require.NoError(t, err)
		require.Equal(t, "1", string(e.Value))
		s.Close()
	}
}
