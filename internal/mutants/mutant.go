package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// mutant is one edit of a source that still compiles.
type mutant struct {
	src  *source
	fn   string // with the package's name before it: "spread.runner.lean"
	line int
	from string // what is edited, on one line
	to   string // what it becomes
	nth  int    // among those of the function that look the same, from 1

	at    span   // what is replaced in the source
	text  string // by what, as an editor would do it
	form  form
	node  ast.Node
	other string // form's own: the operator, the changed number
}

// form is how a mutant is written into the overlay.
type form int

const (
	isTrue   form = iota // a condition is true
	isFalse              // a condition is false
	negated              // a condition is the opposite
	compared             // a comparison has another operator
	counted              // a number is another one
	dropped              // a statement, or the statements of a case, are not there
)

// key names a mutant wherever its line moves to.
func (m *mutant) key() string {
	key := fmt.Sprintf("%s: %s → %s", m.fn, m.from, m.to)
	if m.nth > 1 {
		key += fmt.Sprintf(" #%d", m.nth)
	}
	return key
}

// place is the file and line.
func (m *mutant) place() string { return fmt.Sprintf("%s:%d", m.src.name, m.line) }

// diff is the edit as the two lines of a diff.
func (m *mutant) diff() (before, after string) {
	from := strings.LastIndex(m.src.text[:m.at.from], "\n") + 1
	to := len(m.src.text)
	if end := strings.Index(m.src.text[m.at.to:], "\n"); end >= 0 {
		to = m.at.to + end
	}
	before = m.src.text[from:to]
	after = m.src.text[from:m.at.from] + m.text + m.src.text[m.at.to:to]
	return oneLine(before, 150), oneLine(after, 150)
}

// oneLine writes code on one line, cut off behind so many characters; 0 is all.
func oneLine(code string, most int) string {
	text := []rune(strings.Join(strings.Fields(code), " "))
	if most > 0 && len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}

// mutants are all edits of the sources, in the order of their places.
func mutants(sources []*source) []*mutant {
	var out []*mutant
	for _, s := range sources {
		for _, f := range s.funcs {
			e := &editor{src: s, fn: s.pkg.Name() + "." + funcName(f), decl: f}
			e.function()
			slices.SortStableFunc(e.found, func(a, b *mutant) int {
				return cmp.Or(cmp.Compare(a.at.from, b.at.from), cmp.Compare(a.at.to, b.at.to))
			})
			number(e.found)
			out = append(out, e.found...)
		}
	}
	return out
}

// number tells mutants apart that look the same.
func number(all []*mutant) {
	met := map[string]int{}
	for _, m := range all {
		look := m.from + "\x00" + m.to
		met[look]++
		m.nth = met[look]
	}
}
