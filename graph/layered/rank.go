package layered

import (
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// turn finds edges that have to go back, so that the others have no circles,
// and turns edges that may be turned.
func (p *placing) turn() {
	p.back = make([]bool, len(p.Edges))
	out := make([][]int, len(p.Nodes)) // edges
	entered := make([]int, len(p.Nodes))
	for i, e := range p.Edges {
		if !e.Free {
			out[e.From] = append(out[e.From], i)
			entered[e.To]++
		}
	}
	const open, done = 1, 2
	state := make([]int, len(p.Nodes))
	var visit func(int)
	visit = func(n int) {
		state[n] = open
		for _, i := range out[n] {
			e := p.Edges[i]
			switch {
			case state[e.To] == open || p.Nodes[e.From].Last || p.Nodes[e.To].First:
				p.back[i] = true
			case state[e.To] != done:
				visit(e.To)
			}
		}
		state[n] = done
	}
	starts := make([]int, len(p.Nodes))
	for i := range starts {
		starts[i] = i
	}
	rank := func(n int) int {
		switch {
		case p.Nodes[n].First:
			return 0
		case entered[n] == 0:
			return 1
		}
		return 2
	}
	sorting.By(starts, func(a, b int) int { return rank(a) - rank(b) })
	for _, n := range starts {
		if state[n] == 0 {
			visit(n)
		}
	}
	p.turnFree(out)
}

// turnFree chooses the direction of the edges that have none, one after the
// other: that in which they close no circle.
func (p *placing) turnFree(out [][]int) {
	reaches := func(from, to int) bool {
		seen, next := map[int]bool{from: true}, []int{from}
		for len(next) > 0 {
			n := next[len(next)-1]
			next = next[:len(next)-1]
			if n == to {
				return true
			}
			for _, i := range out[n] {
				if e := p.Edges[i]; !p.back[i] && !seen[e.To] {
					seen[e.To] = true
					next = append(next, e.To)
				}
			}
		}
		return false
	}
	forward := func(from, to int) bool {
		return !p.Nodes[from].Last && !p.Nodes[to].First && !reaches(to, from)
	}
	for i, e := range p.Edges {
		if !e.Free {
			continue
		}
		if !forward(e.From, e.To) && forward(e.To, e.From) {
			e.From, e.To, e.FromY, e.ToY, e.Turned = e.To, e.From, e.ToY, e.FromY, true
		}
		p.back[i] = !forward(e.From, e.To)
		out[e.From] = append(out[e.From], i)
	}
}

// rank gives each node a layer, an even one: labels are in the odd ones.
func (p *placing) rank() {
	p.layer = make([]int, len(p.Nodes))
	first := filter.Any(p.Nodes, func(n *Node) bool { return n.First })
	for _, n := range p.sorted() {
		if first && !p.Nodes[n].First {
			p.layer[n] = max(p.layer[n], 1)
		}
		for i, e := range p.Edges {
			if e.From == n && !p.back[i] {
				p.layer[e.To] = max(p.layer[e.To], p.layer[n]+1)
			}
		}
	}
	p.pull()
	last := -1
	for i, n := range p.Nodes {
		if !n.Last {
			last = max(last, p.layer[i])
		}
	}
	for i, n := range p.Nodes {
		if n.Last {
			p.layer[i] = last + 1
		}
		p.layer[i] *= 2
	}
}

// pull brings nodes that nothing leads to near what they lead to.
func (p *placing) pull() {
	for n := range p.Nodes {
		nearest := -1
		for i, e := range p.Edges {
			switch {
			case p.back[i]:
			case e.To == n:
				nearest = -1
			case e.From == n && (nearest < 0 || p.layer[e.To] < nearest) && !p.Nodes[e.To].Last:
				nearest = p.layer[e.To]
			}
		}
		entered := filter.Any(p.Edges, func(e *Edge) bool { return e.To == n })
		if nearest > 0 && !entered && !p.Nodes[n].First {
			p.layer[n] = max(p.layer[n], nearest-1)
		}
	}
}

// sorted is the nodes in an order in which no edge that does not go back leads
// to an earlier one.
func (p *placing) sorted() []int {
	entered := make([]int, len(p.Nodes))
	out := make([][]int, len(p.Nodes))
	for i, e := range p.Edges {
		if !p.back[i] {
			entered[e.To]++
			out[e.From] = append(out[e.From], e.To)
		}
	}
	var ready, order []int
	for n := range p.Nodes {
		if entered[n] == 0 {
			ready = append(ready, n)
		}
	}
	for len(ready) > 0 {
		n := ready[0]
		ready, order = ready[1:], append(order, n)
		for _, to := range out[n] {
			if entered[to]--; entered[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
	return order
}

// lane is the height of an edge that passes a layer without a label.
const lane = 10

// split makes the items of all layers, and joins them along the edges.
func (p *placing) split() error {
	for i, n := range p.Nodes {
		p.items = append(p.items, &item{layer: p.layer[i], w: n.W, h: n.H})
	}
	for i, e := range p.Edges {
		from, to := p.layer[e.From]+1, p.layer[e.To]-1
		step := 1
		if p.back[i] {
			from, to, step = p.layer[e.From], p.layer[e.To], -1
		}
		if len(p.items)+max(from-to, to-from) > maxItems {
			return ErrTooLarge
		}
		var chain []*item
		for l := from; step > 0 && l <= to || step < 0 && l >= to; l += step {
			x := &item{layer: l, h: lane, passing: true}
			chain, p.items = append(chain, x), append(p.items, x)
		}
		if e.LabelW > 0 {
			x := labelled(chain)
			x.w, x.h = e.LabelW, e.LabelH+lane/2
		}
		p.chains = append(p.chains, chain)
		p.join(e, chain, p.back[i])
	}
	for _, x := range p.items {
		for len(p.layers) <= x.layer {
			p.layers = append(p.layers, nil)
		}
		x.at = len(p.layers[x.layer])
		p.layers[x.layer] = append(p.layers[x.layer], x)
	}
	return nil
}

// labelled is the item of an edge that has its label: the first in a layer of
// labels.
func labelled(chain []*item) *item {
	for _, x := range chain {
		if x.layer%2 == 1 {
			return x
		}
	}
	return chain[0]
}

// line is the height at which an edge goes through an item: below its label.
func (x *item) line() float64 { return x.h - lane/2 }

// join tells the items on an edge of each other.
func (p *placing) join(e *Edge, chain []*item, back bool) {
	from, to := p.items[e.From], p.items[e.To]
	link := func(a, b *item, ay, by, weight float64) {
		if e.Free {
			weight /= 100 // the others come first
		}
		a.after = append(a.after, joint{b, ay, by, weight})
		b.before = append(b.before, joint{a, by, ay, weight})
	}
	beside := func(a, b *item, ay, by float64) {
		a.beside = append(a.beside, joint{b, ay, by, 1})
		b.beside = append(b.beside, joint{a, by, ay, 1})
	}
	if back {
		beside(from, chain[0], e.FromY, chain[0].line())
		for i := 1; i < len(chain); i++ {
			link(chain[i], chain[i-1], chain[i].line(), chain[i-1].line(), 8)
		}
		beside(to, chain[len(chain)-1], e.ToY, chain[len(chain)-1].line())
		return
	}
	at, y := from, e.FromY
	for i, x := range chain {
		weight := 8.0
		if i == 0 {
			weight = 2
		}
		link(at, x, y, x.line(), weight)
		at, y = x, x.line()
	}
	link(at, to, y, e.ToY, 2)
}
