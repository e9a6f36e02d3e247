package kubernetes

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kumiki.dev/test/kubernetes/kubetest"
)

// BenchmarkLive prints what it takes to apply N copies of the shop (KUMIKI_COPIES, else 1), 27
// objects each, to apply them again, with another image in one of them, and without two of its
// roles: by kumiki, by kubectl apply --server-side and, where these are on PATH, by helm and by
// kapp, each in a namespace of its own on one API server. Time is that of the whole process, or
// of all of them for helm, which knows one release at a time; CPU is without that of the API
// server.
func BenchmarkLive(b *testing.B) {
	w := newBench(b)
	first := w.compile(w.copies)
	image := w.other(first, func(dir string) { w.edit(dir, "web/web.cue", "shop/web:2.3.1", "shop/web:2.3.2") })
	less := w.other(first, w.withoutFront)
	tools := w.tools()
	w.head()
	for _, t := range tools {
		w.row("first install, "+t.name, t.apply(first)...)
	}
	w.row("until healthy, kumiki", w.kumiki("apply", first)...)
	for range max(1, 3/w.copies) {
		for _, t := range tools {
			w.row("nothing changed, "+t.name, t.apply(first)...)
		}
	}
	w.row("drift, kumiki", []string{os.Getenv("KUMIKI"), "drift", "-n", "kumiki", "--kubeconfig", w.Kubeconfig})
	for _, t := range tools {
		rollout := w.rollout(t.name)
		w.row("one image, "+t.name, t.apply(image)...)
		fmt.Printf("%s: %.2f s from the write to the end of the rollout, by the API server\n", t.name, rollout().Seconds())
	}
	for _, t := range tools {
		before := w.count(t.name)
		w.row("two roles removed, "+t.name, t.apply(less)...)
		fmt.Printf("%s: %d objects fewer\n", t.name, before-w.count(t.name))
	}
}

// tool applies solutions, by command lines that follow each other.
type tool struct {
	name  string
	apply func(files []string) [][]string
}

// tools are those that there are; each has a namespace that is called as it is.
func (w *bench) tools() []tool {
	all := []tool{{"kubectl", w.kubectl}, {"kumiki", func(files []string) [][]string {
		lines := w.kumiki("apply", files)
		if !w.installed["kumiki"] { // as the others, for the first time
			lines[0] = append(lines[0], "--wait=false")
		}
		w.installed["kumiki"] = true
		return lines
	}}}
	for _, t := range []tool{{"helm", w.helm}, {"kapp", w.kapp}} {
		if _, err := exec.LookPath(t.name); err == nil {
			all = append(all, t)
		} else {
			fmt.Printf("there is no %s on PATH, which would be measured too\n", t.name)
		}
	}
	for _, t := range all {
		w.cluster.Kubectl(w.b, nil, "create", "namespace", t.name)
	}
	return all
}

func (w *bench) kumiki(command string, files []string) [][]string {
	return [][]string{append([]string{os.Getenv("KUMIKI"), command, "--yes", "-q", "-n", "kumiki", "--kubeconfig", w.Kubeconfig}, files...)}
}

func (w *bench) kubectl(files []string) [][]string {
	return [][]string{{os.Getenv("KUBECP"), "kubectl", "apply", "--server-side", "--kubeconfig", w.Kubeconfig, "-n", "kubectl", "-f", w.stream(files, "kubectl")}}
}

func (w *bench) kapp(files []string) [][]string {
	return [][]string{{"kapp", "deploy", "-y", "-a", "shops", "-n", "kapp", "--kubeconfig", w.Kubeconfig, "-f", w.stream(files, "kapp")}}
}

