// Package graph draws solutions: deployments as boxes around their roles and
// connectors, with the links between them ([Of]), alone or compared with an
// older solution ([Compare]).
//
// Its input is a solution that [solution.Verify] accepts, its output text: for
// people ([Graph.SVG]), for documents ([Graph.Mermaid]), for other tools that lay
// out graphs ([Graph.Dot]) and for programs ([Graph.JSON]).
package graph

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// Graph is what is drawn. Its lists are in the order of names.
type Graph struct {
	// Name is the solution's.
	Name  string `json:"name"`
	Boxes []*Box `json:"boxes"`
	Edges []Edge `json:"edges"`
}

// Box is a deployment. That of a builtin, and one that is outside of the
// solution, has no nodes: edges end at the box itself.
type Box struct {
	ID       string `json:"id"`
	Kind     string `json:"kind"` // service, builtin or outside
	Artifact string `json:"artifact,omitempty"`
	// SLA is the service level agreement of a deployment, for people.
	SLA   string  `json:"sla,omitempty"`
	Nodes []*Node `json:"nodes"`
	State State   `json:"state,omitempty"`
	// Changes are the fields that are others now, with both values.
	Changes []string `json:"changes,omitempty"`

	content string
}

// Node is something in a deployment.
type Node struct {
	ID string `json:"id"`
	// Kind is role, connector, or channel: one of the deployment's own channels,
	// where requests enter or leave it.
	Kind string `json:"kind"`
	Name string `json:"name"`
	// Detail is the role's artifact, or the connector's kind.
	Detail string `json:"detail,omitempty"`
	// Instances is how many of a role run; nil where nothing says so.
	Instances *int `json:"instances,omitempty"`
	// Inward tells that requests enter by the channel.
	Inward bool  `json:"inward,omitempty"`
	State  State `json:"state,omitempty"`
	// Changes are the fields that are others now, with both values.
	Changes []string `json:"changes,omitempty"`

	content string
}

// Edge is a way that requests take, or the life line of a deployment.
type Edge struct {
	// Kind is client (to a connector), server (from a connector), link (between
	// deployments), up (to the deployment that governs the life cycle) or value (to
	// the deployment that a value was taken from).
	Kind  string `json:"kind"`
	From  string `json:"from"`
	To    string `json:"to"`
	Label string `json:"label,omitempty"`
	State State  `json:"state,omitempty"`
}

// State says what has become of a part since the older solution.
type State string

// The states; a part that is as it was, or that is not compared, has "".
const (
	New     State = "new"
	Gone    State = "gone"
	Changed State = "changed"
)

// self stands for the service in the ends of its connectors.
const self = "self"

// Of makes the graph of a solution.
func Of(s *solution.Solution) *Graph {
	g := &Graph{Name: s.Top, Boxes: []*Box{}, Edges: []Edge{}}
	for _, name := range sorting.Ordered(s.Deployments) {
		d := s.Deployments[name]
		b := box(d)
		if name == s.Top {
			b.SLA = agreement("", s.SLA)
		}
		g.Boxes = append(g.Boxes, b)
		if d.Up != nil {
			g.need(s, Edge{Kind: "up", From: name, To: *d.Up, Label: "up"})
		}
		for _, c := range sorting.Ordered(d.Artifact.Description.Connector) {
			g.connector(d, c)
		}
	}
	for _, l := range s.Links {
		g.link(s, l)
	}
	for _, l := range s.ExternalLinks() {
		g.external(l)
	}
	if s.Inputs != nil {
		for _, r := range s.Inputs.References {
			g.need(s, Edge{Kind: "value", From: s.Top, To: r.Deployment, Label: r.Field})
		}
	}
	g.sort()
	return g
}

// agreement is what a service level agreement says, on one line.
func agreement(name string, v any) string {
	switch v := v.(type) {
	case nil:
		return name
	case map[string]any:
		var parts []string
		for _, key := range sorting.Ordered(v) {
			parts = append(parts, agreement(strings.TrimPrefix(name+"."+key, "."), v[key]))
		}
		return strings.Join(parts, ", ")
	case string:
		return name + " " + v
	default:
		return name + " " + text(v)
	}
}

// caption is the line below a box's name.
func (b *Box) caption() string {
	if b.SLA == "" {
		return b.Artifact
	}
	return strings.TrimSpace(b.Artifact + " · " + b.SLA)
}

// need adds an edge to a deployment that may be outside of the solution.
func (g *Graph) need(s *solution.Solution, e Edge) {
	g.Edges = append(g.Edges, e)
	known := func(b *Box) bool { return b.ID == e.To }
	if s.Deployments[e.To] == nil && !filter.Any(g.Boxes, known) {
		g.Boxes = append(g.Boxes, &Box{ID: e.To, Kind: "outside", Nodes: []*Node{}})
	}
}

// needs reports whether the edge is from a deployment to one that has to be there
// before, rather than a way of requests.
func (e Edge) needs() bool { return e.Kind == "up" || e.Kind == "value" }

// sort puts all lists in order, and drops edges that are there twice.
func (g *Graph) sort() {
	sorting.By(g.Boxes, func(a, b *Box) int { return strings.Compare(a.ID, b.ID) })
	for _, b := range g.Boxes {
		sorting.By(b.Nodes, func(x, y *Node) int { return strings.Compare(x.ID, y.ID) })
	}
	key := func(e Edge) string { return strings.Join([]string{e.From, e.To, e.Kind, e.Label}, "\x00") }
	g.Edges = sorting.Distinct(g.Edges, func(a, b Edge) int { return strings.Compare(key(a), key(b)) })
}

