package store_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/store"
)

func open(t *testing.T, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

type number struct{ N int }

// TestCommit: all or nothing, and nobody's change is lost.
func TestCommit(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	first, err := s.Commit(t.Context(), store.Put("a/1", number{1}, 0), store.Put("a/2", number{2}, 0))
	require.NoError(t, err)
	_, err = s.Commit(t.Context(), store.Put("a/3", number{3}, 0), store.Put("a/2", number{4}, 0))
	var c *store.Conflict
	require.ErrorAs(t, err, &c)
	require.ErrorIs(t, err, store.ErrConflict)
	require.Equal(t, &store.Conflict{Key: "a/2", Revision: first}, c)
	_, err = s.Get(t.Context(), "a/3")
	require.ErrorIs(t, err, store.ErrNotFound)

	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for range 10 {
				for add(t.Context(), s) != nil {
				}
			}
		})
	}
	wg.Wait()
	n, _, err := store.Read[number](t.Context(), s, "a/1")
	require.NoError(t, err)
	require.Equal(t, 321, n.N)
}

func add(ctx context.Context, s *store.Store) error {
	n, revision, err := store.Read[number](ctx, s, "a/1")
	if err == nil {
		_, err = s.Commit(ctx, store.Put("a/1", number{n.N + 1}, revision))
	}
	return err
}

// TestList: pages are of one snapshot, whatever is written in between.
func TestList(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	for i := range 25 {
		_, err := s.Commit(t.Context(), store.Put(fmt.Sprintf("d/%02d", i), number{i}, 0))
		require.NoError(t, err)
	}
	var got []string
	p := store.Page{Limit: 10}
	for more := true; more; {
		entries, at, next, err := s.List(t.Context(), "d/", p)
		require.NoError(t, err)
		for _, e := range entries {
			got = append(got, e.Key)
		}
		_, err = s.Commit(t.Context(), store.Remove(fmt.Sprintf("d/%02d", len(got)), store.Any))
		require.NoError(t, err)
		p.After, p.At, more = got[len(got)-1], at, next
	}
	require.Len(t, got, 25)
	last, _, _, err := s.List(t.Context(), "d/", store.Page{Limit: 1, Last: true})
	require.NoError(t, err)
	require.Equal(t, "d/24", last[0].Key)
}

// TestGetAll reads more keys than one request may have, some of which are not there.
func TestGetAll(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	var keys []string
	for i := range 300 {
		keys = append(keys, fmt.Sprintf("a/%d", i))
	}
	for i := 0; i < len(keys); i += 2 {
		_, err := s.Commit(t.Context(), store.Put(keys[i], number{i}, 0))
		require.NoError(t, err)
	}
	found, err := s.GetAll(t.Context(), keys)
	require.NoError(t, err)
	require.Len(t, found, len(keys)/2)
	for key, e := range found {
		one, err := s.Get(t.Context(), key)
		require.NoError(t, err)
		require.Equal(t, one, e)
	}
	none, err := s.GetAll(t.Context(), nil)
	require.NoError(t, err)
	require.Empty(t, none)
}

// TestWatch: who goes on from a revision misses nothing.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	from, err := s.Commit(t.Context(), store.Put("w/0", number{0}, 0))
	require.NoError(t, err)
	for i := range 5 {
		_, err := s.Commit(t.Context(), store.Put(fmt.Sprintf("w/%d", i+1), number{i}, 0), store.Put("other", number{i}, store.Any))
		require.NoError(t, err)
	}
	_, err = s.Commit(t.Context(), store.Remove("w/3", store.Any))
	require.NoError(t, err)
	enough := errors.New("enough")
	var got []string
	err = s.Watch(t.Context(), "w/", from, func(changes []store.Change) error {
		for _, c := range changes {
			got = append(got, fmt.Sprintf("%s %t %s", c.Key, c.Value != nil, c.Was))
		}
		if len(got) == 6 {
			return enough
		}
		return nil
	})
	require.ErrorIs(t, err, enough)
	require.Equal(t, []string{"w/1 true ", "w/2 true ", "w/3 true ", "w/4 true ", "w/5 true ", `w/3 false {"N":2}`}, got)
}

