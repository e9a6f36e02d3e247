package history

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/solution"
)

// counting counts the files that are read of a store, and their bytes.
type counting struct {
	files
	reads, bytes int
}

func (c *counting) ReadFile(name string) ([]byte, error) {
	data, err := c.files.ReadFile(name)
	c.reads++
	c.bytes += len(data)
	return data, err
}

// comment is a view that is small.
var comment = View[string]{"comment", func(s *solution.Solution) (string, error) { return s.Ref.Name + " " + s.Comment, nil }}

// many is a store with n names; the answer that the view of it has to give, too.
func many(t *testing.T, dir string, n int) []string {
	t.Helper()
	var want []string
	for i := range n {
		name := fmt.Sprintf("s%03d", i)
		_, _, err := Open(dir).Save(called(t, name, fmt.Sprint("c", i)), Input{})
		require.NoError(t, err)
		want = append(want, fmt.Sprint(name, " c", i))
	}
	return want
}

// called is a solution under another name.
func called(t testing.TB, name, comment string) *solution.Solution {
	t.Helper()
	data, err := version(t, comment).Bytes()
	require.NoError(t, err)
	sol, problems := solution.Read([]byte(strings.NewReplacer(`"hello"`, `"`+name+`"`).Replace(undigested(string(data)))), name)
	require.Empty(t, problems)
	_, err = sol.Encode()
	require.NoError(t, err)
	return sol
}

// undigested leaves the digest out.
func undigested(text string) string {
	var out []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, `  "digest":`) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// current asks the view about what is current, and returns what that has read.
func current(t *testing.T, dir string) ([]string, *counting) {
	t.Helper()
	c := &counting{files: disk{dir}}
	s := &Store{dir: dir, files: c}
	entries, err := s.Current()
	require.NoError(t, err)
	got, err := comment.Each(s, entries)
	require.NoError(t, err)
	return got, c
}

// TestViewReads: the second question about n solutions reads what is current under each
// name, and one file more.
func TestViewReads(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	const n = 40
	want := many(t, dir, n)
	got, first := current(t, dir)
	require.Equal(t, want, got)
	require.Equal(t, 2*n+1, first.reads)
	got, second := current(t, dir)
	require.Equal(t, want, got)
	require.Equal(t, n+1, second.reads)
	require.Less(t, second.bytes, n*250) // a pointer and a line of the view each

	// Another version is read, and nothing else.
	_, _, err := Open(dir).Save(called(t, "s001", "new"), Input{})
	require.NoError(t, err)
	want[1] = "s001 new"
	got, third := current(t, dir)
	require.Equal(t, want, got)
	require.Equal(t, n+2, third.reads)

	// What is deleted is in no answer any more, and its return costs what a new one does.
	_, _, err = Open(dir).Delete("s000", nil)
	require.NoError(t, err)
	got, fourth := current(t, dir)
	require.Equal(t, want[1:], got)
	require.Equal(t, n+1, fourth.reads)
}

// TestViewDamage: whatever has become of a view's file, the answer is the same.
func TestViewDamage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	want := many(t, dir, 3)
	current(t, dir)
	file := filepath.Join(dir, viewsDir, comment.Name)
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	text := string(whole)
	for name, damaged := range map[string]string{
		"empty":           "",
		"half":            text[:len(text)/2],
		"no head":         text[strings.Index(text, "\n")+1:],
		"another program": "kumiki view 1 " + strings.Repeat("0", 64) + text[strings.Index(text, "\n"):],
		"a lie":           strings.Replace(text, "s001 c1", "s001 c2", 1),
		"a line less":     text[:strings.LastIndex(strings.TrimSpace(text), "\n")+1],
		"more":            text + text,
	} {
		require.NoError(t, os.WriteFile(file, []byte(damaged), 0o600), name)
		got, _ := current(t, dir)
		require.Equal(t, want, got, name)
		repaired, err := os.ReadFile(file)
		require.NoError(t, err, name)
		require.Equal(t, text, string(repaired), name)
	}
	require.NoError(t, os.RemoveAll(filepath.Join(dir, viewsDir)))
	require.NoError(t, os.WriteFile(filepath.Join(dir, viewsDir), nil, 0o600)) // nothing can be kept
	got, _ := current(t, dir)
	require.Equal(t, want, got)
	require.NoError(t, os.Remove(filepath.Join(dir, viewsDir)))
	outside := t.TempDir()
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, viewsDir))) // nor is anything elsewhere
	got, _ = current(t, dir)
	require.Equal(t, want, got)
	left, err := os.ReadDir(outside)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestViewWhileSaving: whoever asks while others save gets what was current under each
// name at some time, and never half of anything.
func TestViewWhileSaving(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	many(t, dir, 3)
	var wg sync.WaitGroup
	for writer := range 2 {
		wg.Go(func() {
			for i := range 10 {
				if _, _, err := Open(dir).Save(called(t, fmt.Sprintf("s%03d", writer), fmt.Sprint("v", i)), Input{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		wg.Go(func() {
			for range 20 {
				s := Open(dir)
				entries, err := s.Current()
				if err != nil {
					t.Error(err)
					return
				}
				got, err := comment.Each(s, entries)
				if err != nil {
					t.Error(err)
				}
				for i, e := range entries {
					sol, err := s.Solution(e.Name, e.Entry)
					if err != nil || got[i] != e.Name+" "+sol.Comment {
						t.Errorf("%v: %q", err, got[i])
					}
				}
			}
		})
	}
	wg.Wait()
	got, _ := current(t, dir)
	require.Equal(t, []string{"s000 v9", "s001 v9", "s002 c2"}, got)
}

// TestAll: each solution that has been current is there once.
func TestAll(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "store")
	s := Open(dir)
	first := called(t, "a", "first")
	for _, sol := range []*solution.Solution{first, called(t, "a", "second"), first, called(t, "b", "")} {
		_, _, err := s.Save(sol, Input{})
		require.NoError(t, err)
	}
	_, _, err := s.Delete("b", nil)
	require.NoError(t, err)
	all, err := s.All()
	require.NoError(t, err)
	var got []string
	for _, e := range all {
		got = append(got, fmt.Sprint(e.Name, " ", e.Number, " ", e.Comment))
	}
	require.Equal(t, []string{"a 2 second", "a 3 first", "b 1 "}, got)
}
