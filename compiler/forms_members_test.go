package compiler_test

import (
	"strings"
	"testing"
)

// memberForms are parameters that are maps and lists of structs, whose fields are made of each other, and of the names in the map.
var memberForms = []parameterForm{
	{name: "named", config: `m: [Name=string]: {name: Name, h: *"\(Name).l" | string, p: *80 | int}`},
	{name: "named by default", config: `m: [Name=string]: {name: *Name | string, p: *80 | int}`},
	{name: "siblings", config: `m: [string]: {h: *"l" | string, p: *80 | int, u: *"\(h):\(p)" | string}`},
	{name: "a sibling itself", config: `m: [string]: {p: *80 | int, q: *p | int, r: p}`},
	{name: "a bound", config: `m: [string]: {p: *80 | int, q: *p | (int & >=p)}`},
	{name: "one that has to be given", config: `m: [string]: {h: string, u: "http://\(h)"}`},
	{name: "one that need not be", config: `m: [N=string]: {h?: string, u: *"\(N)" | string, if h != _|_ {v: *h | string}}`},
	{name: "under conditions", config: `m: [string]: {on: *false | bool, if on {h: *"c" | string}}`},
	{name: "a list", config: `l: [...{h: *"l" | string, p: *80 | int, u: *"\(h):\(p)" | string}]`},
	{name: "a list with conditions", config: `l: [...{on: *false | bool, if on {h: *"c" | string}}]`},
	{name: "a definition", config: `m: [string]: #M, l: [...#M]`, pkg: `#M: {h: *"l" | string, p: *80 | int, u: *"\(h):\(p)" | string}`},
	{name: "a definition of a library", config: `m: [string]: l.#M`, library: `#M: {h: *"l" | string, p: *80 | int, u: *"\(h):\(p)" | string}`},
	{name: "a definition under conditions", config: `m: [string]: #M`, pkg: `#M: {on: *false | bool, if on {h: *"c" | string}}`},
	{name: "a map in each", config: `m: [N=string]: {p: *80 | int, in: [string]: {n: *N | string}}`},
	{name: "a struct in each", config: `m: [N=string]: {p: *80 | int, s: {n: *"\(N)\(p)" | string}}`},
	{name: "a definition with a struct", config: `s: #S`, pkg: `#S: {p: *80 | int, m: [N=string]: {n: *"\(N)\(p)" | string}}`},
	{name: "of another parameter", config: `p: *80 | int, m: [string]: {q: *p | int, u: *"\(p)" | string}`},
	{name: "a hidden field in each", config: `m: [N=string]: {_n: "<\(N)>", h: *_n | string, p: *80 | int}`},
	{name: "names that match", config: `m: [N= =~"^[ab]$"]: {name: N, p: *80 | int}`},
	{name: "open", config: `m: [N=string]: {name: N, p: *80 | int, ...}`},
	{name: "with a field of its own", config: `m: {[N=string]: {name: N, p: *80 | int}, a: p: *81 | int}`},
	{name: "twice", config: `m: [N=string]: {name: N, p: *80 | int}, m: [string]: {p: int, h: *"h" | string}`},
	{name: "with a default", config: `m: *{a: p: 1} | {[N=string]: {p: *80 | int, h: *"\(N)" | string}}`},
	{name: "a list with a default", config: `l: *[{h: "x", p: 2}] | [...{h: *"l" | string, p: *80 | int}]`},
	{name: "a list of definitions with a default", config: `l: *[{p: 1}, {h: "x", p: 1}] | [...#M]`, pkg: `#M: {h: *"l" | string, p: *80 | int}`},
	{name: "a list of definitions that is empty", config: `l: *[] | [...l.#M]`, library: `#M: {h?: string, p: *80 | int}`},
	{name: "a list with an open default", config: `l: *[{h: "x"}, ...] | [...{h: *"l" | string, p: *80 | int}]`},
	{name: "a list with a default that has open ones", config: `l: *[{h: "x", q: [1, ...]}] | [...{h: *"l" | string, p: *80 | int, q?: [...int]}]`},
	{name: "a list of texts and others", config: `l: *["a", "b"] | [...string], p: *[1, 2] | [...int] | 7`},
	{name: "need not be there", config: `m?: [N=string]: {name: N, p: *80 | int}, l?: [...{p: *80 | int, q: *p | int}]`},
}

// membersGiven is what is given for any of the forms.
var membersGiven = []string{
	`{}`, `m: {}`, `m: a: {}`, `m: a: p: 1`, `m: {a: p: 1, b: p: 2}`, `m: {b: {}, a: {h: "x"}}`, `m: {b: h: "y", a: {p: 3, h: "x"}}`, `m: a: {h: "x", p: 4, u: "z"}`, `m: a: u: "z"`, `m: {a: h: "x", b: h: "y", c: h: "z"}`,
	`m: a: name: "a"`, `m: a: name: "b"`, `m: a: {p: "x"}`, `m: a: z: 1`, `m: a: 5`, `m: 5`, `m: []`, `m: {a: {p: 5, q: 6}}`, `m: a: {p: 5, q: 4}`, `m: a: q: 7`, `m: a: r: 80`,
	`m: a: on: true`, `m: {a: {on: true, h: "x"}, b: {}}`, `m: a: {on: false, h: "x"}`, `m: {a: {p: 1, in: {x: {}, y: n: "k"}}}`, `m: a: in: x: n: "k"`, `m: a: s: n: "k"`, `m: a: {p: 9, s: {}}`, `m: a: h: 5`,
	`l: []`, `l: [{}]`, `l: [{p: 1}]`, `l: [{p: 1}, {h: "x"}]`, `l: [{h: "x", p: 2, u: "z"}, {}]`, `l: [{z: 1}]`, `l: [5]`, `l: {}`, `l: [{on: true}, {on: true, h: "x"}]`, `l: [{on: false, h: "x"}]`, `l: [{h: "x"}]`, `l: [{p: 1}, {h: "x"}]`, `l: [{h: "x", p: 2}]`, `l: [{}, {}]`, `l: [{h: "x"}, {h: "y"}]`, `l: [{h: "x", q: [1, 2]}]`, `l: ["a", "b"]`, `l: ["c"]`, `p: [3]`, `p: 7`,
	`{m: a: p: 1, l: [{p: 1}]}`, `{p: 7, m: a: {}}`, `{p: 7, m: {a: q: 8, b: {}}}`, `s: {}`, `s: m: a: {}`, `s: {p: 1, m: {a: n: "k", b: {}}}`, `m: "a-b": p: 1`, `m: "A": p: 1`, `m: {"1": p: 1, "10": {}, "9": h: "x"}`,
}

// shownMembers are files and variables that show the members.
const shownMembers = `
		mapping: filesystem: {
			"/m": {data: value: [for k, v in *config.parameter.m | {} {v}], format: "json"}
			"/k": {data: value: [for k, v in *config.parameter.m | {} {key: k, of: v}], format: "json"}
		}
		mapping: env: {for k, v in *config.parameter.m | {} {"\(k)_": value: "\(*v.h | "no")\(*v.p | 0)"}}
`

// TestMembers compares the result for each of memberForms with that of CUE alone.
func TestMembers(t *testing.T) {
	t.Parallel()
	compareEach(t, memberForms, membersGiven, func(form parameterForm) string {
		if strings.HasPrefix(form.config, "m: [") {
			return shownMembers
		}
		return ""
	})
}
