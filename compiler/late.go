package compiler

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/spread"
	"kumiki.dev/value"
)

// A late value is one that is not known when the deployment is compiled. The spread is made
// with an example of it, and once more with another one: where the two differ, and only
// there, is the value. That no artifact does anything else with it is read in the sources
// before; see [spread.FollowLate].
type late struct {
	solution.Late
	flow  spread.Late
	round int // in which the other example is taken, from 1
}

// lateOf is the value of an object or of a channel of another solution; problem says what is
// wrong with the reference.
func lateOf(ref reference, s *solution.Solution, kind solution.FieldKind) (l *late, problem string) {
	l = &late{}
	l.Late = solution.Late{At: ref.taken().At, Deployment: ref.deployment, Field: ref.field}
	from := fmt.Sprintf("%s of %s", ref.field, ref.deployment)
	if kind == solution.ChannelField {
		l.Channel, problem = lateChannel(ref, s)
		from = "the target"
	} else if kind, name, _, ok := solution.SplitObject(ref.field); ok && strings.EqualFold(kind, "secret") {
		problem = fmt.Sprintf("and what is in Secret/%s stays in the cluster: give the secret as a resource, config: resource: NAME: secret: %q", name, name)
	} else if !ok {
		problem = fmt.Sprintf("and %q is no field of an object: write KIND/NAME.PATH, such as Service/%s.status.loadBalancer.ingress[0].ip", ref.field, ref.deployment)
	}
	l.flow = spread.Late{Path: ref.at, From: from, Pos: ref.pos}
	if problem == "" && l.Channel != nil {
		l.flow.Must = addresses(l.Channel, ref.pos)
	}
	return l, problem
}

// addresses are what a channel's address may be on the targets.
func addresses(c *solution.LateChannel, pos diag.Pos) []*value.Data {
	s := c.Servers[0]
	hosts := []string{strings.Join([]string{s.Deployment, s.Role, s.Channel}, "-"), strings.Join([]string{s.Deployment, s.Role, s.Channel}, "-") + ".namespace", c.Solution + "_" + s.Deployment + "-" + s.Role}
	ports := []int{80, s.Port, s.Port + 1}
	if s.Port == 80 {
		ports[1] = 8080
	}
	var out []*value.Data
	for i := range hosts {
		switch c.Part {
		case "host":
			out = append(out, value.NewString(pos, hosts[i]))
		case "port":
			out = append(out, value.NewInt(pos, int64(ports[i])))
		default:
			out = append(out, value.NewString(pos, fmt.Sprintf("%s:%d", hosts[i], ports[i])))
		}
	}
	return out
}

