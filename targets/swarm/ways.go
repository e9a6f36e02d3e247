package swarm

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// lbPort is where clients of an lb connector find their servers, whatever port
// those listen at.
const lbPort = 80

// way is a client channel with all that it leads to. It has a network of its
// own, on which only the client, its servers and their proxies are.
type way struct {
	solution.Reach
	client  place // role is "" for an inbound
	network string
	routes  []*route // by group; nil where clients reach the servers themselves, or there are none
}

// route is a set of servers that stands behind one proxy. Clients that have the
// same servers share it.
type route struct {
	at      place // the client whose proxy it is, where servers are another solution's
	servers []solution.Target
	check   *solution.Check // how the proxy learns who is ready, nil if it does not
	on      map[string]*Attachment
}

// plan finds out which networks and proxies there are, before any service is
// made.
func (b *builder) plan() {
	b.asked = b.askedOutside()
	byClient := map[place]map[string]*way{}
	for _, reach := range b.solution.Reaches() {
		p := &way{Reach: reach, client: place{reach.From.Deployment, reach.From.Role}}
		b.ways = append(b.ways, p)
		if byClient[p.client] == nil {
			byClient[p.client] = map[string]*way{}
		}
		byClient[p.client][reach.From.Channel] = p
		b.clients[p.client] = append(b.clients[p.client], p)
		for _, g := range reach.Groups {
			p.routes = append(p.routes, b.route(p, g))
		}
	}
	ranks, straight := rank(b.ways, byClient)
	for _, p := range b.ways {
		if !straight[p] {
			b.lost(diag.LostChannel, p.at(), []string{"srv", "client", p.From.Channel}, "role %s and roles that it reaches by channel %s reach each other in a circle, all by channels of that name: what %s finds under set.0.%s may be its own client's servers; rename one of the channels", p.From.Role, p.From.Channel, p.From.Role, p.From.Channel)
		}
		parts := []string{p.From.Deployment, p.From.Role, p.From.Channel}
		p.network = b.names.network(ranks[p], filter.Out(parts, func(part string) bool { return part == "" })...)
	}
}

// at is where problems with the way are.
func (w *way) at() place { return place{w.From.Deployment, w.From.Role} }

// inbound reports whether a builtin's requests start here.
func (w *way) inbound() bool { return w.client.role == "" }

// route is the proxy that a group needs: one where requests arrive at another
// port than the one they are sent to. UDP goes its own way.
func (b *builder) route(w *way, g solution.Group) *route {
	var servers []solution.Target
	needed := w.inbound()
	linked := filter.Any(g, isForeign)
	for _, t := range g {
		if t.Server.Protocol != "udp" {
			servers = append(servers, t)
			needed = needed || t.Server.Port != lbPort
		} else if isForeign(t) {
			b.datagrams(w, t)
		} else if w.Kind == "lb" && t.Server.Port != lbPort {
			b.lost(diag.LostChannel, w.at(), []string{"srv", "client", w.From.Channel}, "Swarm moves no datagrams to another port: those of channel %s of %s have to be sent to port %d, not %d", w.From.Channel, w.at(), t.Server.Port, lbPort)
		}
	}
	proxied := (w.Kind == "lb" && needed || linked) && len(servers) > 0
	check := b.readiness(servers)
	for _, t := range servers {
		if isForeign(t) {
			continue
		}
		key, _ := b.roleAt(t).Artifact.Description.Listener(t.Server.Port)
		at := containerAt{place{t.Deployment, t.Role}, key}
		before, known := b.asked[at]
		b.asked[at] = proxied && check != nil && (before || !known)
	}
	if !proxied {
		return nil
	}
	made := &route{servers: servers, check: check, on: map[string]*Attachment{}}
	for _, t := range servers {
		if isForeign(t) {
			made.at = w.client
			made.on[linkNetwork(t.Link.Accepted, t.Link.To)] = nil
		}
	}
	if w.inbound() {
		return made // an inbound's is nobody else's
	}
	var key strings.Builder
	for _, t := range servers {
		fmt.Fprintf(&key, "%q/%q/%q ", t.Deployment, t.Role, t.Channel)
	}
	if b.routes[key.String()] == nil {
		b.routes[key.String()] = made
	}
	return b.routes[key.String()]
}

// readiness is the check that all the servers have, if it is one that a proxy
// can make.
func (b *builder) readiness(servers []solution.Target) *solution.Check {
	var found *solution.Check
	for i, t := range servers {
		if isForeign(t) {
			return nil // nothing is known of its checks
		}
		desc := b.roleAt(t).Artifact.Description
		key, _ := desc.Listener(t.Server.Port)
		probe := desc.Probe[key]
		if probe == nil || probe.Readiness == nil {
			return nil
		}
		if c := probe.Readiness; c.Protocol.HTTP == nil && c.Protocol.TCP == nil || i > 0 && !same(found, c) {
			return nil
		}
		found = probe.Readiness
	}
	return found
}

// askedByProxy reports whether readiness is known to all who send requests.
func (r *roleOf) askedByProxy(key string, c *solution.Check) bool {
	return r.asked[containerAt{r.at, key}] && (c.Protocol.HTTP != nil || c.Protocol.TCP != nil)
}

