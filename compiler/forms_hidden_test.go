package compiler_test

// hiddenForms are artifacts with hidden fields and definitions that only check others.
var hiddenForms = []decidedForm{
	{name: "a hidden check of a parameter", config: `n: *1 | int, _ok: n & <4`, given: hiddenGiven},
	{name: "a hidden condition on a parameter", config: `n: *1 | int, _ok: true & (n < 4)`, given: hiddenGiven},
	{name: "a definition that checks a parameter", config: `n: *1 | int, #ok: n & <4`, given: hiddenGiven},
	{name: "a hidden check that is said twice", config: "n: *1 | int, _ok: true, _ok: n < 4", given: hiddenGiven},
	{name: "a hidden check of a part of config by its path", config: `n: *1 | int, _ok: true & (config.parameter.n < 4)`, given: hiddenGiven},
	{name: "a hidden check of the description's config", config: `n: *1 | int, _ok: true & (description.config.parameter.n < 4)`, given: hiddenGiven},
	{name: "a hidden check in a struct", config: `n: *1 | int, _ok: {x: true & (n < 4)}`, given: hiddenGiven},
	{name: "a hidden check in a list", config: `n: *1 | int, _ok: [true & (n < 4)]`, given: hiddenGiven},
	{name: "a hidden check under a condition", config: `n: *1 | int, if n > 2 {_ok: n & <4}`, given: hiddenGiven},
	{name: "a hidden check of a hidden field", config: `n: *1 | int, _a: n + 1, _b: _a & <5`, given: hiddenGiven},
	{name: "a hidden pattern", config: `n: *1 | int, _m: {[string]: <4}, _m: x: n`, given: hiddenGiven},
	{name: "a hidden struct that is closed", config: `n: *1 | int, _m: close({y?: int}) & {if n > 3 {x: 1}}`, given: hiddenGiven},
	{name: "a hidden check in a parameter that is a struct", config: `n: *1 | int, s: {a: *1 | int, _ok: a & <4}`, given: hiddenGiven},
	{name: "a hidden check in a struct of another parameter", config: `n: *1 | int, s: {a: *1 | int, _ok: n & <4}`, given: hiddenGiven},
	{name: "a hidden check of two parameters", config: `n: *1 | int, o2: *1 | int, _ok: true & (n < 4 || o2 > 1)`, given: append([]string{`{n: 5, o2: 2}`, `{n: 3, o2: 2}`}, hiddenGiven...)},
	{name: "a hidden check of a text", imports: "\"strings\"", config: `n: *1 | int, _ok: strings.MaxRunes(4) & "\(n)abc"`, given: append([]string{`n: 10`}, hiddenGiven...)},
	{name: "a hidden check of what may be missing", config: `n?: int, if n != _|_ {_ok: n & <4}`, given: hiddenGiven},
	{name: "a hidden check with a default", config: `n: *1 | int, _ok: *true | bool, _ok: n < 4 | false`, given: hiddenGiven},
	{name: "a hidden check of the number of instances", config: `n: *1 | int, _ok: true & (config.scale.hsize < 4)`, given: hiddenGiven},
	{name: "a hidden check and a parameter of its name", config: `n: *1 | int, _ok: n & <4, "_ok": *n | int`, given: append([]string{`{"_ok": 9}`, `{n: 5, "_ok": 1}`}, hiddenGiven...)},
	{name: "hidden checks in the description", config: `n: *1 | int`, description: "_a: config.parameter.n & <4\n#b: true & (config.parameter.n < 5)\ncode: c: mapping: env: N: value: \"\\(_a)\"", given: hiddenGiven},
	{name: "hidden checks of names for parameters", config: `n: *1 | int, let m = n, _ok: m & <4`, description: "let m = config.parameter.n\n_a: {x: m & <3}", given: hiddenGiven},
	{name: "a hidden check beside fields that are shown", config: `n: *1 | int, p: *"p" | string, _ok: n & <4`,
		description: `code: c: mapping: env: {N: value: "\(config.parameter.n)", P: parameter: "p"}`, given: append([]string{`{n: 1, p: "q"}`, `{n: 6, p: "q"}`}, hiddenGiven...)},
	{name: "a hidden check of an item", config: `n: *1 | int, s: *["auto"] | [...*"auto" | {min: int}]`, description: "_x: config.parameter.s[0]\n_y: _x & {...}", given: []string{`{}`, `s: [{min: 1}]`, `s: ["auto"]`, `{s: [{min: 2}], n: 2}`}},
	{name: "a hidden check of a library", imports: "l \"forms.example/app/l:lib\"\n-- l/a.cue --\npackage lib\n#Few: {n: *1 | int, _ok: n & <4}", config: `l.#Few`, given: hiddenGiven},
}

// hiddenGiven are some values for a parameter n, which is to be less than four.
var hiddenGiven = []string{`{}`, `n: 2`, `n: 3`, `n: 4`, `n: 9`, `n: 0`, `n: "x"`}
