package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
	"github.com/stretchr/testify/require"

	"kumiki.dev/spread"
)

// TestLoadSplitImport takes import paths apart.
func TestLoadSplitImport(t *testing.T) {
	t.Parallel()
	tests := []struct {
		raw  string
		want spelling // nothing for a path that is reported
	}{
		{".../kafka:component", spelling{path: ".../kafka", pkg: "component"}},
		{".../kafka", spelling{path: ".../kafka", pkg: "kafka"}},
		{"example.com/shop", spelling{path: "example.com/shop", pkg: "shop"}},
		{"example.com/shop@v1", spelling{path: "example.com/shop", major: "v1", pkg: "shop"}},
		{"example.com/shop@v12:component", spelling{path: "example.com/shop", major: "v12", pkg: "component"}},
		{"example.com/shop/@1.1.0/inbound", spelling{path: "example.com/shop", version: "1.1.0", rest: "inbound", pkg: "inbound"}},
		{"example.com/shop/@1.1.0/a/b:component", spelling{path: "example.com/shop", version: "1.1.0", rest: "a/b", pkg: "component"}},
		{"example.com/shop/@1.1.0:component", spelling{path: "example.com/shop", version: "1.1.0", pkg: "component"}},
		{"example.com/shop/@1.1.0", spelling{path: "example.com/shop", version: "1.1.0", pkg: "shop"}},
		{"example.com/shop/@v1.1.0-rc.1+b", spelling{path: "example.com/shop", version: "v1.1.0-rc.1+b", pkg: "shop"}},
		{"list", spelling{path: "list", pkg: "list"}}, {"tool/exec", spelling{path: "tool/exec", pkg: "exec"}},
		{"./db:component", spelling{path: "./db", pkg: "component"}}, {"../db:component", spelling{path: "../db", pkg: "component"}}, {"../../db", spelling{path: "../../db", pkg: "db"}}, {"../:component", spelling{path: "../", pkg: "component"}},
		{"..:component", spelling{path: "..", pkg: "component"}}, {"../..:component", spelling{path: "../..", pkg: "component"}}, {".:component", spelling{path: ".", pkg: "component"}},
		{"a:_x", spelling{path: "a", pkg: "_x"}}, {"a:#x", spelling{path: "a", pkg: "#x"}}, {"a:x$", spelling{path: "a", pkg: "x$"}},
		{raw: ""}, {raw: ":"}, {raw: ":component"}, {raw: "a:"}, {raw: "a/b:"}, {raw: "a:b/c"}, {raw: "a:my-pkg"}, {raw: "my-dir"}, {raw: "a:_"}, {raw: "a:#"}, {raw: "a:$"}, {raw: "a:_#"}, {raw: "a:1"},
		{raw: "/a:b"}, {raw: "a//b:c"}, {raw: "a/:b"}, {raw: "a/../b:c"}, {raw: "a/./b:c"}, {raw: "././b:c"}, {raw: "./../b:c"}, {raw: "..."}, {raw: "a/..:b"},
		{raw: "a@1:b"}, {raw: "a@v1.0:b"}, {raw: "a@v1/b:c"}, {raw: "a/@1.0/b:c"}, {raw: "a/@x/b:c"}, {raw: "a/@/b:c"}, {raw: "a/@1.0.0//b:c"}, {raw: "a/@1.0.0/../b:c"}, {raw: "a/@1.0.0/./b:c"}, {raw: "a/@1.0.0/..:c"}, {raw: "a/@1.0.0/b@v1:c"},
		{raw: "a*b:c"}, {raw: "a?b:c"}, {raw: "a<b:c"}, {raw: "a>b:c"}, {raw: "a|b:c"}, {raw: "a\"b:c"}, {raw: "a\nb:c"}, {raw: "a\\b:c"}, {raw: "a:b:c"},
	}
	for _, test := range tests {
		got, err := splitImport(&ast.ImportSpec{Path: ast.NewString(test.raw)})
		if test.want.path == "" {
			require.Error(t, err, test.raw)
			require.Contains(t, err.Error(), fmt.Sprintf("%q", test.raw))
			continue
		}
		require.NoError(t, err, test.raw)
		test.want.raw = test.raw
		require.Equal(t, test.want, got)
	}
	_, err := splitImport(&ast.ImportSpec{Path: &ast.BasicLit{Kind: token.STRING, Value: `"\z"`}})
	require.EqualError(t, err, `"\z" is no import path`)
}

