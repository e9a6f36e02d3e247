package capacity

import (
	"math"
	"slices"

	"kumiki.dev/internal/filter"
)

// certainty answers what holds for demands in any order of placing.
type certainty struct {
	start   *placing
	demands []*Demand
	// open are the nodes that take a demand, and could be filled, by the demand.
	open map[*Demand][]*spot
	// reserved is what instances that run on each node take of it.
	reserved map[*spot]Amounts
	// bits are the nodes of open, to see at once whether two demands share any.
	bits map[*Demand][]uint64
}

func newCertainty(start *placing, demands []*Demand) *certainty {
	c := &certainty{start: start, demands: demands, open: map[*Demand][]*spot{}, reserved: map[*spot]Amounts{}, bits: map[*Demand][]uint64{}}
	for _, d := range demands {
		bits := make([]uint64, (len(start.nodes)+63)/64)
		for i, s := range start.nodes {
			if d.refused(s.Node) == "" {
				c.open[d] = append(c.open[d], s)
				bits[i/64] |= 1 << (i % 64)
			}
		}
		c.bits[d] = bits
		if !d.EachNode {
			continue
		}
		for _, s := range c.open[d] {
			if c.reserved[s] == nil {
				c.reserved[s] = Amounts{}
			}
			c.reserved[s].take(d.Asks, -1)
		}
	}
	return c
}

func (c *certainty) share(a, b *Demand) bool {
	x, y := c.bits[a], c.bits[b]
	for i := range x {
		if x[i]&y[i] != 0 {
			return true
		}
	}
	return false
}

// fits reports whether all instances of a demand find a node however the others are placed.
// A node is closed to an instance once one resource on it is used up. The other demands
// together have a bounded amount of each resource, so they can close a bounded number of
// nodes: those that need the least to be closed. If fewer can be closed than the demand may
// use, it fits.
func (c *certainty) fits(d *Demand) bool {
	if len(d.Beside) > 0 || len(d.Spread) > 0 || filter.Any(d.Apart, func(t Term) bool { return !c.alone(t.Over) }) {
		return false
	}
	terms := c.start.termsOf(d)
	var room []*spot
	for _, s := range c.open[d] {
		if c.start.fit(d, s, 0, terms) > 0 {
			room = append(room, s)
		}
	}
	if d.EachNode {
		return len(room) == len(c.open[d]) && !filter.Any(room, func(s *spot) bool { return c.closed(d, []*spot{s}) > 0 })
	}
	return d.Count == 0 || c.closed(d, room) < int64(len(room))
}

// alone reports whether no two nodes have the same value of a label.
func (c *certainty) alone(label string) bool {
	seen := map[string]bool{}
	for _, s := range c.start.nodes {
		value, ok := s.Labels[label]
		if ok && seen[value] {
			return false
		}
		seen[value] = seen[value] || ok
	}
	return true
}

// closed returns an upper bound of the nodes that can be closed to a demand's last instance.
func (c *certainty) closed(d *Demand, nodes []*spot) int64 {
	pool, closers := Amounts{}, int64(0)
	for _, other := range c.demands {
		n := other.Count
		switch {
		case other == d && d.EachNode, other.EachNode && !d.EachNode:
			continue // an instance here is no instance there; others' are reserved
		case other == d:
			n--
		case other.EachNode:
			n = int64(len(nodes))
		}
		if other != d && !c.share(d, other) {
			continue
		}
		pool.take(other.Asks, -n)
		if c.keepsOff(other, d) {
			closers = plus(closers, n)
		}
		if other == d && d.PerNode > 0 {
			closers = plus(closers, n/d.PerNode)
		}
	}
	for _, name := range resources(d.Asks) {
		closers = plus(closers, c.closedBy(name, d, nodes, pool[name]))
	}
	return closers
}

// keepsOff reports whether an instance of one demand closes its node to those of another.
func (c *certainty) keepsOff(one, other *Demand) bool {
	apart := func(a, b *Demand) bool {
		return filter.Any(a.Apart, func(t Term) bool { return t.matches(b.Namespace, b.Labels) })
	}
	return apart(one, other) || apart(other, one) || filter.Any(one.Ports, func(port string) bool { return filter.Contains(other.Ports, port) })
}

// closedBy returns how many nodes an amount of a resource can close.
func (c *certainty) closedBy(name string, d *Demand, nodes []*spot, pool int64) (n int64) {
	var costs []int64
	for _, s := range nodes {
		free := plus(s.free[name], -d.Asks[name])
		if !d.EachNode {
			free = plus(free, -c.reserved[s][name])
		}
		costs = append(costs, max(0, plus(free, 1)))
	}
	slices.Sort(costs)
	for _, cost := range costs {
		if cost > pool {
			break
		}
		pool -= cost
		n++
	}
	return n
}

// missing returns lower bounds of the instances that find no room in any order, for each
// demand and for all together.
func (c *certainty) missing() (each map[*Demand]int64, together int64) {
	each = map[*Demand]int64{}
	for _, d := range c.demands {
		least := *d
		least.Beside, least.Spread = nil, nil // instances that are not there yet could help
		if filter.Any(least.Apart, func(t Term) bool { return !c.alone(t.Over) }) {
			least.Apart = nil // which node is taken first may matter
		}
		terms := c.start.termsOf(&least)
		room, full := int64(0), int64(0)
		for _, s := range c.open[d] {
			fit := c.start.fit(&least, s, 0, terms)
			room = plus(room, fit)
			if fit <= 0 {
				full++
			}
		}
		if each[d] = max(0, d.Count-room); d.EachNode {
			each[d] = full
		}
		together = plus(together, each[d])
	}
	return each, max(together, c.tooMuch())
}

// tooMuch is how many instances are more than all nodes have of a resource.
func (c *certainty) tooMuch() (most int64) {
	asked := map[string]bool{}
	for _, d := range c.demands {
		for _, name := range resources(d.Asks) {
			asked[name] = true
		}
	}
	for name := range asked {
		var needed, largest, free int64
		open := map[*spot]bool{}
		for _, d := range c.demands {
			if d.Asks[name] <= 0 {
				continue
			}
			n := d.Count
			if d.EachNode {
				n = int64(len(c.open[d]))
			}
			needed, largest = plus(needed, times(n, d.Asks[name])), max(largest, d.Asks[name])
			for _, s := range c.open[d] {
				open[s] = true
			}
		}
		for s := range open {
			free = plus(free, max(0, s.free[name]))
		}
		if needed < math.MaxInt64 && needed > free {
			most = max(most, (needed-free+largest-1)/largest)
		}
	}
	return most
}
