package diag

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Location is where a parser found something. The positions of CUE's parser
// are locations, those of a [File] too.
type Location interface {
	IsValid() bool
	Filename() string
	Offset() int // in bytes, from 0
	Line() int   // from 1
	Column() int // in bytes, from 1
}

// Pos is a position in a source. It is comparable, keeps no more than the parser
// gave, and works out line and column when they are asked for. The zero value is
// no position, and not valid.
type Pos struct{ location Location }

// NoPos is no position.
var NoPos = Pos{}

// At returns the position of a location, the zero value for one that is not valid.
func At(l Location) Pos {
	if l == nil || !l.IsValid() {
		return Pos{}
	}
	return Pos{l}
}

// Location returns what the position was made of, nil for the zero value.
func (p Pos) Location() Location { return p.location }

// IsValid reports whether there is a position at all.
func (p Pos) IsValid() bool { return p.location != nil }

// Filename returns the name of the file, "" without a position.
func (p Pos) Filename() string {
	if p.location == nil {
		return ""
	}
	return p.location.Filename()
}

// Offset returns the offset in the file, in bytes from 0.
func (p Pos) Offset() int {
	if p.location == nil {
		return 0
	}
	return p.location.Offset()
}

// Line returns the number of the line, from 1; 0 without a position.
func (p Pos) Line() int {
	if p.location == nil {
		return 0
	}
	return p.location.Line()
}

// Column returns the number of the byte in the line, from 1; 0 without a position.
func (p Pos) Column() int {
	if p.location == nil {
		return 0
	}
	return p.location.Column()
}

// Position returns the position as plain values.
func (p Pos) Position() Position {
	return Position{Filename: p.Filename(), Offset: p.Offset(), Line: p.Line(), Column: p.Column()}
}

// String returns file:line:column, "-" without a position.
func (p Pos) String() string { return p.Position().String() }

// Position is a [Pos] as plain values.
type Position struct {
	Filename string
	Offset   int // in bytes, from 0
	Line     int // from 1; 0 is no position
	Column   int // in bytes, from 1
}

// IsValid reports whether there is a position at all.
func (p Position) IsValid() bool { return p.Line > 0 }

// String returns file:line:column, without what is not known; "-" for nothing.
func (p Position) String() string {
	s := p.Filename
	if p.IsValid() {
		if s != "" {
			s += ":"
		}
		s += fmt.Sprintf("%d:%d", p.Line, p.Column)
	}
	return cmp.Or(s, "-")
}

// File is a text whose positions are not CUE's: JSON or YAML, for example.
type File struct {
	name  string
	lines []int // where each begins
	size  int
}

// NewFile returns the file of a name and a content.
func NewFile(name string, content []byte) *File {
	f := &File{name: name, lines: []int{0}, size: len(content)}
	for i, b := range content {
		if b == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
	return f
}

// Pos returns the position at an offset: the last one, if there are not so many
// bytes.
func (f *File) Pos(offset int) Pos { return Pos{inFile{f, min(offset, f.size)}} }

// inFile is a location in a [File].
type inFile struct {
	file   *File
	offset int
}

func (p inFile) IsValid() bool    { return true }
func (p inFile) Filename() string { return p.file.name }
func (p inFile) Offset() int      { return p.offset }

func (p inFile) Line() int {
	line, found := slices.BinarySearch(p.file.lines, p.offset)
	if found {
		line++
	}
	return line
}

func (p inFile) Column() int { return p.offset - p.file.lines[p.Line()-1] + 1 }

// Compare orders positions by file, line and column.
func (p Pos) Compare(q Pos) int {
	a, b := p.Position(), q.Position()
	return cmp.Or(strings.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
