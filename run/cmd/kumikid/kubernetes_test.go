package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/record"
	"kumiki.dev/test/kubernetes/kubetest"
)

// real is a manager whose environment local is a namespace of a real API server.
type real struct {
	*daemon
	*kubetest.Between
	cluster   *kubetest.Cluster
	namespace string
}

func newReal(t *testing.T) *real {
	t.Helper()
	c := apiServer(t)
	r := &real{cluster: c, Between: c.Between(t), namespace: c.Namespace(t, "pod-security.kubernetes.io/enforce=privileged")}
	r.daemon = newDaemon(t, "KUMIKID_KUBECONFIG="+r.Kubeconfig, "KUMIKID_NAMESPACE="+r.namespace, "DOCKER_HOST=unix://"+t.TempDir()+"/none")
	return r
}

func (r *real) kubectl(args ...string) string {
	r.t.Helper()
	return r.cluster.Kubectl(r.t, nil, append(args, "-n", r.namespace)...)
}

// TestKubernetes takes a deployment through its life on a real API server: killed while it is
// made, changed by others, updated, taken back, recovered after all that was kept is lost, and
// removed.
func TestKubernetes(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	digest := r.upload(shop)
	r.kill()
	r.start("KUMIKID_CRASH=object:12")
	r.crashed(r.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": m{"bundle": digest}}))
	require.Equal(t, 1, r.applied("shop"))
	require.Equal(t, "2", r.kubectl("get", "deployment/shop-web", "-o", "jsonpath={.status.readyReplicas}"))

	r.Count()
	again := r.well(r.ask(202, "PATCH", "/v1/deployments/shop", m{"labels": m{"stage": "test"}}, r.of("shop")))
	_, writes, _ := r.Count()
	require.Zero(t, writes, "what is the same is not written")
	require.Empty(t, again.Steps)

	r.lists(t)
	r.stops(t)
	r.drifts(t)
	r.guarded(t)
	r.recovers(t)

	r.well(r.ask(202, "DELETE", "/v1/deployments/shop?allowData=shop", nil, r.of("shop")))
	require.Empty(t, r.kubectl("get", "deployments,statefulsets,services,configmaps,persistentvolumeclaims", "-o", "name", "-l", "app.kubernetes.io/managed-by=kumiki"))
}

// drifts: what others have changed is told, and set right by the next change.
func (r *real) drifts(t *testing.T) {
	r.kubectl("scale", "deployment/shop-web", "--replicas=5")
	r.kubectl("delete", "service/shop-db-sql")
	var seen struct {
		Drift []struct {
			Kind, Object string
			Fields       []string
		}
		Roles []struct{ Place string }
	}
	r.ask(200, "GET", "/v1/deployments/shop/status", nil).read(t, &seen)
	require.Len(t, seen.Drift, 2)
	require.Equal(t, "Service/shop-db-sql", seen.Drift[0].Object)
	require.Equal(t, []string{"spec.replicas"}, seen.Drift[1].Fields)
	require.Len(t, seen.Roles, 3)
	o := r.well(r.ask(202, "PATCH", "/v1/deployments/shop", changed, r.of("shop")))
	require.Contains(t, o.Steps, record.Step{Action: "create", Object: "Service/shop-db-sql", Place: "shop/db"})
	require.Equal(t, "2", r.kubectl("get", "deployment/shop-web", "-o", "jsonpath={.spec.replicas}"))
	r.well(r.ask(202, "POST", "/v1/deployments/shop/rollback", m{"manifest": 1}, r.of("shop")))
}

// guarded: what the API server refuses, or what nobody has allowed, changes nothing.
func (r *real) guarded(t *testing.T) {
	r.kubectl("create", "deployment", "hello-hello", "--image=example.com/other:1")
	r.Count()
	o := r.ended(r.ask(202, "POST", "/v1/deployments", m{"name": "hello", "input": m{"bundle": r.upload(hello)}}))
	_, writes, _ := r.Count()
	require.Equal(t, "manager/refused", o.Error.Code)
	require.Contains(t, fmt.Sprint(o.Error.Problems), "Deployment/hello-hello: ")
	require.Zero(t, writes)
	require.Contains(t, r.kubectl("get", "deployment/hello-hello", "-o", "yaml"), "example.com/other:1")
	r.well(r.ask(202, "DELETE", "/v1/deployments/hello", nil, r.of("hello")))
	require.Contains(t, r.kubectl("get", "deployment/hello-hello", "-o", "yaml"), "example.com/other:1")
}

// recovers: after all that was kept is lost, the deployment is made of what runs.
func (r *real) recovers(t *testing.T) {
	r.kill()
	state := filepath.Join(r.dir, "state")
	require.NoError(t, os.RemoveAll(state))
	r.Count()
	var out, errs bytes.Buffer
	args := []string{"recover", "--dir", state, "--kubeconfig", r.Kubeconfig, "-n", r.namespace, "-t", "kubernetes"}
	require.Zero(t, run(t.Context(), args, &out, &errs), "%s", &errs)
	require.Equal(t, "recovered: shop\n", out.String())
	_, writes, _ := r.Count()
	require.Zero(t, writes)
	out.Reset()
	require.Zero(t, run(t.Context(), args, &out, &errs), "%s", &errs)
	require.Equal(t, "left: shop: there is a deployment of that name already\n", out.String())
	r.start()
	require.Equal(t, 1, r.applied("shop"))
	require.Contains(t, string(r.ask(200, "GET", "/v1/types", nil).body), "shop/web")
	r.Count()
	r.well(r.ask(202, "POST", "/v1/deployments/shop/rollback", m{"manifest": 1}, r.of("shop")))
	_, writes, _ = r.Count()
	require.Zero(t, writes)
	require.Equal(t, 409, r.ask(409, "PATCH", "/v1/deployments/shop", changed, r.of("shop")).status)
	require.False(t, strings.Contains(string(r.ask(200, "GET", "/v1/deployments", nil).body), "hello"))
}
