package kubernetes

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// lbPort is where clients of an lb connector find their servers, whatever port
// those listen at.
const lbPort = 80

// way is a client channel with all that it leads to.
type way struct {
	solution.Reach
	client place
	routes []*route // by group; nil for a group that nothing is connected to
}

// route is a set of servers that services stand for: one of a single role's
// channels, or several roles' where a connector has joined them in a group.
type route struct {
	name     string // of the service that spreads requests; that of the instances adds "set"
	path     []string
	in       string // ".NAMESPACE" where the services are in another one
	targets  []solution.Target
	selector map[string]string
	label    string             // on the pods of a group's servers; "" for a single one
	port     intstr.IntOrString // where the servers listen
	lb, set  bool               // which services are needed
	http     bool               // whether an inbound asks it by http
	foreign  bool               // whether the services are another solution's
}

func (r *route) at() place { return place{r.targets[0].Deployment, r.targets[0].Role} }

// server is the channel where a route's requests arrive. The servers of a group
// have one protocol, that of the first.
func (r *route) server() *solution.Channel { return r.targets[0].Server }

func (r *route) setName() string { return serviceName(append(slices.Clip(r.path), "set")...) + r.in }

// server is what a role's pods have to be like for those who reach them.
type server struct {
	// set reports whether clients see each instance, which needs a name then.
	set bool
	// labels make the pods servers of groups.
	labels map[string]string
	// ports are the names of ports that differ within a group, by number.
	ports map[int]string
}

// outsider stands for whoever will be linked to the solution later on. No
// deployment has this name.
const outsider = "\x00"

// plan finds out who reaches whom, and which services that takes, before any
// object is made.
func (b *builder) plan() {
	s, links := b.solution, b.solution.Links
	for _, end := range targets.Offered(s) {
		channel := end.Channel
		if end.Deployment != s.Top {
			channel = end.Deployment + "." + channel
		}
		b.offered[channel] = end
		links = append(slices.Clip(links), solution.Link{Source: outsider, SourceChannel: channel, Target: end.Deployment, TargetChannel: end.Channel})
	}
	with := *s
	with.Links, with.Deployments = links, maps.Clone(s.Deployments)
	with.Deployments[outsider] = &solution.Deployment{Artifact: &solution.Artifact{Description: solution.Description{Builtin: true}}}
	for _, reach := range with.Reaches() {
		b.way(&way{Reach: reach, client: place{reach.From.Deployment, reach.From.Role}})
	}
}

func (b *builder) way(w *way) {
	named := w.client.role != "" && b.usesNames(w.client)
	accepted := b.accepted(w)
	for _, g := range w.Groups {
		g = b.oneSolution(w, g)
		if len(g) == 0 {
			w.routes = append(w.routes, nil)
			continue
		}
		r := b.route(w, g)
		r.lb = r.lb || w.Kind == "lb" && !b.balanced(w) || named
		r.set = r.set || w.Kind == "full" || named || len(accepted) > 0
		if w.Kind == "full" && !r.foreign {
			for _, t := range g {
				b.server(place{t.Deployment, t.Role}).set = true
			}
		}
		r.http = r.http || b.asksHTTP(w)
		w.routes = append(w.routes, r)
		b.access(w, g, accepted)
	}
	switch {
	case w.client.role != "":
		b.clients[w.client] = append(b.clients[w.client], w)
	case w.client.deployment == outsider:
		b.outside = append(b.outside, w)
	default:
		b.inbound = append(b.inbound, w)
	}
}

// asksHTTP reports whether a way is that of an http or https inbound.
func (b *builder) asksHTTP(w *way) bool {
	d := b.solution.Deployments[w.client.deployment]
	if d == nil {
		return false // whoever will be linked to the solution
	}
	kind := d.Artifact.Description.Config.Parameter["type"]
	return d.Artifact.Ref.Name == targets.Inbound && (kind == "http" || kind == "https")
}

// balanced reports whether a load balancer leads to the servers themselves.
func (b *builder) balanced(w *way) bool {
	d := b.solution.Deployments[w.client.deployment]
	return d != nil && d.Artifact.Description.Builtin && d.Artifact.Description.Config.Parameter["type"] == "tcp" && b.options.Ingress != byGateway
}

