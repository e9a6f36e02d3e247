package plan

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// indexed is a solution with what is said about a role elsewhere, by place.
type indexed struct {
	solution    *solution.Solution
	deployments map[string]*solution.Deployment
	reach       map[Place]map[string]any // by the client's channel
	named       map[Place]bool           // whose instances are told apart by others
	links       map[string]map[string]any
}

func index(s *solution.Solution) indexed {
	x := indexed{solution: s, reach: map[Place]map[string]any{}, named: map[Place]bool{}, links: map[string]map[string]any{}}
	if s == nil {
		return x
	}
	x.deployments = s.Deployments
	for _, r := range s.Reaches() {
		from := Place{r.From.Deployment, r.From.Role}
		if x.reach[from] == nil {
			x.reach[from] = map[string]any{}
		}
		x.reach[from][r.From.Channel] = x.groups(r)
	}
	for _, l := range s.Links {
		if x.links[l.Source] == nil {
			x.links[l.Source] = map[string]any{}
		}
		// The order of links says nothing.
		x.links[l.Source][l.SourceChannel+" → "+l.Target+"."+l.TargetChannel] = l.Meta.Meta
	}
	for _, l := range s.ExternalLinks() {
		from := l.From.Deployment
		if x.links[from] == nil {
			x.links[from] = map[string]any{}
		}
		x.links[from][l.From.Channel+" → "+l.To.Deployment+"."+l.To.Channel] = l.Meta
	}
	return x
}

// beside is what goes with a deployment and is said of none of its parts. Most of it is
// the top's only.
func (x indexed) beside(deployment string) map[string]any {
	if x.solution == nil {
		return nil
	}
	out := map[string]any{"accepts": x.accepts(deployment)}
	if deployment == x.solution.Top {
		out["sla"], out["objects"], out["labels"] = x.solution.SLA, x.solution.Objects, x.solution.Labels
		out["objectLabels"] = x.solution.ObjectLabels
	}
	return out
}

// accepts are the clients of other solutions that the channels of a deployment are open
// to, in any order.
func (x indexed) accepts(deployment string) map[string]any {
	out := map[string]any{}
	if x.solution.External == nil {
		return out
	}
	for _, a := range x.solution.External.Accepts {
		if a.Deployment != deployment {
			continue
		}
		clients := map[string]any{}
		for _, c := range a.Clients {
			clients[c.String()] = true
		}
		out[a.Channel] = clients
	}
	return out
}

// groups is what a channel leads to, as data.
func (x indexed) groups(r solution.Reach) any {
	groups := map[string]any{}
	for i, g := range r.Groups {
		servers := map[string]any{}
		for _, t := range g {
			at := Place{t.Deployment, t.Role}
			x.named[at] = x.named[at] || r.Kind == "full"
			m := t.Meta.Auto
			servers[at.String()+"."+t.Channel] = map[string]any{"artifact": refText(m.CompRef), "name": m.RoleName, "meta": t.Meta.User}
		}
		groups[strconv.Itoa(i)] = servers
	}
	return map[string]any{"as": r.Kind, "to": groups}
}

// refText is an artifact's ref as people write it.
func refText(r solution.Ref) string {
	text := artifactName(r)
	if len(r.Version) > 0 {
		text += "@" + strings.Trim(strings.ReplaceAll(fmt.Sprint(r.Version), " ", "."), "[]")
	}
	if r.Prerelease != "" {
		text += "-" + r.Prerelease
	}
	if r.BuildMetadata != "" {
		text += "+" + r.BuildMetadata
	}
	return text
}

// artifactName is a ref without its version: what an artifact is across its
// versions.
func artifactName(r solution.Ref) string {
	var words []string
	for _, word := range []string{r.Domain, r.Module, r.Name} {
		if word != "" {
			words = append(words, word)
		}
	}
	return strings.Join(words, "/") + " (" + r.Kind + ")"
}

// comparer compares the deployments and roles of two solutions.
type comparer struct{ old, new indexed }

