package compiler_test

import (
	"path/filepath"
	"strings"
	"testing"

	"kumiki.dev/compiler"
)

// somePatterns are labels. Each matches only some of the fields a1, b, b-2, "_b" and "é", or is wrong.
var somePatterns = []string{
	`[=~"^b"]`, `[=~"1$"]`, `[!~"^b"]`, `[=~"^[ab]" & !="b"]`, `["b" | "a1"]`, `["b"]`, `["q"]`, `[!="b"]`, `[=~"^a" | =~"2$"]`, `[(=~"^(b)")]`,
	`[=~#"^\w\d$"#]`, `[=~"^_"]`, `[=~"^é$"]`, `[=~""]`, `[string]`, `[X=string]`, `[=~"^b" & =~"2"]`, `[_any]`, `[_few]`, `[=~_text]`, `[=~"^\(_b)"]`,
	`[strings.MinRunes(2)]`, `[or(["b", "a1"])]`, `[=~"(" | "b"]`, `[>"b"]`, `[string & =~"^b"]`, `[_]`, `[1]`, `[bytes]`,
}

// patternNames are what some of them refer to.
const patternNames = `_any: string
_few: =~"^b"
_text: "^b"
_b: "b"`

// patternedApp has fields with these names wherever a pattern can be written: «L» is the label, «names» patternNames.
var patternedApp = []struct{ name, files string }{
	{"roles", `-- s/roles --
role: «L»: {config: {parameter: {...}, scale: hsize: 2}, meta: of: "some"}
role: {a1: {artifact: c.#Artifact}, b: {artifact: c.#Artifact, config: parameter: t: "b"}, "b-2": {artifact: c.#Artifact, config: scale: hsize: 2}, "_b": artifact: c.#Artifact}
role: "é": {artifact: c.#Artifact, meta: is: description.config.parameter.t}
-- s/more --
«names»
-- s/imports --
"strings"
`},
	{"parameters of a role", `-- s/roles --
role: b: {artifact: c.#Artifact, config: parameter: «L»: "1" | "2" | {...}}
role: b: config: parameter: {a1: "1", b: "2", "b-2": "1", "é": description.config.parameter.n}
-- s/config --
n: *"1" | string
-- c/config --
a1?: string, b?: string, "b-2"?: string, "é"?: string
-- c/more --
code: c: mapping: env: A: value: json.Marshal(config.parameter)
-- c/imports --
"encoding/json"
-- s/more --
«names»
-- s/imports --
"strings"
`},
	{"variables", `-- c/more --
code: c: mapping: env: «L»: {value: *"d" | string}
code: c: mapping: env: {a1: value: config.parameter.t, b: {}, "b-2": value: "<\(config.parameter.t)>", if config.parameter.t != "q" {"_b": value: "x"}, (config.parameter.t): value: "y"}
«names»
-- c/imports --
"strings"
-- s/roles --
role: b: {artifact: c.#Artifact, config: parameter: t: "b9"}
role: d: {artifact: c.#Artifact, config: parameter: t: "q"}
`},
	{"a map of config", `-- c/config --
m: {«L»: int, ...}
n: {«L»: *5 | int, a1: *3 | int, b: 5}
-- c/more --
code: c: mapping: env: {for k, v in config.parameter.m {"M\(k)": value: json.Marshal(v)}, N: value: "\(config.parameter.n.b)\(config.parameter.n.a1 == _|_)"}
«names»
-- c/imports --
"strings"
-- s/roles --
role: b: {artifact: c.#Artifact, config: parameter: {m: {a1: 1, b: 2, "b-2": 3, "é": 4}, n: a1: 7}}
role: d: {artifact: c.#Artifact, config: parameter: {m: {b: 2}, n: a1: 8}}
`},
	{"connectors", `-- s/roles --
role: b: {artifact: c.#Artifact}
srv: server: {a1: port: 81, b: port: 82}
connect: «L»: to: b: in0: zone: "z"
connect: {a1: {from: self: "a1", to: b: in0: _}, b: {from: self: "b", to: b: in0: _}}
-- s/more --
«names»
-- s/imports --
"strings"
`},
}

