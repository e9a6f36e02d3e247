package compiler_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// typesOf are ways to declare the parameters t, n, o and l; the first few are the
// usual ones.
var typesOf = map[string][]string{
	"t": {`*"d" | string`, `string`, `*"d" | string`, `*"d" | "e" | string`, `*"d" | "e" | "f"`, `*"d" | (string & !="bad")`, `=~"^."`, `*"" | string`, `#text`, `h.#text`, `*h.text | string`, `*_text | string`, `"fixed"`, `string | *null`, `string | int`, `*#text | int`, `strings.MinRunes(1)`, `*strings.ToUpper("d") | string`},
	"n": {`*5 | int`, `*5 | int`, `*7 | int`, `*5 | uint16`, `int`, `*1 | (int & >=0 & <=100)`, `number | *2`, `>=0 & <10`, `*0x10 | int`, `*1K | int`, `int & >0`, `*-1 | int`, `*1.5 | number`, `#size`, `h.#size`, `*5 | int | string`, `*len("abc") | int`, `uint | *0`},
	"o": {`{x: *1 | int, y: *"y" | string}`, `{x: *1 | int, y: *"y" | string}`, `{x: *2 | int, y: *"z" | string, ...}`, `{...}`, `{[string]: int | string}`, `{x: int, y?: string}`, `#pair`, `h.#pair`, `*{x: 1} | {y: string}`, `{x: *1 | int, z: x, ...}`, `{x: *1 | int} | *{y: *"y" | string}`, `null | {x: int, y: *"q" | string}`, `{#pair}`, `{x!: int, ...}`, `_`, `{"_q": *1 | int, x: *2 | int, ...}`, `close({x: *1 | int})`},
	"l": {`*["a"] | [...string]`, `*["a"] | [...string]`, `*[] | [...int | string]`, `[...string] | *["q"]`, `[...]`, `[...string]`, `[...{x: *1 | int}]`, `[string, ...]`, `*[1, 2] | [int, int]`, `[...#pair] | *[{x: 3}]`},
}

// valuesOf are values for them.
var valuesOf = map[string][]string{
	"t": {`"e"`, `"e"`, `"f"`, `"d"`, `"v"`, `"other\n\u00e9"`, `""`, `"bad"`, `#"r"aw"#`, "\"\"\"\n\tl\n\t\"\"\"", `'b'`, `"fixed"`, `"e"`},
	"n": {`7`, `5`, `9`, `3`, `0`, `-3`, `1_0`, `0b11`, `2.0`, `1e1`, `99`, `100000000000000000000`, `70000`, `"5"`},
	"o": {`{x: 3}`, `{x: 3, y: "z"}`, `{x: 5}`, `{x: 6}`, `{}`, `{y: "yy"}`, `{z: 1}`, `{x: "s"}`, `null`, `{x: 1, x: 1}`, `{"é": 1}`, `{_q: 1}`, `{"_q": 5}`},
	"l": {`[]`, `["a"]`, `["a", "b"]`, `["c"]`, `["a", 2]`, `[{}]`, `[1, 2]`, `[{x: 4}]`},
}

// ways are how one refers to a parameter of the service.
var ways = []string{
	`description.config.parameter.%s`, `description.config.parameter.%s`, `description.config.parameter.%s`, `description.config.parameter.%s`,
	`(description.config.parameter.%s)`, `P.%[1]s`, `_p.%[1]s`, `_%[1]s`, `C.parameter.%s`, `D.config.parameter.%[1]s`, `config.parameter.%s`, `parameter.%s`, `description["config"].parameter.%s`,
	`description.config.parameter["%s"]`, `description.config."parameter".%s`, `#Artifact.description.config.parameter.%s`, `{v: description.config.parameter.%s}.v`, `[description.config.parameter.%s][0]`,
	`description.config.parameter.%s & _`, `*description.config.parameter.%s | _`, `(h.#id & {in: description.config.parameter.%s}).out`, `(#id & {in: description.config.parameter.%s}).out`, `description.config.parameter.o.%s`, `description.config.resilience`, `description.config.parameter.%s.x`, `_h%s`,
}

