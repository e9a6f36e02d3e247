package compiler_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// passedOn are types of a service's parameter x, with what may be given of it.
var passedOn = []struct {
	declared string
	given    []string
}{
	{`x: {a: *"x" | string, b: *1 | int}`, []string{``, `x: a: "g"`, `x: {a: "g", b: 7}`, `x: c: 1`}},
	{`x: {a: *"x" | string, b?: int}`, []string{``, `x: b: 2`}},
	{`x: {a: *"x" | string, own?: int}`, []string{``}},
	{`x: {a: *"x" | string, ...}`, []string{``, `x: own: "g"`, `x: c: "g"`}},
	{`x: {a: *"x" | string, b: {c: *1 | int, l: *["p"] | [...string]}}`, []string{``, `x: b: c: 3`}},
	{`x: {[string]: string}`, []string{``, `x: k: "v"`, `x: {k: "v", a: "w", own: "z"}`}},
	{`x: *{a: "x"} | {[string]: string}`, []string{``, `x: k: "v"`}},
	{`x: {[string]: int, a: *1 | int}`, []string{``, `x: b: 2`}},
	{`x: {[string]: {n: string, w: *1 | int}}`, []string{`x: k: n: "1"`, `x: {k: n: "1", l: {n: "2", w: 5}}`}},
	{`x: *{a: *"x" | string} | {b: int}`, []string{``, `x: b: 1`, `x: a: "y"`}},
	{`x: {a: *"x" | string, if a == "x" {b: 5}}`, []string{``, `x: a: "y"`}},
	{`x: {a: *"x" | string, _h: 5, #d: 6}`, []string{``}},
	{"x: {a: *\"x\" | string}\nx: b: *2 | int", []string{``, `x: b: 3`}},
	{`x: #X`, []string{``, `x: a: "y"`}},
	{`x?: {a: string}`, []string{``, `x: a: "y"`}},
	{`x: *null | {a: string}`, []string{``, `x: a: "y"`}},
	{`x: *["a", "b"] | [...string]`, []string{``, `x: []`, `x: ["own", "c", "c"]`, `x: ["_h", "é"]`}},
	{`x: [...{a: string, b: *1 | int}]`, []string{``, `x: [{a: "p"}, {a: "q", b: 2}]`}},
	{`x: *[1.5, 2] | [...number]`, []string{``, `x: [1, 0.10]`}},
	{`x: *"one" | "two" | "a"`, []string{``, `x: "two"`, `x: "three"`}},
	{`x: *1 | int`, []string{``, `x: 0`, `x: 9`}},
	{`x: int | string`, []string{`x: 5`, `x: "five"`}},
	{`x?: int | {a: string}`, []string{``, `x: 5`, `x: a: "y"`}},
	{`x: _`, []string{``, `x: 5`, `x: "s"`, `x: a: "y"`, `x: ["l"]`, `x: null`}},
}

