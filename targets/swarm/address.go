package swarm

import (
	"fmt"

	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// address is where a channel of another solution is: the service that its own stack has for
// the role, by the name that all networks of that service know. There is one only for a
// channel with one server.
func address(c *solution.LateChannel) (targets.Address, string) {
	if len(c.Servers) != 1 {
		return targets.Address{}, fmt.Sprintf("channel %s leads to %d services on Swarm, which have no name in common; link to it, or take that of a channel with one server", c.Name, len(c.Servers))
	}
	s := c.Servers[0]
	path := []string{s.Deployment, s.Role}
	if s.Container != "" {
		path = append(path, s.Container)
	}
	stack := StackName(c.Solution)
	of := names{room: maxServiceName - len(stack) - 1}
	if of.room < minRoom {
		return targets.Address{}, fmt.Sprintf("solution %s has a name that is too long for Swarm", c.Solution)
	}
	return targets.Address{Host: stack + "_" + of.of(path...), Port: s.Port, Kind: "lb"}, ""
}

// toldAddresses are the hosts of channels of other solutions that are told as values.
func toldAddresses(s *solution.Solution) map[solution.End]string {
	told := map[solution.End]string{}
	for _, l := range s.Late {
		if l.Channel == nil {
			continue
		}
		if at, wrong := address(l.Channel); wrong == "" {
			told[solution.End{Deployment: l.Deployment, Channel: l.Channel.Name}] = at.Host
		}
	}
	return told
}

// toldNames are the names by which clients of a group of another solution's servers are told
// of it, beside those of their channel. The proxy has them, as the servers' own network is not
// the client's.
func (b *builder) toldNames(g solution.Group) (names []string) {
	for _, t := range g {
		if t.Link != nil && b.told[t.Link.To] != "" && !filter.Contains(names, b.told[t.Link.To]) {
			names = append(names, b.told[t.Link.To])
		}
	}
	return names
}
