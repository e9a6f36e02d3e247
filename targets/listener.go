package targets

import (
	"slices"

	"kumiki.dev/solution"
)

// mainContainer is what the container of a component is called that has others
// beside it to help it.
const mainContainer = "main"

// Listener is the container of a component that listens at a port: the one that
// is asked for its health there, else the one called main. Where there is neither,
// it is the first that is asked for its health at any port, or the first, and
// nobody is sure of that. It takes a component that has containers.
func Listener(desc *solution.Description, port int) (container string, sure bool) {
	keys := Keys(desc.Code)
	asked := func(such func(port int) bool) int {
		return slices.IndexFunc(keys, func(key string) bool {
			p := desc.Probe[key]
			return p != nil && (such(AskedAt(p.Liveness)) || such(AskedAt(p.Readiness)))
		})
	}
	if i := asked(func(p int) bool { return port > 0 && p == port }); i >= 0 {
		return keys[i], true
	}
	if desc.Code[mainContainer] != nil {
		return mainContainer, true
	}
	i := asked(func(p int) bool { return p > 0 })
	return keys[max(0, i)], len(keys) == 1
}

// AskedAt is the port at which a check asks, 0 for none.
func AskedAt(c *solution.Check) int {
	if c == nil {
		return 0
	}
	for _, p := range []*solution.PortProbe{c.Protocol.HTTP, c.Protocol.TCP, c.Protocol.GRPC} {
		if p != nil {
			return p.Port
		}
	}
	return 0
}
