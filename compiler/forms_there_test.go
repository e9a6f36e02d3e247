package compiler_test

import (
	"path/filepath"
	"strings"
	"testing"

	"kumiki.dev/compiler"
)

// openForms are artifacts in which something stays open as long as a default of the config is no more than that:
// the model has another default for a port.
var openForms = []decidedForm{
	{name: "a port with a default, shown in a probe", config: `port: *8080 | uint16, w: *"/w" | string`,
		description: `srv: server: web: port: config.parameter.port, probe: c: liveness: protocol: http: {port: srv.server.web.port, path: config.parameter.w}`, given: givenPorts},
	{name: "a port with a default, shown in a probe by another container", config: `port: *8080 | int, w: *"/w" | string`,
		description: `srv: server: web: port: config.parameter.port, probe: c: {liveness: protocol: tcp: port: srv.server.web.port, readiness: protocol: http: {port: 9000, path: "\(config.parameter.w)"}}`, given: givenPorts},
	{name: "a port with a default, shown in a text", config: `port: *8080 | uint16, w: *"/w" | string`,
		description: `srv: server: web: port: config.parameter.port, code: c: {cmd: [config.parameter.w], mapping: env: {P: value: "\(srv.server.web.port)", W: value: config.parameter.w}}`, given: givenPorts},
	{name: "a port with a default, shown in a file beside other defaults", config: `port: *8080 | uint16, w: *"/w" | string`,
		description: `srv: server: web: port: config.parameter.port, code: c: mapping: filesystem: "/f": {data: value: {p: srv.server.web.port, w: config.parameter.w, "d\(config.parameter.w)": 1}, format: "json"}`, given: givenPorts},
	{name: "a port with a default, counted with", config: `port: *8080 | uint16, w: *"/w" | string`,
		description: `srv: server: web: port: config.parameter.port, code: c: cmd: ["\(srv.server.web.port + 1)", if srv.server.web.port > 8080 {config.parameter.w}]`, given: givenPorts},
	{name: "a port in a struct of defaults", config: `web: {port: *8080 | uint16, w: *"/w" | string}, port: *1 | int, w: *"v" | string`,
		description: `srv: server: web: port: config.parameter.web.port, probe: c: liveness: protocol: http: {port: srv.server.web.port, path: config.parameter.web.w}`,
		given:       []string{`{}`, `web: port: 80`, `web: port: 9`, `web: w: "/x"`, `web: {port: 7, w: "/y"}`, `web: port: 0`, `web: port: "x"`}},
	{name: "ports that are made of each other", config: `port: *8080 | uint16, admin: *(port + 1) | uint16, w: *"/w" | string`,
		description: `srv: server: {web: port: config.parameter.port, adm: port: config.parameter.admin}, probe: c: liveness: protocol: http: {port: srv.server.adm.port, path: "/\(srv.server.web.port)"}`, given: givenPorts},
	{name: "a port with a default beside a size", config: `port: *8080 | uint16, w: *2 | int`,
		description: `srv: server: web: port: config.parameter.port, probe: d: liveness: protocol: tcp: port: srv.server.web.port, code: d: {image: tag: "x", size: {cpu: {size: config.parameter.w, unit: "m"}, memory: {size: config.parameter.w, unit: "M"}}}`,
		given:       []string{`{}`, `port: 80`, `port: 9`, `w: 3`, `{port: 9, w: 3}`, `w: -1`}},
	{name: "a port with a default that others restrict", config: `port: *8080 | uint16, w: *"/w" | string`,
		description: `srv: server: web: port: config.parameter.port & >8000, probe: c: liveness: protocol: http: {port: srv.server.web.port, path: config.parameter.w}`, given: givenPorts},
	{name: "a port with two defaults", config: `port: *8080 | uint16, other: *8080 | uint16, w: *"/w" | string`,
		description: `srv: server: {web: port: config.parameter.port, adm: port: config.parameter.other}, probe: c: liveness: protocol: tcp: port: srv.server.web.port & srv.server.adm.port`,
		given:       append([]string{`other: 9`, `{port: 9, other: 9}`, `{port: 80, other: 80}`}, givenPorts...)},
}

