package compiler_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kumiki.dev/compiler"
)

// usedInEnv are variables of a component that are made of x, a parameter of any type.
var usedInEnv = []string{
	`A: value: config.parameter.x`,
	`A: value: "\(config.parameter.x)"`,
	`A: value: "<\(description.config.parameter.x)>\(config.parameter.t)"`,
	`A: value: config.parameter.x.a`,
	`A: value: "\(config.parameter.x.a)-\(config.parameter.x.b)"`,
	`for k, v in config.parameter.x {(k): value: "\(v)"}`,
	`for k, v in config.parameter.x {(k): value: v}`,
	`for k, v in config.parameter.x {"\(k)_": value: "\(k)=\(v)"}, Z: value: "z"`,
	`for k, v in config.parameter.x if k != "a" {"\(k)": value: "\(v)"}`,
	`for k, v in config.parameter.x if (v & string) != _|_ {"\(k)": value: v}`,
	`for i, v in config.parameter.x let n = "\(i)-\(v)" {(n): value: n}`,
	`for v in config.parameter.x {"\(v.a)": value: "\(v.b)"}`,
	`if config.parameter.x == "x" {A: value: "x"}, if config.parameter.x != "x" {A: value: "no"}`,
	`if config.parameter.x.a == "x" {A: value: "x"}, if config.parameter.x.a != "x" {B: value: config.parameter.x.a}`,
	`if config.parameter.x != _|_ {A: value: "there"}, if config.parameter.x == _|_ {A: value: "no"}`,
	`if config.parameter.x.b != _|_ {B: value: "\(config.parameter.x.b)"}, if config.parameter.x.own != _|_ {C: value: "own"}`,
	`if config.parameter.x > 1 {A: value: "more"}, if config.parameter.x <= 1 {A: value: "less"}`,
	`if len(config.parameter.x) > 1 {A: value: "more"}, N: value: "\(len(config.parameter.x))"`,
	`if (config.parameter.x & string) != _|_ {A: value: config.parameter.x}, if (config.parameter.x & int) != _|_ {A: value: "\(config.parameter.x)"}`,
	`if config.parameter.x == null {A: value: "null"}, if config.parameter.x != null {A: value: config.parameter.x.a}`,
	`A: value: _table[config.parameter.x]`,
	`A: value: _list[config.parameter.x]`,
	`A: value: "\(config.parameter.x[0])"`,
	`A: value: "\(config.parameter.x["a"])"`,
	`A: value: "\(config.parameter.x[config.parameter.t])"`,
	`A: value: [if config.parameter.x.a == "x" {"1"}, "2"][0]`,
	`A: value: [if config.parameter.x == "two" {"1"}, if config.parameter.x == 9 {"3"}, "2"][0]`,
	`A: value: *config.parameter.x | "e"`,
	`A: value: config.parameter.x & string`,
	`A: value: config.parameter.x & ("x" | "two" | "y")`,
	`A: value: string, A: value: config.parameter.x`,
	`A: value: strings.Join(config.parameter.x, ",")`,
	`A: value: strings.Join([for k, v in config.parameter.x {"\(k)=\(v)"}], ",")`,
	`A: value: strings.Join([for v in config.parameter.x {"\(v)"}], ",")`,
	`A: value: strings.ToUpper(config.parameter.x), B: value: strings.Replace(config.parameter.x, "o", "0", -1)`,
	`A: value: json.Marshal(config.parameter.x)`,
	`A: value: json.Marshal({x: config.parameter.x, y: "\(config.parameter.t)"})`,
	`A: value: yaml.Marshal(config.parameter.x)`,
	`A: value: "\(list.Contains(config.parameter.x, "a"))"`,
	`A: value: "\(config.parameter.x + 1)", B: value: "\(2 * config.parameter.x)"`,
	`A: value: config.parameter.x + "s"`,
	`A: value: "\(-config.parameter.x)", B: value: "\(config.parameter.x > 1 && config.parameter.x < 9)"`,
	`A: value: "\(config.parameter.x == "x" || config.parameter.x == "two")"`,
	`A: value: "\(config.parameter.x =~ "^t")"`,
	`A: value: "\(div(config.parameter.x, 2))-\(mod(config.parameter.x, 2))"`,
	`{config.parameter.x}`,
	`(config.parameter.x): value: "x"`,
	`"\(config.parameter.x)": value: "x", "P_\(config.parameter.x)": value: "y"`,
	`A: value: config.parameter.x, A: value: *"q" | string`,
	`[string]: value: config.parameter.x, A: {}, B: {}`,
	`A: value: "\(A.value)", A: value: config.parameter.x`,
	`A: value: B.value, B: value: "\(config.parameter.x)"`,
	`let w = config.parameter.x, A: value: "\(w)", let u = w.a, B: value: "\(u)"`,
	`if config.parameter.x {A: value: "t"}`,
	`if true {A: value: "\(config.parameter.x)"}, if config.parameter.t == "d" {B: value: "\(config.parameter.x)"}`,
	`A: value: strings.Join([for k, _ in config {k}], ",")`,
	`A: value: strings.Join(list.Take(config.parameter.x, 1), ","), B: value: "\(list.Sum(list.Range(0, config.parameter.x, 2)))"`,
	`A: secret: config.parameter.x`,
	`for k, _ in config.parameter.x {(k): secret: k}`,
}

