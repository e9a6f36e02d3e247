package layered

import (
	"math"
	"slices"

	"kumiki.dev/internal/sorting"
)

// straighten takes the steps out of the edges: as many items in a row as have a
// height that all of them can be at are put there. Edges with the longest way
// come first.
func (p *placing) straighten() {
	edges := make([]int, len(p.Edges))
	for i := range edges {
		edges[i] = i
	}
	sorting.By(edges, func(a, b int) int { return len(p.chains[b]) - len(p.chains[a]) })
	for _, i := range edges {
		e := p.Edges[i]
		from, to := p.items[e.From], p.items[e.To]
		starts := []float64{from.y + e.FromY, to.y + e.ToY}
		for chain := p.chains[i]; len(chain) > 0; {
			chain = chain[p.level(chain, starts):]
		}
	}
}

// level puts as many of the items at the head of the chain at one height as
// there is room for, and returns their number. Of the heights, one of those
// that are preferred is best.
func (p *placing) level(chain []*item, preferred []float64) int {
	low, high := math.Inf(-1), math.Inf(1)
	n, sum := 0, 0.0
	for _, x := range chain {
		lo, hi := p.room(x)
		if max(low, lo) > min(high, hi) {
			break
		}
		low, high = max(low, lo), min(high, hi)
		n, sum = n+1, sum+x.y+x.line()
	}
	if n == 0 { // pushed by its neighbours to less than nothing, by rounding
		return 1
	}
	y := min(max(sum/float64(n), low), high)
	for _, want := range preferred {
		if want >= low && want <= high {
			y = want
			break
		}
	}
	for _, x := range chain[:n] {
		x.y = y - x.line()
	}
	return n
}

// room is the heights at which the line through an item can be without touching
// its neighbours.
func (p *placing) room(x *item) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	layer := p.layers[x.layer]
	if x.at > 0 {
		above := layer[x.at-1]
		low = above.y + p.tight(above, x) + x.line()
	}
	if x.at+1 < len(layer) {
		high = layer[x.at+1].y - p.tight(x, layer[x.at+1]) + x.line()
	}
	return low, high
}

// tight is the distance between the tops of two neighbours if a straight line is
// worth some of the space between them.
func (p *placing) tight(a, b *item) float64 { return a.h + (p.gap(a, b)-a.h)*2/3 }

// nudge moves each node to where most of its lines are level, if there is room.
func (p *placing) nudge() {
	for _, x := range p.items[:len(p.Nodes)] {
		low, high := p.room(x)
		low, high = low-x.line(), high-x.line() // of its top
		tops := map[float64]float64{}           // by the weight of the lines that are level then
		joints := slices.Concat(x.before, x.after)
		for _, j := range joints {
			tops[j.to.y+j.theirs-j.mine] += j.straightWeight
		}
		best := x.y
		for _, j := range joints {
			y := j.to.y + j.theirs - j.mine
			if j.straightWeight < 1 {
				continue // not worth moving for
			}
			nearer := tops[y] == tops[best] && math.Abs(y-x.y) < math.Abs(best-x.y)
			if y >= low && y <= high && (tops[y] > tops[best] || nearer) {
				best = y
			}
		}
		x.y = best
	}
}
