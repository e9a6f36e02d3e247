package compiler_test

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"kumiki.dev/compiler"
)

// rolesByName are ways to declare the roles of a service, whose order is that of the sources or
// another one.
var rolesByName = map[string]string{
	"one after the other": `role: b1: {artifact: c.#Artifact, config: parameter: t: «x»}
		role: a1: {artifact: c.#Artifact, config: parameter: {t: «x», o: y: "2"}}
		role: "c-1": {artifact: c.#Artifact, config: {parameter: t: «x», scale: hsize: 2}}`,
	"in one struct": `role: {zz: {artifact: c.#Artifact, config: parameter: t: «x»}, "_q": {artifact: c.#Artifact}, b2: {artifact: c.#Artifact, config: parameter: t: "<\(«x»)>"}}`,
	"each in parts": `role: b3: config: parameter: t: «x»
		role: a3: artifact: c.#Artifact
		role: b3: artifact: c.#Artifact
		role: a3: config: parameter: t: role.b3.config.parameter.t`,
	"that refer to each other": `role: b4: {artifact: c.#Artifact, config: parameter: t: role.a4.config.parameter.o.y}
		role: a4: {artifact: c.#Artifact, config: parameter: {t: «x», o: y: "o"}}`,
	"in a comprehension": `role: {for n in ["q", "p"] {(n): {artifact: c.#Artifact, config: parameter: t: «x»}}}`,
	"under a condition":  `if config.parameter.t != "none" {role: w: {artifact: c.#Artifact, config: parameter: t: «x»}}`,
	"with a pattern": `role: [string]: meta: of: "all"
		role: b5: {artifact: c.#Artifact, config: parameter: t: «x»}`,
	"of a base": `role: b7: {artifact: c.#Artifact, config: parameter: t: «x»}
-- s/more --
#Artifact: _base
_base: {description: role: {z7: {artifact: c.#Artifact}, b7: {meta: of: "base"}}}`,
	"of a base before them": `_more, role: b8: {artifact: c.#Artifact, config: parameter: t: «x»}, role: a8: artifact: c.#Artifact
-- s/more --
_more: {role: {z8: {artifact: c.#Artifact}, b8: {meta: of: "base"}}}`,
	"in structs that are embedded": `{role: b10: {artifact: c.#Artifact, config: parameter: t: «x»}}, role: {{y10: artifact: c.#Artifact}, x10: artifact: c.#Artifact}`,
	"in structs that are joined":   `role: {b11: {artifact: c.#Artifact, config: parameter: t: «x»}} & {y11: artifact: c.#Artifact, b11: {...}}, role: x11: artifact: c.#Artifact`,
	"in another file": `role: b9: {artifact: c.#Artifact, config: parameter: t: «x»}
-- s/a.cue --
package service
import c "forms.example/app/c:component"
#Artifact: description: role: {y9: artifact: c.#Artifact, b9: meta: of: "file"}
-- s/z.cue --
package service
import c "forms.example/app/c:component"
#Artifact: description: role: {w9: artifact: c.#Artifact, b9: meta: and: "file"}`,
	"by the model's own types": `role: b6: k.#Role & {artifact: c.#Artifact, config: parameter: t: «x»}`,
}