// deployment is the entry of a deployment and those of its roles; one of the
// names may be "" or of no deployment.
func (c *comparer) deployment(from, to string) []Entry {
	o, n := c.old.deployments[from], c.new.deployments[to]
	e := Entry{Place: Place{Deployment: cmp.Or(to, from)}}
	switch {
	case o == nil:
		e.Base = Create
	case n == nil:
		e.Base = Delete
	default:
		if !reflect.DeepEqual(o, n) || !reflect.DeepEqual(c.old.links[from], c.new.links[to]) || !reflect.DeepEqual(c.old.beside(from), c.new.beside(to)) {
			e.Changes = changes(c.old.deploymentView(from), c.new.deploymentView(to), deploymentRules)
		}
		e.Base = worst(e.Changes)
		if from != to {
			e.Base, e.From = Renamed, &Place{Deployment: from}
		}
	}
	return append([]Entry{e}, c.roles(from, to)...)
}

func rolesOf(d *solution.Deployment) map[string]*solution.Role {
	if d == nil {
		return nil
	}
	return d.Artifact.Description.Role
}

func (c *comparer) roles(from, to string) []Entry {
	var entries []Entry
	o, n := rolesOf(c.old.deployments[from]), rolesOf(c.new.deployments[to])
	was := renames(o, n, sameRole)
	gone := slices.Sorted(maps.Values(was))
	for _, name := range sorting.Ordered(n) {
		old := cmp.Or(was[name], name)
		if o[old] == nil {
			entries = append(entries, Entry{Place: Place{to, name}, Base: Create})
			continue
		}
		entries = append(entries, c.role(Place{from, old}, Place{to, name}))
	}
	for _, name := range sorting.Ordered(o) {
		if n[name] != nil || filter.Contains(gone, name) {
			continue
		}
		e := Entry{Place: Place{cmp.Or(to, from), name}, Base: Delete}
		e.lose(o[name], nil, "the role is deleted")
		entries = append(entries, e)
	}
	return entries
}

// role compares one that is in both solutions.
func (c *comparer) role(from, to Place) Entry {
	o, n := c.old.deployments[from.Deployment].Artifact.Description.Role[from.Role], c.new.deployments[to.Deployment].Artifact.Description.Role[to.Role]
	e := Entry{Place: to}
	if !reflect.DeepEqual(o, n) || !reflect.DeepEqual(c.old.reach[from], c.new.reach[to]) || !reflect.DeepEqual(c.old.hints(from), c.new.hints(to)) {
		e.Changes = changes(c.old.roleView(from, o), c.new.roleView(to, n), rulesOf(o, n))
	}
	if a, b := c.old.kind(from, o), c.new.kind(to, n); a != b {
		e.Changes = append(e.Changes, Change{Path: "instances", From: a, To: b, Class: Recreate})
	}
	e.Base = worst(e.Changes)
	if from != to {
		e.Base, e.From = Renamed, &from
		e.lose(o, nil, "the role is renamed")
		return e
	}
	e.lose(o, n, "the role does not have the volume any more")
	return e
}

// kind is the way in which instances are kept: what changes it cannot be done
// to instances that run.
func (x indexed) kind(at Place, r *solution.Role) string {
	switch {
	case x.hint(at, "share") == targets.ShareNode || x.hint(at, "share") == targets.SharePod:
		return "one on each node"
	case len(registered(r)) > 0 || len(r.Artifact.Description.Srv.Duplex) > 0 || x.named[at]:
		return "with names"
	default:
		return "alike"
	}
}

// hints are what is said of a role in its meta, and of where all roles of the deployments
// that it is in run.
func (x indexed) hints(at Place) [2]any {
	around := targets.Around(x.solution, at.Deployment, func(string, []string, string) {})
	if len(around) == 0 {
		return [2]any{x.solution.MetaOf(at.Deployment, at.Role), nil}
	}
	return [2]any{x.solution.MetaOf(at.Deployment, at.Role), plain(around)}
}

func (x indexed) hint(at Place, key string) any {
	m, _ := x.solution.MetaOf(at.Deployment, at.Role).(map[string]any)
	return m[key]
}
