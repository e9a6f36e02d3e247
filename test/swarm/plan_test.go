package swarm_test

import (
	"context"
	"slices"
	"testing"
	"time"

	swarmapi "github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/orchestrator"
	"github.com/moby/swarmkit/v2/manager/state/store"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/planedits"
	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
	"kumiki.dev/test/swarm"
)

// TestPlans makes every edit of the table, and takes it back, by the manager's
// own code: the services some of whose tasks it finds to be out of date, or that
// it refuses to change, are those that the plan says restart.
func TestPlans(t *testing.T) {
	all, err := planedits.All()
	require.NoError(t, err)
	for _, e := range all {
		t.Run(e.Name, func(t *testing.T) {
			t.Parallel()
			text, err := planedits.Base("../../testdata/cases", e.Base)
			require.NoError(t, err)
			edited, err := e.Apply(text)
			require.NoError(t, err)
			compareRestarts(t, text, edited)
			compareRestarts(t, edited, text)
		})
	}
}

func compareRestarts(t *testing.T, old, new []byte) {
	t.Helper()
	a, problems := solution.Read(old, "old.json")
	require.Empty(t, problems)
	b, problems := solution.Read(new, "new.json")
	require.Empty(t, problems)
	before, after := lower(t, a), lower(t, b)
	p := plan.Compare(a, b)
	require.NoError(t, p.On("swarm", target.Orchestrator{}, before, after))
	got, want := restarted(t, before, after), []string{}
	for _, o := range p.Target.Objects {
		if o.Kind != target.ServiceKind || !o.Restarts {
			continue
		}
		// Tasks stay on nodes that meet a new constraint too; which those are is not
		// the plan's to know.
		placed := slices.ContainsFunc(o.Changes, func(c plan.Change) bool { return c.Path == "deploy.placement.constraints" })
		if name := "st_" + o.Name; !placed || slices.Contains(got, name) {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	require.Equal(t, want, got)
}

// restarted are the services that do not keep all of their tasks.
func restarted(t *testing.T, before, after []targets.Object) []string {
	t.Helper()
	s, err := swarm.NewSim(zones()...)
	require.NoError(t, err)
	defer s.Stop()
	old, ctx := load(t, before), context.Background()
	require.NoError(t, s.Deploy(ctx, old))
	var tasks map[string][]*swarmapi.Task
	require.Eventually(t, func() bool {
		var whole bool
		tasks, whole = running(s)
		return whole
	}, time.Minute, 5*time.Millisecond, "not all tasks run")
	next := load(t, after)
	refused, err := s.Next(ctx, old, next)
	require.NoError(t, err)
	names := []string{}
	for _, name := range refused {
		names = append(names, "st_"+name)
	}
	for name, list := range tasks {
		service := s.Service(name)
		dirty := func(task *swarmapi.Task) bool {
			var node *swarmapi.Node
			s.Store.View(func(tx store.ReadTx) { node = store.GetNode(tx, task.NodeID) })
			return orchestrator.IsTaskDirty(service, task, node)
		}
		if slices.ContainsFunc(list, dirty) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// running are the tasks of each service, and whether all are there that there
// should be.
func running(s *swarm.Sim) (tasks map[string][]*swarmapi.Task, whole bool) {
	tasks, whole = map[string][]*swarmapi.Task{}, true
	s.Store.View(func(tx store.ReadTx) {
		all, _ := store.FindTasks(tx, store.All)
		for _, task := range all {
			if task.Status.State == swarmapi.TaskStateRunning && task.DesiredState == swarmapi.TaskStateRunning {
				tasks[task.ServiceAnnotations.Name] = append(tasks[task.ServiceAnnotations.Name], task)
			}
		}
		services, _ := store.FindServices(tx, store.All)
		for _, service := range services {
			n := len(tasks[service.Spec.Annotations.Name])
			if r := service.Spec.GetReplicated(); r != nil {
				whole = whole && uint64(n) == r.Replicas
			} else {
				whole = whole && n > 0
			}
		}
	})
	return tasks, whole
}
