package partial

import (
	"fmt"
	"testing"

	"kumiki.dev/spread"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"

	"kumiki.dev/value"
)

// values are what types are tried with: each kind, and both sides of each bound.
var values = []string{
	`"a"`, `"b"`, `"c"`, `""`, `"5"`, `"true"`, `"null"`, `"-"`, `-6`, `-5`, `-4`, `-1`, `0`, `1`, `2`, `3`, `4`, `5`, `6`, `7`, `8`, `9`, `10`, `11`, `16`, `1000`,
	`true`, `false`, `null`, `[]`, `[5]`, `{}`, `{x: 5}`,
}

// numbers are others: what is not taken of them, CUE is asked about.
var numbers = []string{`9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `-9223372036854775809`, `5.0`, `5.5`, `-0.5`, `1e3`, `4.99999999999999999999999999`, `5.00000000000000000000000001`, `-5.5`, `1.5e1`}

// cueTakes reports whether CUE finds a value as it is in a type.
func cueTakes(t *testing.T, ctx *cue.Context, typ, value string) bool {
	t.Helper()
	given := ctx.CompileString(value)
	require.NoError(t, given.Err())
	v := ctx.CompileString(fmt.Sprintf("x: (%s) & (%s)", typ, value)).LookupPath(cue.ParsePath("x"))
	if v.Validate(cue.Concrete(true)) != nil {
		return false
	}
	want, err := given.MarshalJSON()
	require.NoError(t, err)
	got, err := v.MarshalJSON()
	return err == nil && string(got) == string(want)
}

// dataOf is a value as it comes in a config.
func dataOf(t *testing.T, ctx *cue.Context, value string) *value.Data {
	t.Helper()
	f := &spread.Finisher{}
	d := f.Finish(ctx.CompileString(value), nil)
	require.Empty(t, f.Problems)
	return d
}

// compareChecks compares a check with CUE, for all values.
func compareChecks(t *testing.T, typ string, check func(*value.Data) bool) {
	t.Helper()
	ctx := cuecontext.New()
	for _, value := range values {
		require.Equal(t, cueTakes(t, ctx, typ, value), check(dataOf(t, ctx, value)), "%s: %s", typ, value)
	}
	for _, value := range numbers {
		if check(dataOf(t, ctx, value)) {
			require.True(t, cueTakes(t, ctx, typ, value), "%s: %s", typ, value)
		}
	}
}

// checked are types, and whether they are checked without CUE.
var checked = []struct {
	typ string
	own bool
}{
	{`string`, true}, {`bool`, true}, {`int`, true}, {`uint`, true}, {`(int)`, true}, {`((uint))`, true},
	{`"a"`, true}, {`""`, true}, {`"5"`, true}, {`"a\u0062"`, true}, {`5`, true}, {`0`, true}, {`true`, true}, {`false`, true},
	{`>5`, true}, {`>=5`, true}, {`<5`, true}, {`<=5`, true}, {`>0`, true}, {`<=0`, true}, {`(>=5)`, true},
	{`int & >5`, true}, {`uint & <=5`, true}, {`int & >=5 & <=7`, true}, {`>=5 & <7`, true}, {`int & (>5 | <2)`, true},
	{`"a" | "b"`, true}, {`5 | 7`, true}, {`"a" | 5`, true}, {`5 | >7`, true}, {`true | string`, true}, {`*"a" | string`, true}, {`*5 | int`, true}, {`"a" | *"b"`, true},
	{`string & "a"`, true}, {`string & 5`, true}, {`int & string`, true}, {`("a" | "b") & ("b" | "c")`, true},
	{`number`, true}, {`number & >=0`, true}, {`number & >=2 & <10`, true}, {`*1 | (number & >0)`, true}, {`number & >5.5`, false}, {`number | string`, true}, {`float`, false}, {`_`, false}, {`null`, false}, {`5.5`, false}, {`-5`, false}, {`>-5`, false}, {`>5.5`, false}, {`>"a"`, false}, {`!="a"`, true}, {`!=5`, false}, {`=~"a"`, true}, {`!~"^a"`, true}, {`string & =~"^[a-z]+$" & !="b"`, true}, {`*"a" | =~"^b"`, true}, {`=~"("`, false}, {`=~5`, false}, {`!=#"a"#`, true},
	{`'a'`, false}, {"\"\"\"\n\ta\n\t\"\"\"", true}, {`#"a"#`, false}, {`"\(5)"`, false}, {`[...]`, false}, {`{...}`, false}, {`int8`, false}, {`uint8`, true}, {`uint16 & >0`, true}, {`*5 | uint32`, true}, {`uint64`, true}, {`uint128`, false}, {`[string, ...string]`, true}, {`[int, string]`, true}, {`[...int]`, true}, {`[int, ...]`, false}, {`[...int8]`, false}, {`5 + 2`, false}, {`int | null`, false}, {`null | int`, false},
	{`int & !=5`, false}, {`!=5 & int`, false}, {`>=9223372036854775808`, false},
}

// TestCheckExpr holds the types that are checked without CUE to what CUE says.
func TestCheckExpr(t *testing.T) {
	t.Parallel()
	for _, test := range checked {
		t.Run(test.typ, func(t *testing.T) {
			t.Parallel()
			f := parse(t, "p.cue", "p: "+test.typ)
			check := checkExpr(f.Decls[0].(*ast.Field).Value)
			require.Equal(t, test.own, check != nil)
			if check != nil {
				compareChecks(t, test.typ, check)
			}
		})
	}
}

