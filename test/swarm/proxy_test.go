package swarm_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
	"kumiki.dev/test/swarm"
)

// TestProxies has HAProxy check the configuration of every proxy of every case.
func TestProxies(t *testing.T) {
	if testing.Short() {
		t.Skip("HAProxy has to be fetched: left out by -short")
	}
	if why := swarm.Missing(); why != "" {
		t.Skip(why)
	}
	root, err := swarm.Files(context.Background())
	require.NoError(t, err)
	each(t, func(t *testing.T, _ *golden.Case, objects []targets.Object) {
		for name, s := range target.New(objects).Services {
			config, ok := s.Environment["HAPROXY_CONFIG"]
			if !ok {
				continue
			}
			dir := t.TempDir()
			here := strings.NewReplacer("/tmp/certificates", dir+"/certificates", "/run/secrets/", dir+"/", "/etc/kumiki/", dir+"/")
			for _, f := range append(s.Configs, s.Secrets...) {
				write(t, here.Replace(f.Target), registered(f.Source))
			}
			write(t, filepath.Join(dir, "certificates"), here.Replace(s.Environment["HAPROXY_CERTIFICATES"]))
			write(t, filepath.Join(dir, "haproxy.cfg"), here.Replace(config))
			cmd := exec.Command(filepath.Join(root, "usr/sbin/haproxy"), "-c", "-dW", "-f", filepath.Join(dir, "haproxy.cfg"))
			cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+filepath.Join(root, "usr/lib/x86_64-linux-gnu"))
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s: %s\n%s", name, out, config)
		}
	})
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}
