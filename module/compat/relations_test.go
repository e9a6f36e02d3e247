package compat

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"kumiki.dev/diag"
)

// relations are changes of what config fields have to do with each other.
var relations = []change{
	{"the same if", `a: *1 | int, if a > 1 {b: *1 | int}`, "// More.\na: *1 | int, if a > 1 {b: *1 | int}", Patch, "sources differ"},
	{"the same if, required", `a: int, if a > 1 {b: int}`, "// More.\na: int, if a > 1 {b: int}", Patch, "sources differ"},
	{"an if adds a field that has to be given", `a: *1 | int`, `a: *1 | int, if a > 1 {b: int}`, Major, "{a: 2}"},
	{"an if over what has to be given", `a: int`, `a: int, if a > 1 {b: int}`, Major, "{a: 2}"},
	{"an if adds a field that may be left out", `a: int`, `a: int, if a > 1 {b: *1 | int}`, Minor, "may be left out"},
	{"an if adds an optional field", `a: *1 | int`, `a: *1 | int, if a > 1 {b?: int}`, Minor, "may be left out"},
	{"an if narrows a field", `a: int, b: int`, `a: int, b: int, if a > 1 {b: <9}`, Major, "{a: 2, b: 9}"},
	{"an if narrows a field with a default", `a: *1 | int, b: *1 | int`, `a: *1 | int, b: *1 | int, if a > 1 {b: <9}`, Major, "{a: 2, b: 9}"},
	{"an if gives a default", `a: *1 | int, b?: int`, `a: *1 | int, b?: int, if a > 1 {b: *3 | int}`, Major, "nothing proves"},
	{"an if fails", `a: int`, `a: int, if a > 1 {_|_}`, Major, "{a: 2}"},
	{"an if goes", `a: int, if a > 1 {b: *1 | int}`, `a: int`, Major, "nothing proves"},
	{"an if goes that narrowed", `a: *1 | int, b: int, if a > 1 {b: <9}`, `a: *1 | int, b: int`, Minor, "is gone"},
	{"another condition", `a: int, if a > 1 {b: *1 | int}`, `a: int, if a > 2 {b: *1 | int}`, Major, "nothing proves"},
	{"another condition, with a default", `a: *1 | int, if a > 1 {b: *1 | int}`, `a: *1 | int, if a > 2 {b: *1 | int}`, Major, "nothing proves"},
	{"a stricter body", `a: *1 | int, if a > 1 {b: *1 | int}`, `a: *1 | int, if a > 1 {b: *1 | <9}`, Major, "nothing proves"},
	{"the default of the condition", `a: *1 | int, if a > 1 {b: int}`, `a: *2 | int, if a > 1 {b: int}`, Major, "nothing proves"},
	{"another field's type", `a: *1 | <9, c: *1 | int, if a > 1 {b: int}`, `a: *1 | <99, c: *1 | int, if a > 1 {b: int}`, Minor, "takes more"},
	{"a default elsewhere", `a: *1 | int, c: *1 | int, if a > 1 {b: int}`, `a: *1 | int, c: *2 | int, if a > 1 {b: int}`, Minor, "the default was 1, is 2"},
	{"an if elsewhere stays", `a: *1 | int, if a > 1 {b: int}`, `a: *1 | int, if a > 1 {b: int}, c: *1 | int`, Minor, "may be left out"},
	{"a field beside an if has to be given", `a: int, if a > 1 {b: int}`, `a: int, if a > 1 {b: int}, c: int`, Major, "has to be given"},
	{"a field beside an if goes", `a: int, if a > 1 {b: int}, c: int`, `a: int, if a > 1 {b: int}`, Major, "the field is gone"},
	{"a field beside an if takes less", `a: int, if a > 1 {b: int}, c: int`, `a: int, if a > 1 {b: int}, c: <9`, Major, "9"},
	{"a bound by a field", `a: int, b: int`, `a: int, b: int & <a`, Major, "{a: 0, b: 0}"},
	{"a bound by a field goes", `a: int, b: int & <a`, `a: int, b: int`, Minor, "is gone"},
	{"the same bound by a field", `a: int, b: int & <a`, "// More.\na: int, b: int & <a", Patch, "sources differ"},
	{"another bound by a field", `a: int, b: int & <a`, `a: int, b: int & <=a`, Major, "nothing proves"},
	{"a bound by a field with another default", `a: *9 | int, b: int & <a`, `a: *7 | int, b: int & <a`, Major, "nothing proves"},
	{"a default that is another field's", `a: int, b: *1 | int`, `a: int, b: *a | int`, Major, "has to be given"},
	{"a computed field", `a: int`, `a: int, b: a + 1`, Major, "has to be given"},
	{"a computed field changes", `a: int, b: a + 1`, `a: int, b: a + 2`, Major, "{a: -1, b: 0}"},
	{"a bound below", `a: int, c: {d: int}`, `a: int, c: {d: int & <a}`, Major, "nothing proves"},
	{"an if below", `c: {kind: *"a" | "b"}`, `c: {kind: *"a" | "b", if kind == "b" {size: int}}`, Major, "nothing proves"},
	{"an if below an optional field", `c?: {kind: *"a" | "b"}`, `c?: {kind: *"a" | "b", if kind == "b" {size: int}}`, Major, "nothing proves"},
	{"an if in the items of a list", `c: [...{kind: "a" | "b"}]`, `c: [...{kind: "a" | "b", if kind == "b" {size: int}}]`, Major, "nothing proves"},
	{"an if in an alternative", `c: {kind: "a"} | {kind: "b", n: *1 | int}`, `c: {kind: "a"} | {kind: "b", n: *1 | int, if n > 1 {size: int}}`, Major, "nothing proves"},
	{"an if in a definition", "a: #P\n#P: {kind: *\"a\" | \"b\"}", "a: #P\n#P: {kind: *\"a\" | \"b\", if kind == \"b\" {size: int}}", Major, "nothing proves"},
	{"a tree and an if", "t?: #T, a: *1 | int, if a > 1 {b: *1 | int}\n#T: {n: int, sub: [...#T]}", "t?: #T, a: *1 | int, if a > 1 {b: *1 | int}, c?: int\n#T: {n: int, sub: [...#T]}", Minor, "may be left out"},
	{"a field for each", `n: [...string]`, `n: [...string], for x in n {"f\(x)": int}`, Major, "{n: [\"a\"]}"},
	{"a field for each, with a default", `n: [...string]`, `n: [...string], for x in n {"f\(x)": *1 | int}`, Major, "nothing proves"},
	{"another than a field", `a: string, b: string`, `a: string, b: !=a`, Major, "{a: \"a\", b: \"a\"}"},
	{"a hidden limit", `a: int & <_max, _max: 9`, `a: int & <_max, _max: 8`, Major, "nothing proves"},
	{"a limit in a let", `let max = 9, a: int & <max`, `let max = 8, a: int & <max`, Major, "nothing proves"},
	{"a limit in a definition", `#max: 9, a: int & <#max`, `#max: 8, a: int & <#max`, Major, ""},
	{"a limit in a field", `max: 9, a: int & <max`, `max: 8, a: int & <max`, Major, "9"},
	{"a definition with an if gets another", "a: #P\n#P: {k: *1 | int, if k > 1 {b: int}}", "a: #P\n#P: {k: *1 | int, if k > 2 {b: int}}", Major, "nothing proves"},
	{"a condition on what may be absent", `a?: int`, `a?: int, if a > 1 {b: *1 | int}`, Major, "{} "},
	{"a condition on two kinds", `a: int | string`, `a: int | string, if a > 1 {b: *1 | int}`, Major, "{a: \"1\"}"},
	{"an if where any name was taken", `a: int, [string]: string | int`, `a: int, [string]: string | int, if a > 1 {b: *1 | int}`, Major, "nothing proves"},
	{"an if with an else", `a: *1 | int`, `a: *1 | int, if a > 1 {b: *1 | int}, if !(a > 1) {c: *1 | int}`, Minor, "may be left out"},
	{"two ifs of one field", `a: *1 | int`, `a: *1 | int, if a > 1 {b: *1 | int}, if a > 2 {b: *2 | int}`, Major, "{a: 65536}"},
	{"an if with a default of another field", `a: *1 | int, c: *1 | int`, `a: *1 | int, c: *1 | int, if a > 1 {b: *c | int}`, Major, "nothing proves"},
	{"a let", `a: int, b: int`, `a: int, let x = a, b: int & <x`, Major, "{a: 0, b: 0}"},
	{"a hidden check", `a: int, b: int`, `a: int, b: int, _ok: true & (a < b)`, Major, "{a: 0, b: 0}"},
}

