package solution

// connector checks the ends of a connector; from has the connectors that
// channels start so far.
func (v *verifier) connector(p *at, name string, c *Connector, d Description, from map[Endpoint]string) {
	if !v.needs(c != nil, p, "is null") {
		return
	}
	v.needs(c.Kind == "lb" || c.Kind == "full", p.in("kind"), "is %q: it is lb or full", c.Kind)
	v.needs(len(c.Clients) > 0, p.in("clients"), "is empty: a connector comes from somewhere")
	v.needs(len(c.Servers) > 0, p.in("servers"), "is empty: a connector leads somewhere")
	for i, end := range c.Clients {
		q := p.in("clients").in(itoa(i))
		v.end(q, end, d, true)
		other, taken := from[end]
		v.needs(!taken, q, "channel %s of %s starts connector %s already: a channel starts one connector", end.Channel, end.Role, other)
		from[end] = name
	}
	for i, group := range c.Servers {
		q := p.in("servers").in(itoa(i))
		v.needs(len(group.Links) > 0, q.in("links"), "is empty")
		v.needs(len(group.Meta) == len(group.Links), q.in("meta"), "has %d entries: it has one for each of the %d links", len(group.Meta), len(group.Links))
		for j, end := range group.Links {
			v.end(q.in("links").in(itoa(j)), end, d, false)
		}
		for j, meta := range group.Meta {
			q := q.in("meta").in(itoa(j))
			v.needs(meta.User != nil, q.in("user"), "is missing: write {} for none")
			v.version(q.in("auto").in("compRef").in("version"), meta.Auto.CompRef.Version)
		}
	}
}

// end checks one end: requests enter the connector at a client channel of a
// role, or at a server channel of the service itself, and leave it the other
// way round.
func (v *verifier) end(p *at, end Endpoint, d Description, enters bool) {
	srv, client := d.Srv, enters
	if end.Role == self {
		client = !enters
	} else {
		r := d.Role[end.Role]
		if !v.needs(r != nil, p.in("role"), "is %s, which the service does not have%s", quoted(end.Role), later(func() string { return hint(end.Role, append(keys(d.Role), self)) })) || r.Artifact == nil {
			return
		}
		srv = r.Artifact.Description.Srv
	}
	v.channel(p.in("channel"), srv, end.Channel, client, end.Role)
}

// channel checks that what the owner has under the name is a client or a server
// channel; a duplex channel is both.
func (v *verifier) channel(p *at, srv Srv, name string, client bool, owner string) {
	side, channels := "server", srv.Server
	if client {
		side, channels = "client", srv.Client
	}
	v.needs(channels[name] != nil || srv.Duplex[name] != nil, p, "is %s, which is no %s channel of %s%s", quoted(name), side, owner,
		later(func() string { return hint(name, append(keys(channels), keys(srv.Duplex)...)) }))
}
