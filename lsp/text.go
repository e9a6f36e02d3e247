package lsp

import (
	"bytes"
	"net/url"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// lines is a text with the offsets of its lines, to turn offsets into the
// protocol's positions and back.
type lines struct {
	text   []byte
	starts []int
}

func newLines(text []byte) *lines {
	l := &lines{text: text, starts: []int{0}}
	for i, b := range text {
		if b == '\n' {
			l.starts = append(l.starts, i+1)
		}
	}
	return l
}

// position is that of a byte offset.
func (l *lines) position(offset int) position {
	offset = min(max(offset, 0), len(l.text))
	line := sort.SearchInts(l.starts, offset+1) - 1
	n := 0
	for rest := l.text[l.starts[line]:offset]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		n += max(utf16.RuneLen(r), 1)
		rest = rest[size:]
	}
	return position{line, n}
}

// offset is the inverse of position; what lies beyond a line's end is its end.
func (l *lines) offset(p position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(l.starts):
		return len(l.text)
	}
	rest := l.text[l.starts[p.Line]:]
	if end := bytes.IndexByte(rest, '\n'); end >= 0 {
		rest = rest[:end]
	}
	at := l.starts[p.Line]
	for n := 0; n < p.Character && len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		n += max(utf16.RuneLen(r), 1)
		at += size
		rest = rest[size:]
	}
	return at
}

func (l *lines) span(start, end int) textRange {
	return textRange{l.position(start), l.position(end)}
}

// change applies an edit of the client.
func (l *lines) change(c contentChange) *lines {
	if c.Range == nil {
		return newLines([]byte(c.Text))
	}
	start, end := l.offset(c.Range.Start), l.offset(c.Range.End)
	end = max(start, end)
	text := make([]byte, 0, len(l.text)+len(c.Text))
	text = append(append(append(text, l.text[:start]...), c.Text...), l.text[end:]...)
	return newLines(text)
}

// fileOf is the path of a file URI, "" for any other.
func fileOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" || u.Path == "" {
		return ""
	}
	p := u.Path
	if len(p) > 2 && p[0] == '/' && p[2] == ':' { // /C:/…
		p = p[1:]
	}
	return filepath.Clean(filepath.FromSlash(p))
}

// uriOf is the URI of an absolute path.
func uriOf(file string) string {
	p := filepath.ToSlash(file)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}