// helm makes a chart of each solution, which has its objects as they are.
func (w *bench) helm(files []string) (lines [][]string) {
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(filepath.Dir(file)), ".json")
		objects, err := os.ReadFile(w.stream([]string{file}, "helm"))
		chart := file + "-chart"
		if err == nil {
			err = os.MkdirAll(chart+"/templates", 0o700)
		}
		if err == nil {
			objects = bytes.ReplaceAll(objects, []byte("{{"), []byte(`{{"{{"}}`))
			err = os.WriteFile(chart+"/templates/all.yaml", objects, 0o600)
		}
		if err == nil {
			err = os.WriteFile(chart+"/Chart.yaml", []byte("apiVersion: v2\nname: shop\nversion: 1.0.0\n"), 0o600)
		}
		if err != nil {
			w.b.Fatal(err)
		}
		lines = append(lines, []string{"helm", "upgrade", "--install", name, chart, "--wait", "-n", "helm", "--kubeconfig", w.Kubeconfig})
	}
	return lines
}

// bench runs commands and counts what they take.
type bench struct {
	*kubetest.Between
	cluster   *kubetest.Cluster
	copies    int
	dir       string
	installed map[string]bool
	b         *testing.B
}

func newBench(b *testing.B) *bench {
	copies, _ := strconv.Atoi(os.Getenv("KUMIKI_COPIES"))
	copies = max(copies, 1)
	c := kubetest.Own(b, 2+copies) // with room for all pods
	return &bench{Between: c.Between(b), cluster: c, copies: copies, dir: b.TempDir(), installed: map[string]bool{}, b: b}
}

// compile makes solutions of the shop: shop0 and so on, each in a directory of its own.
func (w *bench) compile(copies int) (files []string) {
	dir := w.shop(func(string) {})
	for i := range copies {
		files = append(files, w.solution(dir, fmt.Sprintf("shop%d", i)))
	}
	return files
}

// other are the same solutions, but for the first, of which the sources are edited.
func (w *bench) other(files []string, edit func(dir string)) []string {
	return append([]string{w.solution(w.shop(edit), "shop0")}, files[1:]...)
}

func (w *bench) solution(dir, name string) string {
	at, err := os.MkdirTemp(w.dir, "solution")
	file := filepath.Join(at, name, "solution.json")
	if err == nil {
		err = os.Mkdir(filepath.Dir(file), 0o700)
	}
	if err != nil {
		w.b.Fatal(err)
	}
	if out, err := exec.Command(os.Getenv("KUMIKI"), "compile", filepath.Join(dir, "deploy"), "--name", name, "--out", file).CombinedOutput(); err != nil {
		w.b.Fatalf("%v: %s", err, out)
	}
	return file
}

// shop is a copy of the example that was edited.
func (w *bench) shop(edit func(dir string)) string {
	dir, err := os.MkdirTemp(w.dir, "shop")
	if err == nil {
		err = os.CopyFS(dir+"/shop", os.DirFS(shop))
	}
	if err != nil {
		w.b.Fatal(err)
	}
	edit(dir + "/shop")
	return dir + "/shop"
}

// edit replaces a text, which is there once, by another.
func (w *bench) edit(dir, name, old, with string) {
	file := filepath.Join(dir, name)
	text, err := os.ReadFile(file)
	if err == nil && bytes.Count(text, []byte(old)) != 1 {
		err = fmt.Errorf("%s has %q not once", name, old)
	}
	if err == nil {
		err = os.WriteFile(file, bytes.Replace(text, []byte(old), []byte(with), 1), 0o600)
	}
	if err != nil {
		w.b.Fatal(err)
	}
}

// withoutFront takes the roles entry and web away.
func (w *bench) withoutFront(dir string) {
	file := filepath.Join(dir, "shop/shop.cue")
	text, err := os.ReadFile(file)
	if err != nil {
		w.b.Fatal(err)
	}
	roles, after, _ := strings.Cut(string(text), "			entry: {\n				artifact: i.")
	_, after, _ = strings.Cut(after, "			api: {\n")
	if err := os.WriteFile(file, []byte(roles+"			api: {\n"+after), 0o600); err != nil {
		w.b.Fatal(err)
	}
	w.edit(dir, "shop/shop.cue", "	i \"kumori.systems/builtins/inbound:service\"\n	w \"kumiki.example/shop/web@v2:component\"\n", "")
	w.edit(dir, "shop/shop.cue", "			entry: {as: \"lb\", from: entry: \"inbound\", to: web: entry: _}\n			api: {as: \"lb\", from: web: \"api\", to: api: rest: _}\n", "")
	w.edit(dir, "deploy/deployment.cue", "			web: hsize: 2\n", "")
}

