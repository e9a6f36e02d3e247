package compiler_test

// lookupForms are artifacts that show a part of something, and which part it is depends on config.
var lookupForms = []decidedForm{
	{name: "a table by a hidden field of the description", config: `z: *"small" | "large"`, given: lookupGiven,
		description: "_sizes: {small: {cpu: 1, n: \"one\"}, large: {cpu: 8, n: \"eight\"}}\ncode: c: mapping: env: {A: value: \"\\(_sizes[config.parameter.z].cpu)\", B: value: _sizes[config.parameter.z].n}"},
	{name: "a table by a definition", config: `z: *"small" | "large"`, given: lookupGiven,
		description: "#sizes: {small: {cpu: 1, n: \"one\"}, large: {cpu: 8, n: \"eight\"}}\ncode: c: {image: tag: _, mapping: env: {A: value: \"\\(#sizes[config.parameter.z][\"cpu\"])\", B: value: #sizes[config.parameter.z].n}}"},
	{name: "a table by a let", config: `z: *"small" | "large"`, given: lookupGiven,
		description: "let sizes = {small: {cpu: 1, n: \"one\"}, large: {cpu: 8, n: \"eight\"}}\nlet mine = sizes[config.parameter.z]\ncode: c: mapping: env: {A: value: \"\\(sizes[config.parameter.z].cpu)\", B: value: mine.n}"},
	{name: "a table by a name for one of its parts", config: `z: *"small" | "large"`, given: lookupGiven,
		description: "_sizes: {small: {cpu: 1, n: \"one\"}, large: {cpu: 8, n: \"eight\"}}\n_mine: _sizes[config.parameter.z]\ncode: c: mapping: env: {A: value: \"\\(_mine.cpu)\", B: value: _mine.n}"},
	{name: "a table of a library", config: `z: *"small" | "large"`, given: lookupGiven,
		imports:     "l \"forms.example/app/l:lib\"\n-- l/a.cue --\npackage lib\n#Sizes: {small: {cpu: 1, n: \"one\"}, large: {cpu: 8, n: \"eight\"}}",
		description: `code: c: mapping: env: {A: value: "\(l.#Sizes[config.parameter.z].cpu)", B: value: l.#Sizes[config.parameter.z].n}`},
	{name: "a table in a table", config: `z: *"small" | "large", y: *"a" | "b"`, given: append([]string{`{z: "large", y: "b"}`, `y: "b"`}, lookupGiven...),
		description: "_sizes: {small: {a: n: \"1a\", b: n: \"1b\"}, large: {a: n: \"8a\", b: n: \"8b\"}}\ncode: c: mapping: env: {A: value: _sizes[config.parameter.z][config.parameter.y].n, B: value: _sizes[config.parameter.z].b.n}"},
	{name: "a list of structs", config: `i: *0 | int`, given: []string{`{}`, `i: 1`, `i: 2`, `i: 3`, `i: -1`, `i: 0`},
		description: "_l: [{n: \"a\"}, {n: \"b\"}, {n: \"c\"}]\ncode: c: mapping: env: A: value: _l[config.parameter.i].n"},
	{name: "a table for a condition, a loop and a file", config: `z: *"small" | "large"`, given: lookupGiven,
		description: "_sizes: {small: {big: false, l: [\"s\"], m: {x: \"s\"}}, large: {big: true, l: [\"l\", \"g\"], m: {x: \"l\", y: \"g\"}}}\ncode: c: mapping: {env: {if _sizes[config.parameter.z].big {BIG: value: \"yes\"}, for x in _sizes[config.parameter.z].l {\"L_\\(x)\": value: x}}, filesystem: \"/t\": {data: value: _sizes[config.parameter.z].m, format: \"json\"}}"},
	{name: "a table for a port and an image", config: `z: *"small" | "large"`, given: lookupGiven,
		description: "_sizes: {small: {p: 81, i: \"i:s\"}, large: {p: 82, i: \"i:l\"}}\nsrv: server: in2: port: _sizes[config.parameter.z].p\ncode: e: {image: tag: _sizes[config.parameter.z].i, size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}}"},
	{name: "a table for another parameter", config: "z: *\"small\" | \"large\", n: *_sizes[z].cpu | int, m: _sizes[z].cpu\n_sizes: {small: cpu: 1, large: cpu: 8}", given: append([]string{`{z: "large", n: 3}`}, lookupGiven...)},
	{name: "a part of the description by its name", config: `z: *"A" | "B"`, given: []string{`{}`, `z: "B"`, `z: "A"`, `z: "C"`},
		description: "code: c: mapping: env: {A: value: \"a\", B: value: \"b\", X: value: \"of \\(code.c.mapping.env[config.parameter.z].value)\"}"},
	{name: "parts of loops' variables", config: `z: *"small" | "large"`, given: lookupGiven,
		description: "_all: [{small: n: \"1\", large: n: \"2\"}, {small: n: \"3\", large: n: \"4\"}]\ncode: c: mapping: env: {for i, x in _all {\"A\\(i)\": value: x[config.parameter.z].n}}"},

	{name: "a choice without a field in common", config: `p: *{memory: true} | {disk: string}, q: {x: int} | {y: int} | *{z: 0}`, given: choicesGiven,
		description: `code: c: mapping: filesystem: "/p": {data: value: config.parameter.p, format: "json"}`},
	{name: "choices that are shown apart", config: `p: *{memory: true} | {disk: string}, q: {x: int} | {y: int} | *{z: 0}`, given: choicesGiven,
		description: "code: c: mapping: filesystem: {\"/p\": {data: value: {a: config.parameter.p, b: config.parameter.q}, format: \"json\"}, \"/q\": {data: value: [config.parameter.q], format: \"json\"}}"},
	{name: "choices by definitions", config: `p: *#M | #D, q: #X | #Y | *{z: 0}`, imports: "\n-- c/t.cue --\npackage component\n#M: {memory: *true | bool}\n#D: {disk: string}\n#X: {x: int}\n#Y: {y: int}\n", given: choicesGiven,
		description: `code: c: mapping: filesystem: "/p": {data: value: {a: config.parameter.p, b: config.parameter.q}, format: "json"}`},
	{name: "a choice that a hidden check is beside", config: `p: *{memory: true} | {disk: string}, q: {x: int} | {y: int} | *{z: 0}, _ok: (p & {disk: _}) != _|_ || q.z == 0`, given: choicesGiven},
	{name: "what is asked of a choice", config: `p: *{memory: true} | {disk: string}, q: {x: int} | {y: int} | *{z: 0}`, given: choicesGiven,
		description: "code: c: mapping: env: {if (config.parameter.p & {disk: _}) != _|_ {DISK: value: \"yes\"}, if config.parameter.p.memory != _|_ {MEMORY: value: \"yes\"}, if config.parameter.q.x == _|_ {NOX: value: \"yes\"}}"},
	{name: "a choice with an empty struct", config: `p: *{} | {disk: string, n: *1 | int}, q?: int`, given: []string{`{}`, `p: disk: "a"`, `{p: {disk: "b", n: 2}}`, `p: {}`, `p: x: 1`},
		description: "code: c: mapping: filesystem: \"/p\": {data: value: config.parameter.p, format: \"json\"}"},
	{name: "a choice with kinds that are no structs", config: `p: *false | true | {level: int}, q: *"x" | string | [...string]`,
		given:       []string{`{}`, `p: true`, `p: level: 3`, `q: ["a", "b"]`, `{p: {level: 4}, q: "y"}`, `q: ["a"]`, `p: false`},
		description: "_name: config.parameter.t\ncode: c: mapping: env: {if (config.parameter.p & {level: _}) != _|_ {LEVEL: value: \"\\(config.parameter.p.level)\"}, if (config.parameter.q & string) != _|_ {A: value: \"text\"}, if (config.parameter.q & [...]) != _|_ {B: value: \"list\"}}"},
	{name: "a conflict that only defaults have", config: `q: *"x" | string | [...string]`, given: []string{`{}`, `q: ["a", "b"]`, `q: "y"`, `q: ["a"]`},
		description: "code: c: mapping: env: {if (config.parameter.q & string) != _|_ {A: value: \"text\"}, if (config.parameter.q & [...]) != _|_ {A: value: \"list\"}}"},

	{name: "the order of fields in a list", config: `f: {verbose: *1 | int, depth: *2 | int, all: *3 | int}`, given: orderGiven,
		description: `code: c: cmd: [for k, v in config.parameter.f {"--\(k)=\(v)"}]`},
	{name: "the order of fields in a text", imports: `"strings"`, config: `f: {verbose: *1 | int, depth: *2 | int, all: *3 | int}`, given: orderGiven,
		description: `code: c: mapping: env: {A: value: strings.Join([for k, v in config.parameter.f {"--\(k)=\(v)"}], ","), B: value: [for k, _ in config.parameter.f {k}][0]}`},
	{name: "the order of fields by a hidden struct", config: `f: {verbose: *1 | int, depth: *2 | int, all: *3 | int}`, given: orderGiven,
		description: "_s: {for k, v in config.parameter.f {(k): v}}\ncode: c: {cmd: [for k, v in _s {\"\\(k)\"}], mapping: env: {for i, k in [for k, _ in config.parameter.f {k}] {\"N\\(i)\": value: k}}}"},
	{name: "a parameter by the order of fields", imports: `"strings"`, config: `f: {verbose: *1 | int, depth: *2 | int, all: *3 | int}, l: [for k, v in f {"\(k)=\(v)"}], j: strings.Join([for k, _ in f {k}], ",")`, given: orderGiven,
		description: `code: c: cmd: config.parameter.l`},
	{name: "the order of parameters", config: `zz: *1 | int, f: {verbose: *1 | int, depth: *2 | int, all: *3 | int}, aa: *"a" | string`, given: orderGiven,
		description: `code: c: cmd: [for k, _ in config.parameter {k}]`},
	{name: "the order of fields in a template", imports: `"text/template"`, config: `f: {verbose: *1 | int, depth: *2 | int, all: *3 | int}`, given: orderGiven,
		description: `code: c: mapping: env: {A: value: template.Execute("{{range $k, $v := .}}{{$k}}={{$v}},{{end}} {{.}}", config.parameter.f), B: value: template.Execute("{{range .l}}{{.}} {{end}}{{.s}}", {l: [for k, _ in config.parameter.f {k}], s: config.parameter.f})}`},
	{name: "the order of fields in JSON", imports: "\"encoding/json\"\n\"encoding/yaml\"", config: `f: {verbose: *1 | int, depth: *2 | int, all: *3 | int}`, given: orderGiven,
		description: `code: c: mapping: env: {A: value: json.Marshal(config.parameter.f), B: value: yaml.Marshal({z: config.parameter.f, a: 1}), C: value: json.Marshal([for k, v in config.parameter.f {(k): v}])}`},

	{name: "two names that are the same", config: `m: *{} | {[string]: string}`, given: []string{`{}`, `m: {a: "A", b: "B"}`, `m: {a: "A", b: "A"}`, `m: a: "t"`},
		description: `code: c: mapping: env: {for k, v in config.parameter.m {(v): value: k}}`},
	{name: "a part of a list", config: `l: *["a", "b", "c", "d"] | [...string]`, given: []string{`{}`, `l: ["a", "b", "c"]`, `l: []`, `l: ["1", "2", "3", "4", "5"]`},
		description: `code: c: cmd: config.parameter.l[3:]`},
	{name: "one of the names of a table", config: "let sizes = {small: 1, large: 8}\nz: or([for k, _ in sizes {k}])", given: []string{`z: "small"`, `z: "large"`, `z: "huge"`, `{}`, `z: 5`},
		description: "let sizes = {small: 1, large: 8}\ncode: c: mapping: env: A: value: \"\\(sizes[config.parameter.z])\""},
}

var (
	lookupGiven  = []string{`{}`, `z: "large"`, `z: "small"`, `z: "other"`}
	choicesGiven = []string{`{}`, `{p: {disk: "y"}, q: x: 1}`, `q: y: 4`, `p: disk: "/x"`, `{p: {memory: true}, q: z: 0}`, `{p: {disk: "z"}, q: y: 5}`, `p: {disk: "a", memory: true}`, `p: other: 1`, `q: z: 1`}
	orderGiven   = []string{`{}`, `f: depth: 5`, `{f: {all: 1, verbose: 2}}`, `{f: {verbose: 5, depth: 6}}`, `{f: {verbose: 5, depth: 6, all: 7}}`, `{f: {depth: 5, verbose: 6}, t: "x"}`, `{f: {depth: 7, verbose: 6}}`}
)
