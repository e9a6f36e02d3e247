package depends_test

import (
	"fmt"
	"strings"
	"testing"

	"cuelang.org/go/cue/format"
	"github.com/stretchr/testify/require"

	"kumiki.dev/spread/depends"
)

// TestConditional says what decides the fields of a part: ? for whether config has something,
// expressions in brackets, then the leaves that are copies or expressions.
func TestConditional(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`code: m: {x: 1, if config.parameter.b != _|_ {y: 2}}`:                                  "m.y: ?parameter.b",
		`code: m: {x: 1, if config.parameter.b == _|_ {y: 2}}`:                                  "m.y: ?parameter.b",
		`code: m: {x: 1, if config.parameter.a > 1 {y: 2}}`:                                     "m.y: [config > 1]",
		`code: m: {if config.parameter.a > 1 {y: {z: 2, w: config.parameter.b}}}`:               "m.y: [config > 1] w=parameter.b",
		`code: m: {if config.parameter.a > 1 {y: config.parameter.a + 1}}`:                      "m.y: [config > 1] =(config + 1)",
		`code: m: {if config.parameter.a > 1 {y: "<\(config.parameter.b)>"}}`:                   "m.y: [config > 1] =(\"<\\(config)>\")",
		`code: m: {if config.parameter.a > 1 && !(config.parameter.b == "x") {y: 2}}`:           `m.y: [config > 1] [config == "x"]`,
		`code: m: {if config.parameter.a > 1 || config.parameter.o != _|_ {y: 2}}`:              "m.y: [config > 1] ?parameter.o",
		`code: m: {if config.parameter.a > 1 {y: 2}, if config.parameter.b == "x" {y: int}}`:    `m.y: [config > 1] [config == "x"]`,
		`code: m: {if config.parameter.a > 1 if config.parameter.b == "x" {y: 2}}`:              `m.y: [config > 1] [config == "x"]`,
		`code: m: {if config.parameter.a > 1 {y: {if config.parameter.b == "x" {z: 1}}}}`:       `m.y: [config > 1] [config == "x"]`,
		`code: m: {if config.parameter.a > 1 {{y: 2}}}`:                                         "m: [config > 1]",
		`code: m: {if _n > 1 {y: config.parameter.a}}`:                                          "m.y.",
		`code: m: {for x in config.parameter.o {"\(x)": 1}}`:                                    "m.",
		`code: m: {if config.parameter.a > 1 {"\(config.parameter.b)": 1}}`:                     "m.",
		`code: m: {if config.parameter.a > 1 {y: 2}, [=~config.parameter.b]: int}`:              "m.y.",
		`code: m: {if config.parameter.a > 1 {y: config.parameter.a}, y: config.parameter.a}`:   "m.y.",
		`code: m: {if (config.parameter.a | 2) > 1 {y: 2}}`:                                     "m.y.",
		`code: m: {if config.parameter.a > 1 {y: {z: config.parameter.b} | {w: 1}}}`:            "m.y.",
		`code: m: {if config.parameter.a > 1 {y: {z: 1} | {w: 1}}}`:                             "m.y: [config > 1]",
		`code: m: {if config.parameter.a > 1 {y: ({z: 1} | {w: 1}) & {z: config.parameter.a}}}`: "m.y.",
		// fields that depend on others of the part, and types that have no fields
		`code: m: {if config.parameter.a > 1 {y: {z: 2, v: z, w: config.parameter.b}}}`:                            "m.y: [config > 1] w=parameter.b",
		`code: m: {if config.parameter.a > 1 {y: {z: config.parameter.b, v: *z | int}}}`:                           "m.y.",
		`code: m: {if config.parameter.a > 1 {y: {u: *"a" | "b", l: [...string], w: config.parameter.b}}}`:         "m.y: [config > 1] w=parameter.b",
		`code: m: {if config.parameter.a > 1 {y: {z: 2, w: config.parameter.b, if z != _|_ {v: 1}}}}`:              "m.y: [config > 1] w=parameter.b",
		`code: m: {if config.parameter.a > 1 {y: {w: config.parameter.b, if config.parameter.o.x != _|_ {z: 1}}}}`: "m.y: [config > 1] ?parameter.o.x w=parameter.b",
		`code: m: {if config.parameter.a > 1 {y: {z: config.parameter.o, if z != _|_ {v: 1}}}}`:                    "m.y.",
		`code: m: {if config.parameter.a > 1 {y: {w: config.parameter.b, if w > 2 {v: 1}}}}`:                       "m.y.",
	} {
		var out []string
		for _, h := range artifact(t, source).Holes("description", "code") {
			name := strings.Join(h.Path, ".")
			switch {
			case h.Conditional != nil:
				out = append(out, name+": "+conditional(t, h.Conditional))
			case h.Formula != nil || h.Closed != nil:
				out = append(out, name+"=")
			default:
				out = append(out, name+".")
			}
		}
		require.Equal(t, want, strings.Join(out, "; "), source)
	}
}

func conditional(t *testing.T, c *depends.Conditional) string {
	var out []string
	for _, x := range c.Conditions {
		if x.Closed == nil {
			out = append(out, "?"+strings.Join(x.Exists, "."))
		} else {
			out = append(out, "["+written(t, x.Closed.Exprs)+"]")
		}
	}
	for _, x := range c.Leaves {
		if x.Closed != nil {
			out = append(out, strings.Join(x.Path, ".")+"=("+written(t, x.Closed.Exprs)+")")
		} else {
			out = append(out, strings.Join(x.Path, ".")+"="+strings.Join(x.Formula.Pieces[0].Path, "."))
		}
	}
	return strings.Join(out, " ")
}

// TestTypes writes out what is said of parameters; "" for what is not theirs alone.
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
		`p: #D, q: int`:                                       "",
		`p: int, q: other, other: int`:                        "",
		`p: int, q: description.srv`:                          "",
		`p: int, q: int, [string]: _`:                         "",
		`p: int, q: int, if p > 1 {r: int}`:                   "p0: int, p1: int",
		`p: int, q: int, if p > 1 {"\(p)": int}`:              "",
		`p: int, if p > 1 {q: int}`:                           "",
		`p: int, q: int, {r: int} | {s: int}`:                 "",
		`p: int, q: int, _check: true & (p < q)`:              "",
		`p: int, q: int, _free: 3`:                            "p0: int, p1: int",
		`p: #Artifact.description.config.parameter.q, q: int`: "",
	} {
		s := depends.Read(described(t, "config: parameter: {"+source+"}"))
		got := ""
		if lit := s.Types([]string{"p", "q"}); lit != nil {
			text, err := format.Node(lit)
			require.NoError(t, err)
			got = strings.Join(strings.FieldsFunc(strings.Trim(string(text), "{}"), func(r rune) bool { return r == '\n' || r == '\t' }), ", ")
		}
		require.Equal(t, fields(want), fields(got), source)
	}
}

// fields is a text without what only its layout has.
func fields(s string) string { return fmt.Sprint(strings.Fields(strings.ReplaceAll(s, ",", " "))) }
