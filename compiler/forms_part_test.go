package compiler_test

// partForms are parts of sizes that the model makes of other parts, parameters that are structs with fields that refer to each other,
// choices between kinds of values, and values of which hidden fields say what they must be.
var partForms = []decidedForm{
	{name: "a guaranteed size of its own", config: `m: *80 | int`, description: withSize(`{size: config.parameter.m, unit: "m"}`, `mincpu: 50`), given: givenSizes},
	{name: "a guaranteed size that is a parameter", config: `m: *80 | int, g: *50 | int`, description: withSize(`{size: config.parameter.m, unit: "m"}`, `mincpu: config.parameter.g`), given: givenGuaranteed},
	{name: "a guaranteed size that is computed", config: `m: *80 | int, g: *50 | int`, description: withSize(`{size: config.parameter.m * 2, unit: "m"}`, `mincpu: config.parameter.g + 1`), given: givenGuaranteed},
	{name: "a guaranteed size with a default", config: `m: *80 | int, g: *50 | int`, description: withSize(`{size: config.parameter.m, unit: "m"}`, `mincpu: *config.parameter.g | number`), given: givenGuaranteed},
	{name: "a guaranteed size that nobody says", config: `m: *80 | int, g: *50 | int`, description: withSize(`{size: config.parameter.m, unit: "m"}`, ``), given: givenGuaranteed},
	{name: "a guaranteed size that nobody says of one that is computed", config: `m: *80 | int`, description: withSize(`{size: 10 + config.parameter.m, unit: "m"}`, ``), given: givenSizes},
	{name: "a guaranteed size of a size with a default", config: `m: *80 | int`, description: withSize(`{size: *config.parameter.m | 40 | number, unit: "m"}`, ``), given: givenSizes},
	{name: "a guaranteed size that is said twice", config: `m: *80 | int`, description: withSize(`{size: config.parameter.m, unit: "m"}`, "mincpu: 50\nmincpu: <=config.parameter.m"), given: givenSizes},
	{name: "a guaranteed size under a condition", config: `m: *80 | int`, description: withSize(`{size: config.parameter.m, unit: "m"}`, `if config.parameter.m > 90 {mincpu: 50}`), given: givenSizes},
	{name: "a guaranteed size with a bound", config: `m: *80 | int`, description: withSize(`{size: config.parameter.m, unit: "m"}`, `mincpu: <100`), given: givenSizes},
	{name: "a fraction of a size", config: `m: *80.5 | number`, description: withSize(`{size: config.parameter.m, unit: "m"}`, `mincpu: 50`), given: append([]string{`m: 50.0`, `m: 60.25`}, givenSizes...)},
	{name: "a guaranteed size that others ask for", config: `m: *80 | int`, description: withSize(`{size: config.parameter.m, unit: "m"}`, ``) + "\ncode: c: mapping: env: G: value: \"\\(code.d.size.mincpu)\"", given: givenSizes},
	{name: "a guaranteed bandwidth", config: `m: *80 | int`, description: "size: {bandwidth: {size: config.parameter.m, unit: \"M\"}, minbandwidth: 50}", given: givenSizes},
	{name: "a guaranteed bandwidth that nobody says", config: `m: *80 | int`, description: "size: bandwidth: {size: config.parameter.m, unit: \"M\"}", given: givenSizes},
	{name: "a guaranteed bandwidth that is the bandwidth", config: `m: *80 | int`, description: "size: {bandwidth: {size: config.parameter.m, unit: \"M\"}, minbandwidth: bandwidth.size}", given: givenSizes},

	{name: "a struct that refers to its own fields", config: `k: {host: *"h" | string, port: *92 | int, url: "\(host):\(port)"}`, description: shownStruct, given: givenStruct},
	{name: "a struct with a default of its own fields", config: `k: {host: *"h" | string, port: *92 | int, url: *"\(host):\(port)" | string}`, description: shownStruct, given: givenStruct},
	{name: "a struct with a field that is another one", config: `k: {host: *"h" | string, port: *92 | int, url: host}`, description: shownStruct, given: givenStruct},
	{name: "a struct with a default that is another field", config: `k: {host: *"h" | string, port: *92 | int, url: *host | string}`, description: shownStruct, given: givenStruct},
	{name: "a struct of which the deployer gives some", config: `k: {host: string, port: int & >0, url: "\(host):\(port)"}`, description: shownStruct, given: givenStruct},
	{name: "a struct with an optional field", config: `k: {host: *"h" | string, port?: int, url: "\(host)"}`, description: shownStruct, given: givenStruct},
	{name: "a struct with a field that must be given", config: `k: {host!: string, port: *92 | int, url: "\(host):\(port)"}`, description: shownStruct, given: givenStruct},
	{name: "a struct with a hidden field", config: `k: {host: *"h" | string, port: *92 | int, _at: "\(host):\(port)", url: "http://\(_at)"}`, description: shownStruct, given: givenStruct},
	{name: "a struct with a bound that is a field", config: `k: {host: *"h" | string, low: *10 | int, port: *92 | (int & >=low), url: "\(host):\(port)"}`, description: shownStruct, given: append([]string{`k: low: 95`, `k: {low: 95, port: 96}`, `k: {low: 97, port: 96}`}, givenStruct...)},
	{name: "a struct in a struct that refers to it", config: `k: {host: *"h" | string, port: *92 | int, url: in.at, in: {at: "\(host):\(port)", deep: {n: port + 1, at: *"\(n)" | string}}}`, description: shownStruct, given: append([]string{`k: in: deep: at: "z"`, `k: in: {}`, `k: {in: deep: {}, port: 7}`, `k: in: at: "h:92"`, `k: in: no: 1`}, givenStruct...)},
	{name: "a struct that refers to one around it", config: `host: *"o" | string, k: {port: *92 | int, url: "\(host):\(port)"}`, description: shownStruct, given: append([]string{`host: "q"`, `{host: "q", k: port: 3}`}, givenStruct...)},
	{name: "a struct that others refer to", config: `k: {host: *"h" | string, port: *92 | int, url: "\(host):\(port)"}, n: *k.port | int, t: "\(k.url)!"`, description: shownStruct, given: append([]string{`n: 5`, `t: "h:92!"`, `{k: port: 4, n: 4}`}, givenStruct...)},
	{name: "a struct that shadows another parameter", config: `host: *"o" | string, k: {host: *"h" | string, port: *92 | int, url: "\(host):\(port)"}`, description: shownStruct, given: append([]string{`host: "q"`, `{host: "q", k: host: "r"}`}, givenStruct...)},
	{name: "a struct with a list of its own fields", config: `k: {host: *"h" | string, port: *92 | int, url: "\(host)", l: [host, "\(port)"], m: [for x in [1, 2] {x + port}]}`, description: shownStruct, given: givenStruct},
	{name: "a struct with a condition", config: `k: {host: *"h" | string, port: *92 | int, url: "\(host)", if port > 100 {high: true}}`, description: shownStruct, given: givenStruct},
	{name: "an open struct that refers to its own fields", config: `k: {host: *"h" | string, port: *92 | int, url: "\(host):\(port)", ...}`, description: shownStruct, given: givenStruct},
	{name: "a struct with fields in quotes", config: `k: {"host": *"h" | string, H="port": *92 | int, url: "\(H)", "a-b": url + "x"}`, description: shownStruct, given: givenStruct},
	{name: "a struct that is declared twice", config: "k: {host: *\"h\" | string, port: *92 | int}\nk: {host: string, port: int, url: \"\\(host):\\(port)\"}", description: shownStruct, given: givenStruct},
	{name: "an optional struct that refers to its own fields", config: `k?: {host: *"h" | string, port: *92 | int, url: "\(host):\(port)"}, n: *1 | int`, description: "if config.parameter.k != _|_ {" + shownStruct + "}", given: givenStruct},
	{name: "a struct of which one field goes in a circle", config: `k: {host: *port2 | string, port: *92 | int, port2: *host | string, url: "\(host):\(port)"}`, description: shownStruct, given: givenStruct},

	{name: "a choice of kinds", config: `v: string | {size: int & >0, unit: *"G" | "M"} | [...int] | bool`, description: shownChoice, given: givenKinds},
	{name: "a choice of kinds with a default", config: `v: *"d" | string | {size: int, unit: "G" | "M", deep: {a: string, b?: int}}`, description: shownChoice, given: givenKinds},
	{name: "a choice of kinds of a definition", config: "v: #A | string\n#A: {size: int, unit: \"G\" | \"M\"}", description: shownChoice, given: givenKinds},
	{name: "a choice of kinds that is open", config: `v: string | {size: int, ...}`, description: shownChoice, given: givenKinds},
	{name: "a choice of kinds with a map", config: `v: int | {[string]: int | string}`, description: shownChoice, given: givenKinds},
	{name: "a choice of two structs and a text", config: `v: string | {size: int} | {size: int, unit: string}`, description: shownChoice, given: givenKinds},
	{name: "a choice of numbers and a text", config: `v: number | string | null`, description: shownChoice, given: append([]string{`v: 1.5`, `v: null`, `v: 1`}, givenKinds...)},

	{name: "a definition with arguments as a file", config: `a: *"a" | string, n: *1 | int`, description: `#File: {#name: string, #n: *3 | (int & <9), job: "job-\(#name)", path: *"/m" | string, labels: {name: #name, deep: n: #n}}
code: c: mapping: filesystem: "/m": {data: value: #File & {#name: config.parameter.a, #n: config.parameter.n}, format: "json"}`, given: []string{`{}`, `a: "x"`, `{a: "y", n: 4}`, `n: 9`, `n: 12`, `a: 5`, `{a: "job", n: 1}`}},
	{name: "a definition with arguments as a file, of which one is left", config: `a: *"a" | string`, description: `#File: {#name: string, #n: *3 | int, job: "job-\(#name)-\(#n)", path: "/m", ...}
code: c: mapping: filesystem: "/m": {data: value: #File & {#name: config.parameter.a, path: string, more: #name + "!"}, format: "json"}`, given: []string{`{}`, `a: "x"`, `a: "y"`, `a: 5`}},
	{name: "a typed hidden field beside a file", config: `a: *"a" | string, n: *1 | int`, description: `_a: string & config.parameter.a
_n: int & config.parameter.n & <7
code: c: mapping: filesystem: "/m": {data: value: {t: "\(_a)-\(_n)"}, format: "json"}`, given: []string{`{}`, `a: "x"`, `n: 6`, `n: 7`, `{a: "z", n: 2}`}},
	{name: "values as YAML", config: `a: *"a" | string, n: *1 | int, l: *["x", "y"] | [...string], on: *true | bool`, imports: `"encoding/yaml"`,
		description: `code: c: mapping: {
	env: Y: value: yaml.Marshal({a: config.parameter.a, n: config.parameter.n, in: {l: config.parameter.l, on: config.parameter.on, none: null, e: [], m: {}}})
	filesystem: "/y": data: value: yaml.Marshal([config.parameter.a, {x: config.parameter.n}, "\(config.parameter.a): \(config.parameter.n)"])
}`, given: []string{`{}`, `a: "y"`, `a: "0x1f"`, `a: "a: b"`, `a: ""`, `a: "line\nline"`, `a: "- x"`, `a: "10:20"`, `a: "null"`, `a: " b "`, `a: "é#"`, `n: -5`, `l: []`, `l: ["no", "1"]`, `on: false`, `a: "#x"`, `a: "\\t"`, `a: "{}"`, `a: "*"`}},
}

