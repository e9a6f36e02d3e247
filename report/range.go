package report

import "kumiki.dev/diag"

// Range is the token at pos in the file's contents, as byte offsets. It is
// empty where nothing begins at pos, and not ok where pos is none of this text.
func Range(pos diag.Pos, text []byte) (start, end int, ok bool) {
	if !pos.IsValid() {
		return 0, 0, false
	}
	s, ok := newReporter(Options{Source: func(string) []byte { return text }}).span(pos)
	if !ok || s.text == nil {
		return 0, 0, false
	}
	return s.start.offset, s.end.offset, true
}
