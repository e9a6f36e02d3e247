package depends

import (
	"regexp"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"kumiki.dev/spread/syntax"
)

// isPattern reports whether a field is a pattern,  [x]: y,  which says what other fields are.
func isPattern(f *ast.Field) bool {
	_, is := labelOf(f).(*ast.ListLit)
	return is
}

// matcher reports whether a pattern matches a name.
type matcher func(name string) bool

// MatcherOf is the matcher of a label,  [string],  [=~"^a"]  or  ["a" | "b"],  or of all names that  "A_\(x)"  may be. It is nil
// for any other label, and for a pattern that CUE has to evaluate.
func MatcherOf(label ast.Label) func(name string) bool {
	if x, ok := label.(*ast.Interpolation); ok {
		return interpolated(x)
	}
	list, ok := label.(*ast.ListLit)
	if !ok || len(list.Elts) != 1 {
		return nil
	}
	x := list.Elts[0]
	if a, ok := x.(*ast.Alias); ok {
		x = a.Expr
	}
	return matching(x)
}

func matching(x ast.Expr) matcher {
	switch x := syntax.Unparen(x).(type) {
	case *ast.Ident:
		if x.Name == "string" && x.Node == nil {
			return func(string) bool { return true }
		}
	case *ast.BasicLit:
		if text, ok := textOf(x); ok {
			return func(name string) bool { return name == text }
		}
	case *ast.UnaryExpr:
		return TextBound(x)
	case *ast.BinaryExpr:
		a, b := matching(x.X), matching(x.Y)
		switch {
		case a == nil || b == nil:
			return nil
		case x.Op == token.AND:
			return func(name string) bool { return a(name) && b(name) }
		case x.Op == token.OR:
			return func(name string) bool { return a(name) || b(name) }
		}
	}
	return nil
}

// interpolated matches all names that begin and end as a text with expressions in it does.
func interpolated(x *ast.Interpolation) matcher {
	first, isText := x.Elts[0].(*ast.BasicLit)
	last, isToo := x.Elts[len(x.Elts)-1].(*ast.BasicLit)
	if !isText || !isToo {
		return nil
	}
	begin, isQuoted := strings.CutPrefix(strings.TrimSuffix(first.Value, `\(`), `"`)
	end, ends := strings.CutSuffix(strings.TrimPrefix(last.Value, ")"), `"`)
	if !isQuoted || !ends || !isPlain(begin) || !isPlain(end) {
		return nil
	}
	if begin != "" {
		begin = begin[:len(begin)-1] // an accent that follows would be one character with the last
	}
	return func(name string) bool {
		return len(name) >= len(begin)+len(end) && strings.HasPrefix(name, begin) && strings.HasSuffix(name, end)
	}
}

// isPlain reports whether a piece of a quoted text means what it says: it has ASCII characters alone, without escapes and quotes.
func isPlain(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' || c == '\\' || c == '"' })
}

// TextBound returns what a comparison with a literal, such as  =~"^a" , takes of texts. It is nil for any other.
func TextBound(x *ast.UnaryExpr) func(text string) bool {
	text, ok := textOf(x.X)
	if !ok {
		return nil
	}
	switch x.Op {
	case token.NEQ:
		return func(name string) bool { return name != text }
	case token.MAT, token.NMAT:
		re, err := regexp.Compile(text)
		if err != nil {
			return nil
		}
		return func(name string) bool { return re.MatchString(name) == (x.Op == token.MAT) }
	}
	return nil
}

// textOf is the text of a literal.
func textOf(x ast.Expr) (string, bool) {
	lit, ok := syntax.Unparen(x).(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return "", false
	}
	text, err := literal.Unquote(lit.Value)
	return text, err == nil
}

// isFor reports whether a pattern, or a field whose name is computed, may be about the field of a name.
func (c *conjunct) isFor(name string) bool {
	return !isHidden(name) && (c.matches == nil || c.matches(strings.TrimPrefix(name, `"`)))
}

// as returns the conjunct that a pattern adds to the field n. If the pattern has a variable for the name of the
// field, as in  [Name=string],  the conjunct has a scope that tells which field that is.
func (c *conjunct) as(n *node) *conjunct {
	f, ok := c.decl.(*ast.Field)
	if !ok || !namesField(f) {
		return c
	}
	own := *c
	own.scope = &scope{at: f, is: n, out: c.scope}
	return &own
}

// namesField reports whether a field is a pattern with a variable for the name of the matched field.
func namesField(f *ast.Field) bool {
	list, ok := labelOf(f).(*ast.ListLit)
	if !ok || len(list.Elts) != 1 {
		return false
	}
	_, ok = list.Elts[0].(*ast.Alias)
	return ok
}

// isOfPattern reports whether x is the variable of a pattern, such as Name in  [Name=string].
func isOfPattern(x *ast.Ident) bool {
	f, ok := x.Scope.(*ast.Field)
	return ok && x.Node != f && namesField(f)
}

// fieldName is the name of the matched field if x is the variable of a pattern; false if x is something else,
// or if the field is not known.
func fieldName(x ast.Expr, s *scope) (string, bool) {
	id, ok := x.(*ast.Ident)
	if !ok || !isOfPattern(id) {
		return "", false
	}
	in := s.find(id.Scope)
	if in == nil {
		return "", false
	}
	return strings.TrimPrefix(in.is.name, `"`), true
}
