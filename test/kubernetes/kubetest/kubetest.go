// Package kubetest gives a test package one real Kubernetes API server, with
// controllers and with nodes on which nothing runs, by starting the binary of
// ../kubecp. It contains no Kubernetes code.
package kubetest

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Cluster is a control plane that runs.
type Cluster struct {
	kubeconfig string
	binary     string
}

// Main is for TestMain: it runs the tests, which get the cluster from the
// function that it passes to use, and stops the cluster at their end, if one of
// them has started it.
func Main(m *testing.M, use func(start func(testing.TB) *Cluster)) int {
	var stop func()
	once := sync.OnceValues(func() (*Cluster, error) {
		c, end, err := up(os.Getenv("KUBECP"), 2)
		stop = end
		return c, err
	})
	use(func(t testing.TB) *Cluster {
		t.Helper()
		if os.Getenv("KUBECP") == "" {
			t.Fatal("KUBECP names no control plane: run make test-e2e")
		}
		c, err := once()
		if err != nil {
			t.Fatal(err)
		}
		return c
	})
	code := m.Run()
	if stop != nil {
		stop()
	}
	return code
}

// Own is a cluster of a test's own with so many nodes, for what everybody on it would notice.
func Own(t testing.TB, nodes int) *Cluster {
	t.Helper()
	if os.Getenv("KUBECP") == "" {
		t.Fatal("KUBECP names no control plane: run make test-e2e")
	}
	c, stop, err := up(os.Getenv("KUBECP"), nodes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return c
}

// up starts a cluster. Its ports are free when they are chosen, and somebody may have one by the
// time that it listens: then it is started once more.
func up(binary string, nodes int) (*Cluster, func(), error) {
	c, stop, err := start(binary, nodes)
	if err != nil {
		fmt.Fprintln(os.Stderr, "once more:", err)
		c, stop, err = start(binary, nodes)
	}
	return c, stop, err
}

func start(binary string, nodes int) (*Cluster, func(), error) {
	dir, err := os.MkdirTemp("", "kubetest")
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.Command(binary, "up", "--nodes", strconv.Itoa(nodes), "--dir", filepath.Join(dir, "c"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	// Its end stops the cluster, also when this process dies.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop := func() {
		_ = stdin.Close()
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
	}
	timer := time.AfterFunc(10*time.Minute, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })
	defer timer.Stop()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	kubeconfig, ok := strings.CutPrefix(strings.TrimSpace(line), "READY ")
	if !ok {
		stop()
		return nil, nil, fmt.Errorf("kubecp up: %q, %w\n%s", line, err, stderr.String())
	}
	return &Cluster{kubeconfig: kubeconfig, binary: binary}, stop, nil
}

// Namespace makes a namespace of the test's own with the labels, and asks for
// its deletion at the test's end without waiting for it, which takes long.
func (c *Cluster) Namespace(t testing.TB, labels ...string) string {
	t.Helper()
	name := "t-" + strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(t.Name())), "-")
	if len(name) > 63 {
		name = strings.Trim(name[len(name)-63:], "-")
	}
	c.Kubectl(t, nil, "create", "namespace", name)
	if len(labels) > 0 {
		c.Kubectl(t, nil, append([]string{"label", "namespace", name}, labels...)...)
	}
	t.Cleanup(func() { c.Kubectl(t, nil, "delete", "namespace", name, "--wait=false") })
	return name
}

// Kubectl runs kubectl and returns what it prints. A failure fails the test,
// and so does a warning.
func (c *Cluster) Kubectl(t testing.TB, stdin []byte, args ...string) string {
	t.Helper()
	stdout, stderr, err := c.Try(stdin, args...)
	if err != nil {
		t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, stderr)
	}
	if strings.Contains(stderr, "Warning:") {
		t.Errorf("kubectl %s:\n%s", strings.Join(args, " "), stderr)
	}
	return stdout
}

// Try is Kubectl for what may fail.
func (c *Cluster) Try(stdin []byte, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.binary, append([]string{"kubectl"}, args...)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig)
	cmd.Stdin = io.Reader(bytes.NewReader(stdin))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if ctx.Err() != nil {
		err = errors.Join(err, ctx.Err())
	}
	return out.String(), errs.String(), err
}
