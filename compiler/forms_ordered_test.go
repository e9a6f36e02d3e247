package compiler_test

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
)

// orderedForms are artifacts that show the order of a config's fields: in maps, whose keys differ from role to role, in structs and
// in lists of structs.
var orderedForms = []decidedForm{
	{name: "all parameters with a map", config: `m: [string]: string`, description: allAsJSON, imports: `"encoding/json"`, given: givenMaps},
	{name: "all parameters with a map that may be empty", config: `m: *{} | {[string]: string}`, description: allAsJSON, imports: `"encoding/json"`, given: givenMaps},
	{name: "all parameters with a map that has a default", config: `m: *{b: "1"} | {[string]: string}`, description: allAsJSON, imports: `"encoding/json"`, given: givenMaps},
	{name: "all parameters with an open map that has a default", config: `m: *{b: "1", ...} | {[string]: string}`, description: allAsJSON, imports: `"encoding/json"`, given: givenMaps},
	{name: "all parameters with a map that has two defaults", config: `m: *{z: "1", b: "2"} | {[string]: string}`, description: allAsJSON, imports: `"encoding/json"`, given: givenMaps},
	{name: "all parameters with a map that has a field", config: `m: {z: *"1" | string, [string]: string}`, description: allAsJSON, imports: `"encoding/json"`, given: givenMaps},
	{name: "all parameters with a map of texts and numbers", config: `m: [string]: string | int | [...int]`, description: allAsJSON, imports: `"encoding/json"`,
		given: append([]string{`m: {z: 1, b: [1, 2]}`, `m: {y: 2, c: [1]}`, `m: {y: "2", c: []}`}, givenMaps...)},
	{name: "all parameters with a map and a pattern", config: `m: [string]: string, m: [=~"^x"]: =~"^[0-9]"`, description: allAsJSON, imports: `"encoding/json"`, given: givenMaps},
	{name: "all parameters with a map of structs", config: `m: [string]: {p: *80 | int, h: string}`, description: allAsJSON, imports: `"encoding/json"`,
		given: []string{`{}`, `m: {b: h: "x"}`, `m: {c: h: "x", a: {h: "y", p: 1}}`, `m: {c: {p: 2, h: "x"}, a: h: "y"}`, `m: q: p: 1`}},
	{name: "a map as YAML", config: `m: [string]: string`, description: `code: c: cmd: [yaml.Marshal(config.parameter.m)]`, imports: `"encoding/yaml"`, given: givenMaps},
	{name: "a map in a struct as YAML", config: `s: {z: *1 | int, m: {[string]: string}, a: *true | bool}`, description: `code: c: cmd: [yaml.Marshal(config.parameter.s)]`, imports: `"encoding/yaml"`,
		given: []string{`{}`, `s: m: {b: "1", a: "2"}`, `s: {m: {d: "1", c: "2"}, z: 5}`, `s: {m: {f: "1", e: "2"}, z: 5, a: false}`, `s: m: x: 1`}},
	{name: "a map as a list", config: `m: [string]: string`, description: `code: c: cmd: [for k, v in config.parameter.m {"\(k)=\(v)"}]`, given: givenMaps},
	{name: "a map as a text beside a default", config: `m: [string]: string, s: {on: *true | bool, n: *5 | int}`,
		description: `code: c: cmd: ["\(config.parameter.s.on) " + strings.Join([for k, v in config.parameter.m {k + v}], ",")]`, imports: `"strings"`,
		given: append([]string{`{s: n: 8, m: {b: "1", a: "2"}}`, `{s: n: 9, m: {d: "1", c: "2"}}`, `{s: on: false, m: {f: "1"}}`, `s: {}`, `s: n: "x"`}, givenMaps...)},
	{name: "a field of a struct of which others are given", config: `s: {in: {on: *true | bool, n: *5 | int}, o?: int}`,
		description: `code: c: cmd: ["\(config.parameter.s.in.on)", if config.parameter.s.o != _|_ {"o"}]`,
		given:       []string{`{}`, `s: o: 1`, `s: in: n: 6`, `s: in: {}`, `s: in: on: false`, `s: {in: n: 7, o: 8}`, `s: in: x: 1`}},
	{name: "a field of one of two structs", config: `s: *{on: true} | {n: int, on?: bool}`,
		description: `code: c: cmd: [if config.parameter.s.on != _|_ {"\(config.parameter.s.on)"}]`,
		given:       []string{`{}`, `s: n: 6`, `s: on: true`, `s: on: false`, `s: {n: 7, on: true}`}},
	{name: "a field of a text or a struct", config: `s: *"auto" | {on: *true | bool, n?: int}`,
		description: `code: c: cmd: [if (config.parameter.s & {...}) != _|_ {"\(config.parameter.s.on)"}]`,
		given:       []string{`s: n: 6`, `s: on: true`, `s: on: false`, `s: {n: 7, on: true}`}},
	{name: "a struct with defaults as YAML", config: `s: {z: *1 | int, b: *"x" | string, ...}`, description: `code: c: cmd: [yaml.Marshal(config.parameter.s)]`, imports: `"encoding/yaml"`,
		given: []string{`{}`, `s: b: "y"`, `s: {b: "z", z: 2}`, `s: {a: 1, b: "v"}`, `s: {c: 1, a: 2}`, `s: z: "x"`}},
	{name: "a list of structs as YAML", config: `l: [...{h: string, p: *80 | int, a: *1 | int}]`, description: `code: c: cmd: [yaml.Marshal(config.parameter.l)]`, imports: `"encoding/yaml"`, given: givenStructs},
	{name: "a list of structs that may be empty as YAML", config: `l: *[] | [...{h: string, p: *80 | int, a: *1 | int}]`, description: `code: c: cmd: [yaml.Marshal(config.parameter.l)]`, imports: `"encoding/yaml"`, given: givenStructs},
	{name: "a list of structs gone through", config: `l: [...{h: string, p: *80 | int, a: *1 | int}]`, description: `code: c: cmd: [json.Marshal([for x in config.parameter.l {x}])]`, imports: `"encoding/json"`, given: givenStructs},
	{name: "a list of structs that has a default", config: `l: *[{p: 80, h: "d", a: 1}] | [...{h: string, p: *80 | int, a: *1 | int}]`, description: allAsJSON, imports: `"encoding/json"`,
		given: append([]string{`l: [{h: "d", p: 80, a: 1}]`}, givenStructs...)},
	{name: "a list of one of two structs", config: `l: [...({h: string, p: *80 | int} | {a: int, h: string, z: *1 | int})]`, description: allAsJSON, imports: `"encoding/json"`, given: givenStructs},
	{name: "numbers that CUE writes as they are written", config: `l: *[0x10, 1_000] | [...int], n: *0x10 | int, m: *{a: 0x10} | {[string]: int}, s: {l: *[{a: 0x10}] | [...{a: *0x11 | int}], f: *1.50 | number}`,
		description: `code: c: cmd: [yaml.Marshal(config.parameter), yaml.Marshal({l: config.parameter.l, m: config.parameter.m}), yaml.Marshal([config.parameter.n]), yaml.Marshal(config.parameter.s.l)]`, imports: `"encoding/yaml"`,
		given: []string{`{}`, `l: [0x10]`, `l: [16]`, `n: 0x10`, `m: a: 0x10`, `m: b: 1_0`, `s: l: [{a: 0x10}]`, `s: l: [{}]`, `s: f: 1.50`, `l: ["x"]`}},
	{name: "a port with a default beside a number of instances", config: `n: *1 | uint, port: *8080 | uint16`, description: `config: scale: hsize: config.parameter.n
srv: server: web: port: config.parameter.port, probe: c: liveness: protocol: http: {port: srv.server.web.port, path: "/\(config.parameter.n)"}`,
		given: []string{`{}`, `n: 2`, `port: 9`, `{n: 3, port: 9}`, `n: -1`}},
	{name: "a port with a default beside copies of parameters", config: `a: *80 | uint16, b: a, port: *8080 | uint16`,
		description: `srv: server: web: port: config.parameter.port, probe: c: liveness: protocol: http: {port: srv.server.web.port, path: "/\(config.parameter.b)"}`,
		given:       []string{`{}`, `a: 81`, `b: 81`, `{a: 82, b: 82}`, `{b: 83, port: 9}`, `{a: 1, b: 2}`}},
	{name: "a port with a default beside a hidden copy", config: `a: *80 | uint16, b: _a, _a: a, port: *8080 | uint16`,
		description: `srv: server: web: port: config.parameter.port, probe: c: liveness: protocol: http: {port: srv.server.web.port, path: "/\(config.parameter.b)"}`,
		given:       []string{`{}`, `a: 81`, `b: 81`, `{a: 82, b: 82}`, `{b: 83, port: 9}`}},
	{name: "a port with a default that a condition restricts", config: `tls: *true | bool, port: *8080 | uint16, if tls {crt: *"c" | string}`,
		description: `srv: server: web: port: config.parameter.port, probe: c: liveness: protocol: http: {port: srv.server.web.port, path: "/\(config.parameter.tls)"}`,
		given:       []string{`{}`, `tls: false`, `tls: true`, `crt: "d"`, `{tls: true, crt: "e"}`, `{tls: false, crt: "e"}`}},
	{name: "a check beside parameters that depend on each other", config: `lo: *1 | int, hi: *9 | int, _ok: true & (lo <= hi), l: *"none" | string, d: *l | string`,
		description: `code: c: cmd: ["\(config.parameter.lo)", config.parameter.d]`,
		given:       []string{`{}`, `lo: 3`, `lo: 10`, `l: "x"`, `d: "y"`, `{lo: 2, hi: 3, l: "x", d: "z"}`, `{hi: 0, l: "x"}`}},
	{name: "a loop that shows the fields of a struct", config: loopedStruct, description: `code: c: cmd: [for k, v in config.parameter.s {"\(k)=\(v)"}]`, given: givenLooped},
	{name: "a loop that shows some fields of a struct", config: loopedStruct, description: `code: c: cmd: [for k, v in config.parameter.s if v != "x" {"\(k)=\(v)"}]`, given: givenLooped},
	{name: "a loop in a text that shows some fields of a struct", config: loopedStruct, description: `code: c: cmd: [strings.Join([for k, v in config.parameter.s if v != "x" {"\(k)=\(v)"}], ",")]`, imports: `"strings"`, given: givenLooped},
	{name: "a loop beside a struct that is written", config: loopedStruct, imports: "\"strings\"\n\"encoding/json\"", given: givenLooped,
		description: `code: c: cmd: [json.Marshal(config.parameter.s) + strings.Join([for k, v in config.parameter.s if v != "x" {"\(k)=\(v)"}], ",")]`},
	{name: "a loop that makes a struct that is written", config: loopedStruct, description: `code: c: cmd: [json.Marshal({for k, v in config.parameter.s if v != "x" {(k): v}})]`, imports: `"encoding/json"`, given: givenLooped},
	{name: "a loop that makes a struct, and one through that", config: loopedStruct, description: `_t: {for k, v in config.parameter.s if v != "x" {(k): v}}
code: c: cmd: [for k, _ in _t {k}]`, given: givenLooped},
	{name: "loops in loops through structs", config: `s: {z: {y: *"x" | string, a: *"x" | string, q: *"x" | string}, b: {y: *"x" | string, a: *"x" | string}}`,
		description: `code: c: {cmd: [for k, v in config.parameter.s for l, w in v if w != "x" {"\(k).\(l)=\(w)"}], mapping: filesystem: "/p": {data: value: [for k, v in config.parameter.s {name: k, all: [for l, w in v {name: l, value: w}]}], format: "json"}}`,
		given:       []string{`{}`, `s: {z: q: "1"}`, `s: {z: q: "2"}`, `s: {z: q: "3"}`, `s: {b: a: "1", z: q: "1"}`, `s: {b: a: "x", z: q: "1"}`, `s: {b: a: "1", z: q: "x"}`, `s: {b: a: "2", z: q: "2"}`, `s: {z: {q: "1", a: "2"}}`, `s: {z: {q: "2", a: "x"}}`, `s: {z: {q: "x", a: "2"}}`, `s: {z: {q: "3", a: "3"}}`, `s: z: w: 1`}},
	{name: "the names of all parameters", config: loopedStruct, description: `code: c: cmd: [for k, _ in config.parameter {k}, strings.Join([for k, v in config.parameter if (v & string) != _|_ {"\(k)=\(v)"}], ",")]`, imports: `"strings"`, given: append([]string{`n: 1`, `{n: 2, s: b: "1"}`}, givenLooped...)},
	{name: "a loop through a map of structs, and through each", config: `m: [string]: {z: *"x" | string, b: *"x" | string, a: *"x" | string}`,
		description: `code: c: cmd: [for k, v in config.parameter.m for l, w in v if w != "x" {"\(k).\(l)=\(w)"}]`,
		given:       []string{`m: {q: a: "1"}`, `m: {q: a: "2"}`, `m: {q: a: "3"}`, `m: {r: a: "4", q: a: "5"}`, `m: {q: {b: "1", a: "x"}}`, `m: {q: {b: "x", a: "x"}}`, `m: {q: {b: "2", a: "2"}}`, `m: {r: {b: "2", a: "3"}}`, `{}`}},
	{name: "a loop through structs in a list, and through each", config: `l: [...{z: *"x" | string, b: *"x" | string, a: *"x" | string}]`,
		description: `code: c: cmd: [for v in config.parameter.l for l, w in v if w != "x" {"\(l)=\(w)"}]`,
		given:       []string{`l: [{a: "1"}]`, `l: [{a: "2"}]`, `l: [{a: "3"}]`, `l: [{b: "1", a: "x"}]`, `l: [{b: "x", a: "x"}]`, `l: [{b: "2", a: "2"}]`, `l: [{b: "2", a: "3"}]`, `l: [{b: "2", a: "3"}, {a: "5"}]`, `{}`}},
	{name: "a map as names and values", config: `m: [string]: string`, imports: `"strings"`, given: givenMaps,
		description: `code: c: mapping: {filesystem: "/p": {data: value: [for k, v in config.parameter.m {name: k, value: v}], format: "json"}, env: {for k, v in config.parameter.m let u = strings.ToUpper(k) {(u): value: v}}}`},
	{name: "a sorted map", config: `m: [string]: string`, imports: `"list"`, given: givenMaps, description: `code: c: cmd: list.SortStrings([for k, v in config.parameter.m {"\(v)=\(k)"}])`},
}

