package swarm_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
	"kumiki.dev/internal/planedits"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
	"kumiki.dev/test/swarm"
)

// applied is an engine on which kumiki itself applies solutions.
type applied struct {
	*live
	between *swarm.Between
	kumiki  string
	dir     string // of testdata/small.txtar

	dockerConfig string // docker's directory, "" for the engine's client's
}

// begin starts an engine for kumiki.
func begin(t *testing.T) *applied {
	t.Helper()
	return began(t, engine(t))
}

// began builds kumiki, for an engine.
func began(t *testing.T, l *live) *applied {
	t.Helper()
	between, err := l.Between("between")
	require.NoError(t, err)
	t.Cleanup(func() { _ = between.Close() })
	a := &applied{live: l, between: between, kumiki: filepath.Join(t.TempDir(), "kumiki")}
	out, err := exec.Command("go", "build", "-C", "../..", "-o", a.kumiki, "./cmd/kumiki").CombinedOutput()
	require.NoError(t, err, "%s", out)
	return a
}

// TestApply takes applications through their lives on a real engine.
func TestApply(t *testing.T) {
	t.Parallel() // as the others that wait most of the time
	a := begin(t)
	golden.Each(t, "testdata/small.txtar", func(t *testing.T, c *golden.Case) {
		a.dir = c.Dir()
		part := func(name string, f func(*applied)) {
			t.Run(name, func(t *testing.T) {
				b := *a
				b.live = &live{t: t, Engine: a.Engine}
				f(&b)
			})
		}
		part("life", (*applied).life)
		part("watches", (*applied).watches)
		part("adopts", (*applied).adopts)
		part("refused", (*applied).refused)
		part("killed", (*applied).killed)
		part("contest", (*applied).contest)
		part("large", (*applied).large)
		part("outside", (*applied).outside)
		part("immutable", (*applied).immutable)
		part("told", (*applied).told)
		part("goesBack", (*applied).goesBack)
		part("context", (*applied).context)
		part("managed", (*applied).managed)
		a.docker("node", "update", "--availability", "drain", strings.TrimSpace(a.docker("node", "ls", "--format", "{{.ID}}")))
		part("edits", (*applied).edits)
	})
}

func (a *applied) command(args ...string) *exec.Cmd {
	cmd := exec.Command(a.kumiki, append(args, "-t", "swarm")...)
	cmd.Env = append(a.Env(a.between.Host), "NO_COLOR=1")
	if a.dockerConfig != "" {
		cmd.Env = append(cmd.Env, "DOCKER_CONFIG="+a.dockerConfig, "PATH="+a.dockerConfig+":"+os.Getenv("PATH"))
	}
	cmd.Dir = a.Dir()
	return cmd
}

