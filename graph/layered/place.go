package layered

import "slices"

// heights gives each item its height on the plane, so that lines are as
// straight as the order of the layers allows.
func (p *placing) heights() {
	for _, layer := range p.layers {
		y := 0.0
		for _, x := range layer {
			x.y = y
			y += x.h + p.space(x)
		}
	}
	before := func(x *item) []joint { return x.before }
	after := func(x *item) []joint { return x.after }
	both := func(x *item) []joint { return slices.Concat(x.before, x.after) }
	for i := range 30 {
		side := both
		if i < 20 {
			side = [...]func(*item) []joint{before, after}[i%2]
		}
		if i%2 == 0 {
			for _, layer := range p.layers {
				p.settle(layer, side)
			}
			continue
		}
		for _, layer := range slices.Backward(p.layers) {
			p.settle(layer, side)
		}
	}
	for range 4 {
		p.straighten()
		p.nudge()
	}
	p.straighten()
	p.normalize()
}

// space is what is left free below an item.
func (p *placing) space(x *item) float64 {
	if x.passing {
		return 4
	}
	return p.Space
}

// gap is the least distance between the tops of two neighbours in a layer.
func (p *placing) gap(a, b *item) float64 { return a.h + max(p.space(a), p.space(b)) }

// settle puts the items of a layer as near as they can be to where they would
// be best, in their order and without overlap: the least squares are found by
// joining neighbours that push each other.
func (p *placing) settle(layer []*item, joints func(*item) []joint) {
	type block struct {
		start       int
		sum, weight float64 // of the wishes for the first item's top
	}
	var blocks []block
	offset := make([]float64, len(layer)) // from the top of the layer, packed
	for i, x := range layer {
		if i > 0 {
			offset[i] = offset[i-1] + p.gap(layer[i-1], x)
		}
		x.wish, x.weight = wish(x, joints(x))
		blocks = append(blocks, block{i, (x.wish - offset[i]) * x.weight, x.weight})
		for n := len(blocks); n > 1 && blocks[n-2].sum/blocks[n-2].weight > blocks[n-1].sum/blocks[n-1].weight; n-- {
			a, b := blocks[n-2], blocks[n-1]
			blocks = append(blocks[:n-2], block{a.start, a.sum + b.sum, a.weight + b.weight})
		}
	}
	for n, b := range blocks {
		end := len(layer)
		if n+1 < len(blocks) {
			end = blocks[n+1].start
		}
		for i := b.start; i < end; i++ {
			layer[i].y = b.sum/b.weight + offset[i]
		}
	}
}

// wish is where the top of an item would be best, and how much that counts.
func wish(x *item, joints []joint) (y, weight float64) {
	for _, j := range joints {
		y += (j.to.y + j.theirs - j.mine) * j.straightWeight
		weight += j.straightWeight
	}
	if weight == 0 {
		for _, j := range x.beside {
			y += (j.to.y + j.theirs - j.mine) * j.straightWeight
			weight += j.straightWeight
		}
	}
	if weight == 0 {
		return x.y, 0.1
	}
	return y / weight, weight
}

// normalize moves everything so that it begins at 0, and knows the height.
func (p *placing) normalize() {
	top := p.items[0].y
	for _, x := range p.items {
		top = min(top, x.y)
	}
	for _, x := range p.items {
		x.y -= top
		p.H = max(p.H, x.y+x.h)
	}
}

// widths gives each layer its place from left to right: steep lines need room.
func (p *placing) widths() {
	x := 0.0
	if p.turnsBefore(0) {
		x = turnRoom
	}
	for l, layer := range p.layers {
		w := 0.0
		for _, it := range layer {
			w = max(w, it.w)
		}
		p.left, p.right = append(p.left, x), append(p.right, x+w)
		for _, it := range layer {
			it.x = x + (w-it.w)/2
		}
		x += w
		if l+1 < len(p.layers) {
			x += p.between(l)
		}
	}
	last := len(p.layers) - 1
	if p.turnsAfter(last) {
		x += turnRoom
	}
	p.W = x
}

// turnRoom is how far an edge goes beyond a layer to turn round.
const turnRoom = 22

// between is the room between a layer and the next.
func (p *placing) between(l int) float64 {
	steepest := 0.0
	for _, x := range p.layers[l] {
		for _, j := range x.after {
			dy := x.y + j.mine - j.to.y - j.theirs
			steepest = max(steepest, dy, -dy)
		}
	}
	room := min(14+steepest*0.22, 70)
	if p.turnsAfter(l) || p.turnsBefore(l+1) {
		room = max(room, turnRoom+6)
	}
	return room
}

// turnsAfter reports whether an edge turns round on the right of a layer;
// turnsBefore, on its left.
func (p *placing) turnsAfter(l int) bool {
	return p.turns(func(i int) bool { return p.layer[p.Edges[i].From] == l })
}

func (p *placing) turnsBefore(l int) bool {
	return p.turns(func(i int) bool { return p.layer[p.Edges[i].To] == l })
}

func (p *placing) turns(here func(int) bool) bool {
	for i := range p.Edges {
		if p.back[i] && here(i) {
			return true
		}
	}
	return false
}

// route writes the results down: where nodes are, and how edges go.
func (p *placing) route() {
	for i, n := range p.Nodes {
		n.X, n.Y = p.items[i].x, p.items[i].y
	}
	for i, e := range p.Edges {
		r := &router{placing: p, edge: e}
		from, to := p.items[e.From], p.items[e.To]
		r.at = Point{from.x + from.w, from.y + e.FromY}
		r.straight(p.right[from.layer])
		toLeft := p.back[i]
		for n, x := range p.chains[i] {
			y := x.y + x.line()
			start, end := p.left[x.layer], p.right[x.layer]
			if toLeft {
				start, end = end, start
			}
			if toLeft && n == 0 {
				r.turn(Point{start, y}, 1)
			} else {
				r.curve(Point{start, y})
			}
			r.straight(end)
		}
		end := Point{p.left[to.layer], to.y + e.ToY}
		if toLeft {
			r.turn(end, -1)
		} else {
			r.curve(end)
		}
		r.straight(to.x)
		if e.LabelW > 0 {
			x := labelled(p.chains[i])
			e.LabelX, e.LabelY = x.x, x.y+x.line()
		}
	}
}

// router draws one edge.
type router struct {
	*placing
	edge *Edge
	at   Point
}

func (r *router) add(a, b, end Point) {
	r.edge.Path = append(r.edge.Path, Segment{r.at, a, b, end})
	r.at = end
}

// straight goes on level.
func (r *router) straight(x float64) {
	if x != r.at.X {
		end := Point{x, r.at.Y}
		r.add(r.at, end, end)
	}
}

// curve goes to a point at another height, level at both ends.
func (r *router) curve(to Point) {
	if to.Y == r.at.Y {
		r.straight(to.X)
		return
	}
	half := (to.X - r.at.X) / 2
	r.add(Point{r.at.X + half, r.at.Y}, Point{to.X - half, to.Y}, to)
}

// turn goes to a point above or below, round by the right (1) or left (-1).
func (r *router) turn(to Point, side float64) {
	reach := side * turnRoom
	r.add(Point{r.at.X + reach, r.at.Y}, Point{to.X + reach, to.Y}, to)
}
