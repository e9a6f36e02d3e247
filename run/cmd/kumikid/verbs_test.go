package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/record"
)

// TestVerbs stops, starts and restarts places of a deployment by the interface: what is wanted
// stays the same, and what has been asked for is told by who it was.
func TestVerbs(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	d.ask(404, "POST", "/v1/deployments/shop/stop", m{}, "If-Match: *")
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": m{"bundle": d.upload(shop)}}))
	const web = "Deployment_shop-web.json"
	was := d.objects()[web]
	require.Contains(t, was, `"replicas":2`)

	d.ask(428, "POST", "/v1/deployments/shop/stop", m{"path": "shop/web"})
	require.Equal(t, "manager/path", d.ask(422, "POST", "/v1/deployments/shop/stop", m{"path": "shop/none"}, d.of("shop")).code())
	require.Equal(t, "live/target", d.ask(422, "POST", "/v1/deployments/shop/stop", m{"path": "shop/web", "instance": "shop-web-0"}, d.of("shop")).code())
	var tried struct{ Plan struct{ Steps []record.Step } }
	d.ask(200, "POST", "/v1/deployments/shop/stop?dryRun=true", m{"path": "shop/web"}, d.of("shop")).read(t, &tried)
	require.Equal(t, []record.Step{{Action: "change", Object: "Deployment/shop-web", Place: "shop/web"}}, tried.Plan.Steps)
	require.Equal(t, was, d.objects()[web])

	o := d.well(d.ask(202, "POST", "/v1/deployments/shop/stop", m{"path": "shop/web"}, d.of("shop")))
	require.Equal(t, []record.Halt{{Verb: record.Stop, Path: "shop/web"}}, o.Halts)
	require.Equal(t, 1, o.Manifest)
	require.Contains(t, d.objects()[web], `"replicas":0`)
	d.well(d.ask(202, "PATCH", "/v1/deployments/shop", changed, d.of("shop")))
	require.Contains(t, d.objects()[web], `"replicas":0`, "a change keeps it stopped")
	require.Equal(t, "manager/stopped", d.ended(d.ask(202, "POST", "/v1/deployments/shop/restart", m{"path": "shop/web"}, d.of("shop"))).Error.Code)
	d.well(d.ask(202, "POST", "/v1/deployments/shop/start", m{}, d.of("shop")))
	require.Contains(t, d.objects()[web], `"replicas":2`)
	require.Equal(t, 2, d.applied("shop"))

	before := d.objects()[web]
	key := "Idempotency-Key: one"
	first := d.ask(202, "POST", "/v1/deployments/shop/restart", m{"path": "shop/web"}, "If-Match: *", key)
	o = d.well(first)
	require.Equal(t, 1, o.Halts[0].Times)
	after := d.objects()[web]
	require.NotEqual(t, before, after)
	require.Equal(t, first.header.Get("Location"), d.ask(202, "POST", "/v1/deployments/shop/restart", m{"path": "shop/web"}, "If-Match: *", key).header.Get("Location"))
	require.Equal(t, after, d.objects()[web])
	o = d.well(d.ask(202, "POST", "/v1/deployments/shop/restart", m{"path": "shop/web", "instance": "shop-web-0"}, d.of("shop")))
	require.Contains(t, o.Steps, record.Step{Action: "restart", Object: "shop-web-0", Message: "shop/web shop-web-0 leaves folder"})
	require.Equal(t, "manager/not-found", d.ended(d.ask(202, "POST", "/v1/deployments/shop/restart", m{"path": "shop/web", "instance": "none"}, d.of("shop"))).Error.Code)
	require.Equal(t, after, d.objects()[web])

	audit := string(d.ask(200, "GET", "/v1/audit", nil).body)
	require.Contains(t, audit, `"verb":"stop","what":"deployments/shop"`)
	require.Contains(t, audit, `"path":"shop/web"`)
	d.logs(t)
}

// logs: what instances have written, as events, for who may change the deployment.
func (d *daemon) logs(t *testing.T) {
	const line = "event: line\ndata: {\"instance\":\"shop-web-0\",\"container\":\"web\",\"text\":\"begins\"}\n\n"
	text := string(d.ask(200, "GET", "/v1/deployments/shop/logs?path=shop/web", nil).body)
	require.True(t, strings.HasPrefix(text, "event: begin\ndata: {}\n\n"+line), text)
	require.True(t, strings.HasSuffix(text, "event: end\ndata: {}\n\n"), text)
	require.Contains(t, string(d.ask(200, "GET", "/v1/deployments/shop/logs?tail=1&sinceSeconds=60", nil).body), `"instance":"shop-db-0"`)
	require.Equal(t, "manager/path", d.ask(422, "GET", "/v1/deployments/shop/logs?path=shop/none", nil).code())
}

