package kubernetes

import (
	"bytes"
	"fmt"
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
// objects each: by kumiki, and by kubectl apply --server-side of the same objects, in turn on
// one API server. Time is that of the whole process, CPU without that of the API server.
func BenchmarkLive(b *testing.B) {
	copies, _ := strconv.Atoi(os.Getenv("KUMIKI_COPIES"))
	copies = max(copies, 1)
	c := kubetest.Own(b, 2+copies/4) // with room for all pods
	w := &bench{Between: c.Between(b), dir: b.TempDir(), b: b}
	first, next := w.compile(copies, 2), w.compile(copies, 3)
	stream := map[string]string{"same": w.stream(first, "kubectl"), "next": w.stream(next, "kubectl")}
	for _, namespace := range []string{"kumiki", "kubectl"} {
		c.Kubectl(b, nil, "create", "namespace", namespace)
	}
	apply := func(files []string) []string {
		return append([]string{os.Getenv("KUMIKI"), "apply", "--yes", "-q", "-n", "kumiki", "--kubeconfig", w.Kubeconfig}, files...)
	}
	kubectl := func(file string) []string {
		return []string{os.Getenv("KUBECP"), "kubectl", "apply", "--server-side", "--kubeconfig", w.Kubeconfig, "-n", "kubectl", "-f", file}
	}
	load, _ := os.ReadFile("/proc/loadavg")
	fmt.Printf("%d objects, load %s\n| what | s | CPU s | MB | requests | writes | tries |\n|---|---|---|---|---|---|---|\n", 27*copies, strings.Join(strings.Fields(string(load))[:3], " "))
	w.row("first, kubectl", kubectl(stream["same"]))
	w.row("first, kumiki without waiting", append(apply(first), "--wait=false"))
	w.row("first, kumiki until healthy", apply(first))
	for range 3 {
		w.row("nothing changed, kubectl", kubectl(stream["same"]))
		w.row("nothing changed, kumiki", apply(first))
	}
	w.row("drift", []string{os.Getenv("KUMIKI"), "drift", "-n", "kumiki", "--kubeconfig", w.Kubeconfig})
	w.row("instances, kubectl", kubectl(stream["next"]))
	w.row("instances, kumiki", apply(next))
}

// bench runs commands and counts what they take.
type bench struct {
	*kubetest.Between
	dir string
	b   *testing.B
}

// compile makes solutions of the shop with so many instances of web.
func (w *bench) compile(copies, web int) (files []string) {
	dir := w.shop(web)
	for i := range copies {
		name := fmt.Sprintf("shop%d", i)
		file := filepath.Join(w.dir, fmt.Sprintf("%s-%d.json", name, web))
		out, err := exec.Command(os.Getenv("KUMIKI"), "compile", dir, "--name", name, "--out", file).CombinedOutput()
		if err != nil {
			w.b.Fatalf("%v: %s", err, out)
		}
		files = append(files, file)
	}
	return files
}

// shop is a copy of the example with so many instances of web.
func (w *bench) shop(web int) string {
	dir := filepath.Join(w.dir, "shop-"+strconv.Itoa(web))
	file := filepath.Join(dir, "deploy/deployment.cue")
	err := os.CopyFS(dir, os.DirFS(shop))
	if err == nil {
		var text []byte
		if text, err = os.ReadFile(file); err == nil {
			err = os.WriteFile(file, bytes.Replace(text, []byte("web: hsize: 2"), []byte("web: hsize: "+strconv.Itoa(web)), 1), 0o600)
		}
	}
	if err != nil {
		w.b.Fatal(err)
	}
	return filepath.Dir(file)
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
	name := filepath.Join(w.dir, filepath.Base(files[0])+".yaml")
	if err := os.WriteFile(name, all.Bytes(), 0o600); err != nil {
		w.b.Fatal(err)
	}
	return name
}

// row runs a command and prints what it took. Drift may be found: others write, too.
func (w *bench) row(what string, line []string) {
	w.Count()
	cmd := exec.Command(line[0], line[1:]...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	begun := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(begun)
	if err != nil && cmd.ProcessState.ExitCode() != 4 {
		w.b.Fatalf("%s: %v\n%s", what, err, out)
	}
	usage, _ := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	all, writes, tries := w.Count()
	fmt.Printf("| %s | %.2f | %.2f | %d | %d | %d | %d |\n", what, took.Seconds(), cpu.Seconds(), usage.Maxrss>>10, all, writes, tries)
}
