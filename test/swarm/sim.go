package swarm

import (
	"context"
	"slices"
	"sync"

	"github.com/moby/moby/v2/daemon/libnetwork/cnmallocator"
	swarmapi "github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/allocator"
	"github.com/moby/swarmkit/v2/manager/allocator/networkallocator"
	"github.com/moby/swarmkit/v2/manager/orchestrator/global"
	"github.com/moby/swarmkit/v2/manager/orchestrator/replicated"
	"github.com/moby/swarmkit/v2/manager/orchestrator/taskreaper"
	"github.com/moby/swarmkit/v2/manager/scheduler"
	"github.com/moby/swarmkit/v2/manager/state"
	"github.com/moby/swarmkit/v2/manager/state/store"
)

// Sim runs the manager's real loops over nodes that only say that they run what
// they are told to.
type Sim struct {
	*Manager
	// Outcome says what becomes of a task's container.
	Outcome func(*swarmapi.Task) swarmapi.TaskState

	stop []func()
	wg   sync.WaitGroup
}

// NewSim starts the loops.
func NewSim(nodes ...*swarmapi.Node) (*Sim, error) {
	m, err := NewManager()
	if err != nil {
		return nil, err
	}
	s := &Sim{Manager: m, Outcome: func(*swarmapi.Task) swarmapi.TaskState { return swarmapi.TaskStateRunning }}
	err = m.Store.Update(func(tx store.Tx) error {
		for _, n := range nodes {
			if err := store.CreateNode(tx, n); err != nil {
				return err
			}
		}
		return store.CreateCluster(tx, &swarmapi.Cluster{ID: "c", Spec: swarmapi.ClusterSpec{
			Annotations:   swarmapi.Annotations{Name: store.DefaultClusterName},
			Orchestration: swarmapi.OrchestrationConfig{TaskHistoryRetentionLimit: 5},
		}})
	})
	if err != nil {
		return nil, err
	}
	networks, err := cnmallocator.NewProvider(nil).NewAllocator(&networkallocator.Config{SubnetSize: 24})
	if err != nil {
		return nil, err
	}
	s.start(networks)
	return s, nil
}

func (s *Sim) start(networks networkallocator.NetworkAllocator) {
	ctx, cancel := context.WithCancel(context.Background())
	allocate, schedule := allocator.New(s.Store, networks), scheduler.New(s.Store)
	replicas, everywhere, reap := replicated.NewReplicatedOrchestrator(s.Store), global.NewGlobalOrchestrator(s.Store), taskreaper.New(s.Store)
	events, unwatch := state.Watch(s.Store.WatchQueue(), swarmapi.EventCreateTask{}, swarmapi.EventUpdateTask{})
	for _, loop := range []func(){
		func() { _ = allocate.Run(ctx) },
		func() { _ = schedule.Run(ctx) },
		func() { _ = replicas.Run(ctx) },
		func() { _ = everywhere.Run(ctx) },
		func() { reap.Run(ctx) },
		func() {
			for {
				select {
				case <-ctx.Done():
					return
				case e := <-events:
					switch e := e.(type) {
					case swarmapi.EventCreateTask:
						s.agent(e.Task.ID)
					case swarmapi.EventUpdateTask:
						s.agent(e.Task.ID)
					}
				}
			}
		},
	} {
		s.wg.Go(loop)
	}
	s.stop = []func(){unwatch, reap.Stop, everywhere.Stop, replicas.Stop, schedule.Stop, allocate.Stop, cancel}
}

// agent carries a task that has a node to its outcome, and stops what is to be
// stopped.
func (s *Sim) agent(id string) {
	_ = s.Store.Update(func(tx store.Tx) error {
		t := store.GetTask(tx, id)
		if t == nil || t.NodeID == "" {
			return nil
		}
		set := func(state swarmapi.TaskState) error {
			t.Status.State = state
			return store.UpdateTask(tx, t)
		}
		now, want := t.Status.State, t.DesiredState
		switch {
		case want > swarmapi.TaskStateRunning && want != swarmapi.TaskStateCompleted && now <= swarmapi.TaskStateRunning:
			return set(swarmapi.TaskStateShutdown)
		case want >= swarmapi.TaskStateRunning && (now == swarmapi.TaskStateAssigned || now == swarmapi.TaskStateReady):
			return set(s.Outcome(t))
		case now == swarmapi.TaskStateAssigned:
			return set(swarmapi.TaskStateReady)
		}
		return nil
	})
}

// Tasks is how many tasks of a service run on each node; those that wait are
// under "".
func (s *Sim) Tasks(service string) map[string]int {
	found := map[string]int{}
	s.Store.View(func(tx store.ReadTx) {
		tasks, _ := store.FindTasks(tx, store.All)
		for _, t := range tasks {
			switch {
			case t.ServiceAnnotations.Name != service || t.DesiredState > swarmapi.TaskStateRunning:
			case t.Status.State == swarmapi.TaskStateRunning:
				found[t.NodeID]++
			default:
				found[""]++
			}
		}
	})
	return found
}

// Slots are the numbers of a service's tasks that run, sorted.
func (s *Sim) Slots(service string) (slots []int) {
	s.Store.View(func(tx store.ReadTx) {
		tasks, _ := store.FindTasks(tx, store.All)
		for _, t := range tasks {
			if t.ServiceAnnotations.Name == service && t.DesiredState <= swarmapi.TaskStateRunning && t.Status.State == swarmapi.TaskStateRunning {
				slots = append(slots, int(t.Slot))
			}
		}
	})
	slices.Sort(slots)
	return slots
}

// Service is a service as the manager has it, nil if it has none.
func (s *Sim) Service(name string) *swarmapi.Service {
	var found *swarmapi.Service
	s.Store.View(func(tx store.ReadTx) {
		services, _ := store.FindServices(tx, store.ByName(name))
		if len(services) > 0 {
			found = services[0]
		}
	})
	return found
}

// Stop ends the loops.
func (s *Sim) Stop() {
	for _, stop := range s.stop {
		stop()
	}
	s.wg.Wait()
	_ = s.Close()
}

// Node is a node that is ready.
func Node(id string, role swarmapi.NodeRole, cpus float64, memory int64, labels map[string]string) *swarmapi.Node {
	return &swarmapi.Node{
		ID: id, Role: role,
		Spec:   swarmapi.NodeSpec{Annotations: swarmapi.Annotations{Name: id, Labels: labels}, DesiredRole: role, Availability: swarmapi.NodeAvailabilityActive},
		Status: swarmapi.NodeStatus{State: swarmapi.NodeStatus_READY},
		Description: &swarmapi.NodeDescription{
			Hostname: id, Platform: &swarmapi.Platform{OS: "linux", Architecture: "x86_64"},
			Engine:    &swarmapi.EngineDescription{Plugins: []swarmapi.PluginDescription{{Type: "Network", Name: "overlay"}, {Type: "Volume", Name: "local"}}},
			Resources: &swarmapi.Resources{NanoCPUs: int64(cpus * 1e9), MemoryBytes: memory},
		},
	}
}
