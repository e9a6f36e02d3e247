package kubernetes

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/planedits"
	"kumiki.dev/targets"
	"kumiki.dev/test/kubernetes/kubetest"
)

// lively is an application in a namespace, which kumiki itself applies.
type lively struct {
	site
	*kubetest.Between
	file string // its solution
}

func newLively(t *testing.T, dir string) *lively {
	t.Helper()
	return newLivelyOn(t, newSite(t, "privileged"), dir)
}

func newLivelyOn(t *testing.T, s site, dir string) *lively {
	t.Helper()
	l := &lively{site: s, Between: s.Between(t)}
	l.file = l.compile(t, dir)
	return l
}

// compile writes the solution of a directory.
func (l *lively) compile(t *testing.T, dir string, flags ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "solution.json")
	_, stderr, err := kumiki(t, append([]string{"compile", dir, "--out", file}, flags...)...)
	require.NoError(t, err, stderr)
	return file
}

// try runs a command about what runs, and returns its exit code and all that it prints.
func (l *lively) try(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	cmd := l.command(args...)
	text, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		require.NoError(t, err)
	}
	return cmd.ProcessState.ExitCode(), string(text)
}

func (l *lively) command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Getenv("KUMIKI"), append(args, "-n", l.namespace, "--kubeconfig", l.Kubeconfig)...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	return cmd
}

func (l *lively) run(t *testing.T, args ...string) string {
	t.Helper()
	code, out := l.try(t, args...)
	require.Equal(t, 0, code, "kumiki %s\n%s", strings.Join(args, " "), out)
	return out
}

// untouched shows that a command has written nothing.
func (l *lively) untouched(t *testing.T) {
	t.Helper()
	_, writes, _ := l.Count()
	require.Zero(t, writes)
}

const shop = root + "/examples/shop"

// TestLive takes an application through its life: applied, applied again, changed by others,
// repaired, stopped and started, in a new version, removed.
func TestLive(t *testing.T) {
	t.Parallel()
	l := newLively(t, shop+"/deploy")
	l.first(t)
	l.again(t)
	l.image(t)
	l.drifts(t)
	l.halts(t)
	l.leaves(t)
}

func (l *lively) first(t *testing.T) {
	l.Count()
	out := l.run(t, "apply", l.file)
	require.Contains(t, out, "created: Deployment/shop-web (shop/web)\n")
	require.Contains(t, out, "shop is applied to namespace "+l.namespace)
	_, writes, tries := l.Count()
	require.Equal(t, 26, tries, "each object is tried once")
	require.Equal(t, 26+2, writes, "each object is written once, and the inventory before and after")
	require.Contains(t, l.run(t, "status", "shop"), "shop/api  3/3    healthy")
}

// again: nothing has changed, and nothing is written or tried.
func (l *lively) again(t *testing.T) {
	l.Count()
	require.Contains(t, l.run(t, "apply", l.file), "shop: nothing to do\n")
	all, writes, tries := l.Count()
	require.Zero(t, writes)
	require.Zero(t, tries)
	require.LessOrEqual(t, all, 9, "the inventory, and a list for each of eight kinds")
	require.Equal(t, "shop: no drift\n", l.run(t, "drift", "shop"))
	l.untouched(t)
}

// image: one workload is tried and written, and the inventory before and after. Between that, all is
// listed once before, once after the write and once in the end, and watched otherwise.
func (l *lively) image(t *testing.T) {
	dir := copyOf(t, "shop")
	edit(t, filepath.Join(dir, "web/web.cue"), "shop/web:2.3.1", "shop/web:2.3.2")
	for _, file := range []string{l.compile(t, filepath.Join(dir, "deploy")), l.file} {
		l.Count()
		require.Contains(t, l.run(t, "apply", file), "changed: Deployment/shop-web (shop/web)\n")
		all, writes, tries := l.Count()
		require.Equal(t, 1, tries)
		require.Equal(t, 1+2, writes)
		require.LessOrEqual(t, all, 1+3*8+1+tries+writes, "the inventory, three times eight lists, the inventories of others")
	}
}

