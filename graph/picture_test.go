package graph

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/graph/layered"
	"kumiki.dev/internal/cases"
	"kumiki.dev/internal/golden"
)

// large is a graph of n roles, ten in a box, each with a connector to another
// one; every box but the first is linked to one before.
func large(n int) *Graph {
	g, two := &Graph{Name: "large"}, 2
	for b := range n / 10 {
		id := fmt.Sprintf("app.part%d", b)
		box := &Box{ID: id, Kind: "service", Artifact: "part 1.0.0"}
		g.Boxes = append(g.Boxes, box)
		for i := range 10 {
			connector := fmt.Sprintf("%s/connect/c%d", id, i)
			box.Nodes = append(box.Nodes,
				&Node{ID: roleID(id, fmt.Sprint("role", i)), Kind: "role", Name: fmt.Sprint("role", i), Detail: "worker 1.2.3", Instances: &two},
				&Node{ID: connector, Kind: "connector", Name: fmt.Sprint("c", i), Detail: "lb"})
			g.Edges = append(g.Edges,
				Edge{Kind: "client", From: roleID(id, fmt.Sprint("role", i)), To: connector, Label: "next"},
				Edge{Kind: "server", From: connector, To: roleID(id, fmt.Sprint("role", (i*7+b)%10)), Label: "rest :8080"})
		}
		in := box.channel("entry", true)
		g.Edges = append(g.Edges, Edge{Kind: "client", From: in, To: id + "/connect/c0", Label: "entry :80"})
		if b > 0 {
			parent := g.Boxes[b/3]
			out := parent.channel(fmt.Sprintf("part%d.entry", b), false)
			g.Edges = append(g.Edges,
				Edge{Kind: "up", From: id, To: parent.ID, Label: "up"},
				Edge{Kind: "server", From: parent.ID + "/connect/c1", To: out, Label: "entry"},
				Edge{Kind: "link", From: out, To: in, Label: "entry :80"})
		}
	}
	g.sort()
	return g
}

// TestPicture: in a picture of many boxes nothing overlaps, all texts are in
// their boxes, and edges end where they are said to.
func TestPicture(t *testing.T) {
	t.Parallel()
	for _, n := range []int{10, 40, 100} {
		checkPicture(t, large(n))
	}
}

// TestPictureOfCases shows the same for the solution of every case.
func TestPictureOfCases(t *testing.T) {
	golden.Each(t, "../testdata/cases/*.txtar", func(t *testing.T, c *golden.Case) {
		checkPicture(t, Of(cases.Solution(t, c)))
	})
}

func checkPicture(t *testing.T, g *Graph) {
	t.Helper()
	p, err := g.paint()
	require.NoError(t, err)
	ends := map[string]layered.Point{} // the left end of what edges lead to
	for i, f := range p.boxes {
		require.True(t, f.x >= margin && f.x+f.w <= p.w-margin+0.001 && f.y >= margin && f.y+f.h <= p.h-margin+0.001, "%s is not in the picture", f.ID)
		for _, other := range p.boxes[:i] {
			apart := f.x+f.w <= other.x || other.x+other.w <= f.x || f.y+f.h <= other.y || other.y+other.h <= f.y
			require.True(t, apart, "%s and %s overlap", f.ID, other.ID)
		}
		require.LessOrEqual(t, boldWidth(shown(f.ID), nameSize+1)+2*padding, f.w)
		for _, n := range f.nodes {
			require.True(t, n.x >= 0 && n.x+n.w <= f.w && n.y >= titleHeight && n.y+n.h <= f.h, "%s is not in its box", n.ID)
			if n.Kind == "role" {
				require.LessOrEqual(t, boldWidth(title(n.Node), nameSize)+width(instances(n.Node), nameSize), n.w)
			}
			ends[n.ID] = layered.Point{X: f.x + n.x, Y: f.y + n.y + n.h/2}
		}
		for _, d := range f.edges {
			meets(t, ends[d.To], d, f.x, f.y)
		}
	}
	for _, d := range p.edges {
		if end, ok := ends[d.To]; ok {
			meets(t, end, d, 0, 0)
		}
	}
}

func meets(t *testing.T, end layered.Point, d *drawn, dx, dy float64) {
	t.Helper()
	last := d.way.Path[len(d.way.Path)-1].End
	require.InDelta(t, end.X, last.X+dx, 0.001, "%s → %s", d.From, d.To)
	require.InDelta(t, end.Y, last.Y+dy, 0.001, "%s → %s", d.From, d.To)
}

// TestShown: long names lose their middle, and stay in one line.
func TestShown(t *testing.T) {
	t.Parallel()
	require.Equal(t, "a b", shown("a\n b"))
	long := "abcdefghijklmnopqrstuvwxyz0123456789-abcdefghijklmnopqrstuvwxyz"
	require.Equal(t, "abcdefghijklmnopqrstuvwxyz0123456789…pqrstuvwxyz", shown(long))
}

func BenchmarkSVG(b *testing.B) {
	for _, n := range []int{100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := large(n).SVG(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
