package solution

import (
	"cmp"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
)

// Place is a channel of a role in a deployment. A builtin has no roles: its
// channels are those of the deployment, with Role "".
type Place struct {
	Deployment, Role, Channel string
}

func (p Place) compare(q Place) int {
	return cmp.Or(strings.Compare(p.Deployment, q.Deployment), strings.Compare(p.Role, q.Role), strings.Compare(p.Channel, q.Channel))
}

// Reach is all that one client channel (or duplex channel that starts a
// connector) leads to, through the connectors of services and the links between
// deployments, however many lie between.
type Reach struct {
	// From is the channel that requests leave by.
	From Place
	// Kind is that of the connector that starts there, "lb" or "full". The
	// connectors further on say nothing about how the client sees its servers.
	Kind string
	// Groups are what the client finds under 0.CHANNEL, 1.CHANNEL, and so on. A
	// group may be empty, where nothing has been connected further on.
	Groups []Group
}

// Group is one server group of a channel.
type Group []Target

// Target is a channel where requests arrive.
type Target struct {
	Place
	// Solution is the name of another solution, whose deployment it is, and Link the link
	// that leads there; empty for a place of this one.
	Solution string
	Link     *ExternalLink
	// Server is the channel's port and protocol.
	Server *Channel
	// Meta is what the client's own connector says of the way there.
	Meta LinkMeta
}

// Reaches follows every client channel of every role, and of every builtin, to
// where its requests arrive; sorted by From. Channels that no connector starts
// from are left out. It takes a solution that [Verify] accepts.
func (s *Solution) Reaches() []Reach {
	w := s.walker()
	var reaches []Reach
	for from := range w.starts {
		if from.Role != "" {
			reaches = append(reaches, w.reach(from))
		}
	}
	for from := range w.linked() {
		if s.Deployments[from.Deployment].Artifact.Description.Builtin {
			group := Group(w.follow(from, nil))
			reaches = append(reaches, Reach{From: from, Kind: "lb", Groups: []Group{unique(group)}})
		}
	}
	sorting.By(reaches, func(a, b Reach) int { return a.From.compare(b.From) })
	return reaches
}

// Arrivals are the channels of roles where requests from outside to a server channel of a
// deployment arrive, in the order in which [Solution.Reaches] has them.
func (s *Solution) Arrivals(channel End) Group {
	w := s.walker()
	return filter.Out(unique(slices.Clone(w.enter(Place{Deployment: channel.Deployment, Channel: channel.Channel}, nil))), func(t Target) bool { return t.Solution != "" })
}

// walker follows requests through a solution.
type walker struct {
	solution *Solution
	links    map[Place][]Place      // from a deployment's channel to others', Role ""
	external map[Place][]Target     // from there to those of other solutions
	starts   map[Place][]*Connector // Role "" where a request has entered the service
	memo     map[Place][]Target     // by the channel that a request enters a deployment by
}

func (s *Solution) walker() *walker {
	w := &walker{solution: s, links: map[Place][]Place{}, external: map[Place][]Target{}, starts: map[Place][]*Connector{}, memo: map[Place][]Target{}}
	w.index()
	return w
}

func (w *walker) index() {
	for _, l := range w.solution.ExternalLinks() {
		from := Place{Deployment: l.From.Deployment, Channel: l.From.Channel}
		w.external[from] = append(w.external[from], l.targets()...)
	}
	for _, l := range w.solution.Links {
		from := Place{Deployment: l.Source, Channel: l.SourceChannel}
		w.links[from] = append(w.links[from], Place{Deployment: l.Target, Channel: l.TargetChannel})
	}
	for name, d := range w.solution.Deployments {
		connectors := d.Artifact.Description.Connector
		for _, c := range sorting.Ordered(connectors) {
			for _, end := range connectors[c].Clients {
				from := Place{Deployment: name, Channel: end.Channel}
				if end.Role != self {
					from.Role = end.Role
				}
				w.starts[from] = append(w.starts[from], connectors[c])
			}
		}
	}
}

func (w *walker) reach(from Place) Reach {
	r := Reach{From: from, Kind: w.starts[from][0].Kind}
	for _, c := range w.starts[from] {
		for _, g := range c.Servers {
			r.Groups = append(r.Groups, w.group(from.Deployment, g, nil))
		}
	}
	return r
}

// group is where the requests to a server group arrive. The trail is the
// channels by which the request has entered deployments, outermost first.
func (w *walker) group(deployment string, g ServerGroup, trail []Place) Group {
	var out Group
	for i, end := range g.Links {
		targets := w.end(deployment, end, trail)
		for _, t := range targets {
			if i < len(g.Meta) {
				t = t.seen(g.Meta[i])
			}
			out = append(out, t)
		}
	}
	return unique(out)
}

func (w *walker) end(deployment string, end Endpoint, trail []Place) []Target {
	if end.Role != self {
		srv := w.solution.Deployments[deployment].Artifact.Description.Role[end.Role].Artifact.Description.Srv
		server := cmp.Or(srv.Server[end.Channel], srv.Duplex[end.Channel])
		return []Target{{Place: Place{deployment, end.Role, end.Channel}, Server: server}}
	}
	return w.follow(Place{Deployment: deployment, Channel: end.Channel}, trail)
}

// follow is where the links from a channel lead.
func (w *walker) follow(from Place, trail []Place) []Target {
	var out []Target
	for _, p := range w.links[from] {
		out = append(out, w.enter(p, trail)...)
	}
	return append(out, w.external[from]...)
}

// linked are the channels that links come from.
func (w *walker) linked() map[Place]bool {
	out := map[Place]bool{}
	for from := range w.links {
		out[from] = true
	}
	for from := range w.external {
		out[from] = true
	}
	return out
}

// enter follows a request into a deployment. Services may pass requests on to
// each other in a circle, on which nothing ever arrives.
func (w *walker) enter(p Place, trail []Place) []Target {
	if known, ok := w.memo[p]; ok {
		return known
	}
	if filter.Contains(trail, p) {
		return nil
	}
	trail = append(slices.Clip(trail), p)
	var out []Target
	for _, c := range w.starts[p] {
		for _, g := range c.Servers {
			out = append(out, w.group(p.Deployment, g, trail)...)
		}
	}
	if len(trail) == 1 {
		w.memo[p] = out // deeper down, a circle may have cut something off
	}
	return out
}

// unique drops targets that were reached before.
func unique(targets Group) Group {
	seen := make(map[Place]bool, len(targets))
	return filter.Out(targets, func(t Target) bool {
		known := seen[t.Place]
		seen[t.Place] = true
		return known
	})

}