// TestVerbsKilled: a server that is killed while it restarts has restarted once, and what it was
// asked to stop is stopped though another change takes its place.
func TestVerbsKilled(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": m{"bundle": d.upload(shop)}}))
	for i, point := range []string{"phase applying:1", "object:1", "written:1", "end:1"} {
		d.kill()
		d.start("KUMIKID_CRASH=" + point)
		r := d.ask(202, "POST", "/v1/deployments/shop/restart", m{"path": "shop/web"}, d.of("shop"))
		d.crashed(r)
		require.Contains(t, d.objects()["Deployment_shop-web.json"], fmt.Sprintf(`"kumiki.dev/restart":"%d"`, i+1), point)
	}
	d.kill()
	d.start("KUMIKID_PAUSE=object")
	stop := d.ask(202, "POST", "/v1/deployments/shop/stop", m{}, d.of("shop"))
	last := d.ask(202, "PATCH", "/v1/deployments/shop", changed, d.of("shop"))
	require.Equal(t, "manager/superseded", d.ended(stop).Error.Code)
	require.Equal(t, []record.Halt{{Verb: record.Stop, Path: "shop"}}, d.well(last).Halts)
	require.Contains(t, d.objects()["Deployment_shop-web.json"], `"replicas":0`)
}

// TestNodes moves instances away from nodes, by the interface.
func TestNodes(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	d.well(d.ask(202, "POST", "/v1/deployments", m{"name": "shop", "input": m{"bundle": d.upload(shop)}}))
	const node = "/v1/environments/local/nodes/folder"
	require.Equal(t, "manager/guarded", d.ask(422, "POST", node+"/drain?dryRun=true", m{}).code())
	d.ask(404, "POST", "/v1/environments/none/nodes/folder/drain", m{})
	require.Equal(t, "manager/not-found", d.ask(422, "POST", "/v1/environments/local/nodes/none/move?dryRun=true", m{}).code())
	require.Equal(t, "manager/request", d.ask(422, "POST", node+"/drain", m{"to": "other"}).code())
	o := d.ended(d.ask(202, "POST", node+"/drain", m{}))
	require.Equal(t, "manager/guarded", o.Error.Code)
	require.Contains(t, o.Error.Message, "--allow-data-move shop/api")
	require.False(t, o.Wrote)

	o = d.well(d.ask(202, "POST", node+"/move", m{"path": "shop/web"}))
	require.Contains(t, o.Steps, record.Step{Action: "move", Object: "Node/folder", Message: "shop/web shop-web-0 leaves folder"})
	o = d.well(d.ask(202, "POST", node+"/drain", m{"allowData": []string{"shop"}}))
	require.Equal(t, &record.Move{Environment: "local", Node: "folder", Data: []string{"shop"}}, o.Move)
	d.well(d.ask(202, "POST", node+"/open", m{}))
	require.Contains(t, string(d.ask(200, "GET", "/v1/audit", nil).body), `"verb":"drain","what":"environments/local/nodes/folder"`)

	d.kill()
	d.start("KUMIKID_CRASH=object:1")
	d.crashed(d.ask(202, "POST", "/v1/environments/local/nodes/other/drain", m{"allowData": []string{"shop"}}))
}

