package compiler_test

// choiceForms are artifacts that let a parameter be one of several structs that are written as definitions, in the package of the
// artifact or in another one.
var choiceForms = []decidedForm{
	{name: "one of two definitions", config: `s?: #Memory | #Disk`, imports: stores, description: storeIfThere, given: givenStores},
	{name: "one of two definitions, with a default", config: `s: *#Memory | #Disk`, imports: stores, description: storeShown, given: givenStores},
	{name: "a definition that is one of two", config: `s?: #Store`, imports: stores, description: storeIfThere, given: givenStores},
	{name: "a definition or a struct", config: `s?: #Memory | {kind: "disk", path: string}`, imports: stores, description: storeIfThere, given: givenStores},
	{name: "a definition or a definition that is one of two", config: `s?: #Store | #Remote`, imports: stores, description: storeIfThere, given: givenStores},
	{name: "definitions that leave room", config: `s?: #Memory | #Open`, imports: stores, description: storeIfThere, given: givenStores},
	{name: "definitions that embed one", config: `s?: #Memory | #Named`, imports: stores, description: storeIfThere, given: givenStores},
	{name: "definitions of which one is refined", config: `s?: #Memory | (#Disk & {path: =~"^/"})`, imports: stores, description: storeIfThere, given: givenStores},
	{name: "a definition that is written in two places", config: `s?: #Memory | #Twice`, imports: stores, description: storeIfThere, given: givenStores},
	{name: "definitions that refer to fields of their own", config: `s?: #Memory | #Same`, imports: stores, description: storeIfThere, given: givenStores},
	{name: "definitions with defaults", config: `s?: #Memory | #Sized`, imports: stores, description: storeIfThere, given: givenStores},
	{name: "definitions in lists and maps", config: `l: [...#Memory | #Disk], m: [string]: #Store`, imports: stores,
		description: `code: c: mapping: filesystem: "/p": {data: value: {l: config.parameter.l, m: config.parameter.m}, format: "json"}`,
		given:       []string{`{}`, `l: [{kind: "disk", path: "/a"}, {kind: "memory"}]`, `l: [{kind: "disk"}]`, `m: a: {kind: "disk", path: "/b"}`, `m: {a: kind: "memory", b: {kind: "disk", path: "/b"}}`, `m: a: kind: "x"`, `m: a: path: "/c"`}},
	{name: "definitions of a library", config: `s?: l.#Memory | l.#Disk`, imports: storeLibrary, description: storeIfThere, given: givenStores},
	{name: "a library's definition that is one of two", config: `s?: l.#Store`, imports: storeLibrary, description: storeIfThere, given: givenStores},
	{name: "a library's definition or one's own", config: `s?: l.#Disk | #Memory`, imports: storeLibrary, description: storeIfThere, given: givenStores},
	{name: "definitions without a literal to tell them", config: `s?: #A | #B`, imports: "\n-- c/s.cue --\npackage component\n#A: a: string\n#B: {b: string, a?: int}\n", description: storeIfThere,
		given: []string{`s: a: "x"`, `s: b: "x"`, `s: {a: "x", b: "y"}`, `s: {a: 1, b: "y"}`, `s: c: 1`}},
	{name: "hidden definitions", config: `s?: _#A | _#B`, imports: "\n-- c/s.cue --\npackage component\n_#A: {kind: \"memory\"}\n_#B: {kind: \"disk\", path: string}\n", description: storeIfThere, given: givenStores},
	{name: "definitions with hidden fields and required ones", config: `s?: #A | #B`, imports: "\n-- c/s.cue --\npackage component\n#A: {kind: \"memory\", _x: 1}\n#B: {kind: \"disk\", path!: string}\n", description: storeIfThere, given: givenStores},
	{name: "definitions with numbers and booleans to tell them", config: `s?: #A | #B | #C`, imports: "\n-- c/s.cue --\npackage component\n#A: {v: 1, kind?: string, x: string}\n#B: {v: 0x2, kind?: string, y: string}\n#C: {v: true, z: string}\n", description: storeIfThere,
		given: []string{`s: {v: 1, x: "a"}`, `s: {v: 2, y: "a"}`, `s: {v: 0x2, y: "b"}`, `s: {v: true, z: "a"}`, `s: {v: 3, x: "a"}`, `s: {v: 2, x: "a"}`}},
	{name: "a definition in a struct", config: `s?: #D.memory | #D.disk`, imports: "\n-- c/s.cue --\npackage component\n#D: {memory: {kind: \"memory\"}, disk: {kind: \"disk\", path: string}}\n", description: storeIfThere, given: givenStores},
	{name: "definitions that are among themselves", config: `s?: #A | #Disk, o?: #B`, imports: stores + "#A: #A | {kind: \"memory\"}\n#B: #C\n#C: #B\n", description: storeIfThere, given: givenStores},
	{name: "a definition that is as deep as one likes", config: `s?: #L`, imports: stores + "#L: {kind: \"memory\"} | {kind: \"disk\", path: string, more?: #L}\n", description: storeIfThere,
		given: append([]string{`s: {kind: "disk", path: "/a", more: kind: "memory"}`, `s: {kind: "disk", path: "/a", more: {kind: "disk", path: "/b", more: kind: "memory"}}`}, givenStores...)},
	{name: "a definition that a condition asks for", config: `s: *#Memory | #Disk`, imports: stores, given: givenStores,
		description: `code: c: mapping: env: {if config.parameter.s.kind == "disk" {PATH: value: config.parameter.s.path}, if config.parameter.s.kind == "memory" {KIND: value: "m"}}`},
	{name: "a definition whose text is shown", config: `s: *#Memory | #Disk`, imports: "\"encoding/json\"" + stores, given: givenStores,
		description: `code: c: cmd: [json.Marshal(config.parameter.s), "\(config.parameter.s.kind)"]`},
}

const (
	stores = `
-- c/s.cue --
package component
` + definitions + `
#Open: {kind: "disk", path: string, ...}
#Named: {#Base, kind: "disk", path: string}
#Base: n?: int
#Twice: {kind: "disk"}
#Twice: {path: string}
#Same: {kind: "disk", path: string, again: path}
#Sized: {kind: "disk", path: *"/data" | string, n: *1 | int}
`
	definitions = `
#Memory: {kind: "memory"}
#Disk: {kind: "disk", path: string, n?: int}
#Store: #Memory | #Disk
#Remote: {kind: "remote", host: string}
`
	storeLibrary = `l "forms.example/app/l:lib"
-- l/a.cue --
package lib
` + definitions + `
-- c/s.cue --
package component
#Memory: {kind: "memory"}
`
	storeIfThere = `code: c: mapping: filesystem: {if config.parameter.s != _|_ {"/p": {data: value: config.parameter.s, format: "json"}}}`
	storeShown   = `code: c: mapping: filesystem: {"/p": {data: value: config.parameter.s, format: "json"}, "/q": {data: value: {s: config.parameter.s, l: [config.parameter.s]}, format: "json"}}`
)

var givenStores = []string{`s: kind: "memory"`, `{}`, `s: {kind: "disk", path: "/a"}`, `s: {kind: "disk", path: "/b", n: 1}`, `s: {kind: "disk", n: 2, path: "/b"}`, `s: kind: "disk"`,
	`s: path: "/c"`, `s: {kind: "memory", path: "/d"}`, `s: {kind: "disk", path: "d"}`, `s: {kind: "disk", path: "/d", x: 1}`, `s: {kind: "remote", host: "h"}`, `s: kind: "other"`, `s: {kind: "disk", path: 5}`, `s: {kind: "disk", path: "/d", again: "/d"}`}
