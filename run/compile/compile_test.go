package compile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/compile"
)

// binary is the compiler: make test-manager builds it.
func binary(t testing.TB) string {
	t.Helper()
	if os.Getenv("KUMIKI") == "" {
		t.Fatal("KUMIKI names no compiler: run make test-manager")
	}
	return os.Getenv("KUMIKI")
}

func bundle(t testing.TB, dir string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "b.bundle")
	out, err := exec.Command(binary(t), "bundle", dir, "--out", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return data
}

const hello = "../../examples/hello/deploy"

// TestCompile: the solution is what the command line makes of the same bundle.
func TestCompile(t *testing.T) {
	t.Parallel()
	c, err := compile.New(t.Context(), binary(t), compile.Limits{})
	require.NoError(t, err)
	r, err := c.Compile(t.Context(), bundle(t, hello), "greeter", []string{"config.scale.hsize=3"})
	require.NoError(t, err)
	require.Empty(t, r.Problems)
	require.Equal(t, "greeter", r.Solution.Ref.Name)
	want, err := exec.Command(binary(t), "compile", hello, "--name", "greeter", "--set", "config.scale.hsize:=3").Output()
	require.NoError(t, err)
	require.Equal(t, string(want), string(r.Text))
}

// TestProblems: what is wrong is told with its place in the bundle.
func TestProblems(t *testing.T) {
	t.Parallel()
	c, err := compile.New(t.Context(), binary(t), compile.Limits{})
	require.NoError(t, err)
	r, err := c.Compile(t.Context(), bundle(t, hello), "hello", []string{"config.parameter.whom=x"})
	require.NoError(t, err)
	require.Nil(t, r.Solution)
	require.Len(t, r.Problems, 1)
	require.Equal(t, "spread/undeclared-field", r.Problems[0].Code)
	require.Equal(t, "input.bundle:hello.cue", r.Problems[0].Related[0].File)
	require.Equal(t, 11, r.Problems[0].Related[0].Line)

	r, err = c.Compile(t.Context(), []byte("no bundle"), "hello", nil)
	require.NoError(t, err)
	require.Equal(t, "bundle/bad", r.Problems[0].Code)
	require.Contains(t, r.Problems[0].Message, "bundle")
}

// script is a program in the place of the compiler.
func script(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kumiki")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n[ \"$1\" = version ] && exit 0\n"+text), 0o700))
	return file
}

// TestLimits: a compilation that takes too much is ended, and that is told.
func TestLimits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string
		limits       compile.Limits
		want         string
	}{
		{"processors", "while :; do :; done", compile.Limits{CPU: time.Second, Wall: 5 * time.Minute}, "processors"}, // others may have them
		{"clock", "/bin/sleep 60", compile.Limits{Wall: time.Second}, "by the clock"},
		{"output", "exec /bin/cat /dev/zero", compile.Limits{}, "more than"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c, err := compile.New(t.Context(), script(t, test.script), test.limits)
			require.NoError(t, err)
			_, err = c.Compile(t.Context(), nil, "x", nil)
			require.ErrorIs(t, err, compile.ErrLimit)
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestConfined: the child sees neither the environment nor a network.
func TestConfined(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://proxy.example.com")
	c, err := compile.New(t.Context(), script(t, "/usr/bin/env >&2; /bin/cat /proc/net/dev >&2; exit 2"), compile.Limits{})
	require.NoError(t, err)
	out, err := c.Run(t.Context(), t.TempDir(), "compile")
	require.Error(t, err)
	require.NotContains(t, out, "PROXY")
	require.Contains(t, out, "CUE_REGISTRY=none")
	if c.Alone() {
		require.NotContains(t, out, "eth0")
		require.Contains(t, out, "lo:")
	}
	require.Equal(t, os.Geteuid() == 0, c.Alone(), "root may make a network")
}
