package lsp_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"

	"cuelang.org/go/mod/modregistrytest"
	"github.com/stretchr/testify/require"
)

// TestLock edits the digests of a module that comes from a registry: in a buffer,
// and on the disk.
func TestLock(t *testing.T) {
	t.Parallel()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	registry, err := modregistrytest.New(fstest.MapFS{
		"example.org_lib_v1.2.0/cue.mod/module.cue": file("module: \"example.org/lib@v1\"\nlanguage: version: \"v0.16.0\"\n"),
		"example.org_lib_v1.2.0/db/c.cue":           file("package component\n#Artifact: {ref: name: \"db\", description: {code: db: {image: tag: \"db:1\", size: {cpu: {size: 100, unit: \"m\"}, memory: {size: 10, unit: \"M\"}}}, size: bandwidth: {size: 1, unit: \"M\"}}}\n"),
	}, "")
	require.NoError(t, err)
	t.Cleanup(registry.Close)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "cue.mod"), 0o755))
	deployment := filepath.Join(dir, "d.cue")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "cue.mod/module.cue"), []byte("module: \"example.com/shop\"\nlanguage: version: \"v0.16.0\"\ndeps: \"example.org/lib@v1\": v: \"v1.2.0\"\n"), 0o644))
	require.NoError(t, os.WriteFile(deployment, []byte("package deployment\nimport c \"example.org/lib/db:component\"\n#Deployment: {name: \"d\", artifact: c.#Artifact, config: scale: hsize: 1}\n"), 0o644))

	cmd := exec.Command(binary, "lsp")
	cmd.Env = append(os.Environ(), "CUE_REGISTRY="+registry.Host()+"+insecure")
	c := startCommand(t, dir, cmd, nil)
	c.open(deployment)
	require.Empty(t, c.said(deployment), "without a lock anything goes")

	lock := filepath.Join(dir, "kumiki.lock")
	c.openText(lock, "example.org/lib@v1.2.0 sha256:0\n")
	require.Equal(t, []string{"load/locked"}, c.codes(deployment), "an unsaved lock")
	c.replace(lock, 0, len(c.buffers[lock]), "")
	require.Equal(t, []string{"load/locked"}, c.codes(deployment), "an empty one")
	c.close(lock)
	require.Empty(t, c.said(deployment))

	require.NoError(t, os.WriteFile(lock, []byte("nonsense\n"), 0o644))
	c.changedOnDisk(lock)
	require.Equal(t, []string{"load/locked"}, c.codes(deployment), "one that another program has written")
	require.NoError(t, os.Remove(lock))
	c.changedOnDisk(lock)
	require.Empty(t, c.said(deployment))
}
