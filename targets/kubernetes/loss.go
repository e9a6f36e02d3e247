package kubernetes

import (
	"kumiki.dev/diag"
	"kumiki.dev/solution"
)

// losses reports what a role says that no object could hold.
func (r *roleOf) losses() {
	config, desc := r.role.Config, r.desc
	if config.Scale.Qos != nil {
		r.lost(diag.LostQos, r.at, []string{"config", "scale", "qos"}, "Kubernetes knows no load in requests: %v gets the instances that hsize says", r.at)
	}
	if p := desc.Profile; p != nil && (p.Iopsintensive || p.Threadability != "" && p.Threadability != "*") {
		r.lost(diag.LostProfile, r.at, []string{"profile"}, "Kubernetes places pods by CPU and memory: the profile of %v plays no part", r.at)
	}
	if s := desc.Size; s != nil && positive(solution.Amount{Size: s.Minbandwidth, Unit: s.Bandwidth.Unit}) {
		r.lost(diag.LostBandwidth, r.at, []string{"size", "bandwidth"}, "Kubernetes keeps no bandwidth free: that of %v is limited to %s%s, but the least of %s%s is not guaranteed", r.at, s.Bandwidth.Size, s.Bandwidth.Unit, s.Minbandwidth, s.Bandwidth.Unit)
	}
}
