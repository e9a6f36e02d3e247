package swarm

import (
	"fmt"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// isForeign reports whether a server is another solution's.
func isForeign(t solution.Target) bool { return t.Solution != "" }

// foreignName is the name of a server on the networks of links: there, those of both stacks
// meet, whatever they are called.
func foreignName(t solution.Target) string {
	return targets.Hashed(targets.MaxName, t.Deployment, t.Role, t.Channel)
}

// nameOf is the name by which a proxy finds a server.
func (b *builder) nameOf(t solution.Target) string {
	if isForeign(t) {
		return foreignName(t)
	}
	return b.member(t).name
}

// linkNetwork is the network on which a client and the servers of a channel meet. A client
// that is known by its name has one of its own; the others share one.
func linkNetwork(c solution.Client, to solution.End) string {
	if c.Deployment == "" || c.Deployment == solution.Anyone {
		return targets.Name(targets.MaxName, "offer", to.Deployment, to.Channel)
	}
	return targets.Name(targets.MaxName, "link", c.Deployment, to.Deployment, to.Channel)
}

// external makes known a network that is there before the stack, if it is one.
func (b *builder) external(name string) {
	if _, own := b.objects[NetworkKind+"/"+name]; !own {
		b.add(NetworkKind, name, place{}, &Network{External: true, Name: name})
	}
}

// leave puts the proxy of an inbound onto the networks of the links that it passes requests
// on to.
func (b *builder) leave(s *Service, r *route) {
	for _, network := range targets.Keys(r.on) {
		attach(s, network)
		b.external(network)
	}
}

// accept puts the servers of channels that are open to clients of other solutions onto the
// networks of the links.
func (b *builder) accept() {
	if b.solution.External == nil {
		return
	}
	for _, a := range b.solution.External.Accepts {
		end := solution.End{Channel: a.Channel, Deployment: a.Deployment}
		servers := b.solution.Offer(end)
		for _, c := range a.Clients {
			network := linkNetwork(c, end)
			for _, s := range servers {
				t := solution.Target{Place: solution.Place{Deployment: s.Deployment, Role: s.Role, Channel: s.Channel}, Server: &solution.Channel{Port: s.Port, Portnum: s.Portnum, Protocol: s.Protocol}}
				b.external(network)
				attach(b.member(t).service, network, foreignName(t))
			}
		}
		b.shared(a)
	}
}

// askedOutside are the containers that clients of other solutions ask: their proxies do not
// learn who is ready.
func (b *builder) askedOutside() map[containerAt]bool {
	asked := map[containerAt]bool{}
	if b.solution.External == nil {
		return asked
	}
	for _, a := range b.solution.External.Accepts {
		for _, s := range b.solution.Offer(solution.End{Channel: a.Channel, Deployment: a.Deployment}) {
			key, _ := b.solution.Deployments[s.Deployment].Artifact.Description.Role[s.Role].Artifact.Description.Listener(s.Port)
			asked[containerAt{place{s.Deployment, s.Role}, key}] = false
		}
	}
	return asked
}

// shared reports clients that meet on one network.
func (b *builder) shared(a solution.Accept) {
	if filter.Any(a.Clients, func(c solution.Client) bool { return c.Deployment == "" || c.Deployment == solution.Anyone }) {
		b.lost(diag.LostPolicy, place{deployment: a.Deployment}, []string{"srv", "server", a.Channel}, "clients that are not accepted by their names share the network %s on Swarm, and whoever is put onto it is let in: name them in accepts of channel %s of %s", linkNetwork(solution.Client{}, solution.End{Channel: a.Channel, Deployment: a.Deployment}), a.Channel, a.Deployment)
	}
}

// datagrams puts a client onto the network of a link, as no proxy passes on what it sends.
func (b *builder) datagrams(w *way, t solution.Target) {
	network := linkNetwork(t.Link.Accepted, t.Link.To)
	b.direct = append(b.direct, direct{w.client, network})
	b.lost(diag.LostChannel, w.at(), []string{"srv", "client", w.From.Channel}, "Swarm passes no datagrams on to another stack: channel %s of %s has no names such as 0.%s, but the address that %s says, %s:%d", w.From.Channel, w.at(), w.From.Channel, targets.ChannelVariable(w.From.Channel), foreignName(t), t.Server.Port)
}

// direct is a client that is on the network of a link itself.
type direct struct {
	client  place
	network string
}

// directly attaches those clients.
func (b *builder) directly() {
	for _, d := range b.direct {
		for _, m := range b.members[d.client] {
			attach(m.service, d.network)
			b.external(d.network)
		}
	}
}

// unseen reports a client that is to see the instances of another stack.
func (b *builder) unseen(w *way, i int) {
	if w.Kind == "full" {
		b.lost(diag.LostChannel, w.at(), []string{"srv", "client", w.From.Channel}, "Swarm shows no instances of another stack: set.%s of %s is one address that stands for them", fmt.Sprintf("%d.%s", i, w.From.Channel), w.at())
	}
}
