package lsp

import (
	"encoding/json"
	"strings"

	"kumiki.dev/internal/secretlike"
)

// hide puts (hidden) in place of secrets in what is shown beside the sources: the
// messages of problems, the values of fields.
func (r *result) hide(known *secretlike.Set) {
	for i := range r.Problems {
		shown := &r.Problems[i].Shown
		shown.Message = known.HideQuoted(shown.Message)
		for j := range shown.Related {
			shown.Related[j].Message = known.HideQuoted(shown.Related[j].Message)
		}
	}
	for i := range r.Facts {
		f := &r.Facts[i]
		f.Type = known.Hide(f.Type)
		for j := range f.Finals {
			f.Finals[j].JSON = hideJSON(known, strings.Split(f.Name, "."), f.Finals[j].JSON)
		}
	}
}

// hideJSON hides what is secret in a value that is given at a path of fields.
func hideJSON(known *secretlike.Set, path []string, value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) == nil && known.HideAt(path, text) == secretlike.Hidden {
		return `"` + secretlike.Hidden + `"`
	}
	return known.Hide(value)
}
