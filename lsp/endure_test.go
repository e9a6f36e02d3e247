package lsp_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestChildrenDie kills the processes behind the server, which goes on.
func TestChildrenDie(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the children are found in /proc")
	}
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "deploy/deployment.cue")
	c.open(file)
	require.Empty(t, c.said(file))
	killed := 0
	for pid := range c.processes() {
		if pid != c.cmd.Process.Pid {
			child, err := os.FindProcess(pid)
			require.NoError(t, err)
			require.NoError(t, child.Kill())
			killed++
		}
	}
	require.Equal(t, 2, killed)
	i := strings.Index(c.buffers[file], "title:")
	c.replace(file, i, i, "x")
	require.NotEmpty(t, c.codes(file))
	require.Empty(t, c.hoverAt(file, position{}), "CUE's server is gone")
	c.replace(file, i, i+1, "")
	require.Empty(t, c.said(file))
}

// TestManyDeployments has fifty of them, and two servers.
func TestManyDeployments(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	text, err := os.ReadFile(filepath.Join(dir, "deploy/deployment.cue"))
	require.NoError(t, err)
	for n := range 50 {
		to := filepath.Join(dir, fmt.Sprintf("deploy%02d", n))
		require.NoError(t, os.Mkdir(to, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(to, "deployment.cue"), text, 0o644))
	}
	for range 2 {
		c := start(t, dir)
		file := filepath.Join(dir, "shop/shop.cue")
		c.open(file)
		i := strings.Index(c.buffers[file], "parameter: {") + len("parameter: {")
		c.replace(file, i, i, "\nbrandNew: string")
		require.Len(t, c.said(file), 51)
		c.replace(file, i, i+len("\nbrandNew: string"), "")
		require.Empty(t, c.said(file))
	}
}

// TestTwoServers types into one workspace from two editors at once.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	one, other := start(t, dir), start(t, dir)
	shop, deployment := filepath.Join(dir, "shop/shop.cue"), filepath.Join(dir, "deploy/deployment.cue")
	one.open(shop)
	other.open(deployment)
	text := "\nbrandNew: string"
	i := strings.Index(one.buffers[shop], "parameter: {") + len("parameter: {")
	j := strings.Index(other.buffers[deployment], "parameter: {") + len("parameter: {")
	for n := range len(text) {
		one.replace(shop, i+n, i+n, text[n:n+1])
		other.replace(deployment, j+n, j+n, text[n:n+1])
		if n%4 == 0 {
			one.save(shop)
			other.save(deployment)
			one.changedOnDisk(deployment)
			other.changedOnDisk(shop)
		}
	}
	one.save(shop)
	other.replace(deployment, j, j+len(text), "\nbrandNew: 1")
	other.save(deployment)
	one.changedOnDisk(deployment)
	other.changedOnDisk(shop)
	want := vetted(t, filepath.Join(dir, "deploy"))
	require.Len(t, want, 1)
	require.Equal(t, want, one.said(deployment))
	require.Equal(t, want, other.said(deployment))
}

// TestOddWorkspaces: whatever is opened, the server answers.
func TestOddWorkspaces(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "deploy/deployment.cue")
	c.open(file)

	big := filepath.Join(dir, "deploy/big.cue")
	c.openText(big, "package deployment\n"+strings.Repeat("_x: 1 // a line of a file of a megabyte\n", 1<<20/40))
	c.replace(big, len(c.buffers[big]), len(c.buffers[big]), "_x: ]\n")
	require.NotEmpty(t, c.said(file))
	c.close(big)
	require.Empty(t, c.said(file))

	require.NoError(t, os.Symlink(dir, filepath.Join(dir, "self")))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "deploy/dangling.cue")))
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(filepath.Join(dir, "self")), "type": 1}}})
	require.Equal(t, vetted(t, filepath.Join(dir, "deploy")), c.said(file))
	require.NoError(t, os.Remove(filepath.Join(dir, "deploy/dangling.cue")))

	c.openText(filepath.Join(dir, "new/deploy/d.cue"), "package deployment\n#Deployment: {}\n")
	require.NotEmpty(t, c.settled(filepath.Join(dir, "new/deploy/d.cue")), "a directory that is on no disk")
	c.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": "untitled:1", "text": "x"}})
	c.notify("textDocument/didChange", "nonsense")

	c.close(file)
	require.NoError(t, os.RemoveAll(dir))
	c.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": uri(dir), "type": 3}}})
	c.settled(file)
	require.Empty(t, c.hoverAt(file, position{}))

	require.NoError(t, os.CopyFS(dir, os.DirFS("../examples/shop")))
	c.changedOnDisk(dir)
	c.open(file)
	require.Empty(t, c.codes(file))
	require.NotEmpty(t, c.hoverAt(file, at(c.buffers[file], strings.Index(c.buffers[file], "title:"))), "the root is back")
	c.replace(file, 0, 0, "]")
	require.Equal(t, []string{"load/syntax"}, c.codes(file))
}

// TestEndless writes what CUE would need hours for, and takes it back.
func TestEndless(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := startCommand(t, dir, exec.Command(binary, "lsp", "--max-time", "10m"), nil)
	file := filepath.Join(dir, "deploy/deployment.cue")
	c.open(file)
	require.Empty(t, c.said(file))
	var slow strings.Builder
	slow.WriteString("slow: {\n")
	for n := range 24 {
		fmt.Fprintf(&slow, "\t{a%d: int} | {b%d: int}\n", n, n)
	}
	slow.WriteString("}\n")
	end := len(c.buffers[file])
	c.replace(file, end, end, slow.String())
	time.Sleep(time.Second)
	c.replace(file, end, end+slow.Len(), "")
	begin := time.Now()
	require.Empty(t, c.said(file))
	require.Less(t, time.Since(begin), time.Minute, "the keystroke ends what goes on")
}

// TestArtifactAlone: an artifact that no deployment uses is vetted while it is
// open, wherever it lies.
func TestArtifactAlone(t *testing.T) {
	t.Parallel()
	dir := shop(t)
	c := start(t, dir)
	file := filepath.Join(dir, "alone.cue")
	c.openText(file, "package spare\n\n#Artifact: {\n\tref: name: \"alone\"\n\tdescription: {\n\t\tsvr: {}\n\t}\n}\n")
	c.save(file)
	require.NotEmpty(t, c.codes(file))
	require.Equal(t, vetted(t, dir), c.said(file))
	c.close(file)
	require.Empty(t, c.said(file))
}
