package check_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
)

// checkedApp is a component, as far as a test does not say other things of it.
const checkedApp = `
-- cue.mod/module.cue --
module: "check.example/app@v0"
language: version: "v0.12.0"
-- c/c.cue --
package component

import (
	k "kumori.systems/kumori:kumori"
	«imports»
)

«beside»

#Artifact: k.#Component & {
	ref: name: "c"
	«artifact»
	description: {
		config: {
			«config»
		}
		srv: server: s: port: 80
		code: c: {
			image: tag: "i:1"
			size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}
		}
		size: bandwidth: {size: 9, unit: "M"}
		«rest»
	}
}
`

// checked is what a test says of the component: its config, what else is in its
// description, in the artifact, and beside it.
type checked struct{ name, config, rest, artifact, beside, imports string }

// env is a variable whose value depends on something.
func env(value string) string { return "code: c: mapping: env: V: value: " + value }

const hole = "string // hole"

// planted are artifacts with a hole that shows for some configs only, at the line
// that says so. The configs for which it shows follow from what is compared.
var planted = []checked{
	{name: "greater", config: "parameter: n: int", rest: "if config.parameter.n > 5 {\n" + env(hole) + "\n}"},
	{name: "equal text", config: "parameter: s: string", rest: "if config.parameter.s == \"z\" {\n" + env(hole) + "\n}"},
	{name: "unequal text", config: "parameter: s: *\"z\" | string", rest: "if config.parameter.s != \"z\" {\n" + env(hole) + "\n}"},
	{name: "instances", rest: "if config.scale.hsize > 3 {\n" + env(hole) + "\n}"},
	{name: "no instances", rest: "if config.scale.hsize == 0 {\n" + env(hole) + "\n}"},
	{name: "resilience", rest: "if config.resilience > 0 {\n" + env(hole) + "\n}"},
	{name: "exactly", config: "parameter: n: *1 | int", rest: "if config.parameter.n == 17 {\n" + env(hole) + "\n}"},
	{name: "between", config: "parameter: n: *1 | int", rest: "if config.parameter.n > 7 if config.parameter.n < 9 {\n" + env(hole) + "\n}"},
	{name: "between in one", config: "parameter: n: *1 | int", rest: "if config.parameter.n > 7 && config.parameter.n < 9 {\n" + env(hole) + "\n}"},
	{name: "the gap", config: "parameter: n: int", rest: "code: c: mapping: env: V: {\nif config.parameter.n > 5 {value: \"a\"}\nif config.parameter.n < 5 {value: \"b\"}\n}\ncode: c: mapping: env: V: value: string // hole"},
	{name: "fraction", config: "parameter: n: *0.5 | float", rest: "if config.parameter.n >= 1.5 {\n" + env(hole) + "\n}"},
	{name: "number", config: "parameter: n: *1 | number", rest: "if config.parameter.n > 1000000 {\n" + env(hole) + "\n}"},
	{name: "negative", config: "parameter: n: *1 | int", rest: "if config.parameter.n < -4 {\n" + env(hole) + "\n}"},
	{name: "multiplier", config: "parameter: n: *1 | int", rest: "if config.parameter.n > 2Mi {\n" + env(hole) + "\n}"},
	{name: "constrained", config: "parameter: n: *3 | (int & >=1 & <=10)", rest: "if config.parameter.n > 9 {\n" + env(hole) + "\n}"},
	{name: "product", config: "parameter: n: *1 | int", rest: "if config.parameter.n*2 > 10 {\n" + env(hole) + "\n}"},
	{name: "sum", config: "parameter: n: *1 | int", rest: "if config.parameter.n-5 > 10 {\n" + env(hole) + "\n}"},
	{name: "quotient", config: "parameter: n: *1 | int", rest: "if config.parameter.n/10 == 5 {\n" + env(hole) + "\n}"},
	{name: "modulo", config: "parameter: n: *0 | int", rest: "if mod(config.parameter.n, 7) == 3 {\n" + env(hole) + "\n}"},
	{name: "length of a list", config: "parameter: l: [...string]", rest: "if len(config.parameter.l) > 2 {\n" + env(hole) + "\n}"},
	{name: "length of a text", config: "parameter: s: *\"\" | string", rest: "if len(config.parameter.s) > 8 {\n" + env(hole) + "\n}"},
	{name: "length of a struct", config: "parameter: m: [string]: int", rest: "if len(config.parameter.m) > 1 {\n" + env(hole) + "\n}"},
	{name: "not empty", config: "parameter: l: [...{x: int}]", rest: "if len(config.parameter.l) > 0 {\n" + env(hole) + "\n}"},
	{name: "pattern", config: "parameter: s: *\"a\" | string", rest: "if config.parameter.s =~ \"^z[0-9]+$\" {\n" + env(hole) + "\n}"},
	{name: "no pattern", config: "parameter: s: *\"z1\" | string", rest: "if config.parameter.s !~ \"^z\" {\n" + env(hole) + "\n}"},
	{name: "pattern of alternatives", config: "parameter: s: string", rest: "if config.parameter.s =~ \"^(red|green)-\\\\w{3,}$\" {\n" + env(hole) + "\n}"},
	{name: "pattern by a function", config: "parameter: s: string", imports: "\"regexp\"", rest: "if regexp.Match(\"^v[0-9]\", config.parameter.s) {\n" + env(hole) + "\n}"},
	{name: "prefix", config: "parameter: s: string", imports: "\"strings\"", rest: "if strings.HasPrefix(config.parameter.s, \"lit\") {\n" + env(hole) + "\n}"},
	{name: "suffix", config: "parameter: s: string", imports: "\"strings\"", rest: "if strings.HasSuffix(config.parameter.s, \".local\") {\n" + env(hole) + "\n}"},
	{name: "contains", config: "parameter: s: string", imports: "\"strings\"", rest: "if strings.Contains(config.parameter.s, \"://\") {\n" + env(hole) + "\n}"},
	{name: "case", config: "parameter: s: string", imports: "\"strings\"", rest: "if strings.ToLower(config.parameter.s) == \"debug\" {\n" + env(hole) + "\n}"},
	{name: "runes", config: "parameter: s: string", imports: "\"strings\"", rest: "if strings.MinRunes(config.parameter.s, 12) {\n" + env(hole) + "\n}"},
	{name: "list contains", config: "parameter: l: [...string]", imports: "\"list\"", rest: "if list.Contains(config.parameter.l, \"x\") {\n" + env(hole) + "\n}"},
	{name: "one of a list", config: "parameter: s: string", imports: "\"list\"", rest: "if list.Contains([\"a\", \"b\"], config.parameter.s) {\n" + env(hole) + "\n}"},
	{name: "one of a list by a let", config: "parameter: s: string", imports: "\"list\"", rest: "let known = [\"a\", \"b\"]\nif list.Contains(known, config.parameter.s) {\n" + env(hole) + "\n}"},
	{name: "split", config: "parameter: s: string", imports: "\"strings\"", rest: "if len(strings.Split(config.parameter.s, \",\")) > 1 {\n" + env(hole) + "\n}"},
	{name: "a limit by a let", config: "parameter: n: *1 | int", rest: "let limit = 40\nif config.parameter.n > limit {\n" + env(hole) + "\n}"},
	{name: "a limit by a hidden field", config: "parameter: n: *1 | int", rest: "_limits: most: 40\nif config.parameter.n > _limits.most {\n" + env(hole) + "\n}"},
	{name: "a limit by a definition", config: "parameter: n: *1 | int", beside: "#limit: 40", rest: "if config.parameter.n > #limit {\n" + env(hole) + "\n}"},
	{name: "a let", config: "parameter: n: *1 | int", rest: "let m = config.parameter.n\nif m > 5 {\n" + env(hole) + "\n}"},
	{name: "a let of all parameters", config: "parameter: n: *1 | int", rest: "let p = config.parameter\nif p.n > 5 {\n" + env(hole) + "\n}"},
	{name: "a let of a condition", config: "parameter: n: *1 | int", rest: "let big = config.parameter.n > 5\nif big {\n" + env(hole) + "\n}"},
	{name: "a let of a let", config: "parameter: n: *1 | int", rest: "let p = config.parameter\nlet m = p.n\nlet big = m > 5\nif !big {code: c: mapping: env: V: value: \"x\"}\n" + env(hole)},
	{name: "a let in the artifact", config: "parameter: n: *1 | int", artifact: "let p = description.config.parameter", rest: "if p.n > 5 {\n" + env(hole) + "\n}"},
	{name: "a hidden field", config: "parameter: n: *1 | int", rest: "_n: config.parameter.n\nif _n > 5 {\n" + env(hole) + "\n}"},
	{name: "a hidden struct", config: "parameter: n: *1 | int", rest: "_p: config.parameter\nif _p.n > 5 {\n" + env(hole) + "\n}"},
	{name: "a hidden condition", config: "parameter: n: *1 | int", rest: "_big: config.parameter.n > 5\nif _big {\n" + env(hole) + "\n}"},
	{name: "an alias", config: "parameter: n: *1 | uint16", rest: "X=srv: server: t: port: config.parameter.n\nif X.server.t.port > 5 {\n" + env(hole) + "\n}"},
	{name: "another field of the description", config: "parameter: n: *1 | uint16", rest: "srv: server: t: port: config.parameter.n\nif srv.server.t.port > 5 {\n" + env(hole) + "\n}"},
	{name: "a field that follows from another", config: "parameter: {n: *1 | int, twice: n * 2}", rest: "if config.parameter.twice > 10 {\n" + env(hole) + "\n}"},
	{name: "a default that follows from another", config: "parameter: {n: *1 | int, same: *n | int}", rest: "if config.parameter.same > 10 {\n" + env(hole) + "\n}"},
	{name: "a definition with a condition", config: "parameter: s: string", beside: "#common: {\nname: string\nif name == \"long\" {\nlong: string // hole\n}\n}", rest: "code: c: mapping: filesystem: \"/f\": {data: value: #common & {name: config.parameter.s}, format: \"json\"}"},
	{name: "a nested parameter", config: "parameter: a: b: c: *1 | int", rest: "if config.parameter.a.b.c > 5 {\n" + env(hole) + "\n}"},
	{name: "an index", config: "parameter: n: *1 | int", rest: "if config[\"parameter\"].n > 5 {\n" + env(hole) + "\n}"},
	{name: "a dashed name", config: "parameter: \"n-m\": *1 | int", rest: "if config.parameter.\"n-m\" > 5 {\n" + env(hole) + "\n}"},
	{name: "the limit first", config: "parameter: n: *1 | int", rest: "if 5 < config.parameter.n {\n" + env(hole) + "\n}"},
	{name: "not", config: "parameter: n: *9 | int", rest: "if !(config.parameter.n > 5) {\n" + env(hole) + "\n}"},
	{name: "both", config: "parameter: {a: *false | bool, b: *0 | int}", rest: "if config.parameter.a && config.parameter.b > 3 {\n" + env(hole) + "\n}"},
	{name: "neither", config: "parameter: {a: *true | bool, b: *9 | int}", rest: "if !config.parameter.a && config.parameter.b <= 3 {\n" + env(hole) + "\n}"},
	{name: "either and more", config: "parameter: {a: *false | bool, b: *0 | int, s: *\"\" | string}", rest: "if (config.parameter.a || config.parameter.b > 3) && config.parameter.s == \"on\" {\n" + env(hole) + "\n}"},
	{name: "two clauses", config: "parameter: {a: *false | bool, b: *0 | int}", rest: "if config.parameter.a if config.parameter.b > 3 {\n" + env(hole) + "\n}"},
	{name: "nested", config: "parameter: {a: *false | bool, b: *0 | int}", rest: "if config.parameter.a {\nif config.parameter.b > 3 {\n" + env(hole) + "\n}\n}"},
	{name: "nested three deep", config: "parameter: {a: *false | bool, b: *0 | int, s: *\"\" | string}", rest: "if config.parameter.a {\nif config.parameter.b > 3 {\ncode: c: {\nif config.parameter.s == \"on\" {\nmapping: env: V: value: string // hole\n}\n}\n}\n}"},
	{name: "nested six deep", config: "parameter: {a: *0 | int, b: *0 | int, c: *0 | int, d: *0 | int, e: *0 | int, f: *0 | int}", rest: "if config.parameter.a > 1 {\nif config.parameter.b > 2 {\nif config.parameter.c > 3 {\nif config.parameter.d > 4 {\nif config.parameter.e > 5 {\nif config.parameter.f > 6 {\n" + env(hole) + "\n}\n}\n}\n}\n}\n}"},
	{name: "the outer one false", config: "parameter: {a: *true | bool, b: *0 | int}", rest: "if !config.parameter.a {\nif config.parameter.b == 3 {\n" + env(hole) + "\n}\n}"},
	{name: "none of three", config: "parameter: {a: *true | bool, b: *9 | int, s: *\"x\" | string}", rest: "code: c: mapping: env: V: {\nif config.parameter.a {value: string | *\"v\"}\nif config.parameter.b > 3 {value: string | *\"v\"}\nif config.parameter.s == \"x\" {value: string | *\"v\"}\n}\n" + env(hole)},
	{name: "two side by side", config: "parameter: {a: *false | bool, b: *0 | int}", rest: "_v: {\nif config.parameter.a {x: 1}\nif config.parameter.b > 3 {y: 1}\n}\nif _v.x != _|_ if _v.y != _|_ {\n" + env(hole) + "\n}"},
	{name: "two fields compared", config: "parameter: {a: *1 | int, b: *2 | int}", rest: "if config.parameter.a > config.parameter.b {\n" + env(hole) + "\n}"},
	{name: "two texts compared", config: "parameter: {a: *\"x\" | string, b: *\"y\" | string}", rest: "if config.parameter.a == config.parameter.b {\n" + env(hole) + "\n}"},
	{name: "a text of two", config: "parameter: {a: string, b: string}", rest: "if \"\\(config.parameter.a)-\\(config.parameter.b)\" == \"x-y\" {\n" + env(hole) + "\n}"},
	{name: "a text of a number", config: "parameter: n: *1 | int", rest: "if \"v\\(config.parameter.n)\" == \"v8\" {\n" + env(hole) + "\n}"},
	{name: "optional given", config: "parameter: o?: string", rest: "if config.parameter.o != _|_ {\n" + env(hole) + "\n}"},
	{name: "optional not given", config: "parameter: o?: string", rest: "if config.parameter.o == _|_ {\n" + env(hole) + "\n}"},
	{name: "optional of a value", config: "parameter: o?: string", rest: "if config.parameter.o != _|_ {\nif config.parameter.o == \"q\" {\n" + env(hole) + "\n}\n}"},
	{name: "optional of a number", config: "parameter: o?: int", rest: "if config.parameter.o != _|_ if config.parameter.o > 5 {\n" + env(hole) + "\n}"},
	{name: "two optional", config: "parameter: {o?: string, p?: string}", rest: "if config.parameter.o != _|_ if config.parameter.p != _|_ {\n" + env(hole) + "\n}"},
	{name: "optional struct", config: "parameter: tls?: {cert: string, port: *443 | int}", rest: "if config.parameter.tls != _|_ {\nif config.parameter.tls.port > 5000 {\n" + env(hole) + "\n}\n}"},
	{name: "optional in an optional struct", config: "parameter: tls?: {cert: string, ca?: string}", rest: "if config.parameter.tls != _|_ {\nif config.parameter.tls.ca != _|_ {\n" + env(hole) + "\n}\n}"},
	{name: "switch", config: "parameter: n: *1 | int", rest: env("[ // hole\nif config.parameter.n > 5 {string},\nif config.parameter.n > 3 {\"m\"},\n\"s\",\n][0]")},
	{name: "switch without an end", config: "parameter: n: *9 | int", rest: env("[if config.parameter.n > 5 {\"l\"}, if config.parameter.n > 3 {\"m\"}][0] // hole")},
	{name: "selected by name", config: "parameter: s: *\"a\" | string", rest: "_sizes: {a: \"1\", b: \"2\", c: string}\n" + env("_sizes[config.parameter.s] // hole")},
	{name: "selected by a name that is not there", config: "parameter: s: *\"a\" | \"b\" | \"c\"", rest: "_sizes: {a: \"1\", b: \"2\"}\n" + env("_sizes[config.parameter.s] // hole")},
	{name: "selected of a list", config: "parameter: n: *0 | 1 | 2", rest: env("[\"a\", \"b\"][config.parameter.n] // hole")},
	{name: "a list's member", config: "parameter: l: [...{n: int}]", rest: "code: c: mapping: env: {for i, x in config.parameter.l if x.n > 5 {\n\"V\\(i)\": value: string // hole\n}}"},
	{name: "a struct's member", config: "parameter: m: [string]: {n: *1 | int}", rest: "code: c: mapping: env: {for k, v in config.parameter.m if v.n > 5 {\n(k): value: string // hole\n}}"},
	{name: "a struct's label", config: "parameter: m: [string]: string", rest: "code: c: mapping: env: {for k, v in config.parameter.m if k == \"X\" {\nW: value: string // hole\n}}"},
	{name: "any member", config: "parameter: l: [...string]", rest: "code: c: mapping: env: {for i, x in config.parameter.l {\n\"V\\(i)\": value: string // hole\n}}"},
	{name: "a literal among members", config: "parameter: l: [...string]", rest: "code: c: mapping: env: {for x in config.parameter.l if x == \"special\" {\nS: value: string // hole\n}}"},
	{name: "volatile volume", config: "resource: v: k.#Volume", rest: "if config.resource.v.volume.size != _|_ {\n" + env(hole) + "\n}"},
	{name: "registered volume", config: "resource: v: k.#Volume", rest: "if (config.resource.v.volume & string) != _|_ {\n" + env(hole) + "\n}"},
	{name: "large volume", config: "resource: v: k.#Volume", rest: "if config.resource.v.volume.size != _|_ if config.resource.v.volume.size > 100 {\n" + env(hole) + "\n}"},
	{name: "unit of a volume", config: "resource: v: k.#Volume", rest: "if config.resource.v.volume.unit != _|_ if config.resource.v.volume.unit == \"Ti\" {\n" + env(hole) + "\n}"},
	{name: "optional resource", config: "resource: s?: k.#Secret", rest: "if config.resource.s != _|_ {\n" + env(hole) + "\n}"},
	{name: "null or text", config: "parameter: s: *null | string", rest: "if config.parameter.s != null {\n" + env(hole) + "\n}"},
	{name: "one of two kinds", config: "parameter: x: *1 | int | string", rest: "if (config.parameter.x & string) != _|_ {\n" + env(hole) + "\n}"},
	{name: "alternatives of structs", config: "parameter: x: *{kind: \"a\"} | {kind: \"b\", size: *1 | int}", rest: "if config.parameter.x.kind == \"b\" {\nif config.parameter.x.size > 5 {\n" + env(hole) + "\n}\n}"},
	{name: "a conditional parameter", config: "parameter: {tls: *false | bool, if tls {mode: *\"a\" | \"b\"}}", rest: "if config.parameter.tls {\nif config.parameter.mode == \"b\" {\n" + env(hole) + "\n}\n}"},
	{name: "a conditional needed parameter", config: "parameter: {tls: *false | bool, if tls {cert: string}}", rest: "if config.parameter.tls {\nif config.parameter.cert == \"self\" {\n" + env(hole) + "\n}\n}"},
	{name: "load", config: "scale: qos: load: uint", rest: "if config.scale.qos.load > 1000 {\n" + env(hole) + "\n}"},
	{name: "an enumeration", config: "parameter: s: \"a\" | *\"b\" | \"c\"", rest: "if config.parameter.s == \"c\" {\n" + env(hole) + "\n}"},
	{name: "an enumeration that nothing is said of", config: "parameter: s: \"a\" | *\"b\" | \"c\"", rest: "code: c: mapping: env: V: {\nif config.parameter.s == \"a\" || config.parameter.s == \"b\" {value: \"x\"}\n}\n" + env(hole)},
	{name: "another needed field", config: "parameter: {a: string, b: int, c: =~\"^x\", n: int}", rest: "if config.parameter.n > 5 {\n" + env(hole) + "\n}"},
	{name: "a check of two fields", config: "parameter: {a: int, b: int}\n_ok: true & (parameter.a < parameter.b)", rest: "if config.parameter.a > 50 {\n" + env(hole) + "\n}"},
	{name: "needed fields that are compared", config: "parameter: {a: int, b: int & <a}", rest: "if config.parameter.b > 50 {\n" + env(hole) + "\n}"},
	{name: "a computed scale", config: "parameter: n: uint\nscale: hsize: parameter.n * 2", rest: "if config.scale.hsize > 7 {\n" + env(hole) + "\n}"},
	{name: "a default that is refused", config: "parameter: p: *80 | int", rest: "srv: server: t: port: config.parameter.p & >1000 // hole"},
	{name: "a file", config: "parameter: n: *1 | int", rest: "if config.parameter.n > 5 {\ncode: c: mapping: filesystem: \"/f\": {data: value: {a: string}, format: \"json\"} // hole\n}"},
	{name: "an argument", config: "parameter: n: *1 | int", rest: "code: c: cmd: [\"a\", if config.parameter.n > 5 {string}] // hole"},
	{name: "a size", config: "parameter: n: *1 | int", rest: "if config.parameter.n > 5 {\ncode: d: {image: tag: \"x\", size: {cpu: {size: number, unit: \"m\"}, mincpu: 0, memory: {size: 1, unit: \"M\"}}} // hole\n}"},
	{name: "an optional field that is not asked for", config: "parameter: {o?: string, n: *1 | int}", rest: "if config.parameter.n > 5 {\n" + env("config.parameter.o // hole") + "\n}"},
}

