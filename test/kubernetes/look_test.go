package kubernetes

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/test/kubernetes/kubetest"
)

// TestLiveDiff: what an apply would do is told field by field, nothing is written, and the
// apply does it.
func TestLiveDiff(t *testing.T) {
	t.Parallel()
	l := newLively(t, shop+"/deploy")
	code, out := l.try(t, "diff", l.file)
	require.Equal(t, 4, code, out)
	require.Contains(t, out, "  create: Deployment/shop-web (shop/web)\n")
	l.untouched(t)
	l.run(t, "apply", l.file)
	l.Count()
	require.Contains(t, l.run(t, "diff", l.file), "shop: no difference\n")
	require.Equal(t, "shop: no difference\n", l.run(t, "diff", "shop"))
	dir := copyOf(t, "shop")
	edit(t, filepath.Join(dir, "deploy/deployment.cue"), "web: hsize: 2", "web: hsize: 4")
	edit(t, filepath.Join(dir, "web/web.cue"), "shop/web:2.3.1", "shop/web:2.3.2")
	next := l.compile(t, filepath.Join(dir, "deploy"))
	l.Kubectl(t, nil, "set", "env", "-n", l.namespace, "statefulset/shop-api", "ADDED=x")
	l.Count()
	code, out = l.try(t, "diff", next)
	require.Equal(t, 4, code, out)
	for _, line := range []string{
		"  change: Deployment/shop-web (shop/web)\n",
		"    spec.replicas: 2 → 4\n",
		`    spec.template.spec.containers[web].image: "ghcr.example/shop/web:2.3.1" → "ghcr.example/shop/web:2.3.2"` + "\n",
		"  repair: StatefulSet/shop-api (shop/api)\n",
		`    spec.template.spec.containers[api].env[ADDED]: {"name":"ADDED","value":"x"} → nothing` + "\n",
	} {
		require.Contains(t, out, line)
	}
	l.untouched(t)
	l.run(t, "apply", next)
	require.Contains(t, l.run(t, "diff", next), "shop: no difference\n")
}

// TestLiveLooks: status as a tree and while it changes, wait, nodes, and that none of them
// writes anything.
func TestLiveLooks(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	name := solutionOf(t, l.file)
	l.run(t, "apply", l.file)
	tree := l.run(t, "status", name, "-o", "tree")
	require.Regexp(t, `(?m)^`+name+`\n└─ `+name+`\n(?s).*[├└]─ \S+ \d+/\d+ healthy, .*[├└]─ \S+ Running node-\d 10\.\S+`, tree)
	l.Count()
	require.Contains(t, l.run(t, "wait", name), name+" is healthy\n")
	require.Regexp(t, `(?m)^node-1 +ready +64 +512Gi`, l.run(t, "nodes"))
	l.untouched(t)

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	watching := l.command("status", "--watch", "-o", "json")
	lines := follow(t, ctx, watching)
	first := <-lines
	require.Contains(t, first, `"health":"healthy"`)
	workload := l.workload(t)
	l.Kubectl(t, nil, "scale", "-n", l.namespace, workload, "--replicas=0")
	requireLine(t, lines, `"wanted":0`)
	require.NoError(t, watching.Process.Signal(os.Interrupt))
	require.NoError(t, watching.Wait(), "what goes on for ever ends well when it is interrupted")

	code, out := l.try(t, "wait", name, "--for", "gone", "--timeout", "300ms")
	require.Equal(t, 7, code, out)
	l.run(t, "delete", name)
	require.Contains(t, l.run(t, "wait", name, "--for", "gone"), name+" is gone\n")
}

// workload is the first workload of the application.
func (l *lively) workload(t *testing.T) string {
	t.Helper()
	for id := range l.list(t, "deployments,statefulsets", "-l", "app.kubernetes.io/managed-by=kumiki") {
		return strings.ToLower(id)
	}
	t.Fatal("there is none")
	return ""
}

