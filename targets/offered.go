package targets

import "kumiki.dev/solution"

// Offered are the channels that a solution offers to others: the server channels of its
// top, which may be linked to once they accept somebody, and all that do.
func Offered(s *solution.Solution) []solution.End {
	var out []solution.End
	seen := map[solution.End]bool{}
	add := func(end solution.End) {
		if !seen[end] {
			out = append(out, end)
		}
		seen[end] = true
	}
	server := s.Deployments[s.Top].Artifact.Description.Srv.Server
	for _, name := range Keys(server) {
		if !server[name].Inherited {
			add(solution.End{Channel: name, Deployment: s.Top})
		}
	}
	if s.External != nil {
		for _, a := range s.External.Accepts {
			add(solution.End{Channel: a.Channel, Deployment: a.Deployment})
		}
	}
	return out
}