// besideConfig are further things to say in a description.
var besideConfig = []string{
	`#in: description`, `srv: client: out: _`, `role: [string]: config: parameter: {...}`, `role: [=~"^r1"]: config: parameter: n: 6`, `if config.parameter.n > 5 {role: r0: config: parameter: t: "if"}`,
	`for x in ["r8"] {role: (x): {artifact: c.#Artifact, config: parameter: t: "for"}}`, `config: parameter: _`, `config: resilience: 1`, `config: resilience: *2 | uint`,
	`role: r0: config: parameter: t: "again"`, `role: r0: {}`, `role: r0: meta: a: config.parameter.t`, `role: "r\(1)": config: parameter: n: 4`, `config: parameter: extra: *config.parameter.t | string`, `{role: r0: config: parameter: n: 3}`, `#mixin`, `connect: c0: {from: self: "in", to: r0: in0: _}, srv: server: in: _`,
}

// besideArtifact are things to say beside an artifact, in another file.
var besideArtifact = []string{
	`_p: #Artifact.description.config.parameter`, `_t: "package's"`, `string: _`, `#Artifact: description: config: parameter: n: int`,
	`#Artifact: description: role: r0: config: parameter: n: 2`, `#Artifact: {ref: name: string}`, "#Artifact: _base\n_base: description: config: parameter: b: *true | bool", `D=#Artifact`, `_x: [for n, r in #Artifact.description.role {n}]`,
}

// supplied are what the description has if something in it needs that: what shows the
// need, and ways to say it.
var supplied = [][]string{
	{"P.", `let P = description.config.parameter`, `let P = config.parameter`},
	{"C.", `let C = description.config`, `let C = config`},
	{"D.", `let D = description`},
	{"_p.", `_p: config.parameter`, `_p: description.config.parameter`},
	{"_t", `_t: config.parameter.t`}, {"_n", `_n: config.parameter.n`}, {"_o", `_o: description.config.parameter.o`}, {"_l", `_l: config.parameter.l`},
	{"_ht", `_ht: "<\(config.parameter.t)>"`, `_ht: *"ht" | string`}, {"_hn", `_hn: config.parameter.n + 1`}, {"_ho", `_ho: config.parameter.o & {...}`}, {"_hl", `_hl: [for x in config.parameter.l {x}]`},
}

// defined are ways to define what a package has if something in it needs that.
var defined = map[string][]string{
	"#text":  {`#text: string`, `#text: *"d" | string`},
	"_text":  {`_text: "d"`},
	"#size":  {`#size: *5 | int`, "#size: int & >=min\nmin: 1", `#size: uint16 | *3`},
	"#pair":  {`#pair: {x: *1 | int, y: *"p" | string}`, `#pair: {x: *1 | int, z: x, ...}`, "#pair: #pair2\n#pair2: {x: *1 | int, y: \"\\(x)\"}"},
	"#id":    {`#id: {in: _, out: in}`, `#id: {in: *"dd" | _, out: "\(in)!"}`},
	"#mixin": {`#mixin: role: r0: config: parameter: t: "mixed"`, `#mixin: {srv: client: mixed: _, ...}`, `#mixin: {...}`},
	"#twice": {`#twice: {once: *"o" | string, both: "\(once)\(once)"}`, "#twice: #twice2\n#twice2: {once: *\"o\" | string, both: \"\\(once)\\(once)\"}"},
}

// drawn draws from the first few or, less often, from all.
func drawn(t *rapid.T, from []string) string {
	if !oneIn(t, 25) {
		from = from[:min(len(from), 4)]
	}
	return rapid.SampledFrom(from).Draw(t, "text")
}

// oneIn tells, once in n times.
func oneIn(t *rapid.T, n int) bool { return rapid.IntRange(1, n).Draw(t, "one in") == n }

