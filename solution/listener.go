package solution

import "slices"

// mainContainer is what the container of a component is called that has others
// beside it to help it.
const mainContainer = "main"

// Listener is the container of a component that listens at a port: the one that
// is asked for its health there, else the one called main. Where there is neither,
// it is the first that is asked for its health at any port, or the first, and
// nobody is sure of that. It takes a component that has containers.
func (desc *Description) Listener(port int) (container string, sure bool) {
	names := keys(desc.Code)
	asked := func(such func(port int) bool) int {
		return slices.IndexFunc(names, func(key string) bool {
			p := desc.Probe[key]
			return p != nil && (such(p.Liveness.Port()) || such(p.Readiness.Port()))
		})
	}
	if i := asked(func(p int) bool { return port > 0 && p == port }); i >= 0 {
		return names[i], true
	}
	if desc.Code[mainContainer] != nil {
		return mainContainer, true
	}
	i := asked(func(p int) bool { return p > 0 })
	return names[max(0, i)], len(names) == 1
}

// Principal is the container that stands for a component as a whole: the one called main,
// else that where the first channel leads.
func (desc *Description) Principal() string {
	first, sure := desc.Listener(0)
	for _, channels := range []map[string]*Channel{desc.Srv.Server, desc.Srv.Duplex} {
		if names := keys(channels); !sure && len(names) > 0 {
			first, _ = desc.Listener(channels[names[0]].Port)
			break
		}
	}
	return first
}

// Port is the port at which a check asks, 0 for none.
func (c *Check) Port() int {
	if c == nil {
		return 0
	}
	for _, p := range []*PortProbe{c.Protocol.HTTP, c.Protocol.TCP, c.Protocol.GRPC} {
		if p != nil {
			return p.Port
		}
	}
	return 0
}
