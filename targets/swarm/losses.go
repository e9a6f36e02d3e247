package swarm

import (
	"fmt"
	"math/big"

	"kumiki.dev/diag"
	"kumiki.dev/targets"
)

// losses reports what a role says that no part of a stack could hold.
func (r *roleOf) losses() {
	b, config, desc := r.builder, r.role.Config, r.role.Artifact.Description
	if config.Scale.Qos != nil && !b.solution.LoadRead(r.at.deployment, r.at.role) {
		b.lost(diag.LostQos, r.at, []string{"config", "scale", "qos"}, "Swarm knows no load: %v gets the instances that hsize says", r.at)
	}
	if n, ok := new(big.Rat).SetString(config.Resilience.String()); ok && n.Sign() > 0 {
		b.lost(diag.LostResilience, r.at, []string{"config", "resilience"}, "Swarm spreads the instances of %v over the nodes, but stops all of a node when it is drained, however many have to survive", r.at)
	}
	if size := desc.Size; size != nil {
		if n, ok := new(big.Rat).SetString(size.Bandwidth.Size.String()); ok && n.Sign() > 0 {
			if !targets.Known(diag.LostBandwidth, b.solution, r.at.deployment, r.at.role, []string{"size", "bandwidth"}) {
				b.unkept = append(b.unkept, promise{r.at, fmt.Sprintf("%s%s", size.Bandwidth.Size, size.Bandwidth.Unit)})
			}
		}
	}
	if p := desc.Profile; p != nil && (p.Iopsintensive || p.Threadability != "" && p.Threadability != "*") {
		b.lost(diag.LostProfile, r.at, []string{"profile"}, "Swarm places instances by CPU and memory only: the profile of %v plays no part", r.at)
	}
	if hosts := targets.Outside(r.role, r.hints.Hints, func(host string) bool { return b.domains[host] }); len(hosts) > 0 {
		b.lost(diag.LostEgress, r.at, hosts[0].Path, "%v %s", r.at, targets.OutsideAdvice(hosts))
	}
	if r.hints.HPA.On() {
		b.lost(diag.LostAutoscaling, r.at, []string{"meta", "hpa"}, "Swarm does not follow the load: %v keeps the number of instances that hsize says", r.at)
	}
}

// beside tells of the objects that go with the deployment.
func (b *builder) beside() {
	names := targets.Keys(b.solution.Objects)
	if len(names) == 0 || b.solution.Acknowledged.Cover(diag.LostObjects, b.solution.ObjectPosition(names[0])) {
		return
	}
	b.problems = append(b.problems, diag.Warn(diag.LostObjects, b.solution.ObjectPosition(names[0]), "Swarm knows none of Kubernetes' objects: %s is left out", targets.Several(names)).AtPath("objects"))
}

// promise is a bandwidth that a role is promised.
type promise struct {
	place
	amount string
}

// bandwidths tells of the roles whose bandwidth is not guaranteed.
func (b *builder) bandwidths() {
	if len(b.unkept) == 0 {
		return
	}
	var names []string
	for _, p := range b.unkept {
		names = append(names, fmt.Sprintf("%v (%s)", p.place, p.amount))
	}
	b.lost(diag.LostBandwidth, b.unkept[0].place, []string{"size", "bandwidth"}, "Swarm limits no bandwidth and keeps none free: what is promised to %s is not guaranteed", targets.Several(names))
}
