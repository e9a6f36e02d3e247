package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// fixAll is the kind of the action that applies all fixes of a file at once.
const fixAll = "source.fixAll.kumiki"

const missingField = string(diag.Missing)

func dirOf(file string) string { return filepath.Dir(file) }

// codeActions are the fixes of the problems in a range, and all of the file's.
func (s *server) codeActions(ctx context.Context, params json.RawMessage) (any, error) {
	s.wait(ctx, patience)
	p, file := s.document(params)
	s.mu.Lock()
	defer s.mu.Unlock()
	out := []codeAction{}
	if !s.current(file) {
		return out, nil // the places are those of another text
	}
	all, missing := newFixes(), newFixes()
	here := 0 // the missing fields that the range is about
	for _, x := range s.problems()[file] {
		for i, f := range x.Fixes {
			if !s.ours(f) {
				continue
			}
			inRange := x.Shown.Range.overlaps(p.Range)
			if i == 0 {
				all.add(f)
			}
			if i == 0 && x.Shown.Code == missingField {
				missing.add(f)
				here += map[bool]int{true: 1}[inRange]
			}
			if inRange && wants(p.Context.Only, "quickfix") {
				out = append(out, codeAction{f.Title, "quickfix", s.shown([]problem{x}), len(x.Fixes) == 1, &workspaceEdit{s.edits(f)}})
			}
		}
	}
	if here > 0 && missing.n > 1 && wants(p.Context.Only, "quickfix") {
		out = append(out, codeAction{Title: "add " + plural(missing.n, "missing field"), Kind: "quickfix", Edit: &workspaceEdit{s.edits(missing.change)}})
	}
	if all.n > 0 && wants(p.Context.Only, fixAll) {
		out = append(out, codeAction{Title: "mend what can be mended for certain (" + plural(all.n, "problem") + ")", Kind: fixAll, Edit: &workspaceEdit{s.edits(all.change)}})
	}
	return out, nil
}

// fixes are several that are made at once, each of them once.
type fixes struct {
	change
	n    int
	seen map[string][]textEdit
}

func newFixes() *fixes {
	return &fixes{change{Edits: map[string][]textEdit{}}, 0, map[string][]textEdit{}}
}

// add joins the edits of a fix. Lines that are added at one place become one edit:
// clients differ in the order that they would make of several.
func (x *fixes) add(f change) {
	added := 0
	for _, uri := range sorting.Ordered(f.Edits) {
		for _, e := range f.Edits[uri] {
			if filter.Contains(x.seen[uri], e) {
				continue
			}
			added = 1
			x.seen[uri] = append(x.seen[uri], e)
			i := slices.IndexFunc(x.Edits[uri], func(o textEdit) bool { return o.Range == e.Range && e.Range.Start == e.Range.End })
			if i < 0 {
				x.Edits[uri] = append(x.Edits[uri], e)
				continue
			}
			x.Edits[uri][i].NewText = strings.TrimRight(e.NewText, "\n\t ") + x.Edits[uri][i].NewText
		}
	}
	x.n += added
}

// wants reports whether the client asked for the kind, or for one above it.
func wants(only []string, kind string) bool {
	return len(only) == 0 || filter.Any(only, func(o string) bool {
		return o == kind || strings.HasPrefix(kind, o+".")
	})
}

// ours reports whether a fix stays in the workspace and the open files: what lies
// elsewhere belongs to somebody else.
func (s *server) ours(f change) bool {
	for uri := range f.Edits {
		if s.documents[fileOf(uri)] == nil && !filter.Any(s.folders, func(dir string) bool {
			return inside(dir, fileOf(uri))
		}) {
			return false
		}
	}
	return true
}

// current reports whether nothing that concerns the file waits to be compiled.
func (s *server) current(file string) bool {
	for _, t := range s.targets {
		if (t.dirty || t.cancel != nil) && t.concerns(file) {
			return false
		}
	}
	return true
}
