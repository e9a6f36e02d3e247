package swarm_test

import (
	"context"
	"slices"
	"testing"
	"time"

	swarmapi "github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/state/store"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/cases"
	"kumiki.dev/internal/golden"
	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
	"kumiki.dev/test/swarm"
)

// platform is the stack of the case that asks for most, with its delays cut
// short.
func platform(t *testing.T, change func(*target.Stack)) []targets.Object {
	t.Helper()
	var objects []targets.Object
	t.Run("case", func(t *testing.T) {
		golden.Each(t, "../../testdata/cases/platform.txtar", func(t *testing.T, c *golden.Case) {
			objects = lower(t, cases.Solution(t, c))
		})
	})
	stack := target.New(objects)
	for _, s := range stack.Services {
		s.Deploy.UpdateConfig.Delay, s.Deploy.UpdateConfig.Monitor = "0s", "200ms"
		s.Deploy.RollbackConfig.Monitor = "50ms"
		s.Deploy.RestartPolicy.Delay = "100ms"
	}
	if change != nil {
		change(stack)
	}
	return objects
}

// zones are three workers in each of three zones, and a manager.
func zones() []*swarmapi.Node {
	nodes := []*swarmapi.Node{swarm.Node("m", swarmapi.NodeRoleManager, 16, 64<<30, map[string]string{"zone": "a"})}
	for _, id := range []string{"a1", "a2", "b1", "b2", "c1", "c2"} {
		nodes = append(nodes, swarm.Node(id, swarmapi.NodeRoleWorker, 16, 64<<30, map[string]string{"zone": id[:1]}))
	}
	return nodes
}

// TestPlacement runs the real scheduler over nodes that are not there.
func TestPlacement(t *testing.T) {
	s, err := swarm.NewSim(zones()...)
	require.NoError(t, err)
	defer s.Stop()
	require.NoError(t, s.Deploy(context.Background(), load(t, platform(t, nil))))

	front := func() map[string]int { return s.Tasks("st_platform-front") }
	require.Eventually(t, func() bool { return total(front()) == 3 && front()[""] == 0 }, time.Minute, 10*time.Millisecond)
	byZone := map[string]int{}
	for node, n := range front() {
		require.LessOrEqual(t, n, 2, "more than maxPerNode on %s", node)
		byZone[zoneOf(node)] += n
	}
	require.Zero(t, byZone["c"], "zone c is excluded: %v", front())
	require.Positive(t, byZone["a"])
	require.Positive(t, byZone["b"])

	agent := func() map[string]int { return s.Tasks("st_platform-agent") }
	require.Eventually(t, func() bool { return len(agent()) == 7 && agent()[""] == 0 }, time.Minute, 10*time.Millisecond, "an instance on each node: %v", agent)
	for node, n := range agent() {
		require.Equal(t, 1, n, node)
	}
}

func zoneOf(node string) string {
	if node == "m" {
		return "a"
	}
	return node[:1]
}

func total(tasks map[string]int) int {
	n := 0
	for _, count := range tasks {
		n += count
	}
	return n
}

// TestNowhere shows that what no node can hold waits, rather than running where
// it must not.
func TestNowhere(t *testing.T) {
	s, err := swarm.NewSim(swarm.Node("c1", swarmapi.NodeRoleWorker, 16, 64<<30, map[string]string{"zone": "c"}), swarm.Node("a1", swarmapi.NodeRoleWorker, 0.06, 64<<30, map[string]string{"zone": "a"}))
	require.NoError(t, err)
	defer s.Stop()
	require.NoError(t, s.Deploy(context.Background(), load(t, platform(t, nil))))
	require.Eventually(t, func() bool {
		return total(s.Tasks("st_platform-middle")) == 2 && s.Tasks("st_platform-middle")[""] == 0 && total(s.Tasks("st_platform-front")) == 3
	}, time.Minute, 10*time.Millisecond)
	front := s.Tasks("st_platform-front")
	require.LessOrEqual(t, front["a1"], 1, "node a1 has CPU for one")
	require.GreaterOrEqual(t, front[""], 2)
	require.Zero(t, front["c1"])
}

// TestRollback gives a service a version that fails, and finds the old one
// running again, by the update configuration that the target made.
func TestRollback(t *testing.T) {
	s, err := swarm.NewSim(zones()...)
	require.NoError(t, err)
	defer s.Stop()
	s.Outcome = func(t *swarmapi.Task) swarmapi.TaskState {
		if slices.Contains(t.Spec.GetContainer().Env, "GREETING=bad") {
			return swarmapi.TaskStateFailed
		}
		return swarmapi.TaskStateRunning
	}
	ctx := context.Background()
	require.NoError(t, s.Deploy(ctx, load(t, platform(t, nil))))
	running := func() bool { tasks := s.Tasks("st_platform-front"); return total(tasks) == 3 && tasks[""] == 0 }
	require.Eventually(t, running, time.Minute, 10*time.Millisecond)

	bad := load(t, platform(t, func(stack *target.Stack) { stack.Services["platform-front"].Environment["GREETING"] = "bad" }))
	require.NoError(t, s.Update(ctx, bad, "platform-front"))
	require.Eventually(t, func() bool {
		u := s.Service("st_platform-front").UpdateStatus
		return u != nil && u.State == swarmapi.UpdateStatus_ROLLBACK_COMPLETED
	}, time.Minute, 20*time.Millisecond)
	require.Eventually(t, running, time.Minute, 10*time.Millisecond)
	require.NotContains(t, s.Service("st_platform-front").Spec.Task.GetContainer().Env, "GREETING=bad")
}

// TestRemoval shows which instances go when there are to be fewer: those on the node that has
// the most, not those with the highest numbers. That is what the target reports of volumes
// that belong to numbers.
func TestRemoval(t *testing.T) {
	node := func(id string) *swarmapi.Node {
		return swarm.Node(id, swarmapi.NodeRoleWorker, 16, 64<<30, map[string]string{"zone": "a"})
	}
	s, err := swarm.NewSim(node("a1"))
	require.NoError(t, err)
	defer s.Stop()
	ctx := context.Background()
	of := func(n int) *swarm.Specs {
		return load(t, platform(t, func(stack *target.Stack) { stack.Services["platform-middle"].Deploy.Replicas = &n }))
	}
	left := func(want ...int) {
		t.Helper()
		require.Eventually(t, func() bool { return slices.Equal(want, s.Slots("st_platform-middle")) }, time.Minute, 10*time.Millisecond, "%v", want)
	}
	require.NoError(t, s.Deploy(ctx, of(3)))
	left(1, 2, 3)
	require.NoError(t, s.Store.Update(func(tx store.Tx) error { return store.CreateNode(tx, node("a2")) }))
	require.NoError(t, s.Update(ctx, of(4), "platform-middle"))
	left(1, 2, 3, 4)
	require.NoError(t, s.Update(ctx, of(2), "platform-middle"))
	left(1, 4)
}