// namesOfRoles are ways to use their names: what x is, and what stands beside the roles.
var namesOfRoles = []struct{ name, x, beside string }{
	{"their number", `"\(len(_names))"`, `_names: [for name, _ in description.role {name}]`},
	{"one text of them", `strings.Join(_names, ",")`, `_names: [for name, _ in description.role {name}]`},
	{"by let", `strings.Join(names, ",")`, `let names = [for name, _ in description.role {name}]`},
	{"the direct way", `strings.Join([for name, _ in description.role {name}], ",")`, ``},
	{"by the short name", `strings.Join(_names, ",")`, `_names: [for name, r in role {name}]`},
	{"those that begin alike", `strings.Join(_names, ",")`, `_names: [for name, _ in description.role if strings.HasPrefix(name, "b") {name}]`},
	{"in texts", `strings.Join(_names, ",")`, `_names: [for name, _ in description.role {"http://\(name):80"}]`},
	{"pairs of them", `strings.Join(_names, ",")`, `_names: [for a, _ in description.role for b, _ in description.role if a != b {a + b}]`},
	{"sorted", `strings.Join(list.SortStrings(_names), ",")`, `_names: [for name, _ in description.role {name}]`},
	{"the first", `_names[0]`, `_names: [for name, _ in description.role {name}]`},
	{"one too many", `_names[20]`, `_names: [for name, _ in description.role {name}]`},
	{"a list of lists", `strings.Join(_all[1], ",")`, `_names: [for name, _ in description.role {name}], _all: [_names, [for n in _names {n + "!"}]]`},
	{"a map of them", `strings.Join([for k, v in _map {"\(k)=\(v)"}], ",")`, `_map: {for name, _ in description.role {(name): len(name)}}`},
	{"with their values", `strings.Join(_names, ",")`, `_names: [for name, r in description.role {"\(name):\(r.config.scale.hsize)"}]`},
	{"of a list that is checked", `"\(len(_names))"`, `_names: [for name, _ in description.role {name}], _few: len(_names) & <6`},
	{"of a list that is wrong", `"\(len(_names))"`, `_names: [for name, _ in description.role {name}], _few: len(_names) & <1`},
	{"of roles that have something", `strings.Join(_names, ",")`, `_names: [for name, r in description.role if r.config.scale != _|_ {name}]`},
	{"beside config", `strings.Join(_names, config.parameter.t)`, `_names: [for name, _ in description.role {"\(name)-\(config.parameter.t)"}]`},
	{"of another struct", `strings.Join(_names, ",")`, `_names: [for name, _ in description.srv {name}]`},
	{"a connector for each", `"x"`, `connect: {for name, _ in description.role {"c-\(name)": {from: (name): "out", to: a: in0: _}}}`},
	{"a connector for some, and their number", `"\(len(_names))"`, `connect: {for name, _ in description.role if name != "z" {"c-\(name)": {from: (name): "out", to: a: in0: _}}}, _names: [for name, _ in description.role {name}]`},
	{"connectors under a name each, and a list of them", `strings.Join([for c, _ in connect {c}], ",")`, `connect: {for name, _ in description.role if name != "z" {"c-\(name)": {from: (name): "out", to: a: in0: _}}}`},
	{"connectors by literals", `strings.Join(_names, ",")`, `connect: c1: {from: a: "out", to: a: in0: _}, _names: [for name, _ in description.role {name}]`},
	{"an index", `strings.Join(_names, ",")`, `_names: [for i, name in [for name, _ in description.role {name}] {"\(i)\(name)"}]`},
	{"a list as a parameter", `"\(_names)"`, `_names: [for name, _ in description.role {name}]`},
}

// TestNamesOfRoles compares what services make of their roles' names with what CUE makes.
func TestNamesOfRoles(t *testing.T) {
	t.Parallel()
	for arranged, roles := range rolesByName {
		for _, form := range namesOfRoles {
			t.Run(arranged+"/"+form.name, func(t *testing.T) {
				t.Parallel()
				imports := ""
				for _, name := range []string{"list", "strings"} {
					if strings.Contains(form.x+form.beside, name+".") {
						imports += `"` + name + `"` + "\n"
					}
				}
				roles, more, _ := strings.Cut(roles, "\n-- ")
				beside := strings.ReplaceAll(form.beside, ", _", "\n\t_")
				dir := t.TempDir()
				write(t, dir, formed("-- c/more --\nsrv: client: out: protocol: \"http\"\n-- s/imports --\n"+imports+"-- s/roles --\n"+strings.ReplaceAll(roles, "«x»", form.x)+"\n"+beside+"\n-- "+cmp.Or(more, "x/none --")+"\n"))
				in := compiler.Input{}
				in.Dir = filepath.Join(dir, "deploy")
				if diff := partialDiffers(in); diff != "" {
					t.Errorf("(-CUE +partial):\n%s", diff)
				}
			})
		}
	}
}