// fine are artifacts with nothing wrong. They refuse some configs, which is no
// mistake: a deployment will give another one.
var fine = []checked{
	{name: "a computed scale", config: "parameter: n: uint\nscale: hsize: parameter.n"},
	{name: "a computed scale that may be negative", config: "parameter: n: int\nscale: hsize: parameter.n * 2"},
	{name: "a scale that is computed down", config: "parameter: n: int\nscale: hsize: parameter.n - 7"},
	{name: "a scale within bounds", config: "parameter: n: int\nscale: hsize: parameter.n & >40 & <50"},
	{name: "a size", config: "parameter: n: uint", rest: "size: bandwidth: size: config.parameter.n*10 + 9"},
	{name: "no name", artifact: "ref: name: \"\""},
	{name: "a check of two needed fields", config: "parameter: {a: int, b: int}\n_ok: true & (parameter.a < parameter.b)"},
	{name: "a check of two needed fields the other way", config: "parameter: {a: int, b: int}\n_ok: true & (parameter.b < parameter.a)"},
	{name: "a check of three needed fields", config: "parameter: {a: int, b: int, c: int}\n_ok: true & (parameter.a < parameter.b) & (parameter.b < parameter.c)"},
	{name: "a check within parameters", config: "parameter: {a: int, b: int, _ok: true & (a < b)}"},
	{name: "a check in the description", config: "parameter: {a: int, b: int}", rest: "_ok: true & (config.parameter.a < config.parameter.b)"},
	{name: "a check in the artifact", config: "parameter: {a: int, b: int}", artifact: "_ok: true & (description.config.parameter.a < description.config.parameter.b)"},
	{name: "a check that is a definition", config: "parameter: {a: int, b: int}", rest: "#ok: true & (config.parameter.a < config.parameter.b)"},
	{name: "a check by a condition", config: "parameter: {a: int, b: int}", rest: "if config.parameter.a >= config.parameter.b {\n_|_\n}"},
	{name: "a check by a condition on a hidden field", config: "parameter: {a: *1 | int, b: *5 | int}", rest: "if config.parameter.a >= config.parameter.b {\n_error: \"a is less than b\" & false\n}"},
	{name: "a check by a message", config: "parameter: {tls: *false | bool, port: *80 | int}", rest: "_check: {ok: true, if config.parameter.tls && config.parameter.port == 80 {ok: \"tls needs another port\"}}"},
	{name: "a check that keeps a place closed", config: "parameter: n: int & <5", rest: "if config.parameter.n > 5 {\n" + env("string") + "\n}"},
	{name: "bounds by another field", config: "parameter: {min: int, max: int & >=min}"},
	{name: "bounds by another field above", config: "parameter: {max: int & >min, min: int}"},
	{name: "bounds of a text", config: "parameter: {a: >\"m\", b: string & <\"c\"}"},
	{name: "equal fields", config: "parameter: {a: string, b: string}\n_ok: true & (parameter.a == parameter.b)"},
	{name: "unequal fields", config: "parameter: {a: string, b: string}\n_ok: true & (parameter.a != parameter.b)"},
	{name: "a pattern", config: "parameter: {a: =~\"^x[0-9]{2}$\", b: string & =~\"[.]cue$\"}"},
	{name: "validators", config: "parameter: {a: strings.MinRunes(20), b: strings.MaxRunes(3), l: list.MinItems(0)}", imports: "\"strings\"\n\"list\""},
	{name: "a needed list", config: "parameter: l: [string, int]"},
	{name: "a needed struct", config: "parameter: s: {a: int, b: {c: string}}"},
	{name: "alternatives that exclude each other", config: "parameter: {a: \"x\" | \"y\", b: \"x\" | \"y\"}\n_ok: parameter.a & parameter.b"},
	{name: "an alternative that asks for more", config: "parameter: {kind: *\"a\" | \"b\", if kind == \"b\" {size: int & >100}}"},
	{name: "an alternative of structs", config: "parameter: x: {kind: \"a\"} | {kind: \"b\", size: int}"},
	{name: "exactly one of two", config: "parameter: x: matchN(1, [{a: string, ...}, {b: string, ...}])"},
	{name: "two images for two options", config: "parameter: {a: *false | bool, b: *false | bool}", rest: "if config.parameter.a {code: d: {image: tag: \"x\", size: code.c.size}}\nif config.parameter.b {code: d: {image: tag: \"y\", size: code.c.size}}"},
	{name: "a quotient", config: "parameter: n: int", rest: env("\"\\(100 / config.parameter.n)\"")},
	{name: "volumes of either kind", config: "resource: v: k.#Volume", rest: "if config.resource.v.volume.size != _|_ {\n" + env("\"\\(config.resource.v.volume.size)\"") + "\n}"},
	{name: "a registered volume is asked for", config: "resource: v: k.#Volume", rest: "_id: config.resource.v.volume & string\n" + env("_id")},
	{name: "a volatile volume is asked for", config: "resource: v: k.#Volume", rest: env("\"\\(config.resource.v.volume.size)\"")},
	{name: "an optional field with a condition", config: "parameter: {o?: string, p?: int}", rest: "if config.parameter.o != _|_ {\n" + env("config.parameter.o") + "\n}"},
	{name: "load", config: "scale: qos: load: uint", rest: "size: bandwidth: size: config.scale.qos.load + 1"},
	{name: "optional load", config: "scale: qos?: load: uint", rest: "if config.scale.qos != _|_ {\n" + env("\"\\(config.scale.qos.load)\"") + "\n}"},
	{name: "many fields", config: "parameter: {a: string, b: int, c: bool, d: number, e: float, f: [...string], g: {...}, h: null, i: _, j: \"x\" | \"y\", k: >5, l: <=0, m: !=\"\", n: uint8, o: [string]: int}"},
	{name: "a loop over needed members", config: "parameter: l: [...{name: string, value: int}]", rest: "code: c: mapping: env: {for x in config.parameter.l {(x.name): value: \"\\(x.value)\"}}"},
	{name: "all of a parameter", config: "parameter: {a: int, b: string}", rest: "code: c: mapping: filesystem: \"/f\": {data: value: config.parameter, format: \"json\"}"},
	{name: "a check elsewhere that keeps a place closed", config: "parameter: n: int", rest: "_max: config.parameter.n & <5\nif config.parameter.n > 5 {\n" + env("string") + "\n}"},
	{name: "a check with an open place", config: "parameter: {tls: *false | bool, port: *80 | int}", rest: "_check: {ok: true, if config.parameter.tls && config.parameter.port == 80 {ok: \"tls needs another port\"}}\nif config.parameter.tls && config.parameter.port == 80 {\n" + env("string") + "\n}"},
	{name: "optional fields that go together", config: "parameter: {o?: string, p?: string}", rest: "_ok: true\nif config.parameter.o != _|_ {_ok: config.parameter.p != _|_}\nif config.parameter.o != _|_ {\n" + env("config.parameter.p") + "\n}"},
	{name: "a number in a text", config: "parameter: n: int", rest: env("\"\\(config.parameter.n)\"")},
}

