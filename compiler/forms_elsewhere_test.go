package compiler_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kumiki.dev/compiler"
)

// wrappings are expressions around a value, which § stands for.
var wrappings = []string{
	`{o: §}.o`, `{#o: §}.#o`, `{_o: §}._o`, `{_z: §, out: _z}.out`, `close({x: §}).x`, `{o: §}["o"]`, `({o: §} & {o: _}).o`, `{a: {b: §}}.a.b`, `[§][0]`, `[[§][0]][0]`, `[if true {§}][0]`,
	`{let Z = §, Z}`, `{§}`, `{§, #h: 1}`, `{_q: §, _q}`, `§ & _`, `(§)`, `{if true {§}}`, `*§ | §`, `*(§) | _`, `null | *(§)`, `or([§])`, `and([§])`,
}

// wrapped are the values.
var wrapped = []string{
	`"z"`, `7`, `config.parameter.t`, `"\(config.parameter.t)!"`, `config.parameter.n + 1`, `config.parameter.n / 2`, `config.parameter.t & !="q"`, `["a", config.parameter.t][1]`, `*config.parameter.t | "x"`,
	`{v: config.parameter.t, w: "\(config.parameter.n / 2)"}`, `{v: {for k, x in config.parameter.o {(k): x}}}`,
}

// TestWrapped writes each value in each wrapping, in a file and as a role's parameter, and compares the results with those of CUE alone, places
// included.
func TestWrapped(t *testing.T) {
	t.Parallel()
	n := 0
	for _, wrapping := range wrappings {
		for _, of := range wrapped {
			if n++; seldom(n) || n%*everyForm != 0 {
				continue
			}
			x := strings.ReplaceAll(wrapping, "§", of)
			t.Run(x, func(t *testing.T) {
				t.Parallel()
				inService := strings.ReplaceAll(x, "config.parameter", "description.config.parameter")
				compareAlone(t, "-- c/config --\nn: *4 | int\nr: *\"none\" | string | number | {...}\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {x: "+x+", r: config.parameter.r}, format: \"json\"}\n"+
					"-- s/config --\nn: *1 | int\no: {y: *\"yy\" | string, ...}\n-- s/roles --\n"+
					roleGiven(1, "t: \"one\", n: 6, r: "+inService)+roleGiven(2, "t: \"two\", n: 9, r: "+inService)+roleGiven(3, "t: \"three\", r: 1"))
			})
		}
	}
}

