package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/client"
)

// user is somebody who works with a manager by kumiki, with a home of his own.
type user struct {
	*daemon
	home string
}

func (d *daemon) user() *user { return &user{d, d.t.TempDir()} }

// command is a command line, which runs nothing yet.
func (u *user) command(ctx context.Context, input string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Getenv("KUMIKI"), args...)
	cmd.Env = append(os.Environ(), "HOME="+u.home, "XDG_CONFIG_HOME="+u.home, "KUMIKI_SERVER=", "KUMIKI_TOKEN=", "KUBECONFIG="+u.home+"/none")
	cmd.Stdin = strings.NewReader(input)
	return cmd
}

// runs runs a command line that ends with a code, and returns what it prints.
func (u *user) runs(code int, args ...string) (out, errs string) {
	u.t.Helper()
	return u.given(code, "", args...)
}

// given is runs with something on standard input.
func (u *user) given(code int, input string, args ...string) (out, errs string) {
	u.t.Helper()
	cmd := u.command(u.t.Context(), input, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	_ = cmd.Run()
	require.Equal(u.t, code, cmd.ProcessState.ExitCode(), "%s\n%s%s", strings.Join(args, " "), &stdout, &stderr)
	require.NotContains(u.t, stdout.String()+stderr.String(), u.token)
	return stdout.String(), stderr.String()
}

// TestCommands takes a deployment through its life by kumiki alone: logged in, made, changed,
// looked at, taken back, removed.
func TestCommands(t *testing.T) {
	t.Parallel()
	u := newDaemon(t).user()
	out, _ := u.given(0, u.token+"\n", "login", u.url)
	require.Equal(t, "logged in at "+u.url+": the commands about what runs go there, until kumiki logout\n", out)

	out, _ = u.runs(4, "diff", shop)
	require.Contains(t, out, "shop:\n")
	require.Contains(t, out, "  create: Deployment/shop-web (shop/web)\n")
	out, _ = u.runs(0, "apply", shop, "--dry-run=server")
	require.Contains(t, out, "shop: the environment takes all of it; nothing was written\n")
	u.ask(404, "GET", "/v1/deployments/shop", nil)
	out, errs := u.runs(0, "apply", shop, "--label", "stage=test")
	require.True(t, strings.HasPrefix(errs, "kumiki: at "+u.url+", as kumiki login says; --server local is the cluster that this machine reaches\nwarning: "), errs)
	require.Contains(t, errs, "[lost/bandwidth]\n")
	require.Contains(t, out, "created: Deployment/shop-web (shop/web)\n")
	require.True(t, strings.HasSuffix(out, "shop is made: manifest 1\n"), out)
	out, _ = u.runs(0, "apply", shop)
	require.Equal(t, "shop: nothing to do\n", out)
	require.Equal(t, 1, u.applied("shop"))
	u.runs(0, "diff", shop)

	out, _ = u.runs(0, "apply", "shop", "--set", "config.parameter.logLevel=debug")
	require.Contains(t, out, "changed: Deployment/shop-web (shop/web)\n")
	require.True(t, strings.HasSuffix(out, "shop is changed: manifest 2\n"), out)
	out, errs = u.runs(1, "apply", "shop", "--set", "config.parameter.nonsense=1")
	require.Empty(t, out)
	require.Contains(t, errs, "input.bundle:shop/shop.cue")
	require.Contains(t, errs, "[spread/undeclared-field]")
	_, errs = u.runs(1, "apply", "shop", "--set", "config.parameter.dbPassword=hunter2-planted")
	require.Contains(t, errs, "[manager/secret]")
	require.NotContains(t, errs, "hunter2-planted")

	u.looks(t)

	out, _ = u.runs(0, "rollback", "shop")
	require.Contains(t, out, "shop goes from manifest 3 back to 1\n")
	require.True(t, strings.HasSuffix(out, "shop is taken back: manifest 4\n"), out)
	out, _ = u.runs(0, "history", "shop")
	require.Equal(t, `MANIFEST  VERB      STATE  BY     AGE  ARTIFACT                                SET
4         rollback  runs   admin  0s   kumiki.example/shop/shop@2.0.0:service  -
3         update    -      admin  0s   kumiki.example/shop/shop@2.0.0:service  1
2         update    -      admin  0s   kumiki.example/shop/shop@2.0.0:service  1
1         create    -      admin  0s   kumiki.example/shop/shop@2.0.0:service  -
`, steady(out))
	out, _ = u.runs(0, "history")
	require.Equal(t, `NAME  ENVIRONMENT  MANIFEST  STATE  CHANGED  LABELS
shop  local        4         runs   0s       stage=test
`, strings.ReplaceAll(steady(out), "0s   ", "0s       "))
	out, _ = u.runs(0, "history", "shop", "-o", "name")
	require.Equal(t, "4\n3\n2\n1\n", out)

	out, _ = u.runs(0, "delete", "shop")
	require.Contains(t, out, "remove: Deployment/shop-web (shop/web)\n")
	require.True(t, strings.HasSuffix(out, "shop is removed\n"), out)
	u.runs(0, "wait", "shop", "--for", "gone")
	_, errs = u.runs(2, "delete", "shop")
	require.Contains(t, errs, `there is no deployment "shop"`)
	out, _ = u.runs(0, "ops", "list", "shop")
	require.Equal(t, `OPERATION                      DEPLOYMENT  VERB      MANIFEST  STATE  BY     AGE
0197a8c3d2f1-5b0e4c9a7d21f36b  shop        create    1         done   admin  0s
0197a8c3d2f1-5b0e4c9a7d21f36b  shop        update    2         done   admin  0s
0197a8c3d2f1-5b0e4c9a7d21f36b  shop        update    3         done   admin  0s
0197a8c3d2f1-5b0e4c9a7d21f36b  shop        rollback  4         done   admin  0s
0197a8c3d2f1-5b0e4c9a7d21f36b  shop        delete    5         done   admin  0s
`, steady(out))
	out, _ = u.runs(0, "ops", "watch", "shop")
	require.Contains(t, out, "removed: Deployment/shop-web")
	_, errs = u.runs(2, "ops", "cancel", "shop")
	require.Contains(t, errs, "of shop has ended already: done")
	u.runs(0, "logout")
	_, errs = u.runs(2, "status")
	require.Contains(t, errs, "no cluster")
}

// looks asks how a deployment is, and what is not as it was made.
func (u *user) looks(t *testing.T) {
	out, _ := u.runs(0, "status")
	require.Equal(t, "ROLE", strings.Fields(out)[0])
	require.Regexp(t, `(?m)^shop/web +0/0 +healthy +0 `, out)
	out, _ = u.runs(0, "status", "shop", "-o", "tree")
	require.Contains(t, out, "web 0/0 healthy")
	out, _ = u.runs(0, "wait", "shop")
	require.Equal(t, "shop is healthy\n", out)
	out, _ = u.runs(0, "drift", "shop")
	require.Equal(t, "shop: no drift\n", out)
	require.NoError(t, os.Remove(filepath.Join(u.dir, "environments", "local", "objects", u.object("Deployment", "shop-web"))))
	out, _ = u.runs(4, "drift", "shop")
	require.Contains(t, out, "shop:\n  ")
	require.Contains(t, out, ": Deployment/shop-web (shop/web)")
	out, _ = u.runs(0, "drift", "shop", "--repair", "--yes")
	require.Contains(t, out, "created: Deployment/shop-web (shop/web)\n")
	u.runs(0, "drift")
}

// object is the file of an object in the environment.
func (u *user) object(kind, name string) string {
	u.t.Helper()
	for file := range u.objects() {
		if strings.Contains(file, kind) && strings.Contains(file, name) {
			return file
		}
	}
	u.t.Fatalf("no %s %s among %v", kind, name, u.objects())
	return ""
}

var (
	someID  = regexp.MustCompile(`[0-9a-f]{12}-[0-9a-f]{16}`)
	someAge = regexp.MustCompile(`(?m)\b\d+s( +|$)`)
)

// steady is a table with the same operations and ages each time.
func steady(out string) string {
	return someAge.ReplaceAllStringFunc(someID.ReplaceAllString(out, "0197a8c3d2f1-5b0e4c9a7d21f36b"), func(age string) string {
		if strings.HasSuffix(age, " ") {
			return "0s   "
		}
		return "0s"
	})
}

// TestCommandsRefuse: what a manager, or the command line, does not take is told, and nothing is
// done in a cluster instead.
func TestCommandsRefuse(t *testing.T) {
	t.Parallel()
	u := newDaemon(t).user()
	at := []string{"--server", u.url}
	tests := []struct {
		code        int
		input, says string
		args        []string
	}{
		{3, "kumiki_wrong", "does not take this token: nothing was kept [manager/nobody]", []string{"login", u.url}},
		{2, "", "there is no token", []string{"login", u.url}},
		{2, "two words", "it is one word", []string{"login", u.url}},
		{2, "x", "the token would go there in the clear", []string{"login", "http://192.0.2.1:7676"}},
		{2, "x", "no user or password", []string{"login", "https://me:secret@host"}},
		{3, "x", "does not answer", []string{"login", "http://127.0.0.1:1"}},
		{2, "", "write https://HOST:PORT", []string{"status", "--server", "somewhere"}},
		{3, "", "does not know who asks", append([]string{"status"}, at...)},
		{3, "", "does not answer", []string{"status", "--server", "http://127.0.0.1:1"}},
		{3, "", "does not answer", []string{"status", "--server", "unix:" + u.home + "/none"}},
		{2, "", "--context: that is for the cluster that this machine reaches, and this goes to the manager", append([]string{"apply", shop, "--context", "prod"}, at...)},
		{2, "", "-n: that is for the cluster", append([]string{"status", "-n", "prod"}, at...)},
		{2, "", "--context: that is for the cluster", append([]string{"logs", "shop", "--context", "none"}, at...)},
		{2, "", "nobody has logged in", []string{"logout"}},
		{2, "", "none is known: say --server URL", []string{"ops", "list"}},
		{2, "", "--label: that is for a manager", []string{"apply", shop, "--label", "a=b"}},
	}
	for _, test := range tests {
		_, errs := u.given(test.code, test.input, test.args...)
		require.Contains(t, errs, test.says)
	}
	require.NoFileExists(t, filepath.Join(u.home, "kumiki", "servers.json"))
	u.damaged(t)
	u.limited(t)
}

// damaged: what is kept of a login is the user's alone, and is used only as it was written.
func (u *user) damaged(t *testing.T) {
	token := filepath.Join(u.home, "token")
	require.NoError(t, os.WriteFile(token, []byte(u.token+"\n"), 0o600))
	u.runs(0, "login", u.url, "--token-file", token)
	file := filepath.Join(u.home, "kumiki", "servers.json")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(data), u.token)
	u.runs(0, "status")

	require.NoError(t, os.Chmod(file, 0o644))
	_, errs := u.runs(2, "status")
	require.Contains(t, errs, "others can read it (mode 0644), and there are tokens in it: chmod 600")
	require.NoError(t, os.Chmod(file, 0o600))
	require.NoError(t, os.WriteFile(file, data[:len(data)/2], 0o600))
	_, errs = u.runs(2, "status")
	require.Contains(t, errs, "is damaged")
	_, errs = u.runs(2, "login", u.url, "--token-file", token)
	require.Contains(t, errs, "remove it, and log in again")
	require.NoError(t, os.Remove(file))
	u.runs(0, "login", "unix:"+u.dir+"/state/kumikid.sock")
	u.runs(0, "status")
	u.runs(2, "status", "--server", "local")
	u.runs(0, "logout")
	pipeline := u.command(t.Context(), "", "ops", "list")
	pipeline.Env = append(pipeline.Env, "KUMIKI_SERVER="+u.url, "KUMIKI_TOKEN="+u.token)
	said, err := pipeline.CombinedOutput()
	require.NoError(t, err, "%s", said)
	require.Contains(t, string(said), "as KUMIKI_SERVER says")
	u.runs(0, "login", u.url, "--token-file", token)
}

