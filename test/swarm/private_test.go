package swarm_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/bcrypt"

	"kumiki.dev/internal/golden"
)

const (
	privateRegistry = "127.0.0.1:5000" // in the network of the engine, which talks to it without TLS
	privateImage    = privateRegistry + "/app:1"
	password        = "kept-to-itself"
)

// registry starts Debian's docker-registry in the network of the engine. It asks for a password.
func (a *applied) registry() {
	a.t.Helper()
	program, err := exec.Command("../registry/get.sh").Output()
	require.NoError(a.t, err)
	dir := a.t.TempDir()
	hash, err := bcrypt.GenerateFromPassword([]byte(password), bcrypt.MinCost)
	require.NoError(a.t, err)
	require.NoError(a.t, os.WriteFile(filepath.Join(dir, "htpasswd"), fmt.Appendf(nil, "reader:%s\n", hash), 0o644))
	config := filepath.Join(dir, "config.yml")
	require.NoError(a.t, os.WriteFile(config, fmt.Appendf(nil, `version: 0.1
log: {level: error, accesslog: {disabled: true}}
storage: {filesystem: {rootdirectory: %[1]s/data}}
http: {addr: %[2]q}
auth: {htpasswd: {realm: tests, path: %[1]s/htpasswd}}
`, dir, privateRegistry), 0o644))
	cmd := a.Inside(strings.TrimSpace(string(program)), "serve", config)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(a.t, cmd.Start())
	a.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.Eventually(a.t, func() bool {
		return a.Inside("bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/5000").Run() == nil
	}, 30*time.Second, 100*time.Millisecond, "the registry does not answer")
}

// TestApplyPrivate: an image of a registry that asks for a password is fetched with what docker login has
// left, in a file or a helper. Credentials go to the engine with services that need them and to
// nobody else, and stay where an apply has none.
func TestApplyPrivate(t *testing.T) {
	t.Setenv("DOCKER_SERVICE_PREFER_OFFLINE_IMAGE", "") // the engine goes to the registry
	a := begin(t)
	golden.Each(t, "testdata/small.txtar", func(t *testing.T, c *golden.Case) {
		b := *a
		b.live, b.dir = &live{t: t, Engine: a.Engine}, c.Dir()
		b.private()
	})
}

func (a *applied) private() {
	a.registry()
	_, err := a.Docker(a.t.Context(), password, "login", "--username", "reader", "--password-stdin", privateRegistry)
	require.NoError(a.t, err)
	a.docker("tag", "kumiki-app:1", privateImage)
	a.docker("push", privateImage)
	a.docker("rmi", privateImage)
	sent := a.sent()

	a.run(a.small(noInstances)...)
	require.Empty(a.t, sent(), "the registry of kumiki-app:1 is another")
	a.run("delete", "small", "--yes")
	private := a.small("config.parameter.image=" + privateImage)
	a.run(append(private, "--timeout", "60s")...)
	auth := sent()
	require.Len(a.t, auth, 1)
	require.Contains(a.t, a.docker("image", "ls", "--format", "{{.Repository}}:{{.Tag}}"), privateImage)
	require.Contains(a.t, a.run(private...), "nothing to do")
	require.Empty(a.t, sent())

	nobody := *a
	nobody.dockerConfig = a.t.TempDir()
	nobody.run(nobody.small("config.parameter.image="+privateImage, noInstances)...)
	a.forgetImage()
	out := nobody.run(nobody.small("config.parameter.image="+privateImage, second, "config.scale.hsize=1")...) // with those that the service has
	require.Empty(a.t, sent())
	for _, text := range []string{out, a.run("status", "small", "-o", "json"), a.docker("service", "inspect", "small_small-web"), a.record()} {
		require.NotContains(a.t, text, password)
		require.NotContains(a.t, text, auth[0])
	}
	a.run("delete", "small", "--yes")

	a.forgetImage()
	out = nobody.fails(7, append(private, "--timeout", "5s")...)
	require.Contains(a.t, out, "its image "+privateImage+" cannot be had there")
	require.Contains(a.t, out, "docker login "+privateRegistry+", then apply again")
	require.Empty(a.t, sent())
	c, o := a.try(append(private, "--timeout", "60s")...)
	require.Contains(a.t, o, "resumed: Service/small-web (small/web)\n")
	require.Equal(a.t, 0, c)
	require.Len(a.t, sent(), 1)
	a.run("delete", "small", "--yes")

	a.forgetImage()
	helped := *a
	helped.dockerConfig = a.helper("#!/bin/sh\ncat >/dev/null\nprintf '{\"ServerURL\":\"" + privateRegistry + "\",\"Username\":\"reader\",\"Secret\":\"" + password + "\"}'\n")
	helped.run(private...)
	require.Len(a.t, sent(), 1)
	a.run("delete", "small", "--yes")

	broken := *a
	broken.dockerConfig = a.helper("#!/bin/sh\necho the keychain is locked\nexit 1\n")
	out = broken.run(broken.small("config.parameter.image="+privateImage, noInstances)...)
	require.Contains(a.t, out, privateImage+" is fetched without credentials of "+privateRegistry+": ")
	require.Contains(a.t, out, "the keychain is locked")
	require.Empty(a.t, sent())
	a.run("delete", "small", "--yes")
}

// forgetImage removes the image from the engine, once no container has it.
func (a *applied) forgetImage() {
	a.t.Helper()
	require.Eventually(a.t, func() bool {
		_, err := a.Docker(a.t.Context(), "", "rmi", "--force", privateImage)
		return err == nil
	}, 30*time.Second, 100*time.Millisecond)
}

// helper is a docker configuration that names a credential helper.
func (a *applied) helper(script string) (dir string) {
	a.t.Helper()
	dir = a.t.TempDir()
	require.NoError(a.t, os.WriteFile(filepath.Join(dir, "docker-credential-tests"), []byte(script), 0o755))
	require.NoError(a.t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"credHelpers":{"`+privateRegistry+`":"tests"}}`), 0o644))
	return dir
}

// sent returns a function that returns the credentials that were sent since it was called last.
func (a *applied) sent() func() []string {
	var mu sync.Mutex
	var auths []string
	a.between.See(func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if auth := r.Header.Get("X-Registry-Auth"); auth != "" {
			auths = append(auths, auth)
		}
	})
	a.t.Cleanup(func() { a.between.See(nil) })
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		out := auths
		auths = nil
		return out
	}
}

// record is all that the configs of the inventory hold.
func (a *applied) record() string {
	a.t.Helper()
	var out strings.Builder
	for _, id := range strings.Fields(a.inventory()) {
		out.WriteString(a.docker("config", "inspect", id))
	}
	return out.String()
}
