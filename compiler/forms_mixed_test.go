package compiler_test

// mixedForms are structs that have fields of names that CUE computes of no config beside fields that are made of it, and parameters of
// an artifact that is open.
var mixedForms = []decidedForm{
	{name: "names of a list beside a value of config", config: ``, description: withNames(`for x in ["a", "b"] {"X_\(x)": value: x}`), given: givenTexts},
	{name: "numbers of a list beside a value of config", config: ``, description: withNames(`for i, x in ["a", "b"] {"X_\(i)": value: x}`), given: givenTexts},
	{name: "names of numbers beside a value of config", config: ``, description: withNames(`for x in [1, 2] {"X_\(x)": value: "\(x)"}`), given: givenTexts},
	{name: "names of numbers that are not in digits", config: ``, description: withNames(`for x in [0x10, 1_000, 3M] {"X_\(x)": value: "\(x)"}`), given: givenTexts},
	{name: "a number as a name", config: ``, description: withNames(`for i, x in ["a"] {(i): value: x}`), given: givenTexts},
	{name: "a name of a number that is there already", config: ``, description: withNames(`for i, x in ["a"] {"A\(i)": value: x}, A0: value: "b"`), given: givenTexts},
	{name: "names of a text that is split", config: ``, description: withNames(`for x in strings.Split("a,b", ",") {"X_\(x)": value: x}`), imports: `import "strings"`, given: givenTexts},
	{name: "names in capitals", config: ``, description: withNames(`for x in ["a", "b"] {(strings.ToUpper(x)+"_"): value: x}`), imports: `import "strings"`, given: givenTexts},
	{name: "names of a range", config: ``, description: withNames(`for i in list.Range(0, 3, 1) {"X\(i)": value: "\(i * i)"}`), imports: `import "list"`, given: givenTexts},
	{name: "a name of a constant", config: ``, description: `_p: "X"` + "\n" + withNames(`"\(_p)_Y": value: "y"`), given: givenTexts},
	{name: "a name that is the other", config: ``, description: `_p: "A"` + "\n" + withNames(`(_p): value: "x"`), given: append([]string{`t: "x"`}, givenTexts...)},
	{name: "a name that is the other, and the same value", config: ``, description: `_p: "A"` + "\n" + withNames(`(_p): value: config.parameter.t`), given: givenTexts[1:]},
	{name: "a name that is the other, by a parameter", config: ``, description: `_p: "A"` + "\n" + withNames(`(_p): parameter: "t"`), given: givenTexts},
	{name: "some of a list", config: ``, description: withNames(`for x in ["a", "b", "c"] if x != "b" {"X_\(x)": value: x}`), given: givenTexts},
	{name: "a field under a constant condition", config: ``, description: `_on: true` + "\n" + withNames(`if _on {B: value: "b"}`), given: givenTexts},
	{name: "names and a value of config in each", config: ``, description: withNames(`for x in ["a", "b"] {"X_\(x)": value: "\(x) \(config.parameter.t)"}`), given: givenTexts},
	{name: "numbers and a value of config in each", config: ``, description: withNames(`for i, x in ["a", "b"] {"X_\(i)": value: "\(x) \(config.parameter.t)"}`), given: givenTexts},
	{name: "names, and one that is hidden", config: ``, description: withNames(`_h: value: "h", for x in ["a"] {"X_\(x)": value: x + _h.value}`), given: givenTexts},
	{name: "names of the wrong kind", config: ``, description: withNames(`for x in ["a", "b"] {"X_\(x)": value: [x]}`), given: givenTexts},
	{name: "names with a field that the model has not", config: ``, description: withNames(`for i, x in ["a", "b"] {"X_\(i)": valu: x}`), given: givenTexts},
	{name: "names that others ask for", config: ``, description: withNames(`for i, x in ["a", "b"] {"X_\(i)": value: x}`) + "\n" + `code: c: cmd: ["x", code.c.mapping.env.X_1.value]`, given: givenTexts},
	{name: "names that others go through", config: ``, description: withNames(`for i in list.Range(0, 2, 1) {"X_\(i)": value: "\(i)"}`) + "\n" + `code: c: cmd: [for k, v in code.c.mapping.env {"\(k)"}]`, imports: `import "list"`, given: givenTexts},
	{name: "names and a pattern", config: ``, description: withNames(`[=~"^X"]: value: =~"^[a-z]", for x in strings.Split("a,b", ",") {"X_\(x)": value: x}`), imports: `import "strings"`, given: givenTexts},
	{name: "names by a let", config: ``, description: withNames(`let all = strings.Split("a,b", ","), for x in all {"X_\(x)": value: x}`), imports: `import "strings"`, given: givenTexts},
	{name: "files of names beside a value of config", config: ``, description: `code: c: mapping: filesystem: {"/a": data: value: config.parameter.t, for x in strings.Split("b,c", ",") {"/\(x)": data: value: x}}`, imports: `import "strings"`, given: givenTexts},
	{name: "containers of names beside a value of config", config: ``, description: `code: {c: mapping: env: A: value: config.parameter.t, for x in strings.Split("b,c", ",") {"\(x)": {image: tag: x, size: {memory: {size: 64, unit: "M"}, cpu: {size: 100, unit: "m"}}}}}`, imports: `import "strings"`, given: givenTexts},

	{name: "an open struct of parameters", config: "...\nd: *\"\\(t)!\" | string", description: `code: c: mapping: env: A: value: config.parameter.d`, given: givenOpen},
	{name: "open parameters, of which one is made of others", config: "n: *2 | int\nd: *(n * 8) | int\n...", description: `code: c: mapping: env: A: value: "\(config.parameter.d)"`, given: append([]string{`n: 3`, `{n: 3, d: 4}`, `{n: "a"}`, `d: 1.5`}, givenOpen...)},
	{name: "open parameters, said twice", config: "n: *2 | int\nd: *(n * 8) | int", description: "config: parameter: {o: *\"o\" | string, ...}\ncode: c: mapping: env: A: value: \"\\(config.parameter.d)\\(config.parameter.o)\"", given: append([]string{`n: 3`, `o: "p"`, `{n: 3, d: 4, e: 5}`, `o: 5`}, givenOpen...)},
	{name: "open parameters of a type", config: "n: *2 | int\nd: *(n * 8) | int\n...string", description: `code: c: mapping: env: A: value: "\(config.parameter.d)"`, given: append([]string{`e: 5`}, givenOpen...)},
	{name: "parameters of a definition, and one made of others", config: "#P\nd: *(n * 8) | int", description: "#P: {n: *2 | int}\n" + `code: c: mapping: env: A: value: "\(config.parameter.d)"`, given: append([]string{`n: 3`, `{n: 3, d: 4}`}, givenOpen...)},
	{name: "parameters of an open definition, and one made of others", config: "#P\nd: *(n * 8) | int", description: "#P: {n: *2 | int, ...}\n" + `code: c: mapping: env: A: value: "\(config.parameter.d)"`, given: append([]string{`n: 3`, `{n: 3, d: 4}`}, givenOpen...)},
}

// givenTexts are values for the parameter t.
var givenTexts = []string{`{}`, `t: "a"`, `t: "b"`, `t: ""`, `t: 5`}

// givenOpen are parameters of which some are not declared.
var givenOpen = []string{`{}`, `t: "a"`, `d: "5"`, `e: "x"`, `{t: "b", e: "x"}`, `e: {f: 1}`, `t: 5`, `d: 7`}

// withNames is a component with some variables beside one that is a parameter.
func withNames(variables string) string {
	return "code: c: mapping: env: {A: value: config.parameter.t, " + variables + "}"
}
