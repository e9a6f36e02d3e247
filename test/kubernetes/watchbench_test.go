package kubernetes

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkLiveWatch prints how long it takes until kumiki drift --watch has told of a foreign
// edit, until it has set it right, and until kumiki status --watch has told why a role is not
// healthy, each as a distribution, and the memory of the watch: with N copies of the shop
// (KUMIKI_COPIES, else 1), 27 objects each. Times are from when the API server is asked for the
// edit to when the line is read.
func BenchmarkLiveWatch(b *testing.B) {
	w := newBench(b)
	w.cluster.Kubectl(b, nil, "create", "namespace", "kumiki")
	w.row("first install, kumiki until healthy", w.kumiki("apply", w.compile(w.copies))...)
	w.head()
	l := &lively{site: site{w.cluster, "kumiki"}, Between: w.Between}
	tells := watch(b, l.command("drift", "--watch"))
	l.ready(b, tells, "shop0")
	w.distribution("foreign edit told", 100, func(i int) time.Duration {
		return w.edited(l, tells, i, 3+i/w.copies%2, "changed: Deployment/")
	})
	fmt.Printf("drift --watch: %s\n", w.memory(tells.cmd))
	end(tells)

	w.row("drift --repair of all", []string{os.Getenv("KUMIKI"), "drift", "--repair", "--yes", "-n", "kumiki", "--kubeconfig", w.Kubeconfig})
	heals := watch(b, l.command("drift", "--watch", "--repair", "--yes"))
	l.ready(b, heals, "shop0")
	w.distribution("foreign edit healed", min(60, 3*w.copies), func(i int) time.Duration {
		return w.edited(l, heals, i, 5, "repaired: Deployment/")
	})
	fmt.Printf("drift --watch --repair: %s\n", w.memory(heals.cmd))
	end(heals)
	status := watch(b, l.command("status", "shop0", "--watch"))
	status.first(b, 0, "shop0/web")
	w.distribution("cause told", 20, func(i int) time.Duration { return w.broken(l, status, i) })
	end(status)
}

func end(w *watching) {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// edited sets the number of instances of a role, and waits for a line about it.
func (w *bench) edited(l *lively, tells *watching, i, replicas int, line string) time.Duration {
	name := fmt.Sprintf("shop%d-web", i%w.copies)
	from := tells.count()
	begun := w.patch("/apis/apps/v1/namespaces/kumiki/deployments/"+name, fmt.Sprintf(`{"spec":{"replicas":%d}}`, replicas))
	_, at := tells.first(w.b, from, line+name)
	return at.Sub(begun)
}

// broken lets a container of a pod say that it cannot start, and waits until that is told.
func (w *bench) broken(l *lively, status *watching, i int) time.Duration {
	pod := strings.Fields(l.Kubectl(w.b, nil, "get", "pods", "-n", "kumiki", "-l", "kumiki.dev/solution=shop0,kumiki.dev/role=web", "-o", `jsonpath={.items[*].metadata.name}`))[0]
	reason := fmt.Sprintf("image number %d is not there", i)
	begun := w.patch("/api/v1/namespaces/kumiki/pods/"+pod+"/status", fmt.Sprintf(
		`{"status":{"conditions":[{"type":"Ready","status":"False"},{"type":"ContainersReady","status":"False"}],"containerStatuses":[{"name":"web","ready":false,"image":"x","imageID":"","restartCount":0,"state":{"waiting":{"reason":"ErrImagePull","message":%q}}}]}}`, reason))
	n, at := status.first(w.b, 0, reason)
	l.Kubectl(w.b, nil, "delete", "pod", pod, "-n", "kumiki", "--wait=false")
	status.first(w.b, n+1, "2/2")
	return at.Sub(begun)
}

// patch changes an object as somebody else, and returns when that was begun.
func (w *bench) patch(path, body string) time.Time {
	begun := time.Now()
	request, err := http.NewRequest(http.MethodPatch, w.URL+path, strings.NewReader(body))
	if err != nil {
		w.b.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/strategic-merge-patch+json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		w.b.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		w.b.Fatalf("%s: %s", path, answer.Status)
	}
	return begun
}

// distribution prints how long something takes that is done n times.
func (w *bench) distribution(what string, n int, do func(i int) time.Duration) {
	w.Count()
	var all []time.Duration
	for i := range n {
		all = append(all, do(i))
		time.Sleep(20 * time.Millisecond)
	}
	slices.Sort(all)
	at := func(part int) time.Duration { return all[min(n*part/100, n-1)].Round(time.Millisecond) }
	fmt.Printf("%s, %d times: p50 %v, p90 %v, p99 %v, most %v\n", what, n, at(50), at(90), at(99), at(100))
}

// memory is what a command has taken, and what it takes now.
func (w *bench) memory(cmd *exec.Cmd) string {
	text, err := os.ReadFile(filepath.Join("/proc", fmt.Sprint(cmd.Process.Pid), "status"))
	if err != nil {
		w.b.Fatal(err)
	}
	var out []string
	for _, line := range strings.Split(string(text), "\n") {
		if name, value, ok := strings.Cut(line, ":"); ok && (name == "VmHWM" || name == "VmRSS") {
			out = append(out, name+" "+strings.Join(strings.Fields(value), " "))
		}
	}
	return strings.Join(out, ", ")
}
