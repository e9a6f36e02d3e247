package shape_test

import (
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/internal/golden"
	"kumiki.dev/internal/shape"
)

// TestAccepted shows what looks like a mistake of form and is none: nothing is
// said, and nothing is touched.
func TestAccepted(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text string }{
		{"a container called image", `#Artifact: description: code: image: {image: tag: "a:1", size: {}}`},
		{"containers called image and size", `#Artifact: description: code: {image: {image: tag: "a:1"}, size: {image: tag: "b:1"}}`},
		{"a check of a container called liveness", `#Artifact: description: probe: liveness: {liveness: protocol: tcp: port: 1, readiness: protocol: tcp: port: 1}`},
		{"connectors called from and to", `#Artifact: description: connect: {from: {from: web: "a", to: api: b: _}, to: {from: web: "c", to: api: d: _}}`},
		{"a connector called from that is a reference", "let c = {from: web: \"a\", to: api: b: _}\n#Artifact: description: connect: {from: c, to: c}"},
		{"a role called like an import, filled by another", "import web \"a.b/web:component\"\nimport w \"a.b/w:component\"\n#Artifact: description: role: {web: artifact: w.#Artifact, x: {artifact: w.#Artifact}}\nx: web.#Artifact"},
		{"a role with an #Artifact of its own", "import web \"a.b/web:component\"\n#Artifact: description: role: web: {#Artifact: ref: name: \"x\", artifact: web.#Artifact}\nx: web.#Artifact"},
		{"a role that may have one by what it embeds", "import web \"a.b/web:component\"\n#Artifact: description: role: web: {#Common, artifact: web.#Artifact}\n#Common: {...}\nx: web.#Artifact"},
		{"definitions and hidden fields called nearly like sections", `#Artifact: {#ref: 1, _ref: 1, description: {#config: 1, _confg: 1, config: {}}}`},
		{"sections that come near to others which are there", `#Artifact: description: {config: {}, code: {}, codes: {}, configs: {}}`},
		{"fields that are called like nothing", `#Artifact: description: {banana: 1}`},
		{"parameters called nearly like sections", `#Artifact: description: config: parameter: {paramter: 1, resorce: 2, artefact: "x"}`},
		{"two files of one deployment", "#Deployment: {name: \"a\", artifact: ref: name: \"x\"}\n#Deployment: name: \"a\""},
		{"a base that is open", "import k \"kumori.systems/kumori:kumori\"\n#Base: k.#Component & {description: config: parameter: {label: string, ...}}\n#Artifact: #Base & {description: config: parameter: title: string}"},
		{"a base with a pattern", "import k \"kumori.systems/kumori:kumori\"\n#Base: k.#Component & {description: config: parameter: {[string]: string, label: string}}\n#Artifact: #Base & {description: config: parameter: title: string}"},
		{"a base with more than is seen", "#Base: #More & {description: config: parameter: {label: string}}\n#More: description: config: parameter: title: string\n#Artifact: #Base & {description: config: parameter: title: string}"},
		{"a base that has the parameter", "import k \"kumori.systems/kumori:kumori\"\n#Base: k.#Component & {description: config: parameter: {label: string, title: string}}\n#Artifact: #Base & {description: config: parameter: title: \"x\"}"},
		{"a base that is no definition", "_base: description: config: parameter: label: string\n#Artifact: _base & {description: config: parameter: title: string}"},
		{"a name of a package that another file has", "import k \"a.b/k:component\"\nx: ks.#Artifact\nks: #Artifact: 1\ny: k.#Artifact"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := parse(t, "package service\n"+test.text)
			before := source(t, f)
			require.Empty(t, mend(f))
			require.Equal(t, before, source(t, f))
		})
	}
}

// TestMended shows what becomes of mistakes of form.
func TestMended(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, message, want string }{
		{"a bare artifact with config", "import a \"a.b/a:component\"\n#Artifact: description: role: x: a.#Artifact & {config: {}}",
			"role x is a.#Artifact itself, but a role has an artifact: write artifact: a.#Artifact",
			`#Artifact: description: role: x: {artifact: a.#Artifact} & {config: {}}`},
		{"an embedded artifact", "import a \"a.b/a:component\"\n#Artifact: description: role: x: {a.#Artifact, config: {}}",
			"role x is a.#Artifact itself, but a role has an artifact: write artifact: a.#Artifact",
			"#Artifact: description: role: x: {artifact: a.#Artifact, config: {}}"},
		{"containers without a name beside one with", "#Artifact: {ref: name: \"x/api\", description: code: {image: tag: \"a:1\", size: {}, b: {image: tag: \"b:1\"}}}",
			"code lists containers by name, and image stands in the place of one: write code: api: {image: …}",
			"#Artifact: {ref: name: \"x/api\", description: code: {b: {image: tag: \"b:1\"}, \"api\": {image: tag: \"a:1\", size: {}}}}"},
		{"a connector without a name", "#Artifact: description: connect: {from: web: \"a\", to: api: b: _}",
			"connect lists connectors by name, and from stands in the place of one: write connect: main: {from: …}",
			"#Artifact: description: connect: {\"main\": {from: web: \"a\", to: api: b: _}}"},
		{"an import that two roles hide", "import api \"a.b/api:component\"\n#Artifact: description: role: {api: artifact: api.#Artifact, b: {artifact: api.#Artifact}}",
			"api is the field of that name around it, not the import, which is further away: give the import another name (apiComponent \"a.b/api:component\"), and write artifact: apiComponent.#Artifact",
			"#Artifact: description: role: {api: artifact: apiComponent.#Artifact, b: {artifact: apiComponent.#Artifact}}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := parse(t, "package service\n"+test.text)
			problems := mend(f)
			require.Len(t, problems, 1)
			require.Equal(t, test.message, problems[0].Message)
			_, got, _ := strings.Cut(source(t, f), "#Artifact: ")
			require.Equal(t, squeezed(strings.TrimPrefix(test.want, "#Artifact: ")), squeezed(got))
		})
	}
}

// FuzzMend shows that no file makes it panic, and that what is mended is not
// mended again.
func FuzzMend(f *testing.F) {
	for _, text := range golden.Sources(f, "../../testdata/errors/*.txtar") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parser.ParseFile("x.cue", text, parser.ParseComments)
		if err != nil {
			return
		}
		mend(file)
		require.Empty(t, mend(file), "what is mended is mended again")
	})
}

// squeezed is a source without what only lays it out.
func squeezed(text string) string {
	return strings.NewReplacer(",", "", "\n", "", " ", "", "\t", "").Replace(text)
}

func parse(t *testing.T, text string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile("x.cue", text)
	require.NoError(t, err)
	return f
}

// mend names the imports, as the loader does, and mends a file.
func mend(f *ast.File) diag.List {
	for spec := range f.ImportSpecs() {
		if spec.Name == nil {
			path := strings.Trim(spec.Path.Value, `"`)
			spec.Name = ast.NewIdent(path[strings.LastIndexAny(path, "/:")+1:])
		}
	}
	astutil.Resolve(f, func(token.Pos, string, ...any) {})
	p := &shape.Package{Path: "a.b/x:service", Name: "service", Files: []*ast.File{f}}
	return append(shape.Mend(p), shape.MendArtifacts(p, func(*ast.ImportSpec, string) bool { return false })...)
}

func source(t *testing.T, f *ast.File) string {
	t.Helper()
	b, err := format.Node(f)
	require.NoError(t, err)
	return string(b)
}
