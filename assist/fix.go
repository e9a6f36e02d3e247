package assist

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue/format"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
)

// Change is a file before and after the fixes of its problems.
type Change struct {
	File     string // absolute
	Old, New []byte
	Titles   []string // what was done, in the order of the file
}

// Fixes applies the first fix of every problem that has one to the files below
// root, in memory. Files elsewhere belong to somebody else and are left alone.
func Fixes(problems diag.List, root string) ([]Change, error) {
	edits := map[string][]diag.Edit{}
	titles := map[string][]string{}
	for _, d := range problems.Sorted() {
		if len(d.Fixes) == 0 {
			continue
		}
		fix := d.Fixes[0]
		file := fix.Edits[0].Pos.Filename()
		if !within(root, file) {
			continue
		}
		edits[file] = append(edits[file], fix.Edits...)
		titles[file] = append(titles[file], fix.Title)
	}
	var out []Change
	for file, list := range edits {
		c, err := apply(file, list)
		if err != nil {
			return nil, err
		}
		c.Titles = titles[file]
		out = append(out, c)
	}
	sorting.By(out, func(a, b Change) int { return strings.Compare(a.File, b.File) })
	return out, nil
}

func within(root, file string) bool {
	rel, err := filepath.Rel(root, file)
	return err == nil && filepath.IsLocal(rel)
}

// apply makes the edits of one file, the last place first so that offsets hold,
// and formats the result.
func apply(file string, edits []diag.Edit) (Change, error) {
	old, err := os.ReadFile(file)
	if err != nil {
		return Change{}, err
	}
	sorting.By(edits, func(a, b diag.Edit) int { return cmp.Compare(b.Pos.Offset(), a.Pos.Offset()) })
	text := slices.Clone(old)
	for _, e := range edits {
		start := e.Pos.Offset()
		if start+e.Len > len(text) {
			return Change{}, fmt.Errorf("%s has changed since it was read", file)
		}
		text = slices.Replace(text, start, start+e.Len, []byte(e.Text)...)
	}
	formatted, err := format.Source(text)
	if err != nil {
		return Change{}, fmt.Errorf("%s: the fixes do not fit together: %w", file, err)
	}
	return Change{File: file, Old: old, New: formatted}, nil
}
