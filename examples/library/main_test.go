package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/compiler"
)

// TestRun compiles the shop against itself with more instances, and one that does not
// compile.
func TestRun(t *testing.T) {
	t.Parallel()
	s, _ := compiler.Compile(t.Context(), compiler.Input{LoadInput: compiler.LoadInput{Dir: "../shop/deploy"}, Sets: []string{"config.parameter.logLevel=debug"}})
	text, err := s.Bytes()
	require.NoError(t, err)
	before := filepath.Join(t.TempDir(), "before.json")
	require.NoError(t, os.WriteFile(before, text, 0o600))
	var out, talk bytes.Buffer
	require.NoError(t, run([]string{"../shop/deploy", before}, &out, &talk))
	require.Contains(t, out.String(), "kind: Deployment")
	require.Contains(t, talk.String(), "rollout shop/web\n")

	talk.Reset()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "d.cue"), []byte("package deployment\n\n#Deployment: name: \"d\"\n"), 0o600))
	require.Error(t, run([]string{dir}, io.Discard, &talk))
	require.Contains(t, talk.String(), "error spread/no-artifact at "+filepath.Join(dir, "d.cue")+":3:1: ")
}

// TestOutside builds the program in a module of its own, which can import nothing that
// is internal.
func TestOutside(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	for from, to := range map[string]string{"main.go": "main.go", "../../go.mod": "go.mod", "../../go.sum": "go.sum"} {
		text, err := os.ReadFile(from)
		require.NoError(t, err)
		if to == "go.mod" {
			text = bytes.Replace(text, []byte("module kumiki.dev\n"), []byte("module outside.example/tool\n\nrequire kumiki.dev v0.0.0\n\nreplace kumiki.dev => "+root+"\n"), 1)
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, to), text, 0o600))
	}
	build := exec.Command("go", "build", "-mod=mod", "-o", filepath.Join(dir, "tool"), ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = exec.Command(filepath.Join(dir, "tool"), filepath.Join(root, "examples/shop/deploy")).Output()
	require.NoError(t, err)
	require.Contains(t, string(out), "kind: Deployment")
}
