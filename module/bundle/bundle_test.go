package bundle

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/compiler"
	"kumiki.dev/internal/cases"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
)

// kam is a module in the vendor's style as real projects have it: what it depends
// on is in a cue.mod above it, and in a directory beside.
const kam = `
-- project/cue.mod/pkg/example.org/base/@1.2.0/kmodule.cue --
package kmodule
{domain: "example.org", module: "base", version: [1, 2, 0]}
-- project/cue.mod/pkg/example.org/base/@1.2.0/web/web.cue --
package component
#Artifact: {
	ref: name: "web"
	description: {
		srv: server: web: port: 8080
		config: {parameter: who: string, scale: hsize: *1 | uint}
		code: web: {
			image: tag: "ghcr.example/web:1"
			mapping: env: WHO: parameter: "who"
			size: {cpu: {size: 200, unit: "m"}, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
-- project/cue.mod/pkg/example.org/base/@1.2.0/unused/unused.cue --
package component
-- project/cue.mod/pkg/example.org/plain/names.cue --
package plain
name: "plainly"
-- project/app/kmodule.cue --
package kmodule
{domain: "example.com", module: "app", version: [1, 0, 0], dependencies: {
	"example.org/base": {query: "1.2.0", target: "example.org/base/@1.2.0"}
	"example.org/beside": {query: "2.0.0", target: "example.org/beside/@2.0.0"}
}}
-- project/app/deploy/deployment.cue --
package deployment
import (
	s ".../site:service"
	"example.org/beside/names:names"
)
#Deployment: {name: "app", artifact: s.#Artifact, config: parameter: who: names.who}
-- project/app/site/site.cue --
package service
import (
	w "example.org/base/web:component"
	"example.org/plain"
)
#Artifact: {
	ref: name: plain.name
	description: {
		config: parameter: who: string
		role: hello: {artifact: w.#Artifact, config: parameter: who: description.config.parameter.who}
		srv: server: web: port: 80
		connect: web: {from: self: "web", to: hello: web: _}
	}
}
-- beside/kmodule.cue --
package kmodule
{domain: "example.org", module: "beside", version: [2, 0, 0]}
-- beside/names/names.cue --
package names
who: "you"
`

func tree(t *testing.T, text string) string {
	t.Helper()
	files, err := txtar.FS(txtar.Parse([]byte(text)))
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, files))
	return dir
}

func pack(t *testing.T, in load.Input) []byte {
	t.Helper()
	data, problems, err := Pack(context.Background(), compiler.Input{LoadInput: in})
	require.NoError(t, err)
	require.False(t, problems.HasErrors(), "%v", problems)
	return data
}

func solve(t *testing.T, in load.Input) string {
	t.Helper()
	s, problems := compiler.Compile(context.Background(), compiler.Input{LoadInput: in})
	require.False(t, problems.HasErrors(), "%v", problems)
	text, err := s.Bytes()
	require.NoError(t, err)
	return string(text)
}

// TestKam bundles modules of a cue.mod above and of a directory beside.
func TestKam(t *testing.T) {
	t.Parallel()
	input := func() load.Input {
		dir := tree(t, kam)
		return load.Input{Dir: filepath.Join(dir, "project/app/deploy"), Modules: []string{dir}}
	}
	in := input()
	data := pack(t, in)
	require.Equal(t, data, pack(t, input()), "from another directory")
	opened, err := Open(data)
	require.NoError(t, err)
	want := solve(t, in)
	require.NoError(t, os.RemoveAll(in.Modules[0]))
	require.Equal(t, want, solve(t, opened.Input.LoadInput))
	var paths []string
	for _, m := range opened.Modules {
		paths = append(paths, m.Path+" "+m.Version+" "+m.Dir)
	}
	require.Equal(t, []string{
		"example.com/app 1.0.0 files/app", "example.org/base 1.2.0 files/cue.mod/pkg/example.org/base/@1.2.0",
		"example.org/beside 2.0.0 modules/2", "example.org/plain  files/cue.mod/pkg/example.org/plain",
	}, paths)
	require.NoFileExists(t, filepath.Join(opened.Root, "files/cue.mod/pkg/example.org/base/@1.2.0/unused/unused.cue"))
	opened.Close()
	require.NoDirExists(t, opened.Root)
}

// TestCases bundles every case that loads with the case's own settings, compiles the bundle,
// and compares solutions and problems.
func TestCases(t *testing.T) {
	golden.Each(t, "../../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		in := cases.Input(c)
		data, problems, err := Pack(context.Background(), in)
		require.NoError(t, err)
		if data == nil {
			require.True(t, problems.HasErrors())
			return
		}
		opened, err := Open(data)
		require.NoError(t, err)
		defer opened.Close()
		got := opened.Input
		got.Strict, got.NoMemo, got.NoPartial, got.NoLean, got.NoStubs = in.Strict, in.NoMemo, in.NoPartial, in.NoLean, in.NoStubs
		require.Equal(t, result(t, in), result(t, got))
	})
}

