package main

import (
	"os/exec"
	"path/filepath"
	"syscall"
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
	binary := filepath.Join(t.TempDir(), "kumiki")
	out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, example := range []string{"hello", "shop", "regions"} {
		cmd := exec.Command(binary, "compile", filepath.Join("../../examples", example, "deploy"), "-o", filepath.Join(t.TempDir(), "out.json"))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
		t.Logf("%s: %d kB", example, peak)
		require.LessOrEqual(t, peak, int64(maxMemory), "%s took too many kB", example)
	}
}
