package lsp

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"kumiki.dev/internal/diag"
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
	all := change{Edits: map[string][]textEdit{}}
	fixes := 0
	for _, x := range s.problems()[file] {
		for i, f := range x.Fixes {
			if !s.ours(f) {
				continue
			}
			if i == 0 {
				fixes += all.add(f)
			}
			if x.Shown.Range.overlaps(p.Range) && wants(p.Context.Only, "quickfix") {
				out = append(out, codeAction{f.Title, "quickfix", s.shown([]problem{x}), len(x.Fixes) == 1, &workspaceEdit{s.edits(f)}})
			}
		}
	}
	if fixes > 0 && wants(p.Context.Only, fixAll) {
		out = append(out, codeAction{Title: "mend what can be mended for certain (" + plural(fixes, "problem") + ")", Kind: fixAll, Edit: &workspaceEdit{s.edits(all)}})
	}
	return out, nil
}

// add joins the edits of a fix, unless they are there already, and returns how
// many fixes that were.
func (c *change) add(f change) int {
	added := 0
	for uri, edits := range f.Edits {
		for _, e := range edits {
			if !slices.Contains(c.Edits[uri], e) {
				c.Edits[uri] = append(c.Edits[uri], e)
				added = 1
			}
		}
	}
	return added
}

// wants tells whether the client asked for the kind, or for one above it.
func wants(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool {
		return o == kind || strings.HasPrefix(kind, o+".")
	})
}

// ours tells whether a fix stays in the workspace and the open files: what lies
// elsewhere belongs to somebody else.
func (s *server) ours(f change) bool {
	for uri := range f.Edits {
		if s.documents[fileOf(uri)] == nil && !slices.ContainsFunc(s.folders, func(dir string) bool {
			rel, err := filepath.Rel(dir, fileOf(uri))
			return err == nil && filepath.IsLocal(rel)
		}) {
			return false
		}
	}
	return true
}

// current tells whether nothing that concerns the file waits to be compiled.
func (s *server) current(file string) bool {
	for _, t := range s.targets {
		if (t.dirty || t.cancel != nil) && t.concerns(file) {
			return false
		}
	}
	return true
}
