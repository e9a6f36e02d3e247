package capacity

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// Verdict is the answer of a [Report].
type Verdict string

const (
	// Fits is room in whatever order instances are placed.
	Fits Verdict = "fits"
	// MayFit is room for all if they are placed well.
	MayFit Verdict = "may fit"
	// Lacks is no room for all.
	Lacks Verdict = "does not fit"
)

// Report says what room there is.
type Report struct {
	Verdict Verdict `json:"verdict"`
	// Missing is how many instances have no room, and Surely how many have none in whatever
	// order they are placed.
	Missing int64   `json:"missing"`
	Surely  int64   `json:"surelyMissing"`
	Roles   []Role  `json:"roles"`
	Would   []Would `json:"would,omitempty"`
	// Notes are further remarks for people.
	Notes []string `json:"notes,omitempty"`
}

// Role is the room for the instances of a role.
type Role struct {
	Solution   string `json:"solution"`
	Deployment string `json:"deployment,omitempty"`
	Role       string `json:"role,omitempty"`
	Object     string `json:"object"`
	// Instances is how many there are, Placed how many have room.
	Instances int64   `json:"instances"`
	EachNode  bool    `json:"eachNode,omitempty"`
	Asks      Amounts `json:"asks"`
	Placed    int64   `json:"placed"`
	Surely    int64   `json:"surelyMissing,omitempty"`
	Verdict   Verdict `json:"verdict"`
	// Nodes are where they have room, with their number.
	Nodes map[string]int64 `json:"nodes"`
	// Why says, by kinds of nodes, why others have none.
	Why []Why `json:"why,omitempty"`
	// Crowded is set if a rollout has no room to start new instances beside the old ones.
	Crowded bool `json:"crowded,omitempty"`
}

// Why is why nodes of a kind take no more instances.
type Why struct {
	Kind   string   `json:"kind"`
	Nodes  []string `json:"nodes"`
	Reason string   `json:"reason"`
}

// Weigh finds room for all demands together.
func Weigh(site Site, demands []Demand) *Report {
	site.Nodes = slices.Clone(site.Nodes)
	sorting.By(site.Nodes, func(a, b Node) int { return strings.Compare(a.Name, b.Name) })
	all := make([]*Demand, len(demands))
	for i := range demands {
		all[i] = &demands[i]
	}
	sure := newCertainty(newPlacing(site), all)
	placed := newPlacing(site)
	got, left := map[*Demand]map[*spot]int64{}, map[*Demand]int64{}
	for _, d := range placed.order(all) {
		got[d], left[d] = placed.put(d, d.Count)
	}
	report := &Report{Verdict: Fits, Roles: []Role{}}
	surely, together := sure.missing()
	report.Surely = together
	for _, d := range all {
		r := d.report(got[d], left[d], surely[d])
		if left[d] == 0 && sure.fits(d) {
			r.Verdict = Fits
		}
		if left[d] > 0 {
			r.Why = placed.why(d, got[d], all)
		}
		if left[d] == 0 && d.Surge && d.Replaces > 0 {
			terms := placed.termsOf(d)
			r.Crowded = !filter.Any(placed.open(d), func(s *spot) bool { return placed.fit(d, s, got[d][s], terms) > 0 })
		}
		report.Missing = plus(report.Missing, left[d])
		report.Verdict = worse(report.Verdict, r.Verdict)
		report.Roles = append(report.Roles, r)
	}
	if report.Missing > 0 {
		report.Would = sure.would(placed, left, site)
	}
	report.note(site, all)
	return report
}