// readTwice are artifacts that show a struct in a file and read it once more. Some fields within the struct are conditional or computed.
var readTwice = []decidedForm{
	{name: "a struct in two files", config: readConfig, description: `_d: s: {if config.parameter.on {a: 1}}
code: c: mapping: {filesystem: "/b": {format: "json", data: value: _d}, env: A: value: json.Marshal(_d)}`, imports: `"encoding/json"`, given: givenOn},
	{name: "a struct in a file, and how many fields it has", config: readConfig, description: `_d: s: {if config.parameter.on {a: 1}, for k, v in config.parameter.m {(k): v}}
code: c: {cmd: ["\(len(_d.s))"], mapping: filesystem: "/b": {format: "json", data: value: _d}}`, given: givenOn},
	{name: "a struct of a let in two files", config: readConfig, description: `let d = {s: {if config.parameter.on {a: 1}}}
code: c: mapping: {filesystem: "/b": {format: "json", data: value: d}, env: A: value: json.Marshal(d)}`, imports: `"encoding/json"`, given: givenOn},
	{name: "a definition in two files", config: readConfig, description: `#D: s: {n: string, if config.parameter.on {a: 1}, (config.parameter.t): 2}
code: c: mapping: {filesystem: "/b": {format: "json", data: value: #D & {s: n: "n"}}, env: A: value: yaml.Marshal(#D & {s: n: "m"})}`, imports: `"encoding/yaml"`, given: givenOn},
	{name: "a struct in a file, and a field of what is around it", config: readConfig, description: `_all: {d: s: {if config.parameter.on {a: 1}}, e: 1}
code: c: mapping: {filesystem: "/b": {format: "json", data: value: _all.d}, env: A: value: json.Marshal(_all)}`, imports: `"encoding/json"`, given: givenOn},
	{name: "a struct in a file, and a check of it", config: readConfig, description: `_d: s: {if config.parameter.on {a: 1}}
_chk: len(_d.s) & <1
code: c: mapping: filesystem: "/b": {format: "json", data: value: _d}`, given: givenOn},
	{name: "a struct in a file, and a field that is looked up", config: readConfig, description: `_d: s: {if config.parameter.on {a: 1}}
_k: "s"
code: c: {cmd: [for k, v in _d[_k] {"\(k)\(v)"}], mapping: filesystem: "/b": {format: "json", data: value: _d}}`, given: givenOn},
	{name: "a struct in a file by another name, and that again", config: readConfig, description: `_d: s: {if config.parameter.on {a: 1}}
_e: _d
code: c: mapping: {filesystem: "/b": {format: "json", data: value: _e}, env: A: value: json.Marshal(_e)}`, imports: `"encoding/json"`, given: givenOn},
	{name: "a struct in two files, by an alias in one", config: readConfig, description: `X=_d: s: {if config.parameter.on {a: 1}}
code: c: mapping: {filesystem: "/b": {format: "json", data: value: _d}, env: A: value: json.Marshal(X)}`, imports: `"encoding/json"`, given: givenOn},
	{name: "a struct in two files, by a let", config: readConfig, description: `_d: s: {if config.parameter.on {a: 1}}
let e = _d
code: c: mapping: {filesystem: "/b": {format: "json", data: value: e}, env: A: value: json.Marshal(e)}`, imports: `"encoding/json"`, given: givenOn},
	{name: "a struct in one file", config: readConfig, description: `_d: s: {if config.parameter.on {a: 1}, for k, v in config.parameter.m {(k): v}}
code: c: mapping: filesystem: "/b": {format: "json", data: value: _d}`, given: givenOn},
	{name: "the artifact without a config, by a field of a field", config: readConfig, description: `_h: {cfg: #Artifact.description.config.parameter, banner: cfg.t}
code: c: mapping: env: {A: value: _h.banner, B: value: "\(config.parameter.t != _h.banner)"}`, given: givenOn},
	{name: "the artifact without a config, in a definition", config: readConfig, description: `#Defaults: {art: #Artifact, on: art.description.config.parameter.on}
code: c: mapping: env: {A: value: "\(#Defaults.on)", B: value: "\(config.parameter.on)"}`, given: givenOn},
}

// readConfig are parameters for those, and givenOn values for them.
const readConfig = `on: *true | bool, m: *{} | {[string]: int}`

var givenOn = []string{`{}`, `on: false`, `on: true`, `m: x: 1`, `{on: false, m: {x: 1, y: 2}}`, `t: "u"`, `on: 5`}

// givenPorts are values for a port and a text.
var givenPorts = []string{`{}`, `port: 80`, `port: 8080`, `port: 9090`, `w: "/v"`, `{port: 8081, w: "/v"}`, `port: 0`, `port: 70000`, `w: 7`}

