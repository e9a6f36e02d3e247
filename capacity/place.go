package capacity

import (
	"cmp"
	"math"
	"slices"

	"kumiki.dev/internal/filter"
)

// placing is the state of a site while instances are placed on its nodes.
type placing struct {
	nodes []*spot
	// shy are instances, running or placed, whose terms keep other instances away.
	shy []resident
}

// spot is a node with what is free on it.
type spot struct {
	*Node
	free  Amounts
	ports map[string]bool
	homes []resident
}

// resident is a number of instances on a node.
type resident struct {
	node      *spot
	namespace string
	labels    map[string]string
	apart     []Term
	n         int64
}

func newPlacing(site Site) *placing {
	p := &placing{}
	at := map[string]*spot{}
	for i := range site.Nodes {
		at[site.Nodes[i].Name] = p.add(&site.Nodes[i])
	}
	for _, r := range site.Running {
		if s := at[r.Node]; s != nil {
			s.free.take(r.Asks, 1)
			p.settle(s, resident{s, r.Namespace, r.Labels, r.Apart, 1}, r.Ports)
		}
	}
	return p
}

func (p *placing) add(n *Node) *spot {
	s := &spot{Node: n, free: Amounts{}, ports: map[string]bool{}}
	for name, room := range n.Room {
		s.free[name] = room
	}
	p.nodes = append(p.nodes, s)
	return s
}

func (p *placing) settle(s *spot, r resident, ports []string) {
	s.homes = append(s.homes, r)
	if len(r.apart) > 0 {
		p.shy = append(p.shy, r)
	}
	for _, port := range ports {
		s.ports[port] = true
	}
}

// clone is a copy of what changes.
func (p *placing) clone() *placing {
	c := &placing{}
	at := map[*spot]*spot{}
	for _, s := range p.nodes {
		n := c.add(s.Node)
		for name, free := range s.free {
			n.free[name] = free
		}
		for port := range s.ports {
			n.ports[port] = true
		}
		at[s] = n
	}
	for _, s := range p.nodes {
		for _, r := range s.homes {
			r.node = at[s]
			c.settle(r.node, r, nil)
		}
	}
	return c
}

// order sorts demands so that those with the fewest places come first: one on each node,
// then the largest, then those that go where others are.
func (p *placing) order(demands []*Demand) []*Demand {
	total := Amounts{}
	for _, s := range p.nodes {
		for name, free := range s.free {
			total[name] = plus(total[name], max(0, free))
		}
	}
	share := func(d *Demand) (largest float64) {
		for _, name := range resources(d.Asks) {
			largest = max(largest, float64(d.Asks[name])/float64(max(1, total[name])))
		}
		return largest
	}
	turn := func(d *Demand) int {
		switch {
		case d.EachNode:
			return 0
		case len(d.Beside) > 0:
			return 2
		}
		return 1
	}
	out := slices.Clone(demands)
	slices.SortStableFunc(out, func(a, b *Demand) int {
		return cmp.Or(cmp.Compare(turn(a), turn(b)), cmp.Compare(share(b), share(a)))
	})
	return out
}

// put places up to n instances. It returns how many each node got, and how many are left.
func (p *placing) put(d *Demand, n int64) (got map[*spot]int64, left int64) {
	got, left = map[*spot]int64{}, n
	if d.EachNode {
		return p.putOnEach(d)
	}
	open, terms := p.open(d), p.termsOf(d)
	for progress, visits := true, 0; progress && left > 0 && visits < patience; {
		progress = false
		for _, s := range open {
			if left == 0 {
				break
			}
			visits++
			fit := min(left, p.fit(d, s, got[s], terms))
			if fit <= 0 {
				continue
			}
			p.place(d, s, fit, terms)
			got[s] += fit
			left -= fit
			progress = true
		}
	}
	return got, left
}

// patience bounds how often nodes are examined for one demand. Only instances that depend on
// each other, and so are placed one by one, can reach it.
const patience = 1 << 22

// open are the nodes that take instances, as long as they have room.
func (p *placing) open(d *Demand) []*spot {
	var open []*spot
	for _, s := range p.nodes {
		if d.refused(s.Node) == "" {
			open = append(open, s)
		}
	}
	return open
}

// putOnEach places an instance on each node that takes any.
func (p *placing) putOnEach(d *Demand) (got map[*spot]int64, left int64) {
	got = map[*spot]int64{}
	terms := p.termsOf(d)
	for _, s := range p.open(d) {
		if p.fit(d, s, 0, terms) < 1 {
			left++
			continue
		}
		p.place(d, s, 1, terms)
		got[s] = 1
	}
	return got, left
}

