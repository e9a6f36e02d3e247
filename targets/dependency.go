package targets

import (
	"slices"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// What [Hints.Share] may be.
const (
	ShareNode      = "node"
	ShareNamespace = "namespace"
	SharePod       = "pod"
)

// EachNode reports whether there is one instance on each node.
func (h Hints) EachNode() bool { return h.Share == ShareNode || h.Share == SharePod }

// depends reports whether the role is there for its clients only.
func (h Hints) depends() bool { return h.Dependency || h.Share == SharePod }

// mayDepend reports whether meta has a hint that depends asks for, so that the rest of it
// is worth reading.
func mayDepend(meta any) bool {
	members, _ := meta.(map[string]any)
	return members["dependency"] != nil || members["share"] != nil
}

// Instances is how many instances a role has by its scale and hints, nil where nothing says
// so. idle tells of a dependency whose clients have none.
func Instances(r *solution.Role, h Hints, idle bool) *int {
	n := r.Config.Scale.Hsize
	switch {
	case idle:
		none := 0
		return &none
	case h.Share == ShareNamespace && (n == nil || *n > 1):
		one := 1
		return &one
	}
	return n
}

// RoleKey is a deployment of a solution and one of its roles.
type RoleKey struct{ Deployment, Role string }

// Dependency is what a role that is there for its clients has to know of them.
type Dependency struct {
	// Clients are the roles that connect to it, sorted. Those that are its own
	// dependencies are in Circle instead: neither can wait for the other.
	Clients, Circle []RoleKey
	// Idle reports whether no client has instances, and nobody else may come.
	Idle bool
	// Common are the constraints that all clients have and the role itself has not: wherever
	// one of them may run, they hold.
	Common []NodeHint
}

// Dependencies are the roles of a solution that are there for their clients.
func Dependencies(s *solution.Solution) map[RoleKey]*Dependency {
	out := map[RoleKey]*Dependency{}
	for name, d := range s.Deployments {
		for role := range d.Artifact.Description.Role {
			if at := (RoleKey{name, role}); mayDepend(s.MetaOf(name, role)) && hintsOf(s, at).depends() {
				out[at] = &Dependency{}
			}
		}
	}
	if len(out) == 0 {
		return nil
	}
	open := map[RoleKey]bool{} // to inbounds and other solutions
	for _, reach := range s.Reaches() {
		from := RoleKey{reach.From.Deployment, reach.From.Role}
		for _, g := range reach.Groups {
			for _, t := range g {
				to := RoleKey{t.Deployment, t.Role}
				if d := out[to]; t.Solution != "" || d == nil || from == to {
					continue
				} else if from.Role == "" {
					open[to] = true
				} else if !filter.Contains(d.Clients, from) {
					d.Clients = append(d.Clients, from)
				}
			}
		}
	}
	for _, end := range Offered(s) {
		for _, t := range s.Arrivals(end) {
			open[RoleKey{t.Deployment, t.Role}] = true
		}
	}
	breakCircles(out)
	for at, d := range out {
		d.Common = common(s, at, d.Clients)
		d.Idle = !open[at] && len(d.Clients) > 0 && idle(s, out, at)
	}
	return out
}

// Has reports whether a role is one of the clients. A nil Dependency has none.
func (d *Dependency) Has(client RoleKey) bool { return d != nil && filter.Contains(d.Clients, client) }

// hintsOf are a role's hints; what is wrong with them is told when the role is lowered.
func hintsOf(s *solution.Solution, at RoleKey) Hints {
	return ReadHints(s.MetaOf(at.Deployment, at.Role), func([]string, string) {})
}

// breakCircles takes from the clients of dependencies those that depend on these in turn.
func breakCircles(all map[RoleKey]*Dependency) {
	circles := map[RoleKey][]RoleKey{}
	for at, d := range all {
		sorting.By(d.Clients, compareRoles)
		for _, client := range d.Clients {
			if follows(all, client, at, map[RoleKey]bool{}) {
				circles[at] = append(circles[at], client)
			}
		}
	}
	for at, circle := range circles {
		all[at].Circle = circle
		all[at].Clients = filter.Out(all[at].Clients, func(c RoleKey) bool { return filter.Contains(circle, c) })
	}
}

func compareRoles(a, b RoleKey) int {
	return slices.Compare([]string{a.Deployment, a.Role}, []string{b.Deployment, b.Role})
}

// follows reports whether a role runs where another does, directly or not.
func follows(all map[RoleKey]*Dependency, role, other RoleKey, seen map[RoleKey]bool) bool {
	d := all[role]
	if d == nil || seen[role] {
		return false
	}
	seen[role] = true
	return filter.Any(d.Clients, func(c RoleKey) bool { return c == other || follows(all, c, other, seen) })
}

// idle reports whether none of a dependency's clients has instances.
func idle(s *solution.Solution, all map[RoleKey]*Dependency, at RoleKey) bool {
	return !filter.Any(all[at].Clients, func(c RoleKey) bool {
		h := hintsOf(s, c)
		n := Instances(s.Deployments[c.Deployment].Artifact.Description.Role[c.Role], h, false)
		if n == nil || *n > 0 || h.EachNode() || h.HPA.On() {
			return all[c] == nil || len(all[c].Clients) == 0 || !idle(s, all, c)
		}
		return false
	})
}

// common are the constraints that all of a role's clients have, but for its own.
func common(s *solution.Solution, at RoleKey, clients []RoleKey) (out []NodeHint) {
	for i, client := range clients {
		theirs := constraints(s, client)
		if i == 0 {
			out = filter.Out(theirs, constraints(s, at).have)
			continue
		}
		out = filter.Out(out, func(p NodeHint) bool { return !theirs.have(p) })
	}
	return out
}

// nodeHints are some that hold.
type nodeHints []NodeHint

// constraints are those on the nodes of a role, in whatever meta they are said.
func constraints(s *solution.Solution, at RoleKey) nodeHints {
	all := slices.Concat(hintsOf(s, at).Placement, Around(s, at.Deployment, func(string, []string, string) {}))
	return filter.Out(all, func(p NodeHint) bool { return p.Soft })
}

func (all nodeHints) have(p NodeHint) bool { return filter.Any(all, p.same) }

// same reports whether two hints ask the same of a node.
func (p NodeHint) same(q NodeHint) bool {
	equal := func(n NodeHint) bool { return n.Equal == nil || *n.Equal }
	return p.Label == q.Label && p.Value == q.Value && equal(p) == equal(q)
}
