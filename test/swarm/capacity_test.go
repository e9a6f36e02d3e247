package swarm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	swarmapi "github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/state/store"
	"github.com/stretchr/testify/require"

	"kumiki.dev/capacity"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
	"kumiki.dev/targets/swarm/scheduling"
	"kumiki.dev/test/swarm"
)

// drawNodes are some nodes, for the manager and as docker node inspect prints them.
func drawNodes(r *rand.Rand) (nodes []*swarmapi.Node, printed []map[string]any) {
	for i := range 1 + r.IntN(4) {
		id := fmt.Sprintf("n%d", i)
		cpus, memory := float64(1+r.IntN(4)), int64(1+r.IntN(4))<<30
		labels := map[string]string{"disk": []string{"ssd", "SSD", "hdd"}[r.IntN(3)]}
		n := swarm.Node(id, swarmapi.NodeRoleWorker, cpus, memory, labels)
		availability := "active"
		if r.IntN(6) == 0 {
			availability, n.Spec.Availability = "drain", swarmapi.NodeAvailabilityDrain
		}
		nodes = append(nodes, n)
		printed = append(printed, map[string]any{
			"ID": id, "Spec": map[string]any{"Role": "worker", "Availability": availability, "Labels": labels},
			"Description": map[string]any{"Hostname": id, "Resources": map[string]any{"NanoCPUs": int64(cpus * 1e9), "MemoryBytes": memory}},
			"Status":      map[string]any{"State": "ready"},
		})
	}
	return nodes, printed
}

// drawServices are the services of a stack.
func drawServices(r *rand.Rand) (objects []targets.Object) {
	for i := range 1 + r.IntN(4) {
		n := r.IntN(5)
		s := &target.Service{Image: "i:1", Networks: map[string]*target.Attachment{"net": {}}, Deploy: target.Deploy{
			EndpointMode: "dnsrr", Replicas: &n, Resources: &target.Resources{Reservations: &target.Quantity{CPUs: fmt.Sprintf("0.%d", 1+r.IntN(9)), Memory: fmt.Sprint((50 + r.IntN(600)) << 20)}},
		}}
		switch r.IntN(6) {
		case 0:
			s.Deploy.Mode, s.Deploy.Replicas = "global", nil
		case 1:
			s.Deploy.Placement = &target.Placement{MaxReplicasPerNode: 1}
		case 2:
			s.Deploy.Placement = &target.Placement{Constraints: []string{"node.labels.disk == ssd"}}
		case 3:
			s.Deploy.Placement = &target.Placement{Constraints: []string{"node.labels.disk != hdd"}}
		}
		objects = append(objects, targets.Object{Kind: "Service", Name: fmt.Sprintf("s%d", i), Value: s})
	}
	return append(objects, targets.Object{Kind: "Network", Name: "net", Value: &target.Network{Driver: "overlay"}})
}

// refused is how many tasks the scheduler has found no node for, or whose only node has no
// room: it says why.
func refused(s *swarm.Sim) (n int) {
	s.Store.View(func(tx store.ReadTx) {
		tasks, _ := store.FindTasks(tx, store.All)
		for _, t := range tasks {
			if t.Status.State == swarmapi.TaskStatePending && t.Status.Err != "" {
				n++
			}
		}
	})
	return n
}

// TestCapacity holds what is said of room against what Swarm's own scheduler does with
// nodes and services that are drawn.
func TestCapacity(t *testing.T) {
	verdicts := map[capacity.Verdict]int{}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 3))
		nodes, printed := drawNodes(r)
		objects := drawServices(r)
		demands, err := scheduling.Demands(&solution.Solution{}, objects, targets.Options{}, false)
		require.NoError(t, err)
		site, err := scheduling.Site(printed, demands)
		require.NoError(t, err)
		report := capacity.Weigh(site, demands)
		verdicts[report.Verdict]++
		checkSwarm(t, seed, nodes, objects, report)
	}
	t.Log(verdicts)
	require.Greater(t, verdicts[capacity.Fits], 5)
	require.Greater(t, verdicts[capacity.Lacks], 5)
}

func checkSwarm(t *testing.T, seed uint64, nodes []*swarmapi.Node, objects []targets.Object, report *capacity.Report) {
	t.Helper()
	s, err := swarm.NewSim(nodes...)
	require.NoError(t, err)
	defer s.Stop()
	require.NoError(t, s.Deploy(context.Background(), load(t, objects)))
	tasks := func() (all []map[string]int) {
		for _, o := range objects[:len(report.Roles)] {
			all = append(all, s.Tasks("st_"+o.Name))
		}
		return all
	}
	require.Eventually(t, func() bool {
		now, waiting, ready := tasks(), 0, true
		for i, role := range report.Roles {
			ready = ready && int64(total(now[i])) == role.Instances
			waiting += now[i][""]
		}
		return ready && waiting == refused(s)
	}, time.Minute, 20*time.Millisecond, "seed %d: the scheduler has no answer for %+v", seed, report.Roles)
	var waiting int64
	for i, found := range tasks() {
		role, waits := report.Roles[i], int64(found[""])
		waiting += waits
		if role.Verdict == capacity.Fits {
			require.Zero(t, waits, "seed %d: %+v: %v", seed, role, found)
		}
		require.GreaterOrEqual(t, waits, role.Surely, "seed %d: %+v: %v", seed, role, found)
	}
	require.GreaterOrEqual(t, waiting, report.Surely, "seed %d: %+v", seed, report)
}