// TestLoadVersion reads versions and writes them.
func TestLoadVersion(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"1.0.11": "1.0.11", "v1.2.3": "1.2.3", "0.0.0": "0.0.0", "1.2.3-rc.1": "1.2.3-rc.1", "1.2.3+b7": "1.2.3+b7", "1.2.3-rc.1+b7": "1.2.3-rc.1+b7", "4294967295.0.0": "4294967295.0.0",
		"": "", "1": "", "1.2": "", "1.2.3.4": "", "vv1.2.3": "", "1.2.x": "", "4294967296.0.0": "", "1.4294967296.0": "", "1.0.4294967296": "", "1.2.3-": "", "1.2.3+": "", "1.2.3 ": "",
	} {
		v, ok := parseVersion(s)
		require.Equal(t, want != "", ok, s)
		if ok {
			require.Equal(t, want, v.String())
		} else {
			require.Equal(t, version{}, v, s)
		}
	}
	require.Equal(t, moduleRef{domain: "example.com", module: "a/b", version: [3]uint64{1, 2, 3}, prerelease: "rc.1", buildmetadata: "b7"}, refOf("example.com/a/b", "1.2.3-rc.1+b7"))
	require.Equal(t, moduleRef{domain: "example.com"}, refOf("example.com", "x"))
}

// TestLoadWithin says where a path lies in another.
func TestLoadWithin(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ path, prefix, want string }{
		{"a/b", "a/b", "."}, {"a/b/c", "a/b", "c"}, {"a/b/c/d", "a/b", "c/d"}, {"a/bc", "a/b", ""}, {"a", "a/b", ""}, {"/a", "", ""}, {"a", "", ""}, {"", "a", ""},
	} {
		rel, ok := within(test.path, test.prefix)
		require.Equal(t, test.want != "", ok, test)
		if ok {
			require.Equal(t, test.want, rel)
		}
	}
	lib := library{modules: []libraryModule{{"x.y/a", "1.0.0"}, {"x.y/a/b/c", "3.0.0"}, {"x.y/a/b", "2.0.0"}}}
	for path, want := range map[string]string{"x.y/a": "1.0.0", "x.y/a/z": "1.0.0", "x.y/a/b": "2.0.0", "x.y/a/b/c/d": "3.0.0", "x.y": "", "x.y/ab": ""} {
		m, ok := lib.find(path)
		require.Equal(t, want != "", ok, path)
		require.Equal(t, want, m.version, path)
	}
	for path, want := range map[string]bool{"kumori.systems/kumori": true, "kumori.systems/builtins/inbound/x": true, "kumori.systems": false, "example.com/kumori": false, "": false} {
		require.Equal(t, want, Embedded(path), path)
	}
}

