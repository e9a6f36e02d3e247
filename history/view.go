package history

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"kumiki.dev/internal/program"
	"kumiki.dev/solution"
)

// viewsDir holds what was derived of solutions, a file for each [View]. It may be
// removed at any time.
const viewsDir = ".views"

// maxViews is how many files it may have: a view may be asked for with options that are
// never given again.
const maxViews = 24

// View is something that is derived of a solution, for questions about many of them. A
// store keeps it by the solution's digest, so that the next question reads one file in
// place of all solutions. What is kept can't be out of date: a solution that has changed
// has another digest, and what another program has derived is not used. What is damaged
// is derived again.
type View[T any] struct {
	// Name is that of the file: letters, digits and hyphens.
	Name string
	// Of derives it; the result is kept as JSON.
	Of func(*solution.Solution) (T, error)
}

// Each is the view of each entry, in their order.
func (v View[T]) Each(s *Store, entries []Named) ([]T, error) {
	kept := s.readView(v.Name)
	out := make([]T, len(entries))
	all := make(map[string]json.RawMessage, len(entries))
	added := false
	for i, e := range entries {
		text, ok := kept[e.Digest]
		if ok && json.Unmarshal(text, &out[i]) == nil {
			all[e.Digest] = text
			continue
		}
		if s.told != nil {
			s.told(i+1, len(entries))
		}
		sol, err := s.Solution(e.Name, e.Entry)
		if err != nil {
			return nil, err
		}
		if out[i], err = v.Of(sol); err != nil {
			return nil, err
		}
		if text, err = json.Marshal(out[i]); err != nil {
			return nil, err
		}
		all[e.Digest], added = text, true
	}
	if added {
		s.writeView(v.Name, entries, all)
	}
	return out, nil
}

// viewHead is the first line of a view's file: the sum of what follows, which only the
// same program makes of it.
func viewHead(body []byte) ([]byte, bool) {
	id, err := program.ID()
	if err != nil {
		return nil, false
	}
	return fmt.Appendf(nil, "kumiki view 1 %x\n", sha256.Sum256(append(id[:], body...))), true
}

// readView is what is kept of a view, by digests; nothing where the file is not whole, or
// another program's.
func (s *Store) readView(name string) map[string]json.RawMessage {
	data, err := s.files.ReadFile(s.path(viewsDir, name))
	if err != nil {
		return nil
	}
	at := bytes.IndexByte(data, '\n') + 1
	head, ok := viewHead(data[at:])
	if !ok || !bytes.Equal(head, data[:at]) {
		return nil
	}
	out := map[string]json.RawMessage{}
	for line := range bytes.Lines(data[at:]) {
		digest, text, ok := bytes.Cut(line, []byte(" "))
		if !ok {
			return nil
		}
		out[string(digest)] = text
	}
	return out
}

// writeView keeps a view for the next question. Who asks has the answer already: where it
// cannot be written, the next question takes longer.
func (s *Store) writeView(name string, entries []Named, all map[string]json.RawMessage) {
	var body bytes.Buffer
	for _, e := range entries {
		text, ok := all[e.Digest]
		if !ok {
			continue // another name has the same solution
		}
		fmt.Fprintf(&body, "%s %s\n", e.Digest, bytes.TrimSuffix(text, []byte("\n")))
		delete(all, e.Digest)
	}
	head, ok := viewHead(body.Bytes())
	if !ok {
		return
	}
	if names, err := s.files.ReadDir(s.path(viewsDir)); err == nil && len(names) > maxViews {
		for _, old := range names {
			_ = s.files.Remove(s.path(viewsDir, old))
		}
	}
	// A store may be kept in Git, and what is derived is not for others.
	_ = s.files.Replace(s.path(viewsDir, ".gitignore"), []byte("*\n"))
	_ = s.files.Replace(s.path(viewsDir, name), append(head, body.Bytes()...))
}