// follow starts a command and returns the lines that it prints.
func follow(t *testing.T, ctx context.Context, cmd interface {
	StdoutPipe() (io.ReadCloser, error)
	Start() error
}) <-chan string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := make(chan string)
	go func() {
		buffer, rest := make([]byte, 64<<10), ""
		for {
			n, err := out.Read(buffer)
			rest += string(buffer[:n])
			for {
				line, more, ok := strings.Cut(rest, "\n")
				if !ok {
					break
				}
				rest = more
				select {
				case lines <- line:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}

// requireLine waits for a line with a text in it.
func requireLine(t *testing.T, lines <-chan string, text string) {
	t.Helper()
	for end := time.After(30 * time.Second); ; {
		select {
		case line := <-lines:
			if strings.Contains(line, text) {
				return
			}
		case <-end:
			t.Fatalf("no line with %s", text)
		}
	}
}

// TestLiveLogs reads the output of containers through the API server from nodes: that is
// what answers for these here.
func TestLiveLogs(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	name := solutionOf(t, l.file)
	var asked sync.Map
	node := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("follow") == "true" {
			asked.Store("follow", true)
		}
		parts := strings.Split(r.URL.Path, "/") // /containerLogs/NAMESPACE/POD/CONTAINER
		if len(parts) == 5 && parts[2] == l.namespace {
			fmt.Fprintf(w, "one from %s\ntwo \x1b[31mtail=%s\n", parts[3], r.URL.Query().Get("tailLines"))
		}
	}))
	node.TLS = &tls.Config{}
	node.StartTLS()
	t.Cleanup(node.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(node.URL, "https://"), ":")
	patch := fmt.Sprintf(`{"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":%s}},"addresses":[{"type":"InternalIP","address":"127.0.0.1"}]}}`, port)
	for _, n := range []string{"node-1", "node-2"} {
		l.Kubectl(t, nil, "patch", "node", n, "--subresource=status", "--type=merge", "-p", patch)
	}
	l.run(t, "apply", l.file)
	l.Count()
	out := l.run(t, "logs", name, "--tail", "5")
	require.Regexp(t, `(?m)^(\S+) \S+: one from \S+\n\S+ \S+: two \S*31mtail=5$`, out)
	require.NotContains(t, out, "\x1b", "what steers a terminal is shown, and steers nothing")
	l.run(t, "logs", name, "--follow")
	_, ok := asked.Load("follow")
	require.True(t, ok)
	code, out := l.try(t, "logs", name, "--container", "nobody")
	require.Equal(t, 2, code)
	require.Contains(t, out, "no instance has a container nobody")
	code, out = l.try(t, "logs", name+"/nobody")
	require.Equal(t, 2, code)
	require.Contains(t, out, "has no such deployment or role; it has ")
	l.untouched(t)
}

// TestLiveRights: with the rights that kumiki rbac prints, and none besides, a solution is
// applied, looked at and removed; with one less it is not.
func TestLiveRights(t *testing.T) {
	t.Parallel()
	l := newLively(t, shop+"/deploy")
	l.Kubectl(t, nil, "create", "serviceaccount", "deployer", "-n", l.namespace)
	roles, stderr, err := kumiki(t, "rbac", l.file, "-n", l.namespace, "--account", "deployer")
	require.NoError(t, err, stderr)
	l.Kubectl(t, roles, "apply", "-f", "-")
	l.As(strings.TrimSpace(l.Kubectl(t, nil, "create", "token", "deployer", "-n", l.namespace)))
	l.run(t, "apply", l.file)
	l.run(t, "status", "shop")
	l.run(t, "drift", "shop")
	l.run(t, "restart", "shop/web")
	l.run(t, "stop", "shop/web")
	l.run(t, "start", "shop/web")
	l.run(t, "delete", "shop")
	require.Empty(t, l.ours(t))
	l.Kubectl(t, bytes.Replace(roles, []byte("  - ingresses\n"), nil, 1), "apply", "-f", "-")
	l.Count()
	code, out := l.try(t, "apply", l.file)
	require.NotZero(t, code)
	require.Contains(t, out, "cannot ")
	require.Contains(t, out, "ingresses")
	l.untouched(t)
}

