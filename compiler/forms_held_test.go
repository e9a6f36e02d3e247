package compiler_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kumiki.dev/compiler"
)

// heldArtifacts are services that have the artifacts of roles under other names: a stub stands for one only where
// nothing sees what is in it.
var heldArtifacts = []string{
	`_one: c.#Artifact, role: {for i in [1, 2, 3] {"f\(i)": {artifact: _one, config: parameter: t: "t\(i)"}}}`,
	`let one = c.#Artifact, role: {for i in [1, 2, 3] {"f\(i)": {artifact: one, config: parameter: t: "t\(i)"}}}`,
	`_kinds: {one: c.#Artifact, two: m.#Artifact}, role: {for i, k in ["one", "two", "one"] {"f\(i)": {artifact: _kinds[k], config: parameter: t: "t\(i)"}}}`,
	`_kinds: {one: c.#Artifact, two: m.#Artifact}, role: {for k in ["one", "two", "no"] {"f\(k)": {artifact: _kinds[k]}}}`,
	`_kinds: {one: c.#Artifact, two: m.#Artifact}, role: {for k, a in _kinds {"f\(k)": {artifact: a, config: parameter: t: k}}}`,
	`_kinds: one: {a: c.#Artifact, t: "x"}, role: {for k in ["one"] {"f\(k)": {artifact: _kinds[k].a, config: parameter: t: _kinds[k].t}}}`,
	`_kinds: one: {a: c.#Artifact, t: a.ref.name}, role: {for k in ["one"] {"f\(k)": {artifact: _kinds[k].a, config: parameter: t: _kinds[k].t}}}`,
	`_one: c.#Artifact, role: {for i in [1, 2] {"f\(i)": {artifact: _one, config: parameter: t: _one.ref.name}}}`,
	`_one: c.#Artifact, _one: ref: name: "c", role: {for i in [1, 2] {"f\(i)": {artifact: _one}}}`,
	`_one: c.#Artifact, _one: description: code: c: cmd: ["x"], role: {for i in [1, 2] {"f\(i)": {artifact: _one}}}`,
	`_one: c.#Artifact, _one: description: code: c: cmd: ["x"], role: f: artifact: _one`,
	`_one: {c.#Artifact}, role: {for i in [1, 2] {"f\(i)": {artifact: _one}}}`,
	`_one: c.#Artifact, _two: _one, role: {for i in [1, 2] {"f\(i)": {artifact: _two}}}`,
	`_one: c.#Artifact, _two: _one & {description: code: c: cmd: ["y"]}, role: {for i in [1, 2] {"f\(i)": {artifact: _two}}}`,
	`_one: c.#Artifact, role: {for i in [1, 2] {"f\(i)": {artifact: _one & {description: code: c: cmd: ["\(i)"]}}}}`,
	`_one: c.#Artifact, role: f: artifact: c.#Artifact`,
	`_one: c.#Artifact, role: {for i in [1, 2] {"f\(i)": {artifact: _one}}}, role: [=~"^f"]: artifact: description: code: c: cmd: ["p"]`,
	`_one: c.#Artifact, role: {for i in [1, 2] {"f\(i)": {artifact: _one}}}, role: [=~"^f"]: artifact: spec: [1, 0]`,
	`_one: c.#Artifact, role: {for i in [1, 2] {"f\(i)": {artifact: _one, meta: n: role["f\(i)"].artifact.ref.name}}}`,
	`_one: c.#Artifact, role: {for i in [1, 2] {"f\(i)": {artifact: _one}}}, _w: role.f1.artifact, srv: server: s: port: _w.description.srv.server.in0.port`,
	`"_one": c.#Artifact, role: {for i in [1, 2] {"f\(i)": {artifact: description["_one"]}}}`,
	`one: c.#Artifact, role: f: artifact: c.#Artifact`,
	`one: c.#Artifact, role: {for i in [1, 2] {"f\(i)": {artifact: description.one}}}`,
	`one: artifact: c.#Artifact, role: f: artifact: description.one.artifact`,
	`"_k": one: c.#Artifact, role: {for i in ["one"] {"f\(i)": {artifact: description["_k"][i]}}}`,
	`_one: c.#Artifact, role: {for i in [1, 2] {"f\(i)": {artifact: *_one | _one}}}`,
	`_kinds: {one: c.#Artifact, [string]: description: srv: server: in0: port: 80}, role: {for i in ["one"] {"f\(i)": {artifact: _kinds[i]}}}`,
	`_kinds: {one: c.#Artifact, [string]: description: srv: server: in0: port: 81}, role: {for i in ["one"] {"f\(i)": {artifact: _kinds[i]}}}`,
	`_kinds: {one: c.#Artifact, ("t" + "wo"): m.#Artifact}, role: {for i in ["one", "two"] {"f\(i)": {artifact: _kinds[i]}}}`,
	`_kinds: one: c.#Artifact, if len(_kinds) > 0 {role: {for i in ["one"] {"f\(i)": {artifact: _kinds[i]}}}}`,
	`_kinds: {one: c.#Artifact, n: 1}, role: {for k, v in _kinds if k != "n" {"f\(k)": {artifact: v}}}`,
	`_kinds: one: c.#Artifact, role: {for i in ["one"] {"f\(i)": {artifact: _kinds[i], config: parameter: t: "\(_kinds.one.description.srv.server.in0.port)"}}}`,
	`_kinds: one: c.#Artifact, _names: [for k, v in _kinds {v.ref.name}], role: f: {artifact: _kinds.one, config: parameter: t: _names[0]}`,
	`let one = c.#Artifact, let two = one, role: {for i in [1, 2] {"f\(i)": {artifact: two}}}`,
	`let one = c.#Artifact, role: {for i in [1, 2] {"f\(i)": {artifact: one, meta: n: one.ref.name}}}`,
	`let k = {one: c.#Artifact, two: m.#Artifact}, role: {for i in ["one", "two"] {"f\(i)": {artifact: k[i]}}}`,
	`_roles: one: {artifact: c.#Artifact, config: parameter: t: "x"}, role: {for k, v in _roles {"f\(k)": v}}`,
	`_roles: {one: artifact: c.#Artifact}, role: {for i in ["one"] {"f\(i)": _roles[i]}}`,
	`#Worker: {artifact: c.#Artifact, ...}, role: {for i in [1, 2] {"f\(i)": #Worker & {config: parameter: t: "t\(i)"}}}`,
	`#Worker: {artifact: c.#Artifact, config: {...}, ...}, role: {for i in [1, 2] {"f\(i)": {#Worker, config: parameter: t: "t\(i)"}}}`,
	`_b: {artifact: c.#Artifact, meta: n: artifact.ref.name}, role: {for i in [1, 2] {"f\(i)": {_b, config: parameter: t: "t\(i)"}}}`,
	`_b: {artifact: c.#Artifact, meta: n: "x"}, role: {for i in [1, 2] {"f\(i)": {_b, artifact: description: code: c: cmd: ["x"]}}}`,
	`_b: {artifact: c.#Artifact, meta: n: "x"}, role: {for i in [1, 2] {"f\(i)": {_b, meta: t: _b.artifact.ref.name}}}`,
	`_b: {artifact: c.#Artifact, meta: n: "x"}, role: {for i in [1, 2] {"f\(i)": {_b, X=artifact: _, meta: t: X.ref.name}}}`,
	`_b: {artifact: c.#Artifact, meta: n: "x"}, role: {for i in [1, 2] {"f\(i)": {_b, artifact: _, meta: t: artifact.ref.name}}}`,
	`_b: {artifact: c.#Artifact, meta: n: "x"}, role: {for i in [1, 2] {"f\(i)": {for k, v in _b {(k): v}}}}`,
	`_b: {artifact: c.#Artifact, meta: n: "x"}, role: {for i in [1, 2] {"f\(i)": _b & {if _b.artifact.ref.name == "c" {meta: t: "y"}}}}`,
	`_b: {artifact: c.#Artifact}, _b: artifact: description: code: c: cmd: ["x"], role: {for i in [1, 2] {"f\(i)": _b}}`,
	`_b: artifact: c.#Artifact, role: {for i in [1, 2] {"f\(i)": _b}}, role: [string]: artifact: description: srv: server: in0: port: 81`,
	`_b: artifact: c.#Artifact, _d: _b & {meta: n: "y"}, role: {for i in [1, 2] {"f\(i)": _d}}`,
	`let b = {artifact: c.#Artifact}, role: {for i in [1, 2] {"f\(i)": b & {config: parameter: t: "t\(i)"}}}`,
	`_b: artifact: c.#Artifact, role: f: _b, role: g: role.f`,
	`_b: w: artifact: c.#Artifact, role: {for i in [1, 2] {"f\(i)": _b.w}, _b}`,
	`_role: {artifact: c.#Artifact, ...}, role: {for i in [1, 2] {"f\(i)": _role & {config: parameter: t: "t\(i)"}}}`,
	`role: {for i in [1, 2, 3] {"f\(i)": {artifact: [if i < 2 {c.#Artifact}, m.#Artifact][0], config: parameter: t: "t\(i)"}}}`,
	`role: {for i in [1, 2, 3] {"f\(i)": {artifact: [m.#Artifact, if i < 2 {c.#Artifact}][1]}}}`,
	`role: {for i in [1, 2] {"f\(i)": {artifact: {if i < 2 {c.#Artifact}, if i > 1 {m.#Artifact}}}}}`,
	`role: {for i in [1, 2] {"f\(i)": {artifact: {if i < 2 {c.#Artifact}, if i < 3 {m.#Artifact}}}}}`,
	`role: {for i in [1, 2] {"f\(i)": {artifact: {c.#Artifact}}}}`,
	`role: {for i in [1, 2] {"f\(i)": {artifact: {c.#Artifact, description: code: c: cmd: ["x"]}}}}`,
	`role: {for i in [1, 2] {"f\(i)": {artifact: [if description.config.parameter.t != "" {c.#Artifact}, m.#Artifact][0], config: parameter: t: "t\(i)"}}}`,
	`role: f: {artifact: [if description.config.parameter.t != "no" {c.#Artifact}, m.#Artifact][0]}`,
	`role: f: {artifact: [if m.#Artifact.ref.name == "m" {c.#Artifact}, m.#Artifact][0]}, role: {for i in [1, 2] {"g\(i)": artifact: m.#Artifact}}`,
	`role: {for i in [1, 2] {"f\(i)": {artifact: [if role.a.artifact.ref.name != "" {c.#Artifact}, m.#Artifact][0]}}}`,
	`_one: [if description.config.parameter.t != "" {c.#Artifact}, m.#Artifact][0], role: {for i in [1, 2] {"f\(i)": {artifact: _one}}}`,
	`let one = [if description.config.parameter.t != "" {c.#Artifact}, m.#Artifact][0], role: {for i in [1, 2] {"f\(i)": {artifact: one}}}`,
	`let one = [if description.config.parameter.t != "" {c.#Artifact}, m.#Artifact][0], role: {for i in [1, 2] {"f\(i)": {artifact: one, meta: n: one.ref.name}}}`,
	`_list: [{id: "x", a: c.#Artifact}, {id: "y", a: m.#Artifact}], role: {for e in _list {"f\(e.id)": {artifact: e.a, config: parameter: t: e.id}}}`,
	`_list: [{id: "x", a: c.#Artifact}, {id: "y", a: m.#Artifact}], role: {for e in _list if e.id == "y" {"f\(e.id)": {artifact: e.a}}}`,
	`_list: [{id: "x", a: c.#Artifact}, {id: "y", a: m.#Artifact}], role: {for e in _list if e.a.ref.name == "m" {"f\(e.id)": {artifact: e.a}}}`,
	`_list: [{id: "x", a: c.#Artifact}], role: {for e in _list {"f\(e.id)": {artifact: e.a, meta: n: e.a.ref.name}}}`,
	`_list: [...{id: string, a: {...}}], _list: [{id: "x", a: c.#Artifact}], role: {for e in _list {"f\(e.id)": {artifact: e.a}}}`,
	`_list: [...{id: string, a: description: code: c: cmd: ["x"]}], _list: [{id: "x", a: c.#Artifact}], role: {for e in _list {"f\(e.id)": {artifact: e.a}}}`,
	`_list: [{id: "x", artifact: c.#Artifact}], role: {for e in _list {"f\(e.id)": {artifact: e.artifact}}}`,
	`_list: [{artifact: c.#Artifact}, {artifact: m.#Artifact}], role: {for i, e in _list {"f\(i)": e}}`,
	`_list: [{artifact: c.#Artifact}, {artifact: m.#Artifact}], role: {for i, e in _list {"f\(i)": {e, config: parameter: t: "t\(i)"}}}`,
	`_list: [{artifact: c.#Artifact}, {artifact: m.#Artifact}], role: {for i, e in _list {"f\(i)": {e, artifact: description: code: c: cmd: ["x"]}}}`,
	`role: {for e in [{n: "x", a: c.#Artifact}, {n: "y", a: m.#Artifact}] {"f\(e.n)": artifact: e.a}}`,
	`role: {for e in [{n: "x", a: c.#Artifact}, {n: "y", a: m.#Artifact}] {"f\(e.n)": {artifact: e.a, config: parameter: t: e.a.ref.name}}}`,
	`role: {for k, a in {x: c.#Artifact, y: m.#Artifact} {"f\(k)": artifact: a}}`,
	`role: {for k, a in {x: c.#Artifact, y: m.#Artifact} {"f\(k)": {artifact: a, meta: n: a.ref.name}}}`,
	`_kinds: {x: c.#Artifact, y: m.#Artifact}, role: {for k, a in _kinds for n in [1, 2] {"f\(k)\(n)": artifact: a}}`,
	`_kinds: {x: c.#Artifact, y: m.#Artifact}, role: {for k, a in _kinds let b = a {"f\(k)": artifact: b}}`,
	`_kinds: {x: c.#Artifact, y: m.#Artifact}, role: {for k, a in _kinds let b = a.ref.name {"f\(k)": {artifact: a, meta: n: b}}}`,
	`_kinds: {x: {a: c.#Artifact, t: "1"}, y: {a: m.#Artifact, t: "2"}}, role: {for k, v in _kinds {"f\(k)": {artifact: v.a, config: parameter: t: v.t}}}`,
	`_kinds: {x: {a: c.#Artifact, t: "1"}, y: {a: m.#Artifact, t: "2"}}, role: {for k, v in _kinds {"f\(k)": {artifact: v.a, meta: v.a.description.srv}}}`,
	`_kinds: {x: {a: c.#Artifact, t: "1"}}, role: {for k, v in _kinds {"f\(k)": {artifact: v.a, meta: w: v}}}`,
	`_a: {one: c.#Artifact}, _kinds: {x: {a: _a.one, t: "1"}}, role: {for k, v in _kinds {"f\(k)": {artifact: v.a, config: parameter: t: v.t}}}`,
	`_a: {one: c.#Artifact}, _kinds: {x: {a: _a.one & {description: code: c: cmd: ["x"]}, t: "1"}}, role: {for k, v in _kinds {"f\(k)": {artifact: v.a, config: parameter: t: v.t}}}`,
	`_a: {one: c.#Artifact, two: m.#Artifact}, role: {for k, v in _a {"f\(k)": {artifact: _a[k], config: parameter: t: "\(len(_a))"}}}`,
	`_a: {one: c.#Artifact, two: m.#Artifact}, role: {for k, v in _a {"f\(k)": {artifact: v, config: parameter: t: "\(len(v))"}}}`,
	`_a: {one: c.#Artifact, two: m.#Artifact}, _n: [for k, _ in _a {k}], role: {for k, v in _a {"f\(k)": {artifact: v, config: parameter: t: _n[0]}}}`,
	`role: {for i in [1, 2] {"f\(i)": artifact: c.#Artifact}}, _ms: [for n, r in role {r.artifact.ref.name}], srv: server: s: port: 80 + len(_ms)`,
	`role: {for i in [1, 2] {"f\(i)": {artifact: c.#Artifact, meta: n: "x"}}}, _ms: [for n, r in role {r.meta.n}], srv: server: s: port: 80 + len(_ms)`,
	`role: {for i in [1, 2] {"f\(i)": {artifact: c.#Artifact, config: scale: hsize: i}}}, for n, r in role if r.config.scale.hsize > 1 {connect: "c\(n)": {from: self: "x", to: (n): in0: _}}`,
	`role: f: artifact: k.#Component & {ref: {name: "w", domain: "d.example", module: "m", version: [1, 0, 0]}, description: {config: {parameter: {w: *"w" | string}, scale: hsize: *1 | uint}, srv: server: in0: port: 80, code: c: {image: tag: "i:2", cmd: [config.parameter.w], size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}, size: bandwidth: {size: 9, unit: "M"}}}`,
	`role: {f: {artifact: k.#Component & {ref: {name: "w", domain: "d.example", module: "m", version: [1, 0, 0]}, description: {config: {parameter: {w: *"w" | string}, scale: hsize: *1 | uint}, srv: server: in0: port: 80, code: c: {image: tag: "i:2", cmd: [config.parameter.w], size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}, size: bandwidth: {size: 9, unit: "M"}}}, config: parameter: w: "x"}, g: {artifact: k.#Component & {ref: {name: "w", domain: "d.example", module: "m", version: [1, 0, 0]}, description: {config: {parameter: {w: *"w" | string}, scale: hsize: *1 | uint}, srv: server: in0: port: 80, code: c: {image: tag: "i:3", cmd: [config.parameter.w], size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}, size: bandwidth: {size: 9, unit: "M"}}}, config: scale: hsize: 2}}`,
	`role: {for i in [1, 2] {"f\(i)": {artifact: k.#Component & {ref: {name: "w", domain: "d.example", module: "m", version: [1, 0, 0]}, description: {config: {parameter: {w: *"w" | string}, scale: hsize: *1 | uint}, srv: server: in0: port: 80, code: c: {image: tag: "i:\(i)", cmd: [config.parameter.w], size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}, size: bandwidth: {size: 9, unit: "M"}}}, config: parameter: w: "w\(i)"}}}`,
	`_t: {a: image: "i:a", b: image: "i:b"}, role: {for k, e in _t {"f\(k)": {artifact: k.#Component & {ref: {name: "w", domain: "d.example", module: "m", version: [1, 0, 0]}, description: {config: {parameter: {w: *"w" | string}, scale: hsize: *1 | uint}, srv: server: in0: port: 80, code: c: {image: tag: e.image, cmd: [config.parameter.w], size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}, size: bandwidth: {size: 9, unit: "M"}}}}}}`,
	`role: {for i in [1, 2] {"f\(i)": {artifact: k.#Component & {ref: {name: "w", domain: "d.example", module: "m", version: [1, 0, 0]}, description: {config: {parameter: {w: *"w" | string}, scale: hsize: *1 | uint}, srv: server: in0: port: 80, code: c: {image: tag: "i:\(i)", cmd: [config.parameter.w], size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}, size: bandwidth: {size: 9, unit: "M"}}}, config: parameter: no: "w\(i)"}}}`,
	`role: {for i in [1, 2] {"f\(i)": artifact: {ref: name: "x", description: code: c: image: tag: "i:1"}}}`,
	`srv: server: s: port: 80 + len([for n, r in role if r.artifact.ref.name == "m" {n}])`,
	`srv: server: s: port: 80 + len([for i in [1] let b = role.a.artifact.ref.name if b == "c" {b}])`,
	`srv: server: s: port: 80 + len([for n, r in role let b = r.artifact if (b.ref.name & "m") != _|_ {n}])`,
	`_n: {for n, r in role let b = r.artifact {(n): b.ref.name}}, srv: server: s: port: 80 + len(_n.z)`,
	`srv: server: s: port: 80 + len([for n, r in role {[for k, v in r.artifact.description.srv.server {k}][0]}])`,
	`for n, r in role if (r.artifact.ref.name & "m") != _|_ {connect: "c\(n)": {from: self: "x", to: (n): in0: _}}`,
	`_v: "x", role: f: artifact: c.#Artifact & {description: code: c: cmd: [_v]}, role: g: {artifact: c.#Artifact, config: parameter: t: *role.f.artifact.description.code.c.cmd[0] | "none"}`,
	`_v: "x", role: f: artifact: c.#Artifact & {description: code: c: cmd: [_v]}, role: g: {artifact: c.#Artifact, config: parameter: t: [if (role.f.artifact.description.code.c.cmd[0] & "y") != _|_ {"yes"}, "no"][0]}`,
	`_v: {b: "1", a: "2"}, role: f: artifact: c.#Artifact & {description: code: c: cmd: [for k, v in _v {"\(k)\(v)"}]}`,
	`_v: "x", role: f: {artifact: c.#Artifact & {description: code: c: cmd: [_v]}, meta: a: 1}, _m: role.f.meta, role: g: {artifact: c.#Artifact, meta: _m}`,
	`_lib: {v: "x", small: c.#Artifact & {description: code: c: cmd: [v]}}, role: f: artifact: _lib.small`,
	`_lib: {let v = "x", small: c.#Artifact & {description: code: c: cmd: [v]}}, role: f: artifact: _lib.small`,
	`_v: "x", _small: c.#Artifact & {description: code: c: cmd: [_v]}, role: f: artifact: _small`,
	`_two: role.f1, role: {for i in [1, 2] {"f\(i)": artifact: c.#Artifact}, g: _two}`,
}