// drifts: each thing that others change is told with who did it, and set right.
func (l *lively) drifts(t *testing.T) {
	l.Kubectl(t, nil, "scale", "-n", l.namespace, "deployment/shop-web", "--replicas=5")
	l.Kubectl(t, nil, "delete", "-n", l.namespace, "service/shop-db-sql")
	l.Kubectl(t, nil, "set", "env", "-n", l.namespace, "statefulset/shop-api", "ADDED=x")
	l.Kubectl(t, nil, "label", "-n", l.namespace, "service/shop-db", "team=a") // not ours
	l.Count()
	code, out := l.try(t, "drift", "shop")
	require.Equal(t, 4, code, out)
	require.Equal(t, `shop:
  missing: Service/shop-db-sql (shop/db): it is missing
  changed: Deployment/shop-web (shop/web)
    spec.replicas: 5, was 2, by kubectl
  changed: StatefulSet/shop-api (shop/api)
    spec.template.spec.containers[api].env[ADDED]: {"name":"ADDED","value":"x"}, was nothing, by kubectl-set
    spec.template.spec.initContainers[resolver].env[ADDED]: {"name":"ADDED","value":"x"}, was nothing, by kubectl-set
`, out)
	l.untouched(t)
	require.Contains(t, l.run(t, "apply", l.file), "spec.replicas: 5, was 2, by kubectl")
	require.Equal(t, "shop: no drift\n", l.run(t, "drift", "shop"))
	require.NotContains(t, l.Kubectl(t, nil, "get", "-n", l.namespace, "statefulset/shop-api", "-o", "yaml"), "ADDED")
	require.Contains(t, l.Kubectl(t, nil, "get", "-n", l.namespace, "service/shop-db", "-o", "yaml"), "team: a")
}

// halts: what is stopped stays so until it is started.
func (l *lively) halts(t *testing.T) {
	replicas := func() string {
		return l.Kubectl(t, nil, "get", "-n", l.namespace, "deployment/shop-web", "-o", "jsonpath={.spec.replicas}")
	}
	l.run(t, "stop", "shop/web")
	require.Equal(t, "0", replicas())
	require.Contains(t, l.run(t, "apply", l.file), "shop/web is stopped, and stays so")
	require.Equal(t, "0", replicas())
	require.Contains(t, l.run(t, "status", "shop"), "stopped")
	l.run(t, "start", "shop")
	require.Equal(t, "2", replicas(), "what was stopped by itself is started with all")
}

// leaves: delete names all that goes, and leaves nothing but data.
func (l *lively) leaves(t *testing.T) {
	out := l.run(t, "delete", "shop")
	require.Contains(t, out, "keep: PersistentVolumeClaim/shop-db-shop-db-0: it holds data; --allow-data-loss shop/db/shop-db removes it\n")
	require.Empty(t, l.ours(t))
	require.Len(t, l.list(t, "persistentvolumeclaims"), 1)
}

// ours are the objects in the namespace that kumiki has made.
func (l *lively) ours(t *testing.T) (ids []string) {
	t.Helper()
	const kinds = "serviceaccounts,networkpolicies,configmaps,services,deployments,statefulsets,daemonsets,poddisruptionbudgets,horizontalpodautoscalers,ingresses,jobs,secrets"
	for id := range l.list(t, kinds, "-l", "app.kubernetes.io/managed-by=kumiki") {
		ids = append(ids, id)
	}
	return ids
}

// TestLiveEdits makes edits of the table through kumiki apply, every eighth or with
// KUMIKI_EDITS=all all of them, and takes each back: what
// there is then is what a fresh apply makes, and the roles whose pods are replaced are those
// that the plan names. Data is lost only where that is allowed.
func TestLiveEdits(t *testing.T) {
	t.Parallel()
	all, err := planedits.All()
	require.NoError(t, err)
	cases := map[string][]planedits.Edit{}
	for _, e := range all {
		cases[e.Base] = append(cases[e.Base], e)
	}
	for name, list := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base, err := planedits.Base(filepath.Join(root, "testdata/cases"), name)
			require.NoError(t, err)
			s := newSite(t, "privileged")
			s.Kubectl(t, nil, "label", "nodes", "--all", "--overwrite", "zone=a") // where an edit wants instances
			v := &deployed{site: s, base: base}
			l := &lively{site: s, Between: s.Between(t), file: v.write(t, base)}
			s.provide(t, v.kumiki(t, "lower", l.file))
			l.run(t, "apply", l.file)
			v.stream = v.kumiki(t, "lower", l.file)
			for n, e := range list {
				if n%8 != 0 && os.Getenv("KUMIKI_EDITS") != "all" {
					continue
				}
				text, err := e.Apply(base)
				require.NoError(t, err)
				l.thereAndBack(t, v, e.Name, v.write(t, text))
			}
			v.whole(t)
		})
	}
}

