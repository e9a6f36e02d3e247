package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	_ "kumiki.dev/internal/apart"
	"kumiki.dev/run/internal/folder"
	"kumiki.dev/run/record"
	"kumiki.dev/test/kubernetes/kubetest"
)

// apiServer is the Kubernetes API server of all tests.
var apiServer func(testing.TB) *kubetest.Cluster

// TestMain runs a server in place of the tests where a test has started this binary for that.
func TestMain(m *testing.M) {
	if os.Getenv("KUMIKID_MAIN") != "" {
		main()
	}
	if config := os.Getenv("KUMIKID_MEMBER"); config != "" {
		runMember(config)
	}
	if os.Getenv("KUMIKID_SERVE") == "" {
		os.Exit(kubetest.Main(m, func(f func(testing.TB) *kubetest.Cluster) { apiServer = f }))
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	o := serveOptions{listen: "127.0.0.1:0", compiler: os.Getenv("KUMIKI"), compileMegabytes: 1024}
	cmd := &cobra.Command{}
	cmd.SetContext(ctx)
	if args := os.Getenv("KUMIKID_ARGS"); args != "" { // as they are written, with the defaults of others
		o.flags(cmd)
		if err := cmd.ParseFlags(strings.Split(args, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		o.listen, o.compiler = "127.0.0.1:0", os.Getenv("KUMIKI")
	}
	o.dir, o.target = os.Getenv("KUMIKID_SERVE"), "swarm" // the name of a target that needs no file
	if environments := os.Getenv("KUMIKID_FOLDER"); environments != "" {
		o.connect = folder.Connect(environments)
	} else {
		o.target, o.kubeconfig, o.namespc = "kubernetes", os.Getenv("KUMIKID_KUBECONFIG"), os.Getenv("KUMIKID_NAMESPACE")
	}
	if at := os.Getenv("KUMIKID_LISTEN"); at != "" {
		o.listen = at
	}
	o.socket = os.Getenv("KUMIKID_SOCKET")
	if at := os.Getenv("KUMIKID_ETCD"); at != "" {
		o.etcd = strings.Split(at, ",")
	}
	o.adminToken = os.Getenv("KUMIKID_ADMIN")
	o.contents = os.Getenv("KUMIKID_CONTENTS")
	if quota := os.Getenv("KUMIKID_QUOTA"); quota != "" {
		o.quota, _ = strconv.ParseInt(quota, 10, 64)
	}
	o.reached = crash(os.Getenv("KUMIKID_CRASH"))
	if err := serve(cmd, o, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
}

// crash kills this process when a point is reached for the nth time: POINT:N. KUMIKID_PAUSE is
// a point at which it waits.
func crash(at string) func(string) {
	if pause := os.Getenv("KUMIKID_PAUSE"); pause != "" {
		return func(point string) {
			if point == pause {
				time.Sleep(2 * time.Second)
			}
		}
	}
	want, text, _ := strings.Cut(at, ":")
	n, _ := strconv.Atoi(text)
	var reached atomic.Int64
	return func(point string) {
		if point == want && reached.Add(1) == int64(n) {
			time.Sleep(500 * time.Millisecond) // what has begun it is answered
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// daemon is a kumikid that runs as a process.
type daemon struct {
	t     testing.TB
	dir   string
	env   []string
	cmd   *exec.Cmd
	url   string
	token string
}

// newDaemon starts one over a directory with environments, or over those that env says.
func newDaemon(t testing.TB, env ...string) *daemon {
	t.Helper()
	if os.Getenv("KUMIKI") == "" {
		t.Fatal("KUMIKI names no compiler: run make test-manager")
	}
	dir := t.TempDir()
	if len(env) == 0 {
		env = []string{"KUMIKID_FOLDER=" + filepath.Join(dir, "environments")}
	}
	d := &daemon{t: t, dir: dir, env: env}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "environments"), 0o700))
	d.start()
	t.Cleanup(d.kill)
	t.Cleanup(func() {
		if text, _ := os.ReadFile(filepath.Join(d.dir, "log")); t.Failed() {
			t.Logf("its log: %s", text)
		}
	})
	return d
}

// start starts the process, and waits until it listens.
func (d *daemon) start(env ...string) {
	d.t.Helper()
	began := time.Now()
	d.cmd = exec.Command(os.Args[0])
	d.cmd.Env = append(os.Environ(), append(append([]string{"KUMIKID_SERVE=" + d.dir + "/state"}, d.env...), env...)...)
	log, err := os.OpenFile(filepath.Join(d.dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	require.NoError(d.t, err)
	defer log.Close()
	d.cmd.Stderr = log
	out, err := d.cmd.StdoutPipe()
	require.NoError(d.t, err)
	require.NoError(d.t, d.cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, token, ok := strings.Cut(lines.Text(), "not shown again: "); ok {
			d.token = token
		}
		if at, ok := strings.CutPrefix(lines.Text(), "listening at 127"); ok {
			d.url = "http://127" + at
			d.t.Logf("it listens after %s", time.Since(began).Round(time.Millisecond))
			return
		}
	}
	text, _ := os.ReadFile(filepath.Join(d.dir, "log"))
	d.t.Fatalf("it does not listen: %s", text)
}

// kill ends the process at once.
func (d *daemon) kill() {
	_ = d.cmd.Process.Kill()
	_ = d.cmd.Wait()
}

// reply is an answer.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// etag is the answer's.
func (r reply) etag() string { return r.header.Get("ETag") }

// read reads the answer into a value.
func (r reply) read(t testing.TB, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(r.body, into), "%s", r.body)
}

// code is that of a problem.
func (r reply) code() string {
	var p struct{ Code string }
	_ = json.Unmarshal(r.body, &p)
	return p.Code
}

// try asks, and returns an error where there is no answer. Headers are NAME: VALUE.
func (d *daemon) try(method, path string, body any, headers ...string) (reply, error) {
	var data []byte
	kind := "application/json"
	switch b := body.(type) {
	case nil:
	case []byte:
		data, kind = b, "application/zip"
	default:
		var err error
		if data, err = json.Marshal(b); err != nil {
			return reply{}, err
		}
	}
	r, err := http.NewRequest(method, d.url+path, bytes.NewReader(data))
	if err != nil {
		return reply{}, err
	}
	r.Header.Set("Authorization", "Bearer "+d.token)
	if body != nil {
		r.Header.Set("Content-Type", kind)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return reply{answer.StatusCode, answer.Header, text}, err
}

// ask asks, and fails the test where the status is another.
func (d *daemon) ask(status int, method, path string, body any, headers ...string) reply {
	d.t.Helper()
	r, err := d.try(method, path, body, headers...)
	require.NoError(d.t, err)
	require.Equal(d.t, status, r.status, "%s %s: %s", method, path, r.body)
	return r
}

// m is a JSON object.
type m map[string]any

// upload makes a bundle of a directory and uploads it.
func (d *daemon) upload(dir string) (digest string) {
	d.t.Helper()
	var c struct{ Digest string }
	d.ask(201, "POST", "/v1/bundles", bundle(d.t, dir)).read(d.t, &c)
	return c.Digest
}

func bundle(t testing.TB, dir string) []byte {
	t.Helper()
	file := filepath.Join(t.TempDir(), "b.bundle")
	out, err := exec.Command(os.Getenv("KUMIKI"), "bundle", dir, "--out", file).CombinedOutput()
	require.NoError(t, err, "%s", out)
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	return data
}

// ended waits for the operation that an answer begins.
func (d *daemon) ended(r reply) record.Operation {
	d.t.Helper()
	var o record.Operation
	d.ask(200, "GET", r.header.Get("Location")+"?waitSeconds=60", nil).read(d.t, &o)
	require.True(d.t, o.Done, "%s %s", r.header.Get("Location"), r.body)
	return o
}

// well waits for an operation that is to have no error.
func (d *daemon) well(r reply) record.Operation {
	d.t.Helper()
	o := d.ended(r)
	require.Nil(d.t, o.Error, "%+v", o.Error)
	return o
}

// of is the ETag of a deployment, as If-Match has it.
func (d *daemon) of(name string) string {
	d.t.Helper()
	return "If-Match: " + d.ask(200, "GET", "/v1/deployments/"+name, nil).etag()
}
