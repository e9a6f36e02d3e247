package compiler_test

// presenceForms are artifacts that ask whether an expression has a value, such as  (config.parameter.a & 5) != _|_.
// If a is *1 | int, the default can still become 5; a 1 that is given cannot.
var presenceForms = []decidedForm{
	{name: "whether a let that computes is there", config: `a: *1 | int`, given: []string{`{}`, `a: 5`, `a: 1`, `a: 2`, `a: 5, t: "x"`, `a: "x"`},
		description: `let five = config.parameter.a & 5
code: c: {if five != _|_ {cmd: ["five"]}, mapping: env: {if five != _|_ {A: value: "five"}, if five == _|_ {B: value: "other"}, C: value: [if five != _|_ {"5"}, "no"][0]}}`},
	{name: "whether a hidden field that computes is there", config: `a: *1 | int`, given: []string{`{}`, `a: 5`, `a: 1`, `a: 2`, `a: 5, t: "x"`, `a: "x"`},
		description: `_five: {if (config.parameter.a & 5) != _|_ {v: 5}}
_is: _five.v != _|_
code: c: mapping: env: {if _is {A: value: "five"}, if !_is {B: value: "other"}}`},
	{name: "whether a let of a let is there", config: `mode: *"dev" | "prod" | "test"`, given: []string{`{}`, `mode: "prod"`, `mode: "dev"`, `mode: "test"`, `mode: "x"`},
		description: `let prod = config.parameter.mode & "prod"
let same = prod
code: c: mapping: env: {if same != _|_ {A: value: same}, if (same) == (_|_) {A: value: "none"}}`},
	{name: "whether a part of something joined is there", config: `s: {x: *1 | int, y: *"y" | string}`, given: []string{`{}`, `s: x: 5`, `s: x: 1`, `s: x: 2`, `s: y: "5"`},
		description: `code: c: mapping: env: {if (config.parameter.s & {x: 5}).x != _|_ {A: value: "five"}, if {z: config.parameter.s.x & 5}.z != _|_ {B: value: "five"}, if [config.parameter.s.x & 5][0] != _|_ {C: value: "five"}, if (config.parameter.s & {x: 5})["x"] == _|_ {D: value: "other"}}`},
	{name: "_|_ on the left, and in parentheses", config: `a: *1 | int`, given: []string{`{}`, `a: 5`, `a: 1`, `a: 2`, `a: 5, t: "x"`, `a: "x"`},
		description: `code: c: mapping: env: {if _|_ != (config.parameter.a & 5) {A: value: "five"}, if (_|_) == (config.parameter.a & 5) {B: value: "other"}, if (config.parameter.a & 5) != (_|_) {C: value: "five"}, if ((config.parameter.a) & 5) == _|_ {D: value: "other"}}`},
	{name: "whether an optional is there, from the right", config: `o?: int, p?: {x: *1 | int}`, given: []string{`{}`, `o: 5`, `p: x: 5`, `p: {}`, `o: 1, p: x: 1`, `o: "x"`},
		description: `let o = config.parameter.o
code: c: mapping: env: {if _|_ != config.parameter.o {A: value: "there"}, if (config.parameter.p.x) != _|_ {B: value: "there"}, if (_|_) == (o) {C: value: "none"}, if config.parameter["p"] != _|_ {D: value: "there"}}`},
	{name: "a loop with a let that may not be there", config: `ls: *[] | [...{p: *1 | int}]`, given: []string{`{}`, `ls: [{p: 5}, {}]`, `ls: [{}, {p: 1}]`, `ls: [{p: 5}, {p: 5}]`, `ls: [{p: 2}]`},
		description: `code: c: mapping: env: {for i, v in config.parameter.ls let w = v.p & 5 if w != _|_ {"Y\(i)": value: "five"}, for i, v in config.parameter.ls if v.p != _|_ {"Z\(i)": value: "\(v.p)"}}`},
	{name: "a loop over what may not be there", config: `a: *1 | int`, given: []string{`{}`, `a: 5`, `a: 1`, `a: 2`, `a: 5, t: "x"`, `a: "x"`},
		description: `code: c: mapping: env: {for i, v in [config.parameter.a & 5, 5 & config.parameter.a] if v != _|_ {"Y\(i)": value: "five"}}`},
	{name: "whether structs can be joined, by a let", config: `p: *{memory: true} | {disk: string}`, given: []string{`{}`, `p: disk: "x"`, `p: disk: "y"`, `p: memory: true`},
		description: `let onDisk = config.parameter.p & {disk: _}
code: c: mapping: env: {if onDisk != _|_ {A: value: "disk"}, if onDisk == _|_ {B: value: "memory"}}`},
	{name: "how many members match", config: `a: *1 | int`, given: []string{`{}`, `a: 5`, `a: 1`, `a: 2`, `a: 5, t: "x"`, `a: "x"`},
		imports: `"list"`,
		description: `let n = list.MatchN([1, 5, 2], 1, config.parameter.a)
code: c: mapping: env: {A: value: "\(n)", if list.MatchN([{x: 1}, {x: 5}], 1, {x: config.parameter.a}) {B: value: "one"}}`},
	{name: "a text that is to be right", config: `a: *1 | int`, given: []string{`{}`, `a: 5`, `a: 1`, `a: 2`, `a: 5, t: "x"`, `a: "x"`},
		imports: `"encoding/json"
"encoding/yaml"`,
		description: `code: c: mapping: env: {A: value: "\(json.Validate("5", config.parameter.a))", B: value: "\(yaml.ValidatePartial("x: 5", {x: config.parameter.a}))"}`},
	{name: "a loop over a list that is flattened", config: `a: *1 | int, b: {p: *2 | int, o?: int}, l: *[3] | [...int]`, given: []string{`{}`, `a: 5, b: o: 1`, `b: {p: 7, o: 1}, l: [4]`, `a: 1, b: {o: 2}, l: []`},
		imports:     `"list"`,
		description: `code: c: mapping: env: {for i, x in list.FlattenN([[8, 9], [config.parameter.b.p]], -1) {"X\(i)": value: "\(x)"}}`},
	{name: "a loop over a list that is flattened and turned", config: `a: *1 | int, l: *[3] | [...int]`, given: []string{`{}`, `a: 5`, `l: [4]`, `a: 1, l: [2, 3]`},
		imports: `"list"`,
		description: `let flat = list.FlattenN([[8, 9], [config.parameter.a], config.parameter.l], 1)
code: c: mapping: env: {for i, x in list.Reverse([for y in flat {y + 1}]) {"X\(i)": value: "\(x)"}, N: value: "\(list.Sum(list.FlattenN([config.parameter.a, [1]], -1)))"}`},
	{name: "a loop over a list of config that is flattened", config: `l: *[[1], [2, 3]] | [...[...int]]`, given: []string{`{}`, `l: [[4]]`, `l: []`, `l: [[5], [6]]`},
		imports:     `"list"`,
		description: `code: c: mapping: env: {for x in list.FlattenN(config.parameter.l, 1) {"X\(x)": value: "\(x)"}}`},
	{name: "a number as YAML, as it is written", config: `a: *0x10 | int, b: *1e3 | number, l: *[1_0, 0o7] | [...int]`, given: []string{`{}`, `a: 16`, `a: 0x10`, `b: 1e3`, `b: 1000, a: 1_0`, `l: [0b11]`},
		imports:     `"encoding/yaml"`,
		description: `code: c: mapping: env: {A: value: yaml.Marshal(config.parameter.a), B: value: yaml.Marshal(config.parameter.b), C: value: yaml.Marshal([config.parameter.a]), D: value: yaml.Marshal({a: config.parameter.a, l: config.parameter.l}), E: value: yaml.MarshalStream(config.parameter.l), F: value: yaml.Marshal(config.parameter.l[0])}`},
	{name: "the config that nobody has filled in", config: `a: *1 | int, b: *"a" | string, m: *{a: 1} | {[string]: int}`, given: []string{`{}`, `a: 5`, `b: "b"`, `a: 3, m: {a: 2, b: 3}, b: "b"`},
		description: `let D = #Artifact.description
code: c: mapping: env: {A: value: "\(#Artifact.description.config.parameter.a)", B: value: "\(D.config.parameter.a)\(config.parameter.a)", if #Artifact.description.config.parameter.a == 1 {C: value: "\(config.parameter.a)"}, if D.config.parameter.b == config.parameter.b {E: value: "b"}, F: value: "\(D.config.parameter.m["a"])\(len(#Artifact.description.config.parameter))", for k, v in D.config.parameter.m {"M\(k)": value: "\(v)"}}`},
	{name: "a default of the config that nobody has filled in", config: `a: *1 | int, b: *#Artifact.description.config.parameter.a | int, c: *(a + #Artifact.description.config.parameter.a) | int`, given: []string{`{}`, `a: 5`, `b: 7`, `a: 3, c: 2`},
		description: `code: c: mapping: env: {A: value: "\(config.parameter.a)\(config.parameter.b)\(config.parameter.c)"}`},
	{name: "a part of the config that nobody has filled in, which config tells", config: `a: *1 | int, b: *"a" | "c", c: *3 | int`, given: []string{`{}`, `a: 5`, `b: "c"`, `b: "c", c: 4`},
		description: `code: c: mapping: env: {A: value: "\(#Artifact.description.config.parameter[config.parameter.b])"}`},
	{name: "a condition that contradicts itself", config: `a: *1 | int`, given: []string{`{}`, `a: 5`},
		description: `if number & (config.parameter.a == 1) {code: c: mapping: env: A: value: "one"}`},
	{name: "a loop in env whose source contradicts itself", config: `a: *1 | int`, given: []string{`{}`, `a: 5`},
		description: `code: c: mapping: env: {for x in [config.parameter.a] & string {"A\(x)": value: "one"}}`},
	{name: "a condition whose let contradicts itself for some", config: `a: *1 | int`, given: []string{`{}`, `a: 5`, `a: 1`},
		description: `let five = config.parameter.a & 5
if five > 1 {code: c: mapping: env: A: value: "five"}`},
	{name: "a variable that a false condition makes, beside a pattern", config: `n: *1 | int`, given: []string{`{}`, `n: 5`, `n: 1`},
		description: `if false {code: c: mapping: env: V: value: "\(config.parameter.n)"}
code: c: mapping: env: [string]: value: =~""`},
	{name: "a variable that a let does not make, beside a pattern", config: `n: *1 | int`, given: []string{`{}`, `n: 5`, `n: 1`},
		description: `let on = "a" == "b"
code: c: mapping: env: {if on {V: value: "\(config.parameter.n)"}, [string]: value: =~"", for x in [] {W: value: "\(config.parameter.n)"}}`},
	{name: "an optional variable beside a pattern", config: `n: *1 | int`, given: []string{`{}`, `n: 5`, `n: 1`},
		description: `code: c: mapping: env: {V?: value: "\(config.parameter.n)", [string]: value: =~"", if true {W?: value: "\(config.parameter.n)"}}`},
	{name: "a container that is not made, beside a pattern", config: `n: *1 | int`, given: []string{`{}`, `n: 5`, `n: 1`},
		description: `code: [string]: image: tag: =~""
if false {code: d: {image: tag: "d:\(config.parameter.n)", size: code.c.size}}
code: e?: {image: tag: "e:\(config.parameter.n)", size: code.c.size}`},
	{name: "a file that is not made, beside a pattern", config: `n: *1 | int`, given: []string{`{}`, `n: 5`, `n: 1`},
		description: `code: c: mapping: filesystem: {[string]: data: value: =~"", if false {"/f": data: value: "\(config.parameter.n)"}}`},
	{name: "a user that is not made, beside a pattern", config: `n: *1 | int`, given: []string{`{}`, `n: 5`, `n: 1`},
		description: `code: [string]: user?: userid: >0
if false {code: c: user: userid: config.parameter.n}`},
	{name: "_|_ on the left of what is not equal", config: `a: *1 | int`, given: []string{`{}`, `a: 5`, `a: 1`, `a: 2`},
		description: `code: c: mapping: env: {if _|_ != (config.parameter.a & 5) {A: value: "five"}}`},
	{name: "_|_ on the left of what is equal", config: `a: *1 | int`, given: []string{`{}`, `a: 5`, `a: 1`, `a: 2`},
		description: `code: c: mapping: env: {A: value: "\(_|_ == (config.parameter.a & 5))"}`},
	{name: "_|_ in parentheses", config: `a: *1 | int`, given: []string{`{}`, `a: 5`, `a: 1`, `a: 2`},
		description: `code: c: mapping: env: {A: value: [if (config.parameter.a & 5) != (_|_) {"five"}, "other"][0]}`},
	{name: "a field that a try makes beside what may not be there", config: `y?: int`, given: []string{`{}`, `y: 5`, `y: 6`, `y: 5, t: "x"`, `y: "x"`},
		imports: `
-- cue.mod/module.cue --
module: "forms.example/app@v1"
language: version: "v0.17.0"
-- c/try.cue --
@experiment(try)
package component
#Artifact: description: {
	config: _
	code: c: mapping: env: {try {A: value: "\(config.parameter.y?)", B: value: "literal"}}
}`,
		description: `_tried: true`},
	{name: "a try with something else", config: `y?: int`, given: []string{`{}`, `y: 5`, `y: 6`, `y: 5, t: "x"`, `y: "x"`},
		imports: `
-- cue.mod/module.cue --
module: "forms.example/app@v1"
language: version: "v0.17.0"
-- c/try.cue --
@experiment(try)
package component
#Artifact: description: {
	config: _
	code: c: mapping: env: {try {A: value: "\(config.parameter.y?)"} else {B: value: "none"}}
}`,
		description: `_tried: true`},
	{name: "a try around all", config: `y?: int`, given: []string{`{}`, `y: 5`, `y: 6`, `y: 5, t: "x"`, `y: "x"`},
		imports: `
-- cue.mod/module.cue --
module: "forms.example/app@v1"
language: version: "v0.17.0"
-- c/try.cue --
@experiment(try)
package component
#Artifact: description: {
	config: _
	code: c: mapping: {try {env: {A: value: "\(config.parameter.y?)", B: value: "literal"}}}
}`,
		description: `_tried: true`},
	{name: "a try with a name", config: `y?: int`, given: []string{`{}`, `y: 5`, `y: 6`, `y: 5, t: "x"`, `y: "x"`},
		imports: `
-- cue.mod/module.cue --
module: "forms.example/app@v1"
language: version: "v0.17.0"
-- c/try.cue --
@experiment(try)
package component
#Artifact: description: {
	config: _
	code: c: mapping: env: {try y = config.parameter.y? {A: value: "\(y)", B: value: "literal"}}
}`,
		description: `_tried: true`},
	{name: "a condition that may be open, around the description", config: `ls: *[] | [...{name?: string, w: *1 | int}]`, given: []string{`{}`, `ls: [{name: "dev"}]`, `ls: [{name: "dev"}, {w: 2}]`, `ls: [{name: "x", w: 3}, {name: "dev", w: 4}]`, `ls: [{w: 2}]`},
		description: `for x in config.parameter.ls if x.name == "dev" {code: c: mapping: env: "P\(x.w)": value: "dev"}`},
	{name: "a condition that may be open, around variables", config: `ls: *[] | [...{name?: string, w: *1 | int}]`, given: []string{`{}`, `ls: [{name: "dev"}]`, `ls: [{name: "dev"}, {w: 2}]`, `ls: [{name: "x", w: 3}, {name: "dev", w: 4}]`, `ls: [{w: 2}]`},
		description: `code: c: mapping: {for i, x in config.parameter.ls if x.name == "dev" {env: {A: value: "dev", "B\(i)": value: x.name}}}`},
	{name: "a condition on a text that may be open", config: `ls: *[] | [...{name?: string, w: *1 | int}]`, given: []string{`{}`, `ls: [{name: "dev"}]`, `ls: [{name: "dev"}, {w: 2}]`, `ls: [{name: "x", w: 3}, {name: "dev", w: 4}]`, `ls: [{w: 2}]`},
		imports:     `"strings"`,
		description: `if strings.Join([for x in config.parameter.ls {x.name}], ",") != "" {code: c: mapping: env: A: value: "named"}`},
	{name: "a condition on JSON that cannot be made", config: `l: *[] | [...string]`, given: []string{`{}`, `l: ["dev"]`, `l: ["x"]`},
		imports:     `"encoding/json"`,
		description: `if json.Marshal([for v in config.parameter.l {v: v}]) =~ "dev" {code: c: mapping: env: A: value: "yes"}`},
	{name: "a struct of config with another default", config: `os: {name?: string, w: *1 | int}`, given: []string{`{}`, `os: w: 5`, `os: {w: 5, name: "n"}`, `os: name: "eight"`, `os: w: 6`},
		description: `code: c: mapping: env: {A: value: "\({config.parameter.os, name: *8 | "eight"}.name)"}`},
	{name: "a struct of config with another default, by &", config: `os: {name?: string, w: *1 | int}`, given: []string{`{}`, `os: w: 5`, `os: {w: 5, name: "n"}`, `os: name: "eight"`, `os: w: 6`},
		description: `code: c: mapping: env: {A: value: "\((config.parameter.os & {name: *8 | "eight"}).name)"}`},
	{name: "a struct of config with another default, in two declarations", config: `os: {name?: string, w: *1 | int}`, given: []string{`{}`, `os: w: 5`, `os: {w: 5, name: "n"}`, `os: name: "eight"`, `os: w: 6`},
		description: `_o: config.parameter.os
_o: name: *8 | "eight"
code: c: mapping: env: A: value: "\(_o.name)"`},
	{name: "a struct of config with another default, in a file", config: `os: {name?: string, w: *1 | int}`, given: []string{`{}`, `os: w: 5`, `os: {w: 5, name: "n"}`, `os: name: "eight"`, `os: w: 6`},
		description: `code: c: mapping: filesystem: {"/a": {data: value: {config.parameter.os, name: *8 | "eight"}, format: "json"}, "/b": {data: value: {config.parameter.os & {name: *8 | "eight"}}, format: "json"}}`},
	{name: "a struct of config with a value of another type", config: `os: {name?: string, w: *1 | int}`, given: []string{`{}`, `os: w: 5`},
		description: `code: c: cmd: [for k, v in {config.parameter.os, name: 8} {"\(k)=\(v)"}]`},
	{name: "a map of config with a value of another type", config: `m: {[string]: string, x: *"h" | string}`, given: []string{`{}`, `m: x: "i"`, `m: y: "i"`},
		imports:     `"encoding/json"`,
		description: `code: c: mapping: env: A: value: json.Marshal({config.parameter.m, ("z"): *8 | "eight"})`},
	{name: "the order of fields that are made, 1", config: `on: *true | bool, a: *"x" | string, m: *{zz: 1, aa: 2} | {[string]: int}`, given: []string{`{}`, `on: false`, `a: "y"`, `a: "b", on: true`, `a: "y", on: false`},
		imports: `"encoding/json"
"strings"`,
		description: `code: c: mapping: env: {A: value: json.Marshal({(config.parameter.a): 4, if config.parameter.on {opt: 1}}), B: value: strings.Join([for k, _ in {(config.parameter.a): 4, if config.parameter.on {opt: 1}} {k}], ",")}`},
	{name: "the order of fields that are made, 2", config: `on: *true | bool, a: *"x" | string, m: *{zz: 1, aa: 2} | {[string]: int}`, given: []string{`{}`, `on: false`, `a: "y"`, `a: "b", on: true`, `a: "y", on: false`},
		imports: `"encoding/json"
"strings"`,
		description: `code: c: mapping: env: {A: value: json.Marshal({if config.parameter.on {zz: 1}, if config.parameter.on {aa: 1, cc: 2}}), B: value: strings.Join([for k, _ in {if config.parameter.on {zz: 1}, if config.parameter.on {aa: 1, cc: 2}} {k}], ",")}`},
	{name: "the order of fields that are made, 3", config: `on: *true | bool, a: *"x" | string, m: *{zz: 1, aa: 2} | {[string]: int}`, given: []string{`{}`, `on: false`, `a: "y"`, `a: "b", on: true`, `a: "y", on: false`},
		imports: `"encoding/json"
"strings"`,
		description: `code: c: mapping: env: {A: value: json.Marshal({{zz: config.parameter.a}, aa: 1, {bb: 1}}), B: value: strings.Join([for k, _ in {{zz: config.parameter.a}, aa: 1, {bb: 1}} {k}], ",")}`},
	{name: "the order of fields that are made, 4", config: `on: *true | bool, a: *"x" | string, m: *{zz: 1, aa: 2} | {[string]: int}`, given: []string{`{}`, `on: false`, `a: "y"`, `a: "b", on: true`, `a: "y", on: false`},
		imports: `"encoding/json"
"strings"`,
		description: `code: c: mapping: env: {A: value: json.Marshal({config.parameter.m, bb: 1}), B: value: strings.Join([for k, _ in {config.parameter.m, bb: 1} {k}], ",")}`},
	{name: "the order of fields that are made, 5", config: `on: *true | bool, a: *"x" | string, m: *{zz: 1, aa: 2} | {[string]: int}`, given: []string{`{}`, `on: false`, `a: "y"`, `a: "b", on: true`, `a: "y", on: false`},
		imports: `"encoding/json"
"strings"`,
		description: `code: c: mapping: env: {A: value: json.Marshal({bb: config.parameter.a, for k, v in config.parameter.m {"x\(k)": v}, cc: 1}), B: value: strings.Join([for k, _ in {bb: config.parameter.a, for k, v in config.parameter.m {"x\(k)": v}, cc: 1} {k}], ",")}`},
	{name: "the order of fields that are made, 6", config: `on: *true | bool, a: *"x" | string, m: *{zz: 1, aa: 2} | {[string]: int}`, given: []string{`{}`, `on: false`, `a: "y"`, `a: "b", on: true`, `a: "y", on: false`},
		imports: `"encoding/json"
"strings"`,
		description: `code: c: mapping: env: {A: value: json.Marshal({("x"): 4, if true {opt: 1}}), B: value: strings.Join([for k, _ in {("x"): 4, if true {opt: 1}} {k}], ",")}`},
	{name: "the order of fields that are made, 7", config: `on: *true | bool, a: *"x" | string, m: *{zz: 1, aa: 2} | {[string]: int}`, given: []string{`{}`, `on: false`, `a: "y"`, `a: "b", on: true`, `a: "y", on: false`},
		imports: `"encoding/json"
"strings"`,
		description: `code: c: mapping: env: {A: value: json.Marshal({for k in ["z", "b"] {(k): 1}, y: 1, a: 2}), B: value: strings.Join([for k, _ in {for k in ["z", "b"] {(k): 1}, y: 1, a: 2} {k}], ",")}`},
	{name: "a struct of config in a definition, 1", config: `os: {name?: string, w: *1 | int}`, given: []string{`{}`, `os: w: 5`, `os: {w: 5, name: "n"}`, `os: name: "eight"`, `os: w: 6`},
		imports: `
-- c/f.cue --
package component
#F: {#in: {name: *8 | "eight", w: int, ...}, out: "\(#in.name)"}
#D: {name: *8 | "eight", ...}`,
		description: `code: c: mapping: env: A: value: (#F & {#in: config.parameter.os}).out`},
	{name: "a struct of config in a definition, 2", config: `os: {name?: string, w: *1 | int}`, given: []string{`{}`, `os: w: 5`, `os: {w: 5, name: "n"}`, `os: name: "eight"`, `os: w: 6`},
		imports: `
-- c/f.cue --
package component
#F: {#in: {name: *8 | "eight", w: int, ...}, out: "\(#in.name)"}
#D: {name: *8 | "eight", ...}`,
		description: `code: c: mapping: env: A: value: {#F, #in: config.parameter.os}.out`},
	{name: "a struct of config in a definition, 3", config: `os: {name?: string, w: *1 | int}`, given: []string{`{}`, `os: w: 5`, `os: {w: 5, name: "n"}`, `os: name: "eight"`, `os: w: 6`},
		imports: `
-- c/f.cue --
package component
#F: {#in: {name: *8 | "eight", w: int, ...}, out: "\(#in.name)"}
#D: {name: *8 | "eight", ...}`,
		description: `code: c: mapping: env: A: value: "\({a: config.parameter.os, a: #D}.a.name)"`},
	{name: "a struct of config in a definition, 4", config: `os: {name?: string, w: *1 | int}`, given: []string{`{}`, `os: w: 5`, `os: {w: 5, name: "n"}`, `os: name: "eight"`, `os: w: 6`},
		imports: `
-- c/f.cue --
package component
#F: {#in: {name: *8 | "eight", w: int, ...}, out: "\(#in.name)"}
#D: {name: *8 | "eight", ...}`,
		description: `code: c: mapping: env: A: value: [for x in [config.parameter.os] {"\((x & #D).name)"}][0]`},
	{name: "a struct of config in a definition and in a field", config: `os: {name?: string, w: *1 | int}`, given: []string{`{}`, `os: w: 5`, `os: {w: 5, name: "n"}`, `os: name: "eight"`, `os: w: 6`},
		imports: `
-- c/f.cue --
package component
#F: {#in: {name: *8 | "eight", w: int, ...}, out: "\(#in.name)"}
#D: {name: *8 | "eight", ...}`,
		description: `code: c: mapping: env: {_x: #F, _x: #in: config.parameter.os, A: value: _x.out}
code: c: mapping: filesystem: "/a": {data: value: {a: #D, a: config.parameter.os, b: {#D, config.parameter.os}}, format: "json"}`},
}