// limited: somebody who may only look, and one whose token was taken back.
func (u *user) limited(t *testing.T) {
	c, err := client.New(client.Server{URL: u.url, Token: u.token})
	require.NoError(t, err)
	made, err := c.CreateToken(t.Context(), "eve", "viewer", "")
	require.NoError(t, err)
	eve := u.user()
	eve.given(0, made.Secret, "login", u.url)
	_, errs := eve.runs(3, "apply", hello, "--yes")
	require.Contains(t, errs, "eve is a viewer, and this takes a deployer [manager/forbidden]")
	require.NoError(t, c.DeleteToken(t.Context(), "eve"))
	_, errs = eve.runs(3, "status")
	require.Contains(t, errs, "takes the token no more: kumiki login "+u.url)

	u.runs(0, "apply", hello)
	d, err := c.Deployment(t.Context(), "hello")
	require.NoError(t, err)
	_, err = c.Patch(t.Context(), "hello", d.Revision-1, client.Change{Labels: map[string]string{"a": "b"}}, client.Write{})
	var e *client.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 412, e.Status)
	_, err = c.Put(t.Context(), "hello", client.Absent, client.Wanted{Input: client.Input{Bundle: "sha256:" + strings.Repeat("0", 64)}}, client.Write{})
	require.ErrorAs(t, err, &e)
	require.Equal(t, "manager/exists", e.Code)
}

