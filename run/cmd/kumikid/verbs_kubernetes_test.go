package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestVerbsKubernetes: the commands that change nothing of what is wanted, at a manager of a real
// API server: stopped, started, restarted, read, moved, told.
func TestVerbsKubernetes(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	u := r.user()
	u.given(0, u.token, "login", u.url)
	u.runs(0, "apply", shop)
	replicas := func() string { return r.kubectl("get", "deployment/shop-web", "-o", "jsonpath={.spec.replicas}") }

	u.runs(0, "stop", "shop/web")
	require.Equal(t, "0", replicas())
	out, _ := u.runs(0, "status", "shop")
	require.Regexp(t, `(?m)^shop/web +0/0 +stopped`, out)
	out, _ = u.runs(0, "apply", "shop", "--set", "config.parameter.logLevel=debug")
	require.Contains(t, out, "shop is changed: manifest 2\n")
	require.Equal(t, "0", replicas())
	u.runs(0, "start", "shop/web")
	require.Equal(t, "2", replicas())

	pods := func(role string) []string {
		return strings.Fields(r.kubectl("get", "pods", "-l", "kumiki.dev/role="+role, "-o", "jsonpath={.items[*].metadata.uid}"))
	}
	before := pods("web")
	u.runs(0, "restart", "shop/web")
	require.Eventually(t, func() bool {
		now := pods("web")
		return len(now) == 2 && !slices.ContainsFunc(now, func(uid string) bool { return slices.Contains(before, uid) })
	}, 30*time.Second, 100*time.Millisecond)
	before = pods("db")
	out, _ = u.runs(0, "restart", "shop/db", "--instance", "shop-db-0")
	require.Contains(t, out, "  shop/db shop-db-0 leaves ")
	require.NotEqual(t, before, pods("db"))
	u.runs(0, "drift", "shop")

	r.tells(t, u)
	r.moves(t, u)
	r.reads(t, u)
}

// moves: instances leave a node, which takes none until that is taken back.
func (r *real) moves(t *testing.T, u *user) {
	node := r.kubectl("get", "pod/shop-db-0", "-o", "jsonpath={.spec.nodeName}")
	_, errs := u.runs(1, "drain", node, "--role", "shop/db")
	require.Contains(t, errs, "has data: --allow-data-move shop/db")
	out, _ := u.runs(0, "drain", node, "--role", "shop", "--allow-data-move", "shop")
	require.Contains(t, out, "  shop/db shop-db-0 leaves "+node+"\n")
	require.NotEqual(t, node, r.kubectl("get", "pod/shop-db-0", "-o", "jsonpath={.spec.nodeName}"))
	out, _ = u.runs(0, "nodes")
	require.Regexp(t, `(?m)^local +`+node+` +closed`, out)
	u.runs(0, "drain", node, "--undo")
	out, _ = u.runs(0, "nodes")
	require.Regexp(t, `(?m)^local +`+node+` +ready`, out)
	u.runs(0, "status", "shop")
}

// reads: what instances write, as the nodes have it.
func (r *real) reads(t *testing.T, u *user) {
	node := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if parts := strings.Split(q.URL.Path, "/"); len(parts) == 5 && parts[2] == r.namespace { // /containerLogs/NAMESPACE/POD/CONTAINER
			fmt.Fprintf(w, "one from %s\ntwo \x1b[31mtail=%s\n", parts[3], q.URL.Query().Get("tailLines"))
		}
	}))
	node.TLS = &tls.Config{}
	node.StartTLS()
	t.Cleanup(node.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(node.URL, "https://"), ":")
	patch := fmt.Sprintf(`{"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":%s}},"addresses":[{"type":"InternalIP","address":"127.0.0.1"}]}}`, port)
	for _, n := range strings.Fields(r.cluster.Kubectl(t, nil, "get", "nodes", "-o", "jsonpath={.items[*].metadata.name}")) {
		r.cluster.Kubectl(t, nil, "patch", "node", n, "--subresource=status", "--type=merge", "-p", patch)
	}
	out, _ := u.runs(0, "logs", "shop/db", "--tail", "5", "--container", "db")
	require.Contains(t, out, "shop-db-0 db: one from shop-db-0\n")
	require.NotContains(t, out, "\x1b", "what steers a terminal is shown, and steers nothing")
	require.Contains(t, out, "tail=5")
	u.runs(0, "logs", "shop", "--follow")
	_, errs := u.runs(3, "logs", "shop/db", "--container", "nobody")
	require.Contains(t, errs, "nobody")
}

// tells: what is not well of a deployment comes to who asked to be told, once.
func (r *real) tells(t *testing.T, u *user) {
	got := make(chan string, 16)
	to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		data, _ := io.ReadAll(q.Body)
		got <- string(data)
	}))
	t.Cleanup(to.Close)
	args := []string{"notify", "shop", "--to", to.URL, "--state", filepath.Join(u.home, "notices.json"), "--once", "--after", "0s"}
	u.runs(0, args...)
	require.Empty(t, got)
	r.kubectl("patch", "pod", "shop-db-0", "--subresource=status", "--type=merge", "-p", `{"status":{"containerStatuses":[{"name":"db","image":"x","imageID":"","ready":true,"restartCount":1,"state":{"running":{}},"lastState":{"terminated":{"exitCode":3,"reason":"Error","finishedAt":"2026-01-01T00:00:00Z"}}}]}}`)
	out, _ := u.runs(0, args...)
	require.Contains(t, out, "exited: shop/db: ")
	require.Contains(t, <-got, `"exited"`)
	u.runs(0, args...)
	require.Empty(t, got)
}
