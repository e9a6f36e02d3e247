package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxMemory is what one small compilation may take, in kB: editors and CI jobs
// start many.
const maxMemory = 64 << 10

// TestMemory bounds the peak memory of the real binary (a test binary holds
// more); time is left to the benchmarks, because it depends on the machine.
func TestMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := exec.Command("go", "build", "-o", dir, ".", "../../internal/rusage").CombinedOutput()
	require.NoError(t, err, "%s", out)
	inPages(t, filepath.Join(dir, "kumiki"))
	for _, example := range []string{"hello", "shop", "regions"} {
		file := filepath.Join(dir, example)
		cmd := exec.Command(filepath.Join(dir, "rusage"), file, filepath.Join(dir, "kumiki"),
			"compile", filepath.Join("../../examples", example, "deploy"), "-o", filepath.Join(dir, "out.json"))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var took struct{ Peak int64 }
		require.NoError(t, json.Unmarshal(data, &took))
		t.Logf("%s: %d kB", example, took.Peak)
		require.LessOrEqual(t, took.Peak, int64(maxMemory), "%s took too many kB", example)
	}
}

// inPages writes a file anew, a page at a time. Of a binary the kernel maps more than is
// asked for: whole pieces of its cache, which are as large as what was written at once. So
// the same binary would take 33 MB or 47 MB.
func inPages(t *testing.T, file string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.Remove(file))
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o755)
	require.NoError(t, err)
	for page := range slices.Chunk(data, 4096) {
		_, err := f.Write(page)
		require.NoError(t, err)
	}
	require.NoError(t, f.Close())
}
