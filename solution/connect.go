package solution

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// self stands in a connector for the service that the connector is part of.
const self = "self"

// topology resolves the connectors of one service.
type topology struct {
	*extractor
	placed
	deployment *Deployment
	roles      map[string]*value.Role
	from       map[Endpoint]string // the connector that starts there
}

// report keeps a problem with the service, whose path is that of its role and
// then that from its description.
func (t *topology) report(d *diag.Diagnostic) {
	t.extractor.report(d.In(t.node.Package.ImportPath(), d.At[len(t.path):]...))
}

// connect makes the service's connectors.
func (t *topology) connect() {
	t.roles, t.from = map[string]*value.Role{}, map[Endpoint]string{}
	for _, r := range t.node.Roles {
		t.roles[r.Name] = r
	}
	for _, c := range t.node.Description.Get("connect").Each() {
		t.deployment.Artifact.Description.Connector[c.Name] = t.connector(c.Name, c.Value)
	}
	t.checkVersions()
	t.checkConnected()
}

func (t *topology) connector(name string, c *value.Data) *Connector {
	if t.reversed(name, c) {
		return &Connector{Kind: "lb"}
	}
	out := &Connector{Kind: cmp.Or(c.Get("as").Str(), "lb"), Clients: []Endpoint{}, Servers: []ServerGroup{}}
	for _, f := range c.Get("from").Each() {
		if end, ok := t.client(name, f.Name, f.Value); ok {
			out.Clients = append(out.Clients, end)
		}
	}
	sorting.By(out.Clients, compareEnds)
	var plain ServerGroup
	for _, to := range c.Get("to").Each() {
		for _, ch := range to.Value.Each() {
			if ch.Value.Kind != value.Struct && !value.IsModel(ch.Value.Pos) && !ch.Value.HasStandIn() {
				t.report(diag.New(diag.Shape, ch.Value.Pos, "connector %s gives channel %s of %s the value %s: write _, or {…} with facts that clients can read", name, ch.Name, to.Name, ch.Value.JSON()).
					AtPath(t.field("connect", name, "to", to.Name, ch.Name)...))
			}
		}
		if len(to.Value.Each()) == 0 {
			t.report(diag.New(diag.EmptyConnector, to.Value.Pos, "connector %s of %s goes to %s but names no channel: write to: %s: CHANNEL: _", name, t.what(), to.Name, to.Name).
				AtPath(t.field("connect", name, "to", to.Name)...))
		}
		if set := t.node.Description.Get("vset", to.Name); set != nil {
			out.Servers = append(out.Servers, t.versions(name, to.Name, set, to.Value)...)
			continue
		}
		for _, ch := range to.Value.Each() {
			if end, meta, ok := t.server(name, to.Name, ch.Name, placedAt(ch.Value, to.Value, c)); ok {
				plain.Links = append(plain.Links, end)
				plain.Meta = append(plain.Meta, meta)
			}
		}
	}
	if len(plain.Links) > 0 {
		out.Servers = append([]ServerGroup{plain}, out.Servers...)
	}
	t.checkProtocols(name, c)
	for side, ends := range map[string]int{"from": len(c.Get("from").Each()), "to": len(c.Get("to").Each())} {
		if ends == 0 {
			t.report(diag.New(diag.EmptyConnector, c.Pos, "connector %s of %s has no %s: write %s", name, t.what(), side, endExample(side)).
				AtPath(t.field("connect", name, side)...))
		}
	}
	return out
}

// reversed reports a connector from a server channel to a client channel, and
// nothing else: it is the wrong way round.
func (t *topology) reversed(name string, c *value.Data) bool {
	from, to := c.Get("from").Each(), c.Get("to").Each()
	if len(from) != 1 || len(to) != 1 || len(to[0].Value.Each()) != 1 {
		return false
	}
	a, b := t.roles[from[0].Name], t.roles[to[0].Name]
	if a == nil || b == nil || a.Node == nil || b.Node == nil {
		return false
	}
	server, client := from[0].Value.Str(), to[0].Value.Each()[0].Name
	if t.srv(a.Node).Server[server] == nil || t.srv(b.Node).Client[client] == nil || t.srv(a.Node).Client[server] != nil || t.srv(b.Node).Server[client] != nil {
		return false
	}
	t.report(diag.New(diag.WrongSide, from[0].Value.Pos, "connector %s is the wrong way round: requests go from client channel %s of role %s; write {from: %s: %q, to: %s: %s: _}",
		name, client, b.Name, b.Name, client, a.Name, server).AtPath(t.field("connect", name, "from")...))
	return true
}

func endExample(side string) string {
	if side == "from" {
		return `from: ROLE: "CLIENT CHANNEL"`
	}
	return "to: ROLE: \"SERVER CHANNEL\": _"
}

// client resolves one end that requests come from.
func (t *topology) client(connector, role string, channel *value.Data) (Endpoint, bool) {
	ch := channel.Str()
	srv, ok := t.srvOf(connector, "from", role, channel)
	if !ok {
		if t.roles[role] != nil && !channel.HasStandIn() {
			t.start(connector, Endpoint{Role: role, Channel: ch}, channel)
		}
		return Endpoint{}, false
	}
	good, wrong := []map[string]*Channel{srv.Client, srv.Duplex}, srv.Server
	if role == self {
		good, wrong = []map[string]*Channel{srv.Server, srv.Duplex}, srv.Client
	}
	if !t.find(connector, "from", role, ch, channel, good, wrong) {
		return Endpoint{}, false
	}
	end := Endpoint{Role: role, Channel: ch}
	t.start(connector, end, channel)
	return t.promoted(end), true
}

