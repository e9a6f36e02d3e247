package matrix

import (
	"fmt"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/environment"
)

// CellProblem is a problem of one or several cells.
type CellProblem struct {
	*diag.Diagnostic
	Cells []*Result
	// Others are the same problem as it is told of the other cells.
	Others diag.List
}

// Problems are what is wrong with cells, each with the cells that it is wrong with: one
// mistake in a template is one problem, in however many environments.
func (m *Matrix) Problems() (out []CellProblem) {
	at := map[string]int{}
	words := map[*environment.Environment]*strings.Replacer{}
	for _, r := range m.Results {
		for _, d := range r.Problems {
			key := m.alike(r, d, words)
			i, ok := at[key]
			if !ok {
				i = len(out)
				at[key] = i
				out = append(out, CellProblem{Diagnostic: d})
			} else if out[i].Diagnostic != d {
				out[i].Others = append(out[i].Others, d)
			}
			if cells := out[i].Cells; len(cells) == 0 || cells[len(cells)-1] != r {
				out[i].Cells = append(cells, r)
			}
		}
	}
	return out
}

// alike returns a key that is the same for problems that are the same mistake. A warning about one place
// of an artifact is one for all that deploy it on a target.
func (m *Matrix) alike(r *Result, d *diag.Diagnostic, words map[*environment.Environment]*strings.Replacer) string {
	switch {
	case !d.Pos.IsValid():
		return fmt.Sprintf("\x00%s\x00%s", d.Code, d.Message)
	case d.Severity == diag.Warning && d.Code == diag.PolicyBroken && len(d.Related) > 0:
		return fmt.Sprintf("%s\x00%s", d.Pos, d.Related[len(d.Related)-1].Pos)
	case d.Severity == diag.Warning:
		return fmt.Sprintf("%s\x00%s\x00%s", d.Pos, d.Code, r.Environment.Target)
	case d.Pos.Filename() == r.Environment.Pos.Filename(): // one value, which no template takes
		return fmt.Sprintf("%s\x00%s", d.Pos, d.Code)
	}
	if words[r.Environment] == nil {
		words[r.Environment] = m.words(r.Environment)
	}
	return fmt.Sprintf("%s\x00%s\x00%s", d.Pos, d.Code, words[r.Environment].Replace(d.Message))
}

// words replaces the names of an environment's solutions by those of their templates, which
// are the same in all environments.
func (m *Matrix) words(e *environment.Environment) *strings.Replacer {
	pairs := []string{"environment " + e.Name, "environment"}
	for _, r := range m.Results {
		if r.Environment == e {
			pairs = append(pairs, r.Name, r.Template.Name)
		}
	}
	return strings.NewReplacer(pairs...)
}
