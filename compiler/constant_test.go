package compiler_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// usual are types of a parameter, as a component may declare it, and values of it;
// where it falls back to one, "" is for none.
var usual = [][]string{
	{`string`, `"x"`, `""`}, {`bool`, `true`}, {`int`, `7`, `-7`}, {`uint`, `0`, `7`}, {`_`, `null`, `1.5`},
	{`*"d" | string`, ``, `"x"`}, {`*7 | int`, ``, `-7`}, {`*true | bool`, ``, `false`}, {`*-7 | int`, ``, `7`}, {`*1.5 | number`, ``, `7`},
	{`*"x" | "y" | "z"`, ``, `"y"`}, {`"x" | "y"`, `"x"`}, {`"x" | *"y"`, ``, `"x"`}, {`*"d" | int`, ``, `7`},
	{`*7 | (int & >=1 & <=10)`, ``, `7`, `10`}, {`*7 | (>=1 & <=10)`, ``, `1`}, {`int & >=1 & <=10`, `1`}, {`>0`, `7`, `1.5`},
	{`{x: *1 | int}`, ``, `{x: 2}`}, {`*["a"] | [...string]`, ``, `["b"]`}, {`"fixed"`, ``, `"fixed"`}, {`7`, ``},
}

// declarations are types that look like those, or are wrong.
var declarations = []string{
	`number`, `float`, `null`, `uint16`, `bytes`,

	`*"d" | int`, `*7 | (int & >=1 & <=10)`, `*7 | (>=1 & <=10)`, `*70 | (int & >=1 & <=10)`, `int & >=1 & <=10`, `>=1 & <=10`, `>0`, `int & >=7 & <=7`,
	`int & >=8 & <=7`, `*7 | (int & >=8 & <=7)`, `uint & >=-5`, `uint & <=-5`, `int & uint`, `int & string`, `*7 | 7`, `7 | 7`, `"\u0061" | "a"`,
	`(*"a" | "b") | "c"`, `*"a" | ("b" | "c")`, `*"a" | (*"b" | "c")`, `*"a" | *"b" | string`, `*"a" | _`, `"a" | string`, `7 | int`, `7 | (>=7 & <=7)`,
	`"fixed"`, `7`, `true`, `0x10`, `1_000`, `*0x10 | int`, `string & !=""`, `=~"^x"`, `*"""
		lines
		""" | string`, `*#"raw"# | string`, `(string)`, `("a")`, `*("a") | string`, `#type`, `*"d" | #type`, `string @note(x)`,
	`{x: *1 | int}`, `[...string]`, `*["a"] | [...string]`, `string | {x: int}`,
}

// values are what a role may give it.
var values = []string{`"x"`, `"y"`, `"a"`, `""`, `7`, `0`, `-7`, `100`, `1.5`, `true`, `null`, `["b"]`}

// variables are what a component may say of its environment, and beside it; the
// first of them are read without CUE.
var variables = []string{
	`code: c: mapping: env: A: value: "text"`,
	`code: c: mapping: env: A: parameter: "p0"`,
	`code: c: mapping: env: {B: parameter: "p1", C: value: "c\n\"q\""}`,
	`code: c: {mapping: {env: {D: {parameter: "p2"}}}}`,
	`code: c: mapping: env: {}`,
	`code: c: mapping: env: E: value: "\(config.parameter.p0)"`,
	`code: c: mapping: env: E: value: config.parameter.p0`,
	`code: c: mapping: env: F: {value: "f", parameter: "p0"}`,
	`code: c: mapping: env: G: value: 8080`,
	`code: c: mapping: env: G: valeu: "misspelt"`,
	`code: c: mapping: env: G: secret: "absent"`,
	`code: c: mapping: env: H: value?: "h"`,
	`code: c: mapping: env: H: {}`,
	`code: c: mapping: env: "I-I": value: "i"`,
	`code: c: mapping: env: _J: value: "j"`,
	`code: c: mapping: env: #J: value: "j"`,
	`code: c: mapping: env: K: value: """
		lines
		"""`,
	`code: c: mapping: env: [string]: value: "all"`,
	`code: [string]: mapping: env: L: value: "l"`,
	`code: c: {#more}, #more: {mapping: env: M: value: "m", ...}`,
	`if config.parameter.p0 != _|_ {code: c: mapping: env: N: value: "n"}`,
	`if code.c.mapping.env.A != _|_ {code: c: mapping: env: O: value: "o"}`,
	`code: c: mapping: env: P: value: code.c.mapping.env.A.value`,
	`code: d: {image: tag: "i:2", size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}, mapping: env: A: parameter: "p1"}`,
	`config: parameter: p0: _`,
	`config: parameter: p1: string`,
	`config: parameter: [string]: _`,
	`config: parameter: {#open, #open: {...}}`,
	`config: parameter: q: "\(config.parameter.p1)"`,
	`config: {parameter: p9: *"nine" | string}`,
	`config: parameter: p9: string, config: parameter: p9: *"nine" | string`,
	`let x = config.parameter.p2, code: c: mapping: env: Q: value: x`,
	`_h: config.parameter, code: c: mapping: env: R: value: _h.p2`,
	`code: c: mapping: filesystem: "/f": data: {value: config.parameter, format: "json"}`,
	`code: c: mapping: filesystem: "/f": data: {value: config.parameter.p1}`,
}