// solvedOf is the solution of a run, or its problems. Positions of artifacts are left out: if CUE evaluates one that has another
// name, its position is that of the name, and otherwise that of the artifact.
func solvedOf(in compiler.Input) []string {
	told := toldOf(in)
	if n := len(told); n > 1 && told[n-1] == fmt.Sprint(nil) {
		return told[n-2:]
	}
	return told
}

// eachService writes each service that has the given roles, alone and with others beside them, and calls check with it. It returns
// how many of them compile.
func eachService(t *testing.T, all []string, beside string, check func(roles string, in compiler.Input)) (compiled int) {
	for i, roles := range all {
		if seldom(i) {
			continue
		}
		for j, more := range []string{"", beside} {
			if j != i%2 && len(all) > 60 {
				continue
			}
			dir := t.TempDir()
			write(t, dir, formed("-- s/roles --\n"+roles+more))
			in := compiler.Input{}
			in.Dir = filepath.Join(dir, "deploy")
			check(roles, in)
			if len(placesOfDescription(in)) > 0 {
				compiled++
			}
		}
	}
	return compiled
}

// TestHeldArtifacts compares what is made of those with what CUE alone makes, and that with what CUE makes without stubs.
func TestHeldArtifacts(t *testing.T) {
	t.Parallel()
	compiled := eachService(t, heldArtifacts, "\n_held: c.#Artifact", func(roles string, in compiler.Input) {
		short := solvedOf(in)
		in.NoPartial = true
		with := solvedOf(in)
		if diff := cmp.Diff(with, short); diff != "" {
			t.Errorf("%s (-CUE +partial):\n%s", roles, diff)
		}
		in.NoStubs = true
		if diff := cmp.Diff(solvedOf(in), with); diff != "" {
			t.Errorf("%s (-without stubs +with):\n%s", roles, diff)
		}
	})
	if !fewer && compiled < len(heldArtifacts)/2 {
		t.Errorf("%d of %d compile", compiled, len(heldArtifacts))
	}
}
