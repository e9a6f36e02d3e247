package lsp

import (
	"bytes"

	"kumiki.dev/internal/sorting"
)

// moved tells where lines of a text have gone in a newer one; what was edited is
// not known any more.
type moved map[int]int

// movedLines finds the lines that are the same: those before the first
// difference, those behind the last, and between them those that are there once.
func movedLines(old, now *lines) moved {
	a, b := bytes.Split(old.text, []byte("\n")), bytes.Split(now.text, []byte("\n"))
	m := moved{}
	head, tail := 0, 0
	for head < min(len(a), len(b)) && bytes.Equal(a[head], b[head]) {
		m[head] = head
		head++
	}
	for tail < min(len(a), len(b))-head && bytes.Equal(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
		m[len(a)-tail] = len(b) - tail
	}
	was, is := once(a[head:len(a)-tail]), once(b[head:len(b)-tail])
	for text, i := range was {
		if j, ok := is[text]; ok && i >= 0 && j >= 0 {
			m[head+i] = head + j
		}
	}
	return m
}

// once is where each text is, -1 for one that is there twice.
func once(list [][]byte) map[string]int {
	out := map[string]int{}
	for i, text := range list {
		if _, twice := out[string(text)]; twice {
			i = -1
		}
		out[string(text)] = i
	}
	return out
}

func (m moved) span(r textRange) (textRange, bool) {
	start, ok := m[r.Start.Line]
	end, too := m[r.End.Line]
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
	for _, dir := range sorting.Ordered(s.targets) {
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
	for _, dir := range sorting.Ordered(s.targets) {
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
