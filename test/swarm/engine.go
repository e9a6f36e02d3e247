package swarm

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// Engine is a real Docker engine, which is a node of a swarm.
type Engine struct {
	dir     string
	process *exec.Cmd
	log     *os.File
	env     []string
}

// Missing says why no engine can be started here, "" if one can.
func Missing() string {
	if os.Geteuid() != 0 {
		return "a real engine needs root, to make namespaces and control groups"
	}
	for _, tool := range []string{"docker", "apt-get", "dpkg-deb", "unshare", "ip"} {
		if _, err := exec.LookPath(tool); err != nil {
			return "a real engine needs " + tool + ", which is not here"
		}
	}
	if out, err := exec.Command("unshare", "--mount", "--net", "--cgroup", "--pid", "--fork", "true").CombinedOutput(); err != nil {
		return fmt.Sprintf("a real engine needs namespaces of its own, which this machine does not allow: %s", bytes.TrimSpace(out))
	}
	return ""
}

// Files gets an engine's files, and keeps them in the user's cache. They lie
// below the directory that is returned as they would below /.
func Files(ctx context.Context) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	files := filepath.Join(cache, "kumiki-test", "engine")
	if out, err := exec.CommandContext(ctx, "engine/get.sh", files).CombinedOutput(); err != nil {
		return "", fmt.Errorf("getting the engine: %w: %s", err, out)
	}
	return filepath.Join(files, "root"), nil
}

// Start starts an engine that is a swarm and has the images of the tests, the proxy's
// under the name of image.
func Start(ctx context.Context, image string) (*Engine, error) {
	e, err := alone(ctx, image, "")
	if err != nil {
		return nil, err
	}
	if _, err := e.Docker(ctx, "", "swarm", "init", "--advertise-addr", "127.0.0.1"); err != nil {
		e.Stop()
		return nil, err
	}
	return e, nil
}

// alone starts an engine that is in no swarm yet.
func alone(ctx context.Context, image, hostname string) (*Engine, error) {
	root, err := Files(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "swarm") // short, as it is part of a socket's name
	if err != nil {
		return nil, err
	}
	e := &Engine{dir: dir, env: append(os.Environ(), "DOCKER_HOST=unix://"+dir+"/docker.sock", "DOCKER_CONFIG="+dir+"/client")}
	if e.log, err = os.Create(filepath.Join(dir, "log")); err != nil {
		return nil, err
	}
	e.process = exec.Command("engine/run.sh", root, dir, hostname)
	e.process.Stdout, e.process.Stderr = e.log, e.log
	e.process.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := e.process.Start(); err != nil {
		return nil, err
	}
	if err := e.ready(ctx, root, image); err != nil {
		e.Stop()
		return nil, err
	}
	return e, nil
}

// ready waits for the engine, and gives it its images.
func (e *Engine) ready(ctx context.Context, root, image string) error {
	for start := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		_, err := e.Docker(ctx, "", "info")
		if err == nil {
			break
		}
		if time.Since(start) > time.Minute {
			log, _ := os.ReadFile(e.log.Name())
			return fmt.Errorf("the engine does not answer: %w\n%s", err, log[max(0, len(log)-2000):])
		}
	}
	app := filepath.Join(e.dir, "app")
	build := exec.CommandContext(ctx, "go", "build", "-o", app, "./app")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	images := exec.CommandContext(ctx, "engine/images.sh", root, app, image)
	images.Env = e.env
	if out, err := images.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// Docker runs the client and returns what it says.
func (e *Engine) Docker(ctx context.Context, input string, args ...string) (string, error) {
	var out bytes.Buffer
	err := e.run(ctx, input, &out, &out, args)
	return out.String(), err
}

// Output is [Engine.Docker] without what the client, or what it runs, writes as an error.
func (e *Engine) Output(ctx context.Context, args ...string) (string, error) {
	var out, told bytes.Buffer
	err := e.run(ctx, "", &out, &told, args)
	return out.String(), err
}

func (e *Engine) run(ctx context.Context, input string, out, told *bytes.Buffer, args []string) error {
	cmd := exec.CommandContext(ctx, "docker", args...)
	cmd.Env = e.env
	cmd.Dir = e.dir
	cmd.Stdin = strings.NewReader(input)
	cmd.Stdout, cmd.Stderr = out, told
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("docker %s: %w: %s", strings.Join(args, " "), err, bytes.TrimSpace(told.Bytes()))
	}
	return nil
}

// Dir is where the engine's client runs.
func (e *Engine) Dir() string { return e.dir }

// Stop ends the engine and all that it started. The kernel does so when the
// first process of the engine's namespace ends.
func (e *Engine) Stop() {
	if child := e.child(); child != 0 {
		_ = syscall.Kill(child, syscall.SIGTERM) // the engine itself, which puts things away
	}
	done := make(chan struct{})
	go func() { _ = e.process.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		_ = e.process.Process.Kill()
		<-done
	}
	_ = e.log.Close()
	_ = os.RemoveAll(e.dir)
	e.removeGroups()
}

// child is the process of the engine itself, 0 for none: the first one of its namespaces.
func (e *Engine) child() (pid int) {
	children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", e.process.Process.Pid))
	_, _ = fmt.Sscan(string(children), &pid)
	return pid
}

// Inside is a command that runs in the engine's network, and otherwise beside it.
func (e *Engine) Inside(name string, args ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{fmt.Sprintf("--net=/proc/%d/ns/net", e.child()), name}, args...)...)
}

// removeGroups removes the control groups of the engine's containers, which
// stay when all of their processes are gone. They have the name of its
// directory.
func (e *Engine) removeGroups() {
	var groups []string
	_ = filepath.WalkDir("/sys/fs/cgroup", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && strings.Contains(name+"/", "/"+filepath.Base(e.dir)+"/") {
			groups = append(groups, name)
		}
		return nil
	})
	for _, name := range slices.Backward(groups) {
		_ = os.Remove(name)
	}
}

// Env are variables with which docker and kumiki find the engine, or what lies before it.
func (e *Engine) Env(host string) []string {
	env := slices.Clone(e.env)
	if host != "" {
		env = append(env, "DOCKER_HOST="+host)
	}
	return env
}