// namedPatterns are labels with a name for that of the field, namingApp places that use it.
var namedPatterns = []string{`[X=string]`, `[X= =~"^b"]`, `[X= !~"^[az]$"]`, `[X="b" | "a1"]`, `[X=_few]`, `[X=_]`}

var namingApp = []struct{ name, files string }{
	{"in roles", `-- s/roles --
role: «L»: {config: {parameter: {t: "<\(X)>", o: {y: X, z: "\(X)-\(description.config.parameter.n)"}, u: strings.ToUpper(X + "u"), ...}, scale: hsize: len(X) + 1}, meta: {of: X, is: "\(X)\(X)", (X): X, l: [X, "of \(X)"]}}
role: {a1: artifact: c.#Artifact, b: artifact: c.#Artifact, "b-2": {artifact: c.#Artifact, config: scale: hsize: 4}, "_b": artifact: c.#Artifact}
role: "é": artifact: c.#Artifact
-- s/config --
n: *"1" | string
-- s/more --
_few: =~"^b"
-- s/imports --
"strings"
-- c/config --
o: {y?: string, z?: string}
u?: string
-- c/more --
code: c: mapping: env: A: value: json.Marshal(config.parameter)
-- c/imports --
"encoding/json"
`},
	{"in variables", `-- c/more --
code: c: mapping: env: «L»: value: *"d\(X)" | =~"^[<xy]" | string
code: c: mapping: env: {a1: value: config.parameter.t, b: {}, "b-2": value: "<\(config.parameter.t)>", if config.parameter.t != "q" {b3: value: "x"}, (config.parameter.t): value: "y"}
code: c: mapping: filesystem: "/f": {format: "json", data: value: {«L»: {name: X, [Y=string]: *"\(X).\(Y)" | int | string, n: string, if X == "b" {b: 5}}, a1: {}, b: n: config.parameter.t, "b-2": n: X2, let X2 = "x"}}
_few: =~"^b"
-- s/roles --
role: b: {artifact: c.#Artifact, config: parameter: t: "b9"}
role: d: {artifact: c.#Artifact, config: parameter: t: "q"}
`},
	{"in config", `-- c/config --
m: {[string]: {name?: string, p?: string}, «L»: {name: *X | string, host: "\(X).example", p: *"\(name)!" | string}, a1: {}, b: {}}
n: «L»: *X | string | *"n"
n: {b: *"n" | string, a1: *"n" | string}
-- c/more --
code: c: mapping: env: {for k, v in config.parameter.m {"M\(k)": value: json.Marshal(v)}, N: value: "\(config.parameter.n.b)\(config.parameter.n.a1)"}
_few: =~"^b"
-- c/imports --
"encoding/json"
-- s/roles --
role: b: {artifact: c.#Artifact, config: parameter: {m: {a1: name: "q", b: p: "w"}, n: a1: "7"}}
`},
	{"in connectors and channels", `-- s/roles --
role: b: {artifact: c.#Artifact}
srv: server: {a1: port: 81, b: port: 82}
connect: «L»: {from: self: X, to: b: in0: zone: "z-\(X)"}
connect: {a1: _, b: {from: self: "b"}}
-- s/more --
_few: =~"^b"
`},
	{"twice", `-- s/roles --
role: «L»: config: parameter: o: «L2»: "\(X)/\(Z)"
role: «L2»: meta: "of-\(Z)": Z
role: {a1: {artifact: c.#Artifact, config: parameter: o: y: *"none" | string}, b: {artifact: c.#Artifact, config: parameter: o: b: _}, "b-2": {artifact: c.#Artifact}}
-- s/more --
_few: =~"^b"
-- c/config --
o: [string]: string
`},
}

