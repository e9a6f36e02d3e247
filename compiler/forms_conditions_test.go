package compiler_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// parameterForm is a component with some parameters, and what the component's package and a library have for them.
type parameterForm struct{ name, config, pkg, library string }

// conditionForms are parameters under conditions that other parameters decide, and parameters that show whether others are there.
var conditionForms = []parameterForm{
	{name: "in a struct", config: `s: {on: *false | bool, if on {c: string}}`},
	{name: "in a struct, the condition first", config: `s: {if on {c: *"x" | string}, on: *false | bool}`},
	{name: "in a definition", config: `s: #S`, pkg: `#S: {on: *false | bool, if on {c: string}}`},
	{name: "in a definition of a library", config: `s: l.#S`, library: `#S: {on: *false | bool, n: *1 | int, if on {c: *"l" | string}}`},
	{name: "in an embedded definition", config: `s: {#S, n: *1 | int}`, pkg: `#S: {on: *false | bool, if on {c: *"e" | string}}`},
	{name: "in an open struct", config: `s: {on: *false | bool, if on {c: string}, ...}`},
	{name: "beside", config: `on: *false | bool, if on {c: string}`},
	{name: "beside, the condition first", config: `if on {c: *"x" | string}, on: *false | bool`},
	{name: "beside, without a default", config: `on: bool, if on {c: *"x" | string}`},
	{name: "not", config: `on: *false | bool, if !on {c: *"x" | string}`},
	{name: "and", config: `on: *false | bool, n: *1 | int, if on && n > 1 {c: *"x" | string}`},
	{name: "or", config: `on: *false | bool, n: *1 | int, if on || n > 1 {c: *"x" | string}`},
	{name: "one of two", config: `k: *"a" | "b", if k == "a" {n: *1 | int}, if k == "b" {n: *2 | int}`},
	{name: "one of two in a struct", config: `s: {k: *"a" | "b", if k == "a" {n: *1 | int}, if k == "b" {n: *2 | int}, m: n + 1}`},
	{name: "one of two kinds", config: `k: *"a" | "b", if k == "a" {n: *1 | int}, if k == "b" {n: *"x" | string}`},
	{name: "one of three", config: `k: *"a" | "b" | "c", if k == "a" {n: *1 | int}, if k == "b" {n: *"x" | string}`},
	{name: "one of three in a struct", config: `s: {k: "b" | *"a" | "c", if k == "b" {c: string, n: *2 | int}, if k == "a" {n: *1 | int}}`},
	{name: "two defaults", config: `k: *"a" | "b" | *"c", if k == "b" {n: *1 | int}`},
	{name: "both may hold", config: `n: *1 | int, if n > 0 {m: *1 | int}, if n > 1 {m: *1 | >0}`},
	{name: "and without", config: `on: *false | bool, n: int | *20, if on {n: >10}`},
	{name: "two in one", config: `on: *false | bool, if on {c: *"x" | string, d: "<\(c)>"}`},
	{name: "one in another", config: `on: *false | bool, if on {n: *1 | int, if n > 1 {c: *"x" | string}}`},
	{name: "one after another", config: `on: *false | bool, n: *1 | int, if on if n > 1 {c: *"x" | string}`},
	{name: "that refuses its own default", config: `n: *5 | int, if n > 3 {n: <4}`},
	{name: "that refuses another default", config: `n: *5 | int, m: *1 | int, if n > 3 {m: >1}`},
	{name: "an error", config: `n: *5 | int, m: *1 | int, if n < m {n: error("n is below m")}`},
	{name: "a default of another", config: `on: *false | bool, c: *"h" | string, if on {d: *"http://\(c)" | string}`},
	{name: "a copy", config: `on: *false | bool, c: *"h" | string, if on {d: c}`},
	{name: "a bound of another", config: `on: *false | bool, n: *1 | int, if on {m: *(n + 1) | (int & >n)}`},
	{name: "read from outside", config: `on: *false | bool, if on {c: string}, d: [if config.parameter.on {config.parameter.c}, "no"][0]`},
	{name: "read from outside, a default", config: `on: *false | bool, if on {c: *"y" | string}, d: *"<\(config.parameter.c)>" | string`},
	{name: "a struct", config: `on: *false | bool, if on {s: {n: *1 | int, m: *n | int}}`},
	{name: "a list", config: `on: *false | bool, if on {l: *["x"] | [...string]}`},
	{name: "hidden", config: `on: *false | bool, _is: on, if _is {c: *"x" | string}`},
	{name: "let", config: `on: *false | bool, let is = on, if is {c: *"x" | string}`},
	{name: "by another struct", config: `s: {on: *false | bool, n: *1 | int}, if s.on {c: *"x" | string, n: s.n + 1}`},
	{name: "in a struct, by one beside", config: `on: *false | bool, s: {n: *1 | int, if on {c: *"x" | string}}`},
	{name: "need not be there", config: `on: *false | bool, if on {c?: string}`},
	{name: "has to be given", config: `on: *false | bool, if on {c!: string}`},
	{name: "a loop", config: `on: *false | bool, n: *1 | int, if on for x in ["c", "d"] {(x): *"x" | string}`},
	{name: "a computed name", config: `on: *false | bool, if on {"\("c")": *"x" | string}`},
	{name: "shows whether another is there", config: `d: c != _|_, c?: string`},
	{name: "shows whether one before is there", config: `c?: string, d: c == _|_`},
	{name: "shows whether a field is there", config: `d: s.c != _|_, s: {c?: string, n: *1 | int}`},
	{name: "a default that shows whether another is there", config: `d: *[if n != _|_ {"given"}, "none"][0] | string, n?: int`},
	{name: "a bound that shows whether another is there", config: `m: int & >=[if n != _|_ {5}, 0][0], n?: int`},
	{name: "a hidden field that shows whether another is there", config: `_is: c != _|_, d: *"\(_is)" | string, c?: string`},
	{name: "if another is there", config: `if c != _|_ {n: *1 | int}, c?: string`},
	{name: "if another is not there", config: `c?: string, if c == _|_ {n: *1 | int}`},
	{name: "if a field is there", config: `s: {if c != _|_ {n: *1 | int}, c?: string}`},
	{name: "if a struct is there", config: `s?: {n: *1 | int}, if s != _|_ {m: *s.n | int}`},
	{name: "if there and more", config: `c?: string, on: *false | bool, if on && c != _|_ {n: *1 | int}`},
	{name: "if the one under a condition is there", config: `on: *false | bool, if config.parameter.c != _|_ {n: *1 | int}, if on {c: *"x" | string}`},
	{name: "if one of two ways is there", config: `on: *false | bool, k: *"a" | "b", if on {c: *"x" | string}, if k == "b" {c: *"x" | string}, d: config.parameter.c != _|_`},
	{name: "one that is there if another is", config: `if n != _|_ {m: *1 | int}, if c != _|_ {n: *1 | int}, c?: string`},
	{name: "needs itself", config: `on: *false | bool, if config.parameter.c == "x" {c: "x"}, n: *1 | int`},
}

