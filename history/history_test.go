package history

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/inside"
	"kumiki.dev/solution"
)

// example is a small solution.
var example = sync.OnceValues(func() (*solution.Solution, error) {
	data, err := os.ReadFile("../testdata/cases/example-hello/solution.json")
	if err != nil {
		return nil, err
	}
	s, problems := solution.Read(data, "solution.json")
	if len(problems) > 0 {
		return nil, errors.New("the case has no solution that is whole")
	}
	return s, nil
})

// version is the example, which differs from others by its comment.
func version(t testing.TB, comment string) *solution.Solution {
	t.Helper()
	s, err := example()
	require.NoError(t, err)
	v := *s
	v.Comment = comment
	return &v
}

func save(t testing.TB, s *Store, comment string) (Entry, bool) {
	t.Helper()
	e, saved, err := s.Save(version(t, comment), inputOf(comment))
	require.NoError(t, err)
	return e, saved
}

// inputOf is what a version is said to be compiled from.
func inputOf(comment string) Input { return Input{[]byte("bundle of " + comment), "v1"} }

// comments are those of all entries, each read from its solution.
func comments(t testing.TB, s *Store) []string {
	t.Helper()
	entries, err := s.Entries("hello")
	if errors.Is(err, ErrNone) {
		return nil
	}
	require.NoError(t, err)
	var out []string
	for _, e := range entries {
		sol, err := s.Solution("hello", e)
		require.NoError(t, err)
		input, err := s.Input("hello", e)
		require.NoError(t, err)
		require.Equal(t, "bundle of "+sol.Comment, string(input))
		require.Empty(t, solution.Verify(sol))
		out = append(out, sol.Comment)
	}
	return out
}

func TestSave(t *testing.T) {
	t.Parallel()
	s := Open(filepath.Join(t.TempDir(), "solutions"))
	names, err := s.Names()
	require.NoError(t, err)
	require.Empty(t, names)
	_, err = s.Entries("hello")
	require.ErrorIs(t, err, ErrNone)

	first, saved := save(t, s, "first")
	require.True(t, saved)
	require.Equal(t, 1, first.Number)
	require.Equal(t, "kumiki.example/hello/hello@1.0.0", first.Artifact)
	again, saved := save(t, s, "first")
	require.False(t, saved)
	require.Equal(t, first, again)
	_, saved = save(t, s, "second")
	require.True(t, saved)
	back, saved := save(t, s, "first")
	require.True(t, saved)
	require.Equal(t, first.Digest, back.Digest)
	require.Equal(t, []string{"first", "second", "first"}, comments(t, s))

	names, err = s.Names()
	require.NoError(t, err)
	require.Equal(t, []string{"hello"}, names)
	files, err := s.files.ReadDir(s.path("hello"))
	require.NoError(t, err)
	require.Len(t, files, 4, "two solutions, log and current: %v", files)
}

