package compiler_test

import (
	"path/filepath"
	"strings"
	"testing"

	"kumiki.dev/compiler"
)

// somePatterns are labels that are for some fields only, of a1, b, b-2, "_b", "é" and "".
var somePatterns = []string{
	`[=~"^b"]`, `[=~"1$"]`, `[!~"^b"]`, `[=~"^[ab]" & !="b"]`, `["b" | "a1"]`, `["b"]`, `["q"]`, `[!="b"]`, `[=~"^a" | =~"2$"]`, `[(=~"^(b)")]`,
	`[=~#"^\w\d$"#]`, `[=~"^_"]`, `[=~"^é$"]`, `[=~""]`, `[string]`, `[X=string]`, `[=~"^b" & =~"2"]`, `[_any]`, `[_few]`, `[=~_text]`, `[=~"^\(_b)"]`,
	`[strings.MinRunes(2)]`, `[or(["b", "a1"])]`, `[=~"(" | "b"]`, `[>"b"]`, `[string & =~"^b"]`, `[_]`, `[1]`, `[bytes]`,
}

// patternedApp has fields with the names in each place that patterns may stand: «L» is the label.
var patternedApp = []struct{ name, files string }{
	{"roles", `-- s/roles --
role: «L»: {config: {parameter: {...}, scale: hsize: 2}, meta: of: "some"}
role: {a1: {artifact: c.#Artifact}, b: {artifact: c.#Artifact, config: parameter: t: "b"}, "b-2": {artifact: c.#Artifact, config: scale: hsize: 2}, "_b": artifact: c.#Artifact}
role: "é": {artifact: c.#Artifact, meta: is: description.config.parameter.t}
-- s/more --
_any: string
_few: =~"^b"
_text: "^b"
_b: "b"
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
_any: string
_few: =~"^b"
_text: "^b"
_b: "b"
-- s/imports --
"strings"
`},
	{"variables", `-- c/more --
code: c: mapping: env: «L»: {value: *"d" | string}
code: c: mapping: env: {a1: value: config.parameter.t, b: {}, "b-2": value: "<\(config.parameter.t)>", if config.parameter.t != "q" {"_b": value: "x"}, (config.parameter.t): value: "y"}
_any: string
_few: =~"^b"
_text: "^b"
_b: "b"
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
code: c: mapping: env: {for k, v in config.parameter.m {"M\(k)": value: "\(v)"}, N: value: "\(config.parameter.n.b)\(config.parameter.n.a1 == _|_)"}
_any: string
_few: =~"^b"
_text: "^b"
_b: "b"
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
_any: string
_few: =~"^b"
_text: "^b"
_b: "b"
-- s/imports --
"strings"
`},
}

// TestPatterns compares what is made of patterns for some fields with what CUE alone makes.
func TestPatterns(t *testing.T) {
	t.Parallel()
	compiled := 0
	for _, app := range patternedApp {
		for _, label := range somePatterns {
			files := app.files
			if !strings.Contains(label, "strings.") {
				files = strings.Replace(files, "\"strings\"\n", "", 1)
			}
			dir := t.TempDir()
			write(t, dir, formed(strings.ReplaceAll(files, "«L»", label)))
			in := compiler.Input{}
			in.Dir = filepath.Join(dir, "deploy")
			if diff := partialDiffers(in); diff != "" {
				t.Errorf("%s with %s (-CUE +partial):\n%s", app.name, label, diff)
			}
			if len(placesOfDescription(in)) > 0 {
				compiled++
			}
		}
	}
	if all := len(patternedApp) * len(somePatterns); compiled < all*2/3 {
		t.Errorf("only %d of %d compile", compiled, all)
	}
}
