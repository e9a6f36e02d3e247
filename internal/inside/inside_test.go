package inside

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/atomicfile"
)

// TestLinks tries every method on names that lead over links, to a place outside
// and to one inside: neither is read, changed or removed.
func TestLinks(t *testing.T) {
	t.Parallel()
	out, in := t.TempDir(), t.TempDir()
	for _, dir := range []string{out, filepath.Join(in, "real")} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("dear"), 0o644))
	}
	require.NoError(t, os.Symlink(out, filepath.Join(in, "outside")))
	require.NoError(t, os.Symlink("real", filepath.Join(in, "beside")))
	require.NoError(t, os.Symlink(filepath.Join(out, "f"), filepath.Join(in, "file")))
	require.NoError(t, os.Symlink(filepath.Join(out, "new"), filepath.Join(in, "dangling")))
	d, err := Open(in)
	require.NoError(t, err)
	defer d.Close()
	write := func(name string) error {
		return d.Write(name, bytes.NewReader([]byte("x")), atomicfile.Options{Mode: 0o644})
	}
	for _, name := range []string{"outside/f", "beside/f", "file", "dangling"} {
		_, err := d.ReadFile(name)
		require.ErrorIs(t, err, ErrLink, name)
		require.ErrorIs(t, write(name), ErrLink, name)
		require.ErrorIs(t, d.Remove(name), ErrLink, name)
	}
	for _, name := range []string{"outside", "beside"} {
		_, err := d.Names(name)
		require.ErrorIs(t, err, ErrLink, name)
		require.ErrorIs(t, write(name+"/deep/f"), ErrLink, name)
		require.ErrorIs(t, d.MkdirAll(name+"/deep", 0o755), ErrLink, name)
		require.ErrorIs(t, d.Rename("real/f", name+"/f"), ErrLink, name)
		require.ErrorIs(t, d.RemoveAll(name+"/f"), ErrLink, name)
		require.ErrorIs(t, d.Sync(name), ErrLink, name)
	}
	require.Error(t, write("../f"))
	require.NoError(t, d.RemoveAll("outside"), "the link itself")
	for _, dir := range []string{out, filepath.Join(in, "real")} {
		data, err := os.ReadFile(filepath.Join(dir, "f"))
		require.NoError(t, err)
		require.Equal(t, "dear", string(data))
	}
	names, err := d.Names("real")
	require.NoError(t, err)
	require.Equal(t, []string{"f"}, names)
}

// TestWrite writes below directories that are not there, and says which file it is
// that cannot be written.
func TestWrite(t *testing.T) {
	t.Parallel()
	d, err := Make(filepath.Join(t.TempDir(), "new"), 0o755)
	require.NoError(t, err)
	defer d.Close()
	for _, text := range []string{"first", "second"} {
		require.NoError(t, d.Write("a/b", bytes.NewReader([]byte(text)), atomicfile.Options{Mode: 0o640}))
		data, err := d.ReadFile("a/b")
		require.NoError(t, err)
		require.Equal(t, text, string(data))
	}
	names, err := d.Names("a")
	require.NoError(t, err)
	require.Equal(t, []string{"b"}, names, "nothing is left behind")
	require.ErrorContains(t, d.Write("a", bytes.NewReader(nil), atomicfile.Options{}), "it is a directory")
	require.ErrorContains(t, d.Write("a/b/c", bytes.NewReader(nil), atomicfile.Options{}), filepath.Join("a", "b")+": it is a file")
	require.NoError(t, d.Remove("a/b"))
	require.NoError(t, d.Remove("a"))
}