// try runs a command, and returns its exit code and what it prints.
func (a *applied) try(args ...string) (int, string) {
	a.t.Helper()
	cmd := a.command(args...)
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		require.NoError(a.t, err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (a *applied) run(args ...string) string {
	a.t.Helper()
	code, out := a.try(args...)
	require.Equal(a.t, 0, code, "kumiki %s\n%s", strings.Join(args, " "), out)
	return out
}

func (a *applied) fails(code int, args ...string) string {
	a.t.Helper()
	got, out := a.try(args...)
	require.Equal(a.t, code, got, "kumiki %s\n%s", strings.Join(args, " "), out)
	return out
}

// small is a version of the small application.
func (a *applied) small(sets ...string) []string {
	args := []string{"apply", a.dir, "--yes"}
	for _, set := range sets {
		args = append(args, "--set", set)
	}
	return args
}

const (
	noInstances = "config.scale.hsize=0"
	second      = "config.parameter.text=second"
)

// ours is all of a stack that is in the swarm.
func (a *applied) ours(stack string) []string {
	a.t.Helper()
	var out []string
	for _, kind := range []string{"service", "network", "config", "secret"} {
		for _, name := range strings.Fields(a.docker(kind, "ls", "--filter", "label=com.docker.stack.namespace="+stack, "--format", "{{.Name}}")) {
			if !strings.Contains(name, "_inventory.") { // which has a number that counts
				out = append(out, kind+"/"+name)
			}
		}
	}
	slices.Sort(out)
	return out
}

func (a *applied) inspect(service, format string) string {
	a.t.Helper()
	return strings.TrimSpace(a.docker("service", "inspect", "--format", format, service))
}

const (
	replicas = "{{.Spec.Mode.Replicated.Replicas}}"
	env      = "{{.Spec.TaskTemplate.ContainerSpec.Env}}"
)

// life: applied, applied again, changed by others, repaired, stopped and started, in new
// versions, of which one never starts, and removed.
func (a *applied) life() {
	a.between.Count()
	require.Contains(a.t, a.run(a.small()...), "created: Service/small-web (small/web)\n")
	all, writes := a.between.Count()
	require.Equal(a.t, 3+3, writes, "each object is written once, and the inventory before and after, of which the first one goes")
	a.t.Logf("first: %d requests, %d writes", all, writes)

	require.Contains(a.t, a.run(a.small()...), "small: nothing to do\n")
	all, writes = a.between.Count()
	require.Zero(a.t, writes)
	require.LessOrEqual(a.t, all, 12, "which version it is, the inventory, a list for each kind, and once more with events to see that all is healthy")
	a.t.Logf("again: %d requests", all)
	require.Equal(a.t, "small: no drift\n", a.run("drift", "small"))
	require.Contains(a.t, a.run("status", "small"), "small/web  1/1    healthy")

	a.docker("service", "update", "--detach", "--no-resolve-image", "--env-add", "ADDED=x", "--image", "kumiki-app:2", "--replicas", "3", "--label-add", "team=a", "small_small-web")
	a.between.Count()
	require.Equal(a.t, `small:
  changed: Service/small-web (small/web)
    Labels[team]: {"name":"team","value":"a"}, was nothing
    Mode.Replicated.Replicas: 3, was 1
    TaskTemplate.ContainerSpec.Env[ADDED]: {"name":"ADDED","value":"x"}, was nothing
    TaskTemplate.ContainerSpec.Image: "kumiki-app:2", was "kumiki-app:1"
`, a.fails(4, "drift", "small"))
	_, writes = a.between.Count()
	require.Zero(a.t, writes)
	require.Contains(a.t, a.fails(4, "diff", "small"), "Mode.Replicated.Replicas: 3 → 1")
	require.Contains(a.t, a.run(append(a.small(), "--wait=false")...), "repaired: Service/small-web")
	require.Equal(a.t, "1", a.inspect("small_small-web", replicas))
	require.NotContains(a.t, a.inspect("small_small-web", env), "ADDED")

	a.run("stop", "small/web")
	require.Equal(a.t, "0", a.inspect("small_small-web", replicas))
	require.Contains(a.t, a.run(a.small()...), "small/web is stopped, and stays so")
	require.Contains(a.t, a.run("status", "small"), "stopped")
	a.run("start", "small")
	require.Equal(a.t, "1", a.inspect("small_small-web", replicas))
	a.docker("service", "update", "--detach", "--force", "small_small-web") // what anybody may ask for
	require.NotContains(a.t, outOf(a.try("drift", "small")), "changed")
	before := a.task("small_small-web")
	a.run("restart", "small/web", "--wait=false")
	require.Eventually(a.t, func() bool { return a.task("small_small-web") != before }, time.Minute, 100*time.Millisecond)

	out := a.run(a.small(second)...)
	require.Contains(a.t, out, "removed: Config/small-web-web.conf-")
	require.Len(a.t, a.ours("small"), 3)

	require.Equal(a.t, "small: no drift\n", a.run("drift", "small"))

	require.Equal(a.t, "small is healthy\n", a.run("wait", "small"))
	require.Regexp(a.t, `(?m)^\S+ +ready `, a.run("nodes"))

	a.fails(6, a.small(second, "config.parameter.fail=yes")...) // Swarm goes back by itself
	require.Eventually(a.t, func() bool {
		return strings.Contains(outOf(a.try("logs", "small", "--previous")), "small_small-web.1 small_small-web: failing, as asked\n")
	}, 30*time.Second, 300*time.Millisecond)
	require.Contains(a.t, a.fails(4, "drift", a.dir, "--set", second, "--set", "config.parameter.fail=yes"), ", by Swarm, which went back to the version before")
	require.Contains(a.t, a.fails(6, "status", "small"), "rolled back")

	out = a.fails(7, append(a.small(second, "config.parameter.image=none:1"), "--timeout", "5s")...)
	require.Regexp(a.t, `(?m)^\S*deployment.cue:\d+:\d+: small/web is not healthy: instance 1 on \S+: its image none:1 cannot be had there .*\[live/unhealthy\]$`, out)
	require.Contains(a.t, a.fails(6, "status", "small"), "none:1 cannot be had there")

	require.Contains(a.t, a.run("delete", "small", "--yes"), "keep: Volume/small-data: it holds data; --allow-data-loss small/web/small-data removes it\n")
	require.Empty(a.t, a.ours("small"))
	require.Contains(a.t, a.docker("volume", "ls", "-q"), "small-data")
	a.run(a.small()...)
	require.Contains(a.t, a.run("delete", "small", "--yes", "--allow-data-loss", "small"), "remove: Volume/small-data with its data\n")
	require.NotContains(a.t, a.docker("volume", "ls", "-q"), "small-data")
}

// outOf leaves out the exit code.
func outOf(_ int, out string) string { return out }

// file writes what docker stack deploy reads of a solution, and returns its objects.
func (a *applied) file(name string) []targets.Object {
	a.t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(a.t, err)
	s, problems := solution.Read(text, name)
	require.False(a.t, problems.HasErrors(), "%v", problems)
	return lower(a.t, s)
}

// adopts: what docker stack deploy has made is taken over, and no service is written; what
// somebody else has made is refused, unless that is meant.
func (a *applied) adopts() {
	file := filepath.Join(a.Dir(), "small.json")
	a.run2("compile", a.dir, "--set", noInstances, "--out", file)
	a.deploy("small", a.file(file))
	was := a.inspect("small_small-web", "{{.Version.Index}}")
	require.Equal(a.t, 3, strings.Count(a.fails(4, "drift", file), "outdated: "), "it is in no inventory")
	require.Contains(a.t, a.run("apply", file, "--yes"), "adopted: Service/small-web (small/web)\n")
	require.Equal(a.t, was, a.inspect("small_small-web", "{{.Version.Index}}"))
	a.run("delete", "small", "--yes")

	a.docker("service", "create", "--detach", "--no-resolve-image", "--replicas", "0", "--name", "small_small-web", "kumiki-app:1")
	a.between.Count()
	require.Contains(a.t, a.fails(5, "apply", file, "--yes"), "Service/small-web: it is there already, and nothing says who made it; say --adopt to take it over")
	_, writes := a.between.Count()
	require.Zero(a.t, writes)
	require.Contains(a.t, a.run("apply", file, "--yes", "--adopt"), "adopted: Service/small-web")
	a.run("delete", "small", "--yes")
	require.Empty(a.t, a.ours("small"))
}

// run2 runs a command that knows no target.
func (a *applied) run2(args ...string) {
	a.t.Helper()
	cmd := exec.Command(a.kumiki, args...)
	cmd.Dir = a.Dir()
	out, err := cmd.CombinedOutput()
	require.NoError(a.t, err, "%s", out)
}

// refused: all that is missing is told before anything is written, with the line that asks for
// it; what Swarm alone refuses is told when it does, and the next run goes on.
func (a *applied) refused() {
	golden.Each(a.t, "testdata/live.txtar", func(t *testing.T, c *golden.Case) {
		a := *a
		a.live = &live{t: t, Engine: a.Engine}
		a.between.Count()
		out := a.fails(5, "apply", c.Dir(), "--yes")
		require.Equal(t, 2, strings.Count(out, "[live/refused]"), out)
		require.Regexp(t, `(?m)^\S*service.cue:\d+:\d+: Service/live-web: the cluster refuses it: secret owner-password is not in the swarm: docker secret create owner-password FILE \[live/refused\]$`, out)
		_, writes := a.between.Count()
		require.Zero(t, writes)
	})
	require.Contains(a.t, a.run(append(a.small(noInstances), "--dry-run=server")...), "[live/untried]")
	require.Empty(a.t, a.ours("small"))
	var once atomic.Bool
	a.between.Stop(func(done bool) bool {
		if !done && once.CompareAndSwap(false, true) { // when all has been looked at
			a.docker("network", "create", "--driver", "overlay", "small_small-web")
		}
		return false
	})
	out := a.fails(6, a.small(noInstances)...)
	a.between.Stop(nil)
	require.Contains(a.t, out, "Network/small-web: network with name small_small-web already exists")
	require.Contains(a.t, a.fails(5, a.small(noInstances)...), "[live/foreign]")
	a.docker("network", "rm", "small_small-web")
	a.run(a.small(noInstances)...)
	a.run("delete", "small", "--yes")
	require.Empty(a.t, a.ours("small"))
}

// killed ends kumiki at each of its writes, by turns before the engine has it and when it was
// done: on the way up, to another version, and on the way down. The next run comes to the
// same end.
func (a *applied) killed() {
	up, down := a.small(noInstances), []string{"delete", "small", "--yes"}
	a.run(up...)
	want := a.ours("small")
	a.run(down...)
	for _, way := range []struct {
		name   string
		before []string
		args   []string
	}{{"up", nil, up}, {"next", a.small(noInstances, second), up}, {"down", up, down}} {
		for n := 1; ; n++ {
			if way.before != nil {
				a.run(way.before...)
			}
			whole := a.kill(n, way.args)
			a.run(up...)
			require.Equal(a.t, want, a.ours("small"), "%s, killed at write %d", way.name, n)
			require.Equal(a.t, "small: no drift\n", a.run("drift", "small"))
			a.run(down...)
			require.Empty(a.t, a.ours("small"), "%s, killed at write %d", way.name, n)
			require.Empty(a.t, a.inventory(), "%s, killed at write %d", way.name, n)
			if whole {
				break // it has no more writes
			}
		}
	}
}

func (a *applied) inventory() string {
	return a.docker("config", "ls", "-q", "--filter", "label=kumiki.dev/inventory")
}

// kill runs a command and kills it at its n-th write. It reports whether it came to its end.
func (a *applied) kill(n int, args []string) (whole bool) {
	a.t.Helper()
	cmd := a.command(args...)
	var count atomic.Int32
	var killed atomic.Bool
	a.between.Stop(func(done bool) bool {
		if done == (n%2 == 0) && int(count.Add(1)) == n {
			killed.Store(true)
			_ = cmd.Process.Kill()
			return true
		}
		return killed.Load()
	})
	require.NoError(a.t, cmd.Start())
	_ = cmd.Wait()
	a.between.Wait() // another write may be under way
	a.between.Stop(nil)
	return !killed.Load()
}

// contest: who writes on what is not any more as it was seen is told so.
func (a *applied) contest() {
	a.run(a.small(noInstances)...)
	var once atomic.Bool
	a.between.Stop(func(done bool) bool {
		if !done && once.CompareAndSwap(false, true) { // at the first inventory
			a.docker("service", "update", "--detach", "--no-resolve-image", "--env-add", "MEANWHILE=x", "small_small-web")
		}
		return false
	})
	out := a.fails(6, a.small(noInstances, second)...)
	a.between.Stop(nil)
	require.Contains(a.t, out, "somebody else has changed it since it was looked at")
	require.Contains(a.t, a.inspect("small_small-web", env), "MEANWHILE")
	a.run(a.small(noInstances, second)...)
	require.NotContains(a.t, a.inspect("small_small-web", env), "MEANWHILE")
	a.run("delete", "small", "--yes")
}

// large: a record that is larger than a config may be is in several.
func (a *applied) large() {
	text := strings.Builder{}
	for n := range 60000 { // which compresses badly
		text.WriteString(strconv.FormatUint(uint64(n)*2654435761%(1<<32)*40503, 36))
	}
	file := filepath.Join(a.Dir(), "large.yaml")
	require.NoError(a.t, os.WriteFile(file, []byte("config:\n  parameter:\n    text: "+text.String()+"\n"), 0o644))
	args := append(a.small(noInstances), "-f", file)
	a.run(args...)
	require.GreaterOrEqual(a.t, len(strings.Fields(a.inventory())), 3, "a head and at least two parts")
	require.Contains(a.t, a.run(args...), "nothing to do")
	a.run("delete", "small", "--yes")
	require.Empty(a.t, a.inventory())
}

// context: an engine is found by a docker context as well, also through ssh.
func (a *applied) context() {
	home := a.t.TempDir()
	bin := filepath.Join(home, "bin")
	require.NoError(a.t, os.Mkdir(bin, 0o755))
	// What ssh runs on another machine, with the engine's own address, runs here.
	script := "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift 2\nDOCKER_HOST=" + a.between.Host + " exec \"$@\"\n"
	require.NoError(a.t, os.WriteFile(filepath.Join(bin, "ssh"), []byte(script), 0o755))
	for _, at := range []struct{ name, host, want string }{
		{"near", a.between.Host, "small is applied to swarm near"},
		{"far", "ssh://somebody@far.example.com:2222", "small: nothing to do"},
	} {
		cmd := exec.Command("docker", "context", "create", at.name, "--docker", "host="+at.host)
		cmd.Env = append(os.Environ(), "DOCKER_CONFIG="+home)
		out, err := cmd.CombinedOutput()
		require.NoError(a.t, err, "%s", out)
		apply := a.command(append(a.small(noInstances), "--context", at.name)...)
		apply.Env = append(os.Environ(), "DOCKER_CONFIG="+home, "DOCKER_HOST=", "PATH="+bin+":"+os.Getenv("PATH"))
		out, err = apply.CombinedOutput()
		require.NoError(a.t, err, "%s", out)
		require.Contains(a.t, string(out), at.want)
	}
	a.run("delete", "small", "--yes")
}

// edits makes edits of the table, every eighth or with KUMIKI_EDITS=all all of them: what
// kumiki apply makes of them is what docker stack deploy does, which then changes nothing, and
// after which kumiki has nothing to do.
func (a *applied) edits() {
	all, err := planedits.All()
	require.NoError(a.t, err)
	cases := map[string][]planedits.Edit{}
	for _, e := range all {
		cases[e.Base] = append(cases[e.Base], e)
	}
	for base, list := range cases {
		text, err := planedits.Base("../../testdata/cases", base)
		require.NoError(a.t, err)
		name := a.version(text, "base")
		for n, e := range list {
			if n%8 != 0 && os.Getenv("KUMIKI_EDITS") != "all" {
				continue
			}
			edited, err := e.Apply(text)
			require.NoError(a.t, err)
			a.version(edited, e.Name)
		}
		a.version(text, "back")
		a.run("delete", name, "--yes")
		require.Empty(a.t, a.ours(name))
	}
}

// version applies a solution, and then lets docker stack deploy do the same.
func (a *applied) version(text []byte, edit string) (name string) {
	a.t.Helper()
	file := filepath.Join(a.Dir(), "version.json")
	require.NoError(a.t, os.WriteFile(file, text, 0o644))
	s, problems := solution.Read(text, file)
	require.Empty(a.t, problems)
	objects := lower(a.t, s)
	a.provide(objects)
	allowed := []string{"--yes", "--wait=false", "--allow-data-loss", "shop", "--allow-data-loss", "platform"}
	a.run(append([]string{"apply", file}, allowed...)...)
	made := a.specs(s.Ref.Name)
	a.deploy(s.Ref.Name, objects)
	require.Equal(a.t, made, a.specs(s.Ref.Name), "%s: docker stack deploy makes something else of it", edit)
	a.between.Count()
	require.Contains(a.t, a.run(append([]string{"apply", file}, allowed...)...), "nothing to do", edit)
	_, writes := a.between.Count()
	require.Zero(a.t, writes, edit)
	return s.Ref.Name
}

// specs are the services of a stack, by their names.
func (a *applied) specs(stack string) map[string]string {
	a.t.Helper()
	out := map[string]string{}
	for _, name := range strings.Fields(a.docker("stack", "services", "--format", "{{.Name}}", stack)) {
		var spec map[string]any
		require.NoError(a.t, json.Unmarshal([]byte(a.inspect(name, "{{json .Spec}}")), &spec))
		text, err := json.MarshalIndent(spec, "", " ")
		require.NoError(a.t, err)
		out[name] = string(text)
	}
	return out
}

// provide makes what is to be there before a stack.
func (l *live) provide(objects []targets.Object) {
	l.t.Helper()
	needs, err := target.Needs(&solution.Solution{}, objects, targets.Options{})
	require.NoError(l.t, err)
	for _, n := range needs {
		if n.Kind == target.NetworkKind {
			if _, err := l.Docker(context.Background(), "", strings.Fields(n.Command)[1:]...); err != nil {
				require.ErrorContains(l.t, err, "already exists")
			}
		}
	}
	for _, o := range objects {
		if f, ok := o.Value.(*target.File); ok && f.External {
			_, err := l.Docker(context.Background(), registered(f.Name), strings.ToLower(o.Kind), "create", f.Name, "-")
			if err != nil {
				require.ErrorContains(l.t, err, "already exists")
			}
		}
	}
}
