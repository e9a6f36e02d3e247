package compiler_test

import "strings"

// mixedForms combine what has a short way by itself: computed names beside values of config, conditions beside loops, open
// parameters beside parameters that are made of each other, and all of that in a library or in a refined component.
var mixedForms = []decidedForm{
	{name: "names of a list beside a value of config", config: ``, description: withNames(`for x in ["a", "b"] {"X_\(x)": value: x}`), given: givenTexts},
	{name: "numbers of a list beside a value of config", config: ``, description: withNames(`for i, x in ["a", "b"] {"X_\(i)": value: x}`), given: givenTexts},
	{name: "names of numbers beside a value of config", config: ``, description: withNames(`for x in [1, 2] {"X_\(x)": value: "\(x)"}`), given: givenTexts},
	{name: "names of numbers that are not in digits", config: ``, description: withNames(`for x in [0x10, 1_000, 3M] {"X_\(x)": value: "\(x)"}`), given: givenTexts},
	{name: "a number as a name", config: ``, description: withNames(`for i, x in ["a"] {(i): value: x}`), given: givenTexts},
	{name: "a name of a number that is there already", config: ``, description: withNames(`for i, x in ["a"] {"A\(i)": value: x}, A0: value: "b"`), given: givenTexts},
	{name: "names of a text that is split", config: ``, description: withNames(`for x in strings.Split("a,b", ",") {"X_\(x)": value: x}`), imports: `"strings"`, given: givenTexts},
	{name: "names in capitals", config: ``, description: withNames(`for x in ["a", "b"] {(strings.ToUpper(x)+"_"): value: x}`), imports: `"strings"`, given: givenTexts},
	{name: "names of a range", config: ``, description: withNames(`for i in list.Range(0, 3, 1) {"X\(i)": value: "\(i * i)"}`), imports: `"list"`, given: givenTexts},
	{name: "a name of a constant", config: ``, description: `_p: "X"` + "\n" + withNames(`"\(_p)_Y": value: "y"`), given: givenTexts},
	{name: "a name that is the other", config: ``, description: `_p: "A"` + "\n" + withNames(`(_p): value: =~"^[a-z]"`), given: givenTexts},
	{name: "a name that is the other, and the same value", config: ``, description: `_p: "A"` + "\n" + withNames(`(_p): value: config.parameter.t`), given: givenTexts},
	{name: "a name that is the other, by a parameter", config: ``, description: `_p: "A"` + "\n" + withNames(`(_p): parameter: "t"`), given: givenTexts},
	{name: "some of a list", config: ``, description: withNames(`for x in ["a", "b", "c"] if x != "b" {"X_\(x)": value: x}`), given: givenTexts},
	{name: "a field under a constant condition", config: ``, description: `_on: true` + "\n" + withNames(`if _on {B: value: "b"}`), given: givenTexts},
	{name: "names and a value of config in each", config: ``, description: withNames(`for x in ["a", "b"] {"X_\(x)": value: "\(x) \(config.parameter.t)"}`), given: givenTexts},
	{name: "numbers and a value of config in each", config: ``, description: withNames(`for i, x in ["a", "b"] {"X_\(i)": value: "\(x) \(config.parameter.t)"}`), given: givenTexts},
	{name: "names, and one that is hidden", config: ``, description: withNames(`_h: value: "h", for x in ["a"] {"X_\(x)": value: x + _h.value}`), given: givenTexts},
	{name: "names of the wrong kind", config: ``, description: withNames(`for x in ["a", "b"] {"X_\(x)": value: [x]}`), given: givenTexts},
	{name: "names with a field that the model has not", config: ``, description: withNames(`for i, x in ["a", "b"] {"X_\(i)": valu: x}`), given: givenTexts},
	{name: "names that others ask for", config: ``, description: withNames(`for i, x in ["a", "b"] {"X_\(i)": value: x}`) + "\n" + `code: c: cmd: ["x", code.c.mapping.env.X_1.value]`, given: givenTexts},
	{name: "names that others go through", config: ``, description: withNames(`for i in list.Range(0, 2, 1) {"X_\(i)": value: "\(i)"}`) + "\n" + `code: c: cmd: [for k, v in code.c.mapping.env {"\(k)"}]`, imports: `"list"`, given: givenTexts},
	{name: "names and a pattern", config: ``, description: withNames(`[=~"^X"]: value: =~"^[a-z]", for x in strings.Split("a,b", ",") {"X_\(x)": value: x}`), imports: `"strings"`, given: givenTexts},
	{name: "names by a let", config: ``, description: withNames(`let all = strings.Split("a,b", ","), for x in all {"X_\(x)": value: x}`), imports: `"strings"`, given: givenTexts},
	{name: "files of names beside a value of config", config: ``, description: `code: c: mapping: filesystem: {"/a": data: value: config.parameter.t, for x in strings.Split("b,c", ",") {"/\(x)": data: value: x}}`, imports: `"strings"`, given: givenTexts},
	{name: "containers of names beside a value of config", config: ``, description: `code: {c: mapping: env: A: value: config.parameter.t, for x in strings.Split("b,c", ",") {"\(x)": {image: tag: x, size: {memory: {size: 1, unit: "M"}, cpu: {size: 1, unit: "m"}}}}}`, imports: `"strings"`, given: givenTexts},

	{name: "an open struct of parameters", config: "...\nd: *\"\\(t)!\" | string", description: `code: c: mapping: env: A: value: config.parameter.d`, given: givenOpen},
	{name: "open parameters, of which one is made of others", config: "n: *2 | int\nd: *(n * 8) | int\n...", description: `code: c: mapping: env: A: value: "\(config.parameter.d)"`, given: append([]string{`n: 3`, `{n: 3, d: 4}`, `{n: "a"}`, `d: 1.5`}, givenOpen...)},
	{name: "open parameters, said twice", config: "n: *2 | int\nd: *(n * 8) | int", description: "config: parameter: {p: *\"o\" | string, ...}\ncode: c: mapping: env: A: value: \"\\(config.parameter.d)\\(config.parameter.p)\"", given: append([]string{`n: 3`, `p: "p"`, `{n: 3, d: 4, e: 5}`, `p: 5`}, givenOpen...)},
	{name: "parameters of a definition, and one made of others", config: "#P\nn: _\nd: *(n * 8) | int", description: "#P: {n: *2 | int}\n" + `code: c: mapping: env: A: value: "\(config.parameter.d)"`, given: append([]string{`n: 3`, `{n: 3, d: 4}`}, givenOpen...)},
	{name: "parameters of an open definition, and one made of others", config: "#P\nn: _\nd: *(n * 8) | int", description: "#P: {n: *2 | int, ...}\n" + `code: c: mapping: env: A: value: "\(config.parameter.d)"`, given: append([]string{`n: 3`, `{n: 3, d: 4}`}, givenOpen...)},

	{name: "a parameter under if in a definition", config: "#P", description: "#P: {n: *2 | int, on: *false | bool, if on {min: *\"1.2\" | \"1.3\"}}\n" + shownMin, given: givenMin},
	{name: "a parameter under if in a library", config: "lib.#P", description: shownMin, imports: withLibrary(`#P: {n: *2 | int, on: *false | bool, if on {min: *"1.2" | "1.3"}}`), given: givenMin},
	{name: "a parameter under if that its own default decides", config: "lib.#P", description: shownMin, imports: withLibrary(`#P: {n: *2 | int, on: *(n > 5) | bool, if on {min: *"1.2" | "1.3"}}`), given: givenMin},
	{name: "a parameter under if that refuses a default", config: "n: *2 | int\non: *false | bool\nif on {n: >2, min: *\"1.2\" | \"1.3\"}", description: shownMin, given: givenMin},
	{name: "a parameter under if in a library that refuses a default", config: "lib.#P", description: shownMin, imports: withLibrary(`#P: {n: *2 | int, on: *false | bool, if on {n: >2, min: *"1.2" | "1.3"}}`), given: givenMin},
	{name: "a parameter under if beside others that are made of each other", config: "n: *2 | int\nd: *(n * 8) | int\non: *false | bool\nif on {min: *\"1.2\" | \"1.3\"}", description: shownMin + "\ncode: c: mapping: env: D: value: \"\\(config.parameter.d)\"", given: append([]string{`d: 5`, `{on: true, n: 7}`, `{on: true, n: 7, d: "x"}`}, givenMin...)},
	{name: "a parameter under if beside a struct that refers to its own fields", config: "n: *2 | int\nk: {host: *\"h\" | string, port: *92 | int, url: \"\\(host):\\(port)\"}\non: *false | bool\nif on {min: *\"1.2\" | \"1.3\"}", description: shownMin + "\ncode: c: mapping: env: D: value: config.parameter.k.url", given: append([]string{`k: port: 5`, `{on: true, k: host: "x"}`, `{on: true, k: url: "x"}`}, givenMin...)},
	{name: "an embedded definition of a library, and a parameter under if", config: "lib.#P\non: *false | bool\nif on {min: *\"1.2\" | \"1.3\"}", description: shownMin, imports: withLibrary(`#P: {n: *2 | int, k: *"k" | string}`), given: append([]string{`k: "l"`, `k: 5`, `{k: "l", on: true, x: 1}`}, givenMin...)},
	{name: "an embedded choice of a library, and a parameter under if", config: "lib.#P\non: *false | bool\nif on {min: *\"1.2\" | \"1.3\"}", description: shownMin, imports: withLibrary(`#P: *{n: *2 | int} | {n: string, k: *"k" | string}`), given: append([]string{`{n: "l", k: "m"}`, `{n: "l", on: true}`}, givenMin...)},
	{name: "an embedded definition that is open, and a parameter under if", config: "lib.#P\non: *false | bool\nif on {min: *\"1.2\" | \"1.3\"}", description: shownMin, imports: withLibrary(`#P: {n: *2 | int, ...}`), given: append([]string{`{x: 1, on: true}`, `y: {z: 1}`}, givenMin...)},
	{name: "an embedded definition of another, and a parameter under if", config: "lib.#P\non: *false | bool\nif on {min: *\"1.2\" | \"1.3\"}", description: shownMin, imports: withLibrary("#Q: {n: *2 | int, [=~\"^x\"]: int}\n#P: {#Q, k: *\"k\" | string}"), given: append([]string{`{x: 1, on: true}`, `xy: "z"`, `x2: 3`}, givenMin...)},

	{name: "an expression of a parameter that has a bound", config: "min: *1 | (int & >=0)\nmax: *100 | (int & >=min)", description: `code: c: mapping: env: A: value: "\(config.parameter.max + 1)"`, given: givenBounds},
	{name: "a parameter named by another, beside one with a bound", config: "w: *\"t\" | \"t2\"\nt2: *\"tt\" | string\nmin: *1 | (int & >=0)\nmax: *100 | (int & >=min)", description: `code: c: mapping: env: A: value: config.parameter[config.parameter.w]`, given: append([]string{`{w: "t2", max: 4}`, `w: "x"`}, givenBounds...)},
	{name: "all parameters, beside one with a bound", config: "min: *1 | (int & >=0)\nmax: *100 | (int & >=min)", description: `code: c: mapping: env: A: value: json.Marshal(config.parameter)`, imports: `"encoding/json"`, given: givenBounds},
	{name: "an expression of a parameter that is another, or not", config: "a: *\"x\" | string\nb: a | *\"y\" | string", description: `code: c: mapping: env: A: value: config.parameter.b + "!"`, given: []string{`{}`, `a: "z"`, `b: "z"`, `{a: "q", b: "q"}`, `b: 5`}},
	{name: "an expression of a parameter that is joined", config: "#S: {h: *\"h\" | string, p: *2 | int}\nk: #S & {p: *2 | int}", description: `code: c: mapping: env: A: value: "\(config.parameter.k.p + 1)"`, given: []string{`{}`, `k: p: 1`, `k: p: 2`, `k: h: "x"`, `k: p: "x"`}},
	{name: "an expression that joins a parameter of a type", config: "#S: {h: *\"h\" | string, p: *1 | int}\nk: #S", description: "code: c: mapping: env: A: value: \"\\(_k.p + 1)\"\n_k: config.parameter.k & {p: >0}", given: []string{`{}`, `k: p: 1`, `k: p: 0`, `k: h: "x"`, `k: p: "x"`}},
	{name: "a check that a parameter of a pattern is joined in", config: "m: *{a: \"1\"} | {[string]: =~\"^[0-9]\"}", description: `code: c: mapping: env: A: value: strings.Join([for k, v in config.parameter.m {"\(k)\(v)"}], ",")`, imports: `"strings"`, given: []string{`{}`, `m: b: "2"`, `m: {b: "2", a: "3"}`, `m: b: "x"`}},

	{name: "a component that refines another with names", config: "", description: "_x: 1", imports: withRefined(`for x in config.parameter.l {"X_\(x)": value: x}`), given: givenLists},
	{name: "a component that refines another with an if", config: "", description: "_x: 1", imports: withRefined(`if len(config.parameter.l) > 1 {B: value: "b"}`), given: givenLists},
	{name: "a component that refines another with names and an own one", config: "", description: "_x: 1", imports: withRefined(`(config.parameter.t): value: "\(len(config.parameter.l))"`), given: givenLists},
	{name: "a refined component with a file under if", config: "", description: "_x: 1", imports: withRefined(`if len(config.parameter.l) > 1 {B: value: "b"}`) + "#Artifact: description: {config: _, code: c: mapping: filesystem: {if len(config.parameter.l) > 0 {\"/f\": {data: value: {l: config.parameter.l}, format: \"json\"}}}}\n", given: givenLists},
	{name: "a refined component with a struct in a file", config: "", description: "_x: 1", imports: withFile(`b: len(config.parameter.l)`, `_x: 1`), given: givenLists},
	{name: "a refined component with a comprehension in a file", config: "", description: "_x: 1", imports: withFile(`for k, v in config.parameter if k != "l" {"\(k)": v}`, `_x: 1`), given: givenLists},
	{name: "a refined component with more in a struct of a file", config: "", description: "_x: 1", imports: withFile(`b: len(config.parameter.l)`, `code: c: mapping: filesystem: "/f": data: value: s: c: 5`), given: givenLists},
	{name: "a refined component with more in a file", config: "", description: "_x: 1", imports: withFile(`b: len(config.parameter.l)`, `code: c: mapping: filesystem: "/f": data: value: c: 5`), given: givenLists},
	{name: "a refined component with more in an open file", config: "", description: "_x: 1", imports: withFile("b: len(config.parameter.l)\n...", `code: c: mapping: filesystem: "/f": data: value: s: {c: 5}`), given: givenLists},
	{name: "a refined component with a mode of a file", config: "", description: "_x: 1", imports: withFile(`b: len(config.parameter.l)`, `code: c: mapping: filesystem: "/f": mode: 0o600`), given: givenLists},
	{name: "a refined component with another file", config: "", description: "_x: 1", imports: withFile(`b: len(config.parameter.l)`, "config: parameter: t: string\ncode: c: mapping: filesystem: \"/g\": {data: value: {c: [config.parameter.t]}, format: \"json\"}"), given: givenLists},
	{name: "a component of a library's base with a file", config: "", description: `code: c: mapping: filesystem: "/f": {data: value: {b: [config.parameter.t, "x"]}, format: "json"}`, imports: withBase(`code: c: mapping: filesystem: "/g": data: value: "x"`), given: givenTexts},
	{name: "a component of a library's base with the same file", config: "", description: `code: c: mapping: filesystem: "/f": {data: value: {b: [config.parameter.t, "x"]}, format: "json"}`, imports: withBase(`code: c: mapping: filesystem: "/f": data: value: {a: 1}`), given: givenTexts},
	{name: "a component of a library's base with the same file, which is open", config: "", description: `code: c: mapping: filesystem: "/f": {data: value: {b: [config.parameter.t, "x"]}, format: "json"}`, imports: withBase(`code: c: mapping: filesystem: "/f": data: value: {a: 1, ...}`), given: givenTexts},
	{name: "a component of a library's base with a file under if", config: "", description: `code: c: mapping: filesystem: {if config.parameter.t != "a" {"/f": {data: value: {b: config.parameter.t}, format: "json"}}}`, imports: withBase(`code: c: mapping: filesystem: "/g": data: value: "x"`), given: givenTexts},
	{name: "a component of a library's base that closes the files", config: "", description: `code: c: mapping: filesystem: {if config.parameter.t != "a" {"/f": {data: value: {b: config.parameter.t}, format: "json"}}}`, imports: withBase(`code: c: mapping: filesystem: close({"/g": data: value: "x"})`), given: givenTexts},
	{name: "a component of a library's base that is no component", config: "", description: `code: c: mapping: filesystem: {if config.parameter.t != "a" {"/f": {data: value: {b: config.parameter.t}, format: "json"}}}`, imports: strings.Replace(withBase(`code: c: mapping: filesystem: "/g": data: value: "x"`), "k.#Component & ", "", 1), given: givenTexts},
	{name: "a component of a library's base that is open", config: "", description: `code: c: mapping: filesystem: {if config.parameter.t != "a" {"/f": {data: value: {b: config.parameter.t}, format: "json"}}}`, imports: strings.NewReplacer("k.#Component & ", "", "description:", "...\ndescription:", "import k \"kumori.systems/kumori:kumori\"", "").Replace(withBase("code: c: mapping: {filesystem: {\"/g\": data: value: \"x\", ...}, ...}\ncode: {...}\n...")), given: givenTexts},
	{name: "names and a condition", config: "m: *{} | {[string]: string}\non: *false | bool", description: withNames(`for k, v in config.parameter.m {(k): value: v}, if config.parameter.on {ON: value: config.parameter.t}`), given: givenNames},
	{name: "names with a prefix and a condition", config: "m: *{} | {[string]: string}\non: *false | bool", description: withNames(`for k, v in config.parameter.m {"X_\(k)": value: v}, if config.parameter.on {X_ON: value: config.parameter.t}`), given: []string{`{}`, `on: true`, `m: ON: "d"`, `{m: ON: "x", on: true}`, `{m: N: "x", on: true}`, `{m: {B: "c", C: "d"}, on: true, t: "c"}`}},
	{name: "names with a suffix and a condition", config: "m: *{} | {[string]: string}\non: *false | bool", description: withNames(`for k, v in config.parameter.m {"\(k)_X": value: v}, if config.parameter.on {ON_X: value: "d"}`), given: append([]string{`{m: ON: "d", on: true}`, `{m: ON: "x", on: true}`, `{m: O: "x", on: true}`}, givenNames...)},
	{name: "names that an accent ends", config: "m: *{} | {[string]: string}\non: *false | bool", description: withNames(`for k, v in config.parameter.m {"Xe\(k)": value: v}, if config.parameter.on {"X\u00e9": value: "d"}`), given: append([]string{`{m: "\u0301": "d", on: true}`, `{m: "\u0301": "x", on: true}`}, givenNames...)},
	{name: "a name and a condition", config: "n: *\"N\" | string\non: *false | bool", description: withNames(`(config.parameter.n): value: "d", if config.parameter.on {ON: value: config.parameter.t}`), given: []string{`{}`, `on: true`, `n: "ON"`, `{n: "ON", on: true}`, `{n: "ON", on: true, t: "d"}`, `{n: "ON", on: true, t: "e"}`, `{n: "M", on: true}`, `{n: "A", on: true}`, `{on: true, t: "f"}`}},
	{name: "a name and a condition of other fields", config: "n: *\"N\" | string\non: *false | bool", description: withNames(`(config.parameter.n): parameter: "t", if config.parameter.on {ON: value: config.parameter.t}`), given: []string{`{}`, `{n: "ON", on: true}`, `on: true`, `n: "ON"`, `{n: "M", on: true, t: "e"}`}},
	{name: "parameters of anything, said twice", config: "d: *\"\\(t)!\" | string", description: "P=config: parameter: _\ncode: c: mapping: env: A: value: P.parameter.d", given: append([]string{`t: "x"`, `{t: "x", d: "y"}`}, givenOpen...)},
	{name: "parameters of a definition", config: "e: *\"e\" | string", description: "config: parameter: #P\n#P: {f: *\"f\" | string, g: *\"\\(f)g\" | string, ...}\ncode: c: mapping: env: A: value: config.parameter.g + config.parameter.e", given: append([]string{`f: "x"`, `{f: "x", g: "y"}`, `f: 5`}, givenOpen...)},
	{name: "parameters of joined definitions", config: "e: *\"e\" | string\n...", description: "config: parameter: #P & {h: *\"h\" | string, ...}\n#P: {f: *\"f\" | string, g: *\"\\(f)g\" | string, ...}\ncode: c: mapping: env: A: value: config.parameter.g + config.parameter.h", given: append([]string{`f: "x"`, `{f: "x", g: "y"}`, `f: 5`, `h: "i"`}, givenOpen...)},
	{name: "all parameters of an artifact that names them otherwise too", config: "a: *\"a\" | string\nz: *1 | int\nm: *true | bool", description: "P=config: parameter: _\ncode: c: mapping: env: {A: value: P.parameter.t, B: value: json.Marshal(config.parameter)}", imports: `"encoding/json"`, given: []string{`{}`, `z: 2`, `{m: false, a: "x"}`, `{t: "b", z: 5, a: "y", m: false}`, `{z: 3, t: "c"}`, `o: x: 1`, `z: "x"`}},
	{name: "a refined component with a parameter made of others", config: "", description: "_x: 1", imports: withParameters("n: *2 | int, d: *(n * 8) | int, m: *100 | (int & >=n)", "_x: 1"), given: givenMade},
	{name: "a refined component with a parameter that shows others", config: "", description: "_x: 1", imports: withParameters("n: *2 | int, d: *\"\\(n)-\\(t)\" | =~\"^[0-9]\"", "_x: 1"), given: append([]string{`{t: "u", n: 4}`, `d: "9"`, `d: "x"`}, givenMade...)},
	{name: "a refined component with a parameter of a type of the library's", config: "", description: "_x: 1", imports: withParameters("n: *2 | #N, d: *(n * 8) | #N", "_x: 1") + "#N: int & <50\n", given: givenMade},
	{name: "a refined component with more of a parameter", config: "", description: "_x: 1", imports: withParameters("n: *2 | int, d: *(n * 8) | int", "config: parameter: d: <30"), given: givenMade},
	{name: "a refined component with a default of a parameter", config: "", description: "_x: 1", imports: withParameters("n: int, d: *(n * 8) | int", "config: parameter: n: *3 | int"), given: givenMade},
	{name: "a refined component with a struct that refers to its own fields", config: "", description: "_x: 1", imports: withParameters("n: *2 | int, k: {host: *\"h\" | string, url: *\"\\(host):\\(n)\" | string}", "config: parameter: k: host: string"), given: append([]string{`k: host: "x"`, `k: port: 5`, `k: url: "x"`}, givenMade...)},
	{name: "a refined component with more of a struct", config: "", description: "_x: 1", imports: withParameters("n: *2 | int, k: {host: *\"h\" | string, url: *\"\\(host):\\(n)\" | string}", "config: parameter: k: port: *5 | int"), given: append([]string{`k: host: "x"`, `k: port: 5`}, givenMade...)},
	{name: "a component of a library's base with a parameter made of others", config: "e: *\"\\(n)!\" | string", description: "config: parameter: n: _\ncode: c: mapping: env: E: value: config.parameter.e", imports: withBase("config: parameter: {n: *2 | int, d: *(n * 8) | int, ...}"), given: append([]string{`e: "x"`, `{e: 5}`, `{n: 4, e: "z"}`}, givenMade...)},
}