// passing are the parameters of a role that are made of x.
var passing = []string{
	`o: {description.config.parameter.x, own: "y"}`,
	`o: {description.config.parameter.x, a: "y"}`,
	`o: {description.config.parameter.x, own: n: 1}, t: "u"`,
	`description.config.parameter.x`,
	`o: {description.config.parameter.x, description.config.parameter.x}`,
	`o: {for k, v in description.config.parameter.x {(k): v}, own: "y"}`,
	`o: {for k, v in description.config.parameter.x if k != "a" {"\(k)x": "\(v)!"}}`,
	`for k, v in description.config.parameter.x {"\(k)": v}`,
	`o: l: [for v in description.config.parameter.x {v}]`,
	`o: l: [for k, v in description.config.parameter.x {n: "\(k)", w: v}, "end", {e: 1}]`,
	`o: {for v in description.config.parameter.x let w = "\(v)-" {(w): {p: v, q: [v, w]}}}`,
	`o: {l: description.config.parameter.x, if description.config.parameter.x != _|_ {there: true}}`,
	`o: {if description.config.parameter.x.a == "x" {is: "x"}, if description.config.parameter.x.a != "x" {not: "x"}, z: 1}`,
	`o: w: _table[description.config.parameter.x]`,
	`o: w: _list[description.config.parameter.x], t: _list[1]`,
	`o: {for k, v in _table {(k): v}, x: _table.one}`,
	`o: {for i, v in _list {"\(v)": i}}`,
	`o: {for k, v in _in {(k): v}, w: _in[description.config.parameter.x]}`,
	`o: {w: {one: 1, two: "b"}[description.config.parameter.x]}`,
	`o: {y: _raw.a, l: [_raw.l[0], _raw["a"]]}, t: _raw.a`,
	`o: {if description.config.#context.deployment == "d" {x: description.config.#context.path, y: "\(description.config.#context.role)"}}`,
	`o: {for k, v in description.config.resource {(k): "r"}, if description.config.resilience > 0 {r: description.config.resilience}}`,
	`o: {l: [for k, v in description.config.parameter {k}], n: len(description.config.parameter)}`,
	`o: {for k, v in description.config.parameter if k != "x" {(k): v}}`,
	`o: {for k, v in description.config.scale.detail {(k): v.hsize}, for k, v in description.config {"\(k)-": 1}}`,
	`o: {for k, v in description.config.parameter {"\(k)": "\(len(v))"}}`,
	`o: {for k, v in description.role.a.config.parameter {(k): v}}`,
	`o: {for k, v in description.role {(k): v.config.parameter.t}}`,
	`o: {l: [for k, _ in description.role {k}], (description.config.parameter.t): 1, "\(description.config.parameter.t)2": {z: 2}}`,
	`o: {w: *description.config.parameter.x | 5, if description.config.parameter.t == "s" {v: description.config.parameter.x | 5}}`,
	`o: {w: 1 & description.config.parameter.x}`,
	`o: {if true {w: >0 & <9 & description.config.parameter.x}}`,
	`o: {if true {w: string, w: "\(description.config.parameter.t)"}, #d: 1, _e: 2}`,
	`o: {if true {w?: 5, "w-x": {}, l: [], e: {}}, [string]: _}`,
	`o: {if true {"a.b": 1.50, n: null, big: 12345678901234567890, t: """
		x
		\(description.config.parameter.t)
		""", b: -1, c: 0x10, d: 1K}}`,
	`o: l: list.Concat([description.config.parameter.x, ["z"]])`,
	`o: list.Concat([["a", "b"], description.config.parameter.x, [for v in description.config.parameter.x {v}]])`,
	`o: {l: list.Concat([[description.config.parameter.t, _list[0]], ["\(description.config.parameter.t)2", 5, if true {6}]]), m: list.Concat([])}`,
	`o: {if true {l: list.Concat([_list, [{n: 1}], [[description.config.parameter.t]]])}, m: list.Concat(_lists)}`,
	`o: list.Take(description.config.parameter.x, 1), t: strings.Join(list.Repeat([description.config.parameter.t], 2), "-")`,
	`o: {l: list.Reverse(description.config.parameter.x), if true {m: list.Sort(description.config.parameter.x, list.Descending)}}`,
	`o: list.Sort(description.config.parameter.x, {x: {}, y: {}, less: x.a > y.a})`,
	`o: list.Range(0, description.config.parameter.x, 3)`,
	`o: strings.Split(description.config.parameter.x, "o"), l: list.SortStrings(["b", description.config.parameter.t])`,
	`t: *description.config.parameter.x | "e"`,
	`o: {w: *description.config.parameter.x.a | "e", v: *description.config.parameter.x["k"] | 5, u: "u" | *description.config.parameter.x[1] | "v"}`,
	`o: w: "\(*description.config.parameter.x | "e")!", t: "\(*description.config.parameter.x.b | 0)"`,
	`o: w: (*description.config.parameter.x | "one") & (*"one" | string)`,
	`o: w: string & (*description.config.parameter.x | "one")`,
	`o: w: "one" & (*description.config.parameter.x | "one")`,
	`o: {if true {w: *description.config.parameter.x | "one"}, if (*description.config.parameter.x.b | 1) == 1 {v: 1}}`,
	`o: {description.config.parameter.x, own: "y"}, t: *description.config.parameter.x.own | string | "z"`,
	`o: {description.config.parameter.x, own: 5, "o-n": "\(description.config.parameter.t)"}`,
	`o: {description.config.parameter.x, own: _list[0]}`,
	`o: {description.config.parameter.x, own: description.config.parameter.t}`,
	`o: {let own = "q", l: [for v in description.config.parameter.x {"\(v)\(own)"}], own1: own}`,
}

