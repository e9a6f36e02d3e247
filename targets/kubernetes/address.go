package kubernetes

import (
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// channelAddress is where a channel of another solution is: at the Service that its own
// objects have for whoever is linked to it.
func channelAddress(o targets.Options) func(*solution.LateChannel) (targets.Address, string) {
	return func(c *solution.LateChannel) (targets.Address, string) {
		var group solution.Group
		for _, s := range c.Servers {
			group = append(group, solution.Target{Place: solution.Place{Deployment: s.Deployment, Role: s.Role, Channel: s.Channel}})
		}
		host := serviceName(groupPath(eachOnce(group, func(solution.Target, string) {}))...)
		if namespace := o.NamespaceOf(group[0].Deployment); namespace != "" && namespace != o.Namespace {
			host += "." + namespace
		}
		return targets.Address{Host: host, Port: lbPort, Kind: "lb"}, ""
	}
}
