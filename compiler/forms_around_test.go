package compiler_test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kumiki.dev/compiler"
)

// around are references that an artifact in a role has to what is around it: what the service says for it, what goes around the role, and the
// reference.
var around = []struct{ says, role, ref string }{
	{`_v: "x"`, `f: «»`, `_v`},
	{`_v: 81`, `f: «»`, `_v`},
	{`_v: *"x" | string`, `f: «»`, `_v`},
	{`_v: "x" | "y"`, `f: «»`, `_v`},
	{`_v: string`, `f: «»`, `_v`},
	{`let v = "x"`, `f: «»`, `v`},
	{`let v = *"x" | "y"`, `f: «»`, `v`},
	{`let p = description.config.parameter`, `f: «»`, `p.t`},
	{`let p = description.config.parameter`, `f: «»`, `p.n`},
	{`let p = description.config.parameter`, `f: «»`, `p.e`},
	{`let p = description.config.parameter`, `f: «»`, `p.s`},
	{`let p = description.config.parameter`, `f: «»`, `p.l`},
	{`let p = description.config.parameter`, `f: «»`, `p.opt`},
	{`let d = description`, `f: «»`, `d.config.parameter.t`},
	{`let d = description`, `f: «»`, `d.srv.server.x.port`},
	{`_p: description.config.parameter`, `f: «»`, `_p.t`},
	{`_t: {a: tag: "x", b: tag: "y"}`, `for k, e in _t {"f\(k)": «»}`, `e.tag`},
	{`_t: {a: tag: "x", b: tag: "y"}`, `for k, e in _t {"f\(k)": «»}`, `k`},
	{`_t: {a: tag: 81, b: tag: 82}`, `for k, e in _t {"f\(k)": «»}`, `e.tag`},
	{`_t: [string]: {tag: *"x" | string}, _t: {a: {}, b: tag: "y"}`, `for k, e in _t {"f\(k)": «»}`, `e.tag`},
	{`_t: [string]: {tag?: string}, _t: {a: {}, b: tag: "y"}`, `for k, e in _t {"f\(k)": «»}`, `e.tag`},
	{`#T: {tag: *"x" | "y"}, _t: [string]: #T, _t: {a: {}, b: tag: "y"}`, `for k, e in _t {"f\(k)": «»}`, `e.tag`},
	{`_t: [{n: "a", tag: "x"}, {n: "b", tag: "y"}]`, `for e in _t {"f\(e.n)": «»}`, `e.tag`},
	{`_t: [{n: "a", tag: ["x"]}, {n: "b", tag: []}]`, `for e in _t {"f\(e.n)": «»}`, `e.tag`},
	{`_t: [{n: "a", tag: A: value: "x"}]`, `for e in _t {"f\(e.n)": «»}`, `e.tag`},
	{`#E: {A?: {value: string}}, _t: [{n: "a", tag: #E & {A: value: "x"}}]`, `for e in _t {"f\(e.n)": «»}`, `e.tag`},
	{`_t: [{n: "a", tag: {A: value: "x", B?: value: "n"}}]`, `for e in _t {"f\(e.n)": «»}`, `e.tag`},
	{`_t: [{n: "a", tag: {A: value: "x", ...}}]`, `for e in _t {"f\(e.n)": «»}`, `e.tag`},
	{`_n: 2`, `for i in [1, 2] {"f\(i)": «»}`, `i`},
	{`_n: 2`, `for i, e in ["x", "y"] let z = "\(e)\(i)" {"f\(i)": «»}`, `z`},
	{`_n: 2`, `for k, e in description.config.parameter.m {"f\(k)": «»}`, `e`},
	{`_n: 2`, `for k, e in description.config.parameter.m {"f\(k)": «»}`, `k`},
	{`_n: 2`, `for e in description.config.parameter.l {"f\(e)": «»}`, `e`},
	{`_n: 2`, `if description.config.parameter.t != "no" {f: «»}`, `_n`},
	{`_n: {x: "y"}`, `f: «»`, `_n["x"]`},
	{`_u: *"x" | string, _v: _u`, `f: «»`, `_v`},
	{`_u: "x", _v: a: _u`, `f: «»`, `_v.a`},
	{`let p = description.config.parameter, _n: {s: "x", x: "y"}`, `f: «»`, `_n[p.t]`},
	{`let p = description.config.parameter`, `for k, e in {a: "x", b: "y"} let z = "\(e)-\(p.t)" {"f\(k)": «»}`, `z`},
	{`_t: [string]: {tag: string, on: *false | bool}, _t: {a: tag: "x", b: {tag: "y", on: true}}`, `for k, e in _t if e.on {"f\(k)": «»}`, `e.tag`},
	{`_t: {a: {n: 81}}`, `for k, e in _t {"f\(k)": «»}`, `e.n`},
	{`_n: {x: "y"}`, `f: «»`, `_n.z`},
	{`_n: {b: value: "1", a: value: "2"}`, `f: «»`, `_n`},
	{`_t: [{n: "b", tag: {z: value: "1", A: value: "2"}}]`, `for e in _t {"f\(e.n)": «»}`, `e.tag`},
}

