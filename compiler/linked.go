package compiler

import (
	"maps"
	"os"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
)

// link gives a solution its links to others, its labels, and whom of others it accepts.
func (c *compilation) link(s *solution.Solution) diag.List {
	var external solution.External
	var problems, more diag.List
	s.Labels, problems = c.labels()
	s.ObjectLabels = maps.Clone(c.in.Labels)
	external.Accepts, more = c.accepts(s)
	problems = append(problems, more...)
	if !c.in.unlinked {
		external.Links, more = c.links(s)
		problems = append(problems, more...)
	}
	s.SetExternal(external)
	return problems
}

// links are those of the deployment to others, each of which is there, takes requests,
// and accepts the link.
func (c *compilation) links(s *solution.Solution) ([]solution.ExternalLink, diag.List) {
	all, problems := c.declared()
	if len(all) == 0 {
		return nil, problems
	}
	r := taking{c.in.With, c}
	if r.Others == nil {
		r.Others = NewOthers(nil)
	}
	problems = append(problems, r.scan()...)
	r.linking = s
	defer func() { r.linking = nil }()
	var out []solution.ExternalLink
	first := map[[2]solution.End]declared{}
	for _, l := range all {
		if !l.own(s) {
			problems = append(problems, r.foreign(s, l)...)
			continue
		}
		key := [2]solution.End{l.from, l.to}
		if old, twice := first[key]; twice {
			if old.meta.JSON() != l.meta.JSON() {
				problems = append(problems, l.problem(diag.BadLink, l.pos, "the link from %v to %v is there twice, with different facts in meta: leave one of them", l.from, l.to).With(old.pos, "the other one"))
			}
			continue
		}
		first[key] = l
		made, more := r.linked(s, l)
		problems = append(problems, more...)
		if made != nil {
			out = append(out, *made)
		}
	}
	return out, problems
}

// problem is one with the link.
func (l declared) problem(code diag.Code, pos diag.Pos, format string, args ...any) *diag.Diagnostic {
	if !pos.IsValid() {
		pos = l.pos
	}
	return diag.New(code, pos, format, args...).AtPath(l.path...)
}

// foreign is what is wrong with a link of somebody else's: beside a deployment there are
// only its own, and elsewhere those of deployments that are known.
func (r taking) foreign(s *solution.Solution, l declared) diag.List {
	if !l.aside {
		return diag.List{l.problem(diag.BadLink, l.at.client, "the link comes from deployment %s, and lies with %s: a link with a deployment is one of its own; write deployment: %q, or put it into a directory for --links", l.from.Deployment, s.Top, s.Top)}
	}
	known, problems := r.made(l.from.Deployment)
	if known || len(problems) > 0 || len(r.solved)+len(r.kept)+len(r.dirs) == 0 {
		return nil // who compiles that one is told what is wrong with it
	}
	d := l.problem(diag.UnknownClient, l.at.client, "the link comes from deployment %s, which is neither %s nor known otherwise%s", l.from.Deployment, s.Top, r.hint(l.from.Deployment))
	d.Severity = diag.Warning
	return diag.List{d}
}

// linked is a link with what it leads to; nil if that is told in the problems.
func (r taking) linked(s *solution.Solution, l declared) (*solution.ExternalLink, diag.List) {
	if s.Deployments[l.from.Deployment] == nil {
		return nil, diag.List{l.problem(diag.BadLink, l.at.client, "the link comes from deployment %s, which %s does not consist of; it has %s", l.from.Deployment, s.Top, strings.Join(sorting.Ordered(s.Deployments), ", "))}
	}
	if s.Deployments[l.to.Deployment] != nil || l.to.Deployment == s.Top {
		return nil, diag.List{l.problem(diag.BadLink, l.at.server, "the link leads to deployment %s of the same solution: links lead to others, a connector of the service joins what is inside", l.to.Deployment)}
	}
	var problems diag.List
	if d := badEnd(s, l.from, true, l.at.channel, "the link comes from"); d != nil {
		problems = append(problems, d.AtPath(l.path...))
	}
	other, more, ok := r.other(l.to.Deployment)
	if problems = append(problems, more...); !ok {
		return nil, problems
	}
	if other == nil {
		return nil, append(problems, l.problem(diag.NoReferent, l.at.server, "the link leads to deployment %s, which is not known%s", l.to.Deployment, r.hint(l.to.Deployment)))
	}
	if d := badEnd(other, l.to, false, l.at.offered, "the link leads to"); d != nil {
		problems = append(problems, d.AtPath(l.path...))
	}
	if problems.HasErrors() {
		return nil, problems
	}
	return r.joined(s, other, l)
}

