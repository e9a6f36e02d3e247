package generate

import (
	"fmt"
	"slices"
	"strings"
)

// kind is what values of a parameter can be used as.
type kind int

const (
	text kind = iota
	number
	flag
	texts // a list of texts
	object
	table // texts by name
	rows  // a list of objects with name and port
	anything
)

// param is a parameter of config, or a field of one.
type param struct {
	name string // as it is written, without quotes
	mark string // "", "?" or "!"
	kind kind
	// decl is its type. Where value is not needed, it has a default.
	decl      string
	defaulted bool
	computed  bool // follows from others, so that nobody gives it a value
	derived   bool // refers to others
	value     func() string
	imports   []string // packages of CUE that decl needs
	local     string   // "lib" if decl needs that
	kumori    bool     // whether it needs the model
	fields    []param  // of an object
	construct string
}

// form is a way to declare a parameter: values are some that it takes, the bad
// ones some that it does not.
type form struct {
	kind      kind
	decl      string
	values    []string
	bad       []string
	construct string
	imports   []string
}

func (f form) defaulted() bool {
	return strings.HasPrefix(f.decl, "*") || strings.Contains(f.decl, "| *") || strings.Contains(f.decl, "(*")
}

var forms = []form{
	{text, `string`, []string{`"some"`, `"a b"`, `"é日本"`, `""`, "\"x\\ty\""}, []string{`5`, `true`, `null`}, "scalar", nil},
	{text, `*"info" | "debug" | "warn"`, []string{`"info"`, `"debug"`}, []string{`"loud"`}, "enum", nil},
	{text, `*"info" | string`, []string{`"info"`, `"other"`}, []string{`1`}, "default", nil},
	{text, `"a" | "b"`, []string{`"a"`, `"b"`}, []string{`"c"`}, "disjunction of scalars", nil},
	{text, `=~"^[a-z]+$"`, []string{`"abc"`, `"z"`}, []string{`"A1"`}, "pattern of a scalar", nil},
	{text, `*"ab" | =~"^[a-z]+$"`, []string{`"abc"`, `"z"`}, []string{`"A1"`}, "pattern of a scalar", nil},
	{text, `strings.MinRunes(2)`, []string{`"abc"`, `"日本"`}, []string{`"a"`}, "validator of a scalar", []string{"strings"}},
	{text, `string & !="root"`, []string{`"user"`}, []string{`"root"`}, "bound", nil},
	{text, `matchN(1, [=~"^a", =~"z$"])`, []string{`"ab"`, `"bz"`}, []string{`"az"`, `"b"`}, "matchN of a scalar", nil},
	{text, `string & matchN(0, ["bad", =~"^x"])`, []string{`"good"`}, []string{`"bad"`, `"xy"`}, "not of a scalar", nil},
	{text, `matchIf(=~"^a", strings.MinRunes(3), string)`, []string{`"abc"`, `"b"`}, []string{`"ab"`}, "matchIf of a scalar", []string{"strings"}},
	{number, `int`, []string{`5`, `-3`, `0`, `0x1f`, `1_000`, `1K`, `12345678901234567890123`}, []string{`"5"`, `1.5`, `5.0`}, "scalar", nil},
	{number, `*8080 | uint16`, []string{`8080`, `80`, `0o17`}, []string{`-1`, `70000`}, "default", nil},
	{number, `>0 & <100`, []string{`5`, `99`, `0.5`}, []string{`0`, `100`}, "bound", nil},
	{number, `*3 | (int & >=1 & <=9)`, []string{`3`, `9`}, []string{`10`, `1.5`}, "bound", nil},
	{number, `uint`, []string{`0`, `7`}, []string{`-1`}, "scalar", nil},
	{number, `*1.50 | number`, []string{`2`, `1.5`, `3e2`, `0.1`, `1e-7`}, []string{`"1.5"`}, "number with a fraction", nil},
	{number, `float`, []string{`1.0`, `2.50`, `1e3`}, []string{`1`}, "number with a fraction", nil},
	{flag, `bool`, []string{`true`, `false`}, []string{`"true"`, `1`}, "scalar", nil},
	{flag, `*false | bool`, []string{`true`, `false`}, []string{`"no"`}, "default", nil},
	{flag, `*true | bool`, []string{`true`, `false`}, []string{`"no"`}, "default", nil},
	{texts, `[...string]`, []string{`["a"]`, `["a", "b"]`, `[]`}, []string{`[1]`, `"a"`}, "list", nil},
	{texts, `*["a"] | [...string]`, []string{`["a", "c"]`, `[]`}, []string{`["a", 1]`}, "list with a default", nil},
	{texts, `[...string] & list.MaxItems(2)`, []string{`["a"]`, `["a", "b"]`}, []string{`["a", "b", "c"]`}, "validator of a list", []string{"list"}},
	{texts, `[...string] & list.UniqueItems()`, []string{`["a"]`, `["a", "b"]`}, []string{`["a", "a"]`}, "validator of a list", []string{"list"}},
	{texts, `[string, ...string]`, []string{`["a"]`, `["a", "b"]`}, []string{`[]`, `[1]`}, "list", nil},
	{table, `[string]: string`, []string{`{a: "1"}`, `{}`, `{"x-y": "2", b: "3"}`}, []string{`{a: 1}`}, "pattern", nil},
	{table, `[=~"^[a-z]+$"]: string`, []string{`{a: "1"}`, `{}`}, []string{`{a: 1}`, `{A1: "x"}`}, "pattern", nil},
	{table, `*{} | {[string]: string}`, []string{`{a: "1"}`, `{b: "2", c: "3"}`}, []string{`{a: 1}`}, "default {} of a struct", nil},
	{anything, `*{} | {...}`, []string{`{a: "1"}`, `{b: 2, c: d: [1]}`}, []string{`5`}, "default {} of a struct", nil},
	{table, `*{a: "1"} | {[string]: string}`, []string{`{b: "1"}`, `{a: "2"}`}, []string{`{b: 1}`}, "default of a struct", nil},
	{rows, `[...{name: string, port: *80 | uint16}]`, []string{`[{name: "a"}]`, `[{name: "a", port: 1}, {name: "b"}]`, `[]`}, []string{`[{name: 1}]`, `[{port: 1}]`, `[{name: "a", prt: 1}]`}, "list of structs", nil},
	{rows, `*[{name: "d", port: 7}] | [...{name: string, port: int}]`, []string{`[{name: "a", port: 1}]`, `[]`}, []string{`[{name: "a"}]`}, "list of structs", nil},
	{anything, `{kind: "s3", bucket: string} | {kind: "file", path: *"/x" | string}`, []string{`{kind: "s3", bucket: "b"}`, `{kind: "file"}`}, []string{`{kind: "s3"}`, `{kind: "file", bucket: "b"}`, `{kind: "z"}`}, "disjunction of structs", nil},
	{anything, `*{kind: "none"} | {kind: "s3", bucket: string}`, []string{`{kind: "s3", bucket: "b"}`, `{kind: "none"}`}, []string{`{kind: "s3"}`, `{kind: "x"}`}, "disjunction of structs", nil},
	{anything, `{[string]: int} & struct.MaxFields(2)`, []string{`{a: 1}`, `{a: 1, b: 2}`}, []string{`{a: 1, b: 2, c: 3}`}, "validator of a struct", []string{"struct"}},
	{anything, `{tls: *false | bool, cert: *"" | string} & matchIf({tls: true, ...}, {cert: !="", ...}, _)`, []string{`{}`, `{tls: true, cert: "c"}`}, []string{`{tls: true}`}, "matchIf of a struct", nil},
	{anything, `{a: *1 | int, b: *2 | int} & matchN(0, [{a: >5, b: >5, ...}])`, []string{`{}`, `{a: 7}`}, []string{`{a: 7, b: 8}`}, "matchN of a struct", nil},
	{anything, `{a?: int, b?: int} & matchN(1, [{a!: int, ...}, {b!: int, ...}])`, []string{`{a: 1}`, `{b: 1}`}, []string{`{a: 1, b: 1}`, `{}`}, "matchN of a struct", nil},
	{anything, `null | {x: int, y: *1 | int}`, []string{`null`, `{x: 1}`}, []string{`{}`, `5`}, "null or a struct", nil},
	{object, `close({a: *1 | int, b?: string})`, []string{`{}`, `{a: 2, b: "x"}`}, []string{`{c: 1}`}, "close", nil},
	{text, `>"a" & <"d"`, []string{`"b"`, `"cx"`}, []string{`"z"`, `1`}, "bound", nil},
	{text, `("x" | "y") & string`, []string{`"x"`}, []string{`"z"`}, "disjunction of scalars", nil},
	{anything, `string | *null`, []string{`"x"`}, []string{`5`}, "null or a text", nil},
	{number, `int & >=0 & <=65535 | *443`, []string{`8443`, `443`}, []string{`-1`, `"x"`}, "default", nil},
	{anything, `[int, string]`, []string{`[1, "a"]`}, []string{`[1]`, `["a", 1]`}, "list of fixed length", nil},
	{anything, `{a: int} | {b: int}`, []string{`{a: 1}`, `{b: 2}`}, []string{`{a: 1, b: 2}`, `{c: 1}`}, "disjunction of structs", nil},
	{anything, `{[=~"^x_"]: int, [=~"^y_"]: string, z: *1 | int}`, []string{`{x_a: 1, y_b: "t"}`, `{}`}, []string{`{x_a: "t"}`, `{w: 1}`}, "pattern", nil},
	{anything, `_`, []string{`1`, `"x"`, `{a: [1, {b: null}]}`, `[]`}, nil, "any", nil},
	{anything, `number | string`, []string{`1`, `"x"`}, []string{`true`}, "disjunction of types", nil},
	{anything, `[...int] | {...}`, []string{`[1]`, `{a: 1}`}, []string{`"x"`}, "disjunction of types", nil},
}

