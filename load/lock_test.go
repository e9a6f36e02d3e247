package load

import (
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestReadLock(t *testing.T) {
	t.Parallel()
	lock, err := ReadLock(t.TempDir())
	require.NoError(t, err)
	require.Nil(t, lock, "no file is no lock")

	dir := t.TempDir()
	name := filepath.Join(dir, LockFile)
	want := Lock{"example.org/b@v1.0.0": "sha256:2", "example.org/a@v1.0.0": "sha256:1"}
	require.NoError(t, os.WriteFile(name, want.Bytes(), 0o644))
	got, err := ReadLock(dir)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, "example.org/a@v1.0.0 sha256:1\nexample.org/b@v1.0.0 sha256:2\n", string(got.Bytes()))

	for _, bad := range []string{"x\n", "example.org/a@v1 md5:1\n", "example.org/a sha256:1\n", "example.org/a@v1.0.0 sha256:1 more\n", "\n"} {
		require.NoError(t, os.WriteFile(name, []byte(bad), 0o644))
		_, err := ReadLock(dir)
		require.ErrorContains(t, err, "expected MODULE@VERSION sha256:DIGEST", "%q", bad)
	}
	require.NoError(t, os.WriteFile(name, []byte("example.org/a@v1.0.0 sha256:1\nexample.org/a@v1.0.0 sha256:2\n"), 0o644))
	_, err = ReadLock(dir)
	require.ErrorContains(t, err, "line 2 of kumiki.lock has another digest for example.org/a@v1.0.0 than a line before")
	require.NoError(t, os.Remove(name))
	require.NoError(t, os.Mkdir(name, 0o755))
	_, err = ReadLock(dir)
	require.ErrorContains(t, err, "is expected to be a file")
}

// TestModuleDigest depends on names and contents, and on where one ends and
// the other begins.
func TestModuleDigest(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for i, files := range []map[string]string{
		{}, {"a": ""}, {"b": ""}, {"a": "b"}, {"a": "", "b": ""}, {"a": "x", "b": ""}, {"a": "", "b": "x"}, {"a/b": ""},
	} {
		root := fstest.MapFS{}
		for name, text := range files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		got, err := ModuleDigest(root)
		require.NoError(t, err)
		other, known := seen[got]
		require.False(t, known, "%d and %d", i, other)
		seen[got] = i
	}
}
