package capacity_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/capacity"
)

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// draw makes a site and demands that a few nodes may have room for.
func draw(r *rand.Rand) (site capacity.Site, demands []capacity.Demand) {
	for i := range 1 + r.IntN(5) {
		name := fmt.Sprintf("n%d", i)
		n := capacity.Node{
			Name: name, Labels: map[string]string{"host": name, "disk": one(r, "ssd", "hdd")}, Own: []string{"host"},
			Room: capacity.Amounts{capacity.CPU: int64(500 + r.IntN(4000)), capacity.Memory: int64(100 + r.IntN(1000)), capacity.Instances: int64(2 + r.IntN(10))},
		}
		if r.IntN(5) == 0 {
			n.Taints = []capacity.Taint{{Key: "gpu", Effect: "NoSchedule"}}
		}
		site.Nodes = append(site.Nodes, n)
		for range r.IntN(3) {
			site.Running = append(site.Running, capacity.Running{
				Node: name, Namespace: "x", Labels: map[string]string{"role": one(r, "a", "b", "c")},
				Asks: capacity.Amounts{capacity.CPU: int64(r.IntN(300)), capacity.Instances: 1}, Ports: one(r, nil, nil, []string{"80/tcp"}),
				Apart: one(r, nil, nil, apartFrom("c")),
			})
		}
	}
	for i := range 1 + r.IntN(4) {
		role := string(rune('a' + i))
		d := capacity.Demand{
			Deployment: "d", Role: role, Namespace: "x", Labels: map[string]string{"role": role}, Count: int64(r.IntN(6)),
			Asks: capacity.Amounts{capacity.CPU: int64(r.IntN(900)), capacity.Memory: int64(r.IntN(200)), capacity.Instances: 1},
		}
		switch r.IntN(8) {
		case 0:
			d.EachNode = true
		case 1:
			d.Apart = apartFrom(role)
		case 2:
			d.Apart = apartFrom("b")
		case 3:
			d.PerNode = int64(1 + r.IntN(2))
		case 4:
			d.Ports = []string{"80/tcp"}
		case 5:
			d.Where = [][]capacity.Requirement{{{Label: "disk", Is: capacity.In, Values: []string{"ssd"}}}}
		case 6:
			d.Tolerates = []capacity.Toleration{{Key: "gpu", Any: true}}
		}
		demands = append(demands, d)
	}
	return site, demands
}

func apartFrom(role string) []capacity.Term {
	return []capacity.Term{{Over: "host", Namespaces: []string{"x"}, Match: []capacity.Requirement{{Label: "role", Is: capacity.In, Values: []string{role}}}}}
}

// cluster places one instance after the other, as an orchestrator without any plan would.
type cluster struct {
	site    capacity.Site
	running []capacity.Running
	of      []int // the demand of each that runs, -1 for none
}

// takes reports whether a node takes an instance of demand i now.
func (c *cluster) takes(n *capacity.Node, d *capacity.Demand, i int) bool {
	used, ports, same := capacity.Amounts{}, []string{}, int64(0)
	for j, r := range c.running {
		if r.Node != n.Name {
			continue
		}
		for name, ask := range r.Asks {
			used[name] += ask
		}
		ports = append(ports, r.Ports...)
		if c.of[j] == i {
			same++
		}
		if meets(d.Apart, r.Labels) || meets(r.Apart, d.Labels) {
			return false
		}
	}
	for name, ask := range d.Asks {
		if ask > 0 && used[name]+ask > n.Room[name] {
			return false
		}
	}
	tainted := len(n.Taints) > 0 && len(d.Tolerates) == 0
	elsewhere := d.Where != nil && n.Labels["disk"] != "ssd"
	taken := slices.ContainsFunc(d.Ports, func(p string) bool { return slices.Contains(ports, p) })
	return !tainted && !elsewhere && !taken && (d.PerNode == 0 || same < d.PerNode)
}

func meets(terms []capacity.Term, labels map[string]string) bool {
	return slices.ContainsFunc(terms, func(t capacity.Term) bool { return t.Match[0].Values[0] == labels["role"] })
}

func (c *cluster) add(n *capacity.Node, d *capacity.Demand, i int) {
	c.running = append(c.running, capacity.Running{Node: n.Name, Labels: d.Labels, Asks: d.Asks, Ports: d.Ports, Apart: d.Apart})
	c.of = append(c.of, i)
}

