package atomicfile

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// broken writes half of what it has.
type broken struct{}

func (broken) WriteTo(w io.Writer) (int64, error) {
	n, _ := w.Write(make([]byte, 100_000))
	return int64(n), errors.New("no more")
}

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	for _, text := range []string{"first", "", "second"} {
		require.NoError(t, Write(name, bytes.NewReader([]byte(text)), Options{Mode: 0o640, Sync: true}))
		got, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	require.EqualError(t, Write(name, broken{}, Options{Mode: 0o640}), "no more")
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Equal(t, "second", string(got))
	require.Error(t, Write(filepath.Join(dir, "none", "file"), broken{}, Options{}))
	require.Error(t, Write(dir, bytes.NewReader(nil), Options{}), "a directory is not replaced")
	info, err := os.Stat(name)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1, "nothing is left behind")
}
