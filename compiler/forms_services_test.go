package compiler_test

import (
	"strings"
	"testing"
)

// usedInServices are parts of a service that are made of x.
var usedInServices = []string{
	`srv: server: in: port: «x», connect: in: {from: self: "in", to: a: in0: _}`,
	`connect: in: {from: self: "in", to: a: in0: «x»}`,
	`connect: in: {from: self: "in", to: a: in0: w: «x»}`,
	`connect: in: {from: self: "in", to: a: in0: {«x», z: 1}}`,
	`connect: in: {from: self: "in", to: a: in0: {for k, v in «x» {(k): v}}}`,
	`connect: in: {from: self: "in", to: a: in0: l: [for v in «x» {v}]}`,
	`connect: in: {from: self: "in", to: a: in0: {if «x» != _|_ {there: 1}, if «x» == "two" {two: "\(«x»)"}}}`,
	`connect: in: {as: «x», from: self: "in", to: a: in0: _}`,
	`connect: in: {as: [if «x».a == "x" {"full"}, "lb"][0], from: self: "in", to: a: in0: _}`,
	`connect: in: {from: self: «x», to: a: in0: _}`,
	`connect: («x»): {from: self: "in", to: a: in0: _}`,
	`connect: "c\(«x»)": {from: self: "in", to: a: in0: _}`,
	`connect: in: {from: self: "in", to: («x»): in0: _}`,
	`connect: in: {from: self: "in", to: {for k, _ in «x» {(k): in0: _}}}`,
	`connect: {for k, v in «x» {(k): {from: self: "in", to: a: in0: w: v}}}`,
	`connect: {for i, v in «x» {"c\(i)": {from: self: "in", to: a: in0: w: "\(v)"}}}`,
	`if «x» != _|_ {connect: in: {from: self: "in", to: a: in0: _}}`,
	`if «x» == "two" {connect: in: {from: self: "in", to: a: in0: _}}, if «x».a == "x" {srv: server: more: port: 81}`,
	`srv: server: {for k, v in «x» {(k): port: 80}}, connect: {for k, v in «x» {(k): {from: self: k, to: a: in0: _}}}`,
	`srv: server: in: protocol: «x»`,
	`srv: client: («x»): protocol: "tcp"`,
	`let w = «x», connect: in: {from: self: "in", to: a: in0: {w: w, v: "\(w)"}}`,
	`_h: {p: «x»}, connect: in: {from: self: "in", to: a: in0: {w: _h.p, for k, v in _h {(k): v}}}`,
	`vset: v: {roles: a: meta: weight: «x», srv: server: in0: port: 80}, connect: in: {from: self: "in", to: v: in0: _}`,
	`vset: v: {roles: {for k, _ in «x» {(k): meta: weight: 1}}, srv: server: in0: port: 80}`,
	`vset: v: {roles: a: map: in0: «x», srv: server: in0: port: 80}`,
	`role: («x»): artifact: c.#Artifact`,
	`role: "r\(«x»)": {artifact: c.#Artifact, config: parameter: t: "\(«x»)"}`,
	`role: {for k, v in «x» {(k): {artifact: c.#Artifact, config: parameter: {t: "\(k)", o: w: v}}}}`,
	`role: {for i, v in «x» {"r\(i)": {artifact: c.#Artifact, config: parameter: o: {w: v, t: "\(v)"}, meta: m: v}}}`,
	`role: {for v in «x» {"\(v)": {artifact: m.#Artifact, config: parameter: t: v}}}`,
	`if «x».a == "x" {role: q: {artifact: c.#Artifact, config: parameter: t: «x».a}}`,
	`role: q: {artifact: c.#Artifact, if «x» == "two" {config: parameter: t: «x»}, if «x» != _|_ {meta: m: «x»}}`,
	`role: q: {artifact: [c.#Artifact, m.#Artifact][«x»]}`,
	`role: q: {artifact: [if «x» == "two" {c.#Artifact}, m.#Artifact][0], config: parameter: t: "q"}`,
	`role: q: artifact: c.#Artifact & {description: code: c: mapping: env: A: value: "\(«x»)"}`,
	`role: q: artifact: c.#Artifact & {description: code: c: image: tag: «x»}`,
	`role: q: artifact: c.#Artifact & {description: code: c: mapping: filesystem: "/e": {data: value: «x», format: "json"}}`,
	`role: q: artifact: c.#Artifact & {description: config: parameter: {o: w: «x»}}`,
	`config: resilience: «x»`,
	`config: scale: detail: a: hsize: «x»`,
	`config: resource: v: k.#Volume & {volume: {size: «x», unit: "G"}}`,
	`config: parameter: y: «x», role: q: {artifact: c.#Artifact, config: parameter: o: w: description.config.parameter.y}`,
	`config: parameter: y: *«x» | {...}, role: q: {artifact: c.#Artifact, config: parameter: o: w: description.config.parameter.y}`,
	`role: q: {artifact: c.#Artifact, config: parameter: o: y: «x»}, role: u: {artifact: c.#Artifact, config: parameter: o: w: description.role.q.config.parameter.o.y}`,
	`role: q: config: parameter: {o: w: «x», t: "q"}, role: q: artifact: c.#Artifact, role: q: config: scale: hsize: len(«x»)`,
	`role: q: {artifact: c.#Artifact, config: parameter: #p & {in: «x»}}`,
	`role: q: {artifact: c.#Artifact, config: parameter: o: (#p & {in: «x»}).o}`,
}