// outsiders are changes of what a description says of its config elsewhere.
var outsiders = []change{
	{"nothing", `a: int`, `a: int`, None, ""},
	{"an if outside of the config", ``, "if config.parameter.a > 1 {config: parameter: b: <9}", Major, "nothing proves"},
	{"an if in another file", ``, "}}\n#Artifact: {description: {config: _, if config.parameter.a > 1 {config: parameter: b: <9}", Major, "nothing proves"},
	{"another condition", "if config.parameter.a > 1 {config: parameter: b: <9}", "if config.parameter.a > 2 {config: parameter: b: <9}", Major, "nothing proves"},
	{"the same", "if config.parameter.a > 1 {config: parameter: b: <9}", "// Why.\nif config.parameter.a > 1 {config: parameter: b: <9}", Patch, "sources differ"},
	{"a default that the if refers to", "if config.parameter.a > 1 {config: parameter: b: <9}", "a: *2", Major, "9 is refused"},
	{"an if about code", "", "if config.parameter.a > 1 {code: web: cmd: [\"x\"]}", Patch, "sources differ"},
}

// TestOutsiders checks which step changes outside of the config need.
func TestOutsiders(t *testing.T) {
	t.Parallel()
	for _, c := range outsiders {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(s string) string {
				text := fmt.Sprintf(component, "a: *1 | int, b: *1 | int", "", "hsize: *1 | uint", "server: web: port: 80")
				if s == "a: int" {
					return text
				}
				if s == "a: *2" {
					s = "if config.parameter.a > 1 {config: parameter: b: <9}"
					text = strings.Replace(text, "a: *1", "a: *2", 1)
				}
				return strings.Replace(text, "size: bandwidth", s+"\n\t\tsize: bandwidth", 1)
			})
		})
	}
}