// needNotBeThere is what a service may say of roles and connectors by what need not be there: optional and
// required fields, and patterns.
var needNotBeThere = []string{
	`role?: q: {artifact: c.#Artifact, config: parameter: t: "x"}`,
	`role?: q: {artifact: c.#Artifact, config: parameter: t: "x"}, role: y: {artifact: c.#Artifact}`,
	`role: q?: {artifact: c.#Artifact, config: parameter: t: "x"}`,
	`role: y: {artifact: c.#Artifact}, connect?: v: {from: self: "in", to: y: in0: _}`,
	`role: y: {artifact: c.#Artifact}, connect?: v: {from: nope: "x", to: y: in0: _}`,
	`_s?: t: "x", role: q: {artifact: c.#Artifact, config: parameter: _s}`,
	`_s!: t: "x", role: q: {artifact: c.#Artifact, config: parameter: _s}`,
	`_s?: t: "x", _s: {}, role: q: {artifact: c.#Artifact, config: parameter: _s}`,
	`_s?: t: "x", role: q: {artifact: c.#Artifact, config: parameter: {_s}}`,
	`_s?: t: "x", role: q: {artifact: c.#Artifact, config: parameter: _s.t}`,
	`_s?: t: "x", role: q: {artifact: c.#Artifact, config: parameter: t: _s.t}`,
	`#s?: t: "x", role: q: {artifact: c.#Artifact, config: parameter: #s}`,
	`_s: t?: "x", role: q: {artifact: c.#Artifact, config: parameter: t: _s.t}`,
	`_s?: parameter: t: "x", role: q: {artifact: c.#Artifact, config: _s}`,
	`_s?: c.#Artifact, role: q: artifact: _s`,
	`_s?: hsize: 3, role: q: {artifact: c.#Artifact, config: scale: _s}`,
	`_s: [string]: {t: "x"}, role: q: {artifact: c.#Artifact, config: parameter: _s.foo}`,
	`_s: [string]: {t: "x"}, role: q: {artifact: c.#Artifact, config: parameter: _s["foo"]}`,
	`_s: {[string]: {t: "x"}, foo: _}, role: q: {artifact: c.#Artifact, config: parameter: _s.foo}`,
	`_s: {[string]: {t: "x"}, foo?: _}, role: q: {artifact: c.#Artifact, config: parameter: _s.foo}`,
	`_s: {[=~"^f"]: {t: "x"}, fool: _}, role: q: {artifact: c.#Artifact, config: parameter: _s.foo}`,
	`_s: {[=~"^f"]: {t: "x"}, fool: _}, role: q: {artifact: c.#Artifact, config: parameter: _s.fool}`,
	`_s: [string]: {parameter: t: "x"}, role: q: {artifact: c.#Artifact, config: _s.foo}`,
	`_s: {...}, role: q: {artifact: c.#Artifact, config: _s.foo}`,
	`_s: [string]: c.#Artifact, role: q: artifact: _s.foo`,
	`_s: {[string]: c.#Artifact, foo: _}, role: q: artifact: _s.foo`,
	`_s: [string]: hsize: 3, role: q: {artifact: c.#Artifact, config: scale: _s.foo}`,
	`let s = {[string]: {t: "x"}}, role: q: {artifact: c.#Artifact, config: parameter: s.foo}`,
	`_s: [string]: {t: "x"}, _s: ("f" + "oo"): _, role: q: {artifact: c.#Artifact, config: parameter: _s.foo}`,
	`_s: [string]: {t: "x"}, if true {_s: foo: _}, role: q: {artifact: c.#Artifact, config: parameter: _s.foo}`,
	`_s: [string]: a: {t: "x"}, _s: foo: _, role: q: {artifact: c.#Artifact, config: parameter: _s.foo.a}`,
	`_s: [string]: a?: {t: "x"}, _s: foo: _, role: q: {artifact: c.#Artifact, config: parameter: _s.foo.a}`,
	`_s: [X=string]: {t: X}, role: q: {artifact: c.#Artifact, config: parameter: _s.foo}`,
	`_s: close({t?: "x"}), role: q: {artifact: c.#Artifact, config: parameter: t: _s.t}`,
}