// TestServicesThatUse compares what services make of a parameter of each type with the data that CUE alone makes of it.
func TestServicesThatUse(t *testing.T) {
	t.Parallel()
	eachPassed(t, 8, usedInServices, func(t *testing.T, n int, declared, given, use string) {
		use = strings.ReplaceAll(use, "«x»", []string{"config.parameter.x", "description.config.parameter.x"}[n%2])
		compareData(t, "-- s/config --\n"+declared+"\n-- deploy/config --\n"+given+"\n-- c/config --\n...\n-- s/roles --\nsrv: server: in: port: int\n"+use+
			"\n-- s/more --\n#X: {a: *\"x\" | string, b: *1 | int}\n#p: {in: _, o: w: in, t: \"\\(o.w)\"}\n")
	})
}

// givenBy are ways in which a deployment gives x, which is in _g.
var givenBy = []string{
	`_g`,
	`{_g, t: "q"}`,
	`{_g & {t: "q", ...}}`,
	`for k, v in _g {(k): v}`,
	`for k, v in _g if k != "t" {"\(k)": v}`,
	`if _g.x != _|_ {x: _g.x}`,
	`x: _g.x`,
	`x: *_g.x | string`,
	`x: *_g.x | _`,
	`x: [if _g.x != _|_ {_g.x}, 5][0]`,
	`x: _, {_g}`,
	`{for k, v in _g {(k): {v, z: 1}}}`,
	`{for k, v in _g.x {x: (k): v}}`,
	`t: "\(_g.x)"`,
	`x: json.Unmarshal(json.Marshal(_g.x))`,
	`x: {_g.x}`,
	`let w = _g, x: w.x`,
	`l.given, x: _g.x`,
	`}, config: {parameter: _g, resilience: 1`,
	`}, config: {scale: detail: a: hsize: 2, parameter: x: _g.x`,
	`}, config: {scale: detail: {for k in ["a", "b"] {(k): hsize: _g.x}}`,
	`}, config: {scale: detail: a: hsize: _g.x`,
	`}, config: {resilience: _g.x`,
	`}, config: {_g`,
	`}, config: *{parameter: _g} | {parameter: t: "u"`,
	`}, meta: {m: _g, l: [for k, v in _g {v}]`,
}

// TestDeploymentsThatGive compares what is made of deployments that give a parameter of each type with what CUE alone makes of them.
func TestDeploymentsThatGive(t *testing.T) {
	t.Parallel()
	eachPassed(t, 4, givenBy, func(t *testing.T, _ int, declared, given, by string) {
		imports := ""
		if strings.Contains(by, "json.") {
			imports = "import \"encoding/json\"\n"
		}
		if strings.Contains(by, "l.given") {
			imports += "import l \"forms.example/app/l:lib\"\n"
		}
		compareForm(t, "-- s/config --\n"+declared+"\n-- deploy/d.cue --\npackage deployment\nimport s \"forms.example/app/s:service\"\n"+imports+
			"#Deployment: {name: \"d\", artifact: s.#Artifact, config: parameter: {\n"+by+"\n}}\n_g: {"+given+"}\n-- l/l.cue --\npackage lib\ngiven: t: \"l\"\n-- s/roles --\n"+
			"role: b: {artifact: c.#Artifact, config: parameter: o: w: description.config.parameter.x}\n-- s/more --\n#X: {a: *\"x\" | string, b: *1 | int}\n")
	})
}