func worse(a, b Verdict) Verdict {
	order := []Verdict{Fits, MayFit, Lacks}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// report returns the row of a demand, of which some instances have been placed.
func (d *Demand) report(got map[*spot]int64, left, surely int64) Role {
	r := Role{
		Solution: d.Solution, Deployment: d.Deployment, Role: d.Role, Object: d.Object, EachNode: d.EachNode,
		Asks: d.Asks, Surely: surely, Verdict: MayFit, Nodes: map[string]int64{},
	}
	for s, n := range got {
		r.Nodes[s.Name] = n
		r.Placed += n
	}
	r.Instances = r.Placed + left
	if left > 0 {
		r.Verdict = Lacks
	}
	return r
}

// note says what else is to be known.
func (r *Report) note(site Site, demands []*Demand) {
	var replaced int64
	for _, d := range demands {
		replaced += d.Replaces
	}
	note := func(n int64, one, more string) {
		switch {
		case n == 1:
			r.Notes = append(r.Notes, "1 instance "+one)
		case n > 1:
			r.Notes = append(r.Notes, fmt.Sprintf("%d instances %s", n, more))
		}
	}
	note(replaced, "of the same roles runs, and counts as replaced", "of the same roles run, and count as replaced")
	note(int64(site.Waiting), "of others waits for a node already, and is not counted", "of others wait for a node already, and are not counted")
	if len(site.Running) == 0 && replaced == 0 && site.Waiting == 0 {
		r.Notes = append(r.Notes, "nothing that runs is given: nodes count as empty")
	}
}

// why says why nodes take no more instances of a demand: kind by kind where they are full,
// and for all kinds together where they take none at all.
func (p *placing) why(d *Demand, got map[*spot]int64, demands []*Demand) []Why {
	var keys []string
	closed := map[string]*kind{}
	terms := p.termsOf(d)
	for i, k := range kindsOf(p, demands) {
		for _, s := range k.nodes {
			if d.EachNode && got[s] > 0 {
				continue
			}
			key := p.closedFor(d, s, got[s], terms)
			if strings.HasPrefix(key, shortOf) {
				key += shortOf + strconv.Itoa(i)
			}
			if closed[key] == nil {
				closed[key] = &kind{}
				keys = append(keys, key)
			}
			closed[key].nodes = append(closed[key].nodes, s)
		}
	}
	var out []Why
	for _, key := range keys {
		w := Why{Kind: closed[key].String(), Reason: key}
		for _, s := range closed[key].nodes {
			w.Nodes = append(w.Nodes, s.Name)
		}
		if parts := strings.Split(key, shortOf); len(parts) == 3 {
			w.Reason = lackWords(parts[1], d, closed[key].nodes)
		}
		out = append(out, w)
	}
	return out
}

// shortOf is the prefix of reasons that name a resource a node is short of.
const shortOf = "\x00"

// closedFor returns why a node takes no more instances.
func (p *placing) closedFor(d *Demand, s *spot, has int64, terms *terms) string {
	if reason := d.refused(s.Node); reason != "" {
		return reason
	}
	if n, short := most(d.Asks, s.free); n <= 0 {
		return shortOf + short
	}
	for _, port := range d.Ports {
		if s.ports[port] {
			return "port " + port + " is taken"
		}
	}
	if d.PerNode > 0 && has >= d.PerNode {
		return fmt.Sprintf("there may be %d of them on a node, and there are", d.PerNode)
	}
	return terms.reason(s)
}

// reason is why a term keeps instances from a node.
func (t *terms) reason(s *spot) string {
	for i, term := range t.demand.Apart {
		if value, ok := s.Labels[term.Over]; ok && t.apart[i][value] > 0 {
			if term.matches(t.demand.Namespace, t.demand.Labels) && filter.Contains(s.Own, term.Over) {
				return "there may be one of them on a node, and there is"
			}
			return "it must not be where others are: " + term.Over
		}
	}
	for i, term := range t.demand.Beside {
		if t.beside[i][s.Labels[term.Over]] == 0 {
			return "none of those that it has to be beside is there"
		}
	}
	for _, skew := range t.demand.Spread {
		if _, ok := s.Labels[skew.Over]; !ok {
			return fmt.Sprintf("instances are spread over %s: there is no such label", skew.Over)
		}
	}
	if len(t.demand.Spread) > 0 {
		return fmt.Sprintf("instances are spread over %s, and there are enough here", t.demand.Spread[0].Over)
	}
	return "others that run there keep it away"
}

// lackWords describes how much of a resource nodes are short of.
func lackWords(resource string, d *Demand, nodes []*spot) string {
	free, room := int64(0), int64(0)
	for _, s := range nodes {
		free, room = max(free, s.free[resource]), max(room, s.Room[resource])
	}
	ask := d.Asks[resource]
	switch {
	case resource == Instances:
		return fmt.Sprintf("%d instances run there, which is all that there may be", room)
	case room == 0:
		return fmt.Sprintf("%s: %s is asked for, and there is none", resource, Text(resource, ask, true))
	case ask > room:
		return fmt.Sprintf("%s: %s is asked for, and there is %s in all", resource, Text(resource, ask, true), Text(resource, room, false))
	}
	bound := ""
	if len(nodes) > 1 {
		bound = "at most "
	}
	return fmt.Sprintf("%s: %s is asked for, and %s%s is free", resource, Text(resource, ask, true), bound, Text(resource, free, false))
}

// Text is an amount in words: rounded up or down where that is shorter.
func Text(resource string, n int64, up bool) string {
	switch resource {
	case CPU:
		return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%03d", n/1000, n%1000), "0"), ".")
	case Memory, Storage:
	default:
		return strconv.FormatInt(n, 10)
	}
	units := []struct {
		name string
		of   int64
	}{{"Gi", 1 << 30}, {"Mi", 1 << 20}, {"Ki", 1 << 10}}
	for _, u := range units {
		if n < u.of {
			continue
		}
		tenths, rest := n/u.of*10+n%u.of*10/u.of, n%u.of*10%u.of
		if up && rest > 0 {
			tenths++
		}
		return strings.TrimSuffix(fmt.Sprintf("%d.%d", tenths/10, tenths%10), ".0") + u.name
	}
	return strconv.FormatInt(n, 10)
}

// Words are all amounts of what is asked for: 0.5 cpu, 64Mi memory.
func (a Amounts) Words(up bool) string {
	var words []string
	for _, name := range resources(a) {
		if name != Instances {
			words = append(words, Text(name, a[name], up)+" "+name)
		}
	}
	return strings.Join(words, ", ")
}
