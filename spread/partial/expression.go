package partial

import (
	"strings"

	"kumiki.dev/spread"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
)

// expression reads an expression over config, false if x is none.
func (s *sources) expression(x ast.Expr) (spread.Passed, bool) {
	if chain := s.chain(x); chain != nil {
		return spread.Passed{Parts: []spread.Piece{{Ref: chain}}, Expr: x}, len(chain) > 1
	}
	in, ok := x.(*ast.Interpolation)
	if !ok {
		return spread.Passed{}, false
	}
	opening, closing := in.Elts[0].(*ast.BasicLit).Value, in.Elts[len(in.Elts)-1].(*ast.BasicLit).Value
	if !strings.HasPrefix(opening, `"`) || strings.HasPrefix(opening, `"""`) || !strings.HasSuffix(closing, `"`) {
		return spread.Passed{}, false
	}
	out := spread.Passed{Text: true, Expr: x}
	for i, e := range in.Elts {
		lit, _ := e.(*ast.BasicLit)
		if i%2 == 1 { // texts and expressions by turns
			chain := s.chain(e)
			if len(chain) < 2 {
				return spread.Passed{}, false
			}
			out.Parts = append(out.Parts, spread.Piece{Ref: chain})
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
			return spread.Passed{}, false
		}
		out.Parts = append(out.Parts, spread.Piece{Literal: plain})
	}
	return out, true
}