// allAsJSON shows all parameters in one text.
const allAsJSON = `code: c: cmd: [json.Marshal(config.parameter)]`

var givenMaps = []string{`{}`, `m: {}`, `m: {z: "1", b: "2"}`, `m: {c: "1", a: "2"}`, `m: {"10": "1", "9": "2", "a-b": "3"}`, `m: b: "1"`, `m: {b: "1", a: "2"}`, `m: {x1: "7", w: "8"}`, `m: x: "y"`, `m: k: true`}

var givenStructs = []string{`{}`, `l: []`, `l: [{h: "a"}]`, `l: [{h: "b", p: 81}]`, `l: [{p: 80, h: "c"}]`, `l: [{a: 3, h: "x"}]`, `l: [{a: 4, h: "x"}, {h: "y"}]`, `l: [{a: 5, h: "v"}, {h: "w"}]`, `l: [{h: "y"}, {a: 4, h: "x"}]`, `l: [{q: 1}]`, `l: [{p: 1}]`}

// In givenLooped, roles with the same fields show different ones of them: all orders of those that are hidden look alike.
const loopedStruct = `n?: int, s: {z: *"x" | string, b: *"x" | string, a: *"x" | string, y: *"w" | string}`

var givenLooped = []string{`{}`, `s: a: "1"`, `s: a: "2"`, `s: a: "3"`, `s: {a: "1", b: "x"}`, `s: {a: "2", b: "x"}`, `s: {a: "x", b: "1"}`, `s: {a: "3", b: "3"}`, `s: {a: "4", b: "5"}`,
	`s: {y: "x", b: "x"}`, `s: {y: "x", b: "1"}`, `s: {y: "1", b: "x"}`, `s: {y: "1", b: "1"}`, `s: {y: "2", b: "2"}`, `s: {a: "1", b: "1", y: "1", z: "1"}`, `s: {a: "1", b: "2", y: "1", z: "1"}`, `s: {a: "x", b: "2", y: "1", z: "1"}`, `s: q: "1"`}

