package generate

import (
	"fmt"
	"slices"
)

// end is a channel of a role.
type end struct {
	role string
	channel
}

// ends are the channels of all roles that a function finds in their artifacts.
func (a *artifact) ends(channels func(*artifact) []channel) []end {
	var out []end
	for _, r := range a.roles {
		for _, ch := range channels(r.of) {
			out = append(out, end{label(r.name), ch})
		}
	}
	return out
}

// connect joins the channels of a service's roles, and offers some to the outside.
func (g *gen) connect(a *artifact) {
	desc := a.main.root.at("#Artifact", "description")
	servers := a.ends(func(a *artifact) []channel { return a.servers })
	duplex := a.ends(func(a *artifact) []channel { return a.duplex })
	for _, from := range a.ends(func(a *artifact) []channel { return a.clients }) {
		if len(servers) == 0 || g.chance(20) {
			name := g.name("out")
			a.clients = append(a.clients, channel{name, from.protocol})
			desc.at("srv").say("client: %s: _", name)
			desc.at("connect").say("%s: {from: %s: %q, to: self: %s: _}", g.name("k"), from.role, from.name, name)
			continue
		}
		to := one(g, servers...)
		if g.slip("a connector to nowhere") {
			to.name += "x"
		}
		if g.slip("a connector of a role that is not there") {
			from.role = "nobody"
		}
		g.joined(a, from, to)
	}
	for _, d := range duplex {
		g.use("full connector")
		desc.at("connect").say(`%s: {as: "full", from: %s: %q, to: %s: %s: _}`, g.name("k"), d.role, d.name, d.role, d.name)
	}
	for _, to := range servers {
		if g.chance(40) {
			name := g.name("in")
			a.servers = append(a.servers, channel{name, to.protocol})
			desc.at("srv").say("server: %s: %s", name, one(g, "_", "protocol: \"http\"", "port: 443"))
			desc.at("connect").say("%s: {from: self: %q, to: %s: %s: %s}", g.name("k"), name, to.role, to.name, g.facts(a, desc))
		}
	}
	if g.slip("an unknown section") {
		desc.say("conect: {}")
	}
}

// facts is what a connector says of its target.
func (g *gen) facts(a *artifact, b *block) string {
	if g.chance(20) {
		g.use("facts of a connector")
		return fmt.Sprintf("{weight: %s}", a.scope(g).in(b).number(1))
	}
	return one(g, "_", "_", "{}")
}

// joined connects two roles, at times by way of a version set.
func (g *gen) joined(a *artifact, from, to end) {
	desc := a.main.root.at("#Artifact", "description")
	as := one(g, "", `as: "lb", `, `as: "full", `)
	if g.chance(35) && !slices.Contains([]string{"grpc"}, to.protocol) {
		g.use("version set")
		set := g.name("vs")
		desc.say(`vset: %s: {srv: server: api: _, roles: %s: {meta: share: 90, map: api: %q}}`, set, to.role, to.name)
		for _, other := range a.ends(func(a *artifact) []channel { return a.servers }) {
			if other.role != to.role && g.chance(40) {
				desc.say(`vset: %s: roles: %s: map: api: %q`, set, other.role, other.name)
				break
			}
		}
		desc.at("connect").say("%s: {%sfrom: %s: %q, to: %s: api: _}", g.name("k"), as, from.role, from.name, set)
		return
	}
	if g.chance(25) {
		g.use("connector under a condition")
		s := a.scope(g).in(desc)
		desc.say("if %s {connect: %s: {%sfrom: %s: %q, to: %s: %s: _}}", s.cond(1), g.name("k"), as, from.role, from.name, to.role, to.name)
		return
	}
	more := ""
	for _, other := range a.ends(func(a *artifact) []channel { return a.servers }) {
		if other != to && g.chance(20) {
			g.use("connector to several")
			more = fmt.Sprintf(", to: %s: %s: _", other.role, other.name)
		}
	}
	desc.at("connect").say("%s: {%sfrom: %s: %q, to: %s: %s: %s%s}", g.name("k"), as, from.role, from.name, to.role, to.name, g.facts(a, desc), more)
}

// inbound adds a way into the cluster.
func (g *gen) inbound(a *artifact) {
	servers := a.ends(func(a *artifact) []channel { return a.servers })
	if len(servers) == 0 || !g.chance(12) {
		return
	}
	g.use("inbound")
	desc := a.main.root.at("#Artifact", "description")
	name, r := a.main.importing("inbound", g.inboundPath()), g.name("r")
	b := desc.at("role", r)
	c := b.at("config")
	b.say("artifact: %s.#Artifact", name)
	switch g.IntN(4) {
	case 0:
		domain := resource{name: g.name("r"), kind: "domain"}
		g.take(a, domain)
		c.say(`parameter: type: "http"`)
		c.say("resource: serverdomain: description.config.resource.%s", domain.name)
	case 1:
		port := resource{name: g.name("r"), kind: "port"}
		g.take(a, port)
		c.say(`parameter: type: "tcp"`)
		c.say("resource: port: description.config.resource.%s", port.name)
	default:
		domain, cert := resource{name: g.name("r"), kind: "domain"}, resource{name: g.name("r"), kind: "certificate"}
		g.take(a, domain, cert)
		c.say(`parameter: {type: "https", websocket: %s}`, a.scope(g).in(c).boolean(1))
		c.say("resource: {serverdomain: description.config.resource.%s, servercert: description.config.resource.%s}", domain.name, cert.name)
	}
	to := one(g, servers...)
	desc.at("connect").say("%s: {from: %s: \"inbound\", to: %s: %s: _}", g.name("k"), r, to.role, to.name)
}
