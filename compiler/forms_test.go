package compiler_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// forms are ways to write a service that the readers of sources may take for
// something simpler. Each replaces files of formsApp: NAME is said by "-- NAME --".
var forms = []struct{ name, files string }{
	{"parameters by hidden fields of the file", "-- s/more --\n_x: \"t\"\n_y: {a: \"u\", b: {c: 3}}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: {parameter: {t: _x, o: y: _y.a}, scale: hsize: _y.b.c}, meta: m: _x}\nrole: d: {artifact: c.#Artifact, config: parameter: {t: \"\\(_x)!\", o: z: [_x, _y.a]}}"},
	{"parameters by hidden fields of the description", "-- s/more --\n#Artifact: description: {_x: \"t\", _y: {a: \"u\", b: {c: 3}}, role: b: {artifact: c.#Artifact, config: {parameter: {t: _x, o: y: _y.a}, scale: hsize: _y.b.c}, meta: m: _x}}"},
	{"parameters by names of names", "-- s/more --\n_x: _y\n_y: \"t\"\nlet L = _y\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {t: _x, o: y: L}}"},
	{"hidden names for artifacts, of which one is used elsewhere", "-- s/more --\n_a: c.#Artifact\n_b: c.#Artifact\n#Artifact: description: role: b: {artifact: _a, config: parameter: t: \"x\"}\n#Artifact: description: role: d: {artifact: _b, config: parameter: t: \"\\(_b.description.srv.server.in0.port)\"}"},
	{"hidden names for artifacts, of which one is in a struct", "-- s/more --\n_c: c.#Artifact\n#Artifact: description: role: e: {artifact: _c, meta: n: [for k, _ in _all {k}]}\n_all: {c: _c}"},
	{"hidden names for artifacts that are said twice", "-- s/more --\n_a: c.#Artifact\n_a: c.#Artifact\n_b: c.#Artifact\n_b: ref: name: \"c\"\n#Artifact: description: role: b: {artifact: _a, config: parameter: t: \"x\"}\n#Artifact: description: role: d: artifact: _b"},
	{"a hidden name for an artifact that another field has too", "-- s/more --\n_a: c.#Artifact\n#Artifact: description: {role: b: {artifact: _a, config: parameter: t: _a1._a}, role: d: {artifact: c.#Artifact, config: parameter: t: \"d\"}}\n_a1: _a: \"t\""},
	{"a hidden name for an artifact that a let hides", "-- s/more --\n_a: c.#Artifact\n#Artifact: description: {let _b = _a, role: b: {artifact: _b, config: parameter: t: \"x\"}, role: d: artifact: _a}"},
	{"a definition that is a name for an artifact", "-- s/more --\n#A: c.#Artifact\n#Artifact: description: role: b: {artifact: #A, config: parameter: t: \"x\"}"},
	{"parameters and instances by conditions in lists", "-- s/config --\nf: *true | bool\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: {parameter: t: [if description.config.parameter.f {\"yes\"}, \"no\"][0], scale: hsize: [if description.config.parameter.f {1}, 3][0]}}\nrole: d: {artifact: c.#Artifact, config: {parameter: t: [if !description.config.parameter.f {\"yes\"}, \"no\"][0], scale: hsize: [if !description.config.parameter.f {1}, 3][0]}}"},
	{"parameters and instances by conditions in lists that are given", "-- s/config --\nf: *true | bool\n-- deploy/config --\nf: false\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: {parameter: t: [if description.config.parameter.f {\"yes\"}, \"no \\(description.config.parameter.t)\"][0], scale: hsize: [if description.config.parameter.f {1}, 3][0]}}"},
	{"a parameter by a condition in a list that a computed role has too", "-- s/config --\nf: *true | bool\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: [if description.config.parameter.f {\"yes\"}, \"no\"][0]}\nrole: {for n in [\"b\", \"d\"] {(n): {artifact: c.#Artifact, config: parameter: t: string}}}"},
	{"a condition in a list that gives nothing", "-- s/config --\nf: *false | bool\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: [if description.config.parameter.f {\"yes\"}][0]}"},
	{"parameters under a condition beside a pattern", "-- s/roles --\nrole: [string]: config: parameter: {t: string, ...}\nrole: b: {artifact: c.#Artifact, config: parameter: {t: \"b\", o: {if description.config.parameter.t == \"s\" {w: \"x\"}}}}\nrole: d: artifact: c.#Artifact\nrole: d: config: parameter: t: \"d\""},
	{"parameters under a condition in another file", "-- s/more.cue --\npackage service\n#Artifact: description: {config: parameter: t: _, role: b: config: parameter: o: {if config.parameter.t == \"s\" {w: \"x\"}, v: \"v\"}}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"x\"}"},
	{"parameters under a condition that refer to others, and to those of another role", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: P={t: \"b\", o: {if description.config.parameter.t == \"s\" {w: P.t, v: description.role.a.config.parameter.t}}}}\nrole: d: {artifact: c.#Artifact, config: parameter: o: {if description.config.parameter.t != \"s\" {w: 5}, v: description.role.b.config.parameter.t}}"},
	{"parameters that are a struct or something else of the config, without a name", "-- s/config --\nx: *1 | {t: string}\nz: {t: *\"q\" | string}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {description.config.parameter.z}}\nrole: d: {artifact: c.#Artifact, config: parameter: {description.config.parameter.x}}"},
	{"texts of lets", "-- c/more --\nlet one = \"1\\(config.parameter.t)\"\nlet two = \"2\\(config.parameter.t)\"\nlet three = \"3\\(config.parameter.t)\"\nlet four = \"4\\(three)\"\nlet five = one\ncode: c: mapping: env: {A: value: five, B: value: two, D: value: two, E: value: three, F: value: four, G: value: \"x\\(two)\"}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"x\"}"},
	{"roles by long paths", "-- s/roles --\nrole: b: artifact: c.#Artifact\nrole: b: config: parameter: t: \"x\"\nrole: b: config: scale: hsize: 2\nrole: b: meta: m: \"b\"\nrole: d: artifact: c.#Artifact\nrole: d: config: parameter: t: \"\\(description.config.parameter.t)!\"\nrole: d: config: parameter: t: string\nrole: b: config: parameter: o: y: \"z\""},
	{"roles by long paths beside a pattern", "-- s/roles --\nrole: [=~\"^b\"]: config: parameter: o: y: \"p\"\nrole: b: artifact: c.#Artifact\nrole: b: config: parameter: t: \"x\"\nrole: d: artifact: c.#Artifact\nrole: d: config: parameter: t: \"x\"\nrole: d: meta: m: \"d\""},
	{"refined artifacts that differ in one text", "-- s/roles --\nrole: b: {artifact: c.#Artifact & {description: code: c: image: tag: \"i:2\"}, config: parameter: t: \"b\"}\nrole: d: {artifact: c.#Artifact & {\n\tdescription: code: c: image: tag: \"i:3\"\n}, config: parameter: t: \"d\"}\nrole: e: {artifact: c.#Artifact & {description: {code: c: image: tag: \"i:2\"}}, config: parameter: t: \"e\"}"},
	{"refined artifacts that are the same", "-- s/roles --\nlet A = c.#Artifact & {description: code: c: image: tag: \"i:2\"}\nrole: b: {artifact: A, config: parameter: t: \"b\"}\nrole: d: {artifact: A, config: parameter: t: \"d\"}\nrole: e: {artifact: c.#Artifact & {description: code: c: image: tag: \"i:2\"}}\nrole: f: {artifact: c.#Artifact & {description: code: c: image: tag: \"i:2\"}}"},
	{"resources of the model's kinds and of others", "-- s/more --\n#Artifact: description: config: resource: {a: k.#Secret, b: k.#Volume, d: secret: \"x\"}"},
	{"resources of the model's kinds", "-- s/more --\n#Artifact: description: config: resource: {a: k.#Secret, b: k.#Volume, d: k.#CA}"},
	{"a resource with a default", "-- s/more --\n#Artifact: description: config: resource: {a: k.#Secret, b: *{secret: \"x\"} | k.#Secret}"},
	{"a resource by another name", "-- s/more --\n#Artifact: description: config: resource: {a: k.#Secret, b: _s}\n_s: k.#Secret & {secret: \"y\"}"},
	{"an artifact by a hidden field, of which something is read", "-- s/roles --\n_a: c.#Artifact\nrole: b: {artifact: _a, meta: is: _a.ref.name}\nrole: d: {artifact: c.#Artifact, config: parameter: t: \"p\\(_a.description.srv.server.in0.port)\"}"},
	{"an artifact by a let, of which something is read", "-- s/roles --\nlet A = c.#Artifact\nrole: b: {artifact: A, meta: is: A.ref.name}\nrole: d: artifact: A"},
	{"an artifact by a field in a struct, of which something is read", "-- s/more --\n_of: a: c.#Artifact\n-- s/roles --\nrole: b: {artifact: _of.a, meta: {for k, v in _of.a.description.code {(k): v.image.tag}}}\nrole: d: artifact: _of.a"},
	{"a config of two structs", "-- c/more --\nconfig: *{parameter: z: *3 | int, ...} | {parameter: z: string, ...}\n-- s/roles --\nrole: b: artifact: c.#Artifact"},
	{"a config of two structs, by a hidden field", "-- c/more --\nconfig: _both, _both: *{parameter: z: *3 | int, ...} | {...}\n-- s/roles --\nrole: b: artifact: c.#Artifact"},
	{"a config of two structs, by a let", "-- c/more --\nlet both = *{parameter: z: *3 | int} | {parameter: {}}\nconfig: both\n-- s/roles --\nrole: b: artifact: c.#Artifact"},
	{"a context that is shown", "-- c/more --\ncode: c: mapping: env: {A: value: config.#context.deployment, B: value: \"<\\(config.#context.path)|\\(config.#context.role)>\"}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: e: {artifact: m.#Artifact, config: parameter: t: \"2\"}"},
	{"a context in an expression", "-- c/imports --\n\"strings\"\n-- c/more --\ncode: c: mapping: env: A: value: strings.ToUpper(config.#context.role + \"-\" + config.parameter.t)\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: e: {artifact: m.#Artifact, config: parameter: t: \"2\"}"},
	{"a context as a default", "-- c/config --\nw: *description.config.#context.role | string\nv: *\"\\(description.config.#context.path).\\(t)\" | string\n-- c/more --\ncode: c: mapping: env: {A: value: config.parameter.w, B: value: config.parameter.v}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: e: {artifact: m.#Artifact, config: parameter: t: \"2\"}"},
	{"a context that is passed", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: description.config.#context.deployment}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"of \\(description.config.#context.deployment)\"}\n-- m/roles --\nrole: q: {artifact: c.#Artifact, config: parameter: t: description.config.#context.path}"},
	{"a context under a condition", "-- c/more --\ncode: c: mapping: env: {if config.#context.role == \"b\" {A: value: \"b\"}, if config.#context.path =~ \"d\" {B: value: config.parameter.t}}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: e: {artifact: m.#Artifact, config: parameter: t: \"2\"}"},
	{"roles that the context decides", "-- m/roles --\n«eight»\nif description.config.#context.role == \"d\" {role: q: {artifact: c.#Artifact, config: parameter: t: \"q\"}}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: e: {artifact: m.#Artifact, config: parameter: t: \"2\"}"},
	{"a context as a whole", "-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {c: config.#context, for k, v in config.#context {\"k_\\(k)\": v}}, format: \"json\"}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: e: {artifact: m.#Artifact, config: parameter: t: \"2\"}"},
	{"a context that is copied", "-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: {c: config.#context}, format: \"json\"}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: e: {artifact: m.#Artifact, config: parameter: t: \"2\"}"},
	{"a context by other names", "-- c/more --\nlet C = config.#context\n_h: config\ncode: c: mapping: env: {A: value: C.role, B: value: _h.#context.path, D: value: description[\"config\"].#context.role}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: e: {artifact: m.#Artifact, config: parameter: t: \"2\"}"},
	{"a context in another package", "-- c/imports --\nl \"forms.example/app/l:lib\"\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: l.#twice & {once: config.#context.path}, format: \"json\"}\n-- l/a.cue --\npackage lib\n#twice: {once: string, both: \"\\(once)\\(once)\"}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: e: {artifact: m.#Artifact, config: parameter: t: \"2\"}"},
	{"a context in a refinement", "-- s/roles --\nrole: b: {artifact: c.#Artifact & {description: code: c: mapping: env: A: value: description.config.#context.role}, config: parameter: t: \"x\"}\nrole: d: {artifact: c.#Artifact & {description: code: c: mapping: env: A: value: description.config.#context.role}, config: parameter: t: \"x\"}\nrole: e: {artifact: c.#Artifact & {description: code: c: mapping: env: {A: value: \"e\", B: value: description.config.#context.role}}}"},
	{"a context in an artifact in place", "-- s/roles --\nrole: b: artifact: {\n\tref: name: \"b\"\n\tref: kind: \"component\"\n\tdescription: {config: parameter: t: *\"b\" | string, srv: server: in0: port: 80, code: c: {image: tag: \"\\(config.#context.deployment)/\\(config.#context.path)\", size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 4, unit: \"M\"}}}, size: bandwidth: {size: 1, unit: \"M\"}}\n}"},
	{"a context that a deployment refines by", "-- deploy/artifact --\n& {description: role: a: config: parameter: t: description.config.#context.deployment}"},
	{"a context that is not there", "-- c/more --\ncode: c: mapping: env: A: value: config.#context.nothing"},
	{"a context that a definition writes", "-- c/imports --\nl \"forms.example/app/l:lib\"\n-- c/more --\nconfig: l.#c\n-- l/a.cue --\npackage lib\n#c: {#context: role: \"q\", ...}"},
	{"one of two structs, of which a role gets a part", "-- s/config --\nk: *{kind: \"m\", n: 1} | {kind: \"d\", path: string, n: 2}\n-- c/config --\nn: *0 | int\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {t: description.config.parameter.k.kind, n: description.config.parameter.k.n}}\nrole: d: {artifact: c.#Artifact, config: parameter: t: \"<\\(description.config.parameter.k.kind)>\"}\n-- deploy/config --\nk: {kind: \"d\", path: \"p\"}"},
	{"one of two structs, of which a role gets a part by default", "-- s/config --\nk: *{kind: \"m\", n: 1} | {kind: \"d\", path: string, n: 2}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: description.config.parameter.k.kind}"},
	{"one of two structs, of which a role gets a part that only one has", "-- s/config --\nk: *{kind: \"m\", n: 1} | {kind: \"d\", path: string}\n-- c/config --\nn: *0 | int\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: n: description.config.parameter.k.n}\n-- deploy/config --\nk: {kind: \"d\", path: \"p\"}"},
	{"one of two structs, one of which is a part", "-- s/config --\nk: *{kind: \"m\"} | {kind: {x: string}}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"<\\(description.config.parameter.k.kind)>\"}\n-- deploy/config --\nk: kind: x: \"p\""},
	{"parameters of a role of all that the service has", "-- s/config --\nq: *1 | int\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {for k, v in description.config.parameter if k == \"t\" {\"\\(k)\": v}}}\n\n-- deploy/config --\nt: \"x\""},
	{"parameters of roles for each of a list", "-- s/config --\nl: *[] | [...{n: string, t: string}]\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {for x in description.config.parameter.l if x.n == \"b\" {t: x.t}}}\nrole: d: {artifact: c.#Artifact, config: parameter: {for x in description.config.parameter.l if x.n == \"d\" {\"t\": x.t}}}\n\n-- deploy/config --\nl: [{n: \"b\", t: \"1\"}, {n: \"d\", t: \"2\"}]"},
	{"a parameter of a role under a condition", "-- s/config --\non: *false | bool, v: *\"v\" | string\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {if description.config.parameter.on {t: description.config.parameter.v}}}\n\n-- deploy/config --\n{on: true, v: \"w\"}"},
	{"parameters of a role for each of a map, none", "-- s/config --\nm: *{} | {[string]: string}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {for k, v in description.config.parameter.m {\"\\(k)\": v}}}\n\n-- deploy/config --\n"},
	{"parameters of a role for each of a map, one", "-- s/config --\nm: *{} | {[string]: string}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {for k, v in description.config.parameter.m {\"\\(k)\": v}}}\n\n-- deploy/config --\nm: t: \"x\""},
	{"parameters of a role for each of a map, an undeclared one", "-- s/config --\nm: *{} | {[string]: string}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {for k, v in description.config.parameter.m {\"\\(k)\": v}}}\n\n-- deploy/config --\nm: zz: \"x\""},
	{"connectors for each of a list, none", "-- s/config --\nl: *[] | [...string]\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"h\"}\nsrv: server: {for x in description.config.parameter.l {\"\\(x)\": {port: 81, protocol: \"http\"}}, fixed: {port: 80, protocol: \"http\"}}\nconnect: {fixed: {as: \"lb\", from: self: \"fixed\", to: b: in0: _}, for x in description.config.parameter.l {\"to-\\(x)\": {as: \"lb\", from: self: \"\\(x)\", to: b: in0: _}}}\n-- deploy/config --\n"},
	{"connectors for each of a list, two", "-- s/config --\nl: *[] | [...string]\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"h\"}\nsrv: server: {for x in description.config.parameter.l {\"\\(x)\": {port: 81, protocol: \"http\"}}, fixed: {port: 80, protocol: \"http\"}}\nconnect: {fixed: {as: \"lb\", from: self: \"fixed\", to: b: in0: _}, for x in description.config.parameter.l {\"to-\\(x)\": {as: \"lb\", from: self: \"\\(x)\", to: b: in0: _}}}\n-- deploy/config --\nl: [\"p\", \"q\"]"},
	{"connectors for each of a list, one that is there", "-- s/config --\nl: *[] | [...string]\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"h\"}\nsrv: server: {for x in description.config.parameter.l {\"\\(x)\": {port: 81, protocol: \"http\"}}, fixed: {port: 80, protocol: \"http\"}}\nconnect: {fixed: {as: \"lb\", from: self: \"fixed\", to: b: in0: _}, for x in description.config.parameter.l {\"to-\\(x)\": {as: \"lb\", from: self: \"\\(x)\", to: b: in0: _}}}\n-- deploy/config --\nl: [\"fixed\"]"},
	{"a channel and a connector under a condition, not", "-- s/config --\non: *false | bool\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"h\"}\nsrv: server: {if description.config.parameter.on {x: {port: 81, protocol: \"http\"}}}\nconnect: {if description.config.parameter.on {x: {as: \"lb\", from: self: \"x\", to: b: in0: _}}}\n-- deploy/config --\n"},
	{"a channel and a connector under a condition, done", "-- s/config --\non: *false | bool\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"h\"}\nsrv: server: {if description.config.parameter.on {x: {port: 81, protocol: \"http\"}}}\nconnect: {if description.config.parameter.on {x: {as: \"lb\", from: self: \"x\", to: b: in0: _}}}\n-- deploy/config --\non: true"},
	{"meta with a name that is computed, not", "-- s/config --\nn: *\"a\" | string\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"h\", meta: {fixed: 1, \"\\(description.config.parameter.n)\": 2}}\n\n-- deploy/config --\n"},
	{"meta with a name that is computed, done", "-- s/config --\nn: *\"a\" | string\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"h\", meta: {fixed: 1, \"\\(description.config.parameter.n)\": 2}}\n\n-- deploy/config --\nn: \"size\""},
	{"a role whose presence is asked for", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"h\"}\nrole: d: {artifact: c.#Artifact, config: parameter: t: \"i\"}\nif role.b.artifact != _|_ {srv: server: here: {port: 81, protocol: \"http\"}, connect: here: {as: \"lb\", from: self: \"here\", to: b: in0: _}}"},
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
	{"scales by other names", `-- s/roles --
role: {
	b: {artifact: c.#Artifact, config: scale: hsize: _two}
	d: {artifact: c.#Artifact, config: scale: hsize: three}
	for n, x in _sizes {(n): {artifact: c.#Artifact, config: scale: hsize: x.size}}
	e: {artifact: c.#Artifact, config: scale: hsize: #Four}
}
let three = 3
_two: 2
#Four: 4
_sizes: {g: size: 5, h: {size: 6}, i: size: 0}
`},
	{"an empty part of a role before another", "-- s/roles --\nrole: {b: {artifact: c.#Artifact, config: parameter: {}, config: parameter: t: \"h\", config: parameter: o: x: 2}, d: {config: {}, artifact: c.#Artifact, config: parameter: {t: \"h\"}}}\nrole: d: config: parameter: {}"},
	{"a part of a role by a name before another", "-- s/roles --\nrole: {b: {config: _c, artifact: c.#Artifact, config: parameter: o: x: 2}, d: {config: _c & {}, config: {}, artifact: c.#Artifact}}\n_c: parameter: t: \"h\""},
	{"a part of a role in what it embeds", "-- s/roles --\nrole: {b: {_c, artifact: c.#Artifact, config: parameter: o: x: 2}, d: {artifact: c.#Artifact, config: {_p, parameter: o: x: 2}}, e: {{_c}, artifact: c.#Artifact, config: parameter: o: x: 2}, f: _c & {artifact: c.#Artifact, config: parameter: o: x: 2}}\n_c: config: parameter: {t: \"h\", ...}\n_p: parameter: {t: \"h\", ...}"},
	{"a struct of a role in what it embeds", "-- s/roles --\nrole: {b: {_c, artifact: c.#Artifact, config: parameter: o: x: 2, meta: {m: {b: 1}}}, d: {artifact: c.#Artifact, config: {_p, parameter: o: x: 2}, meta: {_m, m: {b: 1}}}}\n_c: {config: parameter: {t: \"h\", o: {y: \"q\"}, ...}, meta: {m: {a: 2}}}\n_p: parameter: {t: \"h\", o: {y: \"q\"}, ...}\n_m: m: {a: 2}"},
	{"roles with an argument", `-- s/roles --
role: {
	b: {artifact: c.#Artifact, config: parameter: t: "b\(#n)", #n: 1}
	d: {artifact: c.#Artifact, #Args & {#n: 2}}
	e: {#Args, artifact: c.#Artifact, #n: 3, config: parameter: o: x: #n}
	f: {#Args & {#n: 4}} & {artifact: c.#Artifact}
}
#Args: {#n: int, config: k.#Configurable & {parameter: {t: "n\(#n)", ...}}, ...}
`},
	{"roles with an argument that is missing", `-- s/roles --
role: b: {artifact: c.#Artifact, #Args}
#Args: {#n: int, config: k.#Configurable & {parameter: {t: "n\(#n)", ...}}, ...}
`},
	{"roles with an argument that is not used", `-- s/roles --
role: {b: {artifact: c.#Artifact, config: parameter: t: "b", #n: int}, d: {artifact: c.#Artifact, config: parameter: t: "b", #n: int & 3, #m: "a" | "b"}}
`},
	{"roles with an argument that is wrong", `-- s/roles --
role: b: {artifact: c.#Artifact, #Args & {#n: "x"}}
#Args: {#n: int, config: k.#Configurable & {parameter: {t: "n\(#n)", ...}}, ...}
`},
	{"roles with a hidden field that is wrong", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"b\", _n: 1 & 2}"},
	{"roles with a hidden field of config", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: _n, _n: \"\\(description.config.parameter.h)\"}"},
	{"roles with a hidden struct", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: _n.a, _n: {a: \"x\", b: 1 & int}}"},
	{"roles that refer to each other's arguments", "-- s/roles --\nrole: {b: {artifact: c.#Artifact, config: parameter: t: \"b\", #n: 1}, d: {artifact: c.#Artifact, config: parameter: t: \"d\\(role.b.#n)\"}}"},
	{"a scale by an argument", "-- s/roles --\nrole: {b: {artifact: c.#Artifact, config: {parameter: t: \"b\", scale: hsize: #n}, #n: 2}, d: {artifact: c.#Artifact, config: scale: hsize: #n + 1, #n: 2}}"},
	{"a scale by the name of a text", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: scale: hsize: _n}\n_n: \"two\""},
	{"a scale by the name of a negative number", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: scale: hsize: _n}\n_n: -1"},
	{"a scale by the name of a fraction", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: scale: hsize: _n}\n_n: 1.5"},
	{"a negative scale", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: {scale: hsize: -2}}"},
	{"instances that a parameter makes", sized("n: *2 | uint", "config.parameter.n", "n: 3", "", "n: description.config.parameter.t2")},
	{"instances that are computed", sized("n: *2 | uint", "config.parameter.n * 2 + 1", "n: 3", "", "n: description.config.parameter.t2")},
	{"instances of a parameter that depends on another", sized("{m: *2 | uint, n: *m | uint}", "config.parameter.n", "n: 3", "", "m: 4")},
	{"negative instances of a parameter", sized("n: *2 | int", "config.parameter.n", "n: -3", "")},
	{"a quality of service", "-- q/q.cue --\npackage component\nimport k \"kumori.systems/kumori:kumori\"\n#Artifact: k.#Component & {ref: name: \"q\", description: {config: {parameter: {}, scale: {hsize: *1 | uint, qos: {load: *10 | _, ...}}}\ncode: c: {image: tag: \"i:1\", size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}, mapping: env: Q: value: \"\\(config.scale.qos.load)\"}, size: bandwidth: {size: 9, unit: \"M\"}}}\n-- s/imports --\nq \"forms.example/app/q:component\"\n-- s/roles --\nrole: q0: {artifact: q.#Artifact, config: {scale: qos: load: 3}}\nrole: q1: {artifact: q.#Artifact, config: {scale: {hsize: 2, qos: {load: 4, t: \"x\", l: [1, {a: 2}]}}}}\nrole: q2: {artifact: q.#Artifact, config: {scale: {qos: {}}}}\nrole: q3: {artifact: q.#Artifact, config: {scale: qos: load: description.config.parameter.t}}\n"},
	{"a quality of service that is no struct", "-- q/q.cue --\npackage component\nimport k \"kumori.systems/kumori:kumori\"\n#Artifact: k.#Component & {ref: name: \"q\", description: {config: {parameter: {}, scale: {hsize: *1 | uint, qos: {load: *10 | _, ...}}}\ncode: c: {image: tag: \"i:1\", size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}, mapping: env: Q: value: \"\\(config.scale.qos.load)\"}, size: bandwidth: {size: 9, unit: \"M\"}}}\n-- s/imports --\nq \"forms.example/app/q:component\"\n-- s/roles --\nrole: q0: {artifact: q.#Artifact, config: {scale: qos: 3}}\n"},
	{"a scale that role and deployment state a part of", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: load: 3}", "q0: hsize: 2")},
	{"a scale that both state a part of, in one struct", scaled("role: q0: {artifact: q.#Artifact, config: scale: {hsize: 2, qos: load: 3}}", "q0: qos: more: 2")},
	{"a scale that both state, alike", scaled("role: q0: {artifact: q.#Artifact, config: scale: {hsize: 2, qos: load: 3}}", "q0: hsize: 2")},
	{"a scale that both state, otherwise", scaled("role: q0: {artifact: q.#Artifact, config: scale: {hsize: 2, qos: load: 3}}", "q0: hsize: 3")},
	{"a scale that both state, a list in it", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: {load: 3, l: [1, {a: 2}]}}", "q0: {hsize: 2, qos: l: [1, {a: 2}]}")},
	{"a scale that both state, a struct and none", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: {load: 3, l: {a: 2}}}", "q0: {hsize: 2, qos: l: 1}")},
	{"a scale that a role states, and nothing", scaled("role: q0: {artifact: q.#Artifact, config: scale: {hsize: 2, qos: load: 3}}", "q0: {}")},
	{"a scale of an undeclared field, beside a role's", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: load: 3}", "q0: {hsize: 2, other: 1}")},
	{"a scale of no number, beside a role's", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: load: 3}", "q0: hsize: -2")},
	{"a scale of a service's roles that both state", scaled("role: q0: {artifact: m.#Artifact, config: scale: detail: o: qos: load: 3}", "q0: detail: o: hsize: 2") + "-- m/roles --\nrole: o: artifact: c.#Artifact\n"},
	{"a scale with a type, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: {hsize: >1, qos: load: 3}}", "q0: hsize: 2")},
	{"a scale with a default, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: {hsize: *1 | uint, qos: load: 3}}", "q0: hsize: 2")},
	{"a scale in a pattern, beside the deployment's", scaled("role: [string]: config: scale: qos: load: *4 | int\nrole: q0: artifact: q.#Artifact\nrole: q1: {artifact: q.#Artifact, config: scale: qos: load: 5}", "q0: hsize: 2, q1: hsize: 3")},
	{"a scale in a pattern", scaled("role: [string]: config: scale: qos: load: *4 | int\nrole: q0: artifact: q.#Artifact\nrole: q1: {artifact: q.#Artifact, config: scale: qos: load: 5}", "")},
	{"a pattern before a role", "-- s/roles --\nrole: [string]: config: scale: hsize: 2\nrole: b: artifact: c.#Artifact\nrole: d: {artifact: c.#Artifact, config: parameter: t: \"x\"}"},
	{"a pattern before a role that is declared twice", "-- s/roles --\nrole: [string]: config: scale: hsize: 2\nrole: b: artifact: c.#Artifact\nrole: b: config: parameter: t: \"x\""},
	{"a pattern between the declarations of a role", "-- s/roles --\nrole: b: artifact: c.#Artifact\nrole: [string]: config: scale: hsize: 2\nrole: b: config: parameter: t: \"x\""},
	{"a pattern with a part of a role's struct", "-- s/roles --\nrole: [=~\"^b\"]: config: {parameter: o: x: 1, scale: hsize: 2}\nrole: b: {artifact: c.#Artifact, config: {parameter: o: {y: \"q\"}}}\nrole: b1: {artifact: c.#Artifact, config: parameter: t: \"x\"}\nrole: b2: artifact: c.#Artifact"},
	{"a pattern in another file", "-- s/roles --\nrole: b: artifact: c.#Artifact\nrole: d: {artifact: c.#Artifact, config: parameter: {t: \"x\", o: y: \"z\"}}\n-- s/a.cue --\npackage service\n#Artifact: description: role: [string]: config: {parameter: o: w: 1, scale: hsize: 2}"},
	{"a scale of a parameter, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: hsize: description.config.parameter.n}", "q0: qos: load: 2") + "-- s/config --\nn: *2 | uint\n"},
	{"an optional field of a scale, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: {qos: load: 3, hsize?: <2}}", "q0: hsize: 5")},
	{"a pattern in a scale, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: {qos: load: 3, [=~\"^h\"]: <2}}", "q0: hsize: 5")},
	{"a closed scale, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: close({qos: load: 3})}", "q0: hsize: 5")},
	{"a definition as a scale, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: #S}", "q0: hsize: 5") + "-- s/more --\n#S: qos: load: 3\n"},
	{"an open definition as a scale, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: #S}", "q0: hsize: 5") + "-- s/more --\n#S: {qos: load: 3, ...}\n"},
	{"a pattern over roles' scales, beside the deployment's", scaled("role: [string]: config: scale: hsize?: <3\nrole: q0: {artifact: q.#Artifact, config: scale: qos: load: 3}", "q0: hsize: 5")},
	{"a pattern over roles' scales, in another file", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: load: 3}", "q0: hsize: 5") + "-- s/b.cue --\npackage service\n#Artifact: description: role: [string]: config: scale: hsize?: <3\n"},
	{"a closed quality of service, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: close({load: 3})}", "q0: qos: more: 2")},
	{"a pattern in a quality of service, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: {load: 3, [string]: <5}}", "q0: qos: more: 7")},
	{"an embedded struct in a scale, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: {#S, qos: load: 3}}", "q0: hsize: 7") + "-- s/more --\n#S: {hsize?: <5, qos: {...}}\n"},
	{"a check in a scale, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: {qos: load: 3, _h: hsize, hsize?: int, _ok: true & (_h < 5)}}", "q0: hsize: 7")},
	{"a scale that says how many it may be, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: hsize?: <2}", "q0: hsize: 5")},
	{"a scale with a pattern alone, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: [string]: <2}", "q0: hsize: 5")},
	{"a scale with nothing, closed, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: close({})}", "q0: hsize: 5")},
	{"a scale that is computed, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: hsize: description.config.parameter.n + 1}", "q0: qos: load: 2") + "-- s/config --\nn: *2 | uint\n"},
	{"a scale under a condition, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: {qos: load: 1, if description.config.parameter.n > 1 {hsize: 3}}}", "q0: qos: more: 2") + "-- s/config --\nn: *2 | uint\n"},
	{"a scale under a condition that does not hold, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: {qos: load: 1, if description.config.parameter.n > 2 {hsize: 3}}}", "q0: {hsize: 1, qos: more: 2}") + "-- s/config --\nn: *2 | uint\n"},
	{"a text in a scale, beside the deployment's", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: load: \"<\\(description.config.parameter.t)>\"}", "q0: hsize: 2")},
	{"a scale, beside a default of the service's", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: load: 3}", "q1: hsize: 2") + "-- s/more --\n#Artifact: description: config: scale: detail: q0: hsize: *2 | uint\n"},
	{"a scale, beside a default of the service's that is given", scaled("role: q0: {artifact: q.#Artifact, config: scale: qos: load: 3}", "q0: hsize: 5") + "-- s/more --\n#Artifact: description: config: scale: detail: q0: hsize: *2 | uint\n"},
	{"instances that are no number", sized("n: *2 | string", "config.parameter.n", `n: "x"`, "")},
	{"instances of a text", sized("n: *2 | uint", `"\(config.parameter.n)"`, "n: 3", "")},
	{"instances that are made and given", sized("n: *2 | uint", "config.parameter.n", "n: 3", "n: 4") + "role: n0: config: scale: hsize: 3\n"},
	{"instances that are made and given otherwise", sized("n: *2 | uint", "config.parameter.n", "n: 3", "n: 4") + "role: n0: config: scale: hsize: 2\n"},
	{"instances that are made, and a scale with more", sized("n: *2 | uint", "config.parameter.n", "n: 3", "n: 4") + "role: n0: config: scale: other: 2\n"},
	{"a scale beyond bounds", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: {scale: hsize: 999999999999999}}"},
	{"a composed label", "-- s/roles --\nrole: \"e\u0301\": {artifact: c.#Artifact, config: parameter: o: \"e\u0301\": description.config.parameter.t}"},
	{"a composed label among others", "-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: {t: description.config.parameter.t, o: {\"e\u0301\": description.config.parameter.t, \"\u00e9\": description.config.parameter.t}}}"},
	{"a composed label in a described one", "-- c/more --\ncode: c: mapping: env: \"e\u0301\": value: config.parameter.t"},
	{"a quoted parameter that looks hidden", "-- s/more --\n#Artifact: description: role: a: config: parameter: o: \"_x\": description.config.parameter.t"},
	{"a quoted parameter that looks hidden, in two", "-- s/roles --\nrole: b: {artifact: m.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\n-- m/roles --\nrole: q: {artifact: c.#Artifact, config: parameter: o: \"_x\": description.config.parameter.t}"},
	{"a quoted parameter that looks like a definition", "-- c/config --\n\"#x\": *\"q\" | string, #x: \"d\"\n-- c/more --\ncode: c: mapping: env: A: value: config.parameter.#x"},
	{"variables of a map of config", "-- c/config --\nm: {[string]: string}\n-- c/more --\ncode: c: mapping: env: {for k, v in config.parameter.m {\"M_\\(k)\": value: v}}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: m: {x: \"1\", y: \"2\"}}\nrole: d: {artifact: c.#Artifact, config: parameter: m: {}}"},
	{"a plain role beside roles with computed names", "-- s/config --\nn: *1 | int\nl: *[\"a\", \"b\"] | [...string]\n-- s/roles --\nrole: first: {artifact: c.#Artifact, config: parameter: t: \"\\(description.config.parameter.n > 1)\"}\nfor x in description.config.parameter.l {role: \"r\\(x)\": {artifact: c.#Artifact, config: parameter: t: x}}"},
	{"a role's parameter by a table", "-- s/config --\nz: *\"small\" | \"large\"\n-- deploy/config --\nz: \"large\"\n-- s/more --\n_sizes: {small: t: \"1\", large: t: \"8\"}\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: _sizes[description.config.parameter.z].t}"},
	{"a role's parameter by the order of fields", "-- s/config --\nf: {verbose: *1 | int, depth: *2 | int, all: *3 | int}\n-- deploy/config --\nf: depth: 5\n-- s/roles --\nrole: b: {artifact: c.#Artifact, config: parameter: t: [for k, _ in description.config.parameter.f {k}][0]}\nrole: d: {artifact: c.#Artifact, config: parameter: t: \"\\([for k, _ in description.config.parameter.f {k}][1])\"}"},
	{"a misspelt field in a list that is gone through", "-- s/config --\nl: [...{n: string}]\n-- deploy/config --\nl: [{n: \"a\", z: 1}]\n-- s/roles --\nfor x in description.config.parameter.l {role: \"r\\(x.n)\": {artifact: c.#Artifact, config: parameter: t: x.n}}"},
	{"two lists that exclude each other", "-- s/config --\nl: [...string]\n-- deploy/config --\nl: [\"p\", \"q\"]\nl: [\"z\", \"z\"]"},
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
	{"a role under a condition", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.on {role: b: {artifact: c.#Artifact, config: parameter: t: \"b\"}}\nif description.config.parameter.off {role: d: {artifact: c.#Artifact, config: parameter: t: \"d\"}}"},
	{"a role under a condition on what is given", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.n > 3 {role: b: {artifact: c.#Artifact, config: parameter: t: \"b\"}}\nif description.config.parameter.n > 6 {role: d: {artifact: c.#Artifact, config: parameter: t: \"d\"}}\n-- deploy/config --\nn: 5"},
	{"roles under a condition in the roles", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nrole: {\n	if description.config.parameter.on {b: {artifact: c.#Artifact, config: parameter: t: \"b\"}, d: {artifact: c.#Artifact, config: parameter: t: \"d\"}}\n	e: {artifact: c.#Artifact, config: parameter: t: \"e\"}\n}"},
	{"roles under conditions in conditions", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.on {\n	role: b: {artifact: c.#Artifact, config: parameter: t: \"b\"}\n	if description.config.parameter.n < 3 {role: d: {artifact: c.#Artifact, config: parameter: t: \"d\"}}\n	if description.config.parameter.off if description.config.parameter.opt == \"x\" {role: e: {artifact: c.#Artifact, config: parameter: t: \"e\"}}\n}\nif description.config.parameter.on if description.config.parameter.n == 1 {role: f: {artifact: c.#Artifact, config: parameter: t: \"f\"}}"},
	{"a role under a condition on an optional parameter", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.opt != _|_ {role: b: {artifact: c.#Artifact, config: parameter: t: description.config.parameter.opt}}"},
	{"a role under a condition on an optional parameter that is given", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.opt != _|_ {role: b: {artifact: c.#Artifact, config: parameter: t: description.config.parameter.opt}}\n-- deploy/config --\nopt: \"o\""},
	{"a parameter under a condition", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nrole: b: {artifact: c.#Artifact, config: parameter: {if description.config.parameter.on {t: \"on\"}, if description.config.parameter.off {t: \"off\"}, o: q: \"q\"}}\nrole: d: {artifact: c.#Artifact, config: parameter: {if description.config.parameter.off {t: \"off\"}}}"},
	{"a parameter under a condition beside the same", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nrole: b: {artifact: c.#Artifact, config: parameter: {t: string, if description.config.parameter.on {t: \"on\"}}}"},
	{"a parameter that another refers to, under a condition", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nrole: b: {artifact: c.#Artifact, config: parameter: {if description.config.parameter.on {t: \"on\"}, o: q: \"<\\(description.role.b.config.parameter.t)>\"}}"},
	{"a connector under a condition", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- c/more --\nsrv: client: out: protocol: \"http\"\n-- s/roles --\n«eight»\nif description.config.parameter.on {connect: x: {from: a: \"out\", to: z2: in0: _}}\nrole: z2: {artifact: c.#Artifact, config: parameter: t: \"z\"}\nif description.config.parameter.off {connect: y: {from: z2: \"out\", to: a: in0: _}}"},
	{"a condition that nobody can tell", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.n > \"x\" {role: b: {artifact: c.#Artifact, config: parameter: t: \"b\"}}"},
	{"a condition on what is absent", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.opt == \"x\" {role: b: {artifact: c.#Artifact, config: parameter: t: \"b\"}}"},
	{"a mistake under a condition that does not hold", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.off {role: b: {artifact: c.#Artifact, config: parameter: t: absent}}"},
	{"an artifact that is absent, under a condition that does not hold", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.off {role: b: {artifact: c.#Absent, config: parameter: t: \"x\"}}"},
	{"a mistake under a condition that holds", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.on {role: b: {artifact: c.#Artifact, config: parameter: {t: 5, u: \"x\"}}}"},
	{"the same role under two conditions", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.on {role: b: {artifact: c.#Artifact, config: parameter: t: \"x\"}}\nif description.config.parameter.n == 1 {role: b: config: scale: hsize: 2}\nif description.config.parameter.n == 2 {role: b: config: scale: hsize: 3}"},
	{"a role that is refined under a condition", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- c/more --\ncode: c: entrypoint: *[\"e\"] | [...string]\n-- s/roles --\n«eight»\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"x\"}\nif description.config.parameter.on {role: b: artifact: description: code: c: entrypoint: [\"b\"]}"},
	{"a role with a name that is computed, under a condition", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.on {role: \"b\\(description.config.parameter.n)\": {artifact: c.#Artifact, config: parameter: t: \"b\"}}"},
	{"a condition that names a field of its own", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nif description.config.parameter.on {let u = \"u\", role: b: {artifact: c.#Artifact, config: parameter: t: u}}\nif description.config.parameter.on {_v: \"v\", role: d: {artifact: c.#Artifact, config: parameter: t: _v}}\nif description.config.parameter.on {role: e: {artifact: c.#Artifact, config: parameter: t: role.e.config.parameter.o.q}, role: e: config: parameter: o: q: \"q\"}"},
	{"a condition in a loop", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nfor x in [\"l1\", \"l2\"] {if x == \"l1\" {role: (x): {artifact: c.#Artifact, config: parameter: t: \"l\"}}}\nfor x in [\"m1\", \"m2\"] if description.config.parameter.on {role: (x): {artifact: c.#Artifact, config: parameter: t: \"m\"}}"},
	{"a condition with else", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/roles --\n«eight»\nrole: b: {artifact: c.#Artifact, config: parameter: {if description.config.parameter.off {t: \"off\"} else {t: \"on\"}}}"},
	{"a condition in a definition of several roles", "-- s/config --\nn: *1 | int, on: *true | bool, off: *false | bool, opt?: string\n-- s/more --\n#w: {config: {parameter: {...}, ...}, ...}\n#Artifact: description: {config: parameter: _, role: [string]: {config: parameter: {if description.config.parameter.on {o: w: \"w\", ...}, ...}, ...}}\n-- s/roles --\n«eight»\nrole: b: {artifact: c.#Artifact, config: parameter: t: \"b\"}"},
	{"conditions of a service that is used twice", "-- m/roles --\n«eight»\nif description.config.parameter.t == \"1\" {role: q: {artifact: c.#Artifact, config: parameter: t: \"q\"}}\nif description.config.parameter.t != \"1\" {role: r: {artifact: c.#Artifact, config: parameter: t: \"r\"}}\n-- s/roles --\nrole: b0: {artifact: m.#Artifact, config: parameter: t: \"0\"}\nrole: b1: {artifact: m.#Artifact, config: parameter: t: \"1\"}\nrole: b2: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: b3: {artifact: m.#Artifact, config: parameter: t: \"3\"}"},
	{"conditions of a service that is used often", "-- m/roles --\n«eight»\nif description.config.parameter.t =~ \"0\" {role: q0: {artifact: c.#Artifact, config: parameter: t: \"q\"}}\nif description.config.parameter.t =~ \"1\" {role: q1: {artifact: c.#Artifact, config: parameter: t: \"q\"}}\nif description.config.parameter.t =~ \"2\" {role: q2: {artifact: c.#Artifact, config: parameter: t: \"q\"}}\nif description.config.parameter.t =~ \"3\" {role: q3: {artifact: c.#Artifact, config: parameter: t: \"q\"}}\nif description.config.parameter.t =~ \"4\" {role: q4: {artifact: c.#Artifact, config: parameter: t: \"q\"}}\n-- s/roles --\nrole: b0: {artifact: m.#Artifact, config: parameter: t: \"0\"}\nrole: b1: {artifact: m.#Artifact, config: parameter: t: \"1\"}\nrole: b2: {artifact: m.#Artifact, config: parameter: t: \"2\"}\nrole: b3: {artifact: m.#Artifact, config: parameter: t: \"3\"}\nrole: b4: {artifact: m.#Artifact, config: parameter: t: \"4\"}\nrole: b5: {artifact: m.#Artifact, config: parameter: t: \"01\"}\nrole: b6: {artifact: m.#Artifact, config: parameter: t: \"02\"}\nrole: b7: {artifact: m.#Artifact, config: parameter: t: \"03\"}\nrole: b8: {artifact: m.#Artifact, config: parameter: t: \"04\"}\nrole: b9: {artifact: m.#Artifact, config: parameter: t: \"12\"}\nrole: b10: {artifact: m.#Artifact, config: parameter: t: \"13\"}"},
	{"an artifact refined beside expressions", "-- c/imports --\n\"strings\"\n-- c/more --\n_u: strings.ToUpper(config.parameter.t)\ncode: c: {image: tag: *\"i:0\" | string, cmd: [_u, config.parameter.t], mapping: env: {A: value: strings.ToUpper(config.parameter.t), B: value: strings.Join([config.parameter.t, _u], \"+\"), C: value: \"\\(config.parameter.t)!\"}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: code: c: image: tag: \"i:1\"}, config: parameter: t: \"x\"}\nrole: b1: {artifact: c.#Artifact & {description: code: c: image: tag: \"i:1\"}, config: parameter: t: \"y\"}\nrole: b2: {artifact: c.#Artifact & {description: code: c: image: tag: \"i:2\"}, config: parameter: t: \"X\"}\nrole: b3: {artifact: c.#Artifact & {description: code: c: image: tag: \"i:3\"}, config: parameter: t: \"z z\"}\nrole: b4: {artifact: c.#Artifact & {description: code: c: image: tag: \"i:4\"}, config: parameter: t: \"x\"}"},
	{"an artifact refined with other values", "-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: code: c: {user: {userid: 7, groupid: 8}}}, config: {parameter: t: \"x\"}}\nrole: b1: {artifact: c.#Artifact & {description: code: c: {user: {userid: 8, groupid: 9}}}, config: {parameter: t: \"x\"}}\nrole: b2: {artifact: c.#Artifact & {description: code: c: {user: {userid: 9, groupid: 10}}}, config: {parameter: t: \"x\"}}"},
	{"an artifact refined over defaults", "-- c/more --\ncode: c: {cmd: *[\"e\"] | [...string], user: *{userid: 1, groupid: 1} | {userid: int, groupid: int}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: code: c: {user: userid: 7, user: groupid: 3}}, config: {parameter: t: \"x\"}}\nrole: b1: {artifact: c.#Artifact & {description: code: c: {user: userid: 8, user: groupid: 3}}, config: {parameter: t: \"x\"}}\nrole: b2: {artifact: c.#Artifact & {description: code: c: {user: userid: 9, user: groupid: 3}}, config: {parameter: t: \"x\"}}"},
	{"an artifact refined over a default text", "-- c/more --\nsrv: server: in1: {port: *81 | uint16, protocol: *\"tcp\" | \"http\"}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: srv: server: in1: {port: 8000, protocol: \"tcp\"}}, config: parameter: t: \"0\"}\nrole: b1: {artifact: c.#Artifact & {description: srv: server: in1: {port: 8001, protocol: \"http\"}}, config: parameter: t: \"1\"}\nrole: b2: {artifact: c.#Artifact & {description: srv: server: in1: {port: 8002, protocol: \"http\"}}, config: parameter: t: \"2\"}"},
	{"an artifact refined with a value that it shows", "-- c/more --\nsrv: server: in1: port: *81 | uint16\ncode: c: mapping: env: {A: value: \"\\(srv.server.in1.port)\", if srv.server.in1.port > 8000 {B: value: \"high\"}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: srv: server: in1: port: 7999}, config: parameter: t: \"0\"}\nrole: b1: {artifact: c.#Artifact & {description: srv: server: in1: port: 8000}, config: parameter: t: \"1\"}\nrole: b2: {artifact: c.#Artifact & {description: srv: server: in1: port: 8001}, config: parameter: t: \"2\"}"},
	{"an artifact refined against what it says in one role", "-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: code: c: {image: tag: \"i:1\"}}, config: {parameter: t: \"x\"}}\nrole: b1: {artifact: c.#Artifact & {description: code: c: {image: tag: \"i:2\"}}, config: {parameter: t: \"x\"}}\nrole: b2: {artifact: c.#Artifact & {description: code: c: {image: tag: \"i:1\"}}, config: {parameter: t: \"x\"}}"},
	{"an artifact refined with another kind in one role", "-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: code: c: {user: {userid: 1, groupid: 1}}}, config: {parameter: t: \"x\"}}\nrole: b1: {artifact: c.#Artifact & {description: code: c: {user: {userid: 2, groupid: 1}}}, config: {parameter: t: \"x\"}}\nrole: b2: {artifact: c.#Artifact & {description: code: c: {user: {userid: \"x\", groupid: 1}}}, config: {parameter: t: \"x\"}}"},
	{"an artifact refined with parameters of other values", "-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: {config: parameter: {t: *\"q\" | string, n: 0}, code: c: user: {userid: 0, groupid: 1}}}, config: parameter: t: \"x\"}\nrole: b1: {artifact: c.#Artifact & {description: {config: parameter: {t: *\"q\" | string, n: 1}, code: c: user: {userid: 1, groupid: 1}}}, config: parameter: t: \"x\"}\nrole: b2: {artifact: c.#Artifact & {description: {config: parameter: {t: *\"q\" | string, n: 0}, code: c: user: {userid: 2, groupid: 1}}}, config: parameter: t: \"x\"}"},
	{"an artifact refined in two places with other values", "-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: code: c: user: userid: 1}, config: parameter: t: \"x\"}\nrole: b0: artifact: description: code: c: user: groupid: 1\nrole: b1: {artifact: c.#Artifact & {description: code: c: user: userid: 2}, config: parameter: t: \"x\"}\nrole: b1: artifact: description: code: c: user: groupid: 3\nrole: b2: {artifact: c.#Artifact & {description: code: c: user: userid: 3}, config: parameter: t: \"x\"}\nrole: b2: artifact: description: code: c: user: groupid: 5"},
	{"an artifact embedded and refined with other values", "-- s/roles --\nrole: b0: {artifact: {c.#Artifact, description: code: c: user: {userid: 1, groupid: 1}}, config: parameter: t: \"x\"}\nrole: b1: {artifact: {c.#Artifact, description: code: c: user: {userid: 2, groupid: 1}}, config: parameter: t: \"x\"}\nrole: b2: {artifact: {c.#Artifact, description: code: c: user: {userid: 3, groupid: 1}}, config: parameter: t: \"x\"}"},
	{"an artifact refined with a name of its own", "-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: {_u: 1, code: c: user: {userid: _u, groupid: 3}}}, config: parameter: t: \"x\"}\nrole: b1: {artifact: c.#Artifact & {description: {_u: 2, code: c: user: {userid: _u, groupid: 4}}}, config: parameter: t: \"x\"}\nrole: b2: {artifact: c.#Artifact & {description: {_u: 3, code: c: user: {userid: _u, groupid: 5}}}, config: parameter: t: \"x\"}"},
	{"a service refined with other values", "-- s/roles --\nrole: b0: {artifact: m.#Artifact & {description: role: leaf: meta: n: 0}}\nrole: b1: {artifact: m.#Artifact & {description: role: leaf: meta: n: 1}}\nrole: b2: {artifact: m.#Artifact & {description: role: leaf: meta: n: 2}}"},
	{"an artifact refined with other values below a service", "-- s/roles --\nrole: b: {artifact: m.#Artifact, config: parameter: t: \"1\"}\nrole: d: {artifact: m.#Artifact, config: parameter: t: \"2\"}\n-- m/roles --\nrole: q0: {artifact: c.#Artifact & {description: code: c: user: {userid: 1, groupid: 1}}, config: parameter: t: description.config.parameter.t}\nrole: q1: {artifact: c.#Artifact & {description: code: c: user: {userid: 2, groupid: 1}}, config: parameter: t: description.config.parameter.t}"},
	{"a field called description in a refinement", "-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: code: c: mapping: filesystem: \"/e\": {data: value: {description: config: 0, n: 0}, format: \"json\"}}, config: parameter: t: \"x\"}\nrole: b1: {artifact: c.#Artifact & {description: code: c: mapping: filesystem: \"/e\": {data: value: {description: config: 1, n: 1}, format: \"json\"}}, config: parameter: t: \"x\"}\nrole: b2: {artifact: c.#Artifact & {description: code: c: mapping: filesystem: \"/e\": {data: value: {description: config: 2, n: 2}, format: \"json\"}}, config: parameter: t: \"x\"}"},
	{"a negative value and a long text in a refinement", "-- s/roles --\nrole: b0: {artifact: c.#Artifact & {description: code: c: mapping: filesystem: \"/e\": {data: value: {n: -0, m: \"\"\"\n	l 0\n	\"\"\", o: 0.5, p: [0], q: true}, format: \"json\"}}, config: parameter: t: \"x\"}\nrole: b1: {artifact: c.#Artifact & {description: code: c: mapping: filesystem: \"/e\": {data: value: {n: -1, m: \"\"\"\n	l 1\n	\"\"\", o: 1.5, p: [1], q: false}, format: \"json\"}}, config: parameter: t: \"x\"}\nrole: b2: {artifact: c.#Artifact & {description: code: c: mapping: filesystem: \"/e\": {data: value: {n: -2, m: \"\"\"\n	l 2\n	\"\"\", o: 2.5, p: [2], q: null}, format: \"json\"}}, config: parameter: t: \"x\"}"},
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
	{"a container under a condition that shows parameters", "-- c/config --\nn: *1 | int\n-- c/more --\nif config.parameter.n > 1 {code: d: {image: tag: config.parameter.t, mapping: env: A: value: \"<\\(config.parameter.t)>\", size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 2, t: \"v0\"}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {n: 3, t: \"v1\"}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {n: 1, t: \"v2\"}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {n: 4, t: \"v3\"}}\nrole: b4: {artifact: c.#Artifact, config: parameter: {n: 5, t: \"v4\"}}\nrole: b5: {artifact: c.#Artifact, config: parameter: {n: 6, t: \"v5\"}}"},
	{"a probe under a condition that shows a parameter", "-- c/config --\nn: *1 | int\n-- c/more --\nif config.parameter.n > 1 {probe: c: liveness: protocol: http: {port: 80, path: config.parameter.t}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 2, t: \"v0\"}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {n: 3, t: \"v1\"}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {n: 1, t: \"v2\"}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {n: 4, t: \"v3\"}}\nrole: b4: {artifact: c.#Artifact, config: parameter: {n: 5, t: \"v4\"}}\nrole: b5: {artifact: c.#Artifact, config: parameter: {n: 6, t: \"v5\"}}"},
	{"a file under a condition that shows parameters", "-- c/config --\nn: *1 | int\n-- c/more --\nif config.parameter.n > 1 {code: c: mapping: filesystem: \"/e\": {data: value: {a: config.parameter.t, l: [config.parameter.n]}, format: \"json\"}}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 2, t: \"v0\"}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {n: 3, t: \"v1\"}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {n: 1, t: \"v2\"}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {n: 4, t: \"v3\"}}\nrole: b4: {artifact: c.#Artifact, config: parameter: {n: 5, t: \"v4\"}}\nrole: b5: {artifact: c.#Artifact, config: parameter: {n: 6, t: \"v5\"}}"},
	{"a list of copies of structs in a file", "-- c/config --\nn: *1 | int\n-- c/more --\ncode: c: mapping: filesystem: \"/e\": {data: value: [config.parameter.o, {p: config.parameter.o}, for k, v in config.parameter.o {v}], format: \"json\"}\n-- s/roles --\nrole: b0: {artifact: c.#Artifact, config: parameter: {n: 2, t: \"v0\"}}\nrole: b1: {artifact: c.#Artifact, config: parameter: {n: 3, t: \"v1\"}}\nrole: b2: {artifact: c.#Artifact, config: parameter: {n: 1, t: \"v2\"}}\nrole: b3: {artifact: c.#Artifact, config: parameter: {n: 4, t: \"v3\"}}\nrole: b4: {artifact: c.#Artifact, config: parameter: {n: 5, t: \"v4\"}}\nrole: b5: {artifact: c.#Artifact, config: parameter: {n: 6, t: \"v5\"}}"},
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

// sized is the files of a form with a component that makes the number of its instances, by an
// expression, of parameters. Each role gives those.
func sized(parameters, hsize string, roles ...string) string {
	out := "-- n/n.cue --\npackage component\nimport k \"kumori.systems/kumori:kumori\"\n#Artifact: k.#Component & {ref: name: \"n\", description: {config: {parameter: " + parameters + ", scale: hsize: " + hsize + "}\n" +
		"code: c: {image: tag: \"i:1\", size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}}, size: bandwidth: {size: 9, unit: \"M\"}}}\n" +
		"-- s/imports --\nn \"forms.example/app/n:component\"\n-- s/config --\nt2: *5 | uint\n-- s/roles --\n"
	for i, given := range roles {
		out += fmt.Sprintf("role: n%d: {artifact: n.#Artifact, config: parameter: {%s}}\n", i, given)
	}
	return out
}

// scaled is the files of a form with roles, and what the deployment gives as their scales.
func scaled(roles, detail string) string {
	return "-- q/q.cue --\npackage component\nimport k \"kumori.systems/kumori:kumori\"\n#Artifact: k.#Component & {ref: name: \"q\", description: {config: {parameter: {}, scale: {hsize: *1 | uint, qos: {load: *10 | _, ...}}}\n" +
		"code: c: {image: tag: \"i:1\", size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}, mapping: env: Q: value: \"\\(config.scale.qos.load)\"}, size: bandwidth: {size: 9, unit: \"M\"}}}\n" +
		"-- s/imports --\nq \"forms.example/app/q:component\"\n-- s/roles --\n" + roles + "\n-- deploy/config --\n}\nconfig: scale: detail: {" + detail + "\n"
}

// eight makes a service one with many roles.
const eight = `role: {y0: c0, y1: c0, y2: c0, y3: c0, y4: c0, y5: c0, y6: c0, y7: c0}`

// formed is formsApp with what files say in its places.
func formed(files string) string {
	files = strings.ReplaceAll(files, "«eight»", strings.ReplaceAll(eight, "c0", `{artifact: c.#Artifact, config: parameter: t: "y"}`))
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
	for n, form := range forms {
		if seldom(n) {
			continue
		}
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			compareForm(t, form.files)
		})
	}
}

// compareForm compares a form with what CUE alone makes of it.
func compareForm(t *testing.T, files string) {
	in := formIn(t, files)
	if diff := partialDiffers(in); diff != "" {
		t.Errorf("%s\n(-CUE +partial):\n%s", files, strings.ReplaceAll(diff, filepath.Dir(in.Dir), ""))
	}
}

// formIn writes a form.
func formIn(t *testing.T, files string) (in compiler.Input) {
	dir := t.TempDir()
	write(t, dir, formed(files))
	in.Dir = filepath.Join(dir, "deploy")
	return in
}

// partialDiffers compares all that can be told of a run with what CUE alone makes. An internal error in
// either counts as a difference.
func partialDiffers(in compiler.Input) string {
	in.NoPartial = true
	want := toldOf(in)
	in.NoPartial = false
	got := toldOf(in)
	for _, line := range slices.Concat(want, got) {
		if strings.Contains(line, "["+string(diag.Internal)+"]") {
			return line
		}
	}
	return cmp.Diff(want, got)
}

// toldOf is all that can be told of a run: the problems, or the tree down to the
// places of leaves, and the solution.
func toldOf(in compiler.Input) (told []string) {
	return toldAbout(compiler.Run(context.Background(), in, compiler.ExtractStage))
}

// toldAbout is [toldOf] for a run that is over.
func toldAbout(result *compiler.Result, found diag.List) (told []string) {
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