// TestOrderIsLearnt: once the order of a config's fields is learnt, CUE evaluates nothing for further roles that are given other values.
func TestOrderIsLearnt(t *testing.T) {
	t.Parallel()
	for given, forms := range map[string][]decidedForm{
		`m: {k«n»: "v«n»", b: "«n»"}`: {
			{name: "a list", config: `m: [string]: string`, description: `code: c: cmd: [for k, v in config.parameter.m {"\(k)=\(v)"}]`},
			{name: "a text", config: `m: [string]: string`, description: `code: c: cmd: [strings.Join([for k, v in config.parameter.m {"\(k)=\(v)"}], ",")]`, imports: `"strings"`},
			{name: "structs", config: `m: [string]: string`, description: `code: c: mapping: filesystem: "/p": {data: value: [for k, v in config.parameter.m {name: k, value: v}], format: "json"}`},
			{name: "YAML", config: `m: [string]: string`, description: `code: c: cmd: [yaml.Marshal({m: config.parameter.m, l: [for k, v in config.parameter.m {"\(k)=\(v)"}]})]`, imports: `"encoding/yaml"`},
		},
		`s: {y: "v«n»", b: "«n»"}`: {
			{name: "a struct", config: loopedStruct, description: `code: c: cmd: [for k, v in config.parameter.s {"\(k)=\(v)"}]`},
			{name: "all parameters", config: loopedStruct, description: `code: c: cmd: [for k, _ in config.parameter {k}]`},
		},
		`s: {kind: "disk", path: "/v«n»"}`: {{name: "a choice between definitions", config: `s: *#Memory | #Disk`, imports: stores, description: `code: c: mapping: filesystem: "/p": {data: value: config.parameter.s, format: "json"}`}},
	} {
		for _, form := range forms {
			t.Run(form.name, func(t *testing.T) {
				t.Parallel()
				sliced := func(roles int) int {
					var all strings.Builder
					for n := range roles {
						all.WriteString(roleGiven(n, strings.ReplaceAll(given, "«n»", strconv.Itoa(n))))
					}
					in := compiler.Input{}
					in.Dir = filepath.Join(form.write(t, all.String()), "deploy")
					result, problems := compiler.Run(context.Background(), in, compiler.SpreadStage)
					require.Empty(t, problems)
					return result.Tree.Work.Sliced + result.Tree.Work.Evaluated
				}
				require.Equal(t, sliced(10), sliced(20))
			})
		}
	}
}
