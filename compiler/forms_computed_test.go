package compiler_test

// computedForms are artifacts with expressions that Go evaluates, and values for which they are for CUE.
var computedForms = []decidedForm{
	{name: "functions of texts", config: `a: *"d" | string, b: *"B c" | string, l: *["x", "y"] | [...string]`, given: []string{`{}`, `a: "one"`, `a: "two", b: "é"`, `a: "", l: []`, `a: "Q<&>", l: ["z", "a", "b"]`, `a: 5`, `a: "x", l: ["a", 5]`},
		imports: "\"strings\"\n\"list\"\n\"encoding/json\"\n\"encoding/base64\"\n\"encoding/hex\"\n\"crypto/sha256\"",
		description: `code: c: {
	cmd: [strings.ToUpper(config.parameter.a), "--all=" + strings.Join(config.parameter.l, ",")]
	mapping: env: {
		A: value: strings.ToUpper(config.parameter.a + config.parameter.b)
		B: value: strings.Join([for i, x in config.parameter.l if x != "y" {"\(i)=\(x)"}], " ")
		C: value: json.Marshal({b: config.parameter.b, a: [config.parameter.a, null, true]})
		D: value: "\(len(hex.Encode(sha256.Sum256(config.parameter.b))))" + base64.Encode(null, config.parameter.a)
		E: value: strings.Join(list.SortStrings(config.parameter.l), "")
		F: value: "\(len(config.parameter.l) > 1) \(config.parameter.a == "one")"
	}
}`},
	{name: "arithmetic", config: `n: *3 | int, m: *2 | int`, given: []string{`{}`, `n: 5`, `n: 0, m: 7`, `n: -4, m: 0x10`, `m: 0`, `n: 9223372036854775807, m: 2`, `n: 9223372036854775808`, `n: "3"`, `n: 2.5`},
		description: `code: c: mapping: env: {
	A: value: "\(config.parameter.n + config.parameter.m) \(config.parameter.n*config.parameter.m) \(-config.parameter.n)"
	B: value: "\(div(config.parameter.n, config.parameter.m)) \(mod(config.parameter.n, config.parameter.m))"
	C: value: "\(config.parameter.n / 2)"
	D: value: "\(config.parameter.n > config.parameter.m && config.parameter.m >= 0)"
}`},
	{name: "what the schema says beside", config: `a: *"x" | string, n: *1 | int`, given: []string{`{}`, `a: "eu-1"`, `a: "ab"`, `n: 70000`, `n: 8080`, `n: -1`},
		imports: "\"strings\"",
		description: `srv: server: second: port: config.parameter.n + 1
code: c: {
	cmd: [strings.ToLower(config.parameter.a) + ":1"]
	mapping: env: {A: value: strings.ToUpper(config.parameter.a), A: value: =~"^[A-Z]+$", B: value: "\(config.parameter.n)" + "b" , B: value: !="2b"}
}`},
	{name: "one of several", config: `fast: *true | bool, a: *"x" | string, n: *1 | int, opt?: string`, given: []string{`{}`, `fast: false`, `fast: false, a: "other"`, `n: 5`, `fast: true, n: -5`, `opt: "there", fast: false`, `fast: "yes"`},
		description: `let name = config.parameter.a
_other: "hidden"
code: c: mapping: env: {
	A: value: [if config.parameter.fast {"fast"}, if config.parameter.n > 3 {config.parameter.a}, "safe"][0]
	B: value: [if !config.parameter.fast {name}, _other][0]
	C: value: [if config.parameter.fast {"\(config.parameter.n)"}, config.parameter.a + "!", config.parameter.a][0]
	D: value: [config.parameter.a, "x"][0]
	E: value: [if config.parameter.opt != _|_ {config.parameter.opt}, "none"][0]
	F: value: ([if config.parameter.fast {("y")}, ("z")])[0]
}`},
	{name: "names that hide others", config: `strings: *"s" | string, len: *2 | int, l: *["a", "b"] | [...string]`, given: []string{`{}`, `strings: "t"`, `len: 3`, `l: []`, `l: ["q"]`, `l: [1]`},
		imports: "\"strings\"\n\"encoding/json\"",
		description: `code: c: mapping: env: {
	A: value: strings.Join([for len in config.parameter.l {len + "!"}], ",")
	B: value: json.Marshal([for v in config.parameter.l {"v": v}])
	C: value: json.Marshal([for x in config.parameter.l let y = x + config.parameter.strings {w: y}])
	D: value: "\(len(config.parameter.strings) + config.parameter.len)"
	E: value: json.Marshal([for a in config.parameter.l for b in config.parameter.l if a != b {a + b}])
}`},
	{name: "a template", config: `a: *"x<y" | string, n: *1 | int, l: *["a"] | [...string], st: *{k: "v", w: 2} | {k: string, w: int}`, given: []string{`{}`, `a: "other", n: 12`, `l: []`, `st: {k: "q", w: 5}, n: 3`, `l: ["b", "c"], n: 0`},
		imports: "\"text/template\"",
		description: `code: c: mapping: {
	env: {
		A: value: template.Execute("{{.a}} {{printf \"%03d\" .n}} {{range .l}}<{{.}}>{{end}}", {a: config.parameter.a, n: config.parameter.n, l: config.parameter.l})
		B: value: template.Execute("{{.st}} {{len .l}} {{if gt .n 1}}many{{else}}few{{end}} {{.nothing}}", config.parameter)
	}
	filesystem: "/etc/a": data: value: template.Execute("""
		{{range $k, $v := .}}{{$k}}={{$v}}
		{{end}}
		""", config.parameter.o)
}`},
	{name: "a template that fails for some", config: `a: *"x" | string, l: *["a"] | [...string]`, given: []string{`{}`, `l: []`, `l: ["a", "b"]`, `a: "{{"`},
		imports:     "\"text/template\"",
		description: `code: c: mapping: env: {A: value: template.Execute("{{index .l 0}}", {l: config.parameter.l}), B: value: template.Execute(config.parameter.a, {x: 1})}`},
	{name: "hidden fields that copy and compute", config: `a: *"x" | string, n: *1 | int, opt?: string, s: *{k: "v"} | {k: string}`, given: []string{`{}`, `a: "b"`, `n: 7, opt: "there"`, `s: k: "q"`, `a: 5`, `opt: 5`},
		description: `_text: "\(config.parameter.a):\(config.parameter.n)"
_copy: config.parameter.a
_struct: config.parameter.s
_again: _text
_shared: {ONE: value: config.parameter.a, TWO: value: _text}
code: c: mapping: env: {
	_shared
	A: value: _text
	B: value: _again
	C: value: _copy
	D: value: _struct.k
	if config.parameter.opt != _|_ {E: value: config.parameter.opt + _copy}
}`},
	{name: "conditions that compute", config: `a: *"dev" | string, n: *1 | int, l: *[] | [...string]`, given: []string{`{}`, `a: "prod-1"`, `n: 5`, `l: ["x"]`, `l: ["dev"], n: 9`, `a: ""`, `n: "1"`},
		imports: "\"strings\"\n\"list\"",
		description: `code: c: mapping: env: {
	if config.parameter.a =~ "^prod" {A: value: "prod"}
	if config.parameter.n*2 > 8 {B: value: "many"}
	if len(config.parameter.l) == 0 {C: value: "empty"}
	if list.Contains(config.parameter.l, config.parameter.a) {D: value: "in it"}
	if strings.HasPrefix(config.parameter.a, "d") && config.parameter.n < 2 {E: value: config.parameter.a}
}`},
	{name: "parameters that are made of others", config: `host: *"h" | string, port: *80 | uint16, url: *"http://\(host):\(port)" | string, label: strings.ToUpper(host), size: *(port + 1) | int`,
		given:       []string{`{}`, `host: "other"`, `port: 81`, `url: "x"`, `label: "H"`, `label: "X"`, `size: 5`, `host: "q", url: "y", size: 7`, `host: 5`, `size: "5"`, `port: 70000`},
		imports:     "\"strings\"",
		description: `code: c: mapping: env: {A: value: config.parameter.url, B: value: config.parameter.label, C: value: "\(config.parameter.size)", D: parameter: "host"}`},
	{name: "parameters that are made of each other", config: `a: *"x" | string, b: *"\(a)-b" | =~"^[a-z-]+$", c2: *"\(b)-c" | string, d?: string, e: *"e" | string`,
		given:       []string{`{}`, `a: "q"`, `b: "given"`, `b: "9"`, `c2: "z"`, `a: "q", c2: "z"`, `d: "d", a: "w"`, `e: "f"`, `b: null`, `a: "9"`},
		description: `code: c: mapping: env: {A: value: config.parameter.c2, B: value: config.parameter.b}`},
	{name: "parameters with bounds that are others", config: `low: *1 | int, high: *10 | (int & >=low), who: *"w" | (string & !=""), title: *(who + "!") | string`,
		given:       []string{`who: "n"`, `who: "n", low: 5`, `who: "m", high: 3`, `who: "m", low: 20`, `who: ""`, `who: "k", title: "t"`, `who: "j", high: 0`},
		description: `code: c: mapping: env: {A: value: config.parameter.title, B: value: "\(config.parameter.high - config.parameter.low)"}`},
	{name: "parameters that are others by default", config: `a: *"x" | string, b: *a | string, c2: *(b) | string`,
		given:       []string{`{}`, `a: "q"`, `a: "r"`, `b: "given"`, `a: "q", b: "w"`, `c2: "z"`, `b: 5`},
		description: `code: c: mapping: env: {A: value: config.parameter.c2, B: value: config.parameter.b, C: value: config.parameter.a}`},
	{name: "picks as data", config: `fast: *true | bool, n: *1 | int, a: *"x" | string, l: *["d"] | [...string]`,
		given:   []string{`{}`, `n: 7`, `n: 8`, `fast: false`, `l: ["q"]`, `l: []`, `a: "y", n: 9`},
		imports: `"list"`,
		description: `code: c: mapping: filesystem: "/e": {data: value: {
	x: [if config.parameter.n > 2 {config.parameter.n}, 5][0]
	y: [if config.parameter.fast {"\(config.parameter.n)"}, config.parameter.a][0]
}, format: "json"}`},
	{name: "mistakes in conditions and loops", config: `flags: *[] | [...bool], more: *[] | null | [...string], names: *["n"] | [...]`,
		given:   []string{`{}`, `flags: [true]`, `flags: [false, true]`, `more: ["m"]`, `more: null`, `names: [2, 1]`, `names: ["b", "a"]`},
		imports: "\"list\"\n\"strings\"",
		description: `code: c: mapping: env: {
	A: value: strings.Join([if list.Contains(config.parameter.flags, true) {"on"}, "end"], ",")
	B: value: strings.Join([for x in list.SortStrings(config.parameter.names) {x}], ",")
	C: value: strings.Join([for x in list.Concat([["a"], config.parameter.more]) {x}], ",")
	if !list.Contains(config.parameter.flags, true) {D: value: "off"}
}`},
	{name: "something else where a condition fails", config: `on: *true | bool, a: *"x" | string`, given: []string{`{}`, `on: false`, `on: false, a: "y"`, `a: "z"`, `on: "x"`},
		imports: `
-- cue.mod/module.cue --
module: "forms.example/app@v1"
language: version: "v0.17.0"
-- c/else.cue --
@experiment(try)
package component
import "strings"
#Artifact: description: {
	config: _
	code: c: mapping: env: {
		A: value: [if config.parameter.on {"on"} else {config.parameter.a}, "end"][0]
		B: value: strings.Join([if config.parameter.on {"on"} else {"off"}, "end"], ",")
	}
}`,
		description: `_else: true`},
	{name: "a text embedded beside a definition", config: `host: *"h" | string, n: *1 | int`, given: []string{`{}`, `host: "a"`, `host: "b", n: 2`, `host: "c", n: 3`, `n: 9`},
		description: `_h: {"\(config.parameter.host)?", #y: 2}
_n: (config.parameter.n + 1) & {_, #z: 1}
code: c: {
	cmd: [{"\(config.parameter.n)", _z: 1}]
	mapping: env: {A: value: {"\(config.parameter.host)!", #z: 1}, B: value: _h, C: value: "\(_n)"}
}`},
	{name: "a check embedded beside a definition", config: `host: *"h" | string, n: *1 | int`, given: []string{`{}`, `n: 2`, `n: 3`, `n: 9`, `host: "b!"`, `host: "9"`},
		description: `_ok: {config.parameter.n < 5, #z: 1}
_ok: true
_v: {"\(config.parameter.host)", #z: 1}
_v: !="9"
_w: {=~config.parameter.host, #z: 1}
_w: string`},
	{name: "texts by way of hidden fields and lets", config: `host: *"h" | string, n: *1 | int`, given: []string{`{}`, `host: "a"`, `host: "b", n: 2`, `n: 3`},
		description: `let L = "\(config.parameter.host):\(config.parameter.n)"
_a: L
_b: "\(config.parameter.host)/\(config.parameter.n)"
code: c: mapping: {
	env: {A: value: _a, B: value: _b}
	filesystem: "/e": {data: value: {x: string & _b}, format: "json"}
}`},
}
