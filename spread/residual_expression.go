package spread

import (
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
)

// passed is an expression over the artifact's config: a reference, or a text
// with references in it.
type passed struct {
	// parts are texts and references by turns; one reference alone is the value
	// itself, anything else is a text.
	parts []part
	text  bool
	expr  ast.Expr
}

// part is a text, or the path of a config field.
type part struct {
	literal string
	ref     []string
}

// reads reports whether a section of config is read.
func (p passed) reads(section string) bool {
	return slices.ContainsFunc(p.parts, func(x part) bool { return x.ref != nil && x.ref[1] == section })
}

// expression reads an expression over config, false if x is none.
func (s *sources) expression(x ast.Expr) (passed, bool) {
	if chain := s.chain(x); chain != nil {
		return passed{parts: []part{{ref: chain}}, expr: x}, len(chain) > 1
	}
	in, ok := x.(*ast.Interpolation)
	if !ok {
		return passed{}, false
	}
	opening, closing := in.Elts[0].(*ast.BasicLit).Value, in.Elts[len(in.Elts)-1].(*ast.BasicLit).Value
	if !strings.HasPrefix(opening, `"`) || strings.HasPrefix(opening, `"""`) || !strings.HasSuffix(closing, `"`) {
		return passed{}, false
	}
	out := passed{text: true, expr: x}
	for i, e := range in.Elts {
		lit, _ := e.(*ast.BasicLit)
		if i%2 == 1 { // texts and expressions by turns
			chain := s.chain(e)
			if len(chain) < 2 {
				return passed{}, false
			}
			out.parts = append(out.parts, part{ref: chain})
			continue
		}
		text := lit.Value
		if i == 0 {
			text = text[1:]
		} else {
			text = strings.TrimPrefix(text, ")")
		}
		if i == len(in.Elts)-1 {
			text = strings.TrimSuffix(text, `"`)
		} else {
			text = strings.TrimSuffix(text, `\(`)
		}
		plain, err := literal.Unquote(`"` + text + `"`)
		if err != nil {
			return passed{}, false
		}
		out.parts = append(out.parts, part{literal: plain})
	}
	return out, true
}