// usedInFiles are contents of a component's file.
var usedInFiles = []string{
	`config.parameter.x`,
	`{config.parameter.x}`,
	`{config.parameter.x, own: "y"}`,
	`{config.parameter.x, a: "y"}`,
	`config.parameter.x & {a: "x", ...}`,
	`config.parameter.x & {[string]: _}`,
	`config.parameter.x & {own: "y"}`,
	`config.parameter.x & {c: 5, d: config.parameter.t}`,
	`{config.parameter.x, config.parameter.x}`,
	`config.parameter.x & config.parameter.x`,
	`{c: config.parameter.t, config.parameter.x, d: [config.parameter.t]}`,
	`{config.parameter, own: "y"}`,
	`config.parameter & {t: _}`,
	`{w: {config.parameter.x, own: 5}, v: {n: {config.parameter.x}, config.parameter.x}}`,
	`[{config.parameter.x, own: 5}, config.parameter.x & {c: "z"}, for k in ["c"] {{config.parameter.x, (k): 1}}]`,
	`{if config.parameter.t == "x" {config.parameter.x}, own: "y"}`,
	`{for k, v in config.parameter.x {(k): {v, own: 1}}}`,
	`[for v in config.parameter.x {v, own: 1}]`,
	`{p: config.parameter.x, q: config.parameter.x}`,
	`{p: config.parameter.x.a, q: n: config.parameter.x.b}`,
	`{for k, v in config.parameter.x {(k): v}, z: 1}`,
	`{for k, v in config.parameter.x if k != "a" {"\(k)": v}}`,
	`{for k, v in config.parameter.x {"\(k)": {n: k, w: v, t: "\(v)"}}}`,
	`{for v in config.parameter.x {(v): true}}`,
	`[for v in config.parameter.x {v}]`,
	`[for k, v in config.parameter.x {n: k, w: v}]`,
	`[for k, v in config.parameter.x {n: k, v}]`,
	`[for v in config.parameter.x if v != "a" {"\(v)"}, "end"]`,
	`[config.parameter.x, {n: config.parameter.x}, [config.parameter.x]]`,
	`config.parameter`,
	`{config.parameter}`,
	`{for k, v in config.parameter {(k): v}}`,
	`{for k, v in config.parameter if (v & string) != _|_ {(k): v}}`,
	`{if config.parameter.x != _|_ {x: config.parameter.x}, if config.parameter.x.b != _|_ {b: config.parameter.x.b}}`,
	`{if config.parameter.x == "x" {x: 1}, if config.parameter.x > 1 {y: 2}}`,
	`config.parameter.x[0]`,
	`config.parameter.x["a"]`,
	`config.parameter.x.l`,
	`{w: _table[config.parameter.x], v: _list[config.parameter.x]}`,
	`config`,
	`{c: config.scale, r: config.resource, x: config.parameter.x}`,
	`{let w = config.parameter.x, a: w, b: "\(w)", c: {d: w}}`,
	`{p: config.parameter.x, r: p, s: self.p}`,
	`{p: config.parameter.x, "\(p)": 1, (p): 1}`,
	`{w: *config.parameter.x | 5, v: config.parameter.x | 5}`,
	`{w: 1 & config.parameter.x, v: >0 & config.parameter.x}`,
	`{w: config.parameter.x & string}`,
	`{w: config.parameter.x & {...}}`,
	`{w: config.parameter.x, w: {n: 1, ...}}`,
	`{w: config.parameter.x, w: #W, #W: {a: _, ...}}`,
	`{l: len(config.parameter.x), m: [for k, _ in config.parameter.x {k}]}`,
	`{l: list.Sort(config.parameter.x, list.Ascending), m: list.Concat([config.parameter.x, ["z"]])}`,
	`{l: list.Reverse(config.parameter.x), m: list.Take(config.parameter.x, 1), n: list.Repeat(config.parameter.x, 2)}`,
	`list.SortStrings(config.parameter.x)`,
	`{l: list.Sort(config.parameter.x, {x: {}, y: {}, less: x.a < y.a}), m: list.Concat([config.parameter.x, [{a: "z"}], [for v in config.parameter.x {v}]])}`,
	`{l: list.Range(0, config.parameter.x, 2), s: strings.Split(config.parameter.t, "e")}`,
	`{if config.parameter.t == "d" {l: list.Drop(config.parameter.x, 1)}, m: list.Concat([[config.parameter.x, [config.parameter.t]], []])}`,
	`{l: [for v in config.parameter.x {v}], m: [for v in config.parameter.x for w in v {w}]}`,
	`{l: or([config.parameter.x]), m: and([config.parameter.x])}`,
	`yaml.Marshal(config.parameter.x)`,
	`json.Marshal(config.parameter.x)`,
	`"x=\(config.parameter.x)\n"`,
	`{x: [if config.parameter.x.a != _|_ {config.parameter.x.a}, "none"][0]}`,
	`{[string]: _, a: config.parameter.x}`,
	`{_h: config.parameter.x, #d: config.parameter.x, o?: config.parameter.x, v: _h}`,
	`{x: config.parameter.x + 1, y: config.parameter.x * 1.5, z: config.parameter.x / 2}`,
	`{x: config.parameter.x + ["z"]}`,
	`{d: #D & {in: config.parameter.x}}`,
	`(#D & {in: config.parameter.x}).out`,
	`{u: k.#User & {userid: config.parameter.x, groupid: 5}}`,
	`{u: k.#User & {userid: config.parameter.x & (<1000 | *1), groupid: 5}, v: k.#Env & {value: config.parameter.x & (string | *"w")}}`,
	`{if config.parameter.x != _|_ {s: k.#ContainerSize & {cpu: {size: config.parameter.x, unit: "m"}, memory: {size: 5, unit: "M"}}}}`,
	`{for v in config.parameter.x {"\(v)": k.#Env & {value: v}}}`,
	`[k.#Server & {port: config.parameter.x}, {s: k.#Server & {port: config.parameter.x}}]`,
	`{s: k.#Server & {port: config.parameter.x}, p: s.port, t: (k.#Server & {port: config.parameter.x}).protocol}`,
}

