package load

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
)

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
		p, problems := newLoader(Input{Dir: filepath.Join(root, "d")}, testLibrary()).load()
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
		p, problems := newLoader(Input{Dir: filepath.Join(root, "d")}, testLibrary()).load()
		require.Empty(t, problems, text)
		require.Equal(t, "example.com/shop/d:deployment", p.Root.Path, text)
	}
}
