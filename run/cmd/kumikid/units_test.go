package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"howett.net/plist"
)

const units = "../../units/"

// TestUnit: systemd has nothing to say against the unit, and what it starts listens, tells
// systemd so, knows root on its socket, and prints no token into the journal.
func TestUnit(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(units + "kumikid.service")
	require.NoError(t, err)
	dir := t.TempDir()
	// The program is verified to be there, too.
	there := filepath.Join(dir, "kumikid.service")
	require.NoError(t, os.WriteFile(there, bytes.ReplaceAll(text, []byte("/usr/local/bin/kumikid"), []byte("/bin/true")), 0o600))
	for _, args := range [][]string{{"verify", "--man=no", there}, {"security", "--offline=yes", "--threshold=25", there}} {
		out, err := exec.Command("systemd-analyze", args...).CombinedOutput()
		require.NoError(t, err, "make test-manager installs systemd-analyze: %s", out)
		if args[0] == "verify" {
			require.Empty(t, string(out))
		}
	}

	told, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	require.NoError(t, err)
	defer told.Close()
	line := regexp.MustCompile(`(?m)^ExecStart=(.*)$`).FindSubmatch(text)
	require.NotNil(t, line)
	env := map[string]string{"STATE_DIRECTORY": filepath.Join(dir, "state"), "RUNTIME_DIRECTORY": dir, "KUMIKID_FLAGS": "--listen 127.0.0.1:0 --target swarm", "NOTIFY_SOCKET": filepath.Join(dir, "notify"), "HOME": filepath.Join(dir, "state")}
	var words []string
	for word := range strings.FieldsSeq(string(line[1])) {
		expanded := os.Expand(word, func(name string) string { return env[name] })
		if strings.HasPrefix(word, "${") {
			words = append(words, expanded)
		} else { // systemd makes words of it
			words = append(words, strings.Fields(expanded)...)
		}
	}
	require.Equal(t, "/usr/local/bin/kumikid", words[0])
	startUnit(t, words[1:], env, filepath.Join(dir, "kumikid.sock"), func() {
		require.NoError(t, told.SetReadDeadline(time.Now().Add(time.Minute)))
		said := make([]byte, 100)
		n, err := told.Read(said)
		require.NoError(t, err)
		require.Equal(t, "READY=1", string(said[:n]))
	})
}

// TestAgent: what launchd starts for a user listens on the socket in the user's home.
func TestAgent(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(units + "dev.kumiki.kumikid.plist")
	require.NoError(t, err)
	var agent struct {
		Label             string
		ProgramArguments  []string
		RunAtLoad         bool
		KeepAlive         map[string]bool
		ProcessType       string
		Umask             int
		StandardErrorPath string
	}
	_, err = plist.Unmarshal(text, &agent)
	require.NoError(t, err)
	require.Equal(t, "dev.kumiki.kumikid", agent.Label)
	require.Equal(t, 0o077, agent.Umask)
	require.Equal(t, map[string]bool{"SuccessfulExit": false}, agent.KeepAlive)
	require.True(t, agent.RunAtLoad)
	require.Equal(t, "/usr/local/bin/kumikid", agent.ProgramArguments[0])
	home := t.TempDir()
	args := append(agent.ProgramArguments[1:], "--listen", "", "--target", "swarm") // the port is another test's
	startUnit(t, args, map[string]string{"HOME": home}, filepath.Join(home, ".local/state/kumikid/kumikid.sock"), func() {})
}

// startUnit starts kumikid with arguments and nothing else than an environment, waits, asks on its
// socket, and ends it.
func startUnit(t *testing.T, args []string, env map[string]string, socket string, wait func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = []string{"KUMIKID_MAIN=1", "PATH=" + filepath.Dir(os.Getenv("KUMIKI"))}
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	wait()
	ask := &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}}
	get := func(path string) (int, string) {
		answer, err := ask.Get("http://kumikid" + path)
		if err != nil {
			return 0, err.Error()
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return answer.StatusCode, string(body)
	}
	require.Eventually(t, func() bool { status, _ := get("/readyz"); return status == 200 }, time.Minute, 50*time.Millisecond, "%s", &errs)
	status, body := get("/v1/me")
	require.Equal(t, 200, status)
	require.Contains(t, body, `"admin"`)
	require.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, cmd.Wait(), "%s", &errs)
	require.NotContains(t, out.String()+errs.String(), "kumiki_")
	require.NotContains(t, out.String(), "token")
}

// TestAdminToken: servers that share a file with a token let its owner in, one that was started
// without it later as well; what is no token is refused.
func TestAdminToken(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	const token = "not-made-by-kumikid-0123456789"
	require.NoError(t, os.WriteFile(file, []byte(token+"\n"), 0o600))
	d := newDaemon(t, "KUMIKID_FOLDER="+t.TempDir(), "KUMIKID_ADMIN="+file)
	require.Empty(t, d.token)
	d.token = token
	d.ask(200, "GET", "/v1/tokens", nil)
	d.token = token + "x"
	d.ask(401, "GET", "/v1/tokens", nil)
	for text, want := range map[string]string{"short": "at least 24 characters", strings.Repeat("x", 30) + "\n" + strings.Repeat("y", 30): "one line of visible ASCII"} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		var errs bytes.Buffer
		require.Equal(t, 2, run(t.Context(), []string{"serve", "--dir", t.TempDir(), "--target", "swarm", "--compiler", os.Getenv("KUMIKI"), "--admin-token", file}, io.Discard, &errs))
		require.Contains(t, errs.String(), want)
		require.NotContains(t, errs.String(), strings.TrimSpace(text)+"\n")
	}
}

// TestVersion: it says what it was built from.
func TestVersion(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	require.Zero(t, run(t.Context(), []string{"version"}, &out, io.Discard))
	require.Regexp(t, `^kumikid \S.*\ngo1\.\S+ [a-z]+/[a-z0-9]+\n$`, out.String())
}

// TestContentsFlags: what does not belong together is refused before anything is opened.
func TestContentsFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"--contents registry.example/x":                                      "write oci://HOST/REPOSITORY",
		"--contents-ca ca.pem":                                               "go with --contents",
		"--contents oci://r.example/x --contents-ca /nowhere":                "--contents-ca: open /nowhere",
		"--contents oci://r.example/x --contents-ca ../../go.mod":            "there is no certificate in it",
		"--contents oci://r.example/x --contents-ca f --contents-plain-http": "no certificate with --contents-plain-http",
	} {
		var errs bytes.Buffer
		all := append([]string{"serve", "--dir", t.TempDir(), "--target", "swarm", "--compiler", os.Getenv("KUMIKI")}, strings.Fields(args)...)
		require.Equal(t, 2, run(t.Context(), all, io.Discard, &errs), args)
		require.Contains(t, errs.String(), want)
	}
}
