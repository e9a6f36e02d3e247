package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.org/a\n",
		"a.go":             "package a\n\nfunc f(x int) int {\n\tif x > 0 {\n\t\treturn 1 // 2 so far\n\t}\n\tswitch x {\n\tcase 1:\n\t\tx++\n\t}\n\treturn x\n}\n",
		"a_test.go":        "package a\n\nfunc g() { f(1) }\n",
		"b/b.go":           "package b\n\nvar F = func() { println() }\n",
		"b/testdata/x.go":  "not Go",
		"nested/go.mod":    "module example.org/b\n",
		"nested/nested.go": "package nested\n\nfunc f() { f() }\n",
	} {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	var out strings.Builder
	require.NoError(t, run(&out, dir))
	require.Equal(t, "     5 .\n     1 b\n     6 in all\n", out.String())
	require.Error(t, run(&out, filepath.Join(dir, "b/testdata/x.go")))
}
