package query

import (
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// Size is what a role takes of a cluster.
type Size struct {
	Deployment string `json:"deployment"`
	Role       string `json:"role"`
	Instances  int    `json:"instances"`
	// CPU is in thousandths of a core and Memory in bytes, of all instances together.
	CPU    int64 `json:"cpu"`
	Memory int64 `json:"memory"`
}

// Sizes are those of all roles, by deployment and name.
func Sizes(s *solution.Solution) []Size {
	out := []Size{}
	for _, name := range targets.Keys(s.Deployments) {
		roles := s.Deployments[name].Artifact.Description.Role
		for _, role := range targets.Keys(roles) {
			out = append(out, sizeOf(name, roles[role]))
		}
	}
	return out
}

func sizeOf(deployment string, r *solution.Role) Size {
	size := Size{Deployment: deployment, Role: r.Name, Instances: 1}
	if h := r.Config.Scale.Hsize; h != nil {
		size.Instances = *h
	}
	for _, c := range r.Artifact.Description.Code {
		if cpu, ok := targets.Milli(c.Size.CPU); ok {
			size.CPU += cpu * int64(size.Instances)
		}
		if memory, ok := targets.Whole(c.Size.Memory); ok {
			size.Memory += memory * int64(size.Instances)
		}
	}
	return size
}
