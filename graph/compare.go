package graph

import (
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
)

// Compare makes the graph of both solutions in one, in which every part says
// what has become of it.
func Compare(old, now *solution.Solution) *Graph {
	before, g := Of(old), Of(now)
	known := map[string]*Box{}
	for _, b := range before.Boxes {
		known[b.ID] = b
	}
	for _, b := range g.Boxes {
		b.compare(known[b.ID])
		delete(known, b.ID)
	}
	for _, b := range before.Boxes {
		if known[b.ID] != nil {
			b.all(Gone)
			g.Boxes = append(g.Boxes, b)
		}
	}
	g.Edges = compareEdges(before.Edges, g.Edges)
	g.sort()
	return g
}

// compare sets the states of a box and its nodes, and takes over the nodes that
// are gone.
func (b *Box) compare(old *Box) {
	if old == nil {
		b.all(New)
		return
	}
	b.State = state(old.content+old.SLA, b.content+b.SLA)
	b.Changes = changes(old.content, b.content)
	if old.SLA != b.SLA {
		b.Changes = append(b.Changes, "sla "+brief(old.SLA)+" → "+brief(b.SLA))
	}
	known := map[string]*Node{}
	for _, n := range old.Nodes {
		known[n.ID] = n
	}
	for _, n := range b.Nodes {
		n.State = New
		if o := known[n.ID]; o != nil {
			n.State, n.Changes = state(o.content, n.content), changes(o.content, n.content)
		}
		delete(known, n.ID)
	}
	for _, n := range old.Nodes {
		if known[n.ID] != nil {
			n.State = Gone
			b.Nodes = append(b.Nodes, n)
		}
	}
}

func (b *Box) all(s State) {
	b.State = s
	for _, n := range b.Nodes {
		n.State = s
	}
}

func state(old, now string) State {
	if old != now {
		return Changed
	}
	return ""
}

// compareEdges joins the edges of both. One that has only another label has
// changed, if no other edge joins the same ends.
func compareEdges(old, now []Edge) []Edge {
	type ends struct{ kind, from, to string }
	of := func(e Edge) ends { return ends{e.Kind, e.From, e.To} }
	labels := func(edges []Edge) map[ends][]string {
		m := map[ends][]string{}
		for _, e := range edges {
			m[of(e)] = append(m[of(e)], e.Label)
		}
		return m
	}
	before, after := labels(old), labels(now)
	var out []Edge
	for _, e := range now {
		was := before[of(e)]
		switch {
		case filter.Contains(was, e.Label):
		case len(was) == 1 && len(after[of(e)]) == 1:
			e.State = Changed
		default:
			e.State = New
		}
		out = append(out, e)
	}
	for _, e := range old {
		is := after[of(e)]
		if filter.Contains(is, e.Label) || len(is) == 1 && len(before[of(e)]) == 1 {
			continue
		}
		e.State = Gone
		out = append(out, e)
	}
	return out
}