// shownMin shows a parameter that is there under a condition.
const shownMin = `code: c: mapping: env: {A: value: "\(config.parameter.n)", if config.parameter.on {M: value: config.parameter.min}}`

// givenMin are parameters that decide whether min is one.
var givenMin = []string{`{}`, `on: true`, `{on: true, min: "1.3"}`, `{on: true, min: "1.4"}`, `min: "1.3"`, `n: 7`, `{on: true, n: 7}`, `{on: true, n: 1}`, `{on: false, n: "x"}`, `on: 5`, `{on: true, y: 1}`}

// givenBounds are parameters of which one is the bound of another.
var givenBounds = []string{`{}`, `min: 5`, `max: 5`, `{min: 5, max: 5}`, `{min: 6, max: 5}`, `min: 101`, `max: -1`, `max: 1.5`}

// givenLists are lists for the parameter l.
var givenLists = []string{`{}`, `l: ["a"]`, `l: ["a", "b"]`, `{l: ["A"], t: "A"}`, `l: [5]`, `l: "a"`, `t: "X_a"`}

// withLibrary returns the import of a package lib, and the package with the given text.
func withLibrary(text string) string {
	return "\"forms.example/app/lib:lib\"\n-- lib/lib.cue --\npackage lib\n" + text + "\n"
}

