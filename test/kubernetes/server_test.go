package kubernetes

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const rooted = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: web, image: "docker.example/web:1"}]}
`

// TestServer shows that the server finds what the other tests rely on it to
// find: unknown fields, wrong values, and pods that ask for too much.
func TestServer(t *testing.T) {
	t.Parallel()
	s := newSite(t, "restricted")
	apply := func(stream string, args ...string) (string, error) {
		_, stderr, err := s.Try([]byte(stream), append([]string{"apply", "-n", s.namespace, "--server-side", "-f", "-"}, args...)...)
		return stderr, err
	}
	stderr, err := apply(strings.Replace(rooted, "replicas", "replicaz", 1), "--dry-run=server")
	require.Error(t, err)
	require.Contains(t, stderr, "field not declared in schema")
	stderr, err = apply(strings.Replace(rooted, "{app: web}}\n  template", "{app: other}}\n  template", 1), "--dry-run=server")
	require.Error(t, err)
	require.Contains(t, stderr, "`selector` does not match")
	stderr, err = apply(rooted)
	require.NoError(t, err)
	require.Contains(t, stderr, `Warning: would violate PodSecurity "restricted:latest"`)
	stdout, _, err := s.Try(nil, "rollout", "status", "-n", s.namespace, "deployment/web", "--timeout=2s")
	require.Error(t, err, stdout)
	require.Empty(t, s.list(t, "pods"))
}