// usedElsewhere are other parts of a component.
var usedElsewhere = []string{
	`code: c: cmd: config.parameter.x`,
	`code: c: cmd: [config.parameter.x, "x"]`,
	`code: c: cmd: [for v in config.parameter.x {"\(v)"}]`,
	`code: c: cmd: [for k, v in config.parameter.x {"--\(k)=\(v)"}, "end"]`,
	`code: c: cmd: ["--x=\(config.parameter.x)"]`,
	`code: c: cmd: [if config.parameter.x != _|_ {"x"}, "y"]`,
	`code: c: {if config.parameter.x != _|_ {entrypoint: ["sh"]}}`,
	`code: c: image: digest: config.parameter.x`,
	`code: d: {image: tag: "d:\(config.parameter.x)", size: {cpu: {size: config.parameter.x, unit: "m"}, memory: {size: config.parameter.x, unit: "M"}}}`,
	`code: d: {image: tag: config.parameter.x, name: config.parameter.x, size: _s}`,
	`code: {for k, v in config.parameter.x {(k): {image: tag: "\(v)", size: _s}}}`,
	`if config.parameter.x.a == "x" {code: d: {image: tag: "d", size: _s}}`,
	`if config.parameter.x != _|_ {code: (config.parameter.x): {image: tag: "d", size: _s}}`,
	`code: c: user: {userid: config.parameter.x, groupid: 5}`,
	`srv: server: extra: port: config.parameter.x`,
	`srv: server: extra: port: 8000 + config.parameter.x`,
	`srv: server: {for k, v in config.parameter.x {(k): port: v}}`,
	`srv: client: {for k, v in config.parameter.x {(k): protocol: v}}`,
	`if config.parameter.x != _|_ {srv: client: y: protocol: "tcp"}`,
	`srv: client: (config.parameter.x): protocol: "tcp"`,
	`srv: duplex: d: {protocol: "tcp", port: [if config.parameter.x == 9 {99}, 7000][0]}`,
	`probe: c: liveness: protocol: http: {port: 80, path: config.parameter.x}`,
	`probe: c: liveness: {protocol: tcp: port: 80, frequency: config.parameter.x}`,
	`probe: c: readiness: {protocol: exec: command: config.parameter.x}`,
	`probe: c: {if config.parameter.x != _|_ {readiness: protocol: tcp: port: 80}}`,
	`size: minbandwidth: config.parameter.x`,
	`size: mincpu: {size: config.parameter.x, unit: "m", kind: "cpu"}`,
	`profile: {iopsintensive: true, threadability: config.parameter.x}`,
	`config: scale: hsize: config.parameter.x`,
	`config: resilience: config.parameter.x`,
	`config: resource: v: k.#Volume & {volume: {size: config.parameter.x, unit: "G"}}, code: c: mapping: filesystem: "/d": volume: "v"`,
	`config: resource: s: k.#Secret, code: c: mapping: filesystem: "/d": volume: config.parameter.x`,
	`config: parameter: y: config.parameter.x, code: c: mapping: env: A: value: "\(config.parameter.y)"`,
	`config: parameter: y: *config.parameter.x | string, code: c: mapping: env: A: value: config.parameter.y`,
	`config: parameter: y: n: config.parameter.x, code: c: mapping: filesystem: "/e": {data: value: config.parameter.y, format: "json"}`,
	`_h: config.parameter.x, code: c: mapping: env: A: value: "\(_h)"`,
	`_h: {p: config.parameter.x, q: "\(config.parameter.x)"}, code: c: mapping: filesystem: "/e": {data: value: _h, format: "yaml"}`,
	`let l = config.parameter.x, code: c: mapping: {env: A: value: "\(l)", filesystem: "/e": {data: value: {p: l, q: [l]}, format: "json"}}`,
	`code: c: mapping: filesystem: {for k, v in config.parameter.x {"/\(k)": {data: value: v, format: "json"}}}`,
	`code: c: mapping: filesystem: "/e": {if config.parameter.x != _|_ {data: value: config.parameter.x}, if config.parameter.x == _|_ {data: value: "none"}}`,
	`code: c: mapping: filesystem: "/e": {data: value: "x", mode: config.parameter.x}`,
	`code: c: mapping: filesystem: "/e": {data: value: "x", rebootOnUpdate: config.parameter.x == "x"}`,
	`code: c: mapping: filesystem: (config.parameter.x): data: value: "x"`,
	`code: {for k, v in config.parameter.x {(k): {image: tag: v.a, size: {cpu: {size: v.b, unit: "m"}, memory: {size: 5, unit: "M"}}}}}`,
	`code: {for v in config.parameter.x {"\(v)": {image: tag: "\(v)", size: {cpu: {size: 5, unit: "m"}, mincpu: len(v), memory: {size: 5, unit: "M"}}}}}`,
	`probe: {for k, v in config.parameter.x {(k): {liveness: {protocol: tcp: port: v, frequency: "low"}, readiness: protocol: http: {port: 80, path: "/\(v)"}}}}`,
	`probe: {for v in config.parameter.x {(v): {liveness: {protocol: grpc: port: 80, startupGraceWindow: {unit: "ms", duration: 5}}}}}`,
	`code: c: mapping: env: A: k.#Env & {value: config.parameter.x}`,
	`code: c: k.#Container & {image: tag: config.parameter.x, size: k.#ContainerSize & {cpu: {size: config.parameter.x, unit: "m"}, memory: {size: 5, unit: "M"}}}`,
	`srv: server: {for k, v in config.parameter.x {(k): k.#Server & {port: v}}}`,
}

