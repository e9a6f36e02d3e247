package compiler_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/benchapp"
)

// openComponent takes any parameters.
const openComponent = `package component

import k "kumori.systems/kumori:kumori"

#Artifact: k.#Component & {
	ref: name: "any"
	description: {
		srv: {}
		config: {
			parameter: {...}
			scale: hsize: *1 | uint
		}
		code: any: {
			image: tag: "example/any:1"
			size: {cpu: {size: 100, unit: "m"}, mincpu: 50, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`

const imports = `package deployment

import (
	k "kumori.systems/kumori:kumori"
	c "kumiki.example/bad/c@v1:component"
)

`

// manifest is a deployment of openComponent with the parameters.
func manifest(parameters string) string {
	return imports + "#Deployment: k.#Deployment & {name: \"bad\", artifact: c.#Artifact, config: parameter: {" + parameters + "}}\n"
}

// module is a module with openComponent, a deployment and further files.
func module(deployment string, files ...string) benchapp.App {
	app := benchapp.App{
		"cue.mod/module.cue":  "module: \"kumiki.example/bad@v1\"\nlanguage: version: \"v0.12.0\"\n",
		"c/artifact.cue":      openComponent,
		"deploy/manifest.cue": deployment,
	}
	for i := 0; i < len(files); i += 2 {
		app[files[i]] = files[i+1]
	}
	return app
}

// compile writes the app and compiles its deployment; file names in the text
// of the problems are relative to the app.
func compile(t testing.TB, app benchapp.App, prepare func(root string)) (data []byte, problems string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, app.Write(root))
	if prepare != nil {
		prepare(root)
	}
	var in compiler.Input
	in.Dir = filepath.Join(root, "deploy")
	s, list := compiler.Compile(context.Background(), in)
	problems = strings.ReplaceAll(text(list, root), root, ".")
	if s == nil {
		require.True(t, list.HasErrors(), "no solution and no error")
		return nil, problems
	}
	require.False(t, list.HasErrors(), "a solution in spite of %s", problems)
	data, err = s.Bytes()
	require.NoError(t, err)
	return data, problems
}

