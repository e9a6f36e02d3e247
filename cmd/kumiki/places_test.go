package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// writing are lines with which commands have something to write to the file or directory
// that --out names, in the module that kumiki init makes. Those that ask a cluster
// or a registry first, never end, or have nothing to say where nothing changes, are not here.
var writing = map[string]string{
	"bundle": "deploy", "capacity": "deploy -t kubernetes --nodes nodes.json", "compat": ". .", "compile": "deploy", "dependents": "m saved: -o json", "doc": "app", "env list": ".",
	"explain": "load/syntax", "fill": "s.json --live nodes.json", "graph": "deploy", "impact": "deploy config.parameter.title=x -t swarm", "index": ".", "instances": "web deploy", "list": ".", "links": "deploy -o json", "layout": "deploy -o json",
	"lower": "s.json -t kubernetes", "matrix": ".", "migrate": "s.json", "needs": "deploy -t kubernetes", "new deployment": "app", "order": "deploy",
	"owner": "Deployment/m-pages deploy -t kubernetes", "params": "app", "plan": "none deploy", "prune": "deploy none -t kubernetes",
	"qos": "deploy --load scale.detail.pages.hsize=1..2", "render": "deploy -t swarm", "saved diff": "m 1 1", "saved history": "m", "saved show": "m", "saved verify": "m",
	"search": "web --in index.json", "stale": "deploy -o json", "targets compare": "deploy -o json", "test": ".", "types": "deploy", "unused": "deploy -o json", "version": "", "vet": "deploy -o json", "why": "deploy pages.config.parameter.title",
}

// making are lines of commands that make files by themselves, in the same module.
var making = map[string]string{
	"init": "other", "mod init": "example.com/other", "new component": "c --image a:1 --port 80", "new service": "s --role web", "new example": "e --of app", "new environment": "prod",
}

// kumikiIn is a module that kumiki init has made, with a solution that is saved, and what
// runs a command there.
func kumikiIn(t *testing.T) func(line ...string) (int, string) {
	t.Chdir(t.TempDir())
	run := func(line ...string) (int, string) {
		var out, stderr bytes.Buffer
		code := run(t.Context(), line, streams{in: strings.NewReader(""), out: &out, err: &stderr})
		return code, stderr.String()
	}
	code, said := run("init", "m")
	require.Equal(t, exitOK, code, said)
	t.Chdir("m")
	require.NoError(t, os.MkdirAll("environments", 0o755))
	require.NoError(t, os.MkdirAll("templates", 0o755))
	for _, line := range []string{"compile deploy --out s.json", "compile deploy --save", "index . --out index.json"} {
		code, said = run(strings.Fields(line)...)
		require.Equal(t, exitOK, code, "%s: %s", line, said)
	}
	require.NoError(t, os.WriteFile("nodes.json", []byte(`{"kind": "List", "items": [{"kind": "Node", "metadata": {"name": "a"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}}]}`), 0o644))
	require.NoError(t, os.WriteFile("mine.txt", []byte("mine\n"), 0o644))
	return run
}

// TestPlaces writes with each command to where nothing can be written, and to a file that
// is somebody's own.
func TestPlaces(t *testing.T) {
	run := kumikiIn(t)
	root := newRootCmd(hidingNothing())
	for path, args := range writing {
		cmd, _, err := root.Find(strings.Fields(path))
		require.NoError(t, err)
		require.NotNil(t, cmd.Flags().Lookup("out"), path)
		line := append(strings.Fields(path), strings.Fields(args)...)
		for _, place := range []string{"mine.txt/x", "mine.txt"} {
			code, said := run(append(line, "--out", place)...)
			assert.Equal(t, exitUsage, code, "%s --out %s: %s", path, place, said)
			assert.Contains(t, said, "mine.txt", path)
			text, err := os.ReadFile("mine.txt")
			require.NoError(t, err, path)
			require.Equal(t, "mine\n", string(text), path)
		}
	}
}

// TestMaking makes with each command what is there already, and where nothing can be made.
func TestMaking(t *testing.T) {
	run := kumikiIn(t)
	for path, args := range making {
		t.Run(path, func(t *testing.T) {
			where := "."
			if strings.HasSuffix(path, "init") { // they make modules
				where = t.TempDir()
			}
			t.Chdir(where)
			line := append(strings.Fields(path), strings.Fields(args)...)
			code, said := run(line...)
			require.Equal(t, exitOK, code, said)
			before := tree(t)
			code, said = run(line...)
			require.Equal(t, exitUsage, code, said)
			require.Equal(t, before, tree(t))
		})
	}
	code, said := run("compile", "deploy", "--save=mine.txt/x")
	require.Equal(t, exitUsage, code, said)
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("mine.txt", []byte("mine\n"), 0o644))
	code, said = run("init", "./mine.txt/x")
	require.Equal(t, exitUsage, code, said)
	require.Contains(t, said, "mine.txt")
}

// tree are the files below the working directory with their contents.
func tree(t *testing.T) map[string]string {
	out := map[string]string{}
	require.NoError(t, filepath.WalkDir(".", func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		out[name] = string(text)
		return err
	}))
	return out
}