// TestLiveNotify: what happens to instances is told to a URL, also when it was not there at
// first, and when notify was killed in between.
func TestLiveNotify(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	l.run(t, "apply", l.file)
	var mu sync.Mutex
	var got []string
	ill := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var n struct{ Kind, Role, Instance, Text string }
		if ill || json.NewDecoder(r.Body).Decode(&n) != nil || !strings.HasPrefix(r.Header.Get("X-Kumiki-Signature"), "sha256=") {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		got = append(got, n.Kind+" "+n.Role)
	}))
	t.Cleanup(server.Close)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "key"), []byte("secret\n"), 0o600))
	args := []string{"notify", "--to", server.URL, "--state", filepath.Join(dir, "state.json"), "--key-file", filepath.Join(dir, "key"), "--after", "0s", "--restarts", "2"}
	l.run(t, append(args, "--once")...)
	require.Empty(t, got, "all is well")

	pod, role := l.aPod(t)
	l.podStatus(t, pod, `{"podIP":null,"podIPs":null,"containerStatuses":[{"name":"hello","image":"x","imageID":"","ready":false,"restartCount":3,"state":{"running":{}},"lastState":{"terminated":{"exitCode":3,"reason":"Error","finishedAt":"2026-01-01T00:00:00Z"}}}]}`)
	code, out := l.try(t, append(args, "--once", "--timeout", "100ms")...)
	require.Equal(t, 7, code, out)
	require.Contains(t, out, "notices are not delivered")
	text, err := os.ReadFile(filepath.Join(dir, "state.json"))
	require.NoError(t, err)
	require.Contains(t, string(text), `"exited"`)
	mu.Lock()
	ill = false
	mu.Unlock()
	killed := l.command(args...)
	require.NoError(t, killed.Start())
	require.Eventually(t, func() bool { mu.Lock(); defer mu.Unlock(); return len(got) >= 3 }, 30*time.Second, 50*time.Millisecond, "%v", got)
	require.NoError(t, killed.Process.Kill())
	_ = killed.Wait()
	l.run(t, append(args, "--once")...)
	for _, kind := range []string{"exited", "no-address", "restarted-often"} {
		require.Contains(t, got, kind+" "+role)
	}
}

// aPod is a pod of the application, with its role.
func (l *lively) aPod(t *testing.T) (pod, role string) {
	t.Helper()
	for _, o := range l.list(t, "pods") {
		return o.Name, o.Labels["kumiki.dev/deployment"] + "/" + o.Labels["kumiki.dev/role"]
	}
	t.Fatal("there is none")
	return "", ""
}

// podStatus writes what a node would say of a pod.
func (l *lively) podStatus(t *testing.T, pod, status string) {
	t.Helper()
	l.Kubectl(t, nil, "patch", "pod", pod, "-n", l.namespace, "--subresource=status", "--type=merge", "-p", `{"status":`+status+`}`)
}

// TestLiveMoves takes instances from a node, as far as budgets allow; where it is killed in
// between, the next one opens the node.
func TestLiveMoves(t *testing.T) {
	t.Parallel()
	c := kubetest.Own(t, 3) // nodes are everybody's
	l := newLivelyOn(t, site{c, c.Namespace(t)}, shop+"/deploy")
	l.run(t, "apply", l.file)
	l.Count()
	from := l.nodeOf(t, "shop-db")
	code, out := l.try(t, "drain", from)
	require.Equal(t, 5, code, out)
	require.Contains(t, out, "has data: --allow-data-move ")
	l.untouched(t)
	code, out = l.try(t, "move", from, "--to", "nowhere")
	require.NotZero(t, code)
	require.Contains(t, out, "there is no node nowhere; there are node-1, node-2, node-3")
	l.untouched(t)

	out = l.run(t, "move", from, "--allow-data-move", "shop")
	require.Contains(t, out, " leaves "+from)
	require.Empty(t, l.on(t, from))
	require.Empty(t, l.closed(t))
	l.run(t, "status")

	// What goes to one node goes to no other.
	from = l.busiest(t)
	to := "node-1"
	if from == to {
		to = "node-2"
	}
	l.run(t, "move", from, "--to", to, "--role", "shop/web")
	require.Empty(t, l.closed(t))
	require.NotContains(t, strings.Join(l.on(t, from), " "), "shop-web")

	// A budget that allows nobody to go: all stays as it is, and the node is opened again.
	budget := func(least string) {
		l.Kubectl(t, nil, "patch", "pdb/shop-web", "-n", l.namespace, "--type=merge", "-p", `{"spec":{"maxUnavailable":`+least+`}}`)
		time.Sleep(time.Second) // its controller counts anew
	}
	budget("0")
	from = l.nodeOf(t, "shop-web")
	before := l.on(t, from)
	code, out = l.try(t, "move", from, "--role", "shop/web", "--timeout", "2s")
	require.Equal(t, 7, code, out)
	require.Contains(t, out, "stays for now: ")
	require.ElementsMatch(t, before, l.on(t, from))
	require.Empty(t, l.closed(t))

	// Killed in between, it leaves the node closed with a mark; the next one opens it.
	killed := l.command("move", from, "--role", "shop/web")
	require.NoError(t, killed.Start())
	require.Eventually(t, func() bool { return len(l.closed(t)) > 0 }, 30*time.Second, 20*time.Millisecond)
	require.NoError(t, killed.Process.Kill())
	_ = killed.Wait()
	require.Equal(t, []string{from}, l.closed(t))
	require.Contains(t, l.run(t, "nodes"), "kumiki move has closed it until")
	budget("1")
	require.Contains(t, l.run(t, "move", from, "--allow-data-move", "shop"), from+" takes instances again: a move was broken off\n")
	require.Empty(t, l.closed(t))
	require.Empty(t, l.on(t, from))

	// A node that is drained stays closed until that is taken back.
	from = l.busiest(t)
	l.run(t, "drain", from, "--allow-data-move", "shop")
	require.Equal(t, []string{from}, l.closed(t))
	l.run(t, "move", "node-1", "--allow-data-move", "shop", "--role", "shop/web")
	require.Equal(t, []string{from}, l.closed(t))
	l.run(t, "drain", from, "--undo")
	l.replaces(t)
	l.completes(t)
	require.Empty(t, l.closed(t))
}