// TestFollow: an operation goes on when nobody looks any more, and when the manager is killed
// while somebody does; who looks again sees all of it.
func TestFollow(t *testing.T) {
	t.Parallel()
	d := newDaemon(t)
	u := d.user()
	u.given(0, d.token, "login", d.url)
	address := strings.TrimPrefix(d.url, "http://")
	d.kill()
	d.start("KUMIKID_PAUSE=object", "KUMIKID_LISTEN="+address)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := u.command(ctx, "", "apply", shop)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Start())
	var all []client.Operation
	c, err := client.New(client.Server{URL: d.url, Token: d.token})
	require.NoError(t, err)
	require.Eventually(t, func() bool {
		all, err = c.Operations(t.Context(), "shop", true)
		return err == nil && len(all) > 0 && all[0].Wrote
	}, 30*time.Second, 50*time.Millisecond)
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	_ = cmd.Wait()
	require.Equal(t, 7, cmd.ProcessState.ExitCode(), "%s%s", &out, &errs)
	require.Contains(t, errs.String(), "operation "+all[0].ID+" goes on at "+d.url+": kumiki ops watch "+all[0].ID+" goes on looking, kumiki ops cancel "+all[0].ID+" ends it\n")

	watch := u.command(ctx, "", "ops", "watch", "shop")
	out.Reset()
	errs.Reset()
	watch.Stdout, watch.Stderr = &out, &errs
	require.NoError(t, watch.Start())
	time.Sleep(time.Second)
	d.kill()
	d.start("KUMIKID_LISTEN=" + address)
	require.NoError(t, watch.Wait(), "%s%s", &out, &errs)
	require.Contains(t, errs.String(), "the operation goes on there, and is looked for again\n")
	require.Contains(t, errs.String(), "answers again\n")
	require.Contains(t, out.String(), "shop is made: manifest 1\n")
	require.Equal(t, 1, d.applied("shop"))
}

