package swarm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"kumiki.dev/test/swarm"
)

// runsManager runs the manager's image as it is, as a user without rights, with a volume for its
// state: it is ready, and compiles what it is given.
func runsManager(t *testing.T, l *live, image, examples string) {
	require.Contains(t, l.docker("load", "--input", image), "kumiki/kumikid:v1.2.3")
	id := strings.TrimSpace(l.docker("run", "--detach", "--network", "none", "--read-only", "--tmpfs", "/tmp", "--cap-drop", "ALL", "--volume", "manager:/state", "kumiki/kumikid:v1.2.3"))
	defer func() {
		if t.Failed() {
			t.Log(l.docker("logs", id))
		}
		l.docker("rm", "--force", "--volumes", id)
	}()
	socket := filepath.Join(strings.TrimSpace(l.docker("volume", "inspect", "--format", "{{.Mountpoint}}", "manager")), "kumikid/kumikid.sock")
	ask := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	send := func(method, path, kind string, body []byte, into any) int {
		r, err := http.NewRequest(method, "http://manager"+path, bytes.NewReader(body))
		require.NoError(t, err)
		r.Header.Set("Content-Type", kind)
		answer, err := ask.Do(r)
		if err != nil {
			return 0
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		if into != nil {
			require.NoError(t, json.Unmarshal(text, into), "%s", text)
		}
		return answer.StatusCode
	}
	require.Eventually(t, func() bool { return send("GET", "/readyz", "", nil, nil) == 200 }, time.Minute, 100*time.Millisecond)
	require.Contains(t, l.docker("exec", id, "/kumikid", "version"), "kumikid v1.2.3 (0123456789ab)\n")

	bundle := filepath.Join(t.TempDir(), "hello.bundle")
	l.docker("run", "--rm", "--network", "none", "--user", "0", "--volume", examples+":/work:ro", "--volume", filepath.Dir(bundle)+":/out", "kumiki/kumiki:v1.2.3", "bundle", "hello/deploy", "--out", "/out/hello.bundle")
	data, err := os.ReadFile(bundle)
	require.NoError(t, err)
	var kept struct{ Digest string }
	require.Equal(t, 201, send("POST", "/v1/bundles", "application/zip", data, &kept))
	wish := fmt.Appendf(nil, `{"name": "hello", "input": {"bundle": %q}}`, kept.Digest)
	require.Equal(t, 202, send("POST", "/v1/deployments", "application/json", wish, nil))
	require.Eventually(t, func() bool {
		var m struct{ Solution string }
		return send("GET", "/v1/deployments/hello/manifests/1", "", nil, &m) == 200 && m.Solution != ""
	}, time.Minute, 100*time.Millisecond, "it compiles in the container")
}

// deploysManager deploys the manager of examples as a stack with the images of the release: it
// takes the administrator's token from the swarm's secret, and knows nobody without it.
func deploysManager(t *testing.T, l *live, examples string) {
	const token = "of-a-secret-of-the-swarm-0123"
	stack, err := l.Output(t.Context(), "run", "--rm", "--network", "none", "--volume", examples+":/work:ro", "kumiki/kumiki:v1.2.3", "render", "manager/deploy", "-t", "swarm", "--set", "config.parameter.server.version=v1.2.3")
	require.NoError(t, err)
	l.input(token, "secret", "create", "kumiki-admin", "-")
	l.input(certificate(), "secret", "create", "kumiki-tls.pem", "-")
	l.docker("volume", "create", "kumiki-state")
	l.input(stack, "stack", "deploy", "--resolve-image", "never", "--detach=true", "-c", "-", "manager")
	defer l.remove("manager")
	asked := func(token string) (string, error) {
		id := strings.Fields(l.docker("ps", "--quiet", "--filter", "label=com.docker.swarm.service.name=manager_manager-server"))
		if len(id) == 0 {
			return "", errors.New("it does not run yet")
		}
		return l.Docker(t.Context(), "", "exec", "--env", "KUMIKI_TOKEN="+token, id[0], "/kumiki", "--server", "http://127.0.0.1:7676", "history")
	}
	if !assert.Eventually(t, func() bool { _, err := asked(token); return err == nil }, 2*time.Minute, time.Second) {
		_, err := asked(token)
		require.NoError(t, err, "%s", l.docker("service", "logs", "manager_manager-server"))
	}
	_, err = asked("another-that-nobody-has-made")
	require.ErrorContains(t, err, "exit")
}

// TestEngineRunsRelease gives the images of a release to a real engine, as its archives
// of images and as containerd's, and runs them.
func TestEngineRunsRelease(t *testing.T) {
	t.Parallel()
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

	runsManager(t, l, filepath.Join(dist, "kumikid_v1.2.3_image.tar"), example)
	deploysManager(t, l, example)

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
