package wording

import (
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"
	"github.com/stretchr/testify/require"
)

// TestCUE shows CUE's own words, which may be others in its next version.
func TestCUE(t *testing.T) {
	t.Parallel()
	named := func(of func(errors.Error) (string, bool)) func(errors.Error) string {
		return func(e errors.Error) string { name, _ := of(e); return name }
	}
	says := func(is func(errors.Error) bool) func(errors.Error) string {
		return func(e errors.Error) string { return map[bool]string{true: "yes"}[is(e)] }
	}
	two := func(of func(errors.Error) (any, any, bool)) func(errors.Error) string {
		return func(e errors.Error) string {
			a, b, ok := of(e)
			if !ok {
				return ""
			}
			return oneLineOf(a) + ", " + oneLineOf(b)
		}
	}
	words := []struct {
		name string
		of   func(errors.Error) string
	}{
		{"refusal", says(IsRefusal)}, {"open", says(IsOpen)}, {"no value", says(func(e errors.Error) bool { return SaysNoValue(e.Error()) })}, {"to nothing", says(RefersToNothing)}, {"undefined", named(undefinedField)},
		{"optional", named(optionalField)}, {"unknown", named(unknownName)}, {"endless", says(isEndless)}, {"excluding", two(excluding)}, {"bound", two(outOfBound)},
	}
	tests := []struct {
		text string
		want map[string]string
	}{
		{`x: close({a: 1}) & {b: 1}`, map[string]string{"refusal": "yes"}},
		{`x: int`, map[string]string{"open": "yes", "no value": "yes"}},
		{`x: "a" + 1`, map[string]string{}},
		{`x: [1][2]`, map[string]string{"no value": "yes"}},
		{`x: 1 | 2`, map[string]string{"no value": "yes", "open": "yes"}},
		{`_x: string, y: "\(_x)"`, map[string]string{"no value": "yes"}},
		{`x: {a: 1}, y: x.b`, map[string]string{"undefined": "b", "to nothing": "yes"}},
		{`x: {a?: 1}, y: x.a`, map[string]string{"optional": "a"}},
		{`x: y`, map[string]string{"unknown": "y"}},
		{`x: y: x`, map[string]string{"endless": "yes"}},
		{`x: 1 & 2`, map[string]string{"excluding": "2, 1"}},
		{`x: "a" & int`, map[string]string{"excluding": `"a", int`}},
		{`x: >5 & 3`, map[string]string{"bound": "3, >5"}},
	}
	for _, test := range tests {
		err := cuecontext.New().CompileString(test.text).Validate(cue.Concrete(true))
		require.Error(t, err, test.text)
		got := map[string]string{}
		for _, word := range words {
			if text := word.of(errors.Errors(err)[0]); text != "" {
				got[word.name] = text
			}
		}
		require.Equal(t, test.want, got, "%s: %v", test.text, err)
	}
}

// TestRemedyOfCUE shows CUE's messages that are followed by what to write.
func TestRemedyOfCUE(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, message, say string }{
		{`x: -"a"`, `x: invalid operation -"a" (- string)`, `a list is in brackets`},
		{`x: -{a: 1}`, `x: invalid operation -{a:1} (- struct)`, `a list is in brackets`},
		{`x: "a" || "b"`, `x: cannot use "a" (type string) as type bool in || (and 1 more errors)`, `alternatives are written A | B`},
		{`x: string || true`, `x: invalid operand string ('||' requires concrete value)`, `alternatives are written A | B`},
		{`x: *"a"`, `x: preference mark not allowed at this position`, `a * says`},
		{`x: "a"("b")`, `x: cannot call non-function "a" (type string)`, `a function is of a package`},
		{"import \"strings\"\nx: strings.Title(\"a\")", `x: cannot call non-function strings.Title (type _|_)`, `package strings has no Title`},
		{`let a = 1`, `unreferenced alias or let clause a`, `delete it`},
		{`x~(k, v): 1`, `postfix alias syntax requires @experiment(aliasv2)`, `refer to a field by its path`},
		{`x: "a"[0]`, `x: invalid operand "a" (found string, want list or struct)`, `a text has no parts`},
		{`x: (5): 1`, `x: integer fields not supported`, `names of fields are texts`},
		{`x: (null): 1`, `x: invalid index null (invalid type null)`, `names of fields are texts`},
		{`x: [1][true]`, `x: invalid index true (invalid type bool)`, `names of fields are texts`},
		{`x: "a" + 1`, `x: invalid operands "a" and 1 to '+' (type string and int)`, `a value is put into a text`},
	}
	for _, test := range tests {
		err := cuecontext.New().CompileString(test.text).Validate(cue.Concrete(true))
		require.EqualError(t, err, test.message)
		require.True(t, strings.HasPrefix(remedyOfCUE(test.message), "; "+test.say), "%s%s", test.message, remedyOfCUE(test.message))
	}
	require.Empty(t, remedyOfCUE("x: incomplete value string"))
}