// givenNames are a map for the parameter m, and whether there is a variable ON beside those of the map.
var givenNames = []string{`{}`, `on: true`, `m: B: "b"`, `{m: B: "b", on: true}`, `{m: ON: "b", on: true}`, `{m: ON: "d", on: true}`, `m: ON: "d"`, `{m: A: "d", on: true}`, `{m: ON: "c", on: true, t: "c"}`, `{m: {B: "c", C: "d"}, on: true, t: "c"}`}

// withBase returns a library's definition with a description, and a file that joins it with the component c.
func withBase(description string) string {
	return "-- lib/lib.cue --\npackage lib\nimport k \"kumori.systems/kumori:kumori\"\n#Base: k.#Component & {description: {" + description + "}}\n-- c/d.cue --\npackage component\nimport \"forms.example/app/lib:lib\"\n#Artifact: lib.#Base\n"
}

// withFile is [withRefined] where base has a struct with the given fields in a file, and c adds what it is given.
func withFile(fields, refined string) string {
	files := strings.Replace(withRefined("_x: value: \"\""), "mapping: env: {", "mapping: filesystem: \"/f\": {data: value: {a: 1, s: {"+fields+"}}, format: \"json\"}, mapping: env: {", 1)
	return strings.Replace(files, "& {description: code: c: {user: {userid: 7, groupid: 7}}", "& {description: {code: c: user: {userid: 7, groupid: 7}\n"+refined+"\n}", 1)
}

