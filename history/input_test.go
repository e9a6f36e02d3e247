package history

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// kept are the files with inputs.
func kept(t testing.TB, s *Store) int {
	t.Helper()
	files, err := filepath.Glob(s.path(inputsDir, "*.bundle"))
	require.NoError(t, err)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), file)
	}
	return len(files)
}

// saveAs saves a solution under another name.
func saveAs(t testing.TB, s *Store, name, comment string, input []byte) Entry {
	t.Helper()
	sol := *version(t, comment)
	sol.Ref.Name = name
	e, _, err := s.Save(&sol, Input{input, "v1"})
	require.NoError(t, err)
	return e
}

// TestInputs: one input of several entries is kept once, and as long as one of them is there.
func TestInputs(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	shared := []byte("shared")
	first := saveAs(t, s, "one", "a", shared)
	second := saveAs(t, s, "two", "b", shared)
	saveAs(t, s, "two", "c", []byte("own"))
	require.Equal(t, first.Input, second.Input)
	require.Equal(t, 2, kept(t, s))
	purge := func(name string) {
		_, _, err := s.Delete(name, nil)
		require.NoError(t, err)
		require.NoError(t, s.Purge(name))
	}
	purge("two")
	require.Equal(t, 1, kept(t, s))
	got, err := s.Input("one", first)
	require.NoError(t, err)
	require.Equal(t, shared, got)
	purge("one")
	require.Zero(t, kept(t, s))
}

// TestLostInput: what has no input, or a damaged one, gets it with the next save of the same.
func TestLostInput(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	old := saveAs(t, s, "one", "a", nil)
	_, err := s.Input("one", old)
	require.ErrorIs(t, err, ErrNoInput)
	for range 2 {
		e := saveAs(t, s, "one", "a", []byte("input"))
		require.Equal(t, 1, e.Number)
		entries, err := s.Entries("one")
		require.NoError(t, err)
		require.Equal(t, []Entry{e}, entries)
		got, err := s.Input("one", e)
		require.NoError(t, err)
		require.Equal(t, "input", string(got))
		require.NoError(t, os.WriteFile(s.inputFile(e.Input), []byte("else"), 0o600))
		_, err = s.Input("one", e)
		require.ErrorContains(t, err, "is damaged")
	}
	same := saveAs(t, s, "one", "a", nil)
	require.NotEmpty(t, same.Input, "what has an input keeps it")
}

// TestUnreadable: where a history cannot be read no input is collected, and what is not of
// the store is left alone.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	saveAs(t, s, "one", "a", []byte("a"))
	saveAs(t, s, "two", "b", []byte("b"))
	require.NoError(t, os.WriteFile(s.path(inputsDir, "mine.txt"), nil, 0o600))
	require.NoError(t, os.WriteFile(s.path(inputsDir, newPrefix+digestOf(nil)[len("sha256:"):]+".bundle"), nil, 0o600))
	log := s.path("two", logFile)
	whole, err := os.ReadFile(log)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(log, []byte("{\n"), 0o600))
	_, _, err = s.Delete("one", nil)
	require.NoError(t, err)
	require.ErrorContains(t, s.Purge("one"), "the inputs that nothing names any more stay")
	require.Equal(t, 3, kept(t, s))
	require.NoError(t, os.WriteFile(log, whole, 0o600))
	saveAs(t, s, "one", "c", nil)
	_, _, err = s.Delete("one", nil)
	require.NoError(t, err)
	require.NoError(t, s.Purge("one"))
	names, err := filepath.Glob(s.path(inputsDir, "*"))
	require.NoError(t, err)
	require.Len(t, names, 2, "%v", names)
	require.FileExists(t, s.path(inputsDir, "mine.txt"))
}
