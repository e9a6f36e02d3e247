package kubernetes

import (
	"fmt"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// losses reports what a role says that no object could hold.
func (r *roleOf) losses() {
	config, desc := r.role.Config, r.desc
	if config.Scale.Qos != nil && !r.solution.LoadRead(r.at.deployment, r.at.role) {
		r.lost(diag.LostQos, r.at, []string{"config", "scale", "qos"}, "Kubernetes knows no load in requests: %v gets the instances that hsize says", r.at)
	}
	if p := desc.Profile; p != nil && (p.Iopsintensive || p.Threadability != "" && p.Threadability != "*") {
		r.lost(diag.LostProfile, r.at, []string{"profile"}, "Kubernetes places pods by CPU and memory: the profile of %v plays no part", r.at)
	}
	if s := desc.Size; s != nil && positive(solution.Amount{Size: s.Minbandwidth, Unit: s.Bandwidth.Unit}) {
		if !targets.Known(diag.LostBandwidth, r.solution, r.at.deployment, r.at.role, []string{"size", "bandwidth"}) {
			r.unkept = append(r.unkept, promise{r.at, fmt.Sprintf("%s%s", s.Minbandwidth, s.Bandwidth.Unit)})
		}
	}
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
	b.lost(diag.LostBandwidth, b.unkept[0].place, []string{"size", "bandwidth"}, "Kubernetes limits bandwidth and keeps none free: the least that is promised to %s is not guaranteed", targets.Several(names))
}
