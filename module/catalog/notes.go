package catalog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"strings"

	"cuelang.org/go/mod/modfile"

	"kumiki.dev/internal/sorting"
)

// Section is the key of kumiki's section among those of custom: in
// cue.mod/module.cue.
const Section = "kumiki.dev@v0"

// Notes are what the author of a module says about its artifacts in the module
// file, all by directories of the module ("." for its root):
//
//	custom: "kumiki.dev@v0": {
//		collections: data: "big-data"
//		moved: "queue/kafka": "data/kafka"
//		deprecated: "site": "use shop"
//	}
type Notes struct {
	// Collections are the directories that collections stand for. A collection
	// that is not there is a directory of the module.
	Collections map[string]string `json:"collections,omitempty"`
	// Moved says where the artifact that was in a directory is now: in another
	// one, or at a full path in another module.
	Moved map[string]string `json:"moved,omitempty"`
	// Deprecated says what to use in place of the artifact in a directory.
	Deprecated map[string]string `json:"deprecated,omitempty"`
}

// NotesOf reads the notes in a module file; without any they are empty.
func NotesOf(f *modfile.File) (Notes, error) {
	var n Notes
	section, ok := f.Custom[Section]
	if !ok {
		return n, nil
	}
	section = maps.Clone(section)
	delete(section, "lints") // which load reads
	text, err := json.Marshal(section)
	if err != nil {
		return n, err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err = dec.Decode(&n); err == nil {
		err = n.check()
	}
	if err != nil {
		return Notes{}, fmt.Errorf("custom: %q in cue.mod/module.cue: %w; it is expected to have collections, moved and deprecated, as in moved: \"queue/kafka\": \"data/kafka\"", Section, err)
	}
	return n, nil
}

func (n Notes) check() error {
	for _, name := range sorting.Ordered(n.Collections) {
		if dir := n.Collections[name]; name == "" || strings.Contains(name, "/") || !fs.ValidPath(name) || !fs.ValidPath(dir) {
			return fmt.Errorf("collection %q can't be %q: a collection is one name, and stands for a directory of the module", name, dir)
		}
	}
	for _, dir := range sorting.Ordered(n.Moved) {
		if to := n.Moved[dir]; !fs.ValidPath(dir) || !fs.ValidPath(to) || dir == to {
			return fmt.Errorf("%q can't have been moved to %q", dir, to)
		}
	}
	for _, dir := range sorting.Ordered(n.Deprecated) {
		if !fs.ValidPath(dir) {
			return fmt.Errorf("%q is no directory of the module", dir)
		}
	}
	return nil
}

// Place is where the artifact that a reference has in dir is: there, or in the
// directory of its collection, or where it was moved to. Moved artifacts are
// followed as long as no place comes twice.
func (n Notes) Place(dir string) (now string, moved bool) {
	now = n.collected(dir)
	seen := map[string]bool{dir: true}
	for {
		to, ok := n.Moved[now]
		if !ok || seen[to] {
			return now, moved
		}
		seen[to] = true
		now, moved = n.collected(to), true
	}
}

// collected replaces a collection at the beginning by its directory.
func (n Notes) collected(dir string) string {
	if first, rest, deep := strings.Cut(dir, "/"); deep {
		if at, ok := n.Collections[first]; ok {
			return path.Join(at, rest)
		}
	}
	return dir
}

// collection is the name of the collection that a directory lies in: that
// which stands for the longest path to it, else the first directory, if it is
// not the artifact's own.
func (n Notes) collection(dir string) string {
	best, at := "", ""
	for _, name := range sorting.Ordered(n.Collections) {
		if place := n.Collections[name]; strings.HasPrefix(dir, place+"/") && len(place) > len(at) {
			best, at = name, place
		}
	}
	if best != "" {
		return best
	}
	if first, _, deep := strings.Cut(dir, "/"); deep {
		return first
	}
	return ""
}
