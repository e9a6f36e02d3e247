package compiler_test

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
)

// decidedForms are artifacts in which config decides which fields there are, in ways that are
// like each other; each with parameters for some roles.
var decidedForms = []decidedForm{
	{name: "names of a map beside others", config: `m: *{} | {[string]: string}`,
		description: `code: c: mapping: env: {A: value: config.parameter.t, for k, v in config.parameter.m {"\(k)": value: v}}`,
		given:       []string{`{}`, `m: B: "b"`, `m: {B: "b", C: "c"}`, `m: A: "a"`, `{t: "a", m: A: "a"}`, `m: B: "b2"`, `m: {}`, `{t: "x", m: B: "b"}`}},
	{name: "names of a list", config: `l: *[] | [...string]`,
		description: `code: c: mapping: env: {A: value: "a", for x in config.parameter.l {"X_\(x)": value: x}, for i, x in config.parameter.l {"N\(i)": value: "\(x) of \(len(config.parameter.l))"}}`,
		given:       []string{`{}`, `l: ["1"]`, `l: ["2", "3"]`, `l: ["2", "2"]`, `l: ["3", "2"]`, `l: [3]`}},
	{name: "a name that is a parameter", config: `n: *"N" | string`,
		description: `code: c: mapping: env: {A: value: "a", (config.parameter.n): value: config.parameter.t}`,
		given:       []string{`{}`, `n: "M"`, `n: "O"`, `n: "A"`, `{n: "A", t: "a"}`, `n: "_h"`, `n: "#d"`, `n: ""`, `n: "a.b"`, `n: "0"`}},
	{name: "a name with a parameter in it", config: `n: *"N" | string`,
		description: `code: c: mapping: env: {A: value: "a", "X_\(config.parameter.n)": value: "x", "\(config.parameter.n)_Y": value: "y"}`,
		given:       []string{`{}`, `n: "M"`, `n: "X_M"`, `n: "Y"`, `n: "X"`}},
	{name: "a map of lists with a default", config: `m: *{a: ["x"], b: []} | {[string]: [...string]}`,
		description: `code: c: mapping: env: {
	for g, xs in config.parameter.m for i, x in xs {"G_\(g)_\(i)": value: x}
	N: value: "\(len(config.parameter.m))"
}`,
		given: []string{`{}`, `m: a: ["x"]`, `m: {a: ["x"], b: []}`, `m: a: ["y"]`, `m: {a: ["x", "y"], c: ["z"]}`, `m: a: []`, `m: {a: ["x"], c: ["w"]}`, `m: b: ["q"]`, `m: {}`, `m: a: 5`, `m: a: [5]`, `m: {a: ["x"], b: ["y"]}`, `m: c: ["k"]`, `m: a: null`}},
	{name: "some of a map", config: `m: *{a: 1} | {[string]: int}`,
		description: `code: c: mapping: env: {for k, v in config.parameter.m if v > 1 let w = v * 2 {"\(k)": value: "\(w)"}}`,
		given:       []string{`{}`, `m: b: 2`, `m: {b: 2, c: 0}`, `m: {b: 3}`}},
	{name: "maps in maps", config: `m: *{} | {[string]: [string]: string}`,
		description: `code: c: mapping: env: {for k, v in config.parameter.m for l, w in v {"\(k)_\(l)": value: w}}`,
		given:       []string{`{}`, `m: a: b: "1"`, `m: {a: {b: "1", c: "2"}, a_b: c: "3"}`, `m: {a: b_c: "1", a_b: c: "2"}`, `m: {a: b_c: "1", a_b: c: "1"}`}},
	{name: "a source that is not there", config: `m: *{} | {[string]: string}`,
		description: `code: c: mapping: env: {for k, v in config.parameter.mm {"\(k)": value: v}}`,
		given:       []string{`{}`, `m: B: "b"`}},
	{name: "a source that is optional", config: `m?: [string]: string`,
		description: `code: c: mapping: env: {A: value: "a", for k, v in config.parameter.m {"\(k)": value: v}}`,
		given:       []string{`m: B: "b"`, `m: C: "c"`, `{}`}},
	{name: "a source that is asked for", config: `m?: [string]: string`,
		description: `code: c: mapping: env: {A: value: "a", if config.parameter.m != _|_ for k, v in config.parameter.m {"\(k)": value: v}}`,
		given:       []string{`m: B: "b"`, `m: C: "c"`, `{}`}},
	{name: "a condition that is not there", config: `b: *false | bool`,
		description: `code: c: mapping: env: {A: value: "a", if config.parameter.bb {B: value: "b"}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "a value of the wrong kind under a condition", config: `b: *false | bool`,
		description: `code: c: mapping: env: {A: value: "a", if config.parameter.b {B: value: 5}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "a value of the wrong kind for each", config: `m: *{} | {[string]: int}`,
		description: `code: c: mapping: env: {A: value: "a", for k, v in config.parameter.m {"\(k)": value: v}}`,
		given:       []string{`{}`, `m: B: 1`}},
	{name: "a field that the model has not", config: `b: *false | bool`,
		description: `code: c: mapping: env: {A: value: "a", if config.parameter.b {B: valu: "b"}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "a field of a section that is computed", config: `n: *"env" | string`,
		description: `code: c: mapping: {"\(config.parameter.n)": A: value: "1"}`,
		given:       []string{`{}`, `n: "filesystem"`, `n: "en"`}},
	{name: "containers for each", config: `l: *[] | [...string]`,
		description: `code: {for x in config.parameter.l {"\(x)": {image: tag: "i:\(x)", size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}}}`,
		given:       []string{`{}`, `l: ["x"]`, `l: ["y", "z"]`, `l: ["c"]`, `l: ["x", "x"]`}},
	{name: "channels for each", config: `l: *[] | [...string]`,
		description: `srv: client: {for x in config.parameter.l {"\(x)": _}}, srv: server: {for i, x in config.parameter.l {"s\(i)": port: 1000 + i}}`,
		given:       []string{`{}`, `l: ["x"]`, `l: ["y", "z"]`}},
	{name: "a channel under a condition", config: `b: *false | bool`,
		description: `srv: client: {if config.parameter.b {q: _}}, srv: server: {if !config.parameter.b {p: port: 81}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "a probe under a condition", config: `b: *false | bool`,
		description: `probe: c: {if config.parameter.b {liveness: {protocol: http: {port: srv.server.in0.port, path: "/"}}}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "a probe that config names", config: `n: *"liveness" | string, m: *1 | int`,
		description: `probe: c: {"\(config.parameter.n)": {protocol: http: {port: srv.server.in0.port + config.parameter.m - 1, path: "/"}}}`,
		given:       []string{`{}`, `n: "readiness"`, `m: 2`, `m: 3`, `{n: "readiness", m: 4}`, `m: 5`, `{n: "bogus", m: 6}`, `n: ""`}},
	{name: "a part of a map that has no such part", config: `m: *{a: 1} | {[string]: int}, o?: {a: int}`,
		description: `code: c: mapping: env: {A: value: "\(config.parameter.m.a)", if config.parameter.o.a != _|_ {O: value: "\(config.parameter.o.a)"}}`,
		given:       []string{`{}`, `m: a: 2`, `{m: a: 3, o: a: 4}`, `m: b: 2`, `m: {}`, `{m: {}, o: a: 4}`, `m: {a: 5, b: 3}`}},
	{name: "a variable that something refers to", config: `b: *false | bool`,
		description: "code: c: mapping: env: {if config.parameter.b {B: value: \"b\"}, if B != _|_ {C: value: B.value}}\nlet E = code.c.mapping.env\ncode: c: mapping: filesystem: \"/e\": {data: value: {b: *E.B.value | \"none\"}, format: \"json\"}",
		given:       []string{`{}`, `b: true`}},
	{name: "a variable whose presence is asked for", config: `b: *false | bool`,
		description: "code: c: mapping: env: {if config.parameter.b {B: value: \"b\"}}\nlet E = code.c.mapping.env\ncode: c: mapping: filesystem: \"/e\": {data: value: {if E.B != _|_ {b: true}}, format: \"json\"}",
		given:       []string{`{}`, `b: true`}},
	{name: "all variables in a file", config: `m: *{} | {[string]: string}`,
		description: "code: c: mapping: env: {A: value: \"a\", for k, v in config.parameter.m {\"\\(k)\": value: v}}\nlet E = code.c.mapping.env\ncode: c: mapping: filesystem: \"/e\": {data: value: {for k, v in E {\"\\(k)\": v.value}}, format: \"json\"}",
		given:       []string{`{}`, `m: B: "b"`, `m: A: "a"`, `m: A: "b"`}},
	{name: "one of computed variables in a file", config: `m: *{} | {[string]: string}`,
		description: "code: c: mapping: env: {A: value: \"a\", for k, v in config.parameter.m {\"\\(k)\": value: v}}\nlet E = code.c.mapping.env\ncode: c: mapping: filesystem: \"/e\": {data: value: {a: E.A.value, b: *E.B.value | \"none\"}, format: \"json\"}",
		given:       []string{`{}`, `m: B: "b"`, `m: A: "a"`}},
	{name: "how many variables there are", config: `m: *{} | {[string]: string}`,
		description: "code: c: mapping: env: {A: value: \"a\", for k, v in config.parameter.m {\"\\(k)\": value: v}}\ncode: c: mapping: filesystem: \"/e\": {data: value: \"\\(len(description.code.c.mapping.env))\"}",
		given:       []string{`{}`, `m: B: "b"`}},
	{name: "variables that other variables are for", config: `l: *["1"] | [...string]`,
		description: "_e: {for x in config.parameter.l {\"X\\(x)\": value: x}}\ncode: c: mapping: env: {for k, v in _e {\"\\(k)_\": v}}",
		given:       []string{`{}`, `l: ["2", "3"]`}},
	{name: "the same variables in two places", config: `l: *["1"] | [...string]`,
		description: "#E: {A: value: \"a\", for x in config.parameter.l {\"X\\(x)\": value: x}}\ncode: c: mapping: env: #E\ncode: d: {image: tag: \"i:2\", size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}, mapping: env: {#E, B: value: \"b\"}}",
		given:       []string{`{}`, `l: ["2", "3"]`}},
	{name: "variables in two structs", config: `l: *["1"] | [...string], b: *false | bool`,
		description: "code: c: mapping: env: {A: value: \"a\", for x in config.parameter.l {\"X\\(x)\": value: x}}\ncode: c: mapping: env: {B: value: \"b\", if config.parameter.b {C: value: \"c\"}}",
		given:       []string{`{}`, `l: ["2", "3"]`, `b: true`, `{b: true, l: ["4"]}`}},
	{name: "variables in joined structs", config: `l: *["1"] | [...string]`,
		description: `code: c: mapping: env: {A: value: "a"} & {A: value: string, for x in config.parameter.l {"X\(x)": value: x}}`,
		given:       []string{`{}`, `l: ["2", "3"]`}},
	{name: "closed variables", config: `l: *["1"] | [...string]`,
		description: `code: c: mapping: env: close({A: value: "a", for x in config.parameter.l {"X\(x)": value: x}})`,
		given:       []string{`{}`, `l: ["2", "3"]`}},
	{name: "a pattern of ours", config: `l: *["1"] | [...string]`,
		description: `code: c: mapping: env: {[=~"^X"]: value: "x" | "2", A: value: "a", for x in config.parameter.l {"X\(x)": value: x}, Y: value: "y"}`,
		given:       []string{`l: ["2"]`, `l: ["x"]`, `l: ["3"]`, `{}`}},
	{name: "a pattern that config decides", config: `n: *"x" | string, l: *["1"] | [...string]`,
		description: `code: c: mapping: env: {[=~"^\(config.parameter.n)"]: value: "x", xA: value: _, for x in config.parameter.l {"\(x)": value: _}, B: value: "b"}`,
		given:       []string{`l: ["x2"]`, `{n: "z", l: ["zz"]}`, `{n: "B"}`}},
	{name: "a default that config may replace", config: `m: *{} | {[string]: string}`,
		description: `code: c: mapping: env: {A: value: *"a" | string, for k, v in config.parameter.m {"\(k)": value: v}}`,
		given:       []string{`{}`, `m: B: "b"`, `m: A: "z"`}},
	{name: "a variable under a condition that is there anyway", config: `b: *false | bool`,
		description: `code: c: mapping: env: {A: value: *"a" | string, if config.parameter.b {A: value: "b"}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "two conditions for a variable", config: `b: *1 | int`,
		description: `code: c: mapping: env: {if config.parameter.b > 1 {A: value: "b\(config.parameter.b)"}, if config.parameter.b > 2 {A: {value: string}, B: value: "c"}, if config.parameter.b == 4 {A: value: "no"}}`,
		given:       []string{`{}`, `b: 2`, `b: 3`, `b: 4`}},
	{name: "a condition with something for else", config: `b: *1 | int`,
		description: `code: c: mapping: env: {if config.parameter.b > 1 {A: value: "more"}, if config.parameter.b <= 1 {A: value: "less"}}`,
		given:       []string{`{}`, `b: 2`, `b: 3`}},
	{name: "a value for each in a file", config: `l: *[] | [...{name: string, port: int}]`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {n: len(config.parameter.l), t: config.parameter.t, for x in config.parameter.l {"\(x.name)": {port: x.port, at: [x.name, "\(x.port)"], x: x}}}, format: "json"}`,
		given:       []string{`{}`, `l: [{name: "a", port: 1}]`, `l: [{name: "b", port: 2}, {name: "c", port: 3}]`, `l: [{name: "t", port: 2}]`, `l: [{name: "b", port: 9}]`}},
	{name: "files for each", config: `m: *{} | {[string]: {text: string, mode: *0o644 | int}}`,
		description: `code: c: mapping: filesystem: {"/e": data: value: config.parameter.t, for k, v in config.parameter.m {"/d/\(k)": {data: value: v.text, mode: v.mode}}}`,
		given:       []string{`{}`, `m: a: text: "1"`, `m: b: {text: "2", mode: 0o600}`, `m: {b: {text: "2"}, c: text: "3"}`}},
	{name: "lists under conditions", config: `b: *false | bool`,
		description: `code: c: {entrypoint: ["a", if config.parameter.b {"-v"}], mapping: env: {if config.parameter.b {V: value: "1"}}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "an artifact with its own base", config: `l: *["1"] | [...string]`, imports: "l \"forms.example/app/l:lib\"\n-- l/a.cue --\npackage lib\n#E: {l: [...string], env: {Z: value: \"z\", for x in l {\"X\\(x)\": value: x}}}",
		description: `code: c: mapping: env: (l.#E & {l: config.parameter.l}).env`,
		given:       []string{`{}`, `l: ["2", "3"]`}},
	{name: "a function for all variables", config: `l: *["1"] | [...string]`, imports: "\"strings\"",
		description: `code: c: mapping: env: {A: value: strings.ToUpper("a"), for x in config.parameter.l {"\(strings.ToUpper(x))": value: strings.Repeat(x, 2)}}`,
		given:       []string{`{}`, `l: ["b", "c"]`, `l: ["a"]`}},
	{name: "a let that both use", config: `l: *["1"] | [...string]`,
		description: `code: c: mapping: env: {let T = config.parameter.t, A: value: T, for x in config.parameter.l {"X\(x)": value: T + x}}`,
		given:       []string{`{}`, `{l: ["b", "c"], t: "x"}`, `{t: "y"}`}},
	{name: "another name for a field for each", config: `l: *["1"] | [...string]`,
		description: `code: c: mapping: env: {A: value: "a", for x in config.parameter.l {N="X\(x)": {value: x}, "Y\(x)": value: N.value}}`,
		given:       []string{`{}`, `l: ["b", "c"]`}},
	{name: "a condition on all of the config", config: `b: *false | bool`,
		description: `code: c: mapping: env: {for k, v in config.parameter if k == "t" {"P_\(k)": value: v}}`,
		given:       []string{`{}`, `t: "x"`}},
	{name: "an attribute beside", config: `l: *["1"] | [...string]`,
		description: `code: c: mapping: env: {@own(x), A: value: "a", for x in config.parameter.l {"X\(x)": value: x}}`,
		given:       []string{`{}`, `l: ["b", "c"]`}},
	{name: "an ellipsis beside", config: `l: *["1"] | [...string]`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {a: 1, for x in config.parameter.l {"X\(x)": x}, ...}, format: "json"}`,
		given:       []string{`{}`, `l: ["b", "c"]`}},
	{name: "an embedding beside", config: `l: *["1"] | [...string], s: {[string]: string}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {config.parameter.s, for x in config.parameter.l {"X\(x)": x}}, format: "json"}`,
		given:       []string{`{}`, `l: ["b", "c"]`, `s: {q: "1", Xb: "b"}`, `{s: Xb: "b", l: ["b"]}`, `{s: Xb: "c", l: ["b"]}`}},
	{name: "a let in the config", config: `let F = "\(t).x", n: *F | string`,
		description: `code: c: mapping: env: {V: value: config.parameter.n}`,
		given:       []string{`{}`, `t: "1"`, `n: "2"`, `n: 2`}},
	{name: "a pattern in the config", config: `{[=~"^l"]: int & >0}, l1: *1 | int, p?: int`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {l: config.parameter.l1, for k, v in config.parameter if k =~ "^l" {"\(k)": v}}, format: "json"}`,
		given:       []string{`{}`, `l1: 2`, `l2: 3`, `l1: 0`, `l2: 0`, `l2: "x"`, `q: 1`, `p: 1`}},
	{name: "a struct in the config", config: `{[=~"^l"]: int & >0, l1: *1 | int}, {b: *false | bool, if b {v: *"1" | string}}, {#h: 1, q: *#h | int}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {l: config.parameter.l1, q: config.parameter.q, if config.parameter.b {v: config.parameter.v}}, format: "json"}`,
		given:       []string{`{}`, `l1: 2`, `l2: 3`, `l1: 0`, `l2: "x"`, `b: true`, `{b: true, v: "2"}`, `v: "2"`, `q: 7`, `z: 1`}},
	{name: "a part that one of two structs has", config: `k: *{kind: "m", n: 1} | {kind: "d", path: string}`,
		description: `code: c: mapping: env: {A: value: "\(config.parameter.k.n)"}`,
		given:       []string{`{}`, `k: {kind: "m", n: 1}`, `k: {kind: "d", path: "p"}`, `{t: "x", k: {kind: "d", path: "q"}}`}},
	{name: "a part that one of two structs has in a file", config: `k: *{kind: "m", n: 1} | {kind: "d", path: string}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {n: config.parameter.k.n, l: [config.parameter.k.n, 2]}, format: "json"}`,
		given:       []string{`{}`, `k: {kind: "m", n: 1}`, `k: {kind: "d", path: "p"}`}},
	{name: "a part that one of two structs has, if it is there", config: `k: *{kind: "m", n: 1} | {kind: "d", path: string}`,
		description: `code: c: mapping: env: {if config.parameter.k.n != _|_ {A: value: "\(config.parameter.k.n)"}, if config.parameter.k.path != _|_ {B: value: config.parameter.k.path}, C: value: *config.parameter.k.path | "none"}`,
		given:       []string{`{}`, `k: {kind: "m", n: 1}`, `k: {kind: "d", path: "p"}`, `{t: "x", k: {kind: "d", path: "q"}}`}},
	{name: "a default that is a part which one of two structs has", config: `k: *{kind: "m", n: 1} | {kind: "d", path: string}, m: *k.n | int, o: *"\(k.kind)" | string`,
		description: `code: c: mapping: env: {A: value: "\(config.parameter.m)\(config.parameter.o)"}`,
		given:       []string{`{}`, `k: {kind: "m", n: 1}`, `k: {kind: "d", path: "p"}`, `{m: 3, k: {kind: "d", path: "p"}}`}},
	{name: "structs that a text tells apart", config: `q: *{kind: "m"} | {kind: "d", path: string, n?: int} | {kind: "s", url!: string, tls: bool}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`{}`, `q: kind: "m"`, `q: {kind: "d", path: "/p"}`, `q: {kind: "d", path: "/p", n: 1}`, `q: {kind: "d", path: 1}`, `q: {kind: "d"}`, `q: path: "/p"`, `q: {kind: "s", url: "u", tls: true}`, `q: {kind: "s", tls: true}`, `q: {kind: "x"}`, `q: {kind: "m", path: "/p"}`, `q: {kind: "d", path: "/p", z: 1}`, `q: {}`, `q: 1`}},
	{name: "structs that a boolean tells apart", config: `q: {tls: false} | {tls: true, cert: string, port: *443 | int}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`q: tls: false`, `q: {tls: true, cert: "c"}`, `q: {tls: true, cert: "c", port: 8443}`, `q: {tls: true, cert: "c", port: 443}`, `q: cert: "c"`, `q: {tls: false, cert: "c"}`, `{}`}},
	{name: "structs that a number tells apart", config: `q: *{v: 0x10} | {v: 2, a: string} | {v: 1_000, b: string}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`{}`, `q: v: 16`, `q: {v: 2, a: "a"}`, `q: {v: 1000, b: "b"}`, `q: {v: 1K, b: "b"}`, `q: {v: 2, b: "b"}`}},
	{name: "structs that two fields tell apart", config: `q: {a: "x", b: "x"} | {a: "x", b: "y", c: int} | {a: "y", b: string}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`q: {a: "x", b: "x"}`, `q: {a: "x", b: "y", c: 1}`, `q: {a: "y", b: "x"}`, `q: a: "y"`, `q: {a: "x", c: 1}`}},
	{name: "structs of which one takes any text", config: `q: *{k: "none"} | {k: string, u: string}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`{}`, `q: {k: "b", u: "u"}`, `q: {k: "none", u: "u"}`, `q: k: "none"`, `q: k: "b"`}},
	{name: "structs in structs that a text tells apart", config: `q: {k: "a", in: {u: string, p: *"p" | string}} | {k: "b", in: {l: [...int], m: {[string]: string}}}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`q: {k: "a", in: {u: "u", p: "q"}}`, `q: {k: "a", in: u: "u"}`, `q: {k: "b", in: {l: [1], m: x: "y"}}`, `q: {k: "b", in: {l: ["1"], m: {}}}`, `q: {k: "b", in: {l: [], m: {}, z: 1}}`, `q: {k: "a", in: l: [1]}`}},
	{name: "a choice with a choice in it", config: `q: {k: "a", in: {x: int} | {y: int}} | {k: "b", in: *{x: 1} | {x: int, z?: int}}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`q: {k: "a", in: x: 1}`, `q: {k: "b", in: x: 1}`, `q: {k: "b", in: x: 2}`}},
	{name: "open structs that a text tells apart", config: `q: {k: "a", ...} | {k: "b", n: int, ...}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`q: k: "a"`, `q: {k: "a", z: 1}`, `q: {k: "b", n: 1, z: {y: 1}}`}},
	{name: "alternatives with a pattern", config: `q: {k: "a", [=~"^x"]: int} | {k: "b", n: int}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`q: {k: "a", x1: 1}`, `q: {k: "a", y1: 1}`, `q: {k: "b", n: 1}`}},
	{name: "a choice by a definition, in two places", config: `v: #V, q: #V`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q, v: config.parameter.v}, format: "json"}
#V: *{k: "a"} | {k: "b", p: string}`,
		given: []string{`{v: {k: "b", p: "p"}, q: k: "a"}`, `{v: k: "a", q: {k: "b", p: "r"}}`, `{}`, `{v: {k: "b", p: 1}}`, `{v: {k: "b", p: "p", z: 1}}`}},
	{name: "a choice by a library's definition, refined where it is shown", imports: "l \"forms.example/app/l:lib\"\n-- l/a.cue --\npackage lib\n#V: *{k: \"a\"} | {k: \"b\", p: string}", config: `v: l.#V`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {v: config.parameter.v & {p?: !="no"}}, format: "json"}`,
		given:       []string{`v: {k: "b", p: "p"}`, `{}`, `v: {k: "b", p: "no"}`}},
	{name: "a choice that is shown twice, once with more", config: `q: *{k: "a"} | {k: "b", p: string}`,
		description: `code: c: mapping: filesystem: {"/e": {data: value: {q: config.parameter.q}, format: "json"}, "/f": {data: value: {q: config.parameter.q}, data: value: q: {k: string, p?: !="no"}, format: "json"}}`,
		given:       []string{`q: {k: "b", p: "p"}`, `{}`, `q: {k: "b", p: "no"}`}},
	{name: "a choice and a part of it", config: `q: *{k: "a"} | {k: "b", p: string}, r: *"r" | string`,
		description: `code: c: mapping: env: {K: value: config.parameter.q.k, if config.parameter.q.k == "b" {P: value: config.parameter.q.p}}, code: c: mapping: filesystem: "/e": {data: value: config.parameter.q, format: "json"}`,
		given:       []string{`q: {k: "b", p: "p"}`, `{}`, `r: "s"`}},
	{name: "a choice beside what else is said of it", config: `q: *{k: "a"} | {k: "b", p: string}, q: {k: string, p?: !="no"}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`q: {k: "b", p: "p"}`, `{}`, `q: {k: "b", p: "no"}`}},
	{name: "a choice in a map, and in a list", config: `q: [string]: *{k: "a"} | {k: "b", p: string}, l: *[] | [...({k: "a"} | {k: "b", p: string})]`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q, l: config.parameter.l}, format: "json"}`,
		given:       []string{`{q: x: {k: "b", p: "p"}, l: [{k: "b", p: "p"}, {k: "a"}]}`, `q: {x: {}, y: k: "a"}`, `l: [{k: "b"}]`, `{q: x: {k: "b", p: "p", z: 1}}`, `l: [{k: "b", p: "p", z: 1}]`}},
	{name: "a choice with a reference in it", config: `n: *"p" | string, q: *{k: "a"} | {k: "b", p: n}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`q: {k: "b", p: "p"}`, `{n: "x", q: {k: "b", p: "x"}}`, `{n: "x", q: k: "b"}`, `q: {k: "b", p: "z"}`}},
	{name: "a marked second struct", config: `q: {k: "a"} | *{k: "b", p: "p"} | {k: "c", p: string}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`{}`, `q: k: "a"`, `q: {k: "b", p: "p"}`, `q: {k: "c", p: "p"}`, `q: p: "p"`, `q: p: "z"`, `q: k: "b"`}},
	{name: "all parameters with a choice among them", config: `q: *{k: "a"} | {k: "b", p: string}`,
		description: `code: c: mapping: filesystem: "/f": {data: value: config.parameter, format: "json"}`,
		given:       []string{`{}`, `q: {k: "b", p: "p"}`, `q: k: "a"`, `q: p: "p"`}},
	{name: "one of two that cannot be told apart", config: `q: {a: int} | {b: int}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`q: a: 1`, `q: b: 1`, `q: {a: 1, b: 2}`}},
	{name: "a struct with one of two in it that cannot be told apart", config: `q: {x: {a: int} | {b: int}, y: *1 | int}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q}, format: "json"}`,
		given:       []string{`q: x: a: 1`, `q: x: b: 1`, `q: {x: {a: 1, b: 2}, y: 2}`}},
	{name: "a map of what cannot be told apart", config: `q: [string]: {a: int} | {b: int}, l: [...{a: int} | {b: int}]`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {q: config.parameter.q, l: config.parameter.l}, format: "json"}`,
		given:       []string{`q: x: a: 1`, `l: [{a: 1}]`, `q: {x: {a: 1, b: 2}, y: b: 2}`}},
	{name: "a size of one's own choice", imports: `k2 "kumori.systems/kumori:kumori"`, config: `q: k2.#ContainerSize & ({cpu: size: 1} | {memory: size: 2}), s: k2.#ContainerSize`,
		description: `code: d: {image: tag: "i:2", size: config.parameter.s}, code: e: {image: tag: "i:2", size: config.parameter.q}`,
		given:       []string{`{s: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}, q: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}`, `{s: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}, q: {cpu: {size: 1, unit: "m"}, memory: {size: 2, unit: "M"}}}`}},
	{name: "a type of one's own in two places", imports: "l \"forms.example/app/l:lib\"\n-- l/a.cue --\npackage lib\n#V: {x: {a: int} | {b: int}, y: *1 | int}\n#W: {a: int} | {b: int}", config: `v: l.#V, w: l.#W`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {v: l.#V & config.parameter.v}, format: "json"}, code: c: mapping: filesystem: "/f": {data: value: {w: l.#W & config.parameter.w}, format: "json"}`,
		given:       []string{`{v: x: a: 1, w: a: 1}`, `{v: x: {a: 1, b: 2}, w: {a: 1, b: 2}}`, `{v: {x: b: 1, y: 2}, w: b: 1}`}},
	{name: "a list of structs", config: `l: *[] | [...{h: string, w: *1 | (int & >=0)}]`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {l: config.parameter.l}, format: "json"}`,
		given:       []string{`{}`, `l: [{h: "a"}]`, `l: [{h: "a", w: 2}, {h: "b"}]`, `l: [{h: 1}]`, `l: [{w: 1}]`, `l: [{h: "a", z: 1}]`, `l: [{h: "a"}, {"h": "b", w: -1}]`, `l: [[{h: "a"}]]`, `l: [{h: "a", h: "a"}]`, `l: [{h: "a", h: "b"}]`, `l: [{_h: "a", h: "b"}]`, `l: [{h: "a", o: {p: 1}}]`}},
	{name: "hidden texts", config: `n: *1 | int, s: *{a: 1} | {[string]: int}, d: bytes | *"x" | string`,
		description: "_a: \"\\(config.parameter.n)-\\(t)\"\n_b: string & \"\\(config.parameter.n)\"\nlet t = config.parameter.t\n_c: \"\\(config.parameter.d)\"\ncode: c: mapping: env: {A: value: _a, C: value: _c}",
		given:       []string{`{}`, `n: 2`, `t: "x"`, `n: "y"`, `d: "e"`, `d: 7`}},
	{name: "a hidden text of what is no text", config: `s: *{a: 1} | {[string]: int}, l: *[] | [...int]`,
		description: "_a: \"\\(config.parameter.s)\"\n_b: int & \"\\(config.parameter.t)\"\ncode: c: mapping: env: {A: value: \"a\"}",
		given:       []string{`{}`, `s: a: 2`, `t: "x"`}},
	{name: "a map with a default", config: `m: *{A: "1"} | {[string]: string}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {m: config.parameter.m}, format: "json"}`,
		given:       []string{`{}`, `m: {}`, `m: A: "1"`, `m: A: "2"`, `m: B: "2"`, `m: {A: "1", B: "2"}`, `m: {A: "2", B: "2"}`, `m: A: 1`, `m: {A: "2", B: 1}`, `m: "x"`}},
	{name: "a map with two defaults", config: `m: *{A: 1, B: "x"} | {[string]: int}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {m: config.parameter.m}, format: "json"}`,
		given:       []string{`{}`, `m: A: 1`, `m: {A: 1, B: "x"}`, `m: A: 2`, `m: B: 2`, `m: {A: 1, B: 2}`, `m: C: 2`, `m: B: "y"`}},
	{name: "a list that has a default", config: `l: *["b", "a"] | [...string], pair: *["a", 1] | [string, int], nested: [...int] | *[1]`,
		description: `code: c: mapping: {env: {L: value: "\(len(config.parameter.l))", for i, x in config.parameter.l {"L\(i)": value: x}}, filesystem: "/l": {data: value: {l: config.parameter.l, pair: config.parameter.pair, first: config.parameter.pair[0], n: config.parameter.nested}, format: "json"}}`,
		given:       []string{`{}`, `l: ["b", "a"]`, `l: ["a", "b"]`, `l: ["b"]`, `l: []`, `l: [1]`, `pair: ["b", 2]`, `pair: ["a", 1]`, `pair: ["a"]`, `pair: ["a", 1, 2]`, `pair: [1, "a"]`, `nested: [1]`, `nested: [2, 1]`, `{l: ["x"], pair: ["y", 3], nested: []}`}},
	{name: "a list of two lists", config: `l: *["a"] | *["b"] | [...string], m: {[string]: *["x"] | [...string]}`,
		description: `code: c: mapping: filesystem: "/l": {data: value: {l: config.parameter.l, m: config.parameter.m}, format: "json"}`,
		given:       []string{`l: ["c"]`, `l: ["a"]`, `{l: ["b"], m: k: ["x"]}`, `{l: ["b"], m: k: ["y"]}`, `{l: ["b"], m: k: []}`, `{}`}},
	{name: "an empty map or list", config: `m: *{} | {[string]: string}, l: *[] | [...int & >0], n: *[] | [...[...string]]`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {m: config.parameter.m, l: config.parameter.l, n: config.parameter.n}, format: "json"}`,
		given:       []string{`{}`, `m: {}`, `m: A: "1"`, `l: []`, `l: [1, 2]`, `l: [0]`, `l: ["1"]`, `m: A: 1`, `n: [["a"], []]`, `n: ["a"]`, `l: {}`, `m: []`, `m: A: B: "1"`}},
	{name: "a parameter under a condition", config: `b: *false | bool, if b {v: *"1.2" | "1.3"}`,
		description: `code: c: mapping: env: {if config.parameter.b {V: value: config.parameter.v}}`,
		given:       []string{`{}`, `b: true`, `{b: true, v: "1.3"}`, `{b: true, v: "9"}`, `v: "1.3"`, `{b: false, v: "1.2"}`, `{t: "x", b: true}`}},
	{name: "a parameter under a condition that holds", config: `b: *true | bool, if b {v: *"1.2" | "1.3"}`,
		description: `code: c: mapping: env: {if config.parameter.b {V: value: config.parameter.v}}`,
		given:       []string{`{}`, `b: true`, `{v: "1.3"}`, `b: false`, `{b: false, v: "1.2"}`}},
	{name: "a parameter that somebody has to give under a condition", config: `b: *false | bool, if b {v: string}`,
		description: `code: c: mapping: env: {if config.parameter.b {V: value: config.parameter.v}}`,
		given:       []string{`{}`, `{b: true, v: "1.3"}`, `b: true`}},
	{name: "parameters under several conditions", config: `n: *1 | int, if n > 2 {m: *n | int, q: {x: *1 | int}}, if n > 4 {m: >4, o: *m | int}`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {n: config.parameter.n, if config.parameter.m != _|_ {m: config.parameter.m, q: config.parameter.q}}, format: "json"}`,
		given:       []string{`{}`, `n: 3`, `{n: 3, m: 7}`, `n: 5`, `{n: 5, o: 2}`, `{n: 5, m: 4}`, `{n: 4, q: x: 2}`, `{n: 4, q: y: 2}`}},
	{name: "a parameter of one kind or another", config: `b: *false | bool, if b {v: *1 | int}, if !b {v: *"s" | string}`,
		description: `code: c: mapping: env: {V: value: "\(config.parameter.v)"}`,
		given:       []string{`{}`, `b: true`, `{b: true, v: 2}`, `v: "x"`, `v: 1`}},
	{name: "a parameter that is there anyway, and a condition", config: `b: *false | bool, v: *"a" | string, if b {v: "b" | "c"}`,
		description: `code: c: mapping: env: {V: value: config.parameter.v}`,
		given:       []string{`{}`, `v: "b"`, `{b: true, v: "b"}`, `{b: true, v: "z"}`}},
	{name: "parameters for each", config: `for x in ["p", "q"] {"\(x)s": *"d" | string}, l: *["r"] | [...string], for x in l {"\(x)s": *"e" | string}`,
		description: `code: c: mapping: env: {V: value: config.parameter.ps}`,
		given:       []string{`{}`, `ps: "1"`, `rs: "2"`, `{l: ["z"], zs: "1"}`, `{l: ["z"], rs: "1"}`, `l: ["p"]`}},
	{name: "a condition in the config on what is not there", config: `b: *false | bool, if bb {v: *"1.2" | "1.3"}`,
		description: `code: c: mapping: env: {V: value: "v"}`,
		given:       []string{`{}`, `b: true`}},
	{name: "a condition in a condition", config: `b: *false | bool, n: *1 | int`,
		description: `code: c: mapping: env: {if config.parameter.b {B: value: "b", if config.parameter.n > 1 {C: value: "\(config.parameter.n)"}, for x in ["p", "q"] {"\(x)": value: x}}}`,
		given:       []string{`{}`, `b: true`, `{b: true, n: 2}`, `{b: true, n: 3}`, `n: 4`}},
	{name: "a condition that decides nothing, of what is not there", config: `b: *false | bool`,
		description: `config: {if parameter.q {}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "a condition in the config, of what is not there", config: `b: *false | bool`,
		description: `config: {if parameter.q {parameter: w: 1}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "a condition in the config, on a part that is closed", config: `p: {q: *1 | int}`,
		description: `config: {if len(description.config.parameter.p.qq) > 1 {parameter: w: {a: *1 | int}}}, code: {for x in ["c"] {(x): cmd: [x]}}`,
		given:       []string{`{}`, `p: q: 2`}},
	{name: "nothing for each of what is not there", config: `b: *false | bool`,
		description: `config: {for x in parameter.q {}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "a condition in resources, of what is not there", config: `b: *false | bool`,
		description: `config: resource: {if description.config.parameter.q {}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "a condition in the scale, of what is not there", config: `b: *false | bool`,
		description: `config: scale: {if description.config.parameter.q {}}`,
		given:       []string{`{}`, `b: true`}},
	{name: "conditions that decide nothing", config: `b: *false | bool`,
		description: `config: {if parameter.b {}}, code: c: mapping: env: A: {if config.parameter.b {}, value: "a"}`,
		given:       []string{`{}`, `b: true`, `{t: "x", b: true}`}},
	{name: "a condition beside variables, of what is not there", config: `b: *false | bool`,
		description: `code: c: mapping: env: {A: value: "\(config.parameter.b)", if config.parameter.q {}}`,
		given:       []string{`{}`, `b: true`, `{t: "x", b: true}`}},
	{name: "a file that says more than the model has", config: `n: *"N" | string`,
		description: `code: c: mapping: filesystem: {"/\(config.parameter.n)": {data: value: config.parameter.t, modes: 1}}`,
		given:       []string{`{}`, `n: "M"`, `n: "O"`, `n: "P"`}},
	{name: "files with much and little said of them", config: `n: *"N" | string, m: *0o600 | int, f: *"text" | string`,
		description: `code: c: mapping: filesystem: {"/\(config.parameter.n)": {data: value: config.parameter.t, mode: config.parameter.m, format: config.parameter.f}, "/x\(config.parameter.n)": data: value: "\(config.parameter.m)"}`,
		given:       []string{`{}`, `n: "M"`, `n: "O"`, `{n: "P", m: 0o10000}`, `{n: "P", m: 1, f: "json"}`, `{n: "Q", f: "toml"}`, `{n: "R", m: -1}`}},
	{name: "files and volumes by a parameter", config: `n: *"N" | string, v: *false | bool`,
		description: `config: resource: w: k.#Volume, code: c: mapping: filesystem: {"/\(config.parameter.n)": {if config.parameter.v {volume: "w"}, if !config.parameter.v {data: value: config.parameter.t}}}`,
		given:       []string{`{}`, `n: "M"`, `{n: "O", v: true}`, `{n: "P", v: true}`}},
	{name: "variables of several kinds by a parameter", config: `n: *"N" | string, of: *"value" | string`,
		description: `code: c: mapping: env: {(config.parameter.n): {(config.parameter.of): config.parameter.t}}`,
		given:       []string{`{}`, `n: "M"`, `{n: "O", of: "parameter", t: "t"}`, `{n: "P", of: "secret", t: "none"}`, `{n: "Q", of: "values"}`, `{n: "R", of: "value", t: "x"}`}},
	{name: "what a variable shows of one that the model has", config: `n: *"N" | string`,
		description: `code: c: mapping: env: {(config.parameter.n): value: "\(description.srv.server.in0.protocol) \(description.size.bandwidth.kind)"}`,
		given:       []string{`{}`, `n: "M"`, `n: "O"`, `n: "P"`}},
	{name: "a condition on what only the model has", config: `n: *"N" | string`,
		description: `code: c: mapping: env: {(config.parameter.n): {value: "a", if description.size.minbandwidth != _|_ {value: "a"}}, for k, v in description.srv.server.in0 {"\(k)_\(config.parameter.n)": value: "\(v)"}}`,
		given:       []string{`{}`, `n: "M"`, `n: "O"`, `n: "P"`}},
	{name: "a part of a list in arguments", config: `l: *["a"] | [...string], n: *0 | int`,
		description: `code: c: cmd: ["x", config.parameter.l[config.parameter.n], for x in config.parameter.l {"\(x)!"}]`,
		given:       []string{`{}`, `l: ["b", "c"]`, `{l: ["b", "c"], n: 1}`, `{l: ["b", "c"], n: 2}`, `{l: ["b", "b"], n: 1}`}},
	{name: "the same value from two parameters", config: `a: *"x" | string, c: *"y" | string, b: *true | bool`,
		description: `code: c: mapping: env: {if config.parameter.b {A: value: config.parameter.a}, if !config.parameter.b {A: value: config.parameter.c}, "B\(config.parameter.a)": value: [if config.parameter.b {config.parameter.a}, config.parameter.c][0]}`,
		given:       []string{`{}`, `a: "z"`, `c: "z"`, `{a: "z", c: "z"}`, `{a: "z", c: "z", b: false}`, `{a: "z", b: false}`, `{a: "1", c: "2", b: false}`, `{a: "1", c: "1"}`}},
}

