package swarm

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// How services run unless a role's meta says otherwise: one instance after the
// other, with time to see that each works, and back if it does not.
const (
	updateDelay  = 10 * time.Second
	stopGrace    = 30 * time.Second
	restartDelay = 5 * time.Second
	leastMonitor = 15 * time.Second
)

// roleOf makes the services of one role.
type roleOf struct {
	*builder
	at    place
	role  *solution.Role
	hints hints
	// idle reports whether the role is there for clients of which none has instances.
	idle bool
	// pinned reports whether data stays on a node, so that a new instance must not
	// start beside the old one.
	pinned bool
	// told is what the role's code is told of its channels in a file, nil for
	// nothing, and variables the same in variables.
	told      []byte
	variables []targets.Variable
}

// service is that of one container of the role.
func (r *roleOf) service(key string, c *solution.Container) *Service {
	s := &Service{
		Image:           r.image(key, c.Image),
		Entrypoint:      c.Entrypoint,
		Command:         c.Cmd,
		Init:            r.hints.Init,
		StopGracePeriod: stopGrace.String(),
		Environment:     map[string]string{},
		Networks:        map[string]*Attachment{},
		Labels:          r.ownLabels(r.at),
	}
	if r.hints.StopGrace != nil {
		s.StopGracePeriod = milliseconds(*r.hints.StopGrace).String()
	}
	if u := c.User; u != nil {
		s.User = fmt.Sprintf("%d:%d", u.UserID, u.GroupID)
		if u.UserID != 0 {
			s.CapDrop = []string{"ALL"}
		}
	}
	r.env(key, c, s)
	r.files(key, c, s)
	r.tell(c, s)
	s.Healthcheck = r.healthcheck(key, c)
	s.Deploy = r.deploy(key, c, s.Healthcheck)
	return s
}

func (r *roleOf) image(key string, i solution.Image) string {
	name := targets.Image(i)
	if i.Hub.Secret != "" {
		r.lost(diag.LostCredentials, r.at, []string{"code", key, "image", "hub", "secret"}, "a stack cannot name credentials of a registry: log in to that of %s, and kumiki apply or docker stack deploy --with-registry-auth passes them on", name)
	}
	return name
}

func (r *roleOf) deploy(key string, c *solution.Container, check *Healthcheck) Deploy {
	d := Deploy{
		EndpointMode:   "dnsrr",
		UpdateConfig:   r.update(check),
		RollbackConfig: &Update{Parallelism: 1, FailureAction: "pause", Order: "stop-first"},
		RestartPolicy:  &Restart{Condition: "any", Delay: restartDelay.String()},
		Placement:      r.placement(),
		Resources:      r.resources(key, c),
		Labels:         r.serviceLabels(),
	}
	switch r.hints.Restart {
	case "on-failure":
		d.RestartPolicy.Condition = "on-failure"
	case "never":
		d.RestartPolicy = &Restart{Condition: "none"}
	}
	if r.hints.EachNode() {
		d.Mode = "global"
		return d
	}
	d.Replicas = targets.Instances(r.role, r.hints.Hints, r.idle)
	return d
}

func (r *roleOf) update(check *Healthcheck) *Update {
	rollout := r.hints.Rollout
	u := &Update{Parallelism: 1, Delay: updateDelay.String(), FailureAction: "rollback", Monitor: monitor(check).String(), Order: "start-first"}
	if r.pinned || r.hints.MaxPerNode > 0 || r.hints.Share == targets.ShareNamespace || r.hints.EachNode() {
		u.Order = "stop-first" // there is no room for both, or both would have the data
	}
	if rollout.Parallelism != nil {
		u.Parallelism = *rollout.Parallelism
	}
	if rollout.Delay != nil {
		u.Delay = milliseconds(*rollout.Delay).String()
	}
	if rollout.Order != "" {
		u.Order = rollout.Order
	}
	if u.Order == "start-first" && r.hints.EachNode() {
		r.lost(diag.LostMeta, r.at, []string{"meta", "rollout", "order"}, "%v has one instance on each node, which Swarm stops before it starts the next", r.at)
		u.Order = "stop-first"
	}
	return u
}

// monitor is how long an instance is watched before the next is replaced: long
// enough for its health check to have failed.
func monitor(h *Healthcheck) time.Duration {
	if h == nil {
		return leastMonitor
	}
	interval, _ := time.ParseDuration(h.Interval)
	start, _ := time.ParseDuration(h.StartPeriod)
	return max(leastMonitor, start+interval*time.Duration(h.Retries+1))
}

func (r *roleOf) placement() *Placement {
	p := &Placement{Constraints: r.hints.constraints}
	if !r.hints.EachNode() {
		p.MaxReplicasPerNode = r.hints.MaxPerNode
		if r.hints.Spread != "" {
			p.Preferences = []Preference{{Spread: r.hints.Spread}}
		}
	}
	if len(p.Constraints) == 0 && len(p.Preferences) == 0 && p.MaxReplicasPerNode == 0 {
		return nil
	}
	return p
}

// What Swarm takes at least.
const (
	leastMilliCPU = 1
	leastMemory   = 4 << 20
)

// resources are a container's: no more than its size, no less than its minimum.
// Memory has no minimum of its own, so that all of it is kept free.
func (r *roleOf) resources(key string, c *solution.Container) *Resources {
	cpu, okCPU := targets.Milli(c.Size.CPU)
	least, okLeast := targets.Milli(solution.Amount{Size: c.Size.Mincpu, Unit: c.Size.CPU.Unit})
	memory, okMemory := targets.Whole(c.Size.Memory)
	if !okCPU || !okLeast || !okMemory {
		r.broken(diag.TargetBroken, "role %s of %s: the size of container %s has a unit that is not known, or is too large", r.at.role, r.at.deployment, key)
		return nil
	}
	if memory > 0 {
		memory = max(memory, leastMemory)
	}
	res := &Resources{Limits: quantity(cpu, memory), Reservations: quantity(least, memory)}
	if res.Limits == nil && res.Reservations == nil {
		return nil
	}
	return res
}

func quantity(milli, memory int64) *Quantity {
	var q Quantity
	if milli >= leastMilliCPU {
		q.CPUs = fmt.Sprintf("%d.%03d", milli/1000, milli%1000)
		q.CPUs = strings.TrimSuffix(strings.TrimRight(q.CPUs, "0"), ".")
	}
	if memory > 0 {
		q.Memory = strconv.FormatInt(memory, 10)
	}
	if q == (Quantity{}) {
		return nil
	}
	return &q
}

func milliseconds(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
