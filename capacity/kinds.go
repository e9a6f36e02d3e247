package capacity

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
)

// kind is a group of nodes with equal size, taints and relevant labels.
type kind struct {
	nodes []*spot
}

// String names a kind after its first node.
func (k *kind) String() string {
	if len(k.nodes) == 1 {
		return k.nodes[0].Name
	}
	return fmt.Sprintf("%d nodes like %s", len(k.nodes), k.nodes[0].Name)
}

// kindsOf groups nodes by their size, their taints and the labels that demands ask about.
func kindsOf(p *placing, demands []*Demand) []*kind {
	labels := map[string]bool{}
	for _, d := range demands {
		for _, rules := range d.Where {
			for _, r := range rules {
				labels[r.Label] = true
			}
		}
	}
	asked := make([]string, 0, len(labels))
	for label := range labels {
		asked = append(asked, label)
	}
	slices.Sort(asked)
	var out []*kind
	at := map[string]*kind{}
	for _, s := range p.nodes {
		key := s.alike(asked)
		if at[key] == nil {
			at[key] = &kind{}
			out = append(out, at[key])
		}
		at[key].nodes = append(at[key].nodes, s)
	}
	return out
}

// alike returns a key that is equal for nodes of the same kind.
func (s *spot) alike(labels []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q %q", s.Type, s.Out)
	if s.Type == "" {
		for _, name := range resources(s.Room) {
			// Nodes of a size differ by what their system takes.
			n := uint64(s.Room[name])
			fine := max(0, bits.Len64(n)-5)
			fmt.Fprintf(&b, " %q %d", name, n>>fine<<fine)
		}
	}
	for _, t := range s.Taints {
		fmt.Fprintf(&b, " %q", t)
	}
	for _, label := range labels {
		if value, ok := s.Labels[label]; ok && !filter.Contains(s.Own, label) {
			fmt.Fprintf(&b, " %q=%q", label, value)
		}
	}
	return b.String()
}

// Would says how many nodes of a kind would have to be added.
type Would struct {
	// Like is a node that more are needed of, and Room what one has for new instances.
	Like string  `json:"like"`
	Room Amounts `json:"room"`
	// Nodes is how many more find places for all that these nodes take.
	Nodes int64 `json:"nodes"`
	// Sure is how many do so in whatever order instances are placed; 0 for no such number.
	Sure int64 `json:"sure,omitempty"`
	// Without are the roles that nodes of this kind never take.
	Without []string `json:"without,omitempty"`
}

// maxMore bounds how many additional nodes are tried.
const maxMore = 1000

// would returns, for each kind of node, how many more of it make room for the instances that
// have none.
func (c *certainty) would(placed *placing, left map[*Demand]int64, site Site) []Would {
	var out []Would
	for _, k := range kindsOf(c.start, c.demands) {
		fresh := c.fresh(k, site)
		if fresh == nil {
			continue
		}
		useful, takes := c.useful(fresh), false
		w := Would{Like: k.nodes[0].Name, Room: useful.nodes[0].free}
		for _, d := range c.demands {
			switch {
			case left[d] == 0:
			case useful.takes(d):
				takes = true
			default:
				w.Without = append(w.Without, d.String())
			}
		}
		if !takes {
			continue
		}
		if w.Nodes = c.packed(placed, left, fresh); w.Nodes == 0 {
			continue
		}
		if w.Without == nil {
			w.Sure = c.surely(w.Nodes, fresh)
		}
		out = append(out, w)
	}
	return out
}

// takes reports whether the placing's single node takes an instance.
func (p *placing) takes(d *Demand) bool {
	s := p.nodes[0]
	n, _ := most(d.Asks, s.free)
	return n > 0 && !d.EachNode && d.refused(s.Node) == ""
}

// fresh is a node of a kind on which nothing runs but what runs on every such node; nil
// where new nodes would be no use.
func (c *certainty) fresh(k *kind, site Site) *Node {
	model := k.nodes[0]
	n := &Node{Type: model.Type, Labels: map[string]string{}, Taints: model.Taints, Own: model.Own, Room: Amounts{}}
	if model.Out != "" || filter.Any(model.Taints, func(t Taint) bool { return conditions[t.Key] != "" }) {
		return nil // others of the size tell
	}
	for label, value := range model.Labels {
		if !filter.Contains(model.Own, label) {
			n.Labels[label] = value
		}
	}
	for name, room := range model.Room {
		n.Room[name] = room
		for _, s := range k.nodes {
			n.Room[name] = min(n.Room[name], s.Room[name])
		}
	}
	for _, r := range site.Running {
		if r.EachNode && r.Node == model.Name {
			n.Room.take(r.Asks, 1)
		}
	}
	return n
}

// useful returns the room of a fresh node after the instances that run on every node.
func (c *certainty) useful(fresh *Node) *placing {
	p := &placing{}
	p.add(fresh)
	for _, d := range c.demands {
		if d.EachNode {
			p.put(d, 0)
		}
	}
	return p
}

// another returns the i-th additional node of the kind.
func (n *Node) another(i int64) *Node {
	more := *n
	more.Name = fmt.Sprintf("%d more", i)
	more.Labels = map[string]string{}
	for label, value := range n.Labels {
		more.Labels[label] = value
	}
	for _, label := range n.Own {
		more.Labels[label] = more.Name
	}
	return &more
}

// packed returns how many more nodes are enough if instances are placed well, counting only
// instances that this kind can take; 0 if maxMore are not enough.
func (c *certainty) packed(placed *placing, left map[*Demand]int64, fresh *Node) (more int64) {
	p, useful := placed.clone(), c.useful(fresh)
	for _, d := range p.order(c.demands) {
		rest := left[d]
		if !useful.takes(d) {
			continue
		}
		for rest > 0 {
			if more == maxMore {
				return 0
			}
			more++
			p.add(fresh.another(more)).free = maps.Clone(useful.nodes[0].free)
			before := rest
			if _, rest = p.put(d, rest); rest == before {
				return 0 // a fresh node is no use, as others have to be on it
			}
		}
	}
	return more
}

// surely returns the least number of more nodes that are enough in any order of placing; 0
// if maxMore are not.
func (c *certainty) surely(from int64, fresh *Node) int64 {
	enough := func(n int64) bool {
		p := c.start.clone()
		for i := range n {
			p.add(fresh.another(i + 1))
		}
		sure := newCertainty(p, c.demands)
		for _, d := range c.demands {
			if !sure.fits(d) {
				return false
			}
		}
		return true
	}
	low, high := from, from
	for !enough(high) {
		if high *= 2; high > maxMore {
			return 0
		}
		low = high / 2
	}
	for low < high {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}
