package compiler_test

import (
	"strings"
	"testing"
)

const siblingApp = `
-- cue.mod/module.cue --
module: "sibling.example/app@v0"
language: version: "v0.12.0"
-- l/l.cue --
package library
#Any: _
«library»
-- c/c.cue --
package component
import (
	k "kumori.systems/kumori:kumori"
	l "sibling.example/app/l:library"
)
_model: k.#ContainerSize
_library: l.#Any
«package»
#Artifact: {ref: name: "c", description: {
	config: {parameter: {«config»}, scale: hsize: *1 | uint}
	size: bandwidth: {size: 9, unit: "M"}
	code: c: {
		image: tag: "i:1", size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}
		mapping: filesystem: "/p": {data: value: config.parameter, format: "json"}
		«container»
	}
}}
-- s/s.cue --
package service
import c "sibling.example/app/c:component"
#Artifact: {ref: name: "s", description: {
«roles»
}}
-- deploy/d.cue --
package deployment
import s "sibling.example/app/s:service"
#Deployment: {name: "d", artifact: s.#Artifact}
`

// siblingForms are components whose parameters are structs: with fields that are the defaults of others, with
// types where they are shown, and with alternatives.
var siblingForms = []struct {
	name, config, library, pkg, container string
	given                                 []string
}{
	{name: "a size that is a parameter", config: `size: k.#ContainerSize`,
		container: `mapping: env: CPU: value: "\(config.parameter.size.mincpu)"`,
		given: []string{
			`{size: {cpu: {size: 200, unit: "m"}, memory: {size: 32, unit: "M"}}}`,
			`{size: {cpu: {size: 300, unit: "m"}, mincpu: 20, memory: {size: 33, unit: "M"}}}`,
			`{size: {cpu: size: 2, memory: {size: 34, unit: "Mi"}}}`,
			`{size: {cpu: {size: 2, unit: "", kind: "cpu"}, mincpu: 2, memory: {size: 34, unit: "Mi", kind: "ram"}}}`,
			`{size: {cpu: size: 0.5, memory: {size: 1.5, unit: "G"}}}`,
			`{size: {cpu: size: 1, mincpu: 0.25, memory: {size: 1, unit: "G"}}}`,
			`{size: {cpu: size: -1, memory: {size: 1, unit: "G"}}}`,
			`{size: {cpu: size: 1, memory: {size: 1, unit: "g"}}}`,
			`{size: {cpu: size: 1, memory: size: 1}}`,
			`{size: {cpu: size: 1}}`,
			`{size: {cpu: size: 1, mincpu: "1", memory: {size: 1, unit: "G"}}}`,
			`{size: {cpu: {size: 1, kind: "ram"}, memory: {size: 1, unit: "G"}}}`,
			`{size: {cpu: size: 1, memory: {size: 1, unit: "G"}, disk: 5}}`,
			`{size: {cpu: {size: 1, u: 5}, memory: {size: 1, unit: "G"}}}`,
			`{}`,
		}},
	{name: "a struct of config", config: `s: {a: int, b: *a | int, c: a | >100, d: *b | string}`,
		given: siblingsGiven},
	{name: "a definition of the package", config: `s: #S`, pkg: `#S: {a: int, b: *a | int, c: a | >100, d: *b | string}`,
		given: siblingsGiven},
	{name: "a definition of a library", config: `s: l.#S`, library: `#S: {a: int, b: *a | int}`,
		given: siblingsGiven},
	{name: "a definition that is refined", config: `s: l.#S & {b: >2, e: *"e" | string}`, library: `#S: {a: int, b: *a | int}`,
		given: siblingsGiven},
	{name: "a definition in a definition", config: `s: l.#T`, library: "#S: {a: int, b: *a | int}\n#T: {s: #S, n: *s.a | int, a: *s.b | int, b: *1 | int}",
		given: []string{`{}`, `{s: {s: a: 1}}`, `{s: {s: {a: 2, b: 3}}}`, `{s: {s: a: 3, n: 4}}`, `{s: {s: a: 3, n: "x"}}`, `{s: {s: {a: 3, b: 5}, n: 4, a: 7}}`, `{s: {s: {}, a: 7}}`, `{s: {s: a: 1, b: "x"}}`}},
	{name: "a definition that is unified with itself", config: `s: l.#S & l.#S`, library: `#S: {a: int, b: *a | int}`,
		given: siblingsGiven},
	{name: "the other way about", config: `s: l.#S`, library: `#S: {a: int, b: int | *a}`,
		given: siblingsGiven},
	{name: "a bound", config: `s: l.#S`, library: `#S: {a: number & >0, b: *a | (number & >=2 & <10)}`,
		given: append([]string{`{s: {a: 0.5}}`, `{s: {a: 2.5, b: 2.5}}`, `{s: {a: 2, b: 1.9999999999999999999999999999}}`, `{s: {a: 2, b: 2.0}}`, `{s: {a: 1e2, b: 9.5e0}}`, `{s: {a: 3.25, b: -0.5}}`, `{s: {a: 0.0}}`, `{s: {a: 1, b: 9.99999999999999999999999999}}`, `{s: {a: 1, b: 10}}`, `{s: {a: 1, b: 10.5}}`}, siblingsGiven...)},
	{name: "an integer with a bound", config: `n: *1 | (int & >=0 & <10), f: *1.5 | (>=0.5 & <=2), g: *1 | >=0`,
		given: []string{`{}`, `n: 2`, `n: 2.5`, `n: -1`, `f: 1`, `f: 2.0`, `f: 2.25`, `g: 0.5`, `g: 1.0`, `g: -0.0`, `g: 0.0`, `g: 7`, `g: 1e400`, `g: 0.1e1`}},
	{name: "a default that is a struct", config: `s: l.#S`, library: `#S: {a: {x: *1 | int}, b: *a | string, c: *a.x | int}`,
		given: []string{`{}`, `{s: {}}`, `{s: {a: x: 2}}`, `{s: {b: "x"}}`, `{s: {b: x: 1}}`, `{s: {a: {x: 3}, c: 5}}`, `{s: {c: 5}}`}},
	{name: "two defaults", config: `s: l.#S`, library: `#S: {a: int, b: *a | *5 | int, c: *a | (*6 | int), d: *7 | a | string}`,
		given: append([]string{`{s: {a: 5}}`, `{s: {a: 6}}`}, siblingsGiven...)},
	{name: "what may be missing", config: `s: l.#S`, library: `#S: {a?: int, b: *a | int, c?: *a | int, d!: *a | string}`,
		given: append([]string{`{s: {d: "x"}}`, `{s: {a: 5, d: "d"}}`, `{s: {a: 6, b: 7, d: "d", c: 8}}`, `{s: {a: 6, c: 8, d: 6}}`}, siblingsGiven...)},
	{name: "names that hide names", config: `s: l.#S`, library: "a: 5\n_h: 6\n#S: {X=a: int, b: *X | int, c: *_h | int, a2: {a: 1, b: *a | int}, _i: int, d: *_i | int, \"_i\": *3 | int}",
		given: append([]string{`{s: {a: 5, "_i": 4}}`}, siblingsGiven...)},
	{name: "a let and a name outside", config: `s: l.#S`, library: "a: 5\n#S: {let y = a, b: *y | int, c: *a | int}",
		given: siblingsGiven},
	{name: "a field that is said twice", config: `s: l.#S`, library: "#S: {a: int, a: >1, b: *a | int, b: <9}",
		given: siblingsGiven},
	{name: "an open struct", config: `s: l.#S`, library: "#S: {a: int, b: *a | int, ...}",
		given: append([]string{`{s: {a: 5, z: 1}}`, `{s: {a: 5, b: 1, z: b: "x"}}`}, siblingsGiven...)},
	{name: "sizes in a map and in a list", config: `m: [string]: k.#ContainerSize, l: *[] | [...l.#S]`, library: `#S: {a: int, b: *a | int}`,
		given: []string{`{}`, `{m: x: {cpu: size: 1, memory: {size: 1, unit: "G"}}}`, `{m: {x: {cpu: size: 1, memory: {size: 1, unit: "G"}}, y: {cpu: size: 2, mincpu: 1, memory: {size: 1, unit: "G"}}}}`, `{l: [{a: 1}, {a: 2, b: 3}]}`, `{l: [{a: 1, z: 2}]}`, `{l: [{b: 1}]}`, `{m: x: {cpu: size: "1", memory: {size: 1, unit: "G"}}}`}},
	{name: "a size with a default", config: `size: k.#ContainerSize | *{cpu: {size: 100, unit: "m"}, memory: {size: 32, unit: "M"}}, small: k.#ContainerSize & {memory: {size: <100, unit: "M"}}, part: {size: k.#ContainerSize}`,
		given: []string{`{}`, `{small: {cpu: size: 1, memory: size: 50}, part: size: {cpu: size: 3, memory: {size: 2, unit: "G"}}}`, `{small: {cpu: size: 1, memory: size: 150}, part: size: {cpu: size: 3, memory: {size: 2, unit: "G"}}}`,
			`{size: cpu: size: 200, small: {cpu: size: 1, mincpu: 0.5, memory: size: 50}, part: size: {cpu: size: 3, mincpu: 0.5, memory: {size: 2, unit: "G"}}}`, `{size: {cpu: {size: 200, unit: ""}, memory: {size: 1, unit: "M"}}, small: {cpu: size: 1, mincpu: 0.5, memory: size: 50}, part: size: {cpu: size: 3, mincpu: 0.5, memory: {size: 2, unit: "G"}}}`}},
	{name: "checks that are hidden", config: `s: {a: int, _check: a & <5}, t: *{a: 1} | l.#S`, library: `#S: {a: int, b: *a | int, _check: a & <5}`,
		given: []string{`{s: {a: 1}}`, `{s: {a: 5}}`, `{s: {a: 2}, t: {a: 2, b: 2}}`, `{s: {a: 2}, t: {a: 7, b: 2}}`, `{s: {a: 2}, t: {a: 3}}`}},
	{name: "types where a parameter is shown", config: `s: {a: int, b: *2 | int | string, ...}, t: {a: int, ...}, u: {a: int, b: *a | int}, v: {...}, w: {...}, x: {...}`,
		library: "#S: {a: int, b: *a | int}\n#H: {a: int, _check: a & <5}\n#P: {a: int, n: {x: *1 | int, y?: string}}\n#O: {a: int, b?: int, ...}\n#M: {a: int, m: [string]: int}\n#R: {a: int, b!: int}",
		container: `mapping: filesystem: {for n in ["q"] {"/\(n)": data: value: "q"}
			"/1": {data: value: l.#S & config.parameter.s, format: "json"}
			"/2": {data: value: config.parameter.t & l.#H, format: "json"}
			"/3": {data: value: config.parameter.t & {a: int, c: *a | int, ...}, format: "json"}
			"/4": {data: value: config.parameter.u & {a: <9, b: int}, format: "json"}
			"/5": {data: value: config.parameter.v & l.#P, format: "json"}
			"/6": {data: value: config.parameter.t & {a: int, _check: a & <7, ...}, format: "json"}
			"/7": {data: value: l.#O & config.parameter.t, format: "json"}
			"/8": {data: value: l.#M & config.parameter.w, format: "json"}
			"/9": {data: value: config.parameter.x & l.#R, format: "json"}}`,
		given: shownGiven},
	{name: "one type where a parameter is shown", config: `s: {a: int, b: *2 | int | string}`, library: `#S: {a: int, b: *a | int}`,
		container: `mapping: filesystem: "/1": {data: value: l.#S & config.parameter.s, format: "json"}`, given: siblingsGiven},
	{name: "a type with a check where a parameter is shown", config: `s: {a: int, b: *2 | int}`, library: `#S: {a: int, b: *a | int, _check: a & <5}`,
		container: `mapping: filesystem: "/1": {data: value: l.#S & config.parameter.s, format: "json"}`, given: siblingsGiven},
	{name: "a struct with a check where a parameter is shown", config: `s: {a: int, b: *2 | int}`,
		container: `mapping: filesystem: "/1": {data: value: {a: int, b: a | >100, _check: a & <5} & config.parameter.s, format: "json"}`, given: siblingsGiven},
	{name: "a type that adds a field where a parameter is shown", config: `s: {a: int, ...}`, library: `#S: {a: int, b: *a | int, ...}`,
		container: `mapping: filesystem: {"/1": {data: value: l.#S & config.parameter.s, format: "json"}, "/2": {data: value: config.parameter.s & {b: *9 | int, ...}, format: "json"}}`, given: siblingsGiven},
	{name: "types with what may be missing where a parameter is shown", config: `s: {a: int, b?: int, ...}`, library: `#S: {a: int, b?: int, c?: [...int], n?: x: *1 | int}`,
		container: `mapping: filesystem: "/1": {data: value: l.#S & config.parameter.s, format: "json"}`,
		given:     []string{`{s: {a: 1}}`, `{s: {a: 1, b: 2}}`, `{s: {a: 1, c: [1, 2]}}`, `{s: {a: 1, c: ["x"]}}`, `{s: {a: 1, n: {}}}`, `{s: {a: 1, n: x: 2}}`, `{s: {a: 1, z: 2}}`, `{s: {a: 1, n: {x: 3, y: 4}}}`}},
	{name: "a field that all alternatives have", config: `s: {k: "a", n: int} | {k: "b", n: int, d: string}`,
		container: `mapping: env: {A: value: "\(*config.parameter.s.n | 0)", if config.parameter.s.n != _|_ {B: value: "there"}}`,
		given:     []string{`{s: {k: "b", n: 7, d: "x"}}`, `{s: {k: "a", n: 8}}`, `{s: {k: "b", n: 9, d: "y"}}`, `{s: {k: "a", n: 8, d: "x"}}`}},
	{name: "a check of a field that all alternatives have", config: `s: {n: int, m: bool} | {n: int, d: string}, t: *1 | int, _u: s.n & <9`,
		container: `mapping: env: T: value: "\(config.parameter.t)"`,
		given:     []string{`{s: {n: 7, d: "x"}}`, `{s: {n: 8, m: true}}`, `{s: {n: 9, d: "y"}}`, `{s: {n: 5, d: "x"}}`}},
	{name: "a check of a choice beside fields", config: `s: {n: int, {m: bool} | {d: string}}`, container: `mapping: env: {N: value: "\(*config.parameter.s.n | 0)", Y: value: "\(config.parameter.s.n & <9)"}`,
		given: []string{`{s: {n: 7, d: "x"}}`, `{s: {n: 8, m: true}}`, `{s: {n: 9, d: "y"}}`}},
	{name: "a choice that a library makes of an item", config: `s: [...{memory: bool} | {disk: string, n: *1 | int}]`, library: `#One: {w: *{memory: true} | {disk: string, ...}}`,
		container: `mapping: filesystem: "/1": {data: value: (l.#One & {w: config.parameter.s[0]}).w, format: "json"}`,
		given:     []string{`{s: [{disk: "x"}]}`, `{s: [{memory: true}]}`, `{s: [{disk: "y", n: 2}]}`, `{s: []}`}},
	{name: "a choice that copies another", config: `v: {memory: bool} | {disk: string, n: *1 | int}, w: v`,
		container: `cmd: ["a", if config.parameter.w.disk != _|_ {config.parameter.w.disk}]`,
		given:     []string{`{v: disk: "x"}`, `{v: memory: true}`, `{v: {disk: "y", n: 4}}`, `{v: {disk: "z"}, w: {disk: "z"}}`}},
	{name: "a choice that two say", config: `w: (*{memory: true} | {disk: string}) & ({memory: _} | {disk: !=""})`,
		container: `mapping: env: {if config.parameter.w.memory != _|_ {M: value: "m"}}`,
		given:     []string{`{w: disk: "x"}`, `{w: memory: true}`, `{}`, `{w: disk: ""}`}},
	{name: "an item with a type that has another default", config: `s: [...{a: int, b: *0 | int}]`, library: `#W: {a: int, b: *a | int}`,
		container: `mapping: filesystem: "/1": {data: value: config.parameter.s[0] & l.#W, format: "json"}`,
		given:     []string{`{s: [{a: 4}]}`, `{s: [{a: 4, b: 3}]}`, `{s: [{a: 0}]}`}},
	{name: "items with two defaults", config: `s: [...{b: *4 | int, a: int} & {a: int, b: *a | int}]`,
		given: []string{`{s: [{a: 8}]}`, `{s: [{a: 4}]}`, `{s: [{a: 8, b: 9}]}`, `{s: []}`}},
	{name: "an unknown field in a list of a map", config: `s: [string]: [...{a: int, b: *(a + 1) | int}]`,
		given: []string{`{s: x: [{a: 1, b: 2}]}`, `{s: x: [{a: 3}]}`, `{s: x: [{a: 5, k: 3}]}`, `{s: {}}`, `{s: {x: [], y: [{a: 6}]}}`}},
	{name: "a copy of a field that a pattern types", config: `u: [string]: {n: int}, u: x: _, w: u.x`,
		given: []string{`{u: x: {n: 3}}`, `{u: {x: {n: 3}, y: {n: 4}}}`, `{u: x: {n: "a"}}`, `{u: x: {n: 3}, w: {n: 3}}`}},
	{name: "an item joined with a struct of any fields", config: `s: [...*"auto" | {min: int}]`,
		container: `mapping: filesystem: "/1": {data: value: {x: config.parameter.s[0], y: config.parameter.s[0] & {...}}, format: "json"}`,
		given:     []string{`{s: ["auto"]}`, `{s: [{min: 1}]}`, `{s: []}`}},
	{name: "a field that all alternatives of a definition have", config: `s: #U`, pkg: `#U: {k: "a", n: int} | {k: "b", n: int}`,
		container: `mapping: env: N: value: "\(*config.parameter.s.n | 0)"`, given: []string{`{s: {k: "b", n: 7}}`, `{s: {k: "a", n: 8}}`, `{s: {k: "c", n: 9}}`}},
	{name: "a field that all alternatives of a let have", config: `let U = {k: "a", n: int} | {k: "b", n: int}, s: U, v: [{k: "a", n: int} | {k: "b", n: int}][0]`,
		container: `mapping: env: {N: value: "\(*config.parameter.s.n | 0)", V: value: "\(*config.parameter.v.n | 0)"}`, given: []string{`{s: {k: "b", n: 7}, v: {k: "b", n: 1}}`, `{s: {k: "a", n: 8}, v: {k: "a", n: 2}}`}},
	{name: "a field that all alternatives embedded in a struct have", config: `s: {#U, z: *1 | int}, {k: "a", n: int} | {k: "b", n: int}`, pkg: `#U: {k: "a", n: int} | {k: "b", n: int, ...}`,
		container: `mapping: env: {N: value: "\(*config.parameter.s.n | 0)", M: value: "\(*config.parameter.n | 0)"}`, given: []string{`{s: {k: "b", n: 7}, k: "a", n: 1}`, `{s: {k: "a", n: 8}, k: "b", n: 2}`}},
	{name: "other types of the model", config: `s?: k.#Secret, c?: k.#Certificate, d?: k.#Domain, v?: k.#Volume, p?: k.#Port`,
		given: []string{`{}`, `{s: {secret: "x"}}`, `{d: {domain: "x"}}`, `{v: {volume: "x"}}`, `{v: {volume: {size: 1, unit: "G"}}}`, `{p: {port: 80}}`, `{s: {secret: 5}}`, `{s: {}}`}},
}

