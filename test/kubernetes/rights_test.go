package kubernetes

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
)

// TestRights asks the API server what the accounts of roles may do: what meta.rbac says, and
// nothing where it says nothing.
func TestRights(t *testing.T) {
	golden.Each(t, filepath.Join(root, "testdata/cases/meta-rbac.txtar"), func(t *testing.T, c *golden.Case) {
		s := newSite(t, "restricted")
		stream, _ := manifestOf(c).render(t, s.namespace)
		s.apply(t, stream)
		can := func(account string, question ...string) bool {
			args := append([]string{"auth", "can-i", "-n", s.namespace, "--as", "system:serviceaccount:" + s.namespace + ":" + account}, question...)
			out, _, err := s.Try(nil, args...)
			return err == nil && out == "yes\n"
		}
		require.True(t, can("d-asks", "list", "pods"))
		require.True(t, can("d-asks", "get", "pods", "--subresource=log"))
		require.True(t, can("d-asks", "get", "deployments.apps/d-other"))
		require.False(t, can("d-asks", "get", "deployments.apps/d-asks"))
		require.False(t, can("d-asks", "delete", "pods"))
		require.False(t, can("d-asks", "get", "secrets"))
		require.False(t, can("d-other", "list", "pods"))
	})
}
