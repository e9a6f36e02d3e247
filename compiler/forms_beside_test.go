package compiler_test

// besideForms are parameters that other parameters bound, or are the defaults of.
var besideForms = []decidedForm{
	{name: "a bound that is another parameter", config: `n: *1 | int, m: *9 | (int & >=n)`, description: shownBeside, given: givenBeside},
	{name: "a bound that is another parameter, without a default", config: `n: *1 | int, m: int & >=n & <20`, description: shownBeside, given: allBeside},
	{name: "a bound of two other parameters", config: `n: *1 | int, m: *9 | (int & >=n & <=o), o: *15 | int`, description: shownBeside, given: givenBeside},
	{name: "a bound that is computed", config: `n: *1 | int, m: *9 | (int & >=(n*2) & <(n+20))`, description: shownBeside, given: givenBeside},
	{name: "bounds of each other", config: `n: *1 | (int & <=m), m: *9 | (int & >=n)`, description: shownBeside, given: givenBeside},
	{name: "a bound of numbers that are no ints", config: `n: *1 | number, m: *9 | (number & >=n)`, description: shownBeside, given: append([]string{`{n: 1.5, m: 2.5}`, `{n: 2, m: 1.5}`}, givenBeside...)},
	{name: "a bound that is another parameter, by its path", config: `n: *1 | int, m: *9 | (int & >=config.parameter.n)`, description: shownBeside, given: givenBeside},
	{name: "a bound and a choice", config: `n: *1 | int, m: *9 | 3 | (int & >=n & !=12)`, description: shownBeside, given: givenBeside},
	{name: "a choice of two bounds", config: `n: *1 | int, m: *9 | (int & <n) | (int & >(n+5))`, description: shownBeside, given: givenBeside},
	{name: "a bound of a parameter that is a text", config: `n: *"b" | string, m: *"m" | (string & >=n)`, description: shownBeside, given: []string{`{}`, `n: "c"`, `{n: "c", m: "a"}`, `{n: "c", m: "d"}`, `m: "b"`, `{n: "c", m: 3}`}},
	{name: "a pattern that is another parameter", config: `n: *"^a" | string, m: *"ab" | (string & =~n)`, description: shownBeside, given: []string{`{}`, `n: "^b"`, `{n: "^b", m: "bc"}`, `{n: "^b", m: "ac"}`, `m: "ac"`, `{n: "(", m: "x"}`}},
	{name: "a value that another parameter must not be", config: `n: *1 | int, m: *9 | (int & !=n)`, description: shownBeside, given: givenBeside},
	{name: "a default that is another parameter", config: `n: *1 | int, m: *n | int`, description: shownBeside, given: givenBeside},
	{name: "a default that is another parameter of a role", config: `n: int, m: *n | int`, description: shownBeside, given: givenBeside},
	{name: "a default that is another parameter, by its path", config: `n: *1 | int, m: *config.parameter.n | int`, description: shownBeside, given: givenBeside},
	{name: "a default that is another's default", config: `n: *1 | int, m: *n | int, o: *m | int`, description: shownBeside, given: givenBeside},
	{name: "a default that is a bounded parameter", config: `n: *1 | (int & <=m), m: *9 | int, o: *n | (int & <=m)`, description: shownBeside, given: givenBeside},
	{name: "a parameter that is another one", config: `n: *1 | int, m: n`, description: shownBeside, given: givenBeside},
	{name: "a parameter that is another one and a type", config: `n: *1 | int, m: n & >0`, description: shownBeside, given: givenBeside},
	{name: "a default that is a switch", config: `n: *true | bool, m: *n | bool`, description: shownBeside, given: []string{`{}`, `n: false`, `{n: false, m: true}`, `m: false`}},
	{name: "a default that is another parameter or a word", config: `n: *"a" | string, m: *n | "auto" | string`, description: shownBeside, given: []string{`{}`, `n: "b"`, `{n: "b", m: "auto"}`, `m: "c"`, `n: "auto"`, `m: 3`}},
	{name: "a default that is a part of another parameter", config: `n: {a: *1 | int, b: *2 | int}, m: *n.a | int`, description: shownBeside, given: []string{`{}`, `n: a: 4`, `{n: b: 4, m: 5}`, `m: 3`}},
	{name: "a check in the config", config: `n: *1 | int, m: *9 | int, _ok: true & (n <= m)`, description: shownBeside, given: givenBeside},
	{name: "a check in the config of three parameters", config: `n: *1 | int, m: *9 | int, o: *15 | int, _ok: true & (n <= m && m <= o)`, description: shownBeside, given: givenBeside},
	{name: "two checks in the config", config: `n: *1 | int, m: *9 | int, _a: true & (n <= m), _b: n & !=4`, description: shownBeside, given: givenBeside},
	{name: "a check in the config that is said twice", config: "n: *1 | int, m: *9 | int, _ok: true\n_ok: n <= m", description: shownBeside, given: givenBeside},
	{name: "a hidden parameter between two", config: `n: *1 | int, _more: n + 3, m: *_more | int`, description: shownBeside, given: givenBeside},
	{name: "a hidden default between two", config: `n: *1 | int, _more: *n | int, m: *_more | int`, description: shownBeside, given: givenBeside},
	{name: "a hidden bound", config: `n: *1 | int, _least: >=n, m: *9 | (int & _least)`, description: shownBeside, given: givenBeside},
	{name: "a definition that checks two parameters", config: `n: *1 | int, m: *9 | int, #ok: true & (n <= m)`, description: shownBeside, given: givenBeside},
	{name: "a check of a text in the config", config: `n: *"b" | string, m: *"bx" | string, _ok: =~"^\(n)" & m`, description: shownBeside, given: []string{`{}`, `n: "c"`, `{n: "c", m: "cd"}`, `m: "b"`}},
	{name: "a check in the description", config: `n: *1 | int, m: *9 | int`, description: shownBeside + "\n_ok: true & (config.parameter.n <= config.parameter.m)", given: givenBeside},
	{name: "checks in the description", config: `n: *1 | int, m: *9 | int`, description: shownBeside + "\n_ok: {a: true & (config.parameter.n <= config.parameter.m), b: config.parameter.n & <12}\n#sum: 21 & (config.parameter.n + 12 | 21)", given: givenBeside},
	{name: "a check in the description that a number is one", config: `n: *1 | int, m: *9 | int`, description: shownBeside + "\n_ok: 12 & config.parameter.m\n_same: config.parameter.n & config.parameter.n", given: givenBeside},
	{name: "a check in the description of two texts", config: `n: *1 | int, m: *9 | int`, description: shownBeside + "\n_ok: \"\\(config.parameter.n)-\\(config.parameter.m)\" & =~\"^[12]\" & !=\"2-1\"", given: givenBeside},
	{name: "a check in the description that a value is shown by", config: `n: *1 | int, m: *9 | int`, description: shownBeside + "\n_n: config.parameter.n & <12\ncode: c: mapping: env: N: value: \"\\(_n)\"", given: givenBeside},
	{name: "checks in the description that have defaults", config: `n: *1 | int, m: *9 | int`, description: shownBeside + "\n_a: config.parameter.n & _d\n_b: true & (config.parameter.n < 12)\n_c: config.parameter.m & (*9 | int)\n_d: *2 | int", given: givenBeside},
	{name: "checks in the config that have defaults", config: `n: *1 | int, m: *9 | int, _a: n & _d, _c: m & (*9 | int), _d: *2 | int`, description: shownBeside, given: givenBeside},
	{name: "a parameter that may be anything", config: `m: _`, description: shownBeside, given: givenAnything},
	{name: "an optional parameter that may be anything", config: `m?: _`, description: "if config.parameter.m != _|_ {" + shownBeside + "}", given: givenAnything},
	{name: "parameters that may be anything and more", config: `m: _, m: !=7, n: _ & >0, n: *5 | _`, description: shownBeside, given: givenAnything},
	{name: "a struct of anything", config: `m: {a: _, b: *1 | _}`, description: shownBeside, given: []string{`m: a: 1`, `m: {a: x: 1, b: [2]}`, `{}`, `m: {a: null, c: 1}`}},
	{name: "a list of anything", config: `m: [..._]`, description: shownBeside, given: []string{`m: [1, "a", {x: 1}]`, `m: []`, `m: {}`, `m: [[], {}]`}},
	{name: "a map of anything", config: `m: [string]: _`, description: shownBeside, given: []string{`m: {a: 1, b: x: [1]}`, `m: {}`, `m: []`, `{}`}},
	{name: "a default in parentheses", config: `n: *1 | int, m: *(n) | int`, description: shownBeside, given: givenBeside},
}

// shownBeside shows such parameters in a variable and in a file.
const shownBeside = `code: c: mapping: {env: M: parameter: "m", filesystem: "/m": {data: value: {m: config.parameter.m}, format: "json"}}`

// givenBeside are configs of which some are wrong, in two orders.
var givenBeside = append([]string{`{}`, `n: 3`, `m: 12`, `n: 4`}, allBeside...)

// givenAnything are values of all kinds.
var givenAnything = []string{`m: 1`, `m: "a"`, `m: {x: 1, y: {z: [1, {w: 2}]}}`, `{}`, `m: []`, `m: {}`, `m: null`, `m: [{a: 1}, [2]]`, `m: 1.5`, `m: true`, `m: 7`, `{m: {}, n: 3}`, `{m: 2, n: 0}`, `m: {"_a": 1, "#b": 2}`}

var allBeside = []string{`{n: 2, m: 12}`, `{n: 15, m: 12}`, `{n: 2, m: 1}`, `{n: 2, m: 9}`, `{n: 11, m: 9}`, `{n: 2, m: 2}`, `{n: 2, m: "x"}`, `{n: 9, m: 3}`, `m: 3`, `n: 16`, `{}`}