// TestLoadBuffers finds unsaved texts over links.
func TestLoadBuffers(t *testing.T) {
	t.Parallel()
	root := tree(t, map[string]string{"real/a.cue": "", "real/b.cue": "", "other/x.cue": "", "plain/y.cue": ""})
	at := func(name string) string { return filepath.Join(root, name) }
	require.NoError(t, os.Symlink("real", at("link")))
	require.NoError(t, os.Symlink("../other/x.cue", at("real/l.cue")))
	b := newBuffers(map[string][]byte{
		at("real/a.cue"): []byte("real a"), at("link/a.cue"): []byte("link a"), at("link/new.cue"): []byte("new"), at("other/x.cue"): []byte("x"), at("fresh/deep/z.cue"): []byte("z"),
	})
	for name, want := range map[string]string{
		"real/a.cue": "real a", "link/a.cue": "link a", "real/new.cue": "new", "link/new.cue": "new", "real/l.cue": "x", "link/l.cue": "x", "fresh/deep/z.cue": "z",
		"real/b.cue": "", "plain/y.cue": "", "absent.cue": "", "real": "",
	} {
		text, ok := b.text(at(name))
		require.Equal(t, want != "", ok, name)
		require.Equal(t, want, string(text), name)
	}
	for dir, want := range map[string][]string{"real": {"a.cue", "new.cue"}, "link": {"a.cue", "new.cue"}, "other": {"x.cue"}, "plain": nil, "fresh": nil, "fresh/deep": {"z.cue"}} {
		require.ElementsMatch(t, want, unique(b.in(at(dir))), dir)
	}
	for dir, want := range map[string]bool{"": true, "real": true, "link": true, "fresh": true, "fresh/deep": true, "plain": false, "fres": false, "fresh/deep/z.cue": false} {
		require.Equal(t, want, b.below(at(dir)), dir)
	}
	require.Equal(t, []string{"z.cue"}, newBuffers(map[string][]byte{at("plain/z.cue"): nil}).in(at("plain")))
	for _, none := range []*buffers{nil, newBuffers(nil)} {
		text, ok := none.text(at("real/a.cue"))
		require.False(t, ok)
		require.Empty(t, text)
		require.Empty(t, none.in(at("real")))
	}
	require.Equal(t, at("real/none/n.cue"), RealPath(at("link/none/n.cue")))
	require.Equal(t, at("other/x.cue"), RealPath(at("link/l.cue")))
	require.Equal(t, string(filepath.Separator), RealPath(string(filepath.Separator)))
	require.Equal(t, "absent", RealPath("absent"))
}

func unique(names []string) (out []string) {
	seen := map[string]bool{}
	for _, n := range names {
		if !seen[n] {
			seen[n], out = true, append(out, n)
		}
	}
	return out
}

// TestLoadPathError: the reader is told the path in another form.
func TestLoadPathError(t *testing.T) {
	t.Parallel()
	plain := errors.New("plain")
	require.Equal(t, plain, pathError(plain))
	require.Equal(t, fs.ErrExist, pathError(fmt.Errorf("around: %w", &fs.PathError{Op: "open", Path: "/x", Err: fs.ErrExist})))
}

// TestLoadShow writes paths as the deployer wrote the directory.
func TestLoadShow(t *testing.T) {
	t.Parallel()
	l := newLoader(Input{Dir: "shop/prod"}, testLibrary())
	l.dir = filepath.FromSlash("/work/shop/prod")
	for path, want := range map[string]string{"/work/shop/prod/a.cue": "shop/prod/a.cue", "/work/shop": "shop", "/work/x": "x", "/y": "../y", "/work/shop/prod": "shop/prod"} {
		require.Equal(t, want, l.show(filepath.FromSlash(path)))
	}
	require.Equal(t, "relative", l.show("relative"), "there is no way from one to the other")
}

// TestLoadIsSource says which files are a package's.
func TestLoadIsSource(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"a.cue": true, "tool.cue": true, "test.cue": true, "a_b.cue": true, "_a.cue": false, ".a.cue": false, "a_tool.cue": false, "a_test.cue": false, "a.cue.bak": false, "a": false, "cue": false} {
		require.Equal(t, want, isSource(name), name)
	}
}

// TestLoadImportPath says what the path of a package is: with its version where there
// may be several.
func TestLoadImportPath(t *testing.T) {
	t.Parallel()
	lib := library{modules: []libraryModule{{"x.y/a", "1.0.0"}}}
	for _, test := range []struct {
		m    module
		want string
	}{
		{module{Module: &spread.Module{Path: "x.y/b", Version: "2.0.0"}}, "x.y/b/d@v2.0.0:p"},
		{module{Module: &spread.Module{Path: "x.y/b"}}, "x.y/b/d:p"},
		{module{Module: &spread.Module{Path: "x.y/b", Version: "2.0.0", Main: true}}, "x.y/b/d:p"},
		{module{Module: &spread.Module{Path: "x.y/a", Version: "1.0.0"}, embedded: true}, "x.y/a/d:p"},
		{module{Module: &spread.Module{Path: "x.y/a", Version: "1.1.0"}, embedded: true}, "x.y/a/d@v1.1.0:p"},
		{module{Module: &spread.Module{Path: "x.y/a", Version: "1.0.0"}}, "x.y/a/d@v1.0.0:p"},
		{module{Module: &spread.Module{Path: "x.y/a/d", Version: "1.0.0"}, embedded: true}, "x.y/a/d/d:p"},
	} {
		require.Equal(t, test.want, test.m.importPath("d", "p", lib))
	}
}

