package main

import (
	"strings"
	"unicode/utf8"
)

// table is one of Markdown, whose columns are aligned for who reads it as text.
type table struct {
	header []string
	rows   [][]string
}

func (t table) String() string {
	widths := make([]int, len(t.header))
	for _, row := range append([][]string{t.header}, t.rows...) {
		for i, x := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(x), 3)
		}
	}
	var b strings.Builder
	line(&b, t.header, widths)
	for i, w := range widths {
		rule := strings.Repeat("-", w)
		if i > 0 {
			rule = rule[:w-1] + ":" // figures are aligned at the right
		}
		b.WriteString("| " + rule + " ")
	}
	b.WriteString("|\n")
	for _, row := range t.rows {
		line(&b, row, widths)
	}
	return b.String()
}

func line(b *strings.Builder, row []string, widths []int) {
	for i, x := range row {
		padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(x))
		if i == 0 {
			b.WriteString("| " + x + padding + " ")
		} else {
			b.WriteString("| " + padding + x + " ")
		}
	}
	b.WriteString("|\n")
}