// conditionsGiven is what is given for any of the forms.
var conditionsGiven = []string{
	`{}`, `on: true`, `on: false`, `{on: true, c: "x"}`, `c: "y"`, `{on: false, c: "y"}`, `{on: true, c: 5}`, `on: "x"`, `{on: true, c: "x", d: "u"}`, `{on: true, d: "<x>"}`,
	`n: 3`, `{n: 0}`, `{on: true, n: 5}`, `{on: true, n: 12}`, `{on: true, n: 5, c: "z"}`, `{n: 5, m: 6}`, `{n: 2, m: 1}`, `{on: true, n: 3, m: 2}`, `{c: "x", n: 2}`, `{m: 3}`, `{m: 7, n: 1}`,
	`k: "b"`, `{k: "b", n: 3}`, `{k: "b", n: "y"}`, `{k: "a", n: "y"}`, `{on: true, k: "b"}`, `{on: true, z: 1}`,
	`s: {}`, `s: on: true`, `s: {on: true, c: "x"}`, `s: c: "x"`, `s: {on: false, c: "y"}`, `s: {on: true, c: 5}`, `s: {on: true, c: "x", z: 1}`, `s: {on: true, n: 2}`, `s: n: 2`, `s: {c: "x", n: 2}`,
	`s: k: "b"`, `s: {k: "b", n: 3}`, `s: {k: "c"}`, `{on: true, s: n: 3}`, `{on: true, s: {n: 3, m: 4}}`, `{on: true, s: c: "y"}`, `{on: true, l: ["a"]}`, `{on: true, l: []}`,
}

// TestConditions compares the result for each of conditionForms with that of CUE alone.
func TestConditions(t *testing.T) {
	t.Parallel()
	compareEach(t, conditionForms, conditionsGiven, func(parameterForm) string { return "" })
}

// compareEach compares each of the forms by [compareParameters], with what its container has besides.
func compareEach(t *testing.T, forms []parameterForm, given []string, container func(parameterForm) string) {
	for n, form := range forms {
		if seldom(n) {
			continue
		}
		t.Run(form.name, func(t *testing.T) {
			t.Parallel()
			compareParameters(t, n, given, strings.NewReplacer("«library»", form.library, "«package»", form.pkg, "«config»", form.config, "«container»", container(form)))
		})
	}
}

// compareParameters compares a component with what CUE alone makes of it: for all parameters that are given at once, for what is right of them,
// twice, and, if every form is tried, for each by itself. The parts of the module say what the component is.
func compareParameters(t *testing.T, n int, given []string, parts *strings.Replacer) {
	module := func(roles string) string {
		dir := t.TempDir()
		write(t, dir, strings.ReplaceAll(parts.Replace(siblingApp), "«roles»", roles))
		return dir
	}
	if *everyForm == 1 {
		compareRoles(t, n, given, module)
	}
	right := rightOf(given, module)
	require.Greater(t, len(right), 1)
	for _, all := range [][]string{given, slices.Concat(right, right)} {
		if diff := partialDiffers(rolesIn(all, module)); diff != "" {
			t.Errorf("%d roles: (-CUE +partial):\n%s", len(all), diff)
		}
	}
}

// rightOf is what of the given parameters CUE alone has nothing to say against.
func rightOf(given []string, module func(roles string) string) []string {
	in := rolesIn(given, module)
	in.NoPartial = true
	wrong := map[string]bool{}
	for _, line := range toldOf(in) {
		if m := roleOfProblem.FindStringSubmatch(line); m != nil {
			wrong[m[1]] = true
		}
	}
	var right []string
	for i, x := range given {
		if !wrong[fmt.Sprint("x", i)] {
			right = append(right, x)
		}
	}
	return right
}

var roleOfProblem = regexp.MustCompile(` at \["(x\d+)"`)