// TestBadInput gives the compiler what nobody should: every time it says what
// is wrong, and nothing comes out.
func TestBadInput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		app     benchapp.App
		prepare func(root string)
		want    string
	}{
		{
			name: "no directory",
			want: `
-: directory "deploy" does not exist [load/no-directory]
`,
		},
		{
			name: "a file in place of the directory",
			app:  benchapp.App{"deploy": "x"},
			want: `
-: "deploy" is a file; give the directory that it lies in: "." [load/no-directory]
`,
		},
		{
			name: "a directory that is a circle of links",
			prepare: func(root string) {
				require.NoError(t, os.Symlink("deploy", filepath.Join(root, "deploy")))
			},
			want: `
-: directory "deploy": too many levels of symbolic links [load/no-directory]
`,
		},
		{
			name: "a manifest that is a circle of links",
			app:  module(manifest("")),
			prepare: func(root string) {
				require.NoError(t, os.Symlink("b.cue", filepath.Join(root, "deploy/b.cue")))
			},
			want: `
deploy/b.cue:1:1: "b.cue" is a link that leads out of the module or nowhere; put a copy of the file here, or import the package that it belongs to [load/outside-module]
`,
		},
		{
			name: "a link out of the module",
			app:  module(manifest("")),
			prepare: func(root string) {
				other := t.TempDir()
				require.NoError(t, os.WriteFile(filepath.Join(other, "x.cue"), []byte("package deployment\nsecret: 1\n"), 0o600))
				require.NoError(t, os.Symlink(filepath.Join(other, "x.cue"), filepath.Join(root, "deploy/x.cue")))
			},
			want: `
deploy/x.cue:1:1: "x.cue" is a link that leads out of the module or nowhere; put a copy of the file here, or import the package that it belongs to [load/outside-module]
`,
		},
		{
			name: "an artifact in place of a deployment",
			app:  module(openComponent),
			want: `
-: package component in deploy has an #Artifact but no #Deployment: name a directory whose package says what to deploy [load/no-deployment]
`,
		},
		{
			name: "two deployments",
			app:  module(strings.Replace(manifest(""), "package deployment", "package one", 1), "deploy/other.cue", strings.Replace(manifest(""), "package deployment", "package two", 1)),
			want: `
deploy/manifest.cue:1:1: several packages of "deploy" have a #Deployment: one, two; say which one is meant, for example with --package one [load/many-deployments]
    deploy/other.cue:1:1: package two
`,
		},
		{
			name: "an artifact that is not there",
			app:  module(strings.Replace(manifest(""), "bad/c@v1", "bad/d@v1", 1)),
			want: `
deploy/manifest.cue:5:4: "kumiki.example/bad/d@v1:component": there is no directory d in this module; package component is in: c; did you mean "kumiki.example/bad/c:component"? [load/import]
`,
		},
		{
			name: "no artifact",
			app:  module("package deployment\n\nimport k \"kumori.systems/kumori:kumori\"\n\n#Deployment: k.#Deployment & {name: \"bad\"}\n"),
			want: `
deploy/manifest.cue:5:1: the deployment has no artifact: write artifact: x.#Artifact, where x is the import of the service or component to deploy [spread/no-artifact]
`,
		},
		{
			name: "packages that import each other",
			app: module(manifest(""), "c/artifact.cue", strings.Replace(openComponent, "\n\n", "\n\nimport d \"kumiki.example/bad/d@v1:component\"\n", 1)+"_d: d\n",
				"d/d.cue", "package component\nimport c \"kumiki.example/bad/c@v1:component\"\n_c: c\n"),
			want: `
d/d.cue:2:10: import cycle: kumiki.example/bad/c:component → kumiki.example/bad/d:component → kumiki.example/bad/c:component; a package can't be a part of itself: move what both need into a third one [load/import-cycle]
    c/artifact.cue:3:10: kumiki.example/bad/d:component is imported here
`,
		},
		{
			name: "an artifact that contains itself",
			app: module(strings.ReplaceAll(manifest(""), ":component", ":service"), "c/artifact.cue", `package service

import k "kumori.systems/kumori:kumori"

#Artifact: k.#Service & {
	ref: name: "ring"
	description: {
		srv: {}
		config: parameter: {}
		role: again: artifact: #Artifact
	}
}
`),
			want: `
c/artifact.cue:10:26: #Artifact contains itself: #Artifact → role again (#Artifact); an application is finite, so give role again another artifact [spread/cycle]
`,
		},
		{
			name: "an artifact that contains itself by way of another",
			app: module(strings.ReplaceAll(manifest(""), ":component", ":service"), "c/artifact.cue", `package service

import k "kumori.systems/kumori:kumori"

#Artifact: k.#Service & {
	ref: name: "outer"
	description: {
		srv: {}
		config: parameter: {}
		role: in: artifact: #Inner
	}
}
#Inner: k.#Service & {
	ref: {domain: "kumiki.example", module: "inner", version: [1, 0, 0], name: "inner"}
	description: {
		srv: {}
		config: parameter: {}
		role: out: artifact: #Artifact
	}
}
`),
			want: `
c/artifact.cue:18:24: #Artifact contains itself: #Artifact → role in (#Inner) → role out (#Artifact); an application is finite, so give role out another artifact [spread/cycle]
    c/artifact.cue:10:23: role in contains #Inner
`,
		},
		{name: "not UTF-8", app: module(manifest("x: \"\xff\xfe\"")), want: `
deploy/manifest.cue:8:91: the byte 0xff is not valid UTF-8, the encoding of CUE files; save the file as UTF-8 [load/file]
`},
		{name: "a null byte", app: module(manifest("x: \"a\x00b\"")), want: `
deploy/manifest.cue:8:92: a zero byte was found: the file is not text [load/file]
`},
		{name: "a file elsewhere", app: module("@extern(embed)\n"+manifest("x: _ @embed(file=\"../x.json\")"), "x.json", "{}"), want: `
deploy/manifest.cue:9:92: @embed: "../x.json" leads out of the directory of this file, and only what lies in it or below can be embedded: move the file, or import a package that lies there [load/forbidden]
`},
		{name: "a command", app: module(strings.Replace(manifest(""), "\n)", "\n\t\"tool/exec\"\n)", 1) + "x: exec.Run & {cmd: \"true\"}\n"), want: `
deploy/manifest.cue:6:2: "tool/exec" is for running commands, reading files or calling servers, none of which a manifest can do; delete the import [load/forbidden]
`},
		{name: "parentheses", app: module(manifest("x: " + strings.Repeat("(", 1e6) + "1" + strings.Repeat(")", 1e6))), want: `
deploy/manifest.cue:1:1: the file has more than 1000000 brackets; split it into several files [load/file]
`},
		{name: "lists in lists", app: module(manifest("x: " + strings.Repeat("[", 1e5) + strings.Repeat("]", 1e5))), want: `
deploy/manifest.cue:8:10076: the file is nested deeper than 10000 levels; simplify it [load/file]
`},
		{name: "structs in structs", app: module(manifest(strings.Repeat("x: ", 1e5) + "1")), want: `
deploy/manifest.cue:8:15069: the file is nested deeper than 10000 levels; simplify it [load/file]
`},
		{name: "an unfinished struct", app: module(manifest(strings.Repeat("x: {", 1e6))), want: `
deploy/manifest.cue:1:1: the file has more than 1000000 brackets; split it into several files [load/file]
`},
		{name: "negations", app: module(manifest("x: " + strings.Repeat("-", 1e6) + "1")), want: `
deploy/manifest.cue:8:10076: the file is nested deeper than 10000 levels; simplify it [load/file]
`},
		{name: "sums", app: module(manifest("x: " + strings.Repeat("1+", 1e5) + "1")), want: `
deploy/manifest.cue:8:10076: the file is nested deeper than 10000 levels; simplify it [load/file]
`},
		{name: "bytes", app: module(manifest("x: 'raw'")), want: `
deploy/manifest.cue:8:90: config.parameter.x of the deployment is in single quotes, which are for bytes: write x: "raw", a text, in double quotes [spread/not-data]
`},
		{name: "a function", app: module(strings.Replace(manifest("x: strings.ToUpper"), "\n)", "\n\t\"strings\"\n)", 1)), want: `
deploy/manifest.cue:9:87: config.parameter.x of the deployment is func, which JSON cannot hold; config is pure data: write a string, number, bool, list or struct [spread/not-data]
`},
		{name: "a type", app: module(manifest("x: int")), want: `
deploy/manifest.cue:8:87: config.parameter.x of the deployment has no value (a whole number): a deployment is plain data, write config: parameter: x: 1 [spread/deployment-not-concrete]
`},
		{name: "bottom", app: module(manifest("x: _|_")), want: `
deploy/manifest.cue:8:90: config.parameter.x: explicit error (_|_ literal) in source [cue]
`},
		{name: "top", app: module(manifest("x: _")), want: `
deploy/manifest.cue:8:87: config.parameter.x is missing; component any needs it (any value): write config: parameter: x: … in the deployment [spread/missing-field]
`},
		{name: "no number", app: module(manifest("x: 0/0")), want: `
deploy/manifest.cue:8:90: config.parameter.x: failed arithmetic: division undefined [cue]
`},
		{name: "infinity", app: module(manifest("x: 1/0")), want: `
deploy/manifest.cue:8:90: config.parameter.x: failed arithmetic: division by zero [cue]
`},
		{name: "a number beyond numbers", app: module(manifest("x: 1e9999999999")), want: `
deploy/manifest.cue:8:90: the number 1e9999999999 has an exponent beyond ±100000, which CUE cannot keep: write a number that it can [load/syntax]
`},
		{name: "a reference to itself", app: module(manifest("x: x")), want: `
deploy/manifest.cue:8:87: config.parameter.x refers to itself: in x: x, the name is that of the field itself; give the field a value, or write "x": x to mean one outside of the braces [spread/cycle]
`},
		{name: "references in a circle", app: module(manifest("x: y + 1, y: x + 1")), want: `
deploy/manifest.cue:8:87: config.parameter.x refers to itself: config.parameter.x → config.parameter.y → config.parameter.x; give one of them a value of its own [spread/cycle]
`},
		{name: "a struct within itself", app: module(manifest("x: y: x")), want: `
deploy/manifest.cue:8:90: config.parameter.x.y contains itself without end; a value is finite, so write out what it holds [spread/cycle]
`},
		{name: "17 MB", app: module(manifest("x: \"" + strings.Repeat("x", 17<<20) + "\"")), want: `
deploy/manifest.cue:1:1: the file is larger than 16 MiB, the most that a source may have; move large contents out of the manifest [load/file]
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			data, problems := compile(t, tt.app, tt.prepare)
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), problems); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
				t.Logf("GOT %q", tt.name+"\n"+problems)
			}
			require.Nil(t, data)
		})
	}
}
