package fromcue

import (
	"strconv"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/diag"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/value"
)

// PlainNumber is how CUE writes whole numbers, of those that are not too large for
// any doubt.
var PlainNumber = lazyregexp.New(`^(0|[1-9][0-9]{0,14})$`)

// basedNumber matches whole numbers in other bases, such as 0o755. CUE prints those in decimal.
var basedNumber = lazyregexp.New(`^0(x[0-9a-fA-F]{1,12}|o[0-7]{1,16}|b[01]{1,48})$`)

// Literal is the value of a literal, nil where CUE might write it otherwise.
func Literal(x *ast.BasicLit, pos diag.Pos) *value.Data {
	switch x.Kind {
	case token.TRUE, token.FALSE:
		return &value.Data{Kind: value.Bool, Text: x.Value, Pos: pos}
	case token.INT:
		if PlainNumber().MatchString(x.Value) {
			return &value.Data{Kind: value.Int, Text: x.Value, Pos: pos}
		}
		if n, err := strconv.ParseInt(x.Value, 0, 64); err == nil && basedNumber().MatchString(x.Value) {
			return value.NewInt(pos, n)
		}
	case token.STRING:
		if text, err := literal.Unquote(x.Value); err == nil && x.Value[0] == '"' {
			return &value.Data{Kind: value.String, Text: text, Pos: pos}
		}
	}
	return nil
}