// stream writes the objects of solutions to a file.
func (w *bench) stream(files []string, namespace string) string {
	var all bytes.Buffer
	for _, file := range files {
		out, err := exec.Command(os.Getenv("KUMIKI"), "lower", file, "-t", "kubernetes", "-n", namespace).Output()
		if err != nil {
			w.b.Fatal(err)
		}
		all.Write(out)
	}
	f, err := os.CreateTemp(w.dir, "*.yaml")
	if err == nil {
		_, err = f.Write(all.Bytes())
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		w.b.Fatal(err)
	}
	return f.Name()
}

// head prints how many objects there are, and what else the machine does.
func (w *bench) head() {
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%d objects, load %s\n| what | s | CPU s | MB | requests | writes | tries |\n|---|---|---|---|---|---|---|\n", 27*w.copies, strings.Join(strings.Fields(string(load))[:3], " "))
}

// row runs commands and prints what they took. Drift may be found: others write, too.
func (w *bench) row(what string, lines ...[]string) {
	w.Count()
	var took, cpu time.Duration
	var most int64
	for _, line := range lines {
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Env = append(os.Environ(), "NO_COLOR=1")
		begun := time.Now()
		out, err := cmd.CombinedOutput()
		took += time.Since(begun)
		if err != nil && cmd.ProcessState.ExitCode() != 4 {
			w.b.Fatalf("%s: %v\n%.2000s", what, err, out)
		}
		usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
		cpu += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		most = max(most, usage.Maxrss>>10)
	}
	all, writes, tries := w.Count()
	fmt.Printf("| %s | %.2f | %.2f | %d | %d | %d | %d |\n", what, took.Seconds(), cpu.Seconds(), most, all, writes, tries)
}

// rollout watches the Deployment of a namespace that gets another image. What it returns waits until
// the rollout has ended, and returns how long that took from the first version of the Deployment with
// the image on: the share of an apply that is the control plane's.
func (w *bench) rollout(namespace string) func() time.Duration {
	const path = "/apis/apps/v1/namespaces/%s/deployments?watch=true&fieldSelector=metadata.name%%3Dshop0-web"
	answer, err := http.Get(w.URL + fmt.Sprintf(path, namespace))
	if err != nil {
		w.b.Fatal(err)
	}
	took := make(chan time.Duration, 1)
	go func() {
		defer answer.Body.Close()
		var begun time.Time
		for events := json.NewDecoder(answer.Body); ; {
			var event struct {
				Object struct {
					Metadata struct{ Generation int64 }
					Spec     struct{ Replicas int }
					Status   struct {
						ObservedGeneration                           int64
						Replicas, UpdatedReplicas, AvailableReplicas int
					}
				}
			}
			if events.Decode(&event) != nil {
				return
			}
			o := event.Object
			switch behind := o.Status.ObservedGeneration < o.Metadata.Generation; {
			case behind && begun.IsZero():
				begun = time.Now()
			case !behind && !begun.IsZero() && o.Status.Replicas == o.Spec.Replicas && o.Status.UpdatedReplicas == o.Spec.Replicas && o.Status.AvailableReplicas == o.Spec.Replicas:
				took <- time.Since(begun)
				return
			}
		}
	}()
	return func() time.Duration {
		select {
		case d := <-took:
			return d
		case <-time.After(2 * time.Minute):
			w.b.Fatal("the rollout does not end")
			return 0
		}
	}
}

// count is how many objects of the kinds that the shop has there are in a namespace, of copy 0.
func (w *bench) count(namespace string) (n int) {
	const kinds = "deployments,statefulsets,services,configmaps,serviceaccounts,networkpolicies,poddisruptionbudgets,ingresses"
	for _, line := range strings.Fields(w.cluster.Kubectl(w.b, nil, "get", kinds, "-n", namespace, "-o", "name")) {
		if strings.Contains(line, "/shop0-") {
			n++
		}
	}
	return n
}
