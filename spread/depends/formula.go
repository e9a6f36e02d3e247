package depends

import (
	"reflect"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/filter"
	"kumiki.dev/spread/syntax"
)

// Formula is a value that is a copy of one of config, or a text with some in it.
type Formula struct {
	// Expr is the expression, or the name that stands for it in the field. What else is
	// said of the field are types.
	Expr ast.Expr
	// Pieces are the one path that is copied, or texts and paths by turns.
	Pieces []Piece
	// Text tells one from the other.
	Text bool
	// Types are the names of CUE's types, such as int, that are said of the field besides. A text always is a string, so that is left out.
	Types []string
}

// Piece is a text, the value of config at a path, or a variable of a loop.
type Piece struct {
	Text string
	Path Path // nil for a text
	Of   Variable
}

// Variable is a variable of a loop.
type Variable int

// A loop has a variable for the member that it is at, and one for the key or index of that. None is no
// variable.
const (
	None Variable = iota
	Member
	Key
)

// formula is that of a field of which nothing else is said, but the same again; nil if
// there is none.
func (n *node) formula() *Formula {
	if !n.certain || n.joinsConfig() == joinsChoice || len(n.reader.reach(func(w *walk) { w.all(n.given) })) > 0 {
		return nil
	}
	if t := n.typed(); t != nil {
		return n.reader.formula(t.x.(ast.Expr), t.scope)
	}
	if n.opaque || n.dynamic || len(n.fields) > 0 || len(n.terms) == 0 {
		return nil
	}
	t := n.terms[0]
	expr, ok := t.as.(ast.Expr)
	if !ok {
		return nil
	}
	x, ok := t.x.(ast.Expr)
	if !ok {
		return nil
	}
	f := n.reader.formula(x, t.scope)
	if f == nil || f.Text && filter.Any(n.said, (*conjunct).isWrapped) {
		return nil
	}
	f.Expr = expr
	for _, t := range n.types {
		if name := t.x.(*ast.Ident).Name; !f.Text || name != "string" {
			f.Types = append(f.Types, name)
		}
	}
	for _, again := range n.terms[1:] {
		x, ok := again.x.(ast.Expr)
		if g := n.reader.formula(x, again.scope); !ok || g == nil || !reflect.DeepEqual(f.Pieces, g.Pieces) {
			return nil
		}
	}
	return f
}

// isWrapped reports whether a value is written in braces, or joined with  _ : CUE places a text there.
func (c *conjunct) isWrapped() bool {
	return filter.Any(syntax.Conjuncts(c.x), func(x ast.Expr) bool {
		_, inBraces := x.(*ast.StructLit)
		return inBraces || syntax.IsAnything(x) || syntax.Unwrapped(x) != syntax.Unparen(x)
	})
}

// formula reads an expression.
func (r *reader) formula(x ast.Expr, s *scope) *Formula {
	if in, ok := x.(*ast.Interpolation); ok {
		if parts := text(in, func(x ast.Expr) (Piece, bool) { return r.piece(x, s) }); parts != nil {
			return &Formula{Expr: x, Pieces: parts, Text: true}
		}
		return nil
	}
	if path := r.ofConfig(x, s); path != nil {
		return &Formula{Expr: x, Pieces: []Piece{{Path: path}}}
	}
	return nil
}

// ofConfig is the path of a field of config that x refers to, nil if it does not. It may refer to a hidden field
// that is nothing but such a reference.
func (r *reader) ofConfig(x ast.Expr, s *scope) Path {
	for range maxWritten {
		n, exact, through := r.refers(x, s)
		switch {
		case n == nil || !exact || r.isUnfilled(n, through):
			return nil
		case len(n.config) > 0:
			return n.config
		}
		n.expand()
		f := n.only()
		if f == nil || n.config != nil || !isHidden(n.name) || len(n.given) > 0 || !n.certain {
			return nil
		}
		x, s = f.Value, n.said[0].scope
	}
	return nil
}

// isUnfilled reports whether a reference leads to a field of the artifact by way of its
// package: it is what the artifact is before anybody gives it a config.
func (r *reader) isUnfilled(n *node, through []*node) bool {
	artifact := r.config.up.up
	return artifact.holds(n) && filter.Contains(through, artifact.up)
}

// plainText is a literal on one line as it is in a text.
func plainText(x ast.Expr) (string, bool) {
	lit, ok := x.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING || strings.HasPrefix(lit.Value, `"""`) || !strings.HasPrefix(lit.Value, `"`) {
		return "", false
	}
	text, err := literal.Unquote(lit.Value)
	return text, err == nil
}

// piece is a field of config that x refers to, or a text; false for anything else.
func (r *reader) piece(x ast.Expr, s *scope) (Piece, bool) {
	if path := r.ofConfig(x, s); path != nil {
		return Piece{Path: path}, true
	}
	if name, ok := fieldName(x, s); ok {
		return Piece{Text: name}, true
	}
	text, ok := plainText(x)
	return Piece{Text: text}, ok
}

// text reads a text on one line in which there are pieces and nothing else, nil for any other.
func text(x *ast.Interpolation, piece func(ast.Expr) (Piece, bool)) (parts []Piece) {
	opening, closing := x.Elts[0].(*ast.BasicLit).Value, x.Elts[len(x.Elts)-1].(*ast.BasicLit).Value
	if !strings.HasPrefix(opening, `"`) || strings.HasPrefix(opening, `"""`) || !strings.HasSuffix(closing, `"`) {
		return nil
	}
	for i, e := range x.Elts {
		lit, isText := e.(*ast.BasicLit)
		if i%2 == 1 { // texts and expressions by turns
			p, ok := piece(e)
			if !ok {
				return nil
			}
			parts = append(parts, p)
			continue
		}
		if !isText {
			return nil
		}
		text := strings.TrimSuffix(strings.TrimPrefix(lit.Value, ")"), `\(`)
		if i == 0 {
			text = strings.TrimPrefix(text, `"`)
		}
		if i == len(x.Elts)-1 {
			text = strings.TrimSuffix(text, `"`)
		}
		plain, err := literal.Unquote(`"` + text + `"`)
		if err != nil {
			return nil
		}
		parts = append(parts, Piece{Text: plain})
	}
	return parts
}
