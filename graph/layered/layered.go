// Package layered lays out directed graphs in layers, from left to right:
// nodes of any size, with edges that start and end at given heights of their
// nodes' sides, that have room for their labels, and that pass beside every
// node that is not theirs.
//
// It is the method of Sugiyama: turn edges until there are no circles, give each
// node a layer, order the layers so that few edges cross, and place the nodes so
// that edges are straight. An edge that goes back does so in a lane of its own.
package layered

import "errors"

// Node is a rectangle.
type Node struct {
	W, H float64
	// First and Last put the node alone with others of its kind at that end.
	First, Last bool
	// X and Y are where Place has put its upper left corner.
	X, Y float64
}

// Edge leaves From at its right side and arrives at the left side of To.
type Edge struct {
	From, To int
	// FromY and ToY are the heights where, from the node's top.
	FromY, ToY float64
	// LabelW and LabelH are the size of the label; 0 for none. It stands on the
	// edge, and LabelX and LabelY are where Place has put its lower left corner.
	LabelW, LabelH float64
	LabelX, LabelY float64
	// Free tells that the edge may go from To to From instead, where it would have
	// to go back otherwise; Turned, that it does.
	Free, Turned bool
	// Path is the way that Place has found.
	Path []Segment
}

// Segment is a part of an edge: a straight line where A equals the start and B
// the end, else a Bézier curve.
type Segment struct{ Start, A, B, End Point }

// Point is a place on the plane, y going down.
type Point struct{ X, Y float64 }

// Graph is what is laid out.
type Graph struct {
	Nodes []*Node
	Edges []*Edge
	// Space is what is left free between two nodes of a layer.
	Space float64
	// W and H are the size of the whole.
	W, H float64
}

// The bounds of the work: more than can be looked at.
const (
	maxParts = 10_000  // nodes and edges
	maxItems = 100_000 // with what edges pass through
)

// ErrTooLarge says that there is more to lay out than anybody can look at.
var ErrTooLarge = errors.New("the graph is too large to be drawn")

// Place lays the graph out. The same graph gets the same layout everywhere.
func (g *Graph) Place() error {
	if len(g.Nodes)+len(g.Edges) > maxParts {
		return ErrTooLarge
	}
	if len(g.Nodes) == 0 {
		return nil
	}
	p := &placing{Graph: g}
	p.turn()
	p.rank()
	if err := p.split(); err != nil {
		return err
	}
	p.order()
	p.heights()
	p.widths()
	p.route()
	return nil
}

// placing is the state of one Place.
type placing struct {
	*Graph
	back   []bool  // whether an edge goes back
	layer  []int   // of each node
	items  []*item // nodes, in their order, and then what edges pass through
	layers [][]*item
	chains [][]*item // what each edge passes through, from its start to its end
	left   []float64 // where each layer begins
	right  []float64 // and ends
}

// item is what takes up room in a layer: a node, or an edge that passes.
type item struct {
	layer    int
	w, h     float64
	x, y     float64
	at       int // its place in the layer's order
	passing  bool
	before   []joint // to the layer on the left
	after    []joint // to the layer on the right
	beside   []joint // to the same layer: an edge turns round here
	wish     float64
	weight   float64
	ordering float64
}

// joint is an end of a line between two items: the other one, and the heights
// of the line on both.
type joint struct {
	to             *item
	mine, theirs   float64
	straightWeight float64
}