const plainVariables = 4

// TestConstants compares what is read of components without CUE, parameters and
// environment variables, with what CUE makes of them.
func TestConstants(t *testing.T) {
	t.Parallel()
	well := 0
	for seed := range uint64(120) {
		dir := t.TempDir()
		order := rand.New(rand.NewPCG(seed, 2))
		var parts []string
		fits := make([][]string, 3)
		for p := range fits {
			x := usual[order.IntN(len(usual))]
			if order.IntN(10) == 0 {
				x = []string{declarations[order.IntN(len(declarations))], ``, `"a"`, `7`}
			}
			fits[p] = x[1:]
			parts = append(parts, fmt.Sprintf("config: parameter: p%d: %s", p, x[0]))
		}
		for range order.IntN(4) {
			n := plainVariables
			if order.IntN(3) == 0 {
				n = len(variables)
			}
			parts = append(parts, variables[order.IntN(n)])
		}
		var roles []string
		for r := range 1 + order.IntN(3) {
			var config []string
			for p, fit := range fits {
				value := fit[order.IntN(len(fit))]
				if order.IntN(20) == 0 {
					value = values[order.IntN(len(values))]
				}
				if value != "" {
					config = append(config, fmt.Sprintf("p%d: %s", p, value))
				}
			}
			roles = append(roles, fmt.Sprintf("role: r%d: {artifact: c.#Artifact, config: {scale: hsize: 1, parameter: {%s}}}", r, strings.Join(config, ", ")))
		}
		write(t, dir, fmt.Sprintf(constantApp, strings.Join(parts, "\n"), strings.Join(roles, "\n")))
		want, wrong, _ := compilePlain(dir, true)
		got, also, instantiated := compilePlain(dir, false)
		if diff := cmp.Diff(want, got) + cmp.Diff(wrong, also); diff != "" {
			t.Fatalf("%d: %s\n%s\n(-CUE +partial):\n%s", seed, strings.Join(parts, "\n"), strings.Join(roles, "\n"), diff)
		}
		if instantiated && len(wrong) == 0 {
			well++
		}
	}
	require.Greater(t, well, 20, "most are to be found wrong or to need CUE, but not all")
}

const constantApp = `
-- cue.mod/module.cue --
module: "constant.example/app@v0"
language: version: "v0.12.0"
-- c/c.cue --
package component
import k "kumori.systems/kumori:kumori"
#type: string
#Artifact: k.#Component & {
	ref: name: "c"
	description: {
		srv: server: in0: port: 80
		code: c: {image: tag: "i:1", size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}
		size: bandwidth: {size: 9, unit: "M"}
		%s
	}
}
-- s/s.cue --
package service
import (
	k "kumori.systems/kumori:kumori"
	c "constant.example/app/c:component"
)
#Artifact: k.#Service & {ref: name: "s", description: {
	config: parameter: {}
	%s
}}
-- deploy/d.cue --
package deployment
import s "constant.example/app/s:service"
#Deployment: {name: "d", artifact: s.#Artifact, config: {}}
`