type decidedForm struct {
	name, config, description string
	imports                   string
	given                     []string
}

// write writes the form with some roles into a directory.
func (f decidedForm) write(t *testing.T, roles string) (dir string) {
	dir = t.TempDir()
	write(t, dir, formed("-- c/config --\n"+f.config+"\n-- c/more --\n"+f.description+"\n-- s/roles --\n"+roles+"-- c/imports --\n"+f.imports))
	return dir
}

// roleGiven is the line of a role with some parameters.
func roleGiven(i int, parameters string) string {
	if inner, ok := strings.CutPrefix(parameters, "{"); ok {
		parameters = strings.TrimSuffix(inner, "}")
	}
	return fmt.Sprintf("role: x%d: {artifact: c.#Artifact, config: parameter: {%s}}\n", i, parameters)
}

// rolesIn is the input of a service with a role for each of the given parameters. write makes the module and returns its directory.
func rolesIn(given []string, write func(roles string) string) (in compiler.Input) {
	var roles strings.Builder
	for i, x := range given {
		roles.WriteString(roleGiven(i, x))
	}
	in.Dir = filepath.Join(write(roles.String()), "deploy")
	return in
}

// everyForm is n: every n-th form, or role of a form, is tried by itself.
var everyForm = flag.Int("forms", 4, "try every n-th of the forms, or of their roles, by itself")