func TestFind(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	first, _ := save(t, s, "first")
	second, _ := save(t, s, "second")
	for text, want := range map[string]Entry{
		"": second, "current": second, "previous": first, "1": first, "2": second,
		first.Digest: first, first.Digest[7:13]: first, first.Digest[:20]: first,
	} {
		got, err := s.Find("hello", text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"0", "3", "-1", "00000000", first.Digest[7:12] + "zz", "sha256:"} {
		_, err := s.Find("hello", text)
		require.Error(t, err, text)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	_, _, err := s.Delete("hello", nil)
	require.ErrorIs(t, err, ErrNone)
	save(t, s, "first")
	require.ErrorContains(t, s.Purge("hello"), "delete it first")
	e, saved, err := s.Delete("hello", nil)
	require.NoError(t, err)
	require.True(t, saved)
	sol, err := s.Solution("hello", e)
	require.NoError(t, err)
	require.Nil(t, sol)
	_, saved, err = s.Delete("hello", nil)
	require.NoError(t, err)
	require.False(t, saved)
	require.NoError(t, s.Purge("hello"))
	names, err := s.Names()
	require.NoError(t, err)
	require.Empty(t, names)
	_, err = os.Stat(s.path("hello"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// TestRollBack: what was decided by looking at an old entry is not saved.
func TestRollBack(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	first, _ := save(t, s, "first")
	second, _ := save(t, s, "second")
	_, _, err := s.RollBack(version(t, "first"), first, first)
	require.ErrorContains(t, err, "somebody else")
	_, _, err = s.Delete("hello", &first)
	require.ErrorContains(t, err, "somebody else")
	e, saved, err := s.RollBack(version(t, "first"), first, second)
	require.NoError(t, err)
	require.True(t, saved)
	require.Equal(t, Entry{Number: 3, Digest: first.Digest, What: RolledBack, Artifact: first.Artifact, Comment: "first", Input: first.Input, Kumiki: "v1"}, e)
}

// TestNames: no name leads out of the store.
func TestNames(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	for _, name := range []string{"", ".", "..", "../x", "a/b", `a\b`, "/x", ".hidden", "c:x"} {
		_, err := s.Entries(name)
		require.Error(t, err, name)
		require.NotErrorIs(t, err, ErrNone, name)
	}
}

// TestDamage: what somebody has changed by hand is reported, not taken.
func TestDamage(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{
		currentFile: "two\n",
		logFile:     "{}\n",
	} {
		s := Open(t.TempDir())
		save(t, s, "first")
		require.NoError(t, os.WriteFile(s.path("hello", file), []byte(text), 0o644))
		_, err := s.Entries("hello")
		require.ErrorContains(t, err, s.path("hello"))
	}
	s := Open(t.TempDir())
	e, _ := save(t, s, "first")
	other, err := version(t, "second").Bytes()
	require.NoError(t, err)
	for _, text := range [][]byte{[]byte("{"), bytes.Replace(other, []byte(`"second"`), []byte(`"third"`), 1)} {
		require.NoError(t, os.WriteFile(s.path("hello", objectFile(e.Digest)), text, 0o644))
		_, err = s.Solution("hello", e)
		require.Error(t, err)
	}
	// The next to save the same solution mends its file.
	save(t, s, "second")
	save(t, s, "first")
	require.Equal(t, []string{"first", "second", "first"}, comments(t, s))
}

// TestForeignSolutions: a solution that says no digest is saved with one.
func TestForeignSolutions(t *testing.T) {
	t.Parallel()
	sol := version(t, "foreign")
	sol.Digest = ""
	s := Open(t.TempDir())
	e, _, err := s.Save(sol, Input{})
	require.NoError(t, err)
	require.Empty(t, sol.Digest, "what is saved is not changed")
	text, err := os.ReadFile(s.path("hello", objectFile(e.Digest)))
	require.NoError(t, err)
	var file struct{ Digest string }
	require.NoError(t, json.Unmarshal(text, &file))
	require.Equal(t, e.Digest, file.Digest)
}

// TestPurgeOnlyOwn leaves what a store does not write, and what a link leads to.
func TestPurgeOnlyOwn(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), t.TempDir()
	s := Open(dir)
	save(t, s, "first")
	_, _, err := s.Delete("hello", nil)
	require.NoError(t, err)
	own, err := s.files.ReadDir(s.path("hello"))
	require.NoError(t, err)
	for _, name := range []string{"notes.txt", "deadbeef.json"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "hello", name), []byte("dear"), 0o644))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hello", newPrefix+logFile), nil, 0o644))
	require.NoError(t, s.Purge("hello"))
	left, err := s.files.ReadDir(s.path("hello"))
	require.NoError(t, err)
	require.Equal(t, []string{"deadbeef.json", "notes.txt"}, left)

	// A name that is a link is no name of the store.
	for _, name := range own {
		require.NoError(t, os.WriteFile(filepath.Join(elsewhere, name), []byte("1 \n"), 0o644))
	}
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "linked")))
	require.ErrorIs(t, s.Purge("linked"), inside.ErrLink)
	there, err := os.ReadDir(elsewhere)
	require.NoError(t, err)
	require.Len(t, there, len(own))
	sol := version(t, "x")
	sol.Ref.Name = "linked"
	_, _, err = s.Save(sol, Input{})
	require.ErrorIs(t, err, inside.ErrLink)
}

// TestLost has a history whose pointer is gone: it is not begun anew.
func TestLost(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	for _, comment := range []string{"first", "second", "third"} {
		save(t, s, comment)
	}
	pointer := s.path("hello", currentFile)
	was, err := os.ReadFile(pointer)
	require.NoError(t, err)
	require.NoError(t, os.Remove(pointer))
	log, err := os.ReadFile(s.path("hello", logFile))
	require.NoError(t, err)
	_, _, err = s.Save(version(t, "fourth"), Input{})
	require.ErrorContains(t, err, "current is missing, and "+s.path("hello", logFile)+" has 3 entries")
	after, err := os.ReadFile(s.path("hello", logFile))
	require.NoError(t, err)
	require.Equal(t, string(log), string(after))
	names, err := s.Names()
	require.NoError(t, err)
	require.Equal(t, []string{"hello"}, names, "what is wrong is to be seen")
	_, err = s.Entries("hello")
	require.ErrorIs(t, err, errLost)
	require.ErrorContains(t, err, strings.TrimSpace(string(was)), "what to write")
	require.NoError(t, os.WriteFile(pointer, was, 0o644))
	entries, err := s.Entries("hello")
	require.NoError(t, err)
	require.Len(t, entries, 3)
}

// busy is a directory in which somebody saves whenever nothing is found.
type busy struct {
	files
	save func()
}

func (b *busy) ReadFile(name string) ([]byte, error) {
	data, err := b.files.ReadFile(name)
	if err != nil && b.save != nil {
		save := b.save
		b.save = nil
		save()
	}
	return data, err
}

// TestFirstSaves: who looks while others save for the first time finds nothing yet, or
// what they have saved, and no history that has lost its end.
func TestFirstSaves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	looking := &busy{files: disk{dir}, save: func() {
		save(t, Open(dir), "first")
		save(t, Open(dir), "second")
	}}
	require.Equal(t, []string{"first", "second"}, comments(t, &Store{dir: dir, files: looking}))
}