// place puts instances on nodes in an order that is drawn, and returns how many of each
// demand found none.
func place(r *rand.Rand, site capacity.Site, demands []capacity.Demand) []int64 {
	c := &cluster{site: site, running: slices.Clone(site.Running), of: slices.Repeat([]int{-1}, len(site.Running))}
	type turn struct{ demand, node int }
	var turns []turn
	for i, d := range demands {
		for range d.Count {
			if !d.EachNode {
				turns = append(turns, turn{i, -1})
			}
		}
		for j := range site.Nodes {
			if d.EachNode && len(site.Nodes[j].Taints) == 0 {
				turns = append(turns, turn{i, j})
			}
		}
	}
	r.Shuffle(len(turns), func(i, j int) { turns[i], turns[j] = turns[j], turns[i] })
	packs := r.IntN(2) == 0
	left := make([]int64, len(demands))
	for _, t := range turns {
		d, nodes := &demands[t.demand], []int{t.node}
		if t.node < 0 {
			nodes = r.Perm(len(site.Nodes))
			if packs {
				slices.Sort(nodes)
			}
		}
		at := slices.IndexFunc(nodes, func(j int) bool { return c.takes(&site.Nodes[j], d, t.demand) })
		if at < 0 {
			left[t.demand]++
			continue
		}
		c.add(&site.Nodes[nodes[at]], d, t.demand)
	}
	return left
}

// TestAnyOrder: in whatever order instances come, and whichever node they choose, all of a
// role that fits have room, and as many have none as surely have none. What would do, does.
func TestAnyOrder(t *testing.T) {
	t.Parallel()
	verdicts, widened := map[capacity.Verdict]int{}, 0
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		site, demands := draw(r)
		report := capacity.Weigh(site, demands)
		verdicts[report.Verdict]++
		for range 20 {
			var missing int64
			for i, n := range place(r, site, demands) {
				role := report.Roles[i]
				missing += n
				if role.Verdict == capacity.Fits {
					require.Zero(t, n, "seed %d: %+v", seed, role)
				}
				require.GreaterOrEqual(t, n, role.Surely, "seed %d: %+v", seed, role)
			}
			require.GreaterOrEqual(t, missing, report.Surely, "seed %d: %+v", seed, report)
		}
		for _, w := range report.Would {
			if w.Sure == 0 {
				continue
			}
			widened++
			wide := site
			wide.Nodes = slices.Clone(site.Nodes)
			for i := range w.Sure {
				wide.Nodes = append(wide.Nodes, like(site, w.Like, i))
			}
			for range 10 {
				for i, n := range place(r, wide, demands) {
					require.Zero(t, n, "seed %d: %+v more like %+v for %+v", seed, w, report, demands[i])
				}
			}
		}
	}
	t.Log(verdicts, widened)
	for _, v := range []capacity.Verdict{capacity.Fits, capacity.MayFit, capacity.Lacks} {
		require.Greater(t, verdicts[v], 80, "%v", verdicts)
	}
	require.Greater(t, widened, 200)
}

func like(site capacity.Site, name string, i int64) capacity.Node {
	n := site.Nodes[slices.IndexFunc(site.Nodes, func(n capacity.Node) bool { return n.Name == name })]
	n.Name = fmt.Sprintf("%s more %d", name, i)
	n.Labels = maps.Clone(n.Labels)
	n.Labels["host"] = n.Name
	return n
}

// TestPlaced: what is said to have room has it, on the nodes that are named.
func TestPlaced(t *testing.T) {
	t.Parallel()
	for seed := range uint64(500) {
		site, demands := draw(rand.New(rand.NewPCG(seed, 2)))
		report := capacity.Weigh(site, demands)
		c := &cluster{site: site, running: slices.Clone(site.Running), of: slices.Repeat([]int{-1}, len(site.Running))}
		for i, role := range report.Roles {
			placed := int64(0)
			for _, name := range slices.Sorted(maps.Keys(role.Nodes)) {
				n := &site.Nodes[slices.IndexFunc(site.Nodes, func(n capacity.Node) bool { return n.Name == name })]
				for range role.Nodes[name] {
					require.True(t, c.takes(n, &demands[i], i), "seed %d: %+v on %s", seed, role, name)
					c.add(n, &demands[i], i)
					placed++
				}
			}
			require.Equal(t, role.Placed, placed)
			require.Equal(t, role.Verdict == capacity.Lacks, placed < role.Instances)
			require.Equal(t, placed < role.Instances, len(role.Why) > 0)
		}
	}
}