// givenMade are parameters of which some are made of others.
var givenMade = []string{`{}`, `n: 3`, `d: 5`, `{n: 3, d: 4}`, `{n: 9, d: 60}`, `m: 1`, `{n: 7, m: 9}`, `n: "x"`, `d: 1.5`, `x: 1`}

// withParameters is [withRefined] where base has more parameters, and c adds what it is given.
func withParameters(parameters, refined string) string {
	files := strings.Replace(withRefined(`D: value: "\(len(config.parameter.l))"`), "{t: *\"d\" | string, ", "{t: *\"d\" | string, "+parameters+", ", 1)
	return strings.Replace(files, "& {description: code: c: {user: {userid: 7, groupid: 7}}", "& {description: {code: c: user: {userid: 7, groupid: 7}\n"+refined+"\n}", 1)
}

// withRefined returns two components: base, with some variables, and c, which refines base.
func withRefined(variables string) string {
	return "-- base/base.cue --\npackage component\nimport k \"kumori.systems/kumori:kumori\"\n#Artifact: k.#Component & {ref: name: \"base\", description: {\n" +
		"config: {parameter: {t: *\"d\" | string, l: *[] | [...string], o: {y: *\"yy\" | string, ...}}, scale: hsize: *1 | uint}\nsrv: server: in0: port: 80\n" +
		"code: c: {image: tag: \"i:1\", size: {cpu: {size: 1, unit: \"m\"}, memory: {size: 1, unit: \"M\"}}, mapping: env: {A: value: config.parameter.t, " + variables + "}}\n" +
		"size: bandwidth: {size: 9, unit: \"M\"}}}\n" +
		"-- c/c.cue --\npackage component\nimport b \"forms.example/app/base:component\"\n#Artifact: b.#Artifact & {description: code: c: {user: {userid: 7, groupid: 7}}}\n"
}

// givenTexts are values for the parameter t.
var givenTexts = []string{`{}`, `t: "a"`, `t: "b"`, `t: ""`, `t: 5`}

// givenOpen are parameters of which some are not declared.
var givenOpen = []string{`{}`, `t: "a"`, `d: "5"`, `e: "x"`, `{t: "b", e: "x"}`, `e: {f: 1}`, `t: 5`, `d: 7`}

// withNames is a component with some variables beside one that is a parameter.
func withNames(variables string) string {
	return "code: c: mapping: env: {A: value: config.parameter.t, " + variables + "}"
}
