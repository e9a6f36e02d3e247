package depends_test

import (
	"fmt"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
	"github.com/stretchr/testify/require"

	"kumiki.dev/spread/depends"
)

// pkg is a package of files, which may import others by the names of theirs.
func pkg(t *testing.T, imports map[string]*depends.Package, texts ...string) *depends.Package {
	var files []*ast.File
	for i, text := range texts {
		f, err := parser.ParseFile(fmt.Sprintf("%d.cue", i), text)
		require.NoError(t, err)
		files = append(files, f)
	}
	return &depends.Package{Files: files, Import: func(path string) *depends.Package { return imports[path] }}
}

// TestHoles reads artifacts, each with what depends on its config.
func TestHoles(t *testing.T) {
	t.Parallel()
	const config = "\n#Artifact: description: config: parameter: {a: int, b: string, o: {x: int, y: int}, l: [...string]}\n"
	lib := pkg(t, nil, `package lib
#Port: {number: int, name: "p\(number)", other: 1}
#Tree: {value: int, left?: #Tree}
`)
	for name, test := range map[string]struct{ source, holes string }{
		"nothing":                 {`#Artifact: description: code: x: 1`, ""},
		"a reference":             {`#Artifact: description: {code: {x: config.parameter.a, y: 2}}`, "code.x: parameter.a"},
		"a text":                  {`#Artifact: description: {code: x: "\(config.parameter.a)-\(config.parameter.b)"}`, "code.x: parameter.a, parameter.b"},
		"a let":                   {`#Artifact: description: {let p = config.parameter, code: x: p.o.x}`, "code.x: parameter.o.x"},
		"an alias":                {`#Artifact: A={description: code: x: A.description.config.parameter.a}`, "code.x: parameter.a"},
		"a label's alias":         {`#Artifact: D=description: code: x: D.config.parameter.a`, "code.x: parameter.a"},
		"a hidden field":          {`#Artifact: {_h: description, description: code: x: _h.config.parameter.a}`, "code.x: parameter.a"},
		"another field":           {`#Artifact: description: {srv: port: config.parameter.a, code: x: srv.port + 1}`, "code.x: parameter.a; srv.port: parameter.a"},
		"its own index":           {`#Artifact: description: code: x: description["config"].parameter["o"].y`, "code.x: parameter.o.y"},
		"a computed one":          {`#Artifact: description: {code: x: config.parameter.o[config.parameter.b]}`, "code.x: parameter.b, parameter.o"},
		"of a struct":             {`#Artifact: description: {code: x: config.parameter.o, srv: y: code.x.y}`, "code.x: parameter.o; srv.y: parameter.o.y"},
		"a call":                  {`#Artifact: description: {code: x: len([for l in config.parameter.l {l}])}`, "code.x: parameter.l"},
		"an if":                   {`#Artifact: description: {if config.parameter.a > 1 {code: x: 1}, code: y: 2}`, "code.x: parameter.a"},
		"an if for what is there": {`#Artifact: description: {if config.parameter.a > 1 {code: x: int}, code: x: *1 | int}`, "code.x: parameter.a"},
		"an else":                 {`#Artifact: description: {code: {if true {x: 1}, y: config.parameter.a}}`, "code.y: parameter.a"},
		"a for":                   {`#Artifact: description: {for l in config.parameter.l {code: "\(l)": x: 1}, srv: y: 1}`, "code: parameter.l"},
		"a for of none":           {`#Artifact: description: {for l in ["a", "b"] {code: "\(l)": x: config.parameter.a}}`, "code: parameter.a"},
		"a pattern":               {`#Artifact: description: {code: [string]: port: config.parameter.a, code: {x: name: "x", y: _}}`, "code.x.port: parameter.a; code.y.port: parameter.a"},
		"a choice":                {`#Artifact: description: {code: {kind: config.parameter.b} & ({kind: "a", x: 1} | {kind: "b", y: 2})}`, "code: parameter.b"},
		"a definition":            {`#Port: {number: int, name: "p\(number)", other: 1}, #Artifact: description: {srv: web: #Port & {number: config.parameter.a}}`, "srv.web.name: parameter.a; srv.web.number: parameter.a"},
		"an imported one":         {"import \"lib\"\n#Artifact: description: {srv: {web: lib.#Port & {number: config.parameter.a}, db: lib.#Port & {number: 1}}}", "srv.web.name: parameter.a; srv.web.number: parameter.a"},
		"an embedded one":         {`#Port: {number: int, name: "p\(number)"}, #Artifact: description: {srv: web: {#Port, number: config.parameter.a}}`, "srv.web.name: parameter.a; srv.web.number: parameter.a"},
		"one in itself":           {"import \"lib\"\n#Artifact: description: {code: lib.#Tree & {value: 1, left: value: config.parameter.a}}", "code.left: parameter.a"},
		"a field made of another": {`#Artifact: description: {code: a: {port: int, name: "\(port)"}, code: b: code.a & {port: config.parameter.a}}`, "code.b.name: parameter.a; code.b.port: parameter.a"},
		"another file":            {`#Artifact: description: code: x: base`, ""},
		"in quotes":               {`#Artifact: description: {"_h": config.parameter.a, code: {x: 1, _h: 2, y: _h}}`, `"_h: parameter.a`},
		"the config":              {`#Artifact: description: {code: x: config}`, "code.x: "},
		"a role":                  {"import \"lib\"\n#Artifact: description: {role: web: {artifact: lib.#Port & {number: config.parameter.a}, config: parameter: n: config.parameter.b}}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := depends.Read(pkg(t, map[string]*depends.Package{"lib": lib}, "package a\n"+strings.Replace(test.source, "description: {", "description: {config: _, ", 1), "package a\nbase: #Artifact.description.config.parameter.a"+config))
			var holes []string
			for _, h := range d.Holes("description") {
				var set []string
				for _, p := range h.Set {
					set = append(set, strings.Join(p, "."))
				}
				holes = append(holes, strings.Join(h.Path, ".")+": "+strings.Join(set, ", "))
			}
			require.Equal(t, test.holes, strings.Join(holes, "; "))
		})
	}
}
