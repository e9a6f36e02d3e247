package compiler_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/value"
)

// forms are ways to write a service that the readers of sources may take for
// something simpler. Each replaces files of formsApp: NAME is said by "-- NAME --".
var forms = []struct{ name, files string }{
	{"a hidden role", "-- s/roles --\nrole: _r: {artifact: c.#Artifact, config: parameter: t: \"h\"}"},
	{"a role that is a definition", "-- s/roles --\nrole: #r: {artifact: c.#Artifact, config: parameter: t: \"h\"}"},
	{"a quoted role that looks hidden", "-- s/roles --\nrole: \"_r\": {artifact: c.#Artifact, config: parameter: t: \"h\"}"},
	{"a quoted role that looks like a definition", "-- s/roles --\nrole: \"#r\": {artifact: c.#Artifact, config: parameter: t: \"h\"}"},
	{"both a quoted role and a hidden one", "-- s/roles --\nrole: {\"_r\": {artifact: c.#Artifact, config: parameter: t: \"h\"}, _r: {artifact: c.#Artifact, config: parameter: t: \"i\"}}"},
	{"a role without a name", "-- s/roles --\nrole: \"\": {artifact: c.#Artifact, config: parameter: t: \"h\"}"},
	{"a role with dots", "-- s/roles --\nrole: \"a.b\": {artifact: c.#Artifact, config: parameter: t: \"h\"}"},
	{"a role called true", "-- s/roles --\nrole: true: {artifact: c.#Artifact, config: parameter: t: \"h\"}"},
	{"a quoted artifact", "-- s/more --\n\"#Artifact\": description: role: a: config: parameter: t: \"h\""},
	{"scale twice", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: {scale: hsize: 2, scale: hsize: 3}}"},
	{"parameters twice", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: {parameter: t: \"x\", resource: {}, parameter: t: \"y\"}}"},
	{"a negative scale", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: {scale: hsize: -2}}"},
	{"a scale beyond bounds", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: {scale: hsize: 999999999999999}}"},
	{"a composed label", "-- s/roles --\nrole: \"e\u0301\": {artifact: c.#Artifact, config: parameter: o: \"e\u0301\": description.config.parameter.t}"},
	{"a composed label among others", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {t: description.config.parameter.t, o: {\"e\u0301\": description.config.parameter.t, \"\u00e9\": description.config.parameter.t}}}"},
	{"a composed label in a described one", "-- c/more --\ncode: c: mapping: env: \"e\u0301\": value: config.parameter.t"},
	{"a quoted parameter that looks hidden", "-- s/more --\n#Artifact: description: role: a: config: parameter: o: \"_x\": description.config.parameter.t"},
	{"a quoted parameter that looks hidden, in two", "-- s/roles --\nrole: b: {artifact: m.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\n-- m/roles --\nrole: q: {artifact: c.#Artifact, config: parameter: o: \"_x\": description.config.parameter.t}"},
	{"a quoted parameter that looks like a definition", "-- c/config --\n\"#x\": *\"q\" | string, #x: \"d\"\n-- c/more --\ncode: c: mapping: env: A: value: config.parameter.#x"},
	{"variables of a map of config", "-- c/config --\nm: {[string]: string}\n-- c/more --\ncode: c: mapping: env: {for k, v in config.parameter.m {\"M_\\(k)\": value: v}}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: m: {x: \"1\", y: \"2\"}}\nrole: d: {artifact: c.#Artifact, config: parameter: m: {}}"},
	{"variables of a map", "-- c/more --\n_m: {x: \"1\", y: config.parameter.t}\ncode: c: mapping: env: {for k, v in _m {\"M_\\(k)\": value: v}}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"2\"}"},
	{"roles of a map", "-- s/more --\ndescription: _m: {x: {a: c.#Artifact, t: \"1\"}, y: {a: c.#Artifact, t: description.config.parameter.t}}\ndescription: {_m: _, role: {for k, v in _m {\"m\\(k)\": {artifact: v.a, config: parameter: t: v.t}}}}"},
	{"roles of the model's own", "-- c/more --\ncode: c: mapping: env: {for k, v in description.size {\"S_\\(k)\": value: \"s\"}}"},
	{"a list of roles", "-- s/roles --\nfor n in [\"l1\", \"l2\"] {role: (n): {artifact: c.#Artifact, config: parameter: t: \"of \\(n)\"}}"},
	{"a port of an artifact", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"\\(c.#Artifact.description.srv.server.in0.port)\"}\nrole: d: {artifact: c.#Artifact, config: parameter: t: \"\\(description.role.a.artifact.description.srv.server.in0.port)\"}"},
	{"a default of an artifact's channel", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: c.#Artifact.description.srv.server.in0.protocol & \"tcp\"}"},
	{"a default of an artifact", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: c.#Artifact.description.config.parameter.t}"},
	{"artifacts by names of names", "-- s/roles --\nlet L = _all.c\n_all: {c: _c, other: 1}\n_c: c.#Artifact\nrole: b: {artifact: L, config: parameter: t: \"1\"}\nrole: d: {artifact: _all.c}"},
	{"parameters that conditions write", "-- c/config --\nn: *1 | int\nif n > 3 {big: *\"b\" | string}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: 5}\nrole: d: {artifact: c.#Artifact, config: parameter: {n: 6, big: \"x\"}}"},
	{"parameters with names of others", "-- c/config --\nm: {[string]: int}\nfor k, _ in m {\"n_\\(k)\": *0 | int}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: m: x: 5}\nrole: d: {artifact: c.#Artifact, config: parameter: {m: y: 6, n_y: 7}}"},
	{"a choice that is handed on", "-- s/config --\nq: {a: int} | {b: int}\n-- deploy/config --\nq: b: 2\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: o: y: \"\\(description.config.parameter.q.b)\"}"},
	{"undeclared beside a comprehension", "-- c/config --\nfor n in [\"w\"] {}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: undeclared: 1}"},
	{"a helper in another file", "-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: #twice & {once: config.parameter.t}, format: \"json\"}\n-- c/other.cue --\npackage component\n#twice: {once: *\"o\" | string, both: \"\\(once)\\(once)\"}"},
	{"a config in another file", "-- c/config --\no: #o\n-- c/other.cue --\npackage component\n#o: {x: *1 | int, y: x, ...}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: o: x: 5}"},
	{"a package's definition in another file", "-- c/imports --\nl \"forms.example/app/l:lib\"\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: l.#twice & {once: config.parameter.t}, format: \"json\"}\n-- l/a.cue --\npackage lib\n#twice: #two\n-- l/b.cue --\npackage lib\n#two: {once: *\"o\" | string, both: \"\\(once)\\(once)\"}"},
	{"a type in another file", "-- c/config --\nu: *\"abc\" | string\n-- c/other.cue --\npackage component\nstring: =~\"^a\"\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: u: \"bad\"}"},
	{"alternatives in two places", "-- c/config --\nq: {x: *1 | int} | *{y: \"s\"}, q: {...}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: q: x: 5}\nrole: d: {artifact: c.#Artifact, config: parameter: q: y: \"5\"}"},
	{"a pattern over the config", "-- c/config --\nn: *5 | int, [=~\"^n\"]: <10\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: 50}\nrole: d: {artifact: c.#Artifact, config: parameter: n: 7}"},
	{"a model of one's own", "-- s/imports --\nz \"forms.example/app/z:kumori\"\n-- s/more --\n#Artifact: z.#Service\n-- z/z.cue --\npackage kumori\nimport k \"kumori.systems/kumori:kumori\"\n#Service: k.#Service & {description: role: a: config: parameter: t: \"mine\"}"},
	{"a role by a model of one's own", "-- s/imports --\nz \"forms.example/app/z:kumori\"\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {}}\n-- s/more --\n#Artifact: z.#Service\n-- z/z.cue --\npackage kumori\nimport (\n\tk \"kumori.systems/kumori:kumori\"\n\tc \"forms.example/app/c:component\"\n)\n#Service: k.#Service & {description: {config: parameter: {...}, role: b: {artifact: c.#Artifact, config: parameter: {t: \"mine\", ...}}, ...}, ...}"},
	{"a required parameter", "-- c/config --\nn!: int\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: 5}\nrole: d: {artifact: c.#Artifact, config: parameter: n: 7}"},
	{"an optional parameter", "-- c/config --\nn?: int\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: 5}\nrole: d: {artifact: c.#Artifact, config: parameter: n: 7}"},
	{"a list in a closed config", "-- c/config --\nn: [...int] | *[]\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: [5]}"},
	{"null", "-- c/config --\nn: null | string\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: null}"},
	{"a large number in a text", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {t: \"\\(description.config.parameter.big)\"}}\n-- s/config --\nbig: *100000000000000000000000000000 | int"},
	{"a number with a multiplier in a text", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {t: \"\\(description.config.parameter.big)\"}}\n-- s/config --\nbig: *1.5K | int"},
	{"a field called description", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {o: {description: config: parameter: t: \"no\", v: description.config.parameter.t}}}"},
	{"a field called config", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {t: config.parameter.o.y, o: y: \"o\"}}"},
	{"an index", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: description[\"config\"].parameter.t}"},
	{"a quoted way", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: description.\"config\".\"parameter\".t}"},
	{"a let that shadows an import", "-- s/roles --\nrole: {let c = {#Artifact: m.#Artifact}, b: {artifact: c.#Artifact, config: parameter: t: \"1\"}}"},
	{"a field that shadows an import", "-- s/roles --\nrole: {c: {artifact: m.#Artifact, config: parameter: t: \"1\"}, b: {artifact: c.artifact, config: parameter: t: \"1\"}}"},
	{"a role called c", "-- s/roles --\nrole: c: {artifact: c.#Artifact, config: parameter: t: \"1\"}"},
	{"a part of the text invalid", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"\\ud800\"}"},
	{"bytes", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: 'abc'}"},
	{"a config of two kinds", "-- c/config --\nn: int | {a: *1 | int}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: {}}\nrole: d: {artifact: c.#Artifact, config: parameter: n: 3}"},
	{"a string within bounds", "-- c/config --\nn: *\"b\" | (>\"a\" & <\"d\")\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: \"z\"}\nrole: d: {artifact: c.#Artifact, config: parameter: n: \"c\"}"},
	{"a number that is whole", "-- c/config --\nn: *1 | number\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: 5.0}\nrole: d: {artifact: c.#Artifact, config: parameter: n: 1e3}"},
	{"a config that reads its own", "-- c/config --\nn: *t | string\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"x\"}\nrole: d: {artifact: c.#Artifact, config: parameter: {n: \"c\", t: \"x\"}}"},
	{"a config that another file reads", "-- c/other.cue --\npackage component\n#Artifact: description: config: parameter: n: *\"n\" | string\n#Artifact: description: code: c: mapping: env: A: value: #Artifact.description.config.parameter.n\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: \"x\"}"},
	{"struct with two defaults", "-- c/config --\nn: *{a: 1} | {a: 2} | {b: 3}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: {}}\nrole: d: {artifact: c.#Artifact, config: parameter: n: a: 2}"},
	{"a struct with a default of its own", "-- c/config --\nn: *{a: int} | string\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: a: 2}"},
	{"embedded scalars", "-- c/config --\nn: {int, #u: 1}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: 5}\nrole: d: {artifact: c.#Artifact, config: parameter: n: \"a\"}"},
	{"an attribute in a role", "-- s/roles --\nrole: b: {@x(y), artifact: c.#Artifact, config: parameter: t: \"x\"}"},
	{"an ellipsis in a role", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"x\", ...}"},
	{"an ellipsis in parameters", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {t: \"x\", ...}}"},
	{"a role fixed in another file", "-- s/other.cue --\npackage service\n#Artifact: description: role: a: config: parameter: t: \"x\""},
	{"a role of another file", "-- s/other.cue --\npackage service\nimport q \"forms.example/app/c:component\"\n#Artifact: description: role: b: {artifact: q.#Artifact, config: parameter: t: \"x\"}"},
	{"an artifact of two", "-- s/other.cue --\npackage service\nimport q \"forms.example/app/c:component\"\n#Artifact: description: role: a: artifact: q.#Artifact"},
	{"an artifact of two packages", "-- s/other.cue --\npackage service\nimport q \"forms.example/app/m:service\"\n#Artifact: description: role: a: artifact: q.#Artifact"},
	{"a description beside", "-- s/other.cue --\npackage service\n_x: #Artifact.description.role.a.config.parameter.t\n#Artifact: description: srv: server: (_x): port: 80"},
	{"a reference to a role from the ref", "-- s/more --\n#Artifact: {ref: name: \"s\", X=description: _, ref: version: [len(X.role), 0, 0]}"},
	{"an artifact refined", "-- c/more --\ncode: c: entrypoint: *[\"e\"] | [...string]\n-- s/roles --\nrole: b: {artifact: c.#Artifact & {description: code: c: entrypoint: [\"b\"]}, config: parameter: t: \"x\"}"},
	{"an artifact refined twice alike", "-- c/more --\ncode: c: entrypoint: *[\"e\"] | [...string]\n-- s/roles --\nrole: b: {artifact: c.#Artifact & {description: code: c: entrypoint: [\"b\"]}, config: parameter: t: \"x\"}\nrole: d: {artifact: c.#Artifact & {\n\tdescription: code: c: entrypoint: [\"b\"]\n}, config: parameter: {t: \"x\"}}"},
	{"an artifact refined twice otherwise", "-- c/more --\ncode: c: entrypoint: *[\"e\"] | [...string]\n-- s/roles --\nrole: b: {artifact: c.#Artifact & {description: code: c: entrypoint: [\"b\"]}, config: parameter: t: \"x\"}\nrole: d: {artifact: c.#Artifact & {description: code: c: entrypoint: [\"d\"]}, config: parameter: t: \"x\"}"},
	{"an artifact refined in another place", "-- c/more --\ncode: c: entrypoint: *[\"e\"] | [...string]\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"x\"}\nrole: b: artifact: description: code: c: entrypoint: [\"b\"]"},
	{"an artifact refined in another file", "-- c/more --\ncode: c: entrypoint: *[\"e\"] | [...string]\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"x\"}\n-- s/b.cue --\npackage service\n#Artifact: description: role: b: artifact: description: code: c: entrypoint: [\"b\"]"},
	{"an artifact refined by the service's config", "-- c/more --\ncode: c: entrypoint: *[\"e\"] | [...string]\n-- s/roles --\nlet p = description.config.parameter\nrole: b: {artifact: c.#Artifact & {description: code: c: entrypoint: [p.t]}, config: parameter: t: \"x\"}"},
	{"an artifact refined by a field of the package", "-- c/more --\ncode: c: entrypoint: *[\"e\"] | [...string]\n-- s/roles --\nrole: b: {artifact: c.#Artifact & #own, config: parameter: t: \"x\"}\n-- s/b.cue --\npackage service\n#own: description: code: c: entrypoint: [\"b\"]"},
	{"an artifact refined against what it says", "-- s/roles --\nrole: b: {artifact: c.#Artifact & {description: code: c: image: tag: \"other\"}, config: parameter: t: \"x\"}"},
	{"an artifact refined by a default and a parameter", "-- s/roles --\nrole: b: artifact: c.#Artifact & {description: config: parameter: {t: *\"q\" | string, n: *1 | int}}\nrole: d: {artifact: c.#Artifact & {description: config: parameter: {t: *\"q\" | string, n: *1 | int}}, config: parameter: n: 2}"},
	{"a refined artifact that another role reads", "-- c/more --\ncode: c: entrypoint: *[\"e\"] | [...string]\n-- s/roles --\nrole: b: artifact: c.#Artifact & {description: code: c: entrypoint: [\"b\"]}\nrole: d: {artifact: c.#Artifact, config: parameter: t: role.b.artifact.description.code.c.entrypoint[0]}"},
	{"a service refined", "-- s/roles --\nrole: b: {artifact: m.#Artifact & {description: config: parameter: t: \"x\"}}\nrole: d: {artifact: m.#Artifact & {description: config: parameter: t: \"x\"}}"},
	{"an artifact in place", "-- s/roles --\nrole: b: artifact: {\n\tref: name: \"b\"\n\tref: kind: \"component\"\n\tdescription: {config: parameter: t: *\"b\" | string, srv: server: in0: port: 80, code: c: {image: tag: config.parameter.t, size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}}, size: bandwidth: {size: 9, unit: \"M\"}}\n}"},
	{"disjunction of artifacts", "-- s/roles --\nrole: b: {artifact: *c.#Artifact | m.#Artifact, config: parameter: t: \"x\"}"},
	{"artifact in parentheses", "-- s/roles --\nrole: b: {artifact: (c.#Artifact), config: parameter: t: \"x\"}"},
	{"artifact by a let", "-- s/roles --\nlet A = c.#Artifact, role: b: {artifact: A, config: parameter: t: \"x\"}"},
	{"artifact by a hidden field", "-- s/more --\n_a: c.#Artifact\n#Artifact: description: role: b: {artifact: _a, config: parameter: t: \"x\"}"},
	{"resource passed to nobody", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: resource: v: {}}"},
	{"resource of a number", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: resource: v: volume: {size: 1, unit: \"G\"}}"},
	{"resource undeclared", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: resource: v: volume: size: 1}"},
	{"a kind in a text", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"\\(description.config.parameter.o.y)\"}\n-- s/config --\no: y: *null | string"},
	{"number or text", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"\\(description.config.parameter.y)\"}\n-- s/config --\ny: *1.50 | string"},
	{"a key of a list", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: description.config.parameter.l[0]}\n-- s/config --\nl: *[\"x\"] | [...string]"},
	{"a key that looks like an index", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: description.config.parameter.l.\"[0]\"}\n-- s/config --\nl: *[\"x\"] | [...string]"},
	{"service parameter optional", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: description.config.parameter.y}\n-- s/config --\ny?: string"},
	{"a service's helper in another file", "-- s/config --\nu: string\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: o: #twice & {once: description.config.parameter.u}}\n-- deploy/config --\nu: \"given\"\n-- s/other.cue --\npackage service\n#twice: {once: *\"o\" | string, both: \"\\(once)\\(once)\"}"},
	{"a service's helper in another package", "-- s/imports --\nl \"forms.example/app/l:lib\"\n-- s/config --\nu: string\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: o: l.#twice & {once: description.config.parameter.u}}\n-- deploy/config --\nu: \"given\"\n-- l/a.cue --\npackage lib\n#twice: #two\n-- l/b.cue --\npackage lib\n#two: {once: *\"o\" | string, both: \"\\(once)\\(once)\"}"},
	{"a service's config in another file", "-- s/config --\nq: #o\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: o: description.config.parameter.q}\n-- deploy/config --\nq: x: 5\n-- s/other.cue --\npackage service\n#o: {x: *1 | int, z: x}"},
	{"a service's type in another file", "-- s/config --\nu: *\"abc\" | string\n-- deploy/config --\nu: \"bad\"\n-- s/other.cue --\npackage service\nstring: =~\"^a\""},
	{"a hidden field of the service in another file", "-- s/roles --\n_h: description.config.parameter.t\nrole: b: {artifact: c.#Artifact, config: parameter: t: _g}\n-- deploy/config --\nt: \"given\"\n-- s/other.cue --\npackage service\n_g: #Artifact.description.config.parameter.t"},
	{"a file whose name for an import is a field elsewhere", "-- s/other.cue --\npackage service\nc: #Artifact: description: config: parameter: t: \"other\""},
	{"a struct in a comprehension", "-- c/config --\nfor _ in [1, 2] {w: {y: *\"yy\" | string}}"},
	{"a struct that only the model speaks of", "-- deploy/config --\n}, scale: detail: {\nX=more: X"},
	{"another name for a role", "-- s/roles --\nrole: Z=b: {artifact: c.#Artifact, config: parameter: t: \"x\"}"},
	{"another name for a parameter", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: Z=t: \"x\"}"},
	{"another name for a role's config", "-- s/roles --\nrole: b: {artifact: c.#Artifact, Z=config: parameter: {t: Z.parameter.o.y, o: y: \"x\"}}"},
	{"another name for the roles", "-- s/roles --\nR=role: b: {artifact: c.#Artifact, config: parameter: t: R.a.config.parameter.o.y}"},
	{"a name for a value", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: V={\"x\"}}"},
	{"a required parameter with a default", "-- s/config --\nr!: *\"r\" | string"},
	{"a required struct", "-- c/config --\nr!: {x: *1 | int}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: r: {}}"},
	{"a resource that the artifact has itself", "-- s/config --\n}, resource: spool: {volume: {size: 1, unit: \"G\"}"},
	{"a fixed parameter that is shown", "-- c/config --\nP: \"p\"\n-- c/more --\ncode: c: mapping: env: A: value: config.parameter.P"},
	{"a fixed parameter within one that is shown", "-- c/config --\nP: parameter: \"p\"\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: config.parameter, format: \"json\"}"},
	{"a fixed parameter that is passed", "-- s/config --\nP: parameter: \"p\"\nQ: 5\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {o: {y: description.config.parameter.P.parameter, z: description.config.parameter.P, q: description.config.parameter.Q}}}"},
	{"a struct below a pattern", "-- c/config --\nw: {x: *1 | int}\n[string]: _"},
	{"a struct below a pattern that is passed", "-- s/config --\nw: {x: *1 | int}\n[string]: _\n-- deploy/config --\nw: x: 3\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: o: w: description.config.parameter.w}\nrole: d: {artifact: c.#Artifact, config: parameter: o: w: description.config.parameter.w, meta: {}}"},
	{"a struct below a pattern elsewhere that is passed", "-- s/imports --\nl \"forms.example/app/l:lib\"\n-- s/config --\nw: {x: *1 | int}\nl.#more\n-- deploy/config --\nw: x: 3\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: o: w: description.config.parameter.w}\n-- l/l.cue --\npackage lib\n#more: {[string]: _}"},
	{"anything at all", "-- c/config --\nw: _\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: w: {x: 3, y: \"z\", z: [{a: 1}]}}"},
	{"a list of anything", "-- c/config --\nw: [...] | *[]\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: w: [{x: 3, y: \"z\", z: [{a: 1}]}]}"},
	{"a list of structs", "-- c/config --\nw: [...{x: int, y: *1 | int}]\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: w: [{x: 3, y: 2}, {x: 4, y: 3}]}"},
	{"one of two structs", "-- c/config --\nw: {x: int, y: *1 | int} | *{z: 1, a: {b: 1}}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: w: {x: 3, y: 2}}\nrole: d: {artifact: c.#Artifact, config: parameter: w: {z: 1, a: b: 1}}\nrole: e: {artifact: c.#Artifact, config: parameter: w: null}"},
	{"null or a struct", "-- c/config --\nw: null | {x: int, y: *1 | int}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: w: {x: 3, y: 2}}\nrole: d: {artifact: c.#Artifact, config: parameter: w: null}"},
	{"anything, from a plain role", "-- c/config --\nw: _\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: w: {x: 3, y: \"z\"}}"},
	{"anything, passed", "-- c/config --\nw: _\n-- s/config --\nw: _\n-- deploy/config --\nw: {x: 3, y: \"z\"}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: w: description.config.parameter.w}"},
	{"a mistake in a package that is read", "-- s/imports --\nl \"forms.example/app/l:lib\"\n-- s/config --\nw: l.#w\n-- l/l.cue --\npackage lib\n#w: absent"},
	{"a mistake in an artifact that is read", "-- c/more --\nsrv: client: x: protocol: absent\n-- s/roles --\nrole: b: artefact: c.#Artifact"},
	{"a deployment that refines its artifact", "-- deploy/artifact --\n& {ref: name: \"s\"}"},
	{"a deployment that refines a default", "-- deploy/artifact --\n& {description: config: parameter: t: \"more\"}"},
	{"a deployment that refines with a condition", "-- deploy/artifact --\n& {description: {config: parameter: {t: string, if t == \"s\" {t: \"s\"}}}}"},
	{"a deployment that adds to its artifact", "-- deploy/artifact --\n& {description: config: parameter: added: *\"x\" | string}"},
	{"a deployment that adds a role", "-- deploy/artifact --\n& {description: role: more: {artifact: s.#Artifact, config: parameter: t: \"x\"}}"},
	{"a deployment that refines a role", "-- deploy/artifact --\n& {description: role: a: config: parameter: o: q: \"more\"}"},
	{"a deployment that contradicts its artifact", "-- deploy/artifact --\n& {ref: name: \"t\"}"},
	{"a deployment that refines in two parts", "-- deploy/artifact --\n& {ref: name: \"s\"} & ({description: config: parameter: t: string})"},
	{"a deployment that refines by a reference", "-- deploy/artifact --\n& {description: {config: parameter: t: string, role: a: config: parameter: o: q: config.parameter.t}}"},
	{"a deployment of refined roles that refines its artifact", "-- deploy/artifact --\n& {ref: name: \"s\"}\n-- s/roles --\nrole: b: {artifact: c.#Artifact & {description: code: c: image: tag: \"i:1\"}, config: parameter: t: \"x\"}\nrole: d: {artifact: c.#Artifact & {description: code: c: image: tag: \"i:1\"}, config: parameter: t: \"y\"}"},
	{"a variable under a condition", "-- c/config --\nn: *1 | int\n-- c/more --\ncode: c: mapping: env: {if config.parameter.n > 1 {A: value: \"a\"}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 2}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {n: 3}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {n: 1}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {n: -1}}\nrole: b4: {artifact: c.#Artifact, config: parameter: {t: \"x\"}}"},
	{"a variable of config under a condition", "-- c/config --\nn: *1 | int\n-- c/more --\ncode: c: mapping: env: {if config.parameter.n > 1 {A: value: config.parameter.t, B: value: \"<\\(config.parameter.t)>\"}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 2, t: \"x\"}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {n: 3, t: \"y\"}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {n: 3}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {n: 1}}"},
	{"a variable of the wrong kind under a condition", "-- c/config --\nn: *1 | int, w: _\n-- c/more --\ncode: c: mapping: env: {if config.parameter.n > 1 {A: value: config.parameter.w}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 2, w: \"x\"}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {n: 3, w: \"z\"}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {n: 1, w: 3}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {n: 3, w: 3}}"},
	{"an optional struct in a file", "-- c/config --\nopt?: {x: string, y: *1 | int}\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {if config.parameter.opt != _|_ {o: config.parameter.opt}}, format: \"json\"}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {opt: x: \"1\"}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {opt: x: \"2\"}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {opt: {x: \"3\", y: 3}}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {t: \"x\"}}"},
	{"a part of an optional struct in a file", "-- c/config --\nopt?: {x: string, y: *1 | int}\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {if config.parameter.opt != _|_ if config.parameter.opt.y > 1 {o: config.parameter.opt.x, p: config.parameter.opt.y}}, format: \"json\"}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {opt: {x: \"1\", y: 2}}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {opt: {x: \"2\", y: 1}}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {opt: {x: \"3\", y: 3}}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {t: \"x\"}}"},
	{"a container under a condition", "-- c/config --\nn: *1 | int\n-- c/more --\nif config.parameter.n > 1 {code: d: {image: tag: \"d:\\(config.parameter.n)\", size: {cpu: {size: config.parameter.n, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 2}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {n: 3}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {n: 1}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {n: 4}}"},
	{"a condition that is wrong for some", "-- c/config --\nn: _\n-- c/more --\ncode: c: mapping: env: {if config.parameter.n > 1 {A: value: \"a\"}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 2}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {n: 3}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {n: \"x\"}}"},
	{"two conditions that exclude each other", "-- c/config --\nn: *1 | int\n-- c/more --\ncode: c: mapping: env: {if config.parameter.n > 1 {A: value: \"a\"}, if config.parameter.n > 5 {A: value: \"b\"}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 2}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {n: 3}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {n: 6}}"},
	{"a map of structs with defaults", "-- c/config --\nm: [string]: {x: string, y: *1 | int}\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {m: config.parameter.m}, format: \"json\"}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {m: {a: x: \"1\", b: {x: \"2\", y: 2}}}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {m: {}}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {m: c: x: \"3\"}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {t: \"x\"}}"},
	{"a map whose fields refer to each other", "-- c/config --\nm: [string]: {x: *1 | int, y: x}\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {m: config.parameter.m}, format: \"json\"}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {m: {a: x: 5, b: {}}}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {m: c: x: 3}}"},
	{"a map of the wrong kind", "-- c/config --\nm: [string]: {x: string, y: *1 | int}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {m: a: x: 1}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {m: a: {x: \"1\", z: 3}}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {m: [1]}}"},
	{"a list of structs with defaults", "-- c/config --\nl: [...{x: string, y: *1 | (int & >0)}]\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {l: config.parameter.l}, format: \"json\"}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {l: [{x: \"1\"}, {x: \"2\", y: 2}]}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {l: []}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {l: [{x: \"3\", y: 3}]}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {t: \"x\"}}"},
	{"a list of structs of the wrong kind", "-- c/config --\nl: [...{x: string, y: *1 | (int & >0)}]\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {l: [{x: \"1\", y: 0}]}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {l: [{x: \"1\", z: 0}]}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {l: {}}}"},
	{"a definition with defaults", "-- c/config --\nr: #R\n-- c/other.cue --\npackage component\n#R: {n: *3 | int, m: {x: *1 | int}, o?: string}\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {r: config.parameter.r}, format: \"json\"}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {r: n: 5}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {r: m: x: 2}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {r: o: \"o\"}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {t: \"x\"}}"},
	{"a definition with fields that it has not", "-- c/config --\nr: #R\n-- c/other.cue --\npackage component\n#R: {n: *3 | int}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {r: {n: 5, z: 1}}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {r: n: \"x\"}}"},
	{"an embedded definition", "-- c/config --\n#R\nk: *1 | int\n-- c/other.cue --\npackage component\n#R: {n: *3 | int, m: {x: *1 | int}}\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {n: config.parameter.n, m: config.parameter.m}, format: \"json\"}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 5}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {m: x: 2, k: 2}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {t: \"x\"}}"},
	{"an embedded definition that is open", "-- c/config --\n#R\n-- c/other.cue --\npackage component\n#R: {n: *3 | int, ...}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 5, z: 1}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {z: [{a: 1}]}}"},
	{"an open struct with defaults", "-- c/config --\ns: {n: *3 | int, l: *[1] | [...int], ...}\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {s: config.parameter.s}, format: \"json\"}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {s: {n: 5, z: 1}}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {s: z: {a: [1]}, t: \"x\"}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {s: l: [2, 3]}}"},
	{"a definition with a condition", "-- c/config --\nr: #R\n-- c/other.cue --\npackage component\n#R: {n: *3 | int, if n > 3 {m: *1 | int}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {r: n: 5}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {r: n: 1}}"},
	{"a definition whose default is another field's", "-- c/config --\nr: #R\n-- c/other.cue --\npackage component\n#R: {n: *3 | int, m: *n | int}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {r: n: 5}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {r: m: 1}}"},
	{"one of two structs, and a default of another", "-- c/config --\nk: *{kind: \"m\"} | {kind: \"d\", path: string}, p: *k.kind | string\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {k: {kind: \"d\", path: \"x\"}}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {k: {kind: \"d\", path: \"y\", z: 1}}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {p: \"q\"}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {k: {kind: \"d\", path: \"y\"}}}"},
	{"an undeclared parameter of ours", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: description.config.parameter.y.z}\n-- s/config --\ny: {...}"},
}

const formsApp = `
-- cue.mod/module.cue --
module: "forms.example/app@v0"
language: version: "v0.12.0"
-- c/c.cue --
package component
import (
	k "kumori.systems/kumori:kumori"
	«c/imports»
)
#Artifact: k.#Component & {
	ref: name: "c"
	description: {
		config: {
			parameter: {
				t: *"d" | string
				o: {y: *"yy" | string, ...}
				«c/config»
			}
			scale: hsize: *1 | uint
		}
		srv: server: in0: port: 80
		code: c: {image: tag: "i:1", size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}
		size: bandwidth: {size: 9, unit: "M"}
		«c/more»
	}
}
-- m/m.cue --
package service
import (
	k "kumori.systems/kumori:kumori"
	c "forms.example/app/c:component"
)
#Artifact: k.#Service & {ref: name: "m", description: {
	config: parameter: t: *"m" | string
	role: leaf: {artifact: c.#Artifact, config: {scale: hsize: 1, parameter: t: description.config.parameter.t}}
	«m/roles»
}}
-- s/s.cue --
package service
import (
	k "kumori.systems/kumori:kumori"
	c "forms.example/app/c:component"
	m "forms.example/app/m:service"
	«s/imports»
)
#Artifact: k.#Service & {ref: name: "s", description: {
	config: parameter: {
		t: *"s" | string
		«s/config»
	}
	role: a: {artifact: c.#Artifact, config: parameter: {t: description.config.parameter.t, o: y: "<\(description.config.parameter.t)>"}}
	role: z: {artifact: m.#Artifact, config: parameter: t: "z"}
	«s/roles»
}}
«s/more»
-- deploy/d.cue --
package deployment
import s "forms.example/app/s:service"
#Deployment: {name: "d", artifact: s.#Artifact «deploy/artifact», config: parameter: {
	«deploy/config»
}}
`

// formed is formsApp with what files say in its places.
func formed(files string) string {
	app := formsApp
	for _, f := range txtar.Parse([]byte(files)).Files {
		if filepath.Ext(f.Name) != "" {
			app += "-- " + f.Name + " --\n" + string(f.Data)
			continue
		}
		app = strings.ReplaceAll(app, "«"+f.Name+"»", strings.TrimSpace(string(f.Data)))
	}
	for {
		before, rest, ok := strings.Cut(app, "«")
		if !ok {
			return app
		}
		_, after, _ := strings.Cut(rest, "»")
		app = before + after
	}
}

// TestForms compares what is made of each form with what CUE alone makes of it.
func TestForms(t *testing.T) {
	t.Parallel()
	for _, form := range forms {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, formed(form.files))
			in := compiler.Input{}
			in.Dir = filepath.Join(dir, "deploy")
			if diff := partialDiffers(in); diff != "" {
				t.Errorf("(-CUE +partial):\n%s", diff)
			}
		})
	}
}

// partialDiffers compares all that can be told of a run with what CUE alone makes.
func partialDiffers(in compiler.Input) string {
	in.NoPartial = true
	want := toldOf(in)
	in.NoPartial = false
	return cmp.Diff(want, toldOf(in))
}

// toldOf is all that can be told of a run: the problems, or the tree down to the
// places of leaves, and the solution.
func toldOf(in compiler.Input) (told []string) {
	result, found := compiler.Run(context.Background(), in, compiler.ExtractStage)
	for _, d := range found {
		told = append(told, fmt.Sprintf("%v: %v %s [%s] at %q", d.Pos.Position(), d.Severity, d.Message, d.Code, d.At))
		for _, r := range d.Related {
			told = append(told, fmt.Sprintf("    %v: %s", r.Pos.Position(), r.Message))
		}
	}
	if found.HasErrors() {
		return told
	}
	told = append(told, leaves(result.Tree)...)
	told = append(told, rolesOf(nil, result.Tree.Root)...)
	text, err := result.Solution.Bytes()
	return append(told, string(text), fmt.Sprint(err))
}

func rolesOf(path []string, n *value.Node) (told []string) {
	told = append(told, fmt.Sprint(path, n.Ref, n.Spec, n.Builtin, n.Pos.Position(), n.Package.ImportPath()))
	for _, r := range n.Roles {
		at := append(path[:len(path):len(path)], r.Name)
		told = append(told, fmt.Sprint(at, r.Pos.Position(), r.Meta.Pos.Position(), r.Meta.JSON()))
		told = append(told, rolesOf(at, r.Node)...)
	}
	return told
}
