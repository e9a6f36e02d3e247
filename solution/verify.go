package solution

import (
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue/token"

	"kumiki.dev/internal/diag"
)

// Verify reports what breaks the rules that every later stage relies on: there
// is one top and everything descends from it, connectors and links end at
// channels of the right side, artifacts are flat, nothing is left out, and the
// layout and the digest fit the rest. It is for solutions that were read or
// changed; what [Extract] returns without an error keeps the rules.
func Verify(s *Solution) diag.List {
	if s == nil {
		return diag.List{diag.New(diag.Invariant, token.NoPos, "there is no solution")}
	}
	v := &verifier{s: s}
	v.rules()
	if s.Digest != "" && len(v.problems) == 0 {
		v.digest()
	}
	return v.problems
}

// verifier collects what Verify finds.
type verifier struct {
	s        *Solution
	problems diag.List
}

// at is a place in the JSON.
type at []string

func (p at) in(names ...string) at { return append(slices.Clip(p), names...) }

func (v *verifier) report(p at, format string, args ...any) {
	d := diag.New(diag.Invariant, token.NoPos, format, args...).AtPath(p...)
	if len(p) > 0 {
		d.Message = dotted(p) + ": " + d.Message
	}
	v.problems = append(v.problems, d)
}

// needs reports a problem unless the condition holds.
func (v *verifier) needs(ok bool, p at, format string, args ...any) bool {
	if !ok {
		v.report(p, format, args...)
	}
	return ok
}

func (v *verifier) rules() {
	s := v.s
	if !v.needs(s.Cspec == Cspec, at{"cspec"}, "is %q: only version %q of the format is known", s.Cspec, Cspec) {
		return // every other complaint would follow from it
	}
	v.needs(s.Ref.Kind == "solution", at{"ref", "kind"}, "is %q: it is \"solution\"", s.Ref.Kind)
	v.needs(s.Ref.Name == s.Top, at{"ref", "name"}, "is %q: it is the name of the top, %q", s.Ref.Name, s.Top)
	v.needs(s.Links != nil, at{"links"}, "is missing: write [] for none")
	v.needs(s.Deployments[s.Top] != nil, at{"top"}, "is %q, which is no deployment%s", s.Top, listing(keys(s.Deployments)))
	for _, name := range keys(s.Deployments) {
		v.deployment(at{"deployments", name}, name, s.Deployments[name])
	}
	v.up()
	v.links()
	if s.Layout != nil {
		v.layout()
	}
	if s.Inputs != nil {
		for i, m := range s.Inputs.Modules {
			v.needs(m.Module != "", at{"inputs", "modules"}, "entry %d has no module", i)
		}
	}
}

// up checks that up is a tree that hangs from the top.
func (v *verifier) up() {
	done := map[string]bool{}
	for _, name := range keys(v.s.Deployments) {
		var way []string
		for at := name; ; at = *v.s.Deployments[at].Up {
			if i := slices.Index(way, at); i >= 0 {
				circle := append(slices.Clone(way[i:]), at)
				v.report([]string{"deployments", name, "up"}, "goes in a circle: %s", strings.Join(circle, " → "))
				break
			}
			if done[at] {
				break
			}
			way = append(way, at)
			if !v.above(at) {
				break
			}
		}
		for _, at := range way {
			done[at] = true
		}
	}
}

// above tells whether up of the deployment leads to another of the solution,
// and reports it if it should and does not.
func (v *verifier) above(name string) bool {
	d, p := v.s.Deployments[name], at{"deployments", name, "up"}
	switch {
	case d == nil:
		return false // reported with the deployment
	case d.Up != nil && v.s.Deployments[*d.Up] != nil:
		return true
	case name == v.s.Top:
		return false // it may hang from a deployment of the cluster
	case d.Up == nil:
		v.report(p, "is null, which makes it a second top beside %s: name the deployment that it belongs to", v.s.Top)
	default:
		v.report(p, "is %s, which is no deployment of the solution%s", quoted(*d.Up), hint(*d.Up, keys(v.s.Deployments)))
	}
	return false
}