// TestCommandsKubernetes: what a real API server refuses, what others have changed there, and
// data that stays.
func TestCommandsKubernetes(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	u := r.user()
	u.given(0, u.token, "login", u.url)
	out, _ := u.runs(0, "apply", shop)
	require.Contains(t, out, "created: StatefulSet/shop-db (shop/db)\n")
	out, _ = u.runs(0, "status", "shop")
	require.Regexp(t, `(?m)^shop/web +2/2 +healthy +0 +\d+s +`, out)
	r.kubectl("scale", "deployment/shop-web", "--replicas=5")
	r.kubectl("delete", "service/shop-db-sql")
	out, _ = u.runs(4, "drift", "shop")
	require.Equal(t, "shop:\n  missing: Service/shop-db-sql (shop/db): it is missing\n  changed: Deployment/shop-web (shop/web)\n    spec.replicas\n", out)
	u.runs(0, "drift", "shop", "--repair")
	require.Equal(t, "2", r.kubectl("get", "deployment/shop-web", "-o", "jsonpath={.spec.replicas}"))

	r.kubectl("create", "deployment", "hello-hello", "--image=example.com/other:1")
	_, errs := u.runs(5, "apply", hello)
	require.Contains(t, errs, "Deployment/hello-hello: it is there already, and was made by kubectl-create")
	require.Contains(t, errs, "nothing was changed")
	u.ask(404, "GET", "/v1/deployments/hello", nil)
	_, errs = u.runs(5, "diff", hello)
	require.Contains(t, errs, "Deployment/hello-hello: it is there already, and was made by kubectl-create")
	r.kubectl("delete", "deployment", "hello-hello")
	u.runs(0, "apply", hello)
	out, _ = u.runs(0, "status")
	require.Contains(t, out, "hello/hello ")
	require.Contains(t, out, "shop/web ")
	u.runs(0, "delete", "hello", "shop", "--allow-data-loss", "shop")
	require.Empty(t, r.kubectl("get", "deployments,statefulsets,services,configmaps,persistentvolumeclaims", "-o", "name", "-l", "app.kubernetes.io/managed-by=kumiki"))
}