// thereAndBack goes to another version and back.
func (l *lively) thereAndBack(t *testing.T, v *deployed, name, file string) {
	t.Helper()
	l.provide(t, v.kumiki(t, "lower", file))
	before := l.site.pods(t, targets.RoleLabel)
	var plan struct{ Restarts []string }
	require.NoError(t, json.Unmarshal(v.kumiki(t, "plan", l.file, file, "-o", "json", "--allow-data-loss", "shop", "--allow-data-loss", "platform"), &plan))
	var want []string
	for _, place := range plan.Restarts {
		_, role, _ := strings.Cut(place, "/")
		want = append(want, role)
	}
	slices.Sort(want)
	allowed := []string{"--allow-data-loss", "shop", "--allow-data-loss", "platform"}
	l.run(t, append([]string{"apply", file}, allowed...)...)
	require.Equal(t, want, changed(t, before, l.site.pods(t, targets.RoleLabel)), name)
	l.Count()
	l.run(t, append([]string{"apply", file}, allowed...)...)
	_, writes, tries := l.Count()
	require.Zero(t, writes+tries, name)
	l.run(t, append([]string{"apply", l.file}, allowed...)...)
}

// TestLiveRefused: all that the cluster refuses is told before anything is written.
func TestLiveRefused(t *testing.T) {
	t.Parallel()
	l := newLively(t, shop+"/deploy")
	quota := `apiVersion: v1
kind: ResourceQuota
metadata: {name: none}
spec: {hard: {count/services: "0", count/ingresses.networking.k8s.io: "0"}}
`
	l.Kubectl(t, []byte(quota), "apply", "-n", l.namespace, "-f", "-")
	require.Eventually(t, func() bool {
		return strings.Contains(l.Kubectl(t, nil, "get", "resourcequota/none", "-n", l.namespace, "-o", "jsonpath={.status.hard}"), "services")
	}, time.Minute, 50*time.Millisecond)
	code, out := l.try(t, "apply", shop+"/deploy")
	require.Equal(t, 5, code, out)
	require.Equal(t, 10, strings.Count(out, "[live/refused]"), "nine Services and the Ingress:\n%s", out)
	require.Regexp(t, `(?m)^\S*shop.cue:\d+:\d+: Ingress/shop-entry: the cluster refuses it: .*exceeded quota`, out)
	l.untouched(t)
}

// TestLiveForeign: what somebody else has made is refused, and taken over when that is meant.
func TestLiveForeign(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	name := ""
	for _, line := range strings.Split(l.run(t, "apply", l.file, "--dry-run=server"), "\n") {
		if rest, ok := strings.CutPrefix(line, "create  "+l.namespace+"/ServiceAccount/"); ok {
			name = rest
		}
	}
	require.NotEmpty(t, name)
	l.untouched(t)
	l.Kubectl(t, nil, "create", "serviceaccount", name, "-n", l.namespace)
	code, out := l.try(t, "apply", l.file)
	require.Equal(t, 5, code, out)
	require.Contains(t, out, "ServiceAccount/"+name+": it is there already, and nothing says who made it; say --adopt to take it over")
	l.untouched(t)
	require.Contains(t, l.run(t, "apply", l.file, "--adopt"), "adopted: ServiceAccount/"+name)
	l.run(t, "delete", solutionOf(t, l.file))
	require.Empty(t, l.ours(t))
}

// TestLiveForeignFixed: a Deployment of somebody else's with another selector, which cannot be
// changed, is told as theirs, and is made anew only when that is meant.
func TestLiveForeignFixed(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	l.Kubectl(t, nil, "create", "deployment", "hello-hello", "--image=x", "-n", l.namespace)
	code, out := l.try(t, "apply", l.file)
	require.Equal(t, 5, code, out)
	require.Contains(t, out, "Deployment/hello-hello: it is there already, and was made by kubectl-create")
	require.Contains(t, out, "with a field that cannot change, so that it would be removed and made anew; say --adopt to take it over")
	require.Contains(t, out, "[live/foreign]")
	require.NotContains(t, out, "[live/refused]")
	l.untouched(t)
	require.Contains(t, l.run(t, "apply", l.file, "--adopt"), "made anew: Deployment/hello-hello")
	require.Equal(t, "hello: no drift\n", l.run(t, "drift"))
	l.run(t, "delete", "hello")
	require.Empty(t, l.ours(t))
}