// links checks that every link joins a client with a server channel, and that
// every inherited channel has a link.
func (v *verifier) links() {
	seen := map[[4]string]bool{}
	linked := map[Link]bool{}
	for i, l := range v.s.Links {
		p := at{"links", itoa(i)}
		key := [4]string{l.Source, l.SourceChannel, l.Target, l.TargetChannel}
		v.needs(!seen[key], p, "is there twice: channel %s of %s already leads to channel %s of %s", l.SourceChannel, l.Source, l.TargetChannel, l.Target)
		seen[key] = true
		v.needs(l.Meta.Meta != nil, p.in("meta", "meta"), "is missing: write {} for none")
		v.linkEnd(p, "s_d", "s_c", l.Source, l.SourceChannel, "client", func(s Srv) []channelMap { return []channelMap{s.Client, s.Duplex} })
		v.linkEnd(p, "t_d", "t_c", l.Target, l.TargetChannel, "server", func(s Srv) []channelMap { return []channelMap{s.Server, s.Duplex} })
		linked[Link{Source: l.Source, SourceChannel: l.SourceChannel}] = true
		linked[Link{Source: l.Target, SourceChannel: l.TargetChannel}] = true
	}
	for _, name := range keys(v.s.Deployments) {
		d := v.s.Deployments[name]
		if d == nil || d.Artifact == nil {
			continue
		}
		p := at{"deployments", name, "artifact", "description", "srv"}
		srv := d.Artifact.Description.Srv
		for _, side := range []struct {
			name     string
			channels channelMap
		}{{"client", srv.Client}, {"duplex", srv.Duplex}, {"server", srv.Server}} {
			for _, ch := range keys(side.channels) {
				if c := side.channels[ch]; c != nil && c.Inherited {
					v.needs(linked[Link{Source: name, SourceChannel: ch}], p.in(side.name, ch), "is inherited from another deployment, but no link says from which")
				}
			}
		}
	}
}

type channelMap = map[string]*Channel

func (v *verifier) linkEnd(p at, dKey, cKey, deployment, channel, side string, good func(Srv) []channelMap) {
	d := v.s.Deployments[deployment]
	if !v.needs(d != nil, p.in(dKey), "is %s, which is no deployment of the solution%s", quoted(deployment), later(func() string { return hint(deployment, keys(v.s.Deployments)) })) || d.Artifact == nil {
		return
	}
	channels := good(d.Artifact.Description.Srv)
	if slices.ContainsFunc(channels, func(m channelMap) bool { return m[channel] != nil }) {
		return
	}
	var names []string
	for _, m := range channels {
		names = append(names, keys(m)...)
	}
	v.report(p.in(cKey), "is %s, which is no %s channel of %s%s", quoted(channel), side, deployment, hint(channel, names))
}

// layout checks that every deployment and role is a place of the layout, once.
func (v *verifier) layout() {
	reached := map[Endpoint]bool{}
	v.needs(v.s.Layout.Deployment == v.s.Top, at{"layout", "deployment"}, "is %q: the layout begins at the top, %q", v.s.Layout.Deployment, v.s.Top)
	reached[Endpoint{Role: v.s.Layout.Deployment}] = true
	v.layoutOf(at{"layout"}, v.s.Layout, reached)
	for _, name := range keys(v.s.Deployments) {
		v.needs(reached[Endpoint{Role: name}], at{"deployments", name}, "is not in the layout")
		if d := v.s.Deployments[name]; d != nil && d.Artifact != nil {
			for _, role := range keys(d.Artifact.Description.Role) {
				v.needs(reached[Endpoint{Role: name, Channel: role}], at{"deployments", name, "artifact", "description", "role", role}, "is not in the layout")
			}
		}
	}
}

func (v *verifier) layoutOf(p at, l *Layout, reached map[Endpoint]bool) {
	d := v.s.Deployments[l.Deployment]
	if !v.needs(d != nil, p.in("deployment"), "is %s, which is no deployment of the solution%s", quoted(l.Deployment), later(func() string { return hint(l.Deployment, keys(v.s.Deployments)) })) || d.Artifact == nil {
		return
	}
	ref, key := d.Artifact.Ref, Endpoint{Role: l.Deployment, Channel: l.Role}
	if l.Role != "" {
		r := d.Artifact.Description.Role[l.Role]
		if !v.needs(r != nil, p.in("role"), "is %s, which is no role of %s%s", quoted(l.Role), l.Deployment, later(func() string { return hint(l.Role, keys(d.Artifact.Description.Role)) })) || r.Artifact == nil {
			return
		}
		ref = r.Artifact.Ref
	}
	v.needs(len(p) == 1 || !reached[key], p, "leads to a place where another role already is")
	reached[key] = true
	v.needs(sameRef(l.Artifact, ref), p.in("artifact"), "is %s, but the deployments have %s there", l.Artifact.Name, ref.Name)
	v.needs(l.Role == "" || len(l.Roles) == 0, p.in("roles"), "is not empty: a component has no roles")
	for _, name := range keys(l.Roles) {
		if q := p.in("roles", name); v.needs(l.Roles[name] != nil, q, "is null") {
			v.layoutOf(q, l.Roles[name], reached)
		}
	}
}

func sameRef(a, b Ref) bool {
	return a.Domain == b.Domain && a.Module == b.Module && a.Name == b.Name && a.Kind == b.Kind &&
		a.Prerelease == b.Prerelease && a.BuildMetadata == b.BuildMetadata && slices.Equal(a.Version, b.Version)
}

func (v *verifier) digest() {
	digest, err := v.s.ContentDigest()
	if v.needs(err == nil, nil, "%v", err) {
		v.needs(digest == v.s.Digest, at{"digest"}, "is %s, but the contents have %s: the solution was changed after it was made; compile it again", v.s.Digest, digest)
	}
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// later is text that is only made when a message needs it: lists of names are
// long, and messages rare.
type later func() string

func (l later) String() string { return l() }