// elsewhere are artifacts that are easily misread: fields that only look like those of the description or a role, values that CUE demands or
// refuses, names that lead nowhere.
var elsewhere = []string{
	// Fields that have to be given.
	"-- c/config --\ns?: string\n-- c/more --\ncode: c: mapping: env: {if config.parameter.s != _|_ {E!: value: config.parameter.s}}\n-- s/roles --\n" + roleGiven(1, `s: "1"`),
	"-- c/config --\non: *false | bool\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {t: config.parameter.t, if config.parameter.on {x!: config.parameter.t}}, format: \"json\"}\n-- s/roles --\n" + roleGiven(1, `on: true`),
	"-- c/more --\ncode: c: mapping: filesystem: \"/e\": data: value: {if config.parameter.t != \"\" {x!: config.parameter.t}}\n-- s/roles --\n" + roleGiven(1, `t: "1"`),
	"-- c/more --\ncode: c: mapping: filesystem: \"/e\": data: value: {if config.parameter.t != \"\" {x?: config.parameter.t}}\n-- s/roles --\n" + roleGiven(1, `t: "1"`),
	"-- c/more --\ncode: c: mapping: filesystem: \"/e\": data: value: {for k, v in {a: config.parameter.t} {(k)!: v}}\n-- s/roles --\n" + roleGiven(1, `t: "1"`),
	"-- s/config --\non: *true | bool\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {if description.config.parameter.on {t!: description.config.parameter.t}}}",
	"-- s/roles --\n" + roleGiven(1, `t!: "1"`),
	// What is said of roles by something other than a struct.
	"-- s/more --\n#Artifact: description: role: {[string]: config: parameter: {t: *\"p\" | string, ...}} | {[string]: config: parameter: {t: *\"p\" | string, ...}}\n-- s/roles --\n" + roleGiven(1, ""),
	"-- s/more --\n#Artifact: description: role: {if true {{_z: [string]: config: parameter: {t: *\"p\" | string, ...}, out: _z}.out}}\n-- s/roles --\n" + roleGiven(1, ""),
	"-- s/more --\n#Artifact: description: role: {[string]: config: parameter: {t: \"p\", ...}} | string\n-- s/roles --\n" + roleGiven(1, ""),
	"-- s/more --\n#Artifact: description: role: [if true {x1: artifact: description: code: c: user: {userid: 7, groupid: 7}}][0]\n-- s/roles --\n" + roleGiven(1, `t: "1"`),
	"-- s/more --\n#Artifact: description: role: [{}, {x1: artifact: description: code: c: user: {userid: 7, groupid: 7}}][0]\n-- s/roles --\n" + roleGiven(1, `t: "1"`),
	"-- s/more --\n#Artifact: description: role: and([{x1: artifact: description: code: c: user: {userid: 7, groupid: 7}}])\n-- s/roles --\n" + roleGiven(1, `t: "1"`),
	"-- s/more --\n#Artifact: description: role: {x1: artifact: description: code: c: user: {userid: 7, groupid: 7}} | {}\n-- s/roles --\n" + roleGiven(1, `t: "1"`),
	"-- s/more --\n#Artifact: description: role: {a: {}, b: {x1: artifact: description: code: c: user: {userid: 7, groupid: 7}}}.a\n-- s/roles --\n" + roleGiven(1, `t: "1"`),
	// What is no resilience.
	"-- s/roles --\nrole: b: {artifact: c.#Artifact, config: resilience: {x: description.config.resilience}}",
	"-- s/roles --\nrole: b: {artifact: c.#Artifact, config: resilience: x: y: description.config.resilience}",
	"-- s/roles --\nrole: b: {artifact: c.#Artifact, config: resilience: {description.config.resilience, #a: 1}}",
	// Names that nothing refers to, in a role, and among those of others.
	"-- s/roles --\nrole: b: {let own = \"b\", artifact: c.#Artifact}\nrole: d: {let own = \"d\", artifact: c.#Artifact}",
	"-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: X=t: \"b\"}\nrole: d: {artifact: c.#Artifact, config: parameter: {X=t: \"d\", o: y: X}}",
	"-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {for x in [\"b\"] let y = x {t: x}}}",
	// Bytes are no names.
	"-- c/more --\ncode: c: mapping: env: {for n in ['B', \"C\"] {(n): value: \"x\"}}",
	"-- c/more --\ncode: c: mapping: env: {for n in ['B', \"C\"] {\"\\(n)\": value: \"x\"}}",
	// Numbers that are not written in digits.
	"-- c/config --\nn: *4 | int\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": data: value: {n: config.parameter.n & >1Ki}\n-- s/roles --\n" + roleGiven(1, `n: 5`),
	"-- c/config --\nn: *4 | int\n-- s/roles --\n" + roleGiven(1, `n: 5 & >0x400`) + roleGiven(2, `n: 5 & >1_024`),
	"-- c/config --\nn: *4 | int\n-- s/roles --\n" + roleGiven(1, `n: 5000 & >0x400`) + roleGiven(2, `n: 2000 & >1_024`),
	// Definitions that name themselves.
	"-- c/config --\nk: #S & {p: *2 | int}\n-- c/more --\ncode: c: mapping: env: A: value: \"\\(config.parameter.k.p)\"\n-- c/other.cue --\npackage component\n#S: #S & {p: *2 | int}\n-- s/roles --\n" + roleGiven(1, `k: p: 1`),
	"-- c/config --\nk: #S\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: config.parameter.k, format: \"json\"}\n-- c/other.cue --\npackage component\n#S: {#S, p: *2 | int, n?: #S}\n-- s/roles --\n" + roleGiven(1, `k: n: n: p: 1`),
	// Roles that refine an artifact, each with a value of its own that is written twice.
	"-- s/roles --\nrole: b: {artifact: c.#Artifact & {description: code: c: user: {userid: 1, groupid: 7}, description: code: c: user: userid: 1}}\nrole: d: {artifact: c.#Artifact & {description: code: c: user: {userid: 2, groupid: 7}, description: code: c: user: userid: 2}}",
	"-- s/roles --\nfor i in [1, 2, 3] {role: \"r\\(i)\": {artifact: c.#Artifact & {description: code: c: user: {userid: i, groupid: 7}} & {description: code: c: user: userid: i}}}",
	// A field of one alternative: what is given decides whether the field is there. CUE's Expr does not show these alternatives.
	"-- c/config --\nk: *{low: *10 | int, port: *92 | (int & >=20), url: \"\\(low):\\(port)\"} | {...}\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {u: config.parameter.k.url}, format: \"json\"}\n-- s/roles --\n" + roleGiven(1, `k: {low: 97, port: 6}`),
	"-- c/config --\nk: *{low: *10 | int, port: *92 | (int & >=20), url: \"\\(low):\\(port)\"} | {...}\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {if config.parameter.k.url != _|_ {u: config.parameter.k.url}}, format: \"json\"}\n-- s/roles --\n" + roleGiven(1, `k: {low: 97, port: 6}`) + roleGiven(2, `k: {low: 97, port: 60}`) + roleGiven(3, `k: {low: 98, port: 6}`),
	"-- c/config --\nk: *{low: *10 | int, port: *92 | (int & >=low), url: \"\\(low):\\(port)\"} | _\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {if config.parameter.k.url != _|_ {u: config.parameter.k.url}}, format: \"json\"}\n-- s/roles --\n" + roleGiven(1, `k: {low: 97, port: 6}`) + roleGiven(2, `k: {low: 97, port: 98}`) + roleGiven(3, `k: {low: 98, port: 6}`),
	// Lets that are made of each other, by name alone and in structs; those of a library too.
	"-- c/more --\nlet X = Y\nlet Y = X\ncode: c: mapping: env: A: value: X",
	"-- c/more --\nlet X = {a: Y}\nlet Y = {b: X}\ncode: c: mapping: filesystem: \"/e\": {data: value: X, format: \"json\"}",
	"-- c/more --\nlet X = {a: config.parameter.t, b: X}\ncode: c: mapping: env: A: value: X.a",
	"-- c/imports --\nl \"forms.example/app/l:lib\"\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: l.#V, format: \"json\"}\n-- l/a.cue --\npackage lib\nlet X = Y\nlet Y = X\n#V: X",
	"-- s/roles --\nlet X = Y\nlet Y = X\n" + roleGiven(1, `t: X`),
	"-- s/roles --\nlet A = B\nlet B = A\nrole: b: artifact: A",
	// A field that is called like an element of a list.
	"-- s/config --\nl: *[\"x\"] | [...string]\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: description.config.parameter.l.\"[0]\"}",
}

// TestElsewhere compares what is made of such artifacts with what CUE alone makes of them.
func TestElsewhere(t *testing.T) {
	t.Parallel()
	for i, files := range elsewhere {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			compareAlone(t, files)
		})
	}
}

// compareAlone compares all that can be told of an artifact with what CUE makes of it without any short way; of what is refused, only that it is.
func compareAlone(t *testing.T, files string) {
	in := formIn(t, files)
	told := func() []string {
		result, found := compiler.Run(context.Background(), in, compiler.ExtractStage)
		if found.HasErrors() {
			return []string{"refused"}
		}
		return toldAbout(result, found)
	}
	got := told()
	in.NoPartial, in.NoLean, in.NoStubs, in.NoMemo = true, true, true, true
	if diff := cmp.Diff(told(), got); diff != "" {
		t.Errorf("%s\n(-CUE +kumiki):\n%s", files, diff)
	}
}