// replaces: one instance is restarted by itself, and none can be stopped.
func (l *lively) replaces(t *testing.T) {
	t.Helper()
	id := func(pod string) string {
		return l.Kubectl(t, nil, "get", "pod", pod, "-n", l.namespace, "-o", "jsonpath={.metadata.uid}")
	}
	before, other := id("shop-api-0"), id("shop-api-1")
	require.Contains(t, l.run(t, "restart", "shop/api", "--instance", "shop-api-0"), "shop/api shop-api-0 is restarted\n")
	require.NotEqual(t, before, id("shop-api-0"))
	require.Equal(t, other, id("shop-api-1"))
	require.Equal(t, "shop: no drift\n", l.run(t, "drift", "shop"))
	code, out := l.try(t, "restart", "shop/api", "--instance", "shop-db-0")
	require.NotZero(t, code)
	require.Contains(t, out, "shop/api has no instance shop-db-0; it has shop-api-0, shop-api-1, shop-api-2")
	code, out = l.try(t, "stop", "shop/api", "--instance", "shop-api-0")
	require.Equal(t, 1, code, out)
	require.Contains(t, out, "kumiki restart shop/api --instance shop-api-0 replaces one [live/target]")
}

// completes: what runs is offered while it is typed.
func (l *lively) completes(t *testing.T) {
	t.Helper()
	offered := func(args ...string) string {
		cmd := exec.Command(os.Getenv("KUMIKI"), append([]string{"__complete"}, args...)...)
		cmd.Env = append(os.Environ(), "KUBECONFIG="+l.Kubeconfig)
		out, err := cmd.Output()
		require.NoError(t, err)
		return string(out)
	}
	require.Equal(t, "shop\nshop/api\nshop/db\nshop/web\n:4\n", offered("stop", "-n", l.namespace, "sh"))
	require.Equal(t, "shop\n:4\n", offered("status", "-n", l.namespace, "sh"))
	require.Equal(t, "node-1\nnode-2\nnode-3\n:4\n", offered("drain", "-n", l.namespace, ""))
	require.Equal(t, "shop-api-0\nshop-api-1\nshop-api-2\n:4\n", offered("restart", "shop/api", "-n", l.namespace, "--instance", "shop-"))
}

// nodeOf is a node with a pod whose name begins so.
func (l *lively) nodeOf(t *testing.T, name string) string {
	t.Helper()
	for _, n := range []string{"node-1", "node-2", "node-3"} {
		if strings.Contains(" "+strings.Join(l.on(t, n), " "), " "+name) {
			return n
		}
	}
	t.Fatal("there is none")
	return ""
}

// busiest is the node with the most pods of the namespace.
func (l *lively) busiest(t *testing.T) string {
	t.Helper()
	best := "node-1"
	for _, n := range []string{"node-2", "node-3"} {
		if len(l.on(t, n)) > len(l.on(t, best)) {
			best = n
		}
	}
	return best
}

// on are the pods of the namespace on a node, by their names.
func (l *lively) on(t *testing.T, node string) []string {
	t.Helper()
	return strings.Fields(l.Kubectl(t, nil, "get", "pods", "-n", l.namespace, "--field-selector", "spec.nodeName="+node, "-o", `jsonpath={.items[*].metadata.name}`))
}

// closed are the nodes that take no pods.
func (l *lively) closed(t *testing.T) []string {
	t.Helper()
	return strings.Fields(l.Kubectl(t, nil, "get", "nodes", "-o", `jsonpath={.items[?(@.spec.unschedulable==true)].metadata.name}`))
}
