package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxMemory is what one small compilation may take, in kB: editors and CI jobs
// start many.
const maxMemory = 60 << 10

// TestMemory bounds the peak memory of the real binary (a test binary holds
// more); time is left to the benchmarks, because it depends on the machine.
func TestMemory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out, err := exec.Command("go", "build", "-o", dir, ".", "../../internal/rusage").CombinedOutput()
	require.NoError(t, err, "%s", out)
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
