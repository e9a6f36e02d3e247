package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// runUp starts the whole control plane in DIR and serves until it is told to
// stop (SIGTERM, SIGINT, or the end of its standard input when that is a pipe)
// or until a component dies. It prints "READY KUBECONFIG" once its nodes are
// ready.
func runUp() {
	fs := flag.NewFlagSet("up", flag.ExitOnError)
	dir := fs.String("dir", "", "directory for data, logs and kubeconfig, which must be empty or absent")
	nodes := fs.Int("nodes", 2, "how many nodes there are, none of them real")
	verbose := fs.Bool("v", false, "print timings to stderr")
	_ = fs.Parse(os.Args[1:]) // It exits on errors.
	if *dir == "" {
		fmt.Fprintln(os.Stderr, "up: --dir is required")
		os.Exit(2)
	}
	// Pdeathsig is delivered when the thread that started the child exits.
	runtime.LockOSThread()
	u := &up{dir: *dir, nodes: *nodes, verbose: *verbose, start: time.Now(), died: make(chan error, 8)}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	if st, err := os.Stdin.Stat(); err == nil && st.Mode()&os.ModeNamedPipe != 0 {
		go func() { _, _ = io.Copy(io.Discard, os.Stdin); stop() }()
	}
	err := u.run(ctx)
	u.stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "up:", err)
		os.Exit(1)
	}
}

// up is a control plane that is being started, or runs.
type up struct {
	dir     string
	nodes   int
	verbose bool
	start   time.Time
	client  kubernetes.Interface
	kids    []*child
	died    chan error
}

// child is one of its components.
type child struct {
	cmd  *exec.Cmd
	done chan struct{}
}

func (u *up) run(ctx context.Context) error {
	p, err := u.prepare()
	if err != nil {
		return err
	}
	if err := u.serveAPI(ctx, p); err != nil {
		return err
	}
	u.logf("API server ready")
	if err := u.control(p); err != nil {
		return err
	}
	if err := u.furnish(ctx); err != nil {
		return err
	}
	fmt.Println("READY", p.kubeconfig)
	u.logf("ready")
	select {
	case <-ctx.Done():
		return nil
	case err := <-u.died:
		return err
	}
}

func (u *up) logf(format string, args ...any) {
	if u.verbose {
		fmt.Fprintf(os.Stderr, "%6.2fs %s\n", time.Since(u.start).Seconds(), fmt.Sprintf(format, args...))
	}
}

func (u *up) path(p ...string) string { return filepath.Join(append([]string{u.dir}, p...)...) }

// spawn starts a component, which is this very binary under another name. It
// dies with this process, however that ends.
func (u *up) spawn(name string, args ...string) error {
	log, err := os.Create(u.path(name + ".log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command("/proc/self/exe", args...)
	cmd.Args[0] = name
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	c := &child{cmd, make(chan struct{})}
	u.kids = append(u.kids, c)
	go func() {
		err := cmd.Wait()
		close(c.done)
		u.died <- fmt.Errorf("%s ended: %v\n%s", name, err, tail(u.path(name+".log")))
	}()
	return nil
}

func (u *up) stop() {
	if u.client != nil {
		u.removeVolumes()
	}
	for i := len(u.kids) - 1; i >= 0; i-- {
		c := u.kids[i]
		_ = c.cmd.Process.Signal(syscall.SIGTERM)
		// The API server drains for long, and nothing here needs a graceful end.
		select {
		case <-c.done:
		case <-time.After(500 * time.Millisecond):
			_ = c.cmd.Process.Kill()
			<-c.done
		}
	}
	u.logf("stopped")
}

// removeVolumes removes the directories that the host-path provisioner has made,
// one a volume, in a place that cannot be chosen.
func (u *up) removeVolumes() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	volumes, err := u.client.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return
	}
	for _, v := range volumes.Items {
		if v.Spec.HostPath != nil && strings.HasPrefix(v.Spec.HostPath.Path, "/tmp/hostpath_pv/") {
			_ = os.Remove(v.Spec.HostPath.Path)
		}
	}
}

// poll calls f until it returns no error.
func (u *up) poll(ctx context.Context, limit time.Duration, what string, f func() error) error {
	end := time.Now().Add(limit)
	for {
		err := f()
		if err == nil {
			return nil
		}
		if time.Now().After(end) {
			return fmt.Errorf("%s: not within %s: %w", what, limit, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-u.died:
			return err
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func tail(path string) string {
	b, _ := os.ReadFile(path)
	return string(b[max(0, len(b)-2000):])
}