func allDecided() []decidedForm {
	return slices.Concat(decidedForms, eachForms, hiddenForms, besideForms, lookupForms, presenceForms, computedForms, literalForms, partForms, mixedForms, openForms, readTwice, orderedForms, choiceForms)
}

// TestDecided compares what is made of such an artifact with what CUE alone makes of it, for all
// roles at once and for each by itself.
func TestDecided(t *testing.T) {
	t.Parallel()
	for n, form := range allDecided() {
		if seldom(n) {
			continue
		}
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			compareRoles(t, n, form.given, func(roles string) string { return form.write(t, roles) })
		})
	}
}

// compareRoles compares a service, which has a role for each of the given parameters, with what CUE alone
// makes of it; then, for every [everyForm]-th of the roles, a service with that role after two others. n says where to begin. write makes the module and returns its
// directory.
func compareRoles(t *testing.T, n int, given []string, write func(roles string) string) {
	differs := func(given []string) string { return partialDiffers(rolesIn(given, write)) }
	if diff := differs(given); diff != "" {
		t.Errorf("all: (-CUE +partial):\n%s", diff)
	}
	if fewer {
		return // the rest has no concurrency that the first has not
	}
	for i, x := range given {
		if (n+i)%*everyForm != 0 {
			continue
		}
		if diff := differs([]string{given[0], given[(i+1)%len(given)], x}); diff != "" {
			t.Errorf("%s: (-CUE +partial):\n%s", x, diff)
		}
	}
}

