package layered_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"kumiki.dev/graph/layered"
	_ "kumiki.dev/internal/repeatable"
)

// TestLaws lays out graphs of every kind: with circles, loops, edges that are
// there twice, and parts that nothing joins.
func TestLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := random(t)
		require.NoError(t, g.Place())
		laws(t, g)
	})
}

func random(t *rapid.T) *layered.Graph {
	g := &layered.Graph{Space: 12}
	size := rapid.Float64Range(1, 200)
	for range rapid.IntRange(1, 14).Draw(t, "nodes") {
		n := &layered.Node{W: size.Draw(t, "w"), H: size.Draw(t, "h")}
		switch rapid.IntRange(0, 7).Draw(t, "end") {
		case 0:
			n.First = true
		case 1:
			n.Last = true
		}
		g.Nodes = append(g.Nodes, n)
	}
	node := rapid.IntRange(0, len(g.Nodes)-1)
	for range rapid.IntRange(0, 25).Draw(t, "edges") {
		from, to := node.Draw(t, "from"), node.Draw(t, "to")
		e := &layered.Edge{From: from, To: to, FromY: g.Nodes[from].H / 3, ToY: g.Nodes[to].H / 2, Free: rapid.Bool().Draw(t, "free")}
		if rapid.Bool().Draw(t, "labelled") {
			e.LabelW, e.LabelH = size.Draw(t, "label"), 14
		}
		g.Edges = append(g.Edges, e)
	}
	return g
}

type rect struct {
	name                     string
	left, top, right, bottom float64
}

// near is what rounding may cost.
const near = 1e-6

func (r rect) holds(p layered.Point) bool {
	return p.X > r.left+near && p.X < r.right-near && p.Y > r.top+near && p.Y < r.bottom-near
}

func (r rect) overlaps(s rect) bool {
	return r.left < s.right-near && s.left < r.right-near && r.top < s.bottom-near && s.top < r.bottom-near
}

func laws(t require.TestingT, g *layered.Graph) {
	var rects []rect
	for i, n := range g.Nodes {
		rects = append(rects, rect{fmt.Sprint("node ", i), n.X, n.Y, n.X + n.W, n.Y + n.H})
	}
	for i, e := range g.Edges {
		if e.LabelW > 0 {
			rects = append(rects, rect{fmt.Sprint("label ", i), e.LabelX, e.LabelY - e.LabelH, e.LabelX + e.LabelW, e.LabelY})
		}
	}
	for i, r := range rects {
		require.True(t, r.left > -near && r.top > -near && r.right < g.W+near && r.bottom < g.H+near, "%v is outside of the picture", r)
		for _, s := range rects[:i] {
			require.False(t, r.overlaps(s), "%v and %v overlap", r, s)
		}
	}
	for i, e := range g.Edges {
		route(t, g, i, e, rects)
	}
}

// route shows that an edge begins and ends at its nodes, has no gaps, and
// touches no other thing on its way.
func route(t require.TestingT, g *layered.Graph, i int, e *layered.Edge, rects []rect) {
	require.NotEmpty(t, e.Path)
	from, to := g.Nodes[e.From], g.Nodes[e.To]
	at := layered.Point{X: from.X + from.W, Y: from.Y + e.FromY}
	for _, s := range e.Path {
		require.Equal(t, at, s.Start, "edge %d has a gap", i)
		for step := range 21 {
			p := on(s, float64(step)/20)
			require.False(t, math.IsNaN(p.X) || math.IsNaN(p.Y))
			for _, r := range rects {
				require.False(t, r.holds(p), "edge %d goes through %v at %v", i, r, p)
			}
		}
		at = s.End
	}
	require.InDelta(t, to.X, at.X, near)
	require.InDelta(t, to.Y+e.ToY, at.Y, near)
}

// on is the point of a segment at t from 0 to 1.
func on(s layered.Segment, t float64) layered.Point {
	if s.A == s.Start && s.B == s.End {
		return layered.Point{X: s.Start.X + t*(s.End.X-s.Start.X), Y: s.Start.Y}
	}
	a, b, c, d := (1-t)*(1-t)*(1-t), 3*(1-t)*(1-t)*t, 3*(1-t)*t*t, t*t*t
	return layered.Point{X: a*s.Start.X + b*s.A.X + c*s.B.X + d*s.End.X, Y: a*s.Start.Y + b*s.A.Y + c*s.B.Y + d*s.End.Y}
}

func TestPlaceOfNothing(t *testing.T) {
	t.Parallel()
	require.NoError(t, (&layered.Graph{}).Place())
}

// TestTooLarge: what nobody can look at takes no time either.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	g := &layered.Graph{}
	for range 20_000 {
		g.Nodes = append(g.Nodes, &layered.Node{W: 1, H: 1})
	}
	require.ErrorIs(t, g.Place(), layered.ErrTooLarge)
	long := &layered.Graph{}
	for i := range 2_000 {
		long.Nodes = append(long.Nodes, &layered.Node{W: 1, H: 1})
		if i > 0 {
			long.Edges = append(long.Edges, &layered.Edge{From: i - 1, To: i}, &layered.Edge{From: 0, To: i})
		}
	}
	require.ErrorIs(t, long.Place(), layered.ErrTooLarge)
}

// TestStraight: a chain is drawn as one line, from left to right.
func TestStraight(t *testing.T) {
	t.Parallel()
	g := &layered.Graph{Space: 10}
	for i := range 5 {
		g.Nodes = append(g.Nodes, &layered.Node{W: 50, H: 30})
		if i > 0 {
			g.Edges = append(g.Edges, &layered.Edge{From: i - 1, To: i, FromY: 15, ToY: 15, LabelW: 40, LabelH: 12})
		}
	}
	require.NoError(t, g.Place())
	for i, e := range g.Edges {
		require.Less(t, g.Nodes[i].X+g.Nodes[i].W, g.Nodes[i+1].X)
		for _, s := range e.Path {
			require.InDelta(t, e.Path[0].Start.Y, s.End.Y, near)
		}
	}
}