// usedUnderConditions are parts of a component that show x and t. They are put under conditions on t.
var usedUnderConditions = []string{
	`code: d: {image: tag: config.parameter.x, size: _s}`,
	`code: d: {image: tag: "d:\(config.parameter.x)", mapping: env: A: value: config.parameter.t, size: _s}`,
	`code: d: {image: tag: "d", size: {cpu: {size: config.parameter.x, unit: "m"}, memory: {size: 5, unit: "M"}}}`,
	`code: d: {image: tag: "d", size: {cpu: {size: 5, unit: "m"}, memory: {size: config.parameter.x, unit: "M"}}}`,
	`code: d: {image: tag: "d", size: {cpu: {size: 5, unit: "m"}, mincpu: config.parameter.x, memory: {size: 5, unit: "M"}}}`,
	`code: d: {image: {tag: "d", hub: {name: config.parameter.x, secret: ""}}, cmd: ["-x", config.parameter.t], size: _s}`,
	`code: d: {image: tag: "d", entrypoint: [for v in config.parameter.x {"\(v)"}], size: _s}`,
	`code: d: {image: tag: "d", size: _s}, code: d: mapping: env: {for k, v in config.parameter.x {(k): value: "\(v)"}}`,
	`code: d: {image: tag: "d", size: _s, if config.parameter.x == "two" {user: {userid: 5, groupid: 5}}}`,
	`code: d: {name: config.parameter.t, image: tag: "\(name)\(config.parameter.x)", size: _s}`,
	`probe: c: liveness: {protocol: http: {port: 80, path: "/\(config.parameter.x)"}}`,
	`probe: c: liveness: {protocol: tcp: port: 80, frequency: config.parameter.x}`,
	`probe: c: {liveness: {protocol: exec: command: [config.parameter.t], timeout: 5}, readiness: protocol: tcp: port: config.parameter.x}`,
	`code: c: mapping: filesystem: "/e": {data: value: {a: config.parameter.x, b: [config.parameter.t, config.parameter.x]}, format: "json"}`,
	`code: c: mapping: filesystem: "/e": {data: value: config.parameter.x}`,
	`code: c: mapping: filesystem: "/e": {data: value: config.parameter.x, format: [if config.parameter.x == "two" {"yaml"}, "json"][0], mode: 0o600}`,
	`code: c: mapping: filesystem: "/e": {if config.parameter.x != _|_ {data: value: "x"}, rebootOnUpdate: config.parameter.x}`,
	`code: c: mapping: filesystem: {"/e": data: value: "x", (config.parameter.t): data: value: "\(config.parameter.x)"}`,
	`srv: server: a: port: config.parameter.x`,
	`srv: {server: a: {port: 81, protocol: config.parameter.x}, client: (config.parameter.t): protocol: "tcp"}`,
	`size: minbandwidth: config.parameter.x`,
	`size: {bandwidth: {size: 9, unit: "M"}, mincpu: {size: config.parameter.x, unit: "m", kind: "cpu"}}`,
	`_h: n: config.parameter.x, code: c: mapping: env: {A: value: "\(_h.n)", B: value: config.parameter.t}`,
	`code: c: mapping: env: {A: value: B.value, B: value: config.parameter.x}`,
	`code: c: mapping: env: A: {value: string | *"q", value: config.parameter.x}`,
	`code: c: {mapping: env: A: value: "a", cmd: [mapping.env.A.value, "\(config.parameter.x)"]}`,
	`code: c: mapping: env: {A: value: config.parameter.x, if A.value == "two" {B: value: "b"}}`,
	`code: c: mapping: env: {A: value: "\(config.parameter.x)", B: value: *A.value | string}`,
	`code: c: mapping: env: A: value: ({v: config.parameter.x} | {w: 1}).v`,
	`code: d: k.#Container & {name: "d", image: k.#Image & {tag: config.parameter.x}, size: k.#ContainerSize & {cpu: {size: config.parameter.x, unit: "m"}, memory: {size: 5, unit: "M"}}}`,
	`code: d: #Base & {image: tag: "d:\(config.parameter.x)"}`,
	`code: d: {image: tag: "d", size: #Sized & {memory: {size: config.parameter.x, unit: "M"}}}`,
	`code: d: {image: tag: "d", size: k.#Image & {tag: config.parameter.x}}`,
	`code: d: k.#Container & {image: tag: "d", size: _s, user: {userid: config.parameter.x, groupid: userid}}`,
	`code: {for k, v in config.parameter.x {(k): k.#Container & {image: tag: "\(v)", size: _s, name: k}}}`,
	`code: {for k, v in {d: config.parameter.x, e: config.parameter.t} {(k): {image: tag: v, size: _s, cmd: ["-n", "\(v)"]}}}`,
	`srv: server: {a: k.#Server & {port: config.parameter.x}, b: k.#Client & {protocol: config.parameter.t}}`,
	`size: {bandwidth: {size: config.parameter.x, unit: "M"}}`,
	`size: {bandwidth: {size: 9, unit: config.parameter.t}, minbandwidth: config.parameter.x}`,
	`code: d: {image: tag: "d", size: {cpu: {size: config.parameter.x, unit: "m"}, mincpu: cpu.size, memory: {size: 5, unit: "M"}}}`,
	`code: d: {image: tag: "d", size: {cpu: {size: config.parameter.x, unit: "m"}, if config.parameter.x > 1 {mincpu: 1}, memory: {size: 5, unit: "M"}}}`,
}

