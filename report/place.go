package report

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"kumiki.dev/diag"
)

// point is a place in a text.
type point struct {
	line   int // from 1
	column int // from 1, in bytes
	chars  int // from 1, in code points; column where the text is not known
	offset int // from 0, in bytes
}

// span is a part of a file: a word, a literal, or nothing at a point.
type span struct {
	name       string // as it is shown, with slashes
	file       string // as the position has it
	text       []byte // the file's contents, nil where they are not known
	start, end point
}

// span is the token at pos. Its end is its start where the file's contents are
// not known, or no longer those that pos was made for.
func (r *reporter) span(pos diag.Pos) (span, bool) {
	if !pos.IsValid() {
		return span{}, false
	}
	s := r.from(pos)
	if s.text != nil {
		at := s.start.offset
		end := at + tokenLen(s.file, s.text[at:])
		if !r.hides(s.text[at:end]) {
			s.end = pointAt(s.text, end)
		}
	}
	return s, true
}

// stretch is the n bytes at pos.
func (r *reporter) stretch(pos diag.Pos, n int) span {
	s := r.from(pos)
	if s.text != nil && s.start.offset+n <= len(s.text) {
		s.end = pointAt(s.text, s.start.offset+n)
		return s
	}
	s.end.column, s.end.chars, s.end.offset = s.start.column+n, s.start.chars+n, s.start.offset+n
	return s
}

// from is the span of no length at pos.
func (r *reporter) from(pos diag.Pos) span {
	p := pos.Position()
	s := span{name: r.Called(p.Filename), file: p.Filename}
	s.start = point{line: p.Line, column: p.Column, chars: p.Column, offset: p.Offset}
	if text := r.source(p.Filename); text != nil && p.Offset <= len(text) {
		if at := pointAt(text, p.Offset); at.line == p.Line && at.column == p.Column {
			s.text, s.start = text, at
		}
	}
	s.end = s.start
	return s
}

// pointAt is the point at an offset of a text.
func pointAt(text []byte, offset int) point {
	before := text[:offset]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return point{
		line:   1 + bytes.Count(before, []byte("\n")),
		column: 1 + len(line),
		chars:  1 + utf8.RuneCount(line),
		offset: offset,
	}
}

// line is the line that the span starts in, without its end.
func (s span) line() string {
	begin := s.start.offset - (s.start.column - 1)
	line, _, _ := strings.Cut(string(s.text[begin:]), "\n")
	return strings.TrimSuffix(line, "\r")
}

// Place is "file:line:col: " with the file as reports have it; "" for no place.
func (o Options) Place(pos diag.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	p := pos.Position()
	return fmt.Sprintf("%s:%d:%d: ", o.Called(p.Filename), p.Line, p.Column)
}

// Called is the name of a file as reports have it: relative to the directory where it lies
// near that, and without a cache's own.
func (o Options) Called(file string) string {
	if o.Name != nil {
		file = o.Name(file)
	}
	return shown(file, o.Dir)
}

func shown(file, dir string) string {
	rel, err := filepath.Rel(dir, file)
	if err == nil && filepath.IsAbs(file) && (rel == ".." || !strings.HasPrefix(filepath.ToSlash(rel), "../../..")) {
		return filepath.ToSlash(rel)
	}
	return file
}