// genParameters declares some parameters.
func genParameters(t *rapid.T) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(typesOf)) {
		if oneIn(t, 40) {
			continue
		}
		mark := ""
		if oneIn(t, 60) {
			mark = rapid.SampledFrom([]string{"?", "!"}).Draw(t, "mark")
		}
		out = append(out, name+mark+": "+drawn(t, typesOf[name]))
		if oneIn(t, 40) {
			out = append(out, name+": "+drawn(t, typesOf[name]))
		}
	}
	if oneIn(t, 20) {
		out = append(out, rapid.SampledFrom([]string{"...", "[string]: _", `[=~"^n"]: <50`, "let X = 1", "if true {q: *1 | int}", `"é": *1 | int`}).Draw(t, "more"))
	}
	return "{\nb: *true | bool\n" + strings.Join(out, "\n") + "\n}"
}

// genValue is a value for a parameter, or a way to get it from the service.
func genValue(t *rapid.T, name string) string {
	switch rapid.IntRange(0, 5).Draw(t, "value") {
	case 0, 1:
		return drawn(t, valuesOf[name])
	case 2:
		if name != "t" {
			break
		}
		way := fmt.Sprintf(drawn(t, ways), rapid.SampledFrom([]string{"t", "n"}).Draw(t, "name"))
		return rapid.SampledFrom([]string{`"\(` + way + `)"`, `"<\(` + way + `)/\(description.config.parameter.n)>"`, `"\(` + way + `)\u00e9"`, `#"\#(` + way + `)"#`}).Draw(t, "text")
	case 3:
		if name == "o" {
			return "{x: " + genValue(t, "n") + ", y: " + genValue(t, "t") + "}"
		}
	}
	return fmt.Sprintf(drawn(t, ways), name)
}

func genRole(t *rapid.T, name string, artifacts []string) string {
	artifact := rapid.SampledFrom(artifacts).Draw(t, "artifact")
	var parameters []string
	for _, name := range slices.Sorted(maps.Keys(typesOf)) {
		if !oneIn(t, 4) {
			parameters = append(parameters, name+": "+genValue(t, name))
		}
	}
	config := "config: parameter: {\n" + strings.Join(parameters, "\n") + "\n}"
	if artifact == "c" && oneIn(t, 3) {
		config += "\nconfig: scale: hsize: " + drawn(t, []string{"2", "0", "3", "1", "description.config.parameter.n", "-1", "*2 | int"})
	}
	if oneIn(t, 3) {
		config = "config: {\n" + strings.ReplaceAll(config, "config: ", "") + "\n}"
	}
	return fmt.Sprintf("role: %s: {\nartifact: %s.#Artifact\n%s\n}", name, artifact, config)
}

// genService is a service of two files, with roles of the others.
func genService(t *rapid.T, name, imports string, roles int, artifacts ...string) string {
	parts := []string{"config: parameter: " + genParameters(t)}
	for r := range roles {
		parts = append(parts, genRole(t, fmt.Sprint("r", r), artifacts))
	}
	if oneIn(t, 4) {
		parts = append(parts, rapid.SampledFrom(besideConfig).Draw(t, "beside"))
	}
	return files(t, name, "Service", imports, parts)
}