// TestComponentsThatUse compares what components make of a parameter of each type with the data that CUE alone makes of it: in a service with
// a role for each of what may be given, and in one with each alone.
func TestComponentsThatUse(t *testing.T) {
	t.Parallel()
	n := 0
	for i, of := range passedOn {
		for j, use := range usesInComponents() {
			files, all := "-- c/config --\n"+of.declared+"\n-- c/imports --\n"+importsOf(use)+"\n-- c/more --\n"+use+"\n-- c/other.cue --\n"+besideComponents+"\n-- s/roles --\n", ""
			var roles []string
			for k, given := range of.given {
				roles = append(roles, roleGiven(k, given), roleGiven(k+len(of.given), join(given, []string{`t: "x"`, `t: "b"`, `t: "e"`}[(k+j)%3])))
				all += roles[2*k] + roles[2*k+1]
			}
			for k, role := range append(roles, all) {
				if n++; seldom(n) || n%(64**everyForm-63) != 0 {
					continue
				}
				t.Run(fmt.Sprintf("%d-%d-%d", i, j, k), func(t *testing.T) {
					t.Parallel()
					compareData(t, files+role)
				})
			}
		}
	}
}

// compareData compares the data of a form, and the problems in it, with those of CUE alone. It does not compare where parts of the data lie,
// because a field and its value are both right places, nor problems that only follow from others.
func compareData(t *testing.T, files string) {
	in := formIn(t, files)
	told := func(noPartial bool) []string {
		in.NoPartial = noPartial
		result, found := compiler.Run(context.Background(), in, compiler.ExtractStage)
		return withoutPlaces(toldAbout(result, found.Fold()))
	}
	if diff := cmp.Diff(told(true), told(false)); diff != "" {
		t.Errorf("%s\n(-CUE +partial):\n%s", files, diff)
	}
}