// shownGiven is what is given for structs that are shown in files.
var shownGiven = []string{
	`{s: {a: 1}, t: {a: 1}, u: {a: 1, b: 2}, v: {a: 1}, w: {a: 1, m: {}}, x: {a: 1, b: 1}}`,
	`{s: {a: 2, b: 3}, t: {a: 2}, u: {a: 2, b: 3}, v: {a: 2, n: {x: 3}}, w: {a: 1, m: {z: 1}}, x: {a: 1, b: 1}}`,
	`{s: {a: 2, b: 4}, t: {a: 2}, u: {a: 2, b: 3}, v: {a: 2, n: {x: 3, y: "y"}}, w: {a: 1, m: {z: 1}}, x: {a: 1, b: 1}}`,
	`{s: {a: 2, b: 4}, t: {a: 6}, u: {a: 2, b: 3}, v: {a: 2}, w: {a: 1, m: {}}, x: {a: 1, b: 1}}`,
	`{s: {a: 2, b: 4}, t: {a: 3}, u: {a: 9, b: 3}, v: {a: 2}, w: {a: 1, m: {}}, x: {a: 1, b: 1}}`,
	`{s: {a: 2, b: 4}, t: {a: 3}, u: {a: 8, b: 3}, v: {a: 2, z: 1}, w: {a: 1, m: {}}, x: {a: 1, b: 1}}`,
	`{s: {a: 2, b: 4}, t: {a: 3}, u: {a: 8, b: 3}, v: {a: 2}, w: {a: 1, m: y: "x"}, x: {a: 1, b: 1}}`,
	`{s: {a: 2, b: 4}, t: {a: 3}, u: {a: 8, b: 3}, v: {a: 2}, w: {a: 1, m: {}}, x: {a: 1}}`,
}

