package swarm_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/client"
)

// managing is a manager of the engine, with somebody who has a token of it.
type managing struct {
	*applied
	url, token string
}

// manager starts kumikid, which finds the engine as docker does, as there is no kubeconfig.
func (a *applied) manager() *managing {
	a.t.Helper()
	dir := a.t.TempDir()
	binary := filepath.Join(dir, "kumikid")
	out, err := exec.Command("go", "build", "-C", "../../run", "-o", binary, "./cmd/kumikid").CombinedOutput()
	require.NoError(a.t, err, "%s", out)
	cmd := exec.Command(binary, "serve", "--dir", filepath.Join(dir, "state"), "--listen", "127.0.0.1:0", "--compiler", a.kumiki)
	cmd.Env = append(a.Env(a.between.Host), "HOME="+dir, "KUBECONFIG="+dir+"/none")
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := os.Create(filepath.Join(dir, "log"))
	require.NoError(a.t, err)
	cmd.Stderr = log
	said, err := cmd.StdoutPipe()
	require.NoError(a.t, err)
	require.NoError(a.t, cmd.Start())
	a.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
		_ = log.Close()
	})
	m, local := &managing{applied: a}, ""
	for lines := bufio.NewScanner(said); m.url == "" && lines.Scan(); {
		if what, ok := strings.CutPrefix(lines.Text(), "environment local is "); ok {
			local = what
		}
		if _, token, ok := strings.Cut(lines.Text(), "not shown again: "); ok {
			m.token = token
		}
		if at, ok := strings.CutPrefix(lines.Text(), "listening at 127"); ok {
			m.url = "http://127" + at
		}
	}
	text, _ := os.ReadFile(log.Name())
	require.NotEmpty(a.t, m.url, "%s", text)
	require.Equal(a.t, "a swarm", local)
	return m
}

// ends runs a command at the manager, and returns what it prints.
func (m *managing) ends(code int, args ...string) string {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(m.t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.kumiki, args...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1", "KUMIKI_SERVER="+m.url, "KUMIKI_TOKEN="+m.token, "HOME="+m.Dir(), "DOCKER_HOST=unix:///nowhere")
	out, _ := cmd.CombinedOutput()
	require.Equal(m.t, code, cmd.ProcessState.ExitCode(), "%s\n%s", strings.Join(args, " "), out)
	return string(out)
}

// managed takes a deployment through its life by a manager.
func (a *applied) managed() {
	m := a.manager()
	require.Contains(a.t, m.ends(0, "apply", a.dir, "--name", "mine"), "created: Service/mine-web (mine/web)\n")
	require.Contains(a.t, m.ends(0, "status", "mine"), "mine/web  1/1    healthy")
	require.Equal(a.t, "mine: no drift\n", lastLine(m.ends(0, "drift", "mine")))
	require.Contains(a.t, m.ends(0, "apply", a.dir, "--name", "mine"), "mine: nothing to do\n")

	a.docker("service", "update", "--detach", "--no-resolve-image", "--env-add", "ADDED=x", "--replicas", "3", "mine_mine-web")
	require.Contains(a.t, m.ends(4, "drift", "mine"), "changed: Service/mine-web (mine/web)\n")
	m.ends(0, "drift", "mine", "--repair")
	require.Equal(a.t, "1", a.inspect("mine_mine-web", replicas))
	require.NotContains(a.t, a.inspect("mine_mine-web", env), "ADDED")

	require.Contains(a.t, m.ends(0, "apply", "mine", "--set", second), "mine is changed: manifest 3\n")
	require.Contains(a.t, m.ends(0, "rollback", "mine"), "mine is taken back: manifest 4\n")
	m.halts()
	m.looks()
	m.far()

	out := m.ends(0, "delete", "mine")
	require.Contains(a.t, out, "remove: Service/mine-web (mine/web)\n")
	require.Contains(a.t, out, "mine is removed\n")
	require.Empty(a.t, a.ours("mine"))
}

func lastLine(out string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(out, "\n"), "\n")
	return lines[len(lines)-1] + "\n"
}

// halts stops, starts and restarts.
func (m *managing) halts() {
	m.ends(0, "stop", "mine/web")
	require.Equal(m.t, "0", m.inspect("mine_mine-web", replicas))
	require.Contains(m.t, m.ends(0, "status", "mine"), "stopped")
	m.ends(0, "start", "mine")
	require.Equal(m.t, "1", m.inspect("mine_mine-web", replicas))
	before := m.task("mine_mine-web")
	m.ends(0, "restart", "mine/web")
	require.NotEqual(m.t, before, m.task("mine_mine-web"))
	require.Contains(m.t, m.ends(1, "restart", "mine/web", "--instance", "mine_mine-web.1"), "swarm restarts no single instance; without instance all of mine/web are replaced, one after the other [live/target]\n")
}

// looks reads logs and nodes. A move is for Kubernetes.
func (m *managing) looks() {
	require.Contains(m.t, m.ends(0, "logs", "mine", "--tail", "3"), "mine_mine-web.1 mine_mine-web: ")
	require.Regexp(m.t, `(?m)^local +\S+ +ready `, m.ends(0, "nodes"))
	node := strings.TrimSpace(m.docker("node", "ls", "--format", "{{.Hostname}}"))
	require.Contains(m.t, m.ends(1, "move", node, "--yes"), "swarm lets no single instance leave a node: drain takes all of them from it")
	require.Contains(m.t, m.ends(1, "drain", node, "--yes"), "mine/web mine_mine-web.1 has data (what is in volume small-data stays on the node")
	require.Contains(m.t, m.ends(1, "drain", node, "--yes", "--allow-data-move", "mine"), "no other node takes instances")
}

// far is another environment, which a context of docker's names.
func (m *managing) far() {
	m.docker("context", "create", "far", "--docker", "host="+m.between.Host)
	c, err := client.New(client.Server{URL: m.url, Token: m.token})
	require.NoError(m.t, err)
	_, err = c.PutEnvironment(m.t.Context(), client.Environment{Name: "far", Target: "swarm", Context: "far"}, client.Absent)
	require.NoError(m.t, err)
	require.Contains(m.t, m.ends(0, "apply", m.dir, "--name", "there", "--environment", "far"), "there is made: manifest 1\n")
	require.Len(m.t, m.ours("there"), 3)
	require.Contains(m.t, m.ends(0, "history"), "far ")
	require.Contains(m.t, m.ends(0, "delete", "there"), "there is removed\n") // its volume is that of mine too, and stays
	require.Empty(m.t, m.ours("there"))
	_, err = c.PutEnvironment(m.t.Context(), client.Environment{Name: "none", Target: "swarm", Context: "none"}, client.Absent)
	require.ErrorContains(m.t, err, "none")
}