// rank orders the networks of equally named channels. A role that has a channel
// c of its own and serves another role's channel c is on two networks where 0.c
// means different things; it has to be answered by its own first. So a path's
// rank is higher than those of its servers' own paths of the same name. straight
// has the paths for which that can be: they lead into no circle.
func rank(ways []*way, byClient map[place]map[string]*way) (ranks map[*way]int, straight map[*way]bool) {
	ranks, straight = map[*way]int{}, map[*way]bool{}
	above, open := map[*way][]*way{}, map[*way]int{}
	var ready []*way
	for _, w := range ways {
		for _, g := range w.Groups {
			for _, t := range g {
				if own := byClient[place{t.Deployment, t.Role}][w.From.Channel]; own != nil && own != w {
					above[own] = append(above[own], w)
					open[w]++
				}
			}
		}
		if open[w] == 0 {
			ready = append(ready, w)
		}
	}
	for ; len(ready) > 0; ready = ready[1:] {
		w := ready[0]
		straight[w] = true
		for _, over := range above[w] {
			ranks[over] = max(ranks[over], ranks[w]+1)
			if open[over]--; open[over] == 0 {
				ready = append(ready, over)
			}
		}
	}
	return ranks, straight
}

// connect makes the network of a path and puts all who meet there onto it.
func (b *builder) connect(w *way) {
	members := map[place]bool{}
	var servers []*Service
	reached := false
	for i, g := range w.Groups {
		if len(g) == 0 {
			continue
		}
		reached = true
		if !w.inbound() {
			b.join(w, i, g)
		}
		for _, t := range g {
			if isForeign(t) {
				continue
			}
			members[place{t.Deployment, t.Role}] = true
			servers = append(servers, b.member(t).service)
		}
	}
	if !reached {
		return
	}
	b.add(NetworkKind, w.network, w.client, b.overlay(w.client, true))
	for _, m := range b.members[w.client] {
		attach(m.service, w.network)
	}
	for _, s := range servers {
		attach(s, w.network)
	}
	b.policy(w, members)
}

// overlay is a network. Docker never changes the labels of one that is there, so
// that it has only those that stay.
func (b *builder) overlay(at place, internal bool) *Network {
	return &Network{Driver: "overlay", Internal: internal, Labels: b.ownLabels(at)}
}

// join gives the servers of group i their names on the network of the path: the
// instances are set.i.c, and i.c too unless that is the proxy's. A channel's
// bare name is its first group's.
func (b *builder) join(w *way, i int, g solution.Group) {
	c := w.From.Channel
	front := []string{fmt.Sprintf("%d.%s", i, c)}
	if i == 0 {
		if _, taken := b.objects[ServiceKind+"/"+c]; taken {
			b.lost(diag.LostChannel, w.at(), []string{"srv", "client", c}, "channel %s of %s has the name of a service: use 0.%s, %s is the service", c, w.at(), c, c)
		} else {
			front = append(front, c)
		}
	}
	set := []string{fmt.Sprintf("set.%d.%s", i, c)}
	if route := w.routes[i]; route != nil {
		if filter.Any(g, isForeign) {
			front = append(append(front, set...), b.toldNames(g)...) // the instances have no names here
			b.unseen(w, i)
		}
		route.on[w.network] = attachment(route.on[w.network], front)
	} else {
		set = append(front, set...)
	}
	for _, t := range g {
		if !isForeign(t) {
			attach(b.member(t).service, w.network, set...)
		}
	}
	if w.Kind == "full" && i == 0 {
		b.lost(diag.LostChannel, w.at(), []string{"srv", "client", c}, "Swarm's names have no SRV records: %s finds the addresses of its servers under set.0.%s, but not their ports", w.at(), c)
	}
}

// attach puts a service onto a network, with more aliases than it had.
func attach(s *Service, network string, aliases ...string) {
	s.Networks[network] = attachment(s.Networks[network], aliases)
}

func attachment(old *Attachment, aliases []string) *Attachment {
	if old != nil {
		aliases = append(slices.Clone(old.Aliases), aliases...)
	}
	if len(aliases) == 0 {
		return nil
	}
	return &Attachment{Aliases: slices.Compact(slices.Sorted(slices.Values(aliases)))}
}

// policy reports roles that meet on a network although nothing connects them.
func (b *builder) policy(w *way, members map[place]bool) {
	if len(members) < 2 {
		return
	}
	var names []string
	for _, m := range sorting.Keys(members, comparePlaces) {
		if m != w.client {
			names = append(names, m.role)
		}
	}
	if len(names) > 1 {
		b.lost(diag.LostPolicy, w.at(), []string{"srv", "client", w.From.Channel}, "roles %s, all behind channel %s of %s, share its network on Swarm and can reach each other", strings.Join(names, ", "), w.From.Channel, w.at())
	}
}

func comparePlaces(a, b place) int {
	return strings.Compare(a.deployment+"\x00"+a.role, b.deployment+"\x00"+b.role)
}

// isolate gives a network of their own to roles that are connected with nobody,
// as Swarm puts services without one onto a common network, and to those that
// connect to the world outside: all other networks are internal.
func (b *builder) isolate() {
	for _, at := range sorting.Keys(b.members, comparePlaces) {
		name := b.names.network(0, at.deployment, at.role)
		if b.internet[at] {
			name = b.names.outside(at.deployment, at.role)
		}
		for _, m := range b.members[at] {
			s := m.service
			if len(s.Networks) > 0 && !b.internet[at] {
				continue
			}
			if b.objects[NetworkKind+"/"+name] == nil {
				b.add(NetworkKind, name, at, b.overlay(at, !b.internet[at]))
			}
			attach(s, name)
		}
	}
}
