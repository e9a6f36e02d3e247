package query

import (
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Idle is a channel that is connected to nothing, or a role that nothing sends
// requests to.
type Idle struct {
	Kind       string `json:"kind"` // channel or role
	Name       string `json:"name"` // of the role, or ROLE.CHANNEL
	Deployment string `json:"deployment"`
}

// IdleParts lists the roles that nothing sends requests to, though they are
// there to be asked: they have server channels, and start no requests
// themselves. For all other roles it lists the channels that are connected to
// nothing. Channels of the deployments themselves are for whoever links to them.
func IdleParts(s *solution.Solution) []Idle {
	out := []Idle{}
	for _, name := range sorting.Ordered(s.Deployments) {
		desc := s.Deployments[name].Artifact.Description
		used := connected(desc)
		for _, role := range sorting.Ordered(desc.Role) {
			srv := desc.Role[role].Artifact.Description.Srv
			idle := idleChannels(role, srv, used)
			channels := len(srv.Client) + len(srv.Server) + len(srv.Duplex)
			if len(idle) == channels && len(srv.Server)+len(srv.Duplex) > 0 {
				out = append(out, Idle{"role", role, name})
				continue
			}
			for _, channel := range idle {
				out = append(out, Idle{"channel", role + "." + channel, name})
			}
		}
	}
	return out
}

// connected is the ends of all connectors.
func connected(desc solution.Description) map[solution.Endpoint]bool {
	used := map[solution.Endpoint]bool{}
	for _, c := range desc.Connector {
		for _, end := range c.Clients {
			used[end] = true
		}
		for _, group := range c.Servers {
			for _, end := range group.Links {
				used[end] = true
			}
		}
	}
	return used
}

func idleChannels(role string, srv solution.Srv, used map[solution.Endpoint]bool) []string {
	var idle []string
	for _, side := range []map[string]*solution.Channel{srv.Client, srv.Duplex, srv.Server} {
		for _, channel := range sorting.Ordered(side) {
			if !used[solution.Endpoint{Role: role, Channel: channel}] {
				idle = append(idle, channel)
			}
		}
	}
	return idle
}
