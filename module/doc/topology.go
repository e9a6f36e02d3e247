package doc

import (
	"cmp"
	"fmt"
	"strings"

	"kumiki.dev/graph"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/value"
)

// self stands in a connector for the service that it is part of.
const self = "self"

// topology is the picture of a service: its roles, its connectors and its own
// channels; nil if nothing in it is connected.
func topology(n *value.Node) *graph.Graph {
	t := &drawing{box: &graph.Box{ID: n.Called(), Kind: "service"}, known: map[string]bool{}, sets: n.Description.Get("vset")}
	for _, r := range n.Roles {
		detail := ""
		if r.Node != nil {
			detail = r.Node.Called()
		}
		t.node("role", r.Name, detail)
	}
	for _, c := range n.Description.Get("connect").Each() {
		t.connector(c.Name, c.Value)
	}
	if len(t.edges) == 0 {
		return nil
	}
	sorting.By(t.box.Nodes, func(a, b *graph.Node) int { return strings.Compare(a.ID, b.ID) })
	sorting.By(t.edges, func(a, b graph.Edge) int {
		return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.To, b.To), strings.Compare(a.Label, b.Label))
	})
	return &graph.Graph{Name: n.Called(), Boxes: []*graph.Box{t.box}, Edges: t.edges}
}

// drawing is a topology that is being made.
type drawing struct {
	box   *graph.Box
	edges []graph.Edge
	sets  *value.Data // of versions of a role, by name
	known map[string]bool
}

// node is the id of a node, which is added the first time.
func (t *drawing) node(kind, name, detail string) string {
	id := t.box.ID + "/" + kind + "/" + name
	if !t.known[id] {
		t.known[id] = true
		t.box.Nodes = append(t.box.Nodes, &graph.Node{ID: id, Kind: kind, Name: name, Detail: detail})
	}
	return id
}

// end is the node at which a way begins or ends: a role, or one of the service's
// own channels.
func (t *drawing) end(name, channel string, inward bool) string {
	if name != self {
		return t.node("role", name, "")
	}
	id := t.box.ID + "/out/" + channel
	if inward {
		id = t.box.ID + "/in/" + channel
	}
	if !t.known[id] {
		t.known[id] = true
		t.box.Nodes = append(t.box.Nodes, &graph.Node{ID: id, Kind: "channel", Name: channel, Inward: inward})
	}
	return id
}

func (t *drawing) connector(name string, c *value.Data) {
	id := t.node("connector", name, cmp.Or(c.Get("as").Str(), "lb"))
	for _, from := range c.Get("from").Each() {
		channel := from.Value.Str()
		t.edges = append(t.edges, graph.Edge{Kind: "client", From: t.end(from.Name, channel, true), To: id, Label: channel})
	}
	for _, to := range c.Get("to").Each() {
		for _, channel := range to.Value.Each() {
			set := t.sets.Get(to.Name)
			for i, version := range set.Get("roles").Each() { // in the order that clients see
				served := cmp.Or(version.Value.Get("map", channel.Name).Str(), channel.Name)
				t.edges = append(t.edges, graph.Edge{Kind: "server", From: id, To: t.end(version.Name, served, false), Label: fmt.Sprintf("%d: %s", i, served)})
			}
			if set == nil {
				t.edges = append(t.edges, graph.Edge{Kind: "server", From: id, To: t.end(to.Name, channel.Name, false), Label: channel.Name})
			}
		}
	}
}

// Mermaid is the topology as a flowchart, "" for none.
func (p *Page) Mermaid() string {
	if p.Topology == nil {
		return ""
	}
	return strings.TrimRight(string(p.Topology.Mermaid()), "\n")
}
