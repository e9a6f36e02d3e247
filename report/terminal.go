package report

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/width"

	"kumiki.dev/diag"
)

// style is what a terminal is told to change the look of text.
type style string

const (
	bold   style = "1"
	faint  style = "2"
	red    style = "1;31"
	yellow style = "1;33"
)

// ink is the text in a style, if there is any and the reader has a terminal.
func (r *reporter) ink(s style, text string) string {
	if !r.Terminal || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + "\x1b[0m"
}

// The widths of an excerpt, in columns of the terminal.
const (
	tabWidth   = 4
	leftWidth  = 60  // at most before the word that is meant; what is more is cut off
	totalWidth = 110 // at most in all
)

// excerpt is the line at pos with the token there underlined, "" if the source
// is not known.
func (r *reporter) excerpt(pos diag.Pos, s style) string {
	at, ok := r.span(pos)
	if !ok || at.text == nil || at.name == "" {
		return ""
	}
	line, begin := at.line(), at.start.column-1
	if begin > len(line) {
		return ""
	}
	end := len(line) // a token of several lines is underlined to the end of its first
	if at.end.line == at.start.line {
		end = min(at.end.column-1, len(line))
	}
	x, y, z := r.parts(string(line), begin, end)
	before, word, after := cells(x), cells(y), cells(z)
	before = cutLeft(before, leftWidth)
	word = cutRight(word, totalWidth-columns(before))
	after = cutRight(after, totalWidth-columns(before)-columns(word))
	number := fmt.Sprintf("%4d", at.start.line)
	margin := strings.Repeat(" ", len(number))
	under := strings.Repeat(" ", columns(before)) + r.ink(s, strings.Repeat("^", max(1, columns(word))))
	return fmt.Sprintf("%s %s%s%s\n%s %s\n", r.ink(faint, number+" |"), join(before), join(word), join(after), r.ink(faint, margin+" |"), under)
}

// cell is what one character takes on a terminal.
type cell struct {
	text  string
	width int
}

// cells lays text out: tabs become spaces, wide characters take two columns,
// marks none of their own.
func cells(text string) []cell {
	var out []cell
	for _, r := range text {
		switch {
		case r == '\t':
			out = append(out, cell{strings.Repeat(" ", tabWidth), tabWidth})
		case diag.Harmful(r):
			out = append(out, cell{"\uFFFD", 1})
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
			out = append(out, cell{string(r), 0})
		case wide(r):
			out = append(out, cell{string(r), 2})
		default:
			out = append(out, cell{string(r), 1})
		}
	}
	return out
}

func wide(r rune) bool {
	kind := width.LookupRune(r).Kind()
	return kind == width.EastAsianWide || kind == width.EastAsianFullwidth
}

// printable replaces harmful characters where the reader has a terminal.
func (r *reporter) printable(text string) string {
	if !r.Terminal {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && diag.Harmful(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

func columns(cs []cell) int {
	n := 0
	for _, c := range cs {
		n += c.width
	}
	return n
}

func join(cs []cell) string {
	var b strings.Builder
	for _, c := range cs {
		b.WriteString(c.text)
	}
	return b.String()
}

// cutLeft keeps the last columns that fit.
func cutLeft(cs []cell, limit int) []cell {
	n := 0
	for i := len(cs) - 1; i >= 0; i-- {
		if n += cs[i].width; n > limit {
			return append([]cell{{"…", 1}}, cs[i+1:]...)
		}
	}
	return cs
}

// cutRight keeps the first columns that fit.
func cutRight(cs []cell, limit int) []cell {
	n := 0
	for i, c := range cs {
		if n += c.width; n > limit {
			return append(cs[:i:i], cell{"…", 1})
		}
	}
	return cs
}