// fit returns how many more instances an open node can take now.
func (p *placing) fit(d *Demand, s *spot, has int64, terms *terms) int64 {
	n, _ := most(d.Asks, s.free)
	if d.PerNode > 0 {
		n = min(n, d.PerNode-has)
	}
	if len(d.Ports) > 0 {
		n = min(n, 1)
		if filter.Any(d.Ports, func(port string) bool { return s.ports[port] }) {
			return 0
		}
	}
	return min(n, terms.allow(s))
}

func (p *placing) place(d *Demand, s *spot, n int64, terms *terms) {
	s.free.take(d.Asks, n)
	p.settle(s, resident{s, d.Namespace, d.Labels, d.Apart, n}, d.Ports)
	terms.placed(s, n)
}

// terms are the conditions of a demand on other instances, with the numbers of those.
type terms struct {
	demand *Demand
	// apart, beside and spread are how many instances there are by the values of the terms'
	// labels, a map a term.
	apart, beside, spread []map[string]int64
	// self is whether an instance is one that beside asks for, a term each.
	self []bool
	// barred maps labels to the values at which other instances keep these away.
	barred map[string]map[string]bool
}

// termsOf counts the instances that match a demand's terms.
func (p *placing) termsOf(d *Demand) *terms {
	t := &terms{demand: d, barred: map[string]map[string]bool{}}
	for _, r := range p.shy {
		for _, term := range r.apart {
			if value, ok := r.node.Labels[term.Over]; ok && term.matches(d.Namespace, d.Labels) {
				if t.barred[term.Over] == nil {
					t.barred[term.Over] = map[string]bool{}
				}
				t.barred[term.Over][value] = true
			}
		}
	}
	for _, term := range d.Apart {
		t.apart = append(t.apart, p.count(term, nil))
	}
	for _, term := range d.Beside {
		t.beside = append(t.beside, p.count(term, nil))
		t.self = append(t.self, term.matches(d.Namespace, d.Labels))
	}
	for _, skew := range d.Spread {
		t.spread = append(t.spread, p.count(skew.Term, d))
	}
	return t
}

// count is how many instances match a term, by the values of its label. With of, there is a
// number for each value of a node that may have such an instance, 0 too.
func (p *placing) count(term Term, of *Demand) map[string]int64 {
	counts := map[string]int64{}
	for _, s := range p.nodes {
		value, ok := s.Labels[term.Over]
		if !ok {
			continue
		}
		if of != nil && of.refused(s.Node) == "" {
			counts[value] += 0
		}
		for _, r := range s.homes {
			if term.matches(r.namespace, r.labels) {
				counts[value] += r.n
			}
		}
	}
	return counts
}

// allow returns how many instances the terms allow on a node.
func (t *terms) allow(s *spot) int64 {
	n := int64(math.MaxInt64)
	for label, values := range t.barred {
		if value, ok := s.Labels[label]; ok && values[value] {
			return 0
		}
	}
	for i, term := range t.demand.Apart {
		value, ok := s.Labels[term.Over]
		if ok && t.apart[i][value] > 0 {
			return 0
		}
		if ok && term.matches(t.demand.Namespace, t.demand.Labels) {
			n = 1
		}
	}
	for i, term := range t.demand.Beside {
		value, ok := s.Labels[term.Over]
		first := t.self[i] && len(t.beside[i]) == 0 // the first of those that stay together
		if !ok || t.beside[i][value] == 0 && !first {
			return 0
		}
		if first {
			n = 1
		}
	}
	for i, skew := range t.demand.Spread {
		value, ok := s.Labels[skew.Over]
		if !ok || t.spread[i][value]+1-least(t.spread[i]) > skew.Most {
			return 0
		}
		n = 1
	}
	return n
}

func least(counts map[string]int64) int64 {
	n := int64(math.MaxInt64)
	for _, count := range counts {
		n = min(n, count)
	}
	return n
}

// placed updates the counts after instances were placed on a node.
func (t *terms) placed(s *spot, n int64) {
	add := func(term Term, counts map[string]int64) {
		if value, ok := s.Labels[term.Over]; ok && term.matches(t.demand.Namespace, t.demand.Labels) {
			counts[value] += n
		}
	}
	for i, term := range t.demand.Apart {
		add(term, t.apart[i])
	}
	for i, term := range t.demand.Beside {
		add(term, t.beside[i])
	}
	for i, skew := range t.demand.Spread {
		add(skew.Term, t.spread[i])
	}
}
