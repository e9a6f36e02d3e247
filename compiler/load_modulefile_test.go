package compiler

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/mod/modfile"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"kumiki.dev/diag"
)

// TestShortModuleFile compares what is read without the schema with what CUE says:
// every file that is read so is good, and means the same.
func TestShortModuleFile(t *testing.T) {
	t.Parallel()
	path := rapid.SampledFrom([]string{"example.org/a@v1", "example.org/a@v0", "example.org/a", "example.org/a@v1.2.3", "example.org/A@v1", "a@v1", "...", "", "example.org/a@", "@v1", "example.org/a@v01", "example.org//a@v1", "example.org/é@v1", "a b@v1"})
	version := rapid.SampledFrom([]string{"v0.9.0", "v0.8.0", "v0.9.0-alpha.0", "v0.15.1", "v0.16", "v1", "v1.0.0", "", "0.9.0", cue.LanguageVersion(), "v0.9.0+x", "v00.9.0"})
	line := rapid.OneOf(
		rapid.Map(path, func(s string) string { return fmt.Sprintf("module: %q", s) }),
		rapid.Map(version, func(s string) string { return fmt.Sprintf("language: version: %q", s) }),
		rapid.Map(version, func(s string) string { return fmt.Sprintf("language: {version: %q}", s) }),
		rapid.SampledFrom([]string{"// comment", "source: kind: \"self\"", "deps: {}", "language: {}", "module: 1", "\"module\": \"b@v1\"", "module: \"b\\(1)@v1\"", "#module: \"b@v1\"", "_x: \"1\"", "x: \"1\"", "x: {}", "module?: \"b@v1\"", "{", "let x = 1", "module: \"b@v1\" @a()", "language: max: \"v1\"", "package x", "X=module: \"b@v1\"", "module: 'example.org/a@v1'", "import \"list\""}),
	)
	usual := fmt.Sprintf("module: %q\nlanguage: version: %q\n", "example.org/a@v1", "v0.9.0")
	require.True(t, readShort(t, usual), "what most modules have needs no schema")
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(line, 1, 4).Draw(t, "lines")
		if rapid.Bool().Draw(t, "good") {
			lines = []string{fmt.Sprintf("module: %q", path.Draw(t, "path")), fmt.Sprintf("language: version: %q", version.Draw(t, "version"))}
		}
		readShort(t, strings.Join(lines, "\n")+"\n")
	})
}

// readShort reports whether a module's file is read without the schema, and compares
// what is read with what CUE reads.
func readShort(t require.TestingT, text string) bool {
	got := shortModuleFile([]byte(text))
	if got == nil {
		return false
	}
	want, err := modfile.Parse([]byte(text), "module.cue")
	require.NoError(t, err)
	require.Equal(t, want.Module, got.Module)
	require.Equal(t, want.QualifiedModule(), got.QualifiedModule())
	require.Equal(t, want.ModuleRootPath(), got.ModuleRootPath())
	require.Equal(t, want.Language, got.Language)
	require.Equal(t, want.Deps, got.Deps)
	return true
}