func solutionOf(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	var s struct{ Ref struct{ Name string } }
	require.NoError(t, json.Unmarshal(data, &s))
	return s.Ref.Name
}

// TestLiveUnhealthy: an image that never starts is told in the words of its role.
func TestLiveUnhealthy(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	l.Kubectl(t, []byte("apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: none}\nspec: {hard: {pods: \"0\"}}\n"), "apply", "-n", l.namespace, "-f", "-")
	code, out := l.try(t, "apply", l.file, "--timeout", "4s")
	require.Equal(t, 7, code, out)
	require.Contains(t, out, "[live/unhealthy]")
	require.Contains(t, out, "exceeded quota: none")
	code, out = l.try(t, "status")
	require.Equal(t, 6, code, out)
	l.Kubectl(t, nil, "delete", "resourcequota/none", "-n", l.namespace)
	l.run(t, "apply", l.file)
	l.run(t, "status")
}

// TestLiveScaled: the number of instances is an autoscaler's, within its bounds.
func TestLiveScaled(t *testing.T) {
	t.Parallel()
	l := newLively(t, shop+"/deploy")
	l.run(t, "apply", l.file)
	l.Kubectl(t, nil, "autoscale", "deployment/shop-web", "-n", l.namespace, "--min=2", "--max=6")
	l.Kubectl(t, nil, "scale", "-n", l.namespace, "deployment/shop-web", "--replicas=4")
	l.Kubectl(t, nil, "rollout", "status", "-n", l.namespace, "deployment/shop-web")
	l.Count()
	require.Equal(t, `shop:
  scaled: Deployment/shop-web (shop/web): HorizontalPodAutoscaler/shop-web keeps from 2 to 6
    spec.replicas: 4, was 2, by kubectl
`, l.run(t, "drift", "shop"))
	require.Contains(t, l.run(t, "apply", l.file), "shop: nothing to do")
	l.untouched(t)
	l.run(t, "restart", "shop/web")
	require.Equal(t, "4", l.Kubectl(t, nil, "get", "-n", l.namespace, "deployment/shop-web", "-o", "jsonpath={.spec.replicas}"))
	l.Kubectl(t, nil, "scale", "-n", l.namespace, "deployment/shop-web", "--replicas=9")
	code, out := l.try(t, "drift", "shop")
	require.Equal(t, 4, code, out)
}

// TestLiveKilled kills kumiki at each of its writes, by turns before the API server has it and
// when it was done, on the way up and on the way down: the next run comes to the same end.
func TestLiveKilled(t *testing.T) {
	t.Parallel()
	l := newLively(t, root+"/examples/hello/deploy")
	name := solutionOf(t, l.file)
	l.Count()
	l.run(t, "apply", l.file)
	_, up, _ := l.Count()
	want := l.ours(t)
	l.run(t, "delete", name)
	_, down, _ := l.Count()
	require.Empty(t, l.ours(t))
	for _, way := range []struct {
		args   []string
		writes int
	}{{[]string{"apply", l.file}, up}, {[]string{"delete", name}, down}} {
		for n := 1; n <= way.writes; n++ {
			done := n%2 == 0
			t.Run(way.args[0]+"/"+strconv.Itoa(n), func(t *testing.T) {
				if way.args[0] == "delete" {
					l.run(t, "apply", l.file)
				}
				l.killed(t, n, done, way.args...)
				require.NotContains(t, l.run(t, "apply", l.file), "adopted", "all of it is ours")
				require.ElementsMatch(t, want, l.ours(t))
				require.Contains(t, l.run(t, "drift", name), "no drift")
				l.run(t, "delete", name)
				require.Empty(t, l.ours(t))
			})
		}
	}
}

// killed runs a command and kills it at its n-th write, before that or when it is done.
func (l *lively) killed(t *testing.T, n int, done bool, args ...string) {
	t.Helper()
	cmd := l.command(args...)
	var count atomic.Int32
	reached := func(r kubetest.Request, is bool) bool {
		if !r.IsWrite() || is != done || int(count.Add(1)) != n {
			return true
		}
		_ = cmd.Process.Kill()
		return false
	}
	l.Stop(func(r kubetest.Request) bool { return reached(r, false) }, func(r kubetest.Request) { reached(r, true) })
	require.NoError(t, cmd.Start())
	_ = cmd.Wait()
	l.Stop(nil, nil)
}
