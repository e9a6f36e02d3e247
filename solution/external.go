package solution

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"kumiki.dev/internal/sorting"
)

// Anyone is the name of a [Client] that stands for every client.
const Anyone = "*"

// External is what a solution has to do with deployments of other solutions. Both lists
// are sorted.
type External struct {
	// Accepts says which clients of other solutions channels are open to. The others are
	// open to none.
	Accepts []Accept `json:"accepts,omitempty"`
	// Links lead to deployments of other solutions.
	Links []ExternalLink `json:"links,omitempty"`
}

// Accept opens a server channel of a deployment to clients of other solutions.
type Accept struct {
	Channel    string   `json:"channel"`
	Clients    []Client `json:"clients"`
	Deployment string   `json:"deployment"`
}

// Client is who may link to a channel: a deployment by its name ([Anyone] for all), or
// those of the solutions that have all of the labels.
type Client struct {
	Deployment string            `json:"deployment,omitempty"`
	Labels     map[string]string `json:"labels,omitempty"`
}

// String is the client as people write it: a deployment, or labels.
func (c Client) String() string {
	if c.Deployment != "" {
		return c.Deployment
	}
	var words []string
	for _, key := range sorting.Ordered(c.Labels) {
		words = append(words, key+"="+c.Labels[key])
	}
	return strings.Join(words, ",")
}

// ExternalLink joins a client channel of a deployment of the solution with a server
// channel of a deployment of another one.
type ExternalLink struct {
	// Accepted is the client by which the other solution lets the link in.
	Accepted Client `json:"accepted"`
	From     End    `json:"from"`
	// Meta is what the client can learn: the meta of the deployment that the link leads
	// to, and that of the link over it.
	Meta any `json:"meta"`
	// Servers are where requests arrive, as they were when the link was made, in the
	// order of the other solution's own groups.
	Servers []Server `json:"servers"`
	// Solution is the name of the other solution.
	Solution string `json:"solution"`
	To       End    `json:"to"`
}

// End is a channel of a deployment.
type End struct {
	Channel    string `json:"channel"`
	Deployment string `json:"deployment"`
}

func (e End) String() string { return "channel " + e.Channel + " of " + e.Deployment }

func (e End) compare(f End) int {
	return cmp.Or(strings.Compare(e.Deployment, f.Deployment), strings.Compare(e.Channel, f.Channel))
}

// Server is a server channel of a role of another solution.
type Server struct {
	Artifact   Ref    `json:"artifact"` // the component
	Channel    string `json:"channel"`
	Deployment string `json:"deployment"`
	Port       int    `json:"port"`
	Portnum    int    `json:"portnum"`
	Protocol   string `json:"protocol"`
	Role       string `json:"role"`
}

func (s Server) place() Place { return Place{s.Deployment, s.Role, s.Channel} }

// ExternalLinks are the links to other solutions.
func (s *Solution) ExternalLinks() []ExternalLink {
	if s.External == nil {
		return nil
	}
	return s.External.Links
}

// Accepted are the clients of other solutions that a channel is open to.
func (s *Solution) Accepted(channel End) []Client {
	if s.External == nil {
		return nil
	}
	for _, a := range s.External.Accepts {
		if a.Deployment == channel.Deployment && a.Channel == channel.Channel {
			return a.Clients
		}
	}
	return nil
}

// Admits returns the client of those that a channel is open to which a deployment with
// labels is; one that has its name before one that has its labels, and those before
// [Anyone]. It is false where there is none.
func (s *Solution) Admits(channel End, deployment string, labels map[string]string) (Client, bool) {
	clients := s.Accepted(channel)
	for _, such := range []func(Client) bool{
		func(c Client) bool { return c.Deployment == deployment },
		func(c Client) bool { return c.Deployment == "" && c.Has(labels) },
		func(c Client) bool { return c.Deployment == Anyone },
	} {
		if i := slices.IndexFunc(clients, such); i >= 0 {
			return clients[i], true
		}
	}
	return Client{}, false
}

// OpenToAll is the solution as it was understood before there was accepts: the server
// channels of the top are open to everybody. One that says whom it accepts is left alone.
func (s *Solution) OpenToAll() *Solution {
	top := s.Deployments[s.Top]
	if s.External != nil || top == nil || top.Artifact == nil {
		return s
	}
	var e External
	for name, c := range top.Artifact.Description.Srv.Server {
		if c != nil && !c.Inherited {
			e.Accepts = append(e.Accepts, Accept{Channel: name, Clients: []Client{{Deployment: Anyone}}, Deployment: s.Top})
		}
	}
	out := *s
	out.SetExternal(e)
	return &out
}

// Has reports whether labels are all that the client is known by.
func (c Client) Has(labels map[string]string) bool {
	for key, value := range c.Labels {
		if given, ok := labels[key]; !ok || given != value {
			return false
		}
	}
	return true
}

// Offer is what a link to a server channel of a deployment leads to: the roles behind it.
// What is passed on to a third solution is left out.
func (s *Solution) Offer(channel End) []Server {
	w := s.walker()
	out := []Server{}
	for _, t := range unique(w.enter(Place{Deployment: channel.Deployment, Channel: channel.Channel}, nil)) {
		if t.Solution != "" {
			continue
		}
		role := s.Deployments[t.Deployment].Artifact.Description.Role[t.Role]
		out = append(out, Server{
			Artifact: role.Artifact.Ref, Channel: t.Channel, Deployment: t.Deployment,
			Port: t.Server.Port, Portnum: t.Server.Portnum, Protocol: t.Server.Protocol, Role: t.Role,
		})
	}
	return out
}

// targets are the servers of a link as a client sees them.
func (l *ExternalLink) targets() []Target {
	out := make([]Target, len(l.Servers))
	for i, s := range l.Servers {
		out[i] = Target{
			Place:    s.place(),
			Solution: l.Solution,
			Link:     l,
			Server:   &Channel{Port: s.Port, Portnum: s.Portnum, Protocol: s.Protocol},
			Meta:     LinkMeta{Auto: AutoMeta{CompRef: s.Artifact, RoleName: s.Role}, User: l.Meta},
		}
	}
	return out
}

// seen is a target with what a connector says of the way there. Of a server of another
// solution the link says it, and the connector adds to that.
func (t Target) seen(meta LinkMeta) Target {
	if t.Link == nil {
		t.Meta = meta
		return t
	}
	user, _ := t.Link.Meta.(map[string]any)
	user = maps.Clone(user)
	if more, ok := meta.User.(map[string]any); ok && len(more) > 0 {
		if user == nil {
			user = map[string]any{}
		}
		maps.Copy(user, more)
	}
	t.Meta.User = user
	return t
}

// sort puts both lists in order.
func (e *External) sort() {
	sorting.By(e.Links, func(a, b ExternalLink) int {
		return cmp.Or(a.From.compare(b.From), a.To.compare(b.To))
	})
	sorting.By(e.Accepts, func(a, b Accept) int {
		return End{a.Channel, a.Deployment}.compare(End{b.Channel, b.Deployment})
	})
}

// SetExternal gives the solution what it has to do with others: nil where that is nothing.
func (s *Solution) SetExternal(e External) {
	s.External = nil
	if len(e.Links)+len(e.Accepts) > 0 {
		e.sort()
		s.External = &e
	}
}
