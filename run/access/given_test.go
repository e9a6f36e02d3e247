package access_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/access"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// TestFirst: of servers that start at the same time over a store without tokens one prints a
// token, which is the only one; servers with one from a file make that, whatever the others do.
func TestFirst(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), store.Options{Dir: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	tokens := access.Tokens{Store: s}
	count := func() int {
		entries, _, _, err := s.List(t.Context(), record.Tokens, store.Page{})
		require.NoError(t, err)
		for _, e := range entries {
			_, err := s.Commit(t.Context(), store.Remove(e.Key, e.Revision))
			require.NoError(t, err)
		}
		return len(entries)
	}
	for range 20 {
		var wg sync.WaitGroup
		var mu sync.Mutex
		var printed []string
		for range 8 {
			wg.Go(func() {
				secret, err := tokens.First(t.Context())
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if secret != "" {
					printed = append(printed, secret)
				}
			})
		}
		wg.Wait()
		require.Len(t, printed, 1)
		require.Equal(t, 1, count())
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := tokens.Given(t.Context(), "of-a-file-0123456789-0123"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, 1, count())
}
