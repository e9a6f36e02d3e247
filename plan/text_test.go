package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/plan"
)

// TestOneLineEach: no name breaks a line or a table, or steers a terminal.
func TestOneLineEach(t *testing.T) {
	t.Parallel()
	s := read(t, base(t, "example-shop"))
	role := *s.Deployments["shop"].Artifact.Description.Role["web"]
	role.Name = "a\x1b[31m|`b\n"
	other := read(t, base(t, "example-shop"))
	other.Deployments["shop"].Artifact.Description.Role[role.Name] = &role
	p := plan.Compare(s, other)
	require.Equal(t, "shop → shop: 1 create, 5 unchanged\ncreate  shop/a\\x1b[31m|`b\\n\n", p.Text(true))
	require.Contains(t, p.Markdown(), "| create | `shop/a\\x1b[31m\\|'b\\n` |  |\n")
}