// TestLead: one leads at a time, and who leads no longer can write no more.
func TestLead(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	var old store.Write
	require.NoError(t, s.Lead(t.Context(), "x", "one", func(ctx context.Context, fence store.Write) error {
		old = fence
		_, err := s.Commit(ctx, fence, store.Put("led", number{1}, 0))
		return err
	}))
	require.NoError(t, s.Lead(t.Context(), "x", "two", func(ctx context.Context, fence store.Write) error {
		_, err := s.Commit(ctx, old, store.Put("led", number{2}, store.Any))
		require.ErrorIs(t, err, store.ErrConflict)
		_, err = s.Commit(ctx, fence, store.Put("led", number{3}, store.Any))
		return err
	}))
}

// TestFull: a store without room refuses writes and goes on answering, until there is room.
func TestFull(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir(), Quota: 2 << 20})
	big := store.Write{Key: "big", Value: make([]byte, 256<<10), If: store.Any}
	var err error
	// etcd looks at the size of its file every 100 ms, in which a fast disk takes any number of these.
	require.Eventually(t, func() bool {
		_, err = s.Commit(t.Context(), big)
		return err != nil
	}, time.Minute, 10*time.Millisecond)
	require.ErrorIs(t, err, store.ErrFull)
	_, err = s.Get(t.Context(), "big")
	require.NoError(t, err)
	require.NoError(t, s.MakeRoom(t.Context()))
	_, err = s.Commit(t.Context(), store.Put("small", number{1}, 0))
	require.NoError(t, err)
}

// TestAgain: what was committed is there in the next process, and nobody else's process gets
// at the files.
func TestAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	require.NoError(t, err)
	_, err = s.Commit(t.Context(), store.Put("a", number{7}, 0))
	require.NoError(t, err)
	digest, err := s.Contents.Put(t.Context(), []byte("text"))
	require.NoError(t, err)
	s.Close()
	s = open(t, store.Options{Dir: dir})
	n, _, err := store.Read[number](t.Context(), s, "a")
	require.NoError(t, err)
	require.Equal(t, 7, n.N)
	for _, name := range []string{"contents", "etcd"} {
		info, err := os.Stat(filepath.Join(dir, name))
		require.NoError(t, err)
		require.EqualValues(t, 0o700, info.Mode().Perm(), name)
	}
	data, err := s.Contents.Get(t.Context(), digest)
	require.NoError(t, err)
	require.Equal(t, "text", string(data))
}

// TestCollect: only what nobody names and nobody has written lately goes.
func TestCollect(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir()})
	kept, err := s.Contents.Put(t.Context(), []byte("kept"))
	require.NoError(t, err)
	gone, err := s.Contents.Put(t.Context(), []byte("gone"))
	require.NoError(t, err)
	n, err := s.Contents.Collect(t.Context(), map[string]bool{kept: true}, time.Hour)
	require.NoError(t, err)
	require.Zero(t, n)
	n, err = s.Contents.Collect(t.Context(), map[string]bool{kept: true}, -time.Second)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	there, err := s.Contents.Has(t.Context(), kept)
	require.NoError(t, err)
	require.True(t, there)
	there, err = s.Contents.Has(t.Context(), gone)
	require.NoError(t, err)
	require.False(t, there)
	_, err = s.Contents.Get(t.Context(), gone)
	require.ErrorIs(t, err, store.ErrNotFound)
	_, err = s.Contents.Get(t.Context(), "../../etc/passwd")
	require.ErrorContains(t, err, "no digest")
}

// TestFullTells: of what many write at once, what is refused for want of room was not written, and
// what was written is not refused.
func TestFullTells(t *testing.T) {
	t.Parallel()
	s := open(t, store.Options{Dir: t.TempDir(), Quota: 2 << 20})
	var mu sync.Mutex
	told := map[string]bool{}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			// The store is full once etcd has written down that it is, some 100 ms later.
			for n, refused := 0, 0; n < 500 && refused < 5; n++ {
				key := fmt.Sprintf("k/%d/%d", i, n)
				_, err := s.Commit(t.Context(), store.Write{Key: key, Value: make([]byte, 64<<10), If: 0})
				mu.Lock()
				told[key] = err == nil
				mu.Unlock()
				if err != nil {
					refused++
				}
				if err != nil && !errors.Is(err, store.ErrFull) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	entries, _, _, err := s.List(t.Context(), "k/", store.Page{Keys: true})
	require.NoError(t, err)
	is := map[string]bool{}
	for _, e := range entries {
		is[e.Key] = true
	}
	refused := 0
	for key, written := range told {
		require.Equal(t, is[key], written, key)
		if !written {
			refused++
		}
	}
	require.Positive(t, refused)
}
