package kubernetes

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// watching is a command that goes on, with the lines that it has printed.
type watching struct {
	cmd   *exec.Cmd
	mu    sync.Mutex
	lines []watchedLine
}

type watchedLine struct {
	text string
	at   time.Time
}

// watch starts a command that goes on, until the test ends.
func watch(t testing.TB, cmd *exec.Cmd) *watching {
	t.Helper()
	w := &watching{cmd: cmd}
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	cmd.Stderr = cmd.Stdout
	require.NoError(t, cmd.Start())
	go w.read(out)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return w
}

func (w *watching) read(out io.Reader) {
	for s := bufio.NewScanner(out); s.Scan(); {
		w.mu.Lock()
		w.lines = append(w.lines, watchedLine{s.Text(), time.Now()})
		w.mu.Unlock()
	}
}

// first is the first line from one on that contains a text, and when it was printed; it waits
// for it.
func (w *watching) first(t testing.TB, from int, text string) (int, time.Time) {
	t.Helper()
	for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(2 * time.Millisecond) {
		w.mu.Lock()
		for i, line := range w.lines {
			if i >= from && strings.Contains(line.text, text) {
				w.mu.Unlock()
				return i, line.at
			}
		}
		w.mu.Unlock()
	}
	t.Fatalf("%q does not come; there is:\n%s", text, w.all())
	return 0, time.Time{}
}

// count is how many lines there are.
func (w *watching) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.lines)
}

func (w *watching) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var texts []string
	for _, line := range w.lines {
		texts = append(texts, line.text)
	}
	return strings.Join(texts, "\n")
}

// ready waits until a watch knows all that is there: it tells of an object that is somebody
// else's then.
func (l *lively) ready(t testing.TB, w *watching, solution string) {
	t.Helper()
	l.Kubectl(t, fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stranger-%s", "labels": {"app.kubernetes.io/managed-by": "kumiki", "kumiki.dev/solution": %[1]q}}}`, solution), "create", "-n", l.namespace, "-f", "-")
	w.first(t, 0, "residue: ConfigMap/stranger-"+solution)
	l.Kubectl(t, nil, "delete", "-n", l.namespace, "configmap/stranger-"+solution)
	w.first(t, 0, "as it was made: ConfigMap/stranger-"+solution)
}

// TestLiveWatches: what others change is told when it happens and set right; what kumiki
// itself does is no drift.
func TestLiveWatches(t *testing.T) {
	t.Parallel()
	l := newLively(t, shop+"/deploy")
	l.run(t, "apply", l.file)
	tells := watch(t, l.command("drift", "--watch"))
	l.ready(t, tells, "shop")

	l.Kubectl(t, nil, "scale", "-n", l.namespace, "deployment/shop-web", "--replicas=5")
	n, _ := tells.first(t, 0, "shop: changed: Deployment/shop-web (shop/web)")
	tells.first(t, n, "  spec.replicas: 5, was 2, by kubectl")
	l.run(t, "drift", "shop", "--repair")
	tells.first(t, n, "shop: as it was made: Deployment/shop-web")

	dir := copyOf(t, "shop")
	edit(t, filepath.Join(dir, "deploy/deployment.cue"), "web: hsize: 2", "web: hsize: 3")
	before := tells.all()
	l.run(t, "apply", filepath.Join(dir, "deploy"))
	l.run(t, "delete", "shop")
	l.run(t, "apply", l.file)
	l.ready(t, tells, "shop")
	after := strings.TrimPrefix(tells.all(), before)
	require.NotRegexp(t, `missing|changed|outdated`, after, "what apply and delete do is no drift")

	sets := watch(t, l.command("drift", "shop", "--watch", "--repair", "--yes", "-o", "json"))
	l.Kubectl(t, nil, "delete", "-n", l.namespace, "service/shop-db-sql")
	n, _ = sets.first(t, 0, `"object":"Service/shop-db-sql","findings":[{"kind":"missing"`)
	sets.first(t, n, `"object":"Service/shop-db-sql","findings":[]`)
	require.NotEmpty(t, l.Kubectl(t, nil, "get", "-n", l.namespace, "service/shop-db-sql", "-o", "name"))
	require.Eventually(t, func() bool {
		code, _ := l.try(t, "drift", "shop")
		return code == 0
	}, 20*time.Second, 100*time.Millisecond)
}
