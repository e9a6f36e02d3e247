package graph

import (
	"maps"
	"slices"
)

// One is a solution among others, of which only the name and what it names of others is
// drawn.
type One struct {
	Name string
	// Artifact is that of its top, for people.
	Artifact string
	// Deployments are the names of its deployments.
	Deployments []string
	// Uses lead from it to deployments of others: edges without From.
	Uses []Edge
}

// Several makes the graph of many solutions: a box for each, and for each deployment that
// is named and that none of them has.
func Several(all []One) *Graph {
	owner, boxes := map[string]string{}, map[string]*Box{}
	for _, one := range all {
		boxes[one.Name] = &Box{ID: one.Name, Kind: "service", Artifact: one.Artifact, Nodes: []*Node{}}
		for _, name := range one.Deployments {
			owner[name] = one.Name
		}
	}
	g := &Graph{Boxes: []*Box{}, Edges: []Edge{}}
	for _, one := range all {
		for _, e := range one.Uses {
			to, known := owner[e.To]
			if !known {
				to = e.To
				boxes[to] = &Box{ID: to, Kind: "outside", Nodes: []*Node{}}
			}
			e.From, e.To = one.Name, to
			g.Edges = append(g.Edges, e)
		}
	}
	g.Boxes = slices.AppendSeq(g.Boxes, maps.Values(boxes))
	g.sort()
	return g
}
