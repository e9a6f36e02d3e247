package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/backup"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

func open(t *testing.T, dir string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Dir: dir})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

// filled is a store with n manifests, each of a content of its own, and a backup of it.
func filled(t *testing.T, n int) (*store.Store, []byte, backup.End) {
	t.Helper()
	s := open(t, t.TempDir())
	for i := range n {
		digest, err := s.Contents.Put(t.Context(), fmt.Appendf(nil, "content %d", i))
		require.NoError(t, err)
		m := record.Manifest{Deployment: "d", Number: i + 1, Input: record.Input{Bundle: digest}}
		_, err = s.Commit(t.Context(), store.Put(record.ManifestKey("d", i+1), m, 0))
		require.NoError(t, err)
	}
	_, err := s.Contents.Put(t.Context(), []byte("nobody names it"))
	require.NoError(t, err)
	lasting := store.Put("short", "lived", 0)
	lasting.Lease = time.Hour
	_, err = s.Commit(t.Context(), lasting)
	require.NoError(t, err)
	var out bytes.Buffer
	end, err := backup.Write(t.Context(), s, &out)
	require.NoError(t, err)
	require.Equal(t, n, end.Contents)
	return s, out.Bytes(), end
}

func nothing(context.Context, *store.Store, backup.Begin) error { return nil }

// dump are all records of a store.
func dump(t *testing.T, s *store.Store) map[string]string {
	t.Helper()
	at, _, err := s.Now(t.Context())
	require.NoError(t, err)
	out := map[string]string{}
	require.NoError(t, s.Dump(t.Context(), at, func(some []store.Kept) error {
		for _, k := range some {
			out[k.Key] = string(k.Value)
		}
		return nil
	}))
	return out
}

// TestRoundTrip: what is restored is what there was, more than a page of it, at later revisions.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	s, data, end := filled(t, 1100)
	at, _, err := s.Now(t.Context())
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "new", "state")
	made, err := backup.Restore(t.Context(), bytes.NewReader(data), store.Options{Dir: dir}, nothing)
	require.NoError(t, err)
	require.Equal(t, end, made.End)
	again := open(t, dir)
	require.Equal(t, dump(t, s), dump(t, again))
	for i := range 1100 {
		text := fmt.Sprintf("content %d", i)
		got, err := again.Contents.Get(t.Context(), store.Digest([]byte(text)))
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	has, err := again.Contents.Has(t.Context(), store.Digest([]byte("nobody names it")))
	require.NoError(t, err)
	require.False(t, has)
	later, _, err := again.Now(t.Context())
	require.NoError(t, err)
	require.Greater(t, later, at+500_000_000)
	err = again.Watch(t.Context(), "", at, func([]store.Change) error { return errors.New("it goes on as if nothing was lost") })
	require.ErrorIs(t, err, store.ErrCompacted)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.EqualValues(t, 0o700, info.Mode().Perm())
	left, err := filepath.Glob(filepath.Join(filepath.Dir(dir), ".*"))
	require.NoError(t, err)
	require.Empty(t, left)

	require.NoError(t, again.Ready(t.Context()))
	_, err = backup.Restore(t.Context(), bytes.NewReader(data), store.Options{Dir: dir}, nothing)
	require.ErrorContains(t, err, "is not empty")
	require.Equal(t, dump(t, s), dump(t, again))
}

// TestDamaged: wherever a backup is cut off or changed, it is refused, or what is changed is
// nothing of what it has.
func TestDamaged(t *testing.T) {
	t.Parallel()
	_, data, end := filled(t, 5)
	for n := range data {
		_, err := backup.Read(bytes.NewReader(data[:n]), backup.Sink{})
		require.Error(t, err, "the first %d of %d bytes", n, len(data))
	}
	harmless := 0
	for n := range data {
		changed := bytes.Clone(data)
		changed[n] ^= 1 << (n % 8)
		got, err := backup.Read(bytes.NewReader(changed), backup.Sink{})
		if err == nil { // such as the time in gzip's head
			require.Equal(t, end, got, "byte %d", n)
			harmless++
		}
	}
	require.Less(t, harmless, len(data)/50)
	dir := filepath.Join(t.TempDir(), "state")
	_, err := backup.Restore(t.Context(), bytes.NewReader(data[:len(data)-9]), store.Options{Dir: dir}, nothing)
	require.ErrorContains(t, err, "cut off")
	_, err = backup.Restore(t.Context(), bytes.NewReader([]byte("PK\x03\x04 is another file")), store.Options{Dir: dir}, nothing)
	require.ErrorContains(t, err, "no backup of kumikid")
	_, err = backup.Restore(t.Context(), bytes.NewReader(data), store.Options{Dir: dir}, func(context.Context, *store.Store, backup.Begin) error { return errors.New("no") })
	require.ErrorContains(t, err, "no")
	require.NoDirExists(t, dir)
	left, err := os.ReadDir(filepath.Dir(dir))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestMissing: a content that is lost already is told of, and all else is kept.
func TestMissing(t *testing.T) {
	t.Parallel()
	s, _, _ := filled(t, 2)
	lost := store.Digest([]byte("content 1"))
	require.NoError(t, s.Contents.Remove(t.Context(), lost))
	var out bytes.Buffer
	end, err := backup.Write(t.Context(), s, &out)
	require.NoError(t, err)
	require.Equal(t, []string{lost}, end.Missing)
	got, err := backup.Read(&out, backup.Sink{})
	require.NoError(t, err)
	require.Equal(t, end, got)
}
