package graph

import (
	"fmt"

	"kumiki.dev/graph/layered"
)

// The measures of a picture, in pixels.
const (
	margin      = 24.0
	padding     = 18.0 // inside a box
	titleHeight = 46.0
	nameSize    = 13.0
	detailSize  = 11.0
	labelSize   = 10.5
	labelHeight = 15.0
	doorRadius  = 4.0

	// The heights at which the line from a box to the one that governs it leaves
	// the one and meets the other.
	childHeight, parentHeight = 11.0, 24.0
)

// picture is a graph with a place for everything.
type picture struct {
	graph *Graph
	boxes []*framed
	edges []*drawn // between boxes
	w, h  float64
}

// framed is a box with its place; places inside it are counted from its corner.
type framed struct {
	*Box
	x, y, w, h float64
	nodes      []*placed
	edges      []*drawn
}

type placed struct {
	*Node
	x, y, w, h float64
}

type drawn struct {
	Edge
	way  *layered.Edge
	door bool // whether it leads to a channel, which is drawn as a dot
}

// paint finds a place for everything: inside each box first, and then for the
// boxes.
func (g *Graph) paint() (*picture, error) {
	p := &picture{graph: g}
	inside := map[string]*framed{}
	for _, b := range g.Boxes {
		f := &framed{Box: b}
		p.boxes = append(p.boxes, f)
		inside[b.ID] = f
		for _, n := range b.Nodes {
			inside[n.ID] = f
		}
	}
	within := map[*framed][]Edge{}
	var between []Edge
	for _, e := range g.Edges {
		from, to := inside[e.From], inside[e.To]
		switch {
		case from == nil || to == nil:
			return nil, fmt.Errorf("an edge goes from %s to %s, one of which there is not", e.From, e.To)
		case from == to && e.Kind != "link" && !e.needs():
			within[from] = append(within[from], e)
		default:
			between = append(between, e)
		}
	}
	for _, f := range p.boxes {
		if err := f.fill(within[f]); err != nil {
			return nil, err
		}
	}
	return p, p.join(inside, between)
}

// fill lays out the inside of a box, from which its size follows.
func (f *framed) fill(edges []Edge) error {
	f.w = max(boldWidth(shown(marked(f.State, f.ID)), nameSize+1), width(shown(f.caption()), detailSize)) + 2*padding
	f.h = titleHeight
	if len(f.Nodes) == 0 {
		return nil
	}
	g := &layered.Graph{Space: 18}
	index := map[string]int{}
	for i, n := range f.Nodes {
		index[n.ID] = i
		w, h := size(n)
		g.Nodes = append(g.Nodes, &layered.Node{W: w, H: h, First: n.Kind == "channel" && n.Inward, Last: n.Kind == "channel" && !n.Inward})
	}
	for _, e := range edges {
		from, to := index[e.From], index[e.To]
		d := &drawn{e, &layered.Edge{From: from, To: to, FromY: g.Nodes[from].H / 2, ToY: g.Nodes[to].H / 2}, f.Nodes[to].Kind == "channel"}
		d.label()
		f.edges, g.Edges = append(f.edges, d), append(g.Edges, d.way)
	}
	if err := g.Place(); err != nil {
		return err
	}
	f.settle(g)
	return nil
}

// label gives an edge room for its label.
func (d *drawn) label() {
	if d.Label != "" && d.Kind != "up" { // dashes say as much
		d.way.LabelW, d.way.LabelH = width(shown(d.text()), labelSize)+10, labelHeight
	}
}

// settle takes the places that were found into the box. Channels are on its
// border.
func (f *framed) settle(g *layered.Graph) {
	left, right := padding, padding
	for _, n := range g.Nodes {
		if n.First {
			left = 0
		}
		if n.Last {
			right = 0
		}
	}
	wide := max(f.w, left+g.W+right)
	if left > 0 && right > 0 {
		left += (wide - left - g.W - right) / 2
	}
	f.w, f.h = wide, titleHeight+g.H+padding
	for i, n := range g.Nodes {
		x := &placed{f.Nodes[i], n.X + left, n.Y + titleHeight, n.W, n.H}
		if n.Last {
			x.x = f.w
		}
		f.nodes = append(f.nodes, x)
	}
	for _, d := range f.edges {
		move(d.way, left, titleHeight)
		if g.Nodes[d.way.To].Last {
			end := d.way.Path[len(d.way.Path)-1].End
			border := layered.Point{X: f.w, Y: end.Y}
			d.way.Path = append(d.way.Path, layered.Segment{Start: end, A: end, B: border, End: border})
		}
	}
}

func move(e *layered.Edge, dx, dy float64) {
	e.LabelX, e.LabelY = e.LabelX+dx, e.LabelY+dy
	for i := range e.Path {
		s := &e.Path[i]
		for _, p := range []*layered.Point{&s.Start, &s.A, &s.B, &s.End} {
			p.X, p.Y = p.X+dx, p.Y+dy
		}
	}
}

// size is that of a node.
func size(n *Node) (w, h float64) {
	switch n.Kind {
	case "channel":
		return 0, labelHeight + 4
	case "connector":
		return width(shown(title(n)), detailSize) + 24, 24
	default:
		return max(boldWidth(shown(title(n)), nameSize)+width(instances(n), nameSize)+8, width(shown(detail(n)), detailSize)) + 24, 44
	}
}

// join lays out the boxes with the edges between them.
func (p *picture) join(inside map[string]*framed, edges []Edge) error {
	g := &layered.Graph{Space: 30}
	index := map[*framed]int{}
	for i, f := range p.boxes {
		index[f] = i
		g.Nodes = append(g.Nodes, &layered.Node{W: f.w, H: f.h})
	}
	for _, e := range edges {
		from, to := inside[e.From], inside[e.To]
		d := &drawn{e, &layered.Edge{From: index[from], To: index[to], FromY: from.door(e.From), ToY: to.door(e.To)}, e.To != to.ID && e.Kind == "link"}
		if e.needs() { // drawn from above, wherever that is
			d.way = &layered.Edge{From: index[to], To: index[from], FromY: parentHeight, ToY: childHeight, Free: true}
		}
		d.label()
		p.edges, g.Edges = append(p.edges, d), append(g.Edges, d.way)
	}
	if err := g.Place(); err != nil {
		return err
	}
	for i, f := range p.boxes {
		f.x, f.y = g.Nodes[i].X+margin, g.Nodes[i].Y+margin
	}
	for _, d := range p.edges {
		move(d.way, margin, margin)
	}
	p.w, p.h = g.W+2*margin, g.H+2*margin
	return nil
}

// door is the height at which an edge meets the box: at its channel.
func (f *framed) door(id string) float64 {
	for _, n := range f.nodes {
		if n.ID == id {
			return n.y + n.h/2
		}
	}
	return f.h * 0.72
}
