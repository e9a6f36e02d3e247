package compiler_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// lineEdit replaces the lines from up to, but not including, to of a text.
type lineEdit struct {
	from, to int
	text     []string
}

// grows is how many lines more there are after the edit.
func (e lineEdit) grows() int { return len(e.text) - (e.to - e.from) }

// overlaps reports whether both edits change the same lines, or one adds some where
// the other changes something.
func (e lineEdit) overlaps(o lineEdit) bool {
	if e.from == e.to || o.from == o.to {
		return e.from <= o.to && o.from <= e.to
	}
	return e.from < o.to && o.from < e.to
}

// lineEdits are the fewest edits that make b of a.
func lineEdits(a, b []string) (edits []lineEdit) {
	common := make([][]int, len(a)+1) // lines that a[i:] and b[j:] have in common
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
			continue
		}
		if n := len(edits); n == 0 || edits[n-1].to != i || edits[n-1].from == edits[n-1].to && len(edits[n-1].text) == 0 {
			edits = append(edits, lineEdit{from: i, to: i})
		}
		e := &edits[len(edits)-1]
		if j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1] {
			i++
			e.to = i
		} else {
			e.text = append(e.text, b[j])
			j++
		}
	}
	return edits
}

// applied is text after edits, which are sorted.
func applied(text []string, edits []lineEdit) (out []string) {
	at := 0
	for _, e := range edits {
		out = append(append(out, text[at:e.from]...), e.text...)
		at = e.to
	}
	return append(out, text[at:]...)
}

// anchor is the line of the original that line n (from 0) of the edited text
// stands at, and whether it is there unchanged.
func anchorOf(n int, edits []lineEdit) (line int, unchanged bool) {
	grown := 0
	for _, e := range edits {
		start := e.from + grown
		if n < start {
			break
		}
		if n < start+len(e.text) {
			return e.from, false
		}
		grown += e.grows()
	}
	return n - grown, true
}

// firstLine is the first line of a problem. Its file is "" where it has no place.
type firstLine struct {
	file      string
	line, col int
	text      string
}

func (l firstLine) String() string {
	if l.file == "" {
		return l.text
	}
	return fmt.Sprintf("%s:%d:%d: %s", l.file, l.line, l.col, l.text)
}

// mistake is what the line is about: its place and its code.
func (l firstLine) mistake() string {
	return fmt.Sprintf("%s:%d:%d %s", l.file, l.line, l.col, l.text[strings.LastIndex(l.text, "["):])
}

// beside is the line as it is where a text has other edits beside its own; false
// if the others change the very line that it is about.
func (l firstLine) beside(own, others []lineEdit) (firstLine, bool) {
	if l.file == "" {
		return l, true
	}
	at, unchanged := anchorOf(l.line-1, own)
	for _, e := range others {
		if unchanged && e.from <= at && at < e.to {
			return l, false
		}
		if e.to <= at {
			l.line += e.grows()
		}
	}
	return l, true
}

// placed matches a first line with a place.
var placed = regexp.MustCompile(`^([^ :]+):(\d+):(\d+): (.*)$`)

// firstLines reads the first lines of problems as [text] writes them.
func firstLines(text string) (lines []firstLine) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		m := placed.FindStringSubmatch(line)
		switch {
		case strings.HasPrefix(line, " "):
		case m == nil:
			lines = append(lines, firstLine{text: strings.TrimPrefix(line, "-: ")})
		default:
			n, _ := strconv.Atoi(m[2])
			col, _ := strconv.Atoi(m[3])
			lines = append(lines, firstLine{m[1], n, col, m[4]})
		}
	}
	return lines
}

// places are all places that a text of problems names.
func places(text string) (out []firstLine) {
	for line := range strings.Lines(text) {
		out = append(out, firstLines(strings.TrimSpace(line))...)
	}
	return out
}

// together are the edits of both, sorted; false if any overlap.
func together(a, b []lineEdit) ([]lineEdit, bool) {
	for _, x := range a {
		if slices.ContainsFunc(b, x.overlaps) {
			return nil, false
		}
	}
	all := slices.Concat(a, b)
	slices.SortFunc(all, func(x, y lineEdit) int { return x.from - y.from })
	return all, true
}