// TestCheckOf is the same for a field of an evaluated config: declared once, or in
// two places that both count.
func TestCheckOf(t *testing.T) {
	t.Parallel()
	for _, test := range checked {
		t.Run(test.typ, func(t *testing.T) {
			t.Parallel()
			of := func(source string) func(*value.Data) bool {
				return checkOf(cuecontext.New().CompileString(source).LookupPath(cue.ParsePath("p")))
			}
			require.Equal(t, test.own, of("p: "+test.typ) != nil)
			for _, other := range []string{`int`, `>=5`, `"a" | "b"`} {
				if check := of("p: " + test.typ + "\np: " + other); check != nil {
					compareChecks(t, "("+test.typ+") & ("+other+")", check)
				}
			}
		})
	}
}

// TestCheckShadowed: a name that the source gives a meaning of its own is CUE's.
func TestCheckShadowed(t *testing.T) {
	t.Parallel()
	f := parse(t, "p.cue", "string: =~\"^a\"\np: string\nq: *\"ab\" | string\nr: int")
	for i, own := range []bool{false, false, true} {
		require.Equal(t, own, checkExpr(f.Decls[i+1].(*ast.Field).Value) != nil, f.Decls[i+1].(*ast.Field).Label)
	}
}

// composites are values of lists and maps.
var composites = []string{
	`"a"`, `5`, `[]`, `["a"]`, `["a", "b"]`, `["a", 5]`, `[5]`, `[0]`, `[[]]`, `[[5], []]`, `[["a"]]`, `[{}]`, `[{a: 5}]`, `{}`, `{a: 1}`, `{a: 2}`, `{b: 2}`, `{a: 1, b: 2}`, `{a: 2, b: 2}`, `{a: "1"}`, `{b: "x"}`,
	`{a: 1, b: "x"}`, `{a: 1, b: "y"}`, `{a: 2, b: "x"}`, `{a: []}`, `{a: [5]}`, `{a: ["a"]}`, `{a: {b: 1}}`, `{a: {b: "x"}}`, `{a: {}}`,
}

// TestCheckMembers: what a check of a list or map takes, CUE takes as it is in a definition, as
// the config is one. Of what it does not take, CUE is asked.
func TestCheckMembers(t *testing.T) {
	t.Parallel()
	for typ, takes := range map[string]int{
		`[]`: 1, `[...string]`: 3, `*[] | [...string]`: 3, `[...string] | *[]`: 3, `[...int & >0]`: 2, `[...[...int]]`: 3, `*[] | [...[...string]]`: 3, `(*[] | [...string])`: 3, `[...string | int]`: 6,
		`{}`: 1, `{[string]: int}`: 6, `*{} | {[string]: int}`: 6, `{[string]: int} | *{}`: 6, `{[string]: [...int]}`: 3, `{[string]: {[string]: int}}`: 3, `*{} | {[string]: string}`: 3, `string | [...string]`: 4,
		`*{a: 1} | {[string]: int}`: 3, `*{a: 1} | {[string]: string}`: 2, `*{a: 1, b: "x"} | {[string]: int}`: 5, `*{a: 1} | string`: 2, `*{a: 1} | [...string]`: 4, `*{a: 1} | *{a: 2} | {[string]: int}`: -1,
		`{[string]: int} | {[string]: >1}`: 6, `[...int] | [...>5]`: 3, `[...string] | [...int]`: 5, `*{} | {[string]: string} | {[string]: int}`: 8, `[...[...int] | [...>5]]`: 3,
		`*["a"] | [...string]`: 3, `*["a", "b"] | [...string]`: 3, `[...string] | *["a"]`: 3, `*["a"] | *["b"] | [...string]`: 3, `*["a"] | [...int]`: 4, `*["a"] | "a"`: 2, `[string]`: 1, `[string, int]`: 1, `[*"b" | string, string | int]`: 2,
		`*[5] | [...int & >1]`: 2, `*[[5], []] | [...[...int]]`: 3, `*[{}] | [...[...string]]`: 4, `*{a: [5]} | [...string]`: 4, `*{a: [5]} | {[string]: [...int]}`: 2, `*{a: []} | {[string]: [...int | string]}`: 3, `*{a: ["a"], b: 2} | {[string]: _ | 5}`: -1, `*[{a: 5}] | [...string]`: -1, `["a", _]`: -1, `[for x in ["a"] {x}]`: -1,
		`[...]`: -1, `[..._]`: -1, `["a", ...string]`: 2, `["a", ...]`: -1, `{...}`: -1, `{a: int}`: -1, `{[=~"a"]: int}`: -1, `{[string]: _}`: -1, `{[string]: int, ...}`: -1, `{a?: int}`: -1, `*{a: int} | {[string]: int}`: -1,
		`*{a?: 1} | {[string]: int}`: -1, `*{a: {b: 1}} | {[string]: int}`: -1, `*{a: 1} | {...}`: -1, `*{a: 1, a: 1} | {[string]: int}`: -1, `*{"_a": 1} | {[string]: int}`: -1, `*close({a: 1}) | {[string]: int}`: -1,
	} {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			check := checkExpr(parse(t, "p.cue", "p: "+typ).Decls[0].(*ast.Field).Value)
			if check == nil {
				require.Equal(t, -1, takes)
				return
			}
			ctx, n := cuecontext.New(), 0
			for _, given := range composites {
				if !check(dataOf(t, ctx, given)) {
					continue
				}
				n++
				v := ctx.CompileString(fmt.Sprintf("#d: x: %s\ny: #d & {x: %s}", typ, given)).LookupPath(cue.ParsePath("y.x"))
				require.NoError(t, v.Validate(cue.Concrete(true)), given)
				want, err := ctx.CompileString(given).MarshalJSON()
				require.NoError(t, err)
				got, err := v.MarshalJSON()
				require.NoError(t, err)
				require.JSONEq(t, string(want), string(got))
			}
			require.Equal(t, takes, n)
		})
	}
}