// result is what comes of an input: the solution, or what is wrong.
func result(t *testing.T, in compiler.Input) string {
	t.Helper()
	s, problems := compiler.Compile(context.Background(), in)
	if s == nil {
		var b strings.Builder
		for _, d := range problems {
			fmt.Fprintln(&b, d.Code, d.Message)
		}
		return b.String()
	}
	text, err := s.Bytes()
	require.NoError(t, err)
	return string(text)
}

// TestDamage changes each byte of a bundle, and cuts it off at each.
func TestDamage(t *testing.T) {
	t.Parallel()
	data := pack(t, load.Input{Dir: "../../examples/hello/deploy"})
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		_, _, err := decode(changed)
		require.Error(t, err, "byte %d", i)
		_, _, err = decode(data[:i])
		require.Error(t, err, "%d bytes", i)
	}
	_, err := Open(append(bytes.Clone(data), 0))
	require.ErrorContains(t, err, "it is damaged or incomplete")
}

// entry is a file of a bundle that kumiki would not write.
type entry struct {
	name   string
	mode   os.FileMode
	method uint16
	data   string
}

// forge makes a bundle whose own digest is right.
func forge(t *testing.T, c contents, entries ...entry) []byte {
	t.Helper()
	head, err := json.Marshal(c)
	require.NoError(t, err)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range append([]entry{{name: contentsFile, data: string(head)}}, entries...) {
		h := &zip.FileHeader{Name: e.name, Method: e.method}
		h.SetMode(e.mode)
		w, err := z.CreateHeader(h)
		require.NoError(t, err)
		_, err = w.Write([]byte(e.data))
		require.NoError(t, err)
	}
	require.NoError(t, z.SetComment(fmt.Sprintf("%*s", digestSize, "")))
	require.NoError(t, z.Close())
	body := b.Bytes()[:b.Len()-digestSize]
	return append(body, digest(body)...)
}

// TestForged refuses bundles that would write elsewhere, or too much, or that are
// not what they say.
func TestForged(t *testing.T) {
	t.Parallel()
	ok := contents{Format: format, Dir: "files/deploy", Package: "deployment", Files: map[string]string{"files/a.cue": digest([]byte("package a\n"))}}
	file := entry{name: "files/a.cue", data: "package a\n"}
	good, err := Open(forge(t, ok, file))
	require.NoError(t, err)
	good.Close()
	with := func(change func(*contents)) contents {
		c := ok
		change(&c)
		return c
	}
	tests := []struct {
		name    string
		c       contents
		entries []entry
		want    string
	}{
		{"a file more", ok, []entry{file, {name: "files/b.cue"}}, "files/b.cue is not in bundle.json"},
		{"a file less", ok, nil, "files/a.cue is missing"},
		{"a file twice", ok, []entry{file, file}, "files/a.cue is there twice"},
		{"other contents", ok, []entry{{name: "files/a.cue", data: "package b\n"}}, "files/a.cue is not what bundle.json says"},
		{"out of the directory", ok, []entry{file, {name: "../escaped.cue"}}, `"../escaped.cue" is no name`},
		{"an absolute path", ok, []entry{file, {name: "/tmp/escaped.cue"}}, `"/tmp/escaped.cue" is no name`},
		{"a backslash", ok, []entry{file, {name: `files\..\..\escaped.cue`}}, "is no name"},
		{"a drive", ok, []entry{file, {name: `c:escaped.cue`}}, "is no name"},
		{"a link", ok, []entry{{name: "files/a.cue", mode: 0o777 | os.ModeSymlink, data: "/etc/passwd"}}, "files/a.cue is a link"},
		{"a bomb", ok, []entry{{name: "files/a.cue", method: zip.Deflate, data: string(make([]byte, 64<<20))}}, "files/a.cue is compressed"},
		{"a directory elsewhere", with(func(c *contents) { c.Dir = "files/../../etc" }), []entry{file}, `dir is "files/../../etc"`},
		{"no directory", with(func(c *contents) { c.Dir = "" }), []entry{file}, `dir is ""`},
		{"a later format", with(func(c *contents) { c.Format = 3 }), []entry{file}, "its format is 3; expected 1 or 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o, err := Open(forge(t, tt.c, tt.entries...))
			require.ErrorContains(t, err, tt.want)
			require.Nil(t, o)
		})
	}
	// A file and a directory of one name cannot both be written.
	both := with(func(c *contents) {
		c.Files = map[string]string{"files/a.cue": digest(nil), "files/a.cue/b.cue": digest(nil)}
	})
	_, err = Open(forge(t, both, entry{name: "files/a.cue"}, entry{name: "files/a.cue/b.cue"}))
	require.Error(t, err)
}
