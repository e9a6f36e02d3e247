package fromcue

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"
	"github.com/cockroachdb/apd/v3"

	"kumiki.dev/diag"
)

// BadLiterals reports literals of which CUE makes something else, without a word: a number
// with an exponent that its decimals cannot have, which it reads as the digits alone
// (1e100001 is 1), and a pattern that is no regular expression, which no text fits.
// In the tree they are 0 and a pattern that all texts fit then.
func BadLiterals(n ast.Node) (problems diag.List) {
	bad := func(lit *ast.BasicLit, instead, format string, args ...any) {
		problems = append(problems, diag.New(diag.Syntax, Pos(lit), format, args...))
		lit.Value = instead
	}
	pattern := func(op token.Token, x ast.Expr) {
		lit, ok := x.(*ast.BasicLit)
		if !ok || op != token.MAT && op != token.NMAT {
			return
		}
		all := `""`
		if op == token.NMAT {
			all = `"[^\\s\\S]"`
		}
		if err := patternError(lit.Value); err != nil {
			bad(lit, all, "the pattern %s is no regular expression: %v; its syntax is Go's, https://pkg.go.dev/regexp/syntax", lit.Value, err)
		}
	}
	ast.Walk(n, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.BasicLit:
			if (x.Kind == token.INT || x.Kind == token.FLOAT) && losesExponent(x.Value) {
				bad(x, "0.0", "the number %s has an exponent beyond ±%d, which CUE cannot keep: write a number that it can", x.Value, apd.MaxExponent)
			}
		case *ast.UnaryExpr:
			pattern(x.Op, x.X)
		case *ast.BinaryExpr:
			pattern(x.Op, x.Y)
		}
		return true
	}, nil)
	return problems
}

func losesExponent(text string) bool {
	var info literal.NumInfo
	if !strings.ContainsAny(text, "eE") || literal.ParseNum(text, &info) != nil {
		return false // no exponent, or no number
	}
	_, _, err := apd.NewFromString(info.String())
	return err != nil
}

// patternError is what is wrong with a regular expression, nil for what is no text.
func patternError(lit string) error {
	text, err := literal.Unquote(lit)
	if err != nil {
		return nil
	}
	var wrong *syntax.Error
	if _, err = syntax.Parse(text, syntax.Perl); errors.As(err, &wrong) {
		return fmt.Errorf("%s: %s", wrong.Code, wrong.Expr) // without Go's words around it
	}
	return err
}
