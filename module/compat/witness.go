package compat

import (
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
)

// maxCandidates bounds how many values are tried.
const maxCandidates = 200

// usual are values that many schemas tell apart.
var usual = []string{
	"0", "1", "-1", "0.5", "65536", "1000000", `""`, `"a"`, `"A"`, `"0"`, `"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`,
	"true", "false", "null", "[]", `["a"]`, "[1]", "{}", `{a: "a"}`, `{a: 1}`,
}

// witness looks for a value that the old schema takes and the new one refuses:
// among the usual ones, and those that the schemas mention or nearly do.
func witness(ctx *cue.Context, was, is cue.Value) (string, bool) {
	tried := map[string]bool{}
	candidates := append(mentioned(was, 0), mentioned(is, 0)...)
	for _, text := range append(candidates, usual...) {
		if tried[text] || len(tried) == maxCandidates {
			continue
		}
		tried[text] = true
		v := ctx.CompileString(text)
		if v.Err() == nil && takes(was, v) && !takes(is, v) {
			return text, true
		}
	}
	return "", false
}

func takes(schema, v cue.Value) bool {
	return schema.Unify(v).Validate(cue.Concrete(true), cue.Final()) == nil
}

// mentioned are the constants of a schema and their neighbours.
func mentioned(v cue.Value, depth int) []string {
	if depth > 6 {
		return nil
	}
	op, args := v.Expr()
	if op == cue.NoOp && len(args) == 1 && depth == 0 {
		op, args = v.Eval().Expr()
	}
	if op != cue.NoOp && op != cue.SelectorOp {
		var out []string
		for _, a := range args {
			out = append(out, mentioned(a, depth+1)...)
		}
		return out
	}
	switch v.Kind() {
	case cue.StringKind:
		s, _ := v.String()
		plain := strings.Trim(s, "^$")
		return []string{strconv.Quote(s), strconv.Quote(plain), strconv.Quote(plain + "x")}
	case cue.IntKind, cue.FloatKind, cue.NumberKind:
		if n, err := v.Int64(); err == nil {
			return []string{fmt.Sprint(n), fmt.Sprint(n - 1), fmt.Sprint(n + 1)}
		}
		return []string{fmt.Sprint(v)}
	case cue.BoolKind, cue.NullKind, cue.ListKind, cue.StructKind:
		return []string{fmt.Sprint(v)}
	}
	return nil
}