// box is a deployment with its roles.
func box(d *solution.Deployment) *Box {
	desc := &d.Artifact.Description
	b := &Box{ID: d.Name, Kind: "service", Artifact: artifact(d.Artifact.Ref), Nodes: []*Node{}}
	b.content = text(map[string]any{"artifact": d.Artifact.Ref, "config": d.Config, "meta": d.Meta})
	if desc.Builtin {
		b.Kind = "builtin"
	}
	for _, name := range sorting.Ordered(desc.Role) {
		r := desc.Role[name]
		n := &Node{ID: roleID(d.Name, name), Kind: "role", Name: name, Detail: artifact(r.Artifact.Ref), Instances: r.Config.Scale.Hsize, content: text(r)}
		b.Nodes = append(b.Nodes, n)
	}
	return b
}

// connector adds a connector of a deployment with the ways to and from it.
func (g *Graph) connector(d *solution.Deployment, name string) {
	c := d.Artifact.Description.Connector[name]
	id := d.Name + "/connect/" + name
	b := g.box(d.Name)
	b.Nodes = append(b.Nodes, &Node{ID: id, Kind: "connector", Name: name, Detail: c.Kind, content: text(c)})
	for _, end := range c.Clients {
		from, label := roleID(d.Name, end.Role), end.Channel
		if end.Role == self {
			from = b.channel(end.Channel, true)
			label += port(d, end)
		}
		g.Edges = append(g.Edges, Edge{Kind: "client", From: from, To: id, Label: label})
	}
	for i, group := range c.Servers {
		for _, end := range group.Links {
			to := roleID(d.Name, end.Role)
			if end.Role == self {
				to = b.channel(end.Channel, false)
			}
			label := end.Channel + port(d, end)
			if len(c.Servers) > 1 {
				label = strconv.Itoa(i) + ": " + label // as in 1.CHANNEL
			}
			g.Edges = append(g.Edges, Edge{Kind: "server", From: id, To: to, Label: label})
		}
	}
}

// link adds a link, from and to the channels of its deployments.
func (g *Graph) link(s *solution.Solution, l solution.Link) {
	end := func(deployment, channel string, inward bool) string {
		b := g.box(deployment)
		if b.Kind != "service" {
			return b.ID
		}
		return b.channel(channel, inward)
	}
	source, target := s.Deployments[l.Source], s.Deployments[l.Target]
	out := l.SourceChannel
	in := l.TargetChannel + port(target, solution.Endpoint{Role: self, Channel: l.TargetChannel})
	label := out + " → " + in
	switch {
	case inherited(source, l.SourceChannel): // named after the other end
		label = in
	case inherited(target, l.TargetChannel):
		label = out
	}
	g.Edges = append(g.Edges, Edge{Kind: "link", From: end(l.Source, l.SourceChannel, false), To: end(l.Target, l.TargetChannel, true), Label: label})
}

// external adds a link to a deployment of another solution, which is a box without more.
func (g *Graph) external(l solution.ExternalLink) {
	from := l.From.Deployment
	if b := g.box(from); b.Kind == "service" {
		from = b.channel(l.From.Channel, false)
	}
	if !filter.Any(g.Boxes, func(b *Box) bool { return b.ID == l.To.Deployment }) {
		g.Boxes = append(g.Boxes, &Box{ID: l.To.Deployment, Kind: "outside", Nodes: []*Node{}})
	}
	label := l.From.Channel + " → " + l.To.Channel
	if len(l.Servers) > 0 {
		label += " :" + strconv.Itoa(l.Servers[0].Port)
	}
	g.Edges = append(g.Edges, Edge{Kind: "link", From: from, To: l.To.Deployment, Label: label})
}

func (g *Graph) box(id string) *Box {
	i := slices.IndexFunc(g.Boxes, func(b *Box) bool { return b.ID == id })
	return g.Boxes[i]
}

// channel is the id of one of the deployment's own channels, which is added if
// it is not there. A duplex channel is there once for each direction.
func (b *Box) channel(name string, inward bool) string {
	id := b.ID + "/out/" + name
	if inward {
		id = b.ID + "/in/" + name
	}
	if !filter.Any(b.Nodes, func(n *Node) bool { return n.ID == id }) {
		b.Nodes = append(b.Nodes, &Node{ID: id, Kind: "channel", Name: name, Inward: inward})
	}
	return id
}

func roleID(deployment, role string) string { return deployment + "/role/" + role }

// port is the number where a channel is served, as " :80"; "" for client
// channels and those that are passed on.
func port(d *solution.Deployment, end solution.Endpoint) string {
	srv := d.Artifact.Description.Srv
	if r := d.Artifact.Description.Role[end.Role]; r != nil {
		srv = r.Artifact.Description.Srv
	}
	for _, side := range []map[string]*solution.Channel{srv.Server, srv.Duplex} {
		if c := side[end.Channel]; c != nil && c.Port > 0 {
			return " :" + strconv.Itoa(c.Port)
		}
	}
	return ""
}

func inherited(d *solution.Deployment, channel string) bool {
	srv := d.Artifact.Description.Srv
	for _, side := range []map[string]*solution.Channel{srv.Client, srv.Server, srv.Duplex} {
		if c := side[channel]; c != nil && c.Inherited {
			return true
		}
	}
	return false
}

// artifact is the name and version of an artifact.
func artifact(r solution.Ref) string {
	var version []string
	for _, n := range r.Version {
		version = append(version, strconv.Itoa(n))
	}
	text := r.Name + " " + strings.Join(version, ".")
	if r.Prerelease != "" {
		text += "-" + r.Prerelease
	}
	return text
}

// text is all that there is to compare of a part.
func text(x any) string {
	b, err := json.Marshal(x)
	if err != nil {
		panic(err) // a solution always encodes
	}
	return string(b)
}