func (b *builder) server(at place) *server {
	if b.servers[at] == nil {
		b.servers[at] = &server{labels: map[string]string{}, ports: map[int]string{}}
	}
	return b.servers[at]
}

// route is the one to a group of servers, which is shared by all clients of the
// same group.
func (b *builder) route(w *way, g solution.Group) *route {
	if g[0].Solution != "" {
		return b.routeOut(g)
	}
	if len(g) == 1 {
		return b.routeTo(g[0])
	}
	g = b.oneEach(w, g)
	key := groupKey(g)
	if b.routes[key] != nil {
		return b.routes[key]
	}
	hash := targets.Hash([]byte(key))
	r := b.routeTo(g[0])
	path := groupPath(g)
	r = &route{name: serviceName(path...), path: path, targets: g, label: "to.kumiki.dev/" + hash, port: r.port}
	r.selector = map[string]string{targets.SolutionLabel: r.solutionLabel(b), r.label: ""}
	for _, t := range g {
		b.server(place{t.Deployment, t.Role}).labels[r.label] = ""
	}
	b.samePort(w, r, "g-"+hash)
	b.routes[key] = r
	return r
}

func (r *route) solutionLabel(b *builder) string { return b.selector(r.at())[targets.SolutionLabel] }

func groupKey(g solution.Group) string {
	words := make([]string, len(g))
	for i, t := range g {
		words[i] = routeKey(t)
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

// groupPath is the path of the services of a group.
func groupPath(g solution.Group) []string {
	path := []string{g[0].Deployment, g[0].Role, g[0].Channel}
	if len(g) > 1 {
		path = append(path, "and", targets.Hash([]byte(groupKey(g))))
	}
	return path
}

// routeTo is the route to a single channel.
func (b *builder) routeTo(t solution.Target) *route {
	key := routeKey(t)
	if b.routes[key] == nil {
		path := []string{t.Deployment, t.Role, t.Channel}
		b.routes[key] = &route{
			name: serviceName(path...), path: path, targets: []solution.Target{t},
			selector: b.selector(place{t.Deployment, t.Role}), port: intstr.FromInt(t.Server.Port),
		}
	}
	return b.routes[key]
}

func routeKey(t solution.Target) string {
	return strconv.Quote(t.Deployment) + "/" + strconv.Quote(t.Role) + "/" + strconv.Quote(t.Channel)
}

// oneEach leaves one channel of each role: a service sends requests to pods,
// not to several ports of the same one.
func (b *builder) oneEach(w *way, g solution.Group) solution.Group {
	return eachOnce(g, func(t solution.Target, first string) {
		at := place{t.Deployment, t.Role}
		b.lost(diag.LostChannel, w.client, []string{"srv", "client", w.From.Channel}, "a Service does not lead to two ports of the same pods: requests by channel %s of %v go to channel %s of %v only, not to %s", w.From.Channel, w.client, first, at, t.Channel)
	})
}

// eachOnce leaves the first channel of each role, and tells of the others with it.
func eachOnce(g solution.Group, another func(t solution.Target, first string)) solution.Group {
	roles := map[place]string{}
	return filter.Out(g, func(t solution.Target) bool {
		at := place{t.Deployment, t.Role}
		first, known := roles[at]
		if !known {
			roles[at] = t.Channel
			return false
		}
		another(t, first)
		return true
	})

}

// samePort makes the servers of a group reachable at one port: by its name in
// each pod where the numbers differ.
func (b *builder) samePort(w *way, r *route, port string) {
	same := true
	for _, t := range r.targets {
		same = same && t.Server.Port == r.server().Port
	}
	if same {
		return
	}
	r.port = intstr.FromString(port)
	for _, t := range r.targets {
		ports := b.server(place{t.Deployment, t.Role}).ports
		if old, ok := ports[t.Server.Port]; ok {
			b.lost(diag.LostChannel, w.client, []string{"srv", "client", w.From.Channel}, "port %d of %v is in two groups of servers with different ports (%s and %s), and a port has one name: channel %s of %v does not lead there", t.Server.Port, place{t.Deployment, t.Role}, old, port, w.From.Channel, w.client)
			continue
		}
		ports[t.Server.Port] = port
	}
}
