package fromcue

import (
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"github.com/cockroachdb/apd/v3"

	"kumiki.dev/diag"
)

// FarExponents reports numbers with an exponent that CUE's decimals cannot have, which
// it reads as their digits alone: 1e100001 is 1. They are 0 in the tree then.
func FarExponents(n ast.Node) (problems diag.List) {
	ast.Walk(n, func(n ast.Node) bool {
		lit, ok := n.(*ast.BasicLit)
		if ok && losesExponent(lit.Value) {
			problems = append(problems, diag.New(diag.Syntax, Pos(lit),
				"the number %s has an exponent beyond ±%d, which CUE cannot keep: write a number that it can", lit.Value, apd.MaxExponent))
			lit.Value = "0.0"
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