// param makes up a parameter.
func (g *gen) param(depth int) param {
	name := one(g, g.name("p"), g.name("p"), g.name("p"), g.name("p"), g.name("x-"), g.name("é"))
	if !isName(name) {
		g.use("quoted label")
	}
	if depth < 2 && g.chance(15) {
		return g.object(name, depth)
	}
	f := one(g, forms...)
	p := param{name: name, kind: f.kind, decl: f.decl, defaulted: f.defaulted(), imports: f.imports, construct: f.construct}
	if f.kind == table && strings.HasPrefix(f.decl, "[") {
		p.decl = "{" + f.decl + "}"
		p.defaulted = true // {} will do
	}
	if !p.defaulted {
		p.mark = one(g, "", "", "", "", "?", "!")
	}
	p.value = func() string {
		if g.slip("bytes") {
			return "'abc'"
		}
		if len(f.bad) > 0 && g.slip("a value that the artifact does not take") {
			return one(g, f.bad...)
		}
		return one(g, f.values...)
	}
	return p
}

// object makes up a parameter with fields.
func (g *gen) object(name string, depth int) param {
	p := param{name: name, kind: object, defaulted: true, construct: "nested parameter"}
	var decls []string
	for range 1 + g.IntN(2) {
		f := g.param(depth + 1)
		p.fields = append(p.fields, f)
		p.imports = append(p.imports, f.imports...)
		p.defaulted = p.defaulted && (f.defaulted || f.mark == "?")
		decls = append(decls, f.line())
	}
	p.decl = "{" + strings.Join(decls, ", ") + "}"
	switch {
	case g.chance(15):
		p.decl = "{" + strings.Join(append(decls, "..."), ", ") + "}"
	case g.kam:
		p.decl = "{" + strings.Join(append(decls, Open), ", ") + "}"
	}
	p.value = func() string {
		var given []string
		for _, f := range p.fields {
			if g.gives(f) {
				given = append(given, label(f.name)+": "+f.value())
			}
		}
		if g.slip("an undeclared field") {
			given = append(given, "undeclared: 1")
		}
		return "{" + strings.Join(given, ", ") + "}"
	}
	return p
}

// needed reports whether somebody has to give the parameter a value.
func (p param) needed() bool { return !p.defaulted && p.mark != "?" }

// gives reports whether to give the parameter a value.
func (g *gen) gives(p param) bool {
	switch {
	case p.computed:
		return g.chance(2)
	case p.needed():
		return !g.slip("a value is missing")
	}
	return g.chance(40)
}

// line declares the parameter.
func (p param) line() string { return fmt.Sprintf("%s%s: %s", label(p.name), p.mark, p.decl) }

// variable is something that expressions can refer to.
type variable struct {
	path []string // in its package; or
	expr string   // as it is written, in a comprehension
	kind kind
	sure bool // whether it is there
}

// variables are the parameter and what is in it.
func (p param) variables(path []string, sure bool) []variable {
	path = append(slices.Clip(path), p.name)
	sure = sure && p.mark != "?"
	out := []variable{{path: path, kind: p.kind, sure: sure}}
	for _, f := range p.fields {
		out = append(out, f.variables(path, sure)...)
	}
	return out
}
