package load_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/inject/embed"
	cueload "cuelang.org/go/cue/load"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"kumiki.dev/load"
)

const embedding = `
-- cue.mod/module.cue --
module: "kumiki.example/embed@v0"
language: version: "v0.12.0"
-- a/a.cue --
@extern(embed)

package component

#Artifact: {
	text:     _ @embed(file=a.txt)
	quoted:   _ @embed(file="with space.txt")
	config:   _ @embed(file=nginx.conf, type=text)
	data:     _ @embed(file=data.json)
	list:     _ @embed(file="list.json")
	typed:    {a: int} & _ @embed(file=data.json)
	limited:  string @embed(file=a.txt, type=text)
	more:     _ @embed(file=more.yaml)
	otherwise: _ @embed(file=a.txt, type=yaml)
	below:    _ @embed(file=x/y/z.json)
	all:      _ @embed(glob=x/*.yaml)
	texts:    _ @embed(glob="x/*.*", type=text)
	none:     _ @embed(glob=none/*.json, allowEmptyGlob)
	referred: "\(data.b.c[2]) \(inner.deep.b)"
	same: limited
	let L = inner
	again: L.deep
	inner: {deep: _ @embed(file=x/b.yaml)}
	bytes:    _ @embed(file=raw.bin, type=binary)
}
-- a/a.txt --
one "two" \(three)
	four
-- a/with space.txt --
-- a/nginx.conf --
server { listen 80; } # ${x}
-- a/data.json --
{"a": 1, "b": {"c": [1, 2.5, "x", null, true]}}
-- a/list.json --
[1, {"a": "b"}]
-- a/more.yaml --
a: 1
b:
  - c
  - d: "on"
-- a/x/b.yaml --
b: 1
-- a/x/c.yaml --
- c
-- a/x/.hidden.yaml --
no: 1
-- a/x/y/z.json --
"z"
-- a/raw.bin --
`

// TestEmbed compares what files are embedded as with what CUE makes of them.
func TestEmbed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(embedding)).Files {
		if f.Name == "a/raw.bin" {
			f.Data = []byte{0, 255, 'x', '\n'}
		}
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	p, problems := load.Load(load.Input{Dir: filepath.Join(dir, "a")})
	require.Empty(t, problems)
	require.Len(t, p.Root.Embedded, 10)
	theirs := cuecontext.New(cuecontext.WithInjection(embed.New())).BuildInstance(cueload.Instances([]string{"."}, &cueload.Config{Dir: filepath.Join(dir, "a")})[0])
	require.NoError(t, theirs.Err())
	ours := cuecontext.New().BuildFile(p.Root.Files[0])
	require.Equal(t, asJSON(t, theirs), asJSON(t, ours))
}

func asJSON(t *testing.T, v cue.Value) string {
	t.Helper()
	text, err := v.LookupPath(cue.ParsePath("#Artifact")).MarshalJSON()
	require.NoError(t, err)
	return string(text)
}

// TestEmbedDigest: what is embedded is part of what a package is.
func TestEmbedDigest(t *testing.T) {
	t.Parallel()
	digests := map[string]bool{}
	for _, text := range []string{"1", "2"} {
		dir := t.TempDir()
		for _, f := range txtar.Parse([]byte(strings.Replace(embedding, `{"a": 1,`, `{"a": `+text+`,`, 1))).Files {
			name := filepath.Join(dir, filepath.FromSlash(f.Name))
			require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
			require.NoError(t, os.WriteFile(name, f.Data, 0o644))
		}
		p, problems := load.Load(load.Input{Dir: filepath.Join(dir, "a")})
		require.Empty(t, problems)
		digests[p.Root.Digest] = true
	}
	require.Len(t, digests, 2)
}