func lateChannel(ref reference, s *solution.Solution) (*solution.LateChannel, string) {
	channel, part, ok := solution.SplitChannel(ref.field)
	if !ok {
		return nil, fmt.Sprintf("and %q is no address of a channel: write channel.NAME.host, channel.NAME.port or channel.NAME.address", ref.field)
	}
	if ref.deployment != s.Top {
		return nil, fmt.Sprintf("which is a part of %s: only channels of %s itself are there for others", s.Top, s.Top)
	}
	var names []string
	for name, c := range s.Deployments[s.Top].Artifact.Description.Srv.Server {
		if !c.Inherited {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if !filter.Contains(names, channel) {
		if near, ok := diag.Nearest(channel, names); ok {
			return nil, fmt.Sprintf("which has no server channel %s; did you mean %s?", channel, near)
		}
		return nil, strings.TrimSuffix(fmt.Sprintf("which has no server channel %s; there is %s", channel, strings.Join(names, ", ")), "; there is ")
	}
	out := &solution.LateChannel{Name: channel, Part: part, Solution: s.Top}
	for _, t := range s.Arrivals(solution.End{Deployment: ref.deployment, Channel: channel}) {
		desc := &s.Deployments[t.Deployment].Artifact.Description.Role[t.Role].Artifact.Description
		server := solution.LateServer{Channel: t.Channel, Deployment: t.Deployment, Port: t.Server.Port, Protocol: t.Server.Protocol, Role: t.Role}
		if listener, _ := desc.Listener(t.Server.Port); listener != desc.Principal() {
			server.Container = listener
		}
		out.Servers = append(out.Servers, server)
	}
	if len(out.Servers) == 0 {
		return nil, fmt.Sprintf("whose channel %s leads to no role", channel)
	}
	return out, ""
}

// examples puts examples in the place of values that are not known.
func (c *compilation) examples(base *spread.Top) diag.List {
	if len(c.late) == 0 {
		return nil
	}
	c.in.keeper = nil // examples are no values to keep
	all := make([]*spread.Late, len(c.late))
	for i, l := range c.late {
		all[i] = &l.flow
	}
	if problems := spread.FollowLate(c.eval, base, all); len(problems) > 0 {
		return problems
	}
	c.rounds()
	given := base.Config
	for _, l := range c.late {
		x := l.flow.Examples[0]
		if l.round == c.in.example {
			x = l.flow.Examples[1]
		}
		origin := value.Origin{By: value.FromDeployment, Who: l.Field + " of " + l.Deployment}
		x = x.MovedTo(l.flow.Pos).WithOrigin(func(*value.Data) value.Origin { return origin })
		given = replaced(given, l.flow.Path, x)
		base.Config = replaced(base.Config, l.flow.Path, l.marked(x))
		l.Type = l.flow.Type
	}
	c.given = given
	return nil
}

// top is the deployment as it is spread: with examples.
func (c *compilation) top() *spread.Top {
	top := *c.result.Base
	if len(c.late) > 0 {
		top.Config = c.given
	}
	return &top
}

// rounds parts values into those that can have their other examples at a time: what differs
// then tells which one it is of.
func (c *compilation) rounds() {
	used := map[string]int{}
	for _, l := range c.late {
		key := l.flow.Examples[0].JSON() + " " + l.flow.Examples[1].JSON()
		used[key]++
		l.round = used[key]
	}
}

// marked is a tree with the marks of late values in their places, which it finds by spreading
// again with other examples.
func (c *compilation) marked(tree *value.Tree) (*value.Tree, diag.List) {
	if len(c.late) == 0 || tree == nil || c.in.example > 0 {
		return tree, nil
	}
	last := 0
	for _, l := range c.late {
		last = max(last, l.round)
	}
	for len(c.others) < last {
		in := c.in
		in.example = len(c.others) + 1
		r, problems := c.run(c.ctx, in, SpreadStage)
		if problems.HasErrors() || r.Tree == nil {
			if c.broken {
				return tree, nil
			}
			return tree, problems
		}
		c.others = append(c.others, r.Tree)
	}
	m := &marker{late: c.late, nodes: map[string]*value.Node{}}
	return m.tree(tree, c.others), m.problems
}

// marked is a leaf with the mark of a late value.
func (l *late) marked(d *value.Data) *value.Data {
	return &value.Data{Kind: value.String, Text: l.Mark(), Pos: d.Pos, Origin: d.Origin}
}

// marker puts marks into a tree.
type marker struct {
	late     []*late
	nodes    map[string]*value.Node // by the addresses of those that are compared
	problems diag.List
}

func (m *marker) tree(tree *value.Tree, others []*value.Tree) *value.Tree {
	out := *tree
	roots, configs := make([]*value.Node, len(others)), make([]*value.Data, len(others))
	for i, o := range others {
		roots[i], configs[i] = o.Root, o.Config
	}
	out.Root = m.node(tree.Root, roots)
	out.Config = m.data(tree.Config, configs, []string{"config"})
	return &out
}

func (m *marker) node(n *value.Node, others []*value.Node) *value.Node {
	if n == nil || filter.Contains(others, nil) {
		return n
	}
	key := fmt.Sprintf("%p %p", n, others)
	for _, o := range others {
		key += fmt.Sprintf(" %p", o)
	}
	if known := m.nodes[key]; known != nil {
		return known
	}
	out := *n
	out.Config = m.data(n.Config, of(others, func(n *value.Node) *value.Data { return n.Config }), []string{"config"})
	out.Description = m.data(n.Description, of(others, func(n *value.Node) *value.Data { return n.Description }), nil)
	out.Roles = slices.Clone(n.Roles)
	for i, r := range n.Roles {
		below := make([]*value.Node, len(others))
		metas := make([]*value.Data, len(others))
		for j, o := range others {
			if len(o.Roles) != len(n.Roles) || o.Roles[i].Name != r.Name {
				m.differs(r.Pos, []string{"role", r.Name})
				return n
			}
			below[j], metas[j] = o.Roles[i].Node, o.Roles[i].Meta
		}
		role := *r
		role.Meta = m.data(r.Meta, metas, []string{"role", r.Name, "meta"})
		role.Node = m.node(r.Node, below)
		out.Roles[i] = &role
	}
	m.nodes[key] = &out
	return &out
}

func of(nodes []*value.Node, part func(*value.Node) *value.Data) []*value.Data {
	out := make([]*value.Data, len(nodes))
	for i, n := range nodes {
		out[i] = part(n)
	}
	return out
}

// data is a value with the mark of a late one wherever the others have the other example of
// that.
func (m *marker) data(d *value.Data, others []*value.Data, path []string) *value.Data {
	if d == nil && !filter.Any(others, func(o *value.Data) bool { return o != nil }) {
		return nil
	}
	for _, o := range others {
		if d == nil || o == nil || o.Kind != d.Kind || len(o.Fields) != len(d.Fields) || len(o.Items) != len(d.Items) {
			m.differs(positionOf(d, o), path)
			return d
		}
	}
	out := *d
	out.Fields, out.Items = slices.Clone(d.Fields), slices.Clone(d.Items)
	for i, f := range d.Fields {
		below := make([]*value.Data, len(others))
		for j, o := range others {
			if below[j] = o.Fields[i].Value; o.Fields[i].Name != f.Name {
				m.differs(d.Pos, append(slices.Clip(path), f.Name))
				return d
			}
		}
		out.Fields[i].Value = m.data(f.Value, below, append(slices.Clip(path), f.Name))
	}
	for i, item := range d.Items {
		below := make([]*value.Data, len(others))
		for j, o := range others {
			below[j] = o.Items[i]
		}
		out.Items[i] = m.data(item, below, append(slices.Clip(path), value.Element(i)))
	}
	if d.Kind == value.Struct || d.Kind == value.List {
		return &out
	}
	return m.leaf(d, others, path)
}

func positionOf(d, o *value.Data) diag.Pos {
	if d == nil {
		return o.Pos
	}
	return d.Pos
}

// leaf is the mark of the late value that a leaf is an example of, or the leaf itself.
func (m *marker) leaf(d *value.Data, others []*value.Data, path []string) *value.Data {
	differ := func(o *value.Data) bool { return o.Text != d.Text }
	if !filter.Any(others, differ) {
		for _, l := range m.late {
			if d.Kind == value.String && strings.Contains(d.Text, l.Mark()) {
				m.problems = append(m.problems, diag.New(diag.LateUsed, d.Pos, "the text %q has in it what stands for %s, which is not known yet: write another one", d.Text, l.At).AtPath(path...))
			}
		}
		return d
	}
	for _, l := range m.late {
		x := l.flow.Examples
		ok := x[0].Kind == d.Kind && x[0].Text == d.Text
		for i, o := range others {
			ok = ok && o.Text == x[bit(l.round == i+1)].Text
		}
		if ok {
			return l.marked(d)
		}
	}
	m.differs(d.Pos, path)
	return d
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// differs reports what is made in another way with other examples.
func (m *marker) differs(pos diag.Pos, path []string) {
	var names []string
	for _, l := range m.late {
		names = append(names, l.At)
	}
	m.problems = append(m.problems, diag.New(diag.LateUsed, pos, "%s depends on %s of the deployment, which is not known yet and can only be passed on, as a whole", strings.Join(path, "."), strings.Join(names, " or ")).AtPath(path...))
}

// keepLate adds the late values to a solution that has their marks.
func (c *compilation) keepLate(s *solution.Solution) diag.List {
	if len(c.late) == 0 || c.in.example > 0 {
		return nil
	}
	for _, l := range c.late {
		s.Late = append(s.Late, l.Late)
	}
	within, err := s.FindLate()
	if err != nil {
		return diag.List{diag.New(diag.Internal, diag.NoPos, "%v", err)}
	}
	var problems diag.List
	for place, l := range within {
		i := slices.IndexFunc(c.late, func(x *late) bool { return x.At == l.At })
		problems = append(problems, diag.New(diag.LateUsed, c.late[i].flow.Pos, "%s is not known before %s is, and is a part of the text at %s: pass it on as a whole", l.At, c.late[i].flow.From, place).AtPath(strings.Split(l.At, ".")...))
	}
	return problems.Sorted()
}
