package compiler_test

import (
	"path/filepath"
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
	compiled := 0
	for _, roles := range needNotBeThere {
		for _, eight := range []string{"", "\n«eight»"} {
			dir := t.TempDir()
			write(t, dir, formed("-- s/roles --\n"+roles+eight))
			in := compiler.Input{}
			in.Dir = filepath.Join(dir, "deploy")
			if diff := partialDiffers(in); diff != "" {
				t.Errorf("%s (-CUE +partial):\n%s", roles, diff)
			}
			if len(placesOfDescription(in)) > 0 {
				compiled++
			}
		}
	}
	if compiled < 20 || compiled > len(needNotBeThere) {
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
