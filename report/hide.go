package report

import (
	"slices"

	"kumiki.dev/diag"
)

// shown are the problems as they are told; the list itself is left alone.
func (r *reporter) shown(problems diag.List) diag.List {
	if r.Hide == nil {
		return problems
	}
	out := make(diag.List, len(problems))
	for i, d := range problems {
		c := *d
		c.Message = r.Hide(d.Message)
		c.Related = slices.Clone(d.Related)
		for j := range c.Related {
			c.Related[j].Message = r.Hide(c.Related[j].Message)
		}
		c.Consequences = r.shown(d.Consequences)
		out[i] = &c
	}
	return out
}

// hides reports whether there is something in a text that is not to be shown.
func (r *reporter) hides(text []byte) bool {
	return r.Hide != nil && r.Hide(string(text)) != string(text)
}

// parts are a line of the source before, in and after a word, as they are told. Where
// what is hidden is cut in two that way, all of the line comes before.
func (r *reporter) parts(line string, begin, end int) (before, word, after string) {
	before, word, after = line[:begin], line[begin:end], line[end:]
	if r.Hide == nil {
		return before, word, after
	}
	whole := r.Hide(line)
	before, word, after = r.Hide(before), r.Hide(word), r.Hide(after)
	if before+word+after != whole {
		return whole, "", ""
	}
	return before, word, after
}
