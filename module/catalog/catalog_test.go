package catalog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "kumiki.dev/internal/repeatable"
)

// TestPlace follows what notes say about a directory.
func TestPlace(t *testing.T) {
	t.Parallel()
	n := Notes{
		Collections: map[string]string{"data": "big/data", "x.y": "z"},
		Moved:       map[string]string{"old": "new", "new": "newest", "a": "b", "b": "a", "far": "example.org/far/away", "data/q": "never", "big/data/p": "p"},
	}
	tests := map[string]struct {
		now   string
		moved bool
	}{
		".":         {".", false},
		"same":      {"same", false},
		"data":      {"data", false}, // a collection is not an artifact
		"data/k":    {"big/data/k", false},
		"data/k/l":  {"big/data/k/l", false},
		"x.y/k":     {"z/k", false},
		"old":       {"newest", true},
		"far":       {"example.org/far/away", true},
		"a":         {"b", true}, // and back: it stays where a place would come twice
		"data/q":    {"big/data/q", false},
		"data/p":    {"p", true},
		"old/below": {"old/below", false},
	}
	for dir, want := range tests {
		now, moved := n.Place(dir)
		require.Equal(t, want.now, now, dir)
		require.Equal(t, want.moved, moved, dir)
	}
	for dir, want := range map[string]string{".": "", "k": "", "k/l": "k", "big/data/k": "data", "big/k": "big", "z/k": "x.y", "big/data": "big"} {
		require.Equal(t, want, n.collection(dir), dir)
	}
}

// TestMoved asks the innermost module, in its greatest version.
func TestMoved(t *testing.T) {
	t.Parallel()
	ix := New(
		Module{Path: "example.org/a@v1", Version: "v1.10.0", Notes: Notes{Moved: map[string]string{"x": "y", "in/z": "outer"}}},
		Module{Path: "example.org/a@v1", Version: "v1.9.0", Notes: Notes{Moved: map[string]string{"x": "old", "gone": "y"}}},
		Module{Path: "example.org/a/in@v0", Version: "v0.1.0", Notes: Notes{Moved: map[string]string{"z": "example.org/b", ".": "example.org/c"}}},
	)
	for path, want := range map[string]string{
		"example.org/a/x":    "example.org/a/y",
		"example.org/a/gone": "example.org/a/gone",
		"example.org/a/in/z": "example.org/b",
		"example.org/a/in":   "example.org/c",
		"example.org/ab":     "example.org/ab",
		"example.org/a":      "example.org/a",
	} {
		now, moved := ix.Moved(path)
		require.Equal(t, want, now, path)
		require.Equal(t, want != path, moved, path)
	}
}

func TestDescription(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]string{"One. Two.": "One.", "One": "One", "v1.2 of it. More": "v1.2 of it."} {
		require.Equal(t, want, Entry{Artifact: Artifact{Doc: []string{doc, "Another."}}}.Description())
	}
	require.Empty(t, Entry{}.Description())
}

// TestRoundTrip reads what was written, in whatever order modules are given.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	name := rapid.StringMatching(`[a-z]{1,3}`)
	modules := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Module {
		m := Module{Path: "example.org/" + name.Draw(t, "module") + "@v1", Version: "v1." + rapid.StringMatching(`[0-9]|[1-9][0-9]`).Draw(t, "minor") + ".0", Artifacts: []Artifact{}}
		for _, dir := range rapid.SliceOfNDistinct(name, 0, 3, rapid.ID[string]).Draw(t, "dirs") {
			m.Artifacts = append(m.Artifacts, Artifact{Path: m.Base() + "/" + dir, Name: dir, Kind: "component", Doc: []string{rapid.String().Draw(t, "doc")}})
		}
		return m
	}), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		all := modules.Draw(t, "modules")
		seen := map[string]bool{}
		var once []Module
		for _, m := range all {
			if key := m.Path + m.Version; !seen[key] {
				seen[key] = true
				once = append(once, m)
			}
		}
		data, err := New(once...).Bytes()
		require.NoError(t, err)
		ix, err := Read(data)
		require.NoError(t, err)
		again, err := New(rapid.Permutation(once).Draw(t, "order")...).Bytes()
		require.NoError(t, err)
		if diff := cmp.Diff(string(data), string(again)); diff != "" {
			t.Fatal(diff)
		}
		for _, e := range ix.Entries() {
			require.Contains(t, refs(ix.Search(strings.ToUpper(e.Name), "component")), e.Reference())
		}
	})
}

func refs(entries []Entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Reference())
	}
	return out
}

// FuzzRead reads what nobody wrote, and asks what it would be asked.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		`{}`, `[]`, `null`, `{"format": "kumiki.index/v1", "modules": null}`,
		`{"format": "kumiki.index/v1", "modules": [{"module": "example.org/a@v1", "version": "v1.0.0", "artifacts": [{"path": "example.org/a/b", "doc": [""], "config": {}}], "moved": {"a": "b", "b": "a"}}]}`,
		`{"format": "kumiki.index/v1", "modules": [{"module": "@v1", "version": "v1"}]}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		ix, err := Read(data)
		if err != nil {
			return
		}
		for _, e := range ix.Entries() {
			_ = e.Description()
			ix.Moved(e.Path)
		}
		_ = ix.Search("a", "b")
		text, err := ix.Bytes()
		require.NoError(t, err)
		_, err = Read(text)
		require.NoError(t, err)
		require.True(t, json.Valid(text))
	})
}