// passingAside are configs and metas of a role that are made of x.
var passingAside = []string{
	`config: {parameter: t: "b", scale: hsize: description.config.parameter.x}`,
	`config: {parameter: t: "b", scale: description.config.parameter.x}`,
	`config: {parameter: t: "b", scale: hsize: description.config.parameter.x + 1}`,
	`config: {parameter: t: "b", scale: {if description.config.parameter.t == "s" {hsize: 2}}}`,
	`config: {parameter: t: "b", resilience: description.config.parameter.x}`,
	`config: {parameter: t: "b", resource: description.config.parameter.x}`,
	`config: {parameter: t: "b", resource: description.config.resource}`,
	`config: {parameter: t: "b", resource: q: description.config.parameter.x}`,
	`config: {parameter: description.config.parameter.x}`,
	`config: {parameter: description.config.parameter.x, parameter: t: "b"}`,
	`config: description.config.parameter.x`,
	`config: description.config`,
	`config: {parameter: t: description.config.parameter.x}`,
	`config: {parameter: t: "<\(description.config.parameter.x)>"}`,
	`config: {parameter: o: description.config.parameter.x}`,
	`config: {parameter: o: y: description.config.parameter.x.a}`,
	`config: {parameter: o: {y: description.config.parameter.x, ...}}`,
	`config: {parameter: o: [description.config.parameter.x, 1]}`,
	`config: {parameter: t: "b"}, meta: description.config.parameter.x`,
	`config: {parameter: t: "b"}, meta: {description.config.parameter.x, a: "q"}`,
	`config: {parameter: t: "b"}, meta: {m: description.config.parameter.x, if description.config.parameter.t == "s" {n: "\(description.config.parameter.x)"}}`,
	`config: {description.config.parameter.x, parameter: t: "b"}`,
	`config: {parameter: {[string]: _, t: "b"}, scale: {hsize: *description.config.parameter.x | 3}}`,
	`config: {parameter: o: y: *description.config.parameter.x | "e"}`,
	`config: {parameter: o: y: [if description.config.parameter.t == "s" {description.config.parameter.x}, "e"][0]}`,
	`config: {parameter: o: z: description.config.parameter.x & string}`,
	`config: {parameter: o: z: description.config.parameter.x, parameter: o: z: string | {...}}`,
	`config: {parameter: o: z: string, parameter: o: z: description.config.parameter.x}`,
	`config: {parameter: o: z: description.config.parameter.x & (int | {a: "y"})}`,
	`config: {parameter: o: {z: >=2 & description.config.parameter.x, y: "x"}}`,
	`config: {parameter: {t: string, t: "\(description.config.parameter.x)"}}`,
	`config: {parameter: {}, description.config.parameter.x}`,
}

// TestRolesThatPassOn compares roles whose parameters are loops, conditions, copies without a name and parts of tables with what CUE alone
// makes of them.
func TestRolesThatPassOn(t *testing.T) {
	t.Parallel()
	eachPassed(t, 4, slices.Concat(passing, passingAside), func(t *testing.T, _ int, declared, given, pass string) {
		compareForm(t, passes(declared, given, pass))
	})
}

// eachPassed runs a test for combinations of a type, what is given of it, and a use. n counts all of them; more leaves out more.
func eachPassed(t *testing.T, more int, uses []string, test func(t *testing.T, n int, declared, given, use string)) {
	n := 0
	for i, of := range passedOn {
		for j, given := range of.given {
			for k, use := range uses {
				if n++; seldom(n) || n%(more*(*everyForm-1)+1) != 0 {
					continue
				}
				n := n // of this one: the tests run once all are counted
				t.Run(fmt.Sprintf("%d-%d-%d", i, j, k), func(t *testing.T) {
					t.Parallel()
					test(t, n, of.declared, given, use)
				})
			}
		}
	}
}

// passes is the files of a form with three roles, of which two pass on.
func passes(declared, given, pass string) string {
	if !strings.HasPrefix(pass, "config: ") {
		pass = "config: parameter: {" + pass + "}"
	}
	return "-- s/config --\n" + declared + "\n-- deploy/config --\n" + given + "\n-- c/config --\n...\n-- s/imports --\n\"encoding/json\"\n" + importsOf(pass) +
		"-- s/roles --\n_in: {one: 1, two: \"b\"}\nrole: b: {artifact: c.#Artifact, " + pass + "}\n" +
		"role: d: {artifact: c.#Artifact, " + pass + ", config: scale: hsize: 2}\nrole: e: {artifact: c.#Artifact, config: parameter: t: \"e\"}\n" +
		"-- s/more --\n#X: {a: *\"x\" | string, b: *1 | int}\n_table: {one: 1, two: \"b\", a: true}\n_list: [\"n0\", \"n1\"]\n_lists: [[\"p\"], [1.5]]\n_raw: json.Unmarshal(\"{\\\"a\\\": \\\"j\\\", \\\"l\\\": [1]}\")\n"
}