// withSize is a container with a size.
func withSize(cpu, more string) string {
	return `code: d: {image: tag: "x", mapping: env: A: value: "x", size: {cpu: ` + cpu + `, memory: {size: 2, unit: "M"}` + "\n" + more + `}}`
}

const (
	shownStruct = `code: c: mapping: filesystem: "/m": {data: value: {k: config.parameter.k, u: config.parameter.k.url}, format: "json"}`
	shownChoice = `code: c: mapping: filesystem: "/m": {data: value: {v: config.parameter.v}, format: "json"}`
)

var (
	givenSizes      = []string{`m: 100`, `m: 300`, `{}`, `m: 50`, `m: 80`, `m: 51`, `m: -1`, `m: 0`, `m: "x"`, `m: 50`, `m: 60`}
	givenGuaranteed = append([]string{`g: 20`, `{m: 90, g: 30}`, `{m: 30, g: 30}`, `{m: 50, g: 50}`, `{m: 40, g: 60}`, `{m: 41, g: 81}`, `g: 80`}, givenSizes...)
	givenStruct     = []string{`{}`, `k: host: "a"`, `k: {host: "b", port: 1}`, `k: port: 93`, `k: {}`, `k: {host: "c", port: 101, url: "c:101"}`, `k: {host: "c", url: "x"}`, `k: {host: "d", no: 1}`, `k: host: 5`, `k: {host: "e", port: 200}`, `k: 5`, `k: {host: "h", port: 92}`}
	givenKinds      = []string{`v: "a"`, `v: {size: 1, unit: "G"}`, `v: {size: 2, unit: "M"}`, `v: size: 3`, `{}`, `v: []`, `v: [1, 2]`, `v: true`, `v: {size: 0, unit: "G"}`, `v: {size: 4, unit: "X"}`, `v: {size: 5, unit: "G", no: 1}`, `v: "b"`, `v: {size: 6, unit: "G", deep: {a: "x"}}`, `v: {size: 7, unit: "M", deep: {a: "y", b: 2}}`, `v: {}`, `v: 3`}
)
