package swarm_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
)

// task is the container of a service's first instance.
func (l *live) task(service string) string {
	l.t.Helper()
	var id string
	require.Eventually(l.t, func() bool {
		ids := strings.Fields(l.docker("ps", "-q", "--filter", "label=com.docker.swarm.service.name="+service))
		if len(ids) > 0 {
			id = ids[0]
		}
		return len(ids) > 0
	}, time.Minute, 200*time.Millisecond, "no task of %s: %s", service, later(func() string { return l.docker("service", "ps", "--no-trunc", service) }))
	return id
}

type later func() string

func (f later) String() string { return f() }

// run runs the test program in a role's first instance.
func (l *live) run(role string, args ...string) string {
	l.t.Helper()
	out, _ := l.Docker(context.Background(), "", append([]string{"exec", l.task("live_live-" + role), "/app"}, args...)...)
	return out
}

// answers waits until a request is answered by somebody.
func (l *live) answers(role, url, host, want string) {
	l.t.Helper()
	var got string
	require.Eventually(l.t, func() bool {
		got = l.run(role, "get", url, host)
		return regexp.MustCompile(want).MatchString(got)
	}, 30*time.Second, 300*time.Millisecond, "%s from %s: want %s, got %s", url, role, want, later(func() string { return got }))
}

// complete waits until every service has all of its instances.
func (l *live) complete() {
	l.t.Helper()
	var last string
	require.Eventually(l.t, func() bool {
		last = l.docker("stack", "services", "--format", "{{.Name}} {{.Replicas}}", "live")
		for _, line := range strings.Split(strings.TrimSpace(last), "\n") {
			count := strings.Split(strings.Fields(line)[1], "/")
			if count[0] != count[1] {
				return false
			}
		}
		return true
	}, 90*time.Second, 300*time.Millisecond, "%s", later(func() string { return last }))
}

// TestEngineRuns runs a stack, and does with it what its users would.
func TestEngineRuns(t *testing.T) {
	t.Parallel()
	l := engine(t)
	first := compiled(t)
	l.deploy("live", first)
	l.complete()
	part := func(name string, f func(*live)) {
		t.Run(name, func(t *testing.T) { f(&live{t: t, Engine: l.Engine}) })
	}
	part("names", (*live).checkNames)
	part("files", (*live).checkFiles)
	part("isolation", (*live).checkIsolation)
	part("readiness", (*live).checkReadiness)
	part("inbounds", (*live).checkInbounds)
	part("rollout", (*live).checkRollout)
	part("rollback", (*live).checkRollback)
	part("removal", (*live).checkRemoval)
}

// checkNames shows that each role finds its own servers, on port 80 whatever
// port they listen at, and their instances.
func (l *live) checkNames() {
	l.answers("web", "http://0.next/", "", "200 middle")
	l.answers("web", "http://next/", "", "200 middle")
	l.answers("web", "http://set.0.next:8080/", "", "200 middle")
	l.answers("middle", "http://0.next/", "", "200 back")
	l.answers("middle", "http://next/", "", "200 back")
	l.answers("middle", "http://set.0.next/", "", "200 back")
	require.Contains(l.t, l.run("web", "lookup", "set.0.next"), "set.0.next 2 <nil>", "both instances")
	require.Contains(l.t, l.run("web", "lookup", "set.0.both"), "set.0.both 3 <nil>", "the instances of both roles")
	seen := map[string]bool{}
	require.Eventually(l.t, func() bool {
		if got := strings.Join(strings.Fields(l.run("web", "get", "http://0.both/")), " "); strings.HasPrefix(got, "200 ") {
			seen[got] = true
		}
		return len(seen) == 3
	}, 30*time.Second, 50*time.Millisecond, "requests are spread over the instances of both roles: %v", seen)
}

// checkFiles shows what of files and variables arrives in a container.
func (l *live) checkFiles() {
	require.Equal(l.t, `/etc/web.conf 0440 1000:2000 "first" <nil>
/etc/web.json 0444 1000:2000 "{\n  \"text\": \"first\"\n}\n" <nil>
/run/secrets/PASSWORD 0400 1000:2000 "content of owner-password" <nil>
`, l.run("web", "stat", "/etc/web.conf", "/etc/web.json", "/run/secrets/PASSWORD"))
	container := l.task("live_live-web")
	require.Equal(l.t, "content of owner-password", strings.TrimPrefix(find(l.docker("exec", container, "cat", "/proc/1/environ"), "PASSWORD="), "PASSWORD="))
	require.Equal(l.t, "BRACES={{.Service.Name}} $HOME\n", l.run("web", "env", "BRACES"))
	require.Contains(l.t, l.docker("inspect", "--format", "{{.State.Health.Status}}", l.task("live_live-middle")), "healthy")
}

// find is the entry of a zero-separated list with a prefix.
func find(list, prefix string) string {
	for _, entry := range strings.Split(list, "\x00") {
		if strings.HasPrefix(entry, prefix) {
			return entry
		}
	}
	return ""
}