// TestLoadNearest proposes one of several directories.
func TestLoadNearest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		word, want string
		candidates []string
	}{
		{"kafka", "db", []string{"db"}}, {"bd", "db", []string{"web", "db"}}, {"kafka", "", []string{"web", "db"}},
		{"a/kafka/x", "kafka", []string{"web", "kafka"}}, {"kafka", "deep/down/kafka", []string{"web", "deep/down/kafka"}}, {"x", "", nil},
	} {
		require.Equal(t, test.want, nearest(test.word, test.candidates), test.word)
	}
}

// TestLoadTooDeep measures the nesting of what the parser is given, just below the
// bound and just above.
func TestLoadTooDeep(t *testing.T) {
	t.Parallel()
	n := maxNesting
	for name, deep := range map[string]func(n int) string{
		"lists":   func(n int) string { return "a: " + strings.Repeat("[", n-2) },
		"structs": func(n int) string { return strings.Repeat("{a:", n/3) + strings.Repeat("{", n-n/3*3) },
		"labels":  func(n int) string { return strings.Repeat("a:", n/2) + strings.Repeat("!", n-n/2*2) },
		"calls":   func(n int) string { return "x: " + strings.Repeat("a(", (n-2)/2) + strings.Repeat("!", n-2-(n-2)/2*2) },
		"operators": func(n int) string {
			return "x: 1" + strings.Repeat(" & 1", (n-3)/2) + strings.Repeat("!", n-3-(n-3)/2*2)
		},
		"after lines": func(n int) string { return "b: 1\nc: [1, 2, 3]\n" + strings.Repeat("!", n) },
		"after closed": func(n int) string {
			return "c: [[1], [2]]\nd: {e: {f: 1}, g: 2}\n" + strings.Repeat("!", n)
		},
		"after unopened":  func(n int) string { return ")]}\n" + strings.Repeat("!", n) },
		"after texts":     func(n int) string { return "c: \"\\(1 + (2)) \\(\"\\(3)\")\"\nd: \"[[[\"\n" + strings.Repeat("!", n) },
		"in a text":       func(n int) string { return "\"\\(" + strings.Repeat("!", n-2) },
		"behind brackets": func(n int) string { return "[1, 2](3)" + strings.Repeat("!", n-2) },
	} {
		padding := strings.Repeat("\n//", maxNesting/2)
		_, is := tooDeep("x", []byte(deep(n)+padding))
		require.False(t, is, name)
		at, is := tooDeep("x", []byte(deep(n+1)+padding))
		require.True(t, is, name)
		require.LessOrEqual(t, at, len(deep(n+1)), name)
	}
	for name, text := range map[string]string{
		"it is wide":             strings.Repeat("a: [{b: 1}, (2)]\n", maxNesting),
		"texts are wide":         strings.Repeat("a: \"\\(1)\"\n", maxNesting),
		"a text that never ends": "a: \"\\(" + strings.Repeat(" ", maxNesting),
		"other brackets than in a text are closed": "'\rx\\(]\\#(\n(,}" + strings.Repeat(" ", maxNesting),
	} {
		_, is := tooDeep("x", []byte(text))
		require.False(t, is, name)
	}
}

// TestLoadMemory: the memory is free again behind a run, and what was read for one
// serves the next.
func TestLoadMemory(t *testing.T) {
	t.Parallel()
	in := Input{Dir: filepath.Join(tree(t, map[string]string{"kmodule.cue": testKModule, "d/a.cue": testManifest}), "d"), Memory: NewMemory()}
	first, problems := Load(in)
	require.Empty(t, problems)
	again, problems := Load(in)
	require.Empty(t, problems)
	require.Same(t, first.Root.Files[0], again.Root.Files[0])
	in.Dir = tree(t, map[string]string{"kmodule.cue": testKModule, "a.cue": "# why\n" + testManifest, "b.cue": "package deployment // what\nx = 1\n"})
	for range 2 {
		_, problems = Load(in)
		require.Equal(t, []string{"load/syntax a.cue:1:1", "load/syntax b.cue:2:3"}, codes(problems, in.Dir), "it is told each time")
	}
}
