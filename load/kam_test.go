package load

import (
	"cmp"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLoadKModule says what is told of a kmodule.cue, and what the module is taken to
// be called all the same.
func TestLoadKModule(t *testing.T) {
	t.Parallel()
	const (
		good    = "domain: \"example.com\"\nmodule: \"shop\"\nversion: [1, 2, 3]\n"
		plain   = "kmodule.cue holds plain data only (fields with strings, numbers, lists and structs); write the value itself here"
		part    = " can't be a part of an import path; write a name such as \"shop\""
		numbers = "version must be a list of three whole numbers, such as [1, 0, 0]"
		target  = "the target of dependency \"example.org/x\" must be its path and a version, such as \"example.org/x/@1.0.0\""
		spec    = "spec must be [1, 0], the version of the service model that kumiki knows"
	)
	named := func(module string) string {
		return "domain: \"example.com\"\nmodule: " + module + "\nversion: [1, 2, 3]\n"
	}
	version := func(v string) string { return "domain: \"example.com\"\nmodule: \"shop\"\nversion: " + v + "\n" }
	depends := func(on string) string { return good + "dependencies: " + on + "\n" }
	tests := []struct{ text, problem, path, version string }{ // a position in the text, and a message
		{text: good}, {text: good + "spec: [1, 0]\n"}, {text: good + "spec: [1, 0, 7]\n"}, {text: "{" + good + "}"},
		{text: good + "prerelease: \"rc.1\"\nbuildmetadata: \"b\"\n", version: "1.2.3-rc.1+b"},
		{text: good + "prerelease: 1\n", problem: "5:1: prerelease must be a string; found int"},
		{text: good + "x: -1\ny: {\"a b\": [true, null]} // z\n@note(x)\n"},
		{text: depends("{}")}, {text: depends("\"example.org/x\": {}")},
		{text: depends("\"example.org/x\": target: \"example.org/x/@1.0.0\"")}, {text: depends("\"example.org/x\": target: \"example.org/x/@1.0.0/inner\"")},
		{text: depends("7"), problem: "5:1: dependencies must be a struct, such as {\"kumori.systems/kumori\": {query: \"1.0.11\", target: \"kumori.systems/kumori/@1.0.11\"}}; found int"},
		{text: depends("\"example.org/x\": target: \"example.org/y/@1.0.0\""), problem: "5:32: " + target},
		{text: depends("\"example.org/x\": target: \"example.org/x\""), problem: "5:32: " + target},
		{text: depends("\"example.org/x\": target: \"example.org/x/@1.0\""), problem: "5:32: " + target},
		{text: depends("\"example.org/x\": target: 7"), problem: "5:32: " + target},
		{text: "module: \"shop\"\nversion: [1, 2, 3]\n", path: "mod.local", problem: "1:1: domain is missing; write domain: \"example.com\""},
		{text: "domain: \"example.com\"\nversion: [1, 2, 3]\n", path: "example.com", problem: "1:1: module is missing; write module: \"shop\""},
		{text: "domain: 7\nmodule: \"shop\"\nversion: [1, 2, 3]\n", path: "mod.local", problem: "2:1: domain must be a string, such as \"example.com\"; found int"},
		{text: named("\"a/b\""), path: "example.com/a/b"},
		{text: named("\"\""), path: "example.com", problem: "3:1: module \"\"" + part},
		{text: named("\"a//b\""), path: "example.com", problem: "3:1: module \"a//b\"" + part},
		{text: named("\"/a\""), path: "example.com", problem: "3:1: module \"/a\"" + part},
		{text: named("\".a\""), path: "example.com", problem: "3:1: module \".a\"" + part},
		{text: named("\"a@b\""), path: "example.com", problem: "3:1: module \"a@b\"" + part},
		{text: named("\"a b\""), path: "example.com", problem: "3:1: module \"a b\"" + part},
		{text: "domain: \"example.com\"\nmodule: \"shop\"\n", version: "0.0.0", problem: "1:1: version is missing; write version: [1, 0, 0]"},
		{text: version("\"1.2.3\""), version: "0.0.0", problem: "4:1: " + numbers},
		{text: version("[1, 2]"), version: "0.0.0", problem: "4:1: " + numbers},
		{text: version("[1, 2, 3, 4]"), version: "0.0.0", problem: "4:1: " + numbers},
		{text: version("[1, 2, 3, \"x\"]"), version: "0.0.0", problem: "4:1: " + numbers},
		{text: version("[1, 2, -3]"), version: "0.0.0", problem: "4:1: " + numbers},
		{text: good + "spec: [1]\n", problem: "5:1: " + spec}, {text: good + "spec: []\n", problem: "5:1: " + spec}, {text: good + "spec: [1, 1]\n", problem: "5:1: " + spec},
		{text: good + "spec: [1, 0, \"x\"]\n", problem: "5:1: " + spec}, {text: good + "spec: 1\n", problem: "5:1: " + spec},
		{text: good + "x: [{y: z}]\nz: w\n", path: "mod.local", problem: "5:9: " + plain},
		{text: good + "[string]: 1\n", path: "mod.local", problem: "5:1: " + plain},
		{text: good + "(domain): 1\n", path: "mod.local", problem: "5:1: " + plain},
		{text: good + "\"\\(domain)\": 1\n", path: "mod.local", problem: "5:1: " + plain},
		{text: good + "x: \"\\(domain)\"\n", path: "mod.local", problem: "5:4: " + plain},
		{text: good + "x: 1 + 1\n", path: "mod.local", problem: "5:4: " + plain},
		{text: good + "let x = 1\n", path: "mod.local", problem: "5:1: " + plain},
		{text: good + "if true {}\n", path: "mod.local", problem: "5:1: " + plain},
		{text: good + "x: ]\n", path: "mod.local", problem: "5:4: expected operand, found ']'"},
		{text: good + "x: \"\x00\"\n", path: "mod.local", problem: "5:5: a zero byte was found: the file is not text"},
	}
	for _, test := range tests {
		root := tree(t, map[string]string{"kmodule.cue": "package kmodule\n" + test.text, "d/a.cue": testManifest})
		p, problems := newLoader(Input{Dir: filepath.Join(root, "d")}, testLibrary()).load()
		want := ""
		if test.problem != "" {
			want = "kmodule.cue:" + test.problem
		}
		var got strings.Builder
		for _, d := range problems {
			got.WriteString(strings.TrimPrefix(d.Pos.String(), root+"/") + ": " + strings.TrimPrefix(d.Message, "kmodule.cue: "))
		}
		assert.Equal(t, want, got.String(), test.text)
		assert.Equal(t, cmp.Or(test.path, "example.com/shop")+"/d:deployment", p.Root.Path, test.text)
		if test.path != "mod.local" {
			assert.Equal(t, cmp.Or(test.version, "1.2.3"), p.Root.Module.Version, test.text)
		}
	}
}

// TestLoadKModulePackage: the package's name is told to be wrong, but what the file
// says counts where it is plain that this is the module's.
func TestLoadKModulePackage(t *testing.T) {
	t.Parallel()
	for text, path := range map[string]string{
		"package other\n{domain: \"example.com\", module: \"shop\", version: [1, 2, 3]}\n": "example.com/shop/d:deployment",
		"package other\nx: 1\n": "mod.local/d:deployment",
		"x: 1\n":                "mod.local/d:deployment",
	} {
		root := tree(t, map[string]string{"kmodule.cue": text, "d/a.cue": testManifest})
		p, problems := newLoader(Input{Dir: filepath.Join(root, "d")}, testLibrary()).load()
		require.Equal(t, []string{"load/module kmodule.cue:1:1"}, codes(problems, root), text)
		require.Equal(t, path, p.Root.Path, text)
	}
}
