package swarm

import (
	"kumiki.dev/diag"
	"kumiki.dev/targets"
)

// depend makes the role run where its clients do, as far as Swarm has words for that: where
// all of them have a constraint, it has that too.
func (r *roleOf) depend() {
	d := r.dependencies[targets.RoleKey{Deployment: r.at.deployment, Role: r.at.role}]
	if d != nil && d.Idle {
		r.idle, r.hints.Share = true, "" // no instance anywhere
		return
	}
	if r.hints.Share == targets.SharePod {
		r.lost(diag.LostPlacement, r.at, []string{"meta", "share"}, "Swarm has no instances inside of others: %v has one on each node, not in each of its clients'", r.at)
	}
	if d == nil {
		return
	}
	for _, p := range d.Common {
		r.constrain(r.at, &r.hints, p)
	}
	switch {
	case len(d.Clients)+len(d.Circle) == 0:
		r.lost(diag.LostPlacement, r.at, []string{"meta", "dependency"}, "no role connects to %v: it runs wherever there is room, as if meta.dependency was not there", r.at)
	default:
		r.lost(diag.LostPlacement, r.at, []string{"meta", "dependency"}, "Swarm places no service by where another one runs, and does not count clients: %v runs on all nodes that its constraints, and those that all of its clients have, let it run on", r.at)
	}
}