// TestWhatNeedNotBeThere compares what is made of references to fields that only an optional field or a pattern
// has with what CUE alone makes: to it, they are not there.
func TestWhatNeedNotBeThere(t *testing.T) {
	t.Parallel()
	compiled := eachService(t, needNotBeThere, "\n«eight»", func(roles string, in compiler.Input) {
		if diff := partialDiffers(in); diff != "" {
			t.Errorf("%s (-CUE +partial):\n%s", roles, diff)
		}
	})
	if !fewer && (compiled < 20 || compiled > len(needNotBeThere)) {
		t.Errorf("%d of %d compile", compiled, 2*len(needNotBeThere))
	}
}

// TestPartsThatNeedNotBeThere does so for the sections of a component.
func TestPartsThatNeedNotBeThere(t *testing.T) {
	t.Parallel()
	for _, part := range []string{
		`code?: main: {image: tag: "x:1", mapping: env: T: value: "t", size: {cpu: {size: 1, unit: ""}, memory: {size: 1, unit: "M"}}}`,
		`code?: main: {image: tag: "x:1", mapping: env: T: parameter: "t", size: {cpu: {size: 1, unit: ""}, memory: {size: 1, unit: "M"}}}`,
		`code: main?: {image: tag: "x:1", mapping: env: T: value: "t", size: {cpu: {size: 1, unit: ""}, memory: {size: 1, unit: "M"}}}`,
		`code: main: {image: tag: "x:1", mapping?: env: T: value: "t", size: {cpu: {size: 1, unit: ""}, memory: {size: 1, unit: "M"}}}`,
		`code: main: {image: tag: "x:1", mapping: env?: T: value: "t", size: {cpu: {size: 1, unit: ""}, memory: {size: 1, unit: "M"}}}`,
	} {
		dir := t.TempDir()
		write(t, dir, formed("-- p/p.cue --\npackage component\nimport k \"kumori.systems/kumori:kumori\"\n#Artifact: k.#Component & {ref: name: \"p\", description: {config: {parameter: t: *\"t\" | string, scale: hsize: *1 | uint}, size: bandwidth: {size: 1, unit: \"M\"}\n"+part+"}}\n"+
			"-- s/imports --\np \"forms.example/app/p:component\"\n-- s/roles --\nrole: {p0: artifact: p.#Artifact, p1: {artifact: p.#Artifact, config: parameter: t: \"u\"}}\n"))
		in := compiler.Input{}
		in.Dir = filepath.Join(dir, "deploy")
		if diff := partialDiffers(in); diff != "" {
			t.Errorf("%s (-CUE +partial):\n%s", part, diff)
		}
	}
}

// TestSelf compares artifacts in which self is the struct around it with what CUE alone makes of them.
func TestSelf(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`config: parameter: {p: *1 | int, q: self.p + 1}, code: main: cmd: ["\(config.parameter.q)"]`,
		`config: parameter: {p: *1 | int, q: *self.p | int}, code: main: cmd: ["\(config.parameter.q)"]`,
		`config: parameter: {p: *1 | int, q: *10 | (int & >=self.p)}, code: main: cmd: ["\(config.parameter.q)"]`,
		`config: parameter: p: *1 | int, _t: {a: config.parameter.p, b: self.a}, code: main: cmd: ["\(_t.b)"]`,
		`config: parameter: p: *1 | int, if self.config.parameter.p > 1 {code: main: cmd: ["big"]}`,
	} {
		dir := t.TempDir()
		write(t, dir, strings.Replace(formed("-- p/p.cue --\n@experiment(aliasv2)\npackage component\nimport k \"kumori.systems/kumori:kumori\"\n#Artifact: k.#Component & {ref: name: \"p\", description: {"+body+"\n"+
			"config: scale: hsize: *1 | uint, size: bandwidth: {size: 1, unit: \"M\"}, code: main: {image: tag: \"x\", size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}}}}\n"+
			"-- s/imports --\np \"forms.example/app/p:component\"\n-- s/roles --\nrole: {p0: artifact: p.#Artifact, p1: {artifact: p.#Artifact, config: parameter: p: 3}, p2: {artifact: p.#Artifact, config: parameter: p: 5}}\n"), `"v0.12.0"`, `"v0.17.0"`, 1))
		in := compiler.Input{}
		in.Dir = filepath.Join(dir, "deploy")
		if diff := partialDiffers(in); diff != "" {
			t.Errorf("%s (-CUE +partial):\n%s", body, diff)
		}
		if len(placesOfDescription(in)) == 0 {
			t.Errorf("%s: nothing is deployed", body)
		}
	}
}
