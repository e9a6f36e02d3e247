package kubernetes

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestScore has kube-score judge the shop: it finds nothing critical but what
// docs/kubernetes.md gives the reason of.
func TestScore(t *testing.T) {
	t.Parallel()
	objects, _, err := kumiki(t, "render", root+"/examples/shop/deploy", "-t", "kubernetes")
	require.NoError(t, err)
	cmd := exec.Command("go", "tool", "-modfile="+root+"/tools/go.mod", "kube-score", "score", "--output-format", "ci", "-")
	cmd.Stdin = bytes.NewReader(objects)
	out, _ := cmd.Output() // it fails where there is something critical
	var critical []string
	judged := 0
	for line := range strings.Lines(string(out)) {
		judged++
		if found, ok := strings.CutPrefix(line, "[CRITICAL] "); ok {
			critical = append(critical, strings.TrimSpace(found))
		}
	}
	require.Greater(t, judged, 50, "kube-score has looked at all objects")
	require.Equal(t, []string{
		"shop-db apps/v1/StatefulSet: (db) The container is running with a low user ID",
		"shop-db apps/v1/StatefulSet: (db) The container running with a low group ID",
	}, critical)
}