// TestRelations checks which step changes of relations need.
func TestRelations(t *testing.T) {
	t.Parallel()
	const port = "server: web: port: 80"
	for _, c := range relations {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.check(t, func(s string) string { return fmt.Sprintf(component, s, "", "hsize: *1 | uint", port) })
		})
	}
}

// fragments are what the configs of TestRelationsAreSound are made of.
var fragments = []string{
	"a: int", "a: *1 | int", "a: *2 | int", "a?: int", "a: <3 & int", "a: *1 | string | int",
	"b: int", "b: *1 | int", "b?: int", "b: int & <a", "b: int & <=a", "b: !=a", "b: *a | int", "b: a + 1",
	"c: bool", "c: *true | bool", "c: *false | bool", "c?: bool",
	"if a > 1 {b: int}", "if a > 1 {b: *1 | int}", "if a > 2 {b: *1 | int}", "if a > 1 {b?: int}", "if a > 1 {b: <2}", "if a > 1 {b: *2 | int}",
	"if c {d: *1 | int}", "if !c {d: *1 | int}", "if c {d: int}", "if c {a: <2}", "if c && a == 1 {b: *1 | int}", "if b != _|_ {d: *1 | int}",
	"if c if a > 1 {d: *1 | int, e: *a | int}", "let x = a, b: int & <x", "_max: 2, b: int & <_max", "_max: 1, b: int & <_max", "_ok: true & (a < 3)",
	"#P: {d: *1 | int}, if c {#P}", "#L: 2, a: <=#L", "#L: 1, a: <=#L", "[string]: int | bool", "d: {e: *1 | int, if e > 1 {f: *1 | int}}", "d: {e: *1 | int, if e > 1 {f: int}}",
	"d?: {e: int, if a > e {f: *1 | int}}", "d: [...int & <a]", "d: [if c {1}, ...int]", "for k in [\"d\", \"e\"] if c {\"\\(k)\": *1 | int}",
}

// givens are configs that a deployment might give.
func givens() []string {
	var out []string
	for _, a := range []string{"", "a: 0", "a: 1", "a: 2", "a: 3", `a: "x"`} {
		for _, b := range []string{"", "b: 0", "b: 1", "b: 2"} {
			for _, c := range []string{"", "c: true", "c: false"} {
				for _, d := range []string{"", "d: 1", "d: {}", "d: e: 2", "d: {e: 2, f: 1}", "d: [1]", "e: 1"} {
					out = append(out, "{"+strings.Join([]string{a, b, c, d}, "\n")+"}")
				}
			}
		}
	}
	return out
}

