package depends_test

import (
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"github.com/stretchr/testify/require"

	"kumiki.dev/spread/depends"
)

// TestLiterals shows how lists and structs are written: any conditions, a bar, and the literals, with the word config for each
// value of config. Values that CUE has to make have "".
func TestLiterals(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`m: {for k, v in config.parameter.o {"\(k)": v}}`:                                                        `{for k, v in config {"\(k)": v}}`,
		"m: {for v in config.parameter.o {\"\\(v)\": 1}}\ncode: m: {for v in config.parameter.a {\"\\(v)\": 2}}": `{for v in config {"\(v)": 1}} {for v in config {"\(v)": 2}}`,
		`m: {for v in config.parameter.o {"\(v)": 1}} & {for v in config.parameter.a {"\(v)": 2}}`:               `{for v in config {"\(v)": 1}} {for v in config {"\(v)": 2}}`,
		`m: _ & ({for v in (config.parameter.o) {"\("x")\(v)": 1}})`:                                             `{for v in (config) {"\("x")\(v)": 1}}`,
		`m: {for v in config.parameter.o {"\(v)": 1}, "\(config.parameter.a)": 2}`:                               `{for v in config {"\(v)": 1}} {"\(config)": 2}`,
		`m: {(config.parameter.a): 2}`:                                                                           `{(config): 2}`,
		`m: {for v in config.parameter.o if v > 1 {"\(v)": 1}}`:                                                  `{for v in config if v > 1 {"\(v)": 1}}`,
		`m: {if config.parameter.b {for v in config.parameter.o {"\(v)": 1}}}`:                                   `{if config {for v in config {"\(v)": 1}}}`,
		`m: {x: 1, for v in config.parameter.o {"\(v)": 1}}`:                                                     `{x: 1, for v in config {"\(v)": 1}}`,
		`m: {x: config.parameter.a, y: [config.parameter.a, x]}`:                                                 `{x: config, y: [config, x]}`,
		`m: ["a", config.parameter.a, if config.parameter.b {"c"}]`:                                              `["a", config, if config {"c"}]`,
		`m: [_n, config.parameter.a]`:                                                                            `[( 3), config]`,
		`{if config.parameter.b {m: [config.parameter.a]}}`:                                                      `config | [config]`,
		`{if config.parameter.b if config.parameter.a == "x" {m: {x: config.parameter.a}}}`:                      `config config == "x" | {x: config}`,
		`{if config.parameter.b {m: [1]}, if !config.parameter.b {m: [2]}}`:                                      `config | [1] or !config | [2]`,
		// What is in the value otherwise, or may close it.
		`m: {for v in config.parameter.o {"\(v)": 1}, [=~"x"]: int}`:             "",
		`m: {for v in config.parameter.o {"\(v)": 1}, #E}`:                       "",
		`m: {for v in config.parameter.o {"\(v)": 1}} & #D`:                      `{for v in config {"\(v)": 1}} & ( {n: int, m: n + 1})`,
		`m: {for v in config.parameter.o {"\(v)": 1}} & config.parameter.b`:      "",
		`m: close({for v in config.parameter.o {"\(v)": 1}})`:                    "",
		`#D & {m: {for v in config.parameter.o {"\(v)": 1}}}`:                    "",
		`{if config.parameter.b {m: {for v in config.parameter.o {"\(v)": 1}}}}`: "",
		`m?: {for v in config.parameter.o {"\(v)": 1}}`:                          "",
		`m: [config.parameter.a] & [...string]`:                                  "[config] & [...string]",
		"m: [config.parameter.a]\ncode: m: [string]":                             "",
		`#D & {m: [config.parameter.a]}`:                                         "",
		`{for v in config.parameter.o {m: [v]}}`:                                 "",
	} {
		var got []string
		for _, x := range artifact(t, "code: "+source).Literals(depends.Path{"description", "code", "m"}) {
			of := literals(t, x.Of)
			if len(x.If) > 0 {
				of = literals(t, x.If) + " | " + of
			}
			got = append(got, of)
		}
		require.Equal(t, want, strings.Join(got, " or "), source)
	}
}

// literals are expressions on one line each.
func literals(t *testing.T, all []*depends.Closed) string {
	var out []string
	for _, c := range all {
		require.Len(t, c.Exprs, 1)
		if s, ok := c.Exprs[0].(*ast.StructLit); ok && !s.Lbrace.IsValid() {
			s.Lbrace, s.Rbrace = s.Pos(), s.Pos()
		}
		text, err := format.Node(c.Exprs[0], format.Simplify())
		require.NoError(t, err)
		out = append(out, string(text))
	}
	return strings.Join(out, " ")
}