// joined is a link between two channels that are there.
func (r taking) joined(s, other *solution.Solution, l declared) (*solution.ExternalLink, diag.List) {
	var problems diag.List
	meta, _ := other.Deployments[l.to.Deployment].Meta.(map[string]any)
	made := &solution.ExternalLink{From: l.from, To: l.to, Meta: merged(meta, l.meta.Any()), Servers: other.Offer(l.to), Solution: other.Ref.Name}
	if len(made.Servers) == 0 {
		problems = append(problems, diag.Warn(diag.Unconnected, l.at.offered, "the link leads to %v, which no connector leads on from: requests to it fail", l.to).AtPath(l.path...))
	}
	from := ownChannel(s, l.from)
	for _, server := range made.Servers {
		if (from.Protocol == "udp") != (server.Protocol == "udp") {
			return nil, append(problems, l.problem(diag.WrongProtocol, l.at.offered, "the link joins %v (%s) with %v (%s): udp reaches only udp", l.from, from.Protocol, l.to, server.Protocol))
		}
	}
	client, ok := other.Admits(l.to, l.from.Deployment, s.Labels)
	wanted := l.from.Deployment
	if s.Deployments[l.from.Deployment].Artifact.Description.Builtin {
		client, ok = other.Admits(l.to, solution.Anyone, nil) // whoever comes in by it has no name
		wanted = solution.Anyone
		ok = ok && client.Deployment == solution.Anyone
	}
	if made.Accepted = client; !ok {
		key := strings.TrimPrefix(strings.TrimPrefix(l.to.Deployment, other.Top), ".")
		if key != "" {
			key += "."
		}
		where := "the #Deployment of " + other.Top
		if t := r.in.template(other.Top); t != other.Top {
			where, wanted = "the #Template "+t, r.in.template(wanted)
		}
		problems = append(problems, l.problem(diag.NotAccepted, l.at.offered, "%s does not accept links from %s to its channel %s: write into %s accepts: %s: [{deployment: %q}]", l.to.Deployment, l.from.Deployment, l.to.Channel, where, label(key+l.to.Channel), wanted))
	}
	return made, problems
}

// label is a name as a field of CUE.
func label(name string) string { return cue.MakePath(cue.Str(name)).String() }

// merged is data with more over it.
func merged(meta map[string]any, over any) map[string]any {
	out := map[string]any{}
	maps.Copy(out, meta)
	more, _ := over.(map[string]any)
	maps.Copy(out, more)
	return out
}

// badEnd is what is wrong with an end of a link: its deployment has no such channel on
// that side. The text begins with what names it.
func badEnd(s *solution.Solution, end solution.End, client bool, pos diag.Pos, what string) *diag.Diagnostic {
	a := s.Deployments[end.Deployment].Artifact
	srv, side, other := a.Description.Srv, "server", "client"
	good, wrong := srv.Server, srv.Client
	if client {
		side, other, good, wrong = "client", "server", srv.Client, srv.Server
	}
	var names []string
	for _, m := range []map[string]*solution.Channel{good, srv.Duplex} {
		for _, name := range sorting.Ordered(m) {
			if !m[name].Inherited {
				names = append(names, name)
			}
		}
	}
	role, rest, _ := cutLast(end.Channel)
	switch below := end.Deployment + "." + role; {
	case filter.Contains(names, end.Channel) || a.Ref.Name == "" && len(names) == 0:
		return nil // of an artifact that is not known nothing is certain
	case s.Deployments[below] != nil && what != "accepts names":
		return diag.New(diag.UnknownChannel, pos, "%s %v, which is one of what role %s has become: write deployment: %q, channel: %q", what, end, role, below, rest)
	case wrong[end.Channel] != nil:
		return diag.New(diag.WrongSide, pos, "%s %v, which is a %s channel: write the name of a %s channel%s", what, end, other, side, listed(names))
	}
	if near, ok := diag.Nearest(end.Channel, names); ok {
		return diag.New(diag.UnknownChannel, pos, "%s channel %s, but %s has no %s channel of that name; did you mean %s?", what, end.Channel, end.Deployment, side, near)
	}
	return diag.New(diag.UnknownChannel, pos, "%s channel %s, but %s has no %s channel of that name%s", what, end.Channel, end.Deployment, side, listed(names))
}

// cutLast parts a name at its last dot.
func cutLast(name string) (before, after string, ok bool) {
	i := strings.LastIndex(name, ".")
	if i < 0 {
		return "", name, false
	}
	return name[:i], name[i+1:], true
}

func listed(names []string) string {
	if len(names) == 0 {
		return "; it has none"
	}
	return "; it has " + strings.Join(names, ", ")
}

// ownChannel is a client channel that is there.
func ownChannel(s *solution.Solution, end solution.End) *solution.Channel {
	srv := s.Deployments[end.Deployment].Artifact.Description.Srv
	if c := srv.Client[end.Channel]; c != nil {
		return c
	}
	return srv.Duplex[end.Channel]
}

// sameDirectory reports whether two names are those of one directory.
func sameDirectory(a, b string) bool {
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}
