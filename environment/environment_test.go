package environment_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
	"kumiki.dev/environment"
	"kumiki.dev/internal/golden"
	"kumiki.dev/load"
)

// TestCases loads the environments of the modules in testdata/environments, and shows what is told of
// them, what they have, and what they ask of their targets.
func TestCases(t *testing.T) {
	golden.Each(t, "testdata/environments/*.txtar", func(t *testing.T, c *golden.Case) {
		all, problems := environment.Load(load.Input{Dir: c.Dir()})
		c.Check(t, "out/errors.txt", []byte(list(problems, c.Root)))
		var out strings.Builder
		enc := json.NewEncoder(&out)
		enc.SetIndent("", "  ")
		for _, e := range all {
			require.NoError(t, enc.Encode(map[string]any{"environment": e, "config": e.Config, "lowering": e.Lowering()}))
		}
		c.Check(t, "out/environments.json", []byte(out.String()))
	})
}

func list(problems diag.List, root string) string {
	var b strings.Builder
	for _, d := range problems {
		fmt.Fprintf(&b, "%s: %s [%s]\n", d.Pos, d.Message, d.Code)
	}
	return strings.ReplaceAll(b.String(), root+string(filepath.Separator), "")
}

// TestFound reads what kubectl and docker print, and writes environments that load.
func TestFound(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want, problem string }{
		{"nothing", "", "", "it is no JSON"},
		{"a table", "NAME  TYPE\n", "", "it is no JSON"},
		{"another form", `{"kind": 3}`, "", "has another form"},
		{"both", `{"kind":"Node","metadata":{"name":"a"}} [{"Spec":{"Name":"b"}}]`, "", "of Kubernetes and of Docker"},
		{"docker", `[{"ID":"x","Spec":{"Name":"password","Data":"c2VjcmV0"}},{"Name":"data","Driver":"local","Mountpoint":"/v"},{"ID":"n","Spec":{"Name":"","Role":"manager"},"Description":{"Hostname":"n1","Engine":{"EngineVersion":"29.1"}}}]`,
			"// Nodes: 1, with Docker 29.1.\n#Environment: {\n\tname:   \"x\"\n\ttarget: \"swarm\"\n\tresource: {\n\t\tsecret: \"password\": {}\n\t\tvolume: \"data\": {}\n\t}\n}\n", ""},
		{"classes of gateways", `{"kind":"GatewayClass","metadata":{"name":"cilium"}}{"kind":"Gateway","metadata":{"name":"g","namespace":"a"},"spec":{"listeners":[{"hostname":"*.a.b"},{}]}}{"kind":"Secret","type":"helm.sh/release.v1","metadata":{"name":"h","namespace":"b"}}`,
			"#Environment: {\n\tname:      \"x\"\n\ttarget:    \"kubernetes\"\n\tnamespace: \"a\"\n\toptions: {ingress: \"gateway\", ingressClass: \"cilium\"}\n\tresource: {\n\t\tdomain: \"a-b\": host: \"*.a.b\"\n\t}\n}\n", ""},
		{"a choice", `{"kind":"List","items":[{"kind":"IngressClass","metadata":{"name":"b"}},{"kind":"IngressClass","metadata":{"name":"a"}},{"kind":"StorageClass","metadata":{"name":"ssd"}},{"kind":"Secret","type":"Opaque","metadata":{"name":"s","namespace":"m"},"data":{"k":"c2VjcmV0"}},{"kind":"Secret","type":"kubernetes.io/tls","metadata":{"name":"t","namespace":"n"}}]}`,
			"#Environment: {\n\tname:   \"x\"\n\ttarget: \"kubernetes\"\n\t// namespace: one of m, n\n\t// options: ingressClass: one of a, b\n\t// Storage classes: ssd\n\tresource: {\n\t\tcertificate: \"t\": {}\n\t\tsecret: \"s\": {}\n\t}\n}\n", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var f environment.Found
			if err := f.Read([]byte(test.text)); test.problem != "" {
				require.ErrorContains(t, err, test.problem)
				return
			} else {
				require.NoError(t, err)
			}
			data, err := f.File("x")
			require.NoError(t, err)
			require.Equal(t, "package environment\n\n"+test.want, string(data))
			dir := t.TempDir()
			for name, text := range map[string]string{"cue.mod/module.cue": "module: \"a.b/c@v0\"\nlanguage: version: \"v0.12.0\"\n", "environments/x.cue": string(data)} {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
			}
			all, problems := environment.Load(load.Input{Dir: filepath.Join(dir, "environments")})
			require.Empty(t, problems)
			require.Len(t, all, 1)
		})
	}
}