// TestCommandsVerbs: the commands that change nothing of what is wanted, at a manager.
func TestCommandsVerbs(t *testing.T) {
	t.Parallel()
	u := newDaemon(t).user()
	u.given(0, u.token, "login", u.url)
	u.runs(0, "apply", shop)
	out, _ := u.runs(0, "stop", "shop/web", "shop/api")
	require.Equal(t, "changed: Deployment/shop-web (shop/web)\nshop/web is stopped\nchanged: StatefulSet/shop-api (shop/api)\nshop/api is stopped\n", out)
	_, errs := u.runs(5, "restart", "shop/web")
	require.Contains(t, errs, "shop/web is stopped: kumiki start shop/web lets it run [manager/stopped]\n")
	out, _ = u.runs(0, "start", "shop")
	require.True(t, strings.HasSuffix(out, "shop runs\n"), out)
	out, _ = u.runs(0, "restart", "shop/db")
	require.True(t, strings.HasSuffix(out, "shop/db is restarted\n"), out)
	out, _ = u.runs(0, "restart", "shop/db", "--instance", "shop-db-0")
	require.Equal(t, "  shop/db shop-db-0 leaves folder\nshop/db shop-db-0 is restarted\n", out)
	_, errs = u.runs(1, "stop", "shop/none")
	require.Contains(t, errs, "shop/none: shop has no such deployment or role; it has shop/api, shop/db, shop/web [manager/path]")
	_, errs = u.runs(2, "stop", "none")
	require.Contains(t, errs, `there is no deployment "none"`)

	out, _ = u.runs(0, "logs", "shop/web")
	require.Equal(t, "shop-web-0 web: begins\nshop-web-0 web: serves\n", out)
	out, _ = u.runs(0, "logs", "shop", "--tail", "1", "--since", "10m", "-o", "json")
	require.Contains(t, out, `{"instance":"shop-db-0","container":"db","text":"serves"}`)
	u.follows(t)

	out, _ = u.runs(0, "nodes")
	require.Contains(t, out, "ENVIRONMENT  NODE")
	require.Contains(t, out, "shop/db 1")
	_, errs = u.runs(1, "move", "folder", "--yes")
	require.Contains(t, errs, "--allow-data-move shop/api")
	out, _ = u.runs(0, "move", "other", "--role", "shop/none")
	require.Equal(t, "other has no instances that could move\n", out)
	out, _ = u.runs(0, "drain", "folder", "--allow-data-move", "shop")
	require.True(t, strings.HasSuffix(out, "folder: its instances run elsewhere, and it takes no new ones\n"), out)
	out, _ = u.runs(0, "nodes", "--environment", "local", "-o", "json")
	require.Contains(t, out, `"open": false`)
	out, _ = u.runs(0, "drain", "folder", "--undo")
	require.True(t, strings.HasSuffix(out, "folder takes instances\n"), out)
	out, _ = u.runs(0, "ops", "list")
	require.Regexp(t, `local/folder +open +0 +done +admin`, out)
}

// follows: lines come as they are written, until who reads them has enough.
func (u *user) follows(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := u.command(ctx, "", "logs", "shop", "--follow")
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for range 6 {
		require.True(t, lines.Scan())
	}
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.False(t, lines.Scan())
	_ = cmd.Wait()
	require.Equal(t, 0, cmd.ProcessState.ExitCode())
}

// TestSetsOver: a value that is set at the manager takes the place of what an environment, or
// the command line, has given when the bundle was made.
func TestSetsOver(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../../examples/shop")))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "environments"), 0o700))
	eu := "package environment\n\n#Environment: {\n\tname: \"eu\"\n\ttarget: \"kubernetes\"\n\tconfig: parameter: logLevel: \"debug\"\n}\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "environments", "eu.cue"), []byte(eu), 0o600))
	level := func(want string) {
		t.Helper()
		require.Contains(t, d.objects()["Deployment_shop-web.json"], `{"name":"LOG_LEVEL","value":"`+want+`"}`)
	}
	for i, given := range [][]string{{"--env", "eu"}, {"--env", "eu", "--set", "config.parameter.logLevel:=info"}} {
		file := filepath.Join(dir, "b.bundle")
		cmd := exec.Command(os.Getenv("KUMIKI"), append([]string{"bundle", filepath.Join(dir, "deploy"), "--out", file}, given...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var c struct{ Digest string }
		d.ask(201, "POST", "/v1/bundles", data).read(t, &c)
		headers := []string{"If-None-Match: *"}
		if i > 0 {
			headers = []string{"If-Match: *"}
		}
		d.well(d.ask(202, "PUT", "/v1/deployments/shop", m{"input": m{"bundle": c.Digest}}, headers...))
		level([]string{"debug", "info"}[i])
		d.well(d.ask(202, "PATCH", "/v1/deployments/shop", m{"set": []string{"config.parameter.logLevel=error"}}, d.of("shop")))
		level("error")
	}
	answer := d.ask(422, "PATCH", "/v1/deployments/shop", m{"set": []string{"config.parameter.logLevel:=info"}}, d.of("shop"))
	require.Contains(t, string(answer.body), "config.parameter.logLevel:=: write PATH=VALUE; what is set takes the place of what the bundle says")
}
