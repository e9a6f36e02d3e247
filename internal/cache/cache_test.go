package cache

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"kumiki.dev/internal/atomicfile"
	"kumiki.dev/internal/inside"
	_ "kumiki.dev/internal/repeatable"
)

func key(name string) Key { return sha256.Sum256([]byte(name)) }

func open(t testing.TB, limit int64) *Dir {
	t.Helper()
	d, err := Open(filepath.Join(t.TempDir(), "a", "b"), limit)
	require.NoError(t, err)
	return d
}

func TestPutAndGet(t *testing.T) {
	t.Parallel()
	d := open(t, 1<<20)
	_, ok := d.Get(key("a"))
	require.False(t, ok)
	for _, data := range []string{"first", "", "second"} {
		require.NoError(t, d.Put(key("a"), []byte(data)))
		got, ok := d.Get(key("a"))
		require.True(t, ok)
		require.Equal(t, data, string(got))
	}
	_, ok = d.Get(key("b"))
	require.False(t, ok)
}

// TestDamage changes a file in every way that disks and people do: the entry is
// there as it was, or is not there.
func TestDamage(t *testing.T) {
	t.Parallel()
	d := open(t, 1<<20)
	want := []byte("what was put")
	rapid.Check(t, func(t *rapid.T) {
		require.NoError(t, d.Put(key("a"), want))
		name := d.file(key("a"))
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		damaged := bytes.Clone(data)
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		switch rapid.SampledFrom([]string{"flip", "cut", "zero", "add"}).Draw(t, "damage") {
		case "flip":
			damaged[at] ^= byte(1) << rapid.IntRange(0, 7).Draw(t, "bit")
		case "cut":
			damaged = damaged[:at]
		case "zero":
			clear(damaged[at:])
		case "add":
			damaged = append(damaged, damaged[at:]...)
		}
		require.NoError(t, os.WriteFile(name, damaged, 0o600))
		got, ok := d.Get(key("a"))
		require.Equal(t, bytes.Equal(damaged, data), ok)
		if ok {
			require.Equal(t, want, got)
		}
	})
}

// TestOtherName: a file that was moved is no entry.
func TestOtherName(t *testing.T) {
	t.Parallel()
	d := open(t, 1<<20)
	require.NoError(t, d.Put(key("a"), []byte("a's")))
	require.NoError(t, os.Rename(d.file(key("a")), d.file(key("b"))))
	_, ok := d.Get(key("b"))
	require.False(t, ok)
}

// TestTrim puts more than there is room for: what was used last stays.
func TestTrim(t *testing.T) {
	t.Parallel()
	const limit = shards * 10_000
	d := open(t, limit)
	var keys []Key
	long := time.Now().Add(-24 * time.Hour)
	for i := range 1000 {
		k := key(fmt.Sprint(i))
		keys = append(keys, k)
		require.NoError(t, d.Put(k, make([]byte, 1000)))
		at := long.Add(time.Duration(i) * time.Second)
		require.NoError(t, os.Chtimes(d.file(k), at, at))
	}
	_, ok := d.Get(keys[0]) // which makes it the youngest
	require.True(t, ok)
	left := filepath.Join(d.path, "0", atomicfile.Prefix+"left")
	require.NoError(t, os.WriteFile(left, make([]byte, 1000), 0o600))
	require.NoError(t, os.Chtimes(left, long.Add(-time.Hour), long.Add(-time.Hour)))
	require.NoError(t, d.Trim(keys))

	var sum int64
	files, err := filepath.Glob(filepath.Join(d.path, "*", "*"))
	require.NoError(t, err)
	for _, f := range files {
		info, err := os.Stat(f)
		require.NoError(t, err)
		sum += info.Size()
	}
	require.LessOrEqual(t, sum, int64(limit))
	require.Greater(t, sum, int64(limit)*8/10, "no more goes than has to")
	require.NoFileExists(t, left)
	for i, k := range keys {
		if _, ok := d.Get(k); i == 0 || i > 950 {
			require.True(t, ok, i)
		} else if i < 500 {
			require.False(t, ok, i)
		}
	}
}

// TestTooLarge: an entry that would drive out half of the others is not kept.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	d := open(t, shards*1000)
	require.NoError(t, d.Put(key("a"), make([]byte, 501)))
	_, ok := d.Get(key("a"))
	require.False(t, ok)
}

// TestNotWritable says so.
func TestNotWritable(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := Open(file, 1)
	require.Error(t, err)
	d := open(t, 1<<20)
	require.NoError(t, os.RemoveAll(d.path))
	require.Error(t, d.Put(key("a"), nil))
	require.Error(t, d.Trim([]Key{key("a")}))
	_, ok := d.Get(key("a"))
	require.False(t, ok)
}

// TestLinks: what is in the place of a shard is not followed, wherever it leads.
func TestLinks(t *testing.T) {
	t.Parallel()
	d, err := Open(t.TempDir(), 1<<20)
	require.NoError(t, err)
	outside := t.TempDir()
	require.NoError(t, os.Remove(filepath.Join(d.path, "0")))
	require.NoError(t, os.Symlink(outside, filepath.Join(d.path, "0")))
	require.ErrorIs(t, d.Put(Key{}, []byte("data")), inside.ErrLink)
	entries, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, entries)
	old := filepath.Join(outside, filepath.Base(d.file(Key{})))
	require.NoError(t, os.WriteFile(old, make([]byte, 1<<20), 0o600))
	_ = d.Trim([]Key{{}})
	require.FileExists(t, old)
}
