package kubernetes

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
	"kumiki.dev/test/kubernetes/kubetest"
)

// root is the top of the repository, and cases is where the golden cases are.
const (
	root  = "../.."
	cases = root + "/testdata/cases/*.txtar"
)

// start returns the cluster that all tests share.
var start func(testing.TB) *kubetest.Cluster

func TestMain(m *testing.M) {
	os.Exit(kubetest.Main(m, func(s func(testing.TB) *kubetest.Cluster) { start = s }))
}

// kumiki runs the binary that make test-e2e has built.
func kumiki(t *testing.T, args ...string) (stdout []byte, stderr string, err error) {
	t.Helper()
	binary := os.Getenv("KUMIKI")
	if binary == "" {
		t.Fatal("KUMIKI names no binary: run make test-e2e")
	}
	cmd := exec.Command(binary, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.Bytes(), errs.String(), err
}

// manifest is a deployment to render.
type manifest struct {
	dir   string
	flags []string
}

// manifestOf is the deployment of a golden case.
func manifestOf(c *golden.Case) manifest {
	m := manifest{dir: c.Dir()}
	for _, key := range []string{"name", "package", "set"} {
		for _, value := range c.Settings[key] {
			m.flags = append(m.flags, "--"+key, value)
		}
	}
	for _, key := range []string{"modules", "with", "links"} {
		for _, dir := range c.Settings[key] {
			m.flags = append(m.flags, "--"+key, filepath.Join(c.Root, dir))
		}
	}
	return m
}

// with is the same deployment with more flags.
func (m manifest) with(flags ...string) manifest {
	return manifest{m.dir, append(append([]string(nil), m.flags...), flags...)}
}

// render returns the manifest's objects, and what is said of losses.
func (m manifest) render(t *testing.T, namespace string) (objects []byte, losses string) {
	t.Helper()
	args := append([]string{"render", m.dir, "-t", "kubernetes", "-n", namespace}, m.flags...)
	stdout, stderr, err := kumiki(t, args...)
	require.NoError(t, err, "kumiki %s\n%s", strings.Join(args, " "), stderr)
	return stdout, stderr
}

// copyOf is the manifest in a copy of the repository's directory, to be changed.
func copyOf(t *testing.T, example string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(root, "examples", example))))
	return dir
}

// edit replaces a text, which has to be there, in a file.
func edit(t *testing.T, file, old, new string) {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(data), old)
	require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(data, []byte(old), []byte(new)), 0o644))
}