// TestLoadModuleFile says what is told of a module.cue, and what the module is taken
// to be called all the same.
func TestLoadModuleFile(t *testing.T) {
	t.Parallel()
	const module, language = "module: \"example.com/shop@v1\"\n", "language: version: \"v0.12.0\"\n"
	const wrongPath = "; write a path such as module: \"example.com/shop@v0\" [load/module]\n"
	tests := []struct{ text, problems, root string }{
		{text: module + language},
		{text: module},
		{text: "module: \"example.com/shop\"\n" + language},
		{text: module + "cue: lang: \"v0.4.0\"\n"},
		{text: module + language + "deps: \"example.org/lib@v1\": v: \"v1.0.0\"\n"},
		{text: module + language + "deps: \"example.org/lib@v1\": v: \"1.0.0\"\n", problems: "1:1: error: module.cue: cannot make version from module \"example.org/lib@v1\", version \"1.0.0\": version \"1.0.0\" (of module \"example.org/lib@v1\") is not well formed [load/module]\n"},
		{text: module + language + "x: 1\n", problems: "3:1: error: module.cue: x: field not allowed [load/module]\n"},
		{text: module + "language: version: \"v99.0.0\"\n", problems: "1:1: error: module.cue: language version \"v99.0.0\" declared in module.cue is too new for current language version \"" + cue.LanguageVersion() + "\" [load/module]\n"},
		{text: module + "language: version: 1\n", problems: "2:20: error: module.cue: cannot determine language version: language.version: cannot use value 1 (type int) as string [load/module]\n"},
		{text: module + "language: {version: \"v0.12.0\"\n", root: "mod.local/d", problems: "2:31: error: module.cue: invalid module file syntax: expected '}', found 'EOF' [load/module]\n"},
		{text: "module: 7\n", root: "mod.local/d", problems: "1:9: error: module.cue: module: cannot use value 7 (type int) as string [load/module]\n"},
		{text: "module: \"example.com/shop@v1.2\"\n" + language, root: "mod.local/d", problems: "1:1: error: module.cue: malformed module path \"example.com/shop@v1.2\": path can contain major version only" + wrongPath},
		{text: "module: \"example.com/Shop\"\n", root: "mod.local/d", problems: "1:1: error: module.cue: malformed module path \"example.com/Shop@v0\": invalid char 'S'" + wrongPath},
		{text: "module: \"x\x00\"\n", root: "mod.local/d", problems: "1:11: error: a zero byte was found: the file is not text [load/file]\n"},
		{text: language, root: "mod.local/d", problems: "1:1: error: module.cue does not say what the module is called: write module: \"example.com/shop@v0\" [load/module]\n"},
		{text: "x: 1\n", root: "mod.local/d", problems: "1:1: error: module.cue does not say what the module is called: write module: \"example.com/shop@v0\" [load/module]\n"},
		{text: "modul: \"example.com/shop@v1\"\n" + language, problems: "1:1: error: modul is not a field of module.cue; did you mean module? [load/module]\n    write 5 as module\n"},
		{text: language + "{}\n\"Module\": \"example.com/shop@v1\"\n", problems: "3:1: error: Module is not a field of module.cue; did you mean module? [load/module]\n    write 8 as module\n"},
	}
	for _, test := range tests {
		root := tree(t, map[string]string{"cue.mod/module.cue": test.text, "d/a.cue": testManifest})
		p, problems := newLoader(LoadInput{Dir: filepath.Join(root, "d")}, testLibrary()).load()
		want := ""
		if test.problems != "" {
			want = "cue.mod/module.cue:" + test.problems
		}
		require.Equal(t, want, list(problems, root)+fixes(problems), test.text)
		require.Equal(t, cmp.Or(test.root, "example.com/shop/d")+":deployment", p.Root.Path, test.text)
	}
}

// fixes are what to write in place of how many bytes.
func fixes(problems diag.List) string {
	var b strings.Builder
	for _, d := range problems {
		for _, f := range d.Fixes {
			for _, e := range f.Edits {
				fmt.Fprintf(&b, "    write %d as %s\n", e.Len, e.Text)
			}
		}
	}
	return b.String()
}

// TestLoadNoModuleFile takes a module.cue for none that names no module, as the
// vendor's tool makes it.
func TestLoadNoModuleFile(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "// nothing\n", "module: \"\"\n", "module: \"...\"\n", "module: \"...\"\nlanguage: version: \"v0.12.0\"\n"} {
		root := tree(t, map[string]string{"cue.mod/module.cue": "module: \"example.com/shop@v1\"\n", "d/cue.mod/module.cue": text, "d/a.cue": testManifest})
		p, problems := newLoader(LoadInput{Dir: filepath.Join(root, "d")}, testLibrary()).load()
		require.Empty(t, problems, text)
		require.Equal(t, "example.com/shop/d:deployment", p.Root.Path, text)
	}
}