// start notes that a connector starts at an end, as no other does. Of a channel of
// which nothing else is known that is known as well.
func (t *topology) start(connector string, end Endpoint, channel *value.Data) {
	if other, taken := t.from[end]; taken {
		t.report(diag.New(diag.ConnectedTwice, channel.Pos, "channel %s of %s starts connector %s as well as %s: a channel starts one connector; join them, with several entries in to", end.Channel, t.end(end.Role), connector, other).
			AtPath(t.field("connect", connector, "from", end.Role)...))
	}
	t.from[end] = connector
}

// server resolves one end that requests go to.
func (t *topology) server(connector, role, ch string, value *value.Data) (Endpoint, LinkMeta, bool) {
	srv, ok := t.srvOf(connector, "to", role, value)
	if !ok {
		return Endpoint{}, LinkMeta{}, false
	}
	good, wrong := []map[string]*Channel{srv.Server, srv.Duplex}, srv.Client
	if role == self {
		good, wrong = []map[string]*Channel{srv.Client, srv.Duplex}, srv.Server
	}
	if !t.find(connector, "to", role, ch, value, good, wrong) {
		return Endpoint{}, LinkMeta{}, false
	}
	end := Endpoint{Role: role, Channel: ch}
	meta := LinkMeta{Auto: AutoMeta{CompRef: t.node.Ref, RoleName: self}}
	user := map[string]any{}
	if r := t.roles[role]; r != nil {
		maps.Copy(user, object(r.Meta))
		if r.Node.Ref.Kind == "component" && !r.Node.Builtin {
			meta.Auto = AutoMeta{CompRef: r.Node.Ref, RoleName: role}
		}
	}
	maps.Copy(user, object(value))
	meta.User = user
	return t.promoted(end), meta, true
}

// versions makes a group of servers for each version in the set.
func (t *topology) versions(connector, name string, set, to *value.Data) []ServerGroup {
	var groups []ServerGroup
	for _, ch := range to.Each() {
		offered := set.Get("srv", "server", ch.Name)
		if offered == nil {
			offered = set.Get("srv", "duplex", ch.Name)
		}
		if offered == nil {
			t.report(diag.New(diag.UnknownChannel, placedAt(ch.Value, to).Pos, "connector %s goes to channel %s of version set %s, which does not have it", connector, ch.Name, name).
				AtPath(t.field("connect", connector, "to", name, ch.Name)...))
			continue
		}
		for _, version := range set.Get("roles").Each() {
			target := cmp.Or(version.Value.Get("map", ch.Name).Str(), ch.Name)
			if !t.offers(version.Name, target) {
				continue // checkVersions says so
			}
			end, meta, ok := t.server(connector, version.Name, target, ch.Value)
			if !ok {
				continue
			}
			user := maps.Clone(object(version.Value.Get("meta")))
			maps.Copy(user, meta.User.(map[string]any))
			meta.User = user
			groups = append(groups, ServerGroup{Links: []Endpoint{end}, Meta: []LinkMeta{meta}})
		}
	}
	return groups
}

// offers reports whether a role has a channel that requests can go to.
func (t *topology) offers(role, channel string) bool {
	r := t.roles[role]
	if r == nil || r.Node == nil || r.Node.Unknown {
		return false
	}
	srv := t.srv(r.Node)
	return srv.Server[channel] != nil || srv.Duplex[channel] != nil
}

// checkConnected warns of client channels of roles, and of server channels of the
// service itself, that lead nowhere.
func (t *topology) checkConnected() {
	var ends []Endpoint
	problems := map[Endpoint]*diag.Diagnostic{}
	add := func(end Endpoint, d *diag.Diagnostic) {
		if _, ok := t.from[end]; !ok {
			ends, problems[end] = append(ends, end), d
		}
	}
	for _, r := range t.node.Roles {
		if r.Node == nil || r.Node.Unknown || !isRoleName(r.Name) {
			continue
		}
		for _, ch := range sorting.Ordered(t.srv(r.Node).Client) {
			add(Endpoint{Role: r.Name, Channel: ch}, diag.Warn(diag.Unconnected, r.Pos, "client channel %s of role %s is connected to nothing: requests to 0.%s fail; write connect: NAME: {from: %s: %q, to: …}", ch, r.Name, ch, r.Name, ch))
		}
	}
	own := t.srv(t.node)
	for _, ch := range sorting.Ordered(own.Server) {
		if !own.Server[ch].Inherited {
			place := placedAt(t.node.Description.Get("srv", "server", ch), t.node.Description.Get("srv", "server"), t.node.Description.Get("srv"), t.node.Description)
			add(Endpoint{Role: self, Channel: ch}, diag.Warn(diag.Unconnected, place.Pos, "server channel %s of %s is connected to nothing: requests to it fail; write connect: NAME: {from: self: %q, to: …}", ch, t.what(), ch))
		}
	}
	meant := t.meant(ends)
	for _, end := range ends {
		t.report(problems[end].AtPath(t.field(append([]string{"connect"}, meant[end]...)...)...))
	}
}

func (t *topology) what() string { return "service " + t.node.Called() }

func (t *topology) end(role string) string {
	if role == self {
		return "the service itself (self)"
	}
	return "role " + role
}

func (t *topology) field(rest ...string) []string { return append(slices.Clip(t.path), rest...) }

// hint proposes a name, or lists those that there are.
func hint(word string, names []string) string {
	if near, ok := diag.Nearest(word, names); ok {
		return fmt.Sprintf("; did you mean %s?", near)
	}
	return listing(names)
}

func listing(names []string) string {
	if len(names) == 0 {
		return "; it has none"
	}
	return "; it has " + strings.Join(names, ", ")
}

func compareEnds(a, b Endpoint) int {
	rank := func(e Endpoint) int {
		if e.Role == self {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Role, b.Role), strings.Compare(a.Channel, b.Channel))
}
