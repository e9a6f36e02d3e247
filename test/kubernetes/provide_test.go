package kubernetes

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// provided marks what a cluster's owner has created.
const provided = "example.com/provided"

// provide creates what a cluster's owner registers: the claims of volumes that
// the solution mounts and does not make, without which no pod is scheduled.
func (s site) provide(t *testing.T, stream []byte) {
	t.Helper()
	claims := map[string]bool{}
	for _, o := range parse(t, stream) {
		w, ok := workload(t, o)
		if !ok {
			continue
		}
		for _, v := range w.Spec.Volumes {
			if v.PersistentVolumeClaim != nil {
				claims[v.PersistentVolumeClaim.ClaimName] = true
			}
		}
	}
	for name := range claims {
		claim := fmt.Sprintf(`apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: %q, labels: {%s: ""}}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}
`, name, provided)
		s.Kubectl(t, []byte(claim), "apply", "-n", s.namespace, "--server-side", "-f", "-")
	}
}

// isInventory is what an inventory is called: after its deployment, and with a hash
// where that has no letter of ASCII.
var isInventory = regexp.MustCompile(`[/-]inventory(-[0-9a-f]{8})?$`)

// inventory are the objects that the inventory lists, "Kind/name".
func (s site) inventory(t *testing.T) []string {
	t.Helper()
	var found []corev1.ConfigMap
	for id, o := range s.list(t, "configmaps") {
		if isInventory.MatchString(id) {
			var c corev1.ConfigMap
			require.NoError(t, json.Unmarshal(o.json, &c))
			found = append(found, c)
		}
	}
	require.Len(t, found, 1)
	require.Regexp(t, "^sha256:[0-9a-f]{64}$", found[0].Data["digest"])
	return strings.Fields(found[0].Data["objects"])
}