// TestRollbackOnFailure: what does not become healthy goes back to what ran, where that is asked
// for, and what has failed first has nothing to go back to.
func TestRollbackOnFailure(t *testing.T) {
	t.Parallel()
	u := newDaemon(t).user()
	u.given(0, u.token, "login", u.url)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("../../../examples/hello")))
	text, err := os.ReadFile(filepath.Join(dir, "hello.cue"))
	require.NoError(t, err)
	broken := regexp.MustCompile(`tag: ".*"`).ReplaceAll(text, []byte(`tag: "example.com/broken:1"`))
	require.NotEqual(t, string(text), string(broken))
	good := bundle(t, dir+"/deploy")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "hello.cue"), broken, 0o600))
	_, errs := u.runs(6, "apply", dir+"/deploy", "--rollback-on-failure", "--name", "other")
	require.Contains(t, errs, "hello is not healthy: its image is called broken [live/unhealthy]")
	require.Contains(t, errs, "other was nothing before, and stays as it is")

	file := filepath.Join(dir, "good.bundle")
	require.NoError(t, os.WriteFile(file, good, 0o600))
	u.runs(0, "apply", file)
	before := u.objects()
	out, _ := u.runs(6, "apply", dir+"/deploy", "--rollback-on-failure")
	require.Contains(t, out, "hello goes back to manifest 1\n")
	require.True(t, strings.HasSuffix(out, "hello is taken back: manifest 3\n"), out)
	require.Equal(t, before, u.objects())
	_, errs = u.runs(6, "status")
	require.Contains(t, errs, "other: manifest 1 is not healthy: ")
}

// TestCommandsCancel: an operation that nobody waits for is cancelled, and who cancels is told how it has
// ended.
func TestCommandsCancel(t *testing.T) {
	t.Parallel()
	u := newDaemon(t).user()
	u.kill()
	u.start("KUMIKID_PAUSE=object")
	u.given(0, u.token, "login", u.url)
	out, _ := u.runs(0, "apply", hello, "--wait=false")
	id := someID.FindString(out)
	require.True(t, strings.HasSuffix(out, "operation "+id+" is begun: kumiki ops watch "+id+"\n"), out)
	out, _ = u.runs(0, "ops", "list", "--pending", "-o", "name")
	require.Equal(t, id+"\n", out)
	require.Eventually(t, func() bool {
		out, _ := u.runs(0, "ops", "list", "-o", "json")
		return strings.Contains(out, `"action": "create"`)
	}, 30*time.Second, 50*time.Millisecond)
	out, _ = u.runs(0, "ops", "cancel", id)
	require.Contains(t, out, "operation "+id+" has ended: ")
	out, errs := u.runs(6, "ops", "watch", "hello")
	require.Contains(t, errs, "[manager/cancelled]\n")
	require.Contains(t, out, "created: ")
	out, _ = u.runs(0, "ops", "list", "-o", "json")
	require.Contains(t, out, `"code": "manager/cancelled"`)
	out, _ = u.runs(0, "ops", "list", "--pending", "-o", "yaml")
	require.Equal(t, "[]\n", out)
}