// TestPlacesOfOneRole compares the positions of a role's values with those in a service that has no
// other role. They must not depend on which roles of the same artifact were evaluated before.
func TestPlacesOfOneRole(t *testing.T) {
	t.Parallel()
	if fewer {
		t.Skip("it has no concurrency of its own, and no expected output")
	}
	compared := 0
	for n, form := range allDecided() {
		if n%*everyForm != 0 {
			continue
		}
		told := func(only int) (lines []string) {
			roles := ""
			for i, x := range form.given {
				if only >= 0 && i != only {
					roles += "// " // the others keep their lines
				}
				roles += roleGiven(i, x)
			}
			dir := form.write(t, roles)
			in := compiler.Input{}
			in.Dir, in.NoPartial = filepath.Join(dir, "deploy"), true
			for _, line := range toldOf(in) {
				lines = append(lines, strings.ReplaceAll(line, dir, ""))
			}
			return lines
		}
		all := told(-1)
		for i := range form.given {
			ofRole := func(lines []string) []string {
				return slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !strings.HasPrefix(line, fmt.Sprintf("x%d.code.", i)) })
			}
			want := ofRole(told(i))
			if got := ofRole(all); len(got) > 0 && len(want) > 0 {
				compared++
				require.Empty(t, cmp.Diff(want, got), "%s: %s (-alone +among others)", form.name, form.given[i])
			}
		}
	}
	require.Greater(t, compared, 150 / *everyForm)
}
