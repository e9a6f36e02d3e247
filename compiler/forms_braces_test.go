package compiler_test

import (
	"fmt"
	"testing"
)

// choosing are parameters with a choice between structs or lists of structs in them, and what may be given. The artifact is a definition, so the
// choice is made with closed structs; where such a value is unified with anything, and be it by braces around it, they are open.
var choosing = []struct {
	declared string
	given    []string
}{
	{`x: *{a: *"x" | string} | {b: int}`, []string{`{}`, `x: b: 1`, `x: a: "q"`, `{x: {a: "e"}, t: "z"}`}},
	{`x: {a: *"x" | string} | *{b: *2 | int}`, []string{`{}`, `x: b: 1`, `x: a: "q"`}},
	{`x: *{k: "a", n: *1 | int} | {k: "b", m: *2 | int}`, []string{`{}`, `x: k: "b"`, `x: {k: "b", m: 3}`, `x: n: 4`}},
	{`x: *null | {b: *2 | int}`, []string{`{}`, `x: b: 1`, `x: {}`}},
	{`x: *"s" | {b: *2 | int}`, []string{`{}`, `x: b: 1`, `x: "q"`}},
	{`x: *{} | {[string]: int}`, []string{`{}`, `x: b: 1`, `x: c: 2`}},
	{`x: *{} | {[string]: {n: *1 | int}}`, []string{`{}`, `x: b: {}`, `x: c: n: 2`}},
	{`x: y: *{a: *"x" | string} | {b: int}`, []string{`{}`, `x: y: b: 1`, `x: y: a: "q"`}},
	{`x: [...{a: *"x" | string} | {b: int}]`, []string{`x: []`, `x: [{b: 1}]`, `x: [{a: "q"}, {}]`}},
	{`x: *[{a: *"x" | string}] | [...{b: int}]`, []string{`{}`, `x: [{b: 1}]`, `x: [{a: "q"}]`}},
	{`x: *{a: 1} | {...}`, []string{`{}`, `x: b: 1`, `x: a: 2`}},
	{`x: {[string]: {a: *"x" | string} | {b: *2 | int}}`, []string{`x: {}`, `x: k: b: 1`, `x: {k: a: "q", l: b: 3}`}},
	{`x: #X | #Y, #Y: {c: *2 | int}`, []string{`x: a: "z"`, `x: c: 1`, `x: b: 4`}},
	{`#Z: {a: *"x" | string} | {b: *2 | int}, x: [...#Z]`, []string{`x: []`, `x: [{b: 1}]`, `x: [{a: "q"}, {b: 3}]`}},
	{`x: {a: *"x" | string, b?: int}`, []string{`{}`, `x: b: 1`, `x: a: "q"`}},
}

// usesInBraces are ways to write the contents of a file that shows such a parameter.
var usesInBraces = []string{
	`{config.parameter}`, `{config.parameter.x}`, `{config.parameter, extra: 1}`, `{config.parameter.x, extra: 1}`, `{{config.parameter.x}}`, `({config.parameter.x})`, `{_, config.parameter.x}`,
	`config.parameter & {t: string}`, `config.parameter.x & {}`, `config.parameter.x & {...}`, `config.parameter.x & _`, `config.parameter & config.parameter`, `close({config.parameter.x})`,
	`{...}, "/e": data: value: config.parameter.x`, `*config.parameter.x | {}`, `{a: config.parameter.x}.a`, `[config.parameter.x, {config.parameter.x}]`, `{s: [{config.parameter.x}, 1]}`,
	`{for k, v in config.parameter {"\(k)": {v}}}`, `{for k, v in config.parameter {"\(k)": {v, z: 1}}}`, `{for k, v in config.parameter.x {"\(k)": {v}}}`, `[for v in config.parameter.x {v}]`, `[for v in config.parameter.x {v, q: 1}]`,
	`json.Marshal({config.parameter})`, `json.Marshal({config.parameter, q: 1})`, `json.Marshal({s: {config.parameter.x}})`, `{s: config.parameter.x, s: _}`,
	`{let v = config.parameter.x, s: {v}}`, `{let v = {config.parameter.x}, s: v}`, `{s: {if config.parameter.t == "d" {config.parameter.x}}}`, `[if config.parameter.t == "d" {config.parameter.x}]`,
	`_held}, _held: {{config.parameter.x}`, `{s: {_held}}}, _held: {s: config.parameter.x`, `#D & {in: config.parameter.x}`, `(#D & {in: {config.parameter.x}}).in`,
}

// TestChoicesInBraces compares what components make of choices between structs, of all that may be given at once, with what CUE alone makes of them.
func TestChoicesInBraces(t *testing.T) {
	t.Parallel()
	n := 0
	for i, of := range choosing {
		for j, use := range usesInBraces {
			if n++; seldom(n) || n%*everyForm != 0 {
				continue
			}
			use = `code: c: mapping: filesystem: {"/e": {data: value: ` + use + `}, "/e": format: "json"}`
			roles := roleGiven(len(of.given), of.given[0])
			for k, given := range of.given {
				roles += roleGiven(k, given)
			}
			t.Run(fmt.Sprintf("%d-%d", i, j), func(t *testing.T) {
				t.Parallel()
				compareData(t, "-- c/config --\n"+of.declared+"\n-- c/imports --\n"+importsOf(use)+"\n-- c/more --\n"+use+"\n-- c/other.cue --\n"+besideComponents+"\n-- s/roles --\n"+roles)
			})
		}
	}
}
