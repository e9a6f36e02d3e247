package compiler_test

// literalForms are artifacts with lists and structs that Go makes of what the sources write, with definitions that take
// arguments, and with fields beside which variables and parameters are left to the sources.
var literalForms = []decidedForm{
	{name: "arguments of a command", config: `a: *"d" | string, n: *1 | int, on: *false | bool, l: *["x"] | [...string], o?: string, f: *1.5 | number`,
		description: `code: c: {
	cmd: ["serve", config.parameter.a, "--n=\(config.parameter.n)", if config.parameter.on {"--on"}, for i, x in config.parameter.l if x != "z" {"--\(i)=\(x)"}, if config.parameter.o != _|_ {config.parameter.o}, for x in config.parameter.l {x}]
	entrypoint: [if config.parameter.on for x in ["a", "b"] let y = x + config.parameter.a {"\(y)"}, "e"]
}`,
		given: []string{`{}`, `a: "one"`, `a: "two", on: true`, `l: []`, `l: ["z", "é", "\\("], n: 0x10`, `o: "o", on: true`, `o: "p"`, `l: ["a", 5]`, `n: -1`, `a: 5`, `f: 2.50`}},
	{name: "a command with other than texts", config: `n: *1 | int, l: *[] | [...]`,
		description: `code: c: cmd: ["a", if config.parameter.n > 2 {config.parameter.n}, for x in config.parameter.l {x}]`,
		given:       []string{`{}`, `n: 2`, `n: 3`, `l: ["b"]`, `l: [5]`, `l: [["c"]]`, `l: [null]`}},
	{name: "values beside bounds, and of tables", config: `n: *1 | int, k: *"a" | "b", l: *[1] | [...int]`,
		description: `code: c: mapping: filesystem: {
	"/a": {data: value: {v: config.parameter.n & >0, w: x: config.parameter.n & int, l: [config.parameter.n & <9]}, format: "json"}
	"/b": {data: value: {v: config.parameter.n & >0, t: ({a: 1, b: 2})[config.parameter.k], u: {a: 1, b: 2}[config.parameter.k], l: [for x in config.parameter.l {v: x & >0, w: x & int, u: x}]}, format: "json"}
	"/c": {data: value: {v: config.parameter.t & !="", w: config.parameter.n & (1 | 2 | 5)}, format: "json"}
}`,
		given: []string{`{}`, `n: 2`, `n: 5, k: "b"`, `n: -1`, `l: [2, 3]`, `l: [0]`, `t: ""`, `t: "q", n: 0x2`}},
	{name: "files under conditions", config: `on: *false | bool, e: *"https://e" | string, n: *1 | int, o?: {a: string, b: *1 | int}`,
		description: `code: c: mapping: filesystem: {
	"/a": data: value: "a"
	if config.parameter.on {
		"/b": {data: value: {e: config.parameter.e, n: config.parameter.n, l: [config.parameter.n, {x: "\(config.parameter.e)!"}], if config.parameter.n > 1 {m: y: true}}, format: "json"}
	}
	if config.parameter.on if config.parameter.n > 1 {"/c": {data: value: config.parameter.e, mode: 0o600}}
	if config.parameter.o != _|_ {"/d": {data: value: {config.parameter.o, e: config.parameter.e}, format: "yaml"}}
	if config.parameter.o != _|_ {"/e": {data: value: {o: config.parameter.o}, format: "json"}}
}`,
		given: []string{`{}`, `on: true`, `on: true, e: "x"`, `on: true, n: 2`, `on: true, n: 3, e: "y"`, `on: true, n: 4`, `o: a: "a"`, `o: {a: "b", b: 2}, on: true`, `o: {a: 5}`, `on: true, n: "x"`}},
	{name: "names of files and variables", config: `a: *"d" | string, b: *"B" | string, on: *true | bool, m: *{} | {[string]: string}`,
		description: `code: c: mapping: {
	env: {
		A: parameter: "a"
		(config.parameter.b): value: "by b"
		"\(config.parameter.a)_\(config.parameter.b)": value: config.parameter.a
		if config.parameter.on for k, v in config.parameter.m {"M_\(k)": value: "\(v)\(config.parameter.a)"}
		for k, v in config.parameter.m if v != "" for w in [1, 2] {"W_\(k)_\(w)": value: v}
	}
	filesystem: {
		"/a": data: value: "a"
		"/x/\(config.parameter.a).conf": data: value: "site"
		if !config.parameter.on {"/y/\(config.parameter.a)": {data: value: {n: config.parameter.a, p: {[string]: int}}, format: "json"}}
	}
}`,
		given: []string{`{}`, `a: "one"`, `a: "two", b: "C"`, `b: "A"`, `a: "é"`, `a: "_h"`, `a: "../x", b: "#d"`, `a: "", b: ""`, `on: false`, `on: false, a: "q"`, `m: {k: "v", l: ""}`, `m: {k: "v2"}, on: false`, `m: B: "x", b: "M_B"`, `b: 5`}},
	{name: "names that hide others", config: `x: *"d" | string, l: *["p", "q"] | [...string]`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {
	for x in config.parameter.l {"\(x)": {x: "own", y: x}}
	for k, x in config.parameter.l {"k\(k)": {k: 1, v: "\(x)"}}
	for y in config.parameter.l let z = y + "z" let y = z {"z\(y)": z}
	for _, x in config.parameter.l {"u\(x)": [x, {x: 5}, for x in [x, "s"] {x}]}
}, format: "json"}`,
		given: []string{`{}`, `l: ["r"]`, `l: ["r", "s"]`, `l: []`, `l: ["p", "p"]`, `x: "y", l: ["t"]`}},
	{name: "a parameter that another names", config: `which: *"a" | "b" | string, a: *"A" | string, b: *"B" | string, n: *1 | int, i: *0 | int, l: *["x", "y"] | [...string], s: {q: *"Q" | string}, k: *"q" | string`,
		description: `code: c: mapping: env: {
	A: value: config.parameter[config.parameter.which]
	B: value: config.parameter.l[config.parameter.i]
	C: value: config.parameter.s[config.parameter.k]
	D: value: "\(config.parameter[config.parameter.which])!"
}`,
		given: []string{`{}`, `a: "x"`, `which: "b"`, `which: "b", b: "y"`, `which: "b", b: "B"`, `i: 1`, `i: 1, l: ["1", "2"]`, `i: 2`, `i: -1`, `which: "n"`, `which: "no"`, `which: "which"`, `s: q: "R"`, `k: "z"`, `l: ["z"]`}},
	{name: "definitions with arguments", config: `h: *"d" | string, p: *80 | int, on: *false | bool`, imports: `"strings"`,
		description: `#Join: {host: string, port: *443 | int, path: "/p", out: "https://\(host):\(port)\(path)", up: strings.ToUpper(host)}
#In: {#in: {host: string, n: {p: int}}, out: "\(#in.host)+\(#in.n.p)", copy: #in.host}
#Twice: {a: string, out: "\(a)\(b)", b: *"b" | string}
code: c: mapping: env: {
	A: value: (#Join & {host: config.parameter.h}).out
	B: value: (#Join & {host: config.parameter.h, port: config.parameter.p, path: "/p"}).up
	C: value: (#In & {#in: {host: config.parameter.h, n: p: config.parameter.p}}).out
	D: value: (#In & {#in: {host: config.parameter.h, n: p: 1}}).copy
	E: value: "\((#Twice & {a: (#Twice & {a: config.parameter.h}).out}).out)"
	F: value: ({a: config.parameter.h} & #Twice & {b: "B"}).out
}`,
		given: []string{`{}`, `h: "one"`, `h: "two", p: 1`, `h: "two", p: 2`, `p: 443`, `h: 5`, `p: "x"`, `h: "é"`}},
	{name: "arguments that a definition does not take", config: `h: *"d" | string, p: *80 | int`,
		description: `#Join: {host: string, out: "https://\(host)"}
code: c: mapping: env: A: value: (#Join & {host: config.parameter.h, port: config.parameter.p}).out`,
		given: []string{`{}`, `h: "one"`, `h: "two", p: 1`}},
	{name: "arguments before a definition that does not take them", config: `h: *"d" | string, p: *80 | int`,
		description: `#Join: {host: string, out: "https://\(host)"}
code: c: mapping: env: A: value: ({host: config.parameter.h, out: "https://\(host)", port: config.parameter.p} & #Join).out`,
		given: []string{`{}`, `h: "one"`, `h: "two", p: 1`}},
	{name: "arguments that contradict a definition", config: `h: *"d" | string, p: *80 | int`,
		description: `#Join: {host: "d" | "e", n: *1 | 2, in: {q: string}, out: "https://\(host)\(n)"}
code: c: mapping: env: A: value: (#Join & {host: config.parameter.h, n: config.parameter.p, in: r: "x"}).out
code: c: mapping: env: B: value: (#Join & {host: config.parameter.h, n: config.parameter.p}).out`,
		given: []string{`p: 1`, `h: "e", p: 2`, `h: "f", p: 1`, `p: 3`}},
	{name: "a definition that refers to itself, and one with more than fields", config: `h: *"d" | string`,
		description: `#A: {x: y, y: x, in: string, out: "\(in)\(x)"}
#B: {in: string, if in == "e" {more: "m"}, out: "\(in)", ...}
#C: {in: string, out: "\(in)"} | {in: int, out: "\(in)"}
code: c: mapping: env: {
	A: value: (#B & {in: config.parameter.h, z: 1}).out
	B: value: (#C & {in: config.parameter.h}).out
	if config.parameter.h == "f" {C: value: (#A & {in: config.parameter.h}).out}
}`,
		given: []string{`{}`, `h: "e"`, `h: "g"`, `h: "f"`}},
	{name: "a library's definitions", config: `h: *"d" | string, p: *80 | int`, imports: `"forms.example/app/lib/naming"`,
		description: `code: c: mapping: {
	env: {
		A: value: (naming.#Name & {#in: {name: config.parameter.h, port: config.parameter.p}}).out
		B: value: (naming.#Name & {#in: {name: config.parameter.h, port: 1}}).up
	}
	filesystem: "/e": {data: value: naming.#File & {#name: config.parameter.h}, format: "json"}
}
-- lib/naming/naming.cue --
package naming

import "strings"

#Name: {
	#in: {name: string, port: int}
	out: "\(#in.name)-in-\(#in.port)\(_suffix)"
	up:  strings.ToUpper(#in.name)
	_suffix: "!"
}
#File: {
	#name: string
	job: "job-\(#name)"
	labels: {name: #name}
}`,
		given: []string{`{}`, `h: "one"`, `h: "two", p: 1`, `h: "two", p: 2`, `h: 5`}},
	{name: "a copy beside types", config: `h: *"d" | string, n: *1 | int`,
		description: `code: c: {
	image: tag: config.parameter.h & (*"d" | "e" | string)
	mapping: env: {A: value: config.parameter.h, A: value: "d" | "e" | "f", B: value: (*"d" | string) & "\(config.parameter.h)", C: value: config.parameter.h & string & !=""}
}`,
		given: []string{`{}`, `h: "e"`, `h: "f"`, `h: "g"`, `h: ""`, `h: "d"`}},
	{name: "a copy of a default beside another default", config: `h: *"x" | string, n: *1 | int, on: *false | bool`,
		description: `code: c: {
	cmd: ["\(config.parameter.n)"]
	mapping: env: {A: value: config.parameter.h & (*"d" | string), if config.parameter.on {B: value: config.parameter.h & ("x" | *"y" | "a")}}
}`,
		given: []string{`h: "a"`, `h: "b"`, `h: "a", n: 2`, `h: "d"`, `h: "a", on: true`, `h: "x", on: true`, `{}`, `on: true`, `h: "c", on: true`}},
	{name: "what is there by an index", config: `m: *{} | {[string]: string}, k: *"a" | string, o?: {p?: string}, f: *1.5 | number`,
		description: `code: c: {
	cmd: ["c", if config.parameter.m[config.parameter.k] != _|_ {"has"}, if config.parameter.m["\(config.parameter.f)"] != _|_ {"by a fraction"}, if config.parameter.o.p != _|_ {"p"}, if config.parameter.o == _|_ {"no o"}]
	mapping: filesystem: {"/a": data: value: "a", if config.parameter.m["\(config.parameter.f)"] != _|_ {"/f": data: value: "\(config.parameter.k)"}}
}`,
		given: []string{`{}`, `m: a: "1"`, `m: b: "1", k: "b"`, `m: "1.5": "x"`, `m: "2.5": "x", f: 2.5`, `o: {}`, `o: p: "q"`, `m: "1.50": "z"`}},
	{name: "what reads variables and parameters", config: `a: *"A" | string, b: *"B" | string, c: *1 | int, d: *"D" | "E"`, imports: "\"strings\"\n\"encoding/json\"",
		description: `code: c: mapping: env: {A: parameter: "a", B: {parameter: "b"}, C: parameter: "c", S: value: strings.ToUpper(config.parameter.a), L: value: "\(len(config.parameter))", J: value: json.Marshal(config.parameter)}
code: c: mapping: filesystem: {
	"/a": {data: value: {for k, v in code.c.mapping.env if v.parameter != _|_ {"\(k)": v.parameter}}, format: "json"}
	"/b": data: value: code.c.mapping.env.A.parameter
	"/c": {data: value: {for k, _ in config.parameter {"\(k)": "\(k)!"}}, format: "json"}
}
let E = code.c.mapping.env
code: c: cmd: [E.B.parameter, strings.ToLower(config.parameter.b)]`,
		given: []string{`{}`, `a: "x"`, `b: "y", c: 2`, `d: "E"`, `d: "F"`, `c: "z"`, `e: 1`}},
	{name: "what reads the artifact without a config", config: `a: *"A" | string, b: *"B" | string, c: *1 | int`, imports: "\"strings\"\n\"encoding/json\"",
		description: `code: c: mapping: env: {A: parameter: "a", S: value: strings.ToUpper(config.parameter.b), J: value: json.Marshal(#Artifact.description.config.parameter), N: value: "\(#Artifact.description.config.parameter.c)", V: value: "\(len(#Artifact.description.code.c.mapping.env))"}`,
		given:       []string{`{}`, `a: "x"`, `b: "y", c: 2`}},
	{name: "checks beside variables", config: `a: *1 | int, b: *2 | int, c: *"c" | string`, imports: `"strings"`,
		description: `_less: true & (config.parameter.a < config.parameter.b)
_known: config.parameter.c & (*"c" | "d")
code: c: mapping: env: {A: parameter: "a", B: parameter: "b", C: value: strings.ToUpper(config.parameter.c)}`,
		given: []string{`{}`, `a: 2, b: 3`, `a: 3`, `b: 0`, `c: "d"`, `c: "e"`}},
	{name: "variables that are said twice", config: `a: *"A" | string`, imports: `"strings"`,
		description: `code: c: mapping: env: {A: parameter: "a", B: value: strings.ToUpper(config.parameter.a), A: parameter: "a", C: parameter: "a"}
code: c: mapping: env: C: parameter: string
code: c: mapping: env: [=~"^D"]: value: "by a pattern"
code: c: mapping: env: {D: value: strings.ToLower(config.parameter.a), E: parameter: "a"}`,
		given: []string{`{}`, `a: "x"`, `a: "By A Pattern"`}},
	{name: "variables of a definition", config: `a: *"A" | string`, imports: `"strings"`,
		description: `#Env: {A: parameter: "a", B: value: string}
code: c: mapping: env: #Env & {B: value: strings.ToUpper(config.parameter.a)}
code: d: {image: tag: "i", size: {cpu: {size: 1, unit: "m"}, mincpu: 1, memory: {size: 1, unit: "M"}}, mapping: env: {#Env, B: value: strings.ToLower(config.parameter.a), if config.parameter.a == "no" {C: parameter: "a"}}}`,
		given: []string{`{}`, `a: "x"`, `a: "y"`, `a: "no"`}},
	{name: "a size of which the model makes another", config: `m: *80 | int, b: *9 | int, z: *"z" | string`,
		description: `code: d: {image: tag: "x", mapping: env: A: value: "x", size: {cpu: {size: config.parameter.m, unit: "m"}, memory: {size: 2, unit: "M"}}}
size: bandwidth: {size: config.parameter.b, unit: "M"}`,
		given: []string{`{}`, `m: 100`, `m: 300, b: 4`, `m: 0`, `b: 0`, `m: "x"`}},
	{name: "a size that is a parameter, of which the model makes another", config: `cpu: {size: *10 | int, unit: *"m" | string, kind: "cpu"}, z: *"z" | string, m: *2 | int`,
		description: `code: d: {image: tag: "x", mapping: env: A: value: "x", cmd: ["\(config.parameter.m)"], size: {cpu: config.parameter.cpu, memory: {size: config.parameter.m * 2, unit: "M"}}}
code: e: {image: tag: "x", size: k.#ContainerSize & {cpu: size: config.parameter.m, cpu: unit: "m", memory: {size: 2, unit: "M"}}}`,
		given: []string{`{}`, `cpu: size: 300`, `cpu: {size: 7, unit: "m"}`, `m: 5`}},
	{name: "parts of a struct in a list", config: `i: *"x" | string, x: *"X" | string`,
		description: `let M = {x: "q", z: config.parameter.x}
code: c: cmd: [M[config.parameter.i]]`,
		given: []string{`i: "x"`, `i: "x", x: "9"`, `i: "z", x: "p"`, `i: "z", x: "r"`}},
	{name: "parameters that others name in a struct", config: `w: *"a" | string, a: *"A" | string, n: *1 | int, b: *"B" | string`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {w: config.parameter[config.parameter.w], if config.parameter.n == 1 {v: ["\(config.parameter.a)"]}}, format: "json"}`,
		given:       []string{`a: "x"`, `a: "y"`, `{}`, `w: "b"`, `w: "b", b: "y"`, `n: 1`, `n: 2`}},
	{name: "one size of which the model makes another", config: `m: *80 | int, z: *"z" | string`,
		description: `code: d: {image: tag: "x", mapping: env: A: value: "x", size: {cpu: {size: config.parameter.m, unit: "m"}, memory: {size: 2, unit: "M"}}}`,
		given:       []string{`m: 100`, `m: 300`}},
}