// checkArtifact vets the component.
func checkArtifact(t *testing.T, x checked) (diag.List, string) {
	t.Helper()
	text := strings.NewReplacer("«imports»", x.imports, "«beside»", x.beside, "«artifact»", x.artifact, "«config»", x.config, "«rest»", x.rest).Replace(checkedApp)
	if strings.Contains(x.rest, "size: bandwidth") {
		text = strings.Replace(text, "size: bandwidth: {size: 9, unit: \"M\"}", "size: bandwidth: unit: \"M\"", 1)
	}
	if strings.Contains(x.artifact, "ref: name:") {
		text = strings.Replace(text, "ref: name: \"c\"\n", "", 1)
	}
	return vetFiles(t, text, "c")
}

// vetFiles vets the artifact in a directory of the files.
func vetFiles(t *testing.T, text, dir string) (diag.List, string) {
	t.Helper()
	files, err := txtar.FS(txtar.Parse([]byte(text)))
	require.NoError(t, err)
	root := t.TempDir()
	require.NoError(t, os.CopyFS(root, files))
	in := compiler.Input{Artifacts: true}
	in.Dir = filepath.Join(root, dir)
	_, problems := compiler.Run(context.Background(), in, compiler.ExtractStage)
	return problems, text
}

// lineOf is the line of the text's file c/c.cue with the comment.
func lineOf(text, comment string) int {
	_, file, _ := strings.Cut(text, "-- c/c.cue --\n")
	return slices.IndexFunc(strings.Split(file, "\n"), func(line string) bool { return strings.Contains(line, comment) }) + 1
}

func show(l diag.List) string {
	var b strings.Builder
	for _, d := range l {
		fmt.Fprintf(&b, "%d: %s [%s]\n", d.Pos.Line(), d.Message, d.Code)
		for _, r := range d.Related {
			fmt.Fprintf(&b, "    %d: %s\n", r.Pos.Line(), r.Message)
		}
	}
	return b.String()
}

// TestCheckFindsHoles plants holes behind conditions of many forms.
func TestCheckFindsHoles(t *testing.T) {
	t.Parallel()
	for _, tt := range planted {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			problems, text := checkArtifact(t, tt)
			require.Len(t, problems, 1, "%s", show(problems))
			require.Equal(t, diag.Hole, problems[0].Code, "%s", show(problems))
			require.Equal(t, lineOf(text, "// hole"), problems[0].Pos.Line(), "%s", show(problems))
		})
	}
}

// TestCheckInventsNothing says nothing of artifacts that can be deployed.
func TestCheckInventsNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range fine {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			problems, text := checkArtifact(t, tt)
			require.Empty(t, problems, "%s%s", show(problems), text)
		})
	}
}
