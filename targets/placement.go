package targets

import "kumiki.dev/solution"

// Around are the constraints that a role has from the deployments that it is in: its own, and
// those that govern that one in the solution, the innermost first. Those of a component that is
// deployed by itself are its role's.
func Around(s *solution.Solution, deployment string, wrong func(deployment string, path []string, problem string)) []NodeHint {
	var out []NodeHint
	for name := deployment; s.Deployments[name] != nil; {
		d := s.Deployments[name]
		meta, _ := d.Meta.(map[string]any)
		if placement, ok := meta["placement"]; ok && s.Alone(name) == "" {
			h := ReadHints(map[string]any{"placement": placement}, func(path []string, problem string) { wrong(name, path, problem) })
			out = append(out, h.Placement...)
		}
		if d.Up == nil {
			break
		}
		name = *d.Up
	}
	return out
}
