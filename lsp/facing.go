package lsp

import (
	"bytes"
	"maps"
	"slices"
)

// moved tells where lines of a text have gone in a newer one: those before the
// first difference are where they were, those behind the last have moved
// together, and those between are not known any more.
type moved struct{ same, tail, by int }

func movedLines(old, now *lines) moved {
	if old == now || bytes.Equal(old.text, now.text) {
		return moved{same: len(old.starts)}
	}
	a, b := bytes.Split(old.text, []byte("\n")), bytes.Split(now.text, []byte("\n"))
	m := moved{by: len(b) - len(a)}
	for m.same < min(len(a), len(b)) && bytes.Equal(a[m.same], b[m.same]) {
		m.same++
	}
	n := 0
	for n < min(len(a), len(b))-m.same && bytes.Equal(a[len(a)-1-n], b[len(b)-1-n]) {
		n++
	}
	m.tail = len(a) - n
	return m
}

// line is where a line is now.
func (m moved) line(old int) (int, bool) {
	switch {
	case old < m.same:
		return old, true
	case m.tail > 0 && old >= m.tail:
		return old + m.by, true
	}
	return 0, false
}

func (m moved) span(r textRange) (textRange, bool) {
	start, ok := m.line(r.Start.Line)
	end, too := m.line(r.End.Line)
	r.Start.Line, r.End.Line = start, end
	return r, ok && too && end >= start
}

// facts are what is known of a file's fields, where they are now, of the first
// deployment of the workspace that has it. It holds s.mu.
func (s *server) facts(file string) (*target, []fact) {
	d := s.documents[file]
	if d == nil {
		return nil, nil
	}
	for _, dir := range slices.Sorted(maps.Keys(s.targets)) {
		t := s.targets[dir]
		if t.good == nil || t.texts[file] == nil {
			continue
		}
		var out []fact
		m := movedLines(t.texts[file], d.lines)
		for _, f := range t.good.Facts {
			if f.File != file {
				continue
			}
			label, ok := m.span(f.Label)
			value, too := m.span(f.Value)
			if f.Label, f.Value = label, value; ok && too {
				out = append(out, f)
			}
		}
		if len(out) > 0 {
			return t, out
		}
	}
	return nil, nil
}

// shapes returns the shape of the artifact that a file's package is, or
// deploys, and all others. It holds s.mu.
func (s *server) shapes(file string) (own *shape, all map[string]*shape) {
	for _, dir := range slices.Sorted(maps.Keys(s.targets)) {
		t := s.targets[dir]
		if t.good == nil {
			continue
		}
		if name, ok := t.good.Packages[file]; ok {
			if own := t.good.Shapes[name]; own != nil {
				return own, t.good.Shapes
			}
			return t.good.Shapes[t.good.Root], t.good.Shapes
		}
	}
	return nil, nil
}

func (r textRange) contains(p position) bool {
	return !p.before(r.Start) && !r.End.before(p)
}

func (p position) before(q position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Character < q.Character
}

func (r textRange) overlaps(q textRange) bool {
	return !r.End.before(q.Start) && !q.End.before(r.Start)
}