func withoutPlaces(told []string) []string {
	for i, line := range told {
		told[i] = placeInTree.ReplaceAllString(line, "")
	}
	return told
}

var placeInTree = regexp.MustCompile(` \S+ \{[^{}]*\}$`)

// besideComponents is what the components refer to.
const besideComponents = `package component
import k "kumori.systems/kumori:kumori"
#X: {a: *"x" | string, b: *1 | int}
#D: {in: _, out: [in, "\(in)"]}
_table: {one: "1", two: "b", a: "t"}
_list: ["n0", "n1"]
_s: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}
#Base: k.#Container & {image: tag: string, size: _s}
#Sized: k.#ContainerSize & {cpu: {size: 5, unit: "m"}}
`

// importsOf is the packages of CUE's that an expression names.
func importsOf(expression string) (imports string) {
	for _, of := range [][2]string{{"encoding/json", "json.M"}, {"encoding/yaml", "yaml.M"}, {"list", "list."}, {"strings", "strings."}} {
		if strings.Contains(expression, of[1]) {
			imports += strconv.Quote(of[0]) + "\n"
		}
	}
	return imports
}

// join is the parameters of a role with one more.
func join(given, more string) string {
	if given == "" {
		return more
	}
	return given + ", " + more
}

func usesInComponents() []string {
	uses := slices.Clone(usedElsewhere)
	for i, use := range usedUnderConditions {
		uses = append(uses, []string{`if config.parameter.t != "x" {`, `if config.parameter.t == "d" if config.parameter.x != _|_ {`, `if !(config.parameter.t =~ "^[a-c]") {`}[i%3]+use+"}")
	}
	for i, use := range usedInEnv {
		uses = append(uses, "code: c: mapping: env: {"+strings.ReplaceAll(use, "A: value: config.parameter.x", []string{"A: value: config.parameter.x", "A: value: description.config.parameter.x"}[i%2])+"}")
	}
	for i, use := range usedInFiles {
		uses = append(uses, `code: c: mapping: filesystem: "/e": {data: value: `+use+`, format: "`+[]string{"json", "yaml", "text"}[i%3]+`"}`)
	}
	return uses
}