// siblingsGiven is what is given for a struct s of numbers a and b.
var siblingsGiven = []string{`{}`, `{s: {}}`, `{s: {a: 1}}`, `{s: {a: 2, b: 3}}`, `{s: {a: 3, b: 3}}`, `{s: {b: 3}}`, `{s: {a: "x"}}`, `{s: {a: 4, b: "x"}}`, `{s: {a: 7, b: 8, c: 7}}`, `{s: {a: 7, b: 8, c: 9}}`, `{s: {a: 7, c: 101}}`, `{s: {a: 8, c: 8, d: "x"}}`, `{s: {a: 9, c: 9, d: 9}}`, `{s: {a: 9, c: 9, d: 8}}`, `{s: {a: 1, z: 2}}`, `{s: {a: 1.5}}`, `{s: {a: 1, b: {x: 1}}}`, `{s: {a: null}}`}

// TestSiblings compares the result for each of siblingForms with that of CUE alone.
func TestSiblings(t *testing.T) {
	t.Parallel()
	for n, form := range siblingForms {
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			compareRoles(t, n, form.given, func(roles string) string {
				dir := t.TempDir()
				write(t, dir, strings.NewReplacer("«library»", form.library, "«package»", form.pkg, "«config»", form.config, "«container»", form.container, "«roles»", roles).Replace(siblingApp))
				return dir
			})
		})
	}
}
