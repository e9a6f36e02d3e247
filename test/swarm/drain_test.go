package swarm_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
	"kumiki.dev/test/swarm"
)

// pair is a swarm of two nodes, one and two. Kumiki asks one.
type pair struct {
	*applied
	two *live
}

// TestApplyDrains takes all instances from a node of two, and gives it back.
func TestApplyDrains(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("real engines take a minute: left out by -short")
	}
	if why := swarm.Missing(); why != "" {
		t.Skip(why)
	}
	one, two, err := swarm.StartPair(context.Background(), proxyImage)
	require.NoError(t, err)
	t.Cleanup(two.Stop)
	t.Cleanup(one.Stop)
	p := &pair{applied: began(t, &live{t: t, Engine: one}), two: &live{t: t, Engine: two}}
	golden.Each(t, "testdata/small.txtar", func(t *testing.T, c *golden.Case) {
		p.applied.live, p.two, p.dir = &live{t: t, Engine: one}, &live{t: t, Engine: two}, c.Dir()
		p.run(p.small("config.scale.hsize=2")...)
		p.service("other", "--replicas", "2")
		p.service("agent", "--mode", "global")
		p.refuses()
		p.drains()
		p.spread()
		p.broken()
		p.late()
		p.elsewhere()
	})
}

// service makes one that is no solution's.
func (p *pair) service(name string, flags ...string) {
	p.t.Helper()
	p.docker(append(append([]string{"service", "create", "--detach", "--quiet", "--no-resolve-image", "--name", name, "--env", "PORT=8080", "--env", "WHO=" + name, "--env", "FAIL=no"}, flags...), "kumiki-app:1")...)
}

// node is how node two is: its availability, and kumiki's mark.
func (p *pair) node() string {
	p.t.Helper()
	return strings.TrimSpace(p.docker("node", "inspect", "--format", `{{.Spec.Availability}} {{index .Spec.Labels "kumiki.dev/closed"}}`, "two"))
}

// on waits until a service has as many containers on node two.
func (p *pair) on(service string, n int) {
	p.t.Helper()
	require.Eventually(p.t, func() bool {
		return len(strings.Fields(p.two.docker("ps", "-q", "--filter", "label=com.docker.swarm.service.name="+service))) == n
	}, time.Minute, 100*time.Millisecond, "%d of %s on two: %s", n, service, later(func() string { return p.docker("service", "ps", "--no-trunc", service) }))
}

// refuses: nothing is written where data would be left behind, and for what Swarm cannot do.
func (p *pair) refuses() {
	for service, n := range map[string]int{"small_small-web": 1, "other": 1, "agent": 1} {
		p.on(service, n)
	}
	p.between.Count()
	for _, args := range [][]string{{"move", "two"}, {"move", "two", "--to", "one"}, {"drain", "two", "--role", "small/web"}} {
		require.Contains(p.t, p.fails(1, args...), "swarm lets no single instance leave a node: kumiki drain two takes all of them from it, kumiki drain two --undo lets it take some again")
	}
	require.Regexp(p.t, `small/web small_small-web\.\d has data \(what is in volume small-data stays on the node, and elsewhere it begins with an empty one\): --allow-data-move small/web lets it go all the same`, p.fails(5, "drain", "two", "--yes"))
	require.Contains(p.t, outOf(p.try("drain", "three", "--yes")), "there is no node three; there are one, two")
	_, writes := p.between.Count()
	require.Zero(p.t, writes)
	require.Equal(p.t, "active", p.node())
}

// drains: all instances run elsewhere, the node has none, and stays closed until it is opened.
func (p *pair) drains() {
	out := p.run("drain", "two", "--yes", "--allow-data-move", "small")
	require.Contains(p.t, out, "agent agent ends: each node has one\n")
	require.Regexp(p.t, `(?m)^other other\.\d leaves too, which is no solution's$`, out)
	require.Contains(p.t, out, "two: 2 instances run elsewhere, and it takes no new ones\n")
	require.Empty(p.t, p.two.docker("ps", "-q"))
	require.Equal(p.t, "drain drained", p.node())
	require.Contains(p.t, p.run("nodes"), "kumiki drain has closed it")
	require.Contains(p.t, p.run("status", "small"), "small/web  2/2    healthy")
	require.Contains(p.t, p.fails(5, "drain", "one", "--yes", "--allow-data-move", "small"), "nothing was changed: no other node takes instances")
	require.Contains(p.t, p.run("drain", "two", "--undo"), "two takes instances\n")
	require.Equal(p.t, "active", p.node())
}

// spread lets instances come to node two again.
func (p *pair) spread() {
	p.on("agent", 1)
	p.docker("service", "update", "--detach", "--quiet", "--no-resolve-image", "--force", "other")
	p.on("other", 1)
}

// broken: killed when the node was drained, the next run opens it again.
func (p *pair) broken() {
	cmd := p.command("drain", "two", "--yes", "--allow-data-move", "small")
	var once atomic.Bool
	p.between.Stop(func(done bool) bool {
		if done && once.CompareAndSwap(false, true) {
			_ = cmd.Process.Kill()
		}
		return once.Load() // nothing more of it is done
	})
	_ = cmd.Run()
	p.between.Wait()
	p.between.Stop(nil)
	require.Regexp(p.t, `^drain \S+Z two$`, p.node())
	require.Contains(p.t, p.run("nodes"), "kumiki drain is closing it, until")
	require.Equal(p.t, "two takes instances again: a move was broken off\ntwo takes instances\n", p.run("drain", "two", "--undo"))
	require.Equal(p.t, "active", p.node())
}

// late: what runs nowhere else in time is given its node back.
func (p *pair) late() {
	p.service("only", "--constraint", "node.hostname==two")
	p.on("only", 1)
	require.Contains(p.t, p.fails(7, "drain", "two", "--yes", "--allow-data-move", "small", "--timeout", "5s"), "what is to run in place of only only.1 has no node")
	require.Equal(p.t, "active", p.node())
	p.on("only", 1)
	p.docker("service", "rm", "only")
	p.service("once", "--constraint", "node.hostname==two", "--restart-condition", "none")
	p.on("once", 1)
	require.Contains(p.t, p.fails(5, "drain", "two", "--yes"), "once once.1: it would be broken off, and Swarm starts it nowhere again")
	require.Equal(p.t, "active", p.node())
	p.docker("service", "rm", "once")
}

// elsewhere: what somebody else has closed stays as it is.
func (p *pair) elsewhere() {
	p.docker("node", "update", "--availability", "pause", "two")
	require.Contains(p.t, p.fails(5, "drain", "two", "--yes", "--allow-data-move", "small"), "nothing was changed: somebody has paused two: docker node update --availability active two, and again")
	require.Equal(p.t, "pause", p.node())
	p.docker("node", "update", "--availability", "drain", "two")
	require.Contains(p.t, p.fails(5, "drain", "two", "--undo"), "two takes no instances: kumiki has not closed it, and its availability is drain")
	require.Equal(p.t, "drain", p.node())
}
