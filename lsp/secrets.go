package lsp

import (
	"encoding/json"
	"strconv"
	"strings"

	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/internal/secretlike"
)

// hide puts (hidden) in place of secrets in what is shown beside the sources: the
// messages of problems, the values of fields, what fields take.
func (r *result) hide(known *secretlike.Set) {
	for i := range r.Problems {
		shown := &r.Problems[i].Shown
		shown.Message = known.HideQuoted(shown.Message)
		for j := range shown.Related {
			shown.Related[j].Message = known.HideQuoted(shown.Related[j].Message)
		}
	}
	for _, s := range r.Shapes {
		for i := range s.Config {
			s.Config[i].Type = known.Hide(s.Config[i].Type)
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

// quotedText is a text in an expression of CUE.
var quotedText = lazyregexp.New(`"(?:[^"\\]|\\.)*"`)

// hideLiterals hides what looks like a secret in the expression of a field, of which
// nothing is known but its source.
func hideLiterals(path []string, expr string) string {
	name, _ := secretlike.Path(path)
	return quotedText().ReplaceAllStringFunc(expr, func(quoted string) string {
		if text, err := strconv.Unquote(quoted); err != nil || !secretlike.Is(name, text) {
			return quoted
		}
		return `"` + secretlike.Hidden + `"`
	})
}

// hideJSON hides what is secret in a value that is given at a path of fields.
func hideJSON(known *secretlike.Set, path []string, value string) string {
	var text string
	if json.Unmarshal([]byte(value), &text) == nil && known.HideAt(path, text) == secretlike.Hidden {
		return `"` + secretlike.Hidden + `"`
	}
	return known.Hide(value)
}