// TestRelationsAreSound makes pairs of configs: where no step is major, whatever
// the old one takes is taken by the new one.
func TestRelationsAreSound(t *testing.T) {
	t.Parallel()
	all := givens()
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		pick := rapid.SliceOfNDistinct(rapid.SampledFrom(fragments), 1, 4, rapid.ID)
		before := pick.Draw(t, "before")
		after := append(slices.Clone(before), rapid.SliceOfN(rapid.SampledFrom(fragments), 0, 1).Draw(t, "more")...)
		if len(before) > 1 && rapid.Bool().Draw(t, "less") {
			i := rapid.IntRange(0, len(before)-1).Draw(t, "which")
			after = slices.Delete(after, i, i+1)
		}
		if i := rapid.IntRange(-1, len(after)-1).Draw(t, "instead"); i >= 0 {
			alike := slices.DeleteFunc(slices.Clone(fragments), func(f string) bool { return f[0] != after[i][0] })
			after[i] = rapid.SampledFrom(alike).Draw(t, "another")
		}
		ctx := cuecontext.New()
		compile := func(parts []string) cue.Value {
			return ctx.CompileString("#A: config: {\n" + strings.Join(parts, "\n") + "\n}").LookupPath(cue.ParsePath("#A.config"))
		}
		was, is := compile(before), compile(after)
		if was.Validate() != nil || is.Validate() != nil {
			return
		}
		c := &comparison{ctx: ctx}
		c.section("config", was, is, diag.NoPos)
		if slices.ContainsFunc(c.changes, func(x Change) bool { return x.Step == Major }) {
			return
		}
		proved++
		for _, given := range rapid.SliceOfN(rapid.SampledFrom(all), 40, 40).Draw(t, "given") {
			v := ctx.CompileString(given)
			if !finishes(was, v) || finishes(is, v) {
				continue
			}
			takesIt := func(parts []string) bool { return finishes(compile(parts), v) }
			if anyOrder(after, takesIt) || !everyOrder(before, takesIt) {
				continue // CUE's answer depends on the order of declarations: nobody can prove anything of that
			}
			t.Fatalf("%s is taken by\n%s\nand refused by\n%s\nchanges: %v", given, strings.Join(before, "\n"), strings.Join(after, "\n"), c.changes)
		}
	})
	t.Log(proved, "pairs were proved")
}

// anyOrder reports whether f is true of some order of the parts.
func anyOrder(parts []string, f func([]string) bool) bool {
	var try func(done, left []string) bool
	try = func(done, left []string) bool {
		if len(left) == 0 {
			return f(done)
		}
		for i := range left {
			if try(append(slices.Clip(done), left[i]), slices.Delete(slices.Clone(left), i, i+1)) {
				return true
			}
		}
		return false
	}
	return try(nil, parts)
}

func everyOrder(parts []string, f func([]string) bool) bool {
	return !anyOrder(parts, func(parts []string) bool { return !f(parts) })
}

// finishes reports whether a config is taken: it is filled in, its defaults are
// chosen, and all of it is known then.
func finishes(config, given cue.Value) bool {
	return config.Unify(given).Validate(cue.Concrete(true), cue.Final()) == nil
}

// TestNoRelations finds none where fields only use what CUE has, or definitions.
func TestNoRelations(t *testing.T) {
	t.Parallel()
	ctx := cuecontext.New()
	const text = `
import (
	"list"
	s "strings"
)

#Size: {n: int & >=0, unit: *"M" | "G"}
#Kind: "a" | "b"
#A: config: {
	a: s.MaxRunes(4) & =~"^x"
	b: [...string] & list.MaxItems(3)
	c: *#Size | null
	d: [#Kind]: #Size
	e: {[=~"^k"]: int, ...}
	f: len("abc") | *(3 + 4)
	g?: #Size & {n: <10}
	h!: bytes | bool
	"i-j": float
	k: #Tree
}
#Tree: {value: int, children: [...#Tree]}
`
	for more, want := range map[string]int{"": 0, "#A: config: {n: *1 | int, if n > 1 {m: *1 | int}}": 1} {
		v := ctx.CompileString(text + more).LookupPath(cue.ParsePath("#A.config"))
		require.NoError(t, v.Validate())
		s, ok := separate(ctx, v, "config")
		require.True(t, ok)
		require.Len(t, s.relations, want)
		require.Subset(t, members(s.free).names, []string{"a", "b", "c", "d", "e", "f", "g", "h", "i-j", "k"})
	}
}