// files writes an artifact into two files.
func files(t *rapid.T, name, kind, imports string, parts []string) string {
	first := len(parts)
	if oneIn(t, 8) {
		first = rapid.IntRange(1, len(parts)).Draw(t, "first")
	}
	parts, all := slices.Clone(parts), strings.Join(parts, "\n")
	for _, x := range supplied {
		if strings.Contains(all, x[0]) {
			parts = slices.Insert(parts, rapid.IntRange(0, first).Draw(t, "at"), rapid.SampledFrom(x[1:]).Draw(t, "is"))
			first++
		}
	}
	one := "#Artifact: k.#" + kind + " & {ref: name: \"" + name + "\", description: {\n" + strings.Join(parts[:first], "\n") + "\n}}\n"
	two := "#Artifact: description: {\n" + strings.Join(parts[first:], "\n") + "\n}\n"
	all = strings.Join(parts, "\n")
	for _, name := range slices.Sorted(maps.Keys(defined)) {
		if x := defined[name]; strings.Contains(strings.ReplaceAll(all, "h."+name, ""), name) && !oneIn(t, 40) {
			if text := rapid.SampledFrom(x).Draw(t, "is") + "\n"; oneIn(t, 2) {
				one += text
			} else {
				two += text
			}
		}
	}
	if oneIn(t, 5) {
		two += rapid.SampledFrom(besideArtifact).Draw(t, "more") + "\n"
	}
	text := ""
	for i, body := range []string{one, two} {
		used := ""
		for _, spec := range strings.Split(imports, "\n") {
			if alias, _, _ := strings.Cut(spec, " "); strings.Contains(body, alias+".") && alias != "" {
				used += "\t" + spec + "\n"
			}
		}
		text += fmt.Sprintf("-- %s/%d.cue --\npackage %s\nimport (\n%s)\n%s", name, i, strings.ToLower(kind), used, body)
	}
	return text
}

// genApplication is a deployment of a service in whose roles are others.
func genApplication(t *rapid.T) string {
	imports := "k \"kumori.systems/kumori:kumori\"\nh \"services.example/app/h:help\"\nc \"services.example/app/c:component\"\nstrings \"strings\""
	component := []string{"config: {scale: hsize: *1 | uint, parameter: " + genParameters(t) + "}", `srv: server: in0: port: 80
code: c: {image: tag: "i:1", size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}}
size: bandwidth: {size: 9, unit: "M"}`}
	for range rapid.IntRange(0, 2).Draw(t, "described") {
		component = append(component, drawn(t, described))
	}
	text := "-- cue.mod/module.cue --\nmodule: \"services.example/app@v0\"\nlanguage: version: \"v0.12.0\"\n"
	text += files(t, "c", "Component", imports+"\nl \"services.example/app/h:help\"", component)
	text += genService(t, "m", imports, 1, "c")
	text += genService(t, "s", imports+"\nm \"services.example/app/m:service\"", rapid.IntRange(1, 3).Draw(t, "roles"), "c", "c", "m")
	var given []string
	for _, name := range slices.Sorted(maps.Keys(valuesOf)) {
		if !oneIn(t, 4) {
			given = append(given, name+": "+drawn(t, valuesOf[name]))
		}
	}
	return text + "-- deploy/d.cue --\npackage deployment\nimport s \"services.example/app/s:service\"\n#Deployment: {name: \"d\", artifact: s.#Artifact, config: {parameter: {\n" + strings.Join(given, "\n") + "\n}}}\n" + helpers
}

const helpers = `-- h/a.cue --
package help
#text: *"d" | string
text: "d"
#size: int & >=_least
#pair: {x: *1 | int, y: #word}
#id: #same
#twice: #double
#container: {mapping: env: {K: value: string, L: value: mapping.env.K.value}, ...}
-- h/b.cue --
package help
#word: *"p" | string
_least: 0
#same: {in: *"same" | _, out: in}
#double: {once: *"o" | string, both: "\(once)\(once)"}
`

// TestServices compares what is made of random services with some shortcuts and
// without; it takes -rapid.checks=20000 to find what is seldom.
func TestServices(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "app")
	tried, made := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		tried++
		m := &mutant{files: unpacked(genApplication(t))}
		m.write(t, root, m.files)
		in := switchable{}
		in.Dir = filepath.Join(root, "deploy")
		s := switches(rapid.IntRange(0, int(noShortcut)-1).Draw(t, "switches"))
		whole := noShortcut&^noMemo | s&noMemo
		want, got := whole.run(in), s.run(in)
		if diff := linesDiffer(want.told, got.told) + linesDiffer(want.tree, got.tree); diff != "" {
			t.Fatalf("(-%v +%v):\n%s", whole, s, diff)
		}
		if want.tree != nil {
			made++
		}
	})
	require.True(t, made > 0 || tried < 100, "some are deployable: a third, as a rule")
}
