package swarm_test

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/test/swarm"
)

// TestEngineRunsRelease gives the images of a release to a real engine, as its archives
// of images and as containerd's, and runs them.
func TestEngineRunsRelease(t *testing.T) {
	l := engine(t)
	dist := filepath.Join(t.TempDir(), "dist")
	build := exec.Command("go", "run", ".", "-version", "v1.2.3", "-commit", "0123456789ab", "-date", "1767323045", "-platforms", "linux/amd64", "-out", dist)
	build.Dir = "../../release"
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	kumiki, resolver := filepath.Join(dist, "kumiki_v1.2.3_image.tar"), filepath.Join(dist, "kumiki-resolver_v1.2.3_image.tar")

	require.Contains(t, l.docker("load", "--input", kumiki), "kumiki/kumiki:v1.2.3")
	require.Contains(t, l.docker("load", "--input", resolver), "kumiki/resolver:1")
	run := []string{"run", "--rm", "--network", "none"}
	require.Contains(t, l.docker(append(run, "kumiki/kumiki:v1.2.3", "version")...), "kumiki v1.2.3 (0123456789ab)\n")
	example, err := filepath.Abs("../../examples")
	require.NoError(t, err)
	made := l.docker(append(run, "--volume", example+":/work:ro", "kumiki/kumiki:v1.2.3", "render", "hello/deploy", "-t", "kubernetes")...)
	require.Contains(t, made, "kind: Deployment")
	require.Contains(t, l.docker(append(run, "kumiki/resolver:1", "-help")...), "Usage of kumiki-resolver")

	root, err := swarm.Files(context.Background())
	require.NoError(t, err)
	ctr := func(args ...string) string {
		socket := filepath.Join(l.Dir(), "exec/containerd/containerd.sock")
		cmd := exec.Command(filepath.Join(root, "usr/bin/ctr"), append([]string{"--address", socket, "--namespace", "k8s.io", "images"}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	ctr("import", "--no-unpack", resolver)
	require.Contains(t, ctr("ls", "--quiet"), "docker.io/kumiki/resolver:1\n")
}