// TestPatternsWithNames compares what is made of the names of fields with what CUE alone makes.
func TestPatternsWithNames(t *testing.T) {
	t.Parallel()
	compiled, n := 0, 0
	for _, app := range namingApp {
		for _, label := range namedPatterns {
			if n++; seldom(n) {
				continue
			}
			if comparesPattern(t, app.name+" with "+label, strings.NewReplacer("«L»", label, "«L2»", strings.Replace(label, "X", "Z", 1)).Replace(app.files)) {
				compiled++
			}
		}
	}
	if all := len(namingApp) * len(namedPatterns); !fewer && compiled < all/2 {
		t.Errorf("only %d of %d compile", compiled, all)
	}
}

// TestPatterns compares what is made of patterns for some fields with what CUE alone makes.
func TestPatterns(t *testing.T) {
	t.Parallel()
	compiled, n := 0, 0
	for _, app := range patternedApp {
		for _, label := range somePatterns {
			if n++; seldom(n) {
				continue
			}
			files := app.files
			if !strings.Contains(label, "strings.") {
				files = strings.Replace(files, "\"strings\"\n", "", 1)
			}
			if comparesPattern(t, app.name+" with "+label, strings.NewReplacer("«L»", label, "«names»", patternNames).Replace(files)) {
				compiled++
			}
		}
	}
	if all := len(patternedApp) * len(somePatterns); !fewer && compiled < all*2/3 {
		t.Errorf("only %d of %d compile", compiled, all)
	}
}

// comparesPattern compares what is made of the files of a form with what CUE alone makes, and reports whether
// they compile.
func comparesPattern(t *testing.T, name, files string) bool {
	dir := t.TempDir()
	write(t, dir, formed(files))
	in := compiler.Input{}
	in.Dir = filepath.Join(dir, "deploy")
	if diff := partialDiffers(in); diff != "" {
		t.Errorf("%s (-CUE +partial):\n%s", name, diff)
	}
	return len(placesOfDescription(in)) > 0
}

// patternForms are parameters whose names match.
var patternForms = []parameterForm{
	{name: "by a text", config: `n: *1 | int, [=~"^x_"]: int`},
	{name: "of any name", config: `[string]: _, n: *1 | int`},
	{name: "of any name, a type", config: `[string]: int | string, n: *1 | int`},
	{name: "of any name and nothing else", config: `[string]: string`},
	{name: "two", config: `[=~"^x_"]: int, [=~"_s$"]: >5 & <9 | "x", n: *1 | int`},
	{name: "a named one matches", config: `[=~"^n"]: >1, n: *2 | int`},
	{name: "with a default", config: `[=~"^x_"]: *1 | int, x_1: int`},
	{name: "of structs", config: `[=~"^x_"]: {k: *1 | int}`},
	{name: "by more than a text", config: `[>"x" & <"y"]: int`},
	{name: "beside one that depends on another", config: `[=~"^x_"]: int | string, n: *1 | int, m: *n | int`},
	{name: "beside one that depends on what matches", config: `[=~"^x_"]: int, x_1: 5, m: *x_1 | int`},
	{name: "under a condition", config: `n: *1 | int, if n > 1 {[=~"^x_"]: int}`},
	{name: "in a definition", config: `#P`, pkg: `#P: {[=~"^x_"]: int, n: *1 | int}`},
	{name: "not one that CUE knows", config: `[=~"("]: int`},
}

// patternsGiven is what is given for any of the forms.
var patternsGiven = []string{
	`{}`, `n: 3`, `n: 4`, `n: 7`, `x_1: 5`, `x_1: "s"`, `{x_1: 1, x_2: 7}`, `{x_s: 7}`, `{x_s: "x"}`, `y: 1`, `{n: 4, x_1: 2, y_s: 6}`, `x_1: {k: 2}`, `x_1: {}`, `x_1: [1]`, `{n: "s"}`, `m: 8`, `{m: 8, x_3: 4}`, `x_1: true`, `y: "t"`, `x_1: null`, `x_1: 1.5`,
}

// TestPatternsOfParameters compares the result for each of patternForms with that of CUE alone.
func TestPatternsOfParameters(t *testing.T) {
	t.Parallel()
	compareEach(t, patternForms, patternsGiven, func(parameterForm) string {
		return `mapping: filesystem: "/n": {data: value: {for k, v in config.parameter if k =~ "^x" {(k): v}}, format: "json"}`
	})
}
