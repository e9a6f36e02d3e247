package solution

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/internal/filter"
)

// external checks the links to other solutions and who of others may link to this one.
func (v *verifier) external() {
	e, p := v.s.External, root.in("external")
	for key, value := range each(v, v.s.Labels) {
		v.needs(LabelProblem(key, value) == "", root.in("labels").in(key), "%s", later(func() string { return LabelProblem(key, value) }))
	}
	for key, value := range each(v, v.s.ObjectLabels) {
		v.needs(LabelProblem(key, value) == "", root.in("objectLabels").in(key), "%s", later(func() string { return LabelProblem(key, value) }))
	}
	if e == nil {
		return
	}
	v.needs(slices.IsSortedFunc(e.Links, func(a, b ExternalLink) int {
		if c := a.From.compare(b.From); c != 0 {
			return c
		}
		return a.To.compare(b.To)
	}), p.in("links"), "are not sorted by from and to")
	linked := map[[2]End]bool{}
	for i, l := range e.Links {
		q := p.in("links").in(itoa(i))
		v.needs(!linked[[2]End{l.From, l.To}], q, "is there twice: %v already leads to %v", l.From, l.To)
		linked[[2]End{l.From, l.To}] = true
		v.externalLink(q, l)
	}
	accepted := map[End]bool{}
	for i, a := range e.Accepts {
		q, end := p.in("accepts").in(itoa(i)), End{a.Channel, a.Deployment}
		v.needs(!accepted[end], q, "is there twice: %v", end)
		accepted[end] = true
		v.ownEnd(q, end, false)
		v.needs(len(a.Clients) > 0, q.in("clients"), "is empty: a channel that is open to nobody is left out")
		for j, c := range a.Clients {
			v.client(q.in("clients").in(itoa(j)), c)
		}
	}
}

// client checks who may link to a channel.
func (v *verifier) client(p *at, c Client) {
	v.needs((c.Deployment == "") != (len(c.Labels) == 0), p, "has to have either a deployment or labels")
	v.needs(c.Deployment == Anyone || v.s.Deployments[c.Deployment] == nil, p.in("deployment"), "is %s, which is of this solution: it is about those of others", quoted(c.Deployment))
	for key, value := range each(v, c.Labels) {
		v.needs(LabelProblem(key, value) == "", p.in("labels").in(key), "%s", later(func() string { return LabelProblem(key, value) }))
	}
}

func (v *verifier) externalLink(p *at, l ExternalLink) {
	from := v.ownEnd(p.in("from"), l.From, true)
	v.needs(l.Meta != nil, p.in("meta"), "is missing: write {} for none")
	v.needs(l.Solution != "" && l.Solution != v.s.Ref.Name, p.in("solution"), "is %q: it is the name of another solution", l.Solution)
	v.needs(l.To.Channel != "", p.in("to").in("channel"), "is empty")
	v.needs(l.To.Deployment != "" && v.s.Deployments[l.To.Deployment] == nil, p.in("to").in("deployment"), "is %s: it is a deployment of another solution", quoted(l.To.Deployment))
	accepted := l.Accepted
	v.needs((accepted.Deployment == "") != (len(accepted.Labels) == 0), p.in("accepted"), "has to have either a deployment or labels")
	v.needs(accepted.Deployment == "" || accepted.Deployment == Anyone || accepted.Deployment == l.From.Deployment, p.in("accepted").in("deployment"), "is %s: the link comes from %s", quoted(accepted.Deployment), quoted(l.From.Deployment))
	v.needs(accepted.Has(v.s.Labels), p.in("accepted").in("labels"), "are labels that the solution does not have")
	v.needs(l.Servers != nil, p.in("servers"), "is missing: write [] for none")
	seen := map[Place]bool{}
	for i, s := range l.Servers {
		q := p.in("servers").in(itoa(i))
		v.needs(!seen[s.place()], q, "is there twice")
		seen[s.place()] = true
		v.needs(s.Deployment != "" && v.s.Deployments[s.Deployment] == nil, q.in("deployment"), "is %s: it is a deployment of another solution", quoted(s.Deployment))
		v.needs(isRoleName(s.Role), q.in("role"), "is %s, which is no name of a role", quoted(s.Role))
		v.needs(s.Channel != "", q.in("channel"), "is empty")
		v.server(q, s)
		v.needs(from == nil || (from.Protocol == "udp") == (s.Protocol == "udp"), q.in("protocol"), "is %s, and channel %s of %s does not speak that: udp reaches only udp", s.Protocol, l.From.Channel, l.From.Deployment)
	}
}

// server checks what is known of a server of another solution.
func (v *verifier) server(p *at, s Server) {
	v.needs(filter.Contains(protocols, s.Protocol), p.in("protocol"), "is %q: it is one of %s", s.Protocol, later(func() string { return strings.Join(protocols, ", ") }))
	v.needs(s.Port >= 1 && s.Port <= 65535, p.in("port"), "is %d: it is 1 to 65535", s.Port)
	v.needs(s.Portnum >= 1, p.in("portnum"), "is %d: it is 1 or more", s.Portnum)
	v.version(p.in("artifact").in("version"), s.Artifact.Version)
}

// ownEnd checks that an end is a channel of a deployment of the solution, and returns it.
func (v *verifier) ownEnd(p *at, end End, client bool) *Channel {
	srv, ok := v.linkEnd(p.in("deployment"), end.Deployment)
	if !ok {
		return nil
	}
	v.channel(p.in("channel"), srv, end.Channel, client, end.Deployment)
	c := srv.end(end.Channel, client)
	v.needs(c == nil || !c.Inherited, p.in("channel"), "is %s, which is a channel of a role: name the role's own deployment", quoted(end.Channel))
	return c
}

// end is a channel that requests leave by, or arrive at; nil if there is none.
func (s Srv) end(channel string, client bool) *Channel {
	side := s.Server
	if client {
		side = s.Client
	}
	if c := side[channel]; c != nil {
		return c
	}
	return s.Duplex[channel]
}

// The lengths of labels' parts, as Kubernetes has them.
const (
	maxLabel  = 63
	maxPrefix = 253
)

// LabelProblem says what is wrong with a label, "" for nothing: keys and values are those
// of Kubernetes, the narrowest of all targets.
func LabelProblem(key, value string) string {
	prefix, name, ok := strings.Cut(key, "/")
	if !ok {
		prefix, name = "", key
	} else if !isSubdomain(prefix) {
		return fmt.Sprintf("%q is no key of a label: what is before the slash is a name such as example.com", key)
	}
	if name == "" || !isLabelText(name) {
		return fmt.Sprintf("%q is no key of a label: it has up to %d letters, digits, dots, underscores and hyphens, the first and the last a letter or digit", key, maxLabel)
	}
	if !isLabelText(value) {
		return fmt.Sprintf("%q is no value of a label: it has up to %d letters, digits, dots, underscores and hyphens, the first and the last a letter or digit", value, maxLabel)
	}
	return ""
}

func isLabelText(text string) bool {
	return len(text) <= maxLabel && strings.Trim(text, "._-") == text && !strings.ContainsFunc(text, func(r rune) bool {
		return !(r == '.' || r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	})
}

func isSubdomain(text string) bool {
	if text == "" || len(text) > maxPrefix {
		return false
	}
	for _, word := range strings.Split(text, ".") {
		if word == "" || strings.Trim(word, "-") != word || strings.ContainsFunc(word, func(r rune) bool {
			return !(r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z')
		}) {
			return false
		}
	}
	return true
}