// inArtifact are the parts of an artifact that say something by such a reference.
var inArtifact = []string{
	`description: code: c: cmd: [«»]`,
	`description: code: c: cmd: «»`,
	`description: code: c: cmd: ["\(«»)"]`,
	`description: code: c: mapping: env: A: value: «»`,
	`description: code: c: mapping: env: A: value: "a\(«»)b"`,
	`description: code: c: mapping: env: «»`,
	`description: code: c: mapping: env: {«», C: value: "c"}`,
	`description: code: c: mapping: env: {if «» != _|_ {A: value: "\(«»)"}, C: value: "c"}`,
	`description: code: c: mapping: env: {if («» & "x") != _|_ {A: value: "x"}}`,
	`description: code: c: mapping: env: {for k, v in «» {"E\(k)": value: "v"}}`,
	`description: code: c: mapping: env: {"E\(«»)": value: "e"}`,
	`description: code: c: mapping: env: {for e in «» {"E\(e)": value: e}}`,
	`description: code: c: cmd: [for e in [«», "z"] {"\(e)"}]`,
	`description: code: c: cmd: [if «» != "x" {"a"}, "b"]`,
	`description: code: c: cmd: [{x: "1", y: "2"}["\(«»)"]]`,
	`description: code: c: mapping: filesystem: "/f": {data: value: «», format: "json"}`,
	`description: {if «» == "x" {code: c: cmd: ["x"]}}`,
	`description: {_h: «», code: c: cmd: ["\(_h)"]}`,
	`description: {let h = «», code: c: cmd: ["\(h)"]}`,
	`description: code: c: {entrypoint: [«»], cmd: [description.code.c.entrypoint[0]]}`,
	`ref: name: «»`,
	`ref: name: "n\(«»)"`,
	`ref: name: "n\(«»)", description: code: c: cmd: ["x"]`,
	`description: srv: server: in0: port: «»`,
	`description: srv: server: in1: port: «»`,
	`description: srv: server: «»: port: 99`,
	`description: srv: server: («»): port: 99`,
	`description: config: parameter: t: «»`,
	`description: config: parameter: t: *«» | string`,
	`description: {config: parameter: w: *"w" | string, code: c: cmd: [config.parameter.w, «»]}`,
	`description: code: c: size: memory: size: «»`,
	`description: code: c: size: memory: size: «» * 2`,
	`description: description: «»`,
	`description: code: c: {mapping: env: «», cmd: [for k, v in mapping.env {k}]}`,
	`description: code: c: cmd: [for k, v in «» {"\(k)"}]`,
	`description: code: c: {mapping: env: {«», Q: value: "q"}, cmd: [for k, v in mapping.env {k}]}`,
}

// everyAround is which of the combinations are tried.
var everyAround = flag.Int("around", 31, "try every n-th of some 3,000 artifacts that refer to what is around them")

// TestAround compares what CUE alone makes of roles whose artifacts refer to what is around them with what is made of packages to which that is passed on.
func TestAround(t *testing.T) {
	t.Parallel()
	components := []string{
		``,
		`code: c: {cmd: *["e"] | [...string], mapping: env: A: value: *"m" | string, size: memory: size: *9 | int}`,
		`code: c: {cmd: [...string], mapping: env: [string]: value: string}`,
	}
	given := []string{`m: {q: "x"}`, `t: "x", n: 81, e: "b", s: x: "y", l: ["x"], m: {x: "x", y: "y"}`}
	compiled, n := 0, 0
	for _, a := range around {
		for _, part := range inArtifact {
			for i, more := range components {
				n++
				if n%*everyAround != 0 || seldom(n / *everyAround) {
					continue
				}
				artifact := strings.ReplaceAll(part, "«»", a.ref)
				body := "{artifact: c.#Artifact & {" + artifact + `}, config: parameter: o: y: "o"}`
				if n%3 == 0 {
					body = "{artifact: [if " + `description.config.parameter.t != "m" {c.#Artifact & {` + artifact + `}}, c.#Artifact][0], config: parameter: o: y: "o"}`
				}
				form := "-- s/config --\nn: *80 | int, e: *\"a\" | \"b\", s: *{x: \"x\"} | {...}, l: *[] | [...string], m: [string]: string, opt?: string\n-- s/roles --\nsrv: server: x: port: 80\n" +
					a.says + "\nrole: {" + strings.ReplaceAll(a.role, "«»", body) + "}\n-- c/more --\n" + more + "\n-- deploy/config --\n" + given[(n+i)%2] + "\n"
				dir := t.TempDir()
				write(t, dir, formed(form))
				in := compiler.Input{}
				in.Dir = filepath.Join(dir, "deploy")
				told := toldOf
				if strings.Contains(part, "data: value: «»") || strings.HasSuffix(part, "env: «»") {
					told = solvedOf // a struct that is passed on lies elsewhere
				}
				short := told(in)
				in.NoPartial = true
				if diff := cmp.Diff(told(in), short); diff != "" {
					t.Errorf("%s (-CUE +partial):\n%s", form, diff)
				}
				if len(placesOfDescription(in)) > 0 {
					compiled++
				}
			}
		}
	}
	if t.Logf("%d compile", compiled); compiled < 20 && !fewer {
		t.Errorf("%d compile", compiled)
	}
}
