package kubernetes

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// TestGateway is TestCases with the Gateway API in place of Ingress.
func TestGateway(t *testing.T) {
	t.Parallel()
	// The module that has the types has the definitions for the server too.
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/gateway-api").Output()
	require.NoError(t, err)
	c := start(t)
	c.Kubectl(t, nil, "apply", "--server-side", "-k", filepath.Join(strings.TrimSpace(string(out)), "config/crd/experimental"))
	c.Kubectl(t, nil, "wait", "--for=condition=Established", "crd", "--all", "--timeout=180s")
	for _, example := range []string{"shop", "regions"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			m := manifest{dir: filepath.Join(root, "examples", example, "deploy")}.with("--ingress=gateway")
			stream, _ := m.render(t, "any")
			var routes []string
			for _, o := range parse(t, stream) {
				switch o.Kind {
				case "HTTPRoute":
					var r gatewayv1.HTTPRoute
					o.read(t, &r)
					routes = append(routes, o.id())
				case "Ingress":
					t.Errorf("%s is there", o.id())
				}
			}
			require.NotEmpty(t, routes)
			applied(t, m)
		})
	}
}