// checkIsolation shows that roles reach those that they are connected with, and
// no others, by name or by address.
func (l *live) checkIsolation() {
	addresses := func(role string) []string {
		return strings.Fields(l.docker("inspect", "--format", "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}", l.task("live_live-"+role)))
	}
	for _, a := range addresses("lone") {
		for _, role := range []string{"web", "middle", "back"} {
			require.Equal(l.t, "closed\n", l.run(role, "reach", a+":80"), "%s reaches lone", role)
		}
	}
	for _, role := range []string{"web", "middle", "back"} {
		for _, a := range addresses(role) {
			for _, port := range []string{"80", "8080"} {
				require.Equal(l.t, "closed\n", l.run("lone", "reach", a+":"+port), "lone reaches %s", role)
			}
		}
	}
	for _, name := range []string{"live-web", "0.next"} {
		require.Contains(l.t, l.run("lone", "lookup", name), name+" 0 ", "lone finds %s", name)
	}
	reached := false
	for _, a := range addresses("middle") {
		reached = reached || l.run("web", "reach", a+":8080") == "open\n"
	}
	require.True(l.t, reached, "web reaches middle, to which it is connected")
}

// checkReadiness shows that a proxy leaves out an instance that is not ready,
// although it is alive.
func (l *live) checkReadiness() {
	container := l.task("live_live-middle")
	name := strings.TrimSpace(l.docker("inspect", "--format", "{{.Config.Hostname}}", container))
	l.docker("exec", container, "sh", "-c", ": > /tmp/unready")
	time.Sleep(4 * time.Second)
	for range 10 {
		got := l.run("web", "get", "http://0.next/")
		require.Contains(l.t, got, "200 middle")
		require.NotContains(l.t, got, name)
	}
}

// checkInbounds asks the service that lets traffic in, from a role on its
// network.
func (l *live) checkInbounds() {
	const edge = "https://live-inbound-http/"
	l.answers("web", edge, "www.example.com", "200 web")
	l.answers("back", edge, "private.example.com", "403")
	l.answers("back", edge, "unknown.example.com", "503")
}

// checkRollout changes a file, which has to give the role new instances, and
// leave the others alone.
func (l *live) checkRollout() {
	middle, web := l.task("live_live-middle"), l.task("live_live-web")
	config := l.label("live_live-web", targets.ConfigLabel)
	require.NotEmpty(l.t, config)
	second := compiled(l.t, `config.parameter.text=second`)
	l.deploy("live", second)
	require.NotEqual(l.t, config, l.label("live_live-web", targets.ConfigLabel), "a config that changes is seen at the service")
	l.updated("live_live-web", "completed")
	require.NotEqual(l.t, web, l.task("live_live-web"))
	require.Equal(l.t, middle, l.task("live_live-middle"))
	require.Contains(l.t, l.run("web", "stat", "/etc/web.conf"), "second")
	old, now := target.Names("live", compiled(l.t)), target.Names("live", second)
	require.NotEqual(l.t, old.Configs, now.Configs)
	for _, name := range append(old.Configs, now.Configs...) {
		require.Contains(l.t, l.docker("config", "ls", "--format", "{{.Name}}"), name+"\n", "the old one is what prune lists")
	}
}

// updated waits for the end of an update.
func (l *live) updated(service, state string) {
	l.t.Helper()
	var got string
	require.Eventually(l.t, func() bool {
		got = strings.TrimSpace(l.docker("service", "inspect", "--format", "{{if .UpdateStatus}}{{.UpdateStatus.State}}{{end}}", service))
		return got == state
	}, 90*time.Second, 300*time.Millisecond, "want %s, got %s", state, later(func() string { return got }))
}

// checkRollback deploys a version that fails, and finds the old one at work.
func (l *live) checkRollback() {
	l.deploy("live", compiled(l.t, "config.parameter.text=second", "config.parameter.fail=yes"))
	l.updated("live_live-web", "rollback_completed")
	l.complete()
	require.Equal(l.t, "FAIL=no\n", l.run("web", "env", "FAIL"))
	l.answers("web", "http://0.next/", "", "200 middle")
}

// label is one of a service's own.
func (l *live) label(service, key string) string {
	l.t.Helper()
	return strings.TrimSpace(l.docker("service", "inspect", "--format", "{{index .Spec.Labels \""+key+"\"}}", service))
}

// checkRemoval shows which of several instances on one node go when there are to be fewer:
// those with the highest numbers. [TestRemoval] shows what happens on more nodes.
func (l *live) checkRemoval() {
	const service = "live_live-lone"
	scale := func(n int) []string {
		l.docker("service", "scale", "--detach=true", fmt.Sprintf("%s=%d", service, n))
		var running []string
		require.Eventually(l.t, func() bool {
			running = nil
			for line := range strings.Lines(l.docker("service", "ps", "--filter", "desired-state=running", "--format", "{{.Name}} {{.CurrentState}}", service)) {
				if name, state, _ := strings.Cut(line, " "); strings.HasPrefix(state, "Running") {
					running = append(running, name)
				}
			}
			return len(running) == n
		}, time.Minute, 200*time.Millisecond, "%d instances: %s", n, later(func() string { return l.docker("service", "ps", service) }))
		slices.Sort(running)
		return running
	}
	scale(5)
	require.Equal(l.t, []string{service + ".1", service + ".2"}, scale(2))
}
