package depends_test

import (
	"fmt"
	"strings"
	"testing"

	"cuelang.org/go/cue/format"
	"github.com/stretchr/testify/require"

	"kumiki.dev/spread/depends"
)

// TestTypes writes out what is said of parameters; "" for what is not theirs alone, and "within" for what CUE has to see within the artifact.
func TestTypes(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`p: int, q: *p | int`:                                 "p0: int, p1: *p0 | int",
		`p: int, q: >p`:                                       "p0: int, p1: >p0",
		`p: {x: int, y: x}, q: *p.x | int`:                    `p0: {x: int, y: x}, p1: *p0["x"] | int`,
		`p: {x: int, y: x}, q: p.x`:                           "", // it lies where p.x does
		`p: *{k: "a"} | {k: "b"}, q: [...p]`:                  `p0: *{k: "a"} | {k: "b"}, p1: [...p0]`,
		`p: int, p: >1, q: string`:                            "p0: int, p0: >1, p1: string",
		`p?: int, q!: string`:                                 "p0?: int, p1!: string",
		`let l = 3, p: *l | int, q: strings.MinRunes(_n)`:     "p0: *( 3) | int, p1: strings.MinRunes(( 3))",
		`X=p: int, q: X + 1`:                                  "p0: int, p1: p0 + 1",
		`X=p: int, q: X`:                                      "",
		`p: #D, q: int`:                                       "within: p0: ( {n: int, m: n + 1}), p1: int",
		`p: [N=string]: {n: N}, q: int`:                       "within: p0: [N=string]: {n: N}, p1: int",
		`p: int, q: other, other: int`:                        "",
		`p: int, q: description.srv`:                          "",
		`p: int, q: int, [string]: _`:                         "",
		`p: int, q: int, if p > 1 {r: int}`:                   "p0: int, p1: int",
		`p: int, q: int, if p > 1 {"\(p)": int}`:              "",
		`p: int, if p > 1 {q: int}`:                           "p0: int, if p0 > 1 {, p1: int, }",
		`p: int, if p > 1 if true {q: *p | >1}`:               "p0: int, if p0 > 1 if true {, p1: *p0 | >1, }",
		`p: int, if p > 1 {q: *p | int}, q: >1`:               "p0: int, if p0 > 1 {, p1: *p0 | int, }, p1: >1",
		`p: int, for x in [1] {q: x}`:                         "",
		`p: int, q: int, {r: int} | {s: int}`:                 "",
		`p: int, q: int, _check: true & (p < q)`:              "",
		`p: int, q: int, _free: 3`:                            "p0: int, p1: int",
		`p: #Artifact.description.config.parameter.q, q: int`: "",
	} {
		s := depends.Read(described(t, "config: parameter: {"+source+"}"))
		got := ""
		if lit, alone := s.Types([]string{"p", "q"}); lit != nil {
			text, err := format.Node(lit)
			require.NoError(t, err)
			got = map[bool]string{false: "within: "}[alone] + strings.Join(strings.FieldsFunc(strings.Trim(string(text), "{}"), func(r rune) bool { return r == '\n' || r == '\t' }), ", ")
		}
		require.Equal(t, fields(want), fields(got), source)
	}
}

// fields is a text without what only its layout has.
func fields(s string) string { return fmt.Sprint(strings.Fields(strings.ReplaceAll(s, ",", " "))) }
