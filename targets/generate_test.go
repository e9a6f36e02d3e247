package targets_test

import (
	"slices"
	"strings"

	"pgregory.net/rapid"

	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// odd are names that are legal in a manifest, and of which a target could have
// little or nothing, or the same.
var odd = []string{
	"日本", "日", "é", "É", "größe", "groesse", "a", "A", "a-b", "a.b", "a_b", "-", "--", "_", "2048", "2", "0x", "a b", " ", "\t", "\x00", "a\nb", "🎉", "🎉🎉",
	"ﬀ", "ﬁ", "\u202e", "e\u0301", "set", "lb", "and", "channels", "files", "data", "inventory", "resolver", "http", "inbound",
	"kumiki-files", "kumiki-channels", "kumiki-resolver", "null", "true", "x", "a=b", `a"b`, "$(A)", "{{.}}", strings.Repeat("a", 70), strings.Repeat("日", 70), strings.Repeat("-", 300),
}

// name is any name at all, an odd one more often than not.
func name() *rapid.Generator[string] {
	return rapid.OneOf(rapid.SampledFrom(odd), rapid.StringN(1, 20, -1), rapid.StringMatching(`[a-c.-]{1,4}`), rapid.StringMatching(`[a-zA-Z0-9_. -]{1,80}`)).
		Filter(func(s string) bool { return s != "" })
}

// names are different names that all are such.
func names(least, most int, such func(string) bool) *rapid.Generator[[]string] {
	return rapid.SliceOfNDistinct(name().Filter(such), least, most, rapid.ID)
}

func whatever(string) bool { return true }

// isRole reports whether a role can have a name.
func isRole(s string) bool { return s != "self" && !strings.ContainsAny(s, "./") }

// isDeployed reports whether a solution has a name that leaves room for others on
// every target.
func isDeployed(s string) bool { return len(s) <= 17 }

// isVariable reports whether a variable can have a name on every target.
func isVariable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '=' })
}

// generator makes solutions.
type generator struct {
	t   *rapid.T
	out *solution.Solution
}

// solutions generates those of a service with roles, one of them a builtin's and
// one a service's, and names of every kind.
func solutions(t *rapid.T) *solution.Solution {
	top := name().Filter(isDeployed).Draw(t, "top")
	g := generator{t, &solution.Solution{
		Cspec: solution.Cspec, Top: top, Ref: solution.SolutionRef{Kind: "solution", Name: top},
		Deployments: map[string]*solution.Deployment{}, Links: []solution.Link{},
	}}
	roles := names(5, 6, isRole).Draw(t, "roles")
	d := g.deployment(top, nil, roles[2:])
	g.deployment(top+"."+roles[0], &top, names(1, 2, isRole).Draw(t, "inner"))
	g.inbound(d, top+"."+roles[1])
	return g.out
}

// ref is a reference of a kind, whose name may be empty.
func (g *generator) ref(kind string) solution.Ref {
	return solution.Ref{Kind: kind, Name: rapid.OneOf(rapid.Just(""), name()).Draw(g.t, "ref"), Version: []int{1, 0, 0}}
}

// deployment is one of a service whose roles all reach each other.
func (g *generator) deployment(name string, up *string, roles []string) *solution.Deployment {
	desc := solution.Description{
		Config: config(), Connector: map[string]*solution.Connector{}, Role: map[string]*solution.Role{},
		Srv: solution.Srv{Client: map[string]*solution.Channel{}, Duplex: map[string]*solution.Channel{}, Server: map[string]*solution.Channel{}},
	}
	desc.Config.Parameter = map[string]any{}
	for _, role := range roles {
		desc.Role[role] = g.role(role)
	}
	d := &solution.Deployment{Name: name, Up: up, Meta: map[string]any{}, Config: desc.Config, Artifact: &solution.Artifact{Ref: g.ref("service"), Spec: []int{1, 0}, Description: desc}}
	g.out.Deployments[name] = d
	g.connect(d, roles)
	return d
}

func config() solution.Config {
	return solution.Config{Resilience: "0", Resource: map[string]*solution.Resource{}}
}

// connect joins each client channel of a role with the server channels of all.
func (g *generator) connect(d *solution.Deployment, roles []string) {
	desc := d.Artifact.Description
	var servers []solution.Endpoint
	for _, role := range roles {
		for _, channel := range targets.Keys(desc.Role[role].Artifact.Description.Srv.Server) {
			servers = append(servers, solution.Endpoint{Channel: channel, Role: role})
		}
	}
	for _, role := range roles {
		for _, channel := range targets.Keys(desc.Role[role].Artifact.Description.Srv.Client) {
			c := &solution.Connector{
				Kind:    rapid.SampledFrom([]string{"lb", "full"}).Draw(g.t, "as"),
				Clients: []solution.Endpoint{{Channel: channel, Role: role}},
			}
			one := rapid.SampledFrom(servers).Draw(g.t, "server")
			groups := [][]solution.Endpoint{{one}, servers}
			for _, links := range groups[:rapid.IntRange(1, 2).Draw(g.t, "groups")] {
				c.Servers = append(c.Servers, solution.ServerGroup{Links: links, Meta: metas(len(links))})
			}
			desc.Connector[role+"\x00"+channel] = c
		}
	}
}

// metas are what clients learn of n servers.
func metas(n int) []solution.LinkMeta {
	meta := solution.LinkMeta{User: map[string]any{}, Auto: solution.AutoMeta{CompRef: solution.Ref{Kind: "component", Version: []int{1, 0, 0}}}}
	return slices.Repeat([]solution.LinkMeta{meta}, n)
}

// inbound adds a builtin that leads to a role of the deployment.
func (g *generator) inbound(d *solution.Deployment, name string) {
	desc := solution.Description{
		Builtin: true, Config: config(),
		Srv: solution.Srv{Client: map[string]*solution.Channel{"inbound": {Protocol: "http"}}, Duplex: map[string]*solution.Channel{}, Server: map[string]*solution.Channel{}},
	}
	kind := rapid.SampledFrom([]string{"http", "https", "tcp"}).Draw(g.t, "type")
	desc.Config.Parameter = map[string]any{"type": kind}
	id := id().Draw(g.t, "id")
	desc.Config.Resource["serverdomain"] = &solution.Resource{Domain: id}
	desc.Config.Resource["servercert"] = &solution.Resource{Certificate: id}
	if kind == "tcp" {
		desc.Config.Resource = map[string]*solution.Resource{"port": {Port: id}}
	}
	up := d.Name
	g.out.Deployments[name] = &solution.Deployment{Name: name, Up: &up, Meta: map[string]any{}, Config: desc.Config, Artifact: &solution.Artifact{Ref: solution.Ref{Kind: "service", Name: "inbound", Version: []int{1, 0, 0}}, Spec: []int{1, 0}, Description: desc}}
	own := &d.Artifact.Description
	own.Srv.Server["in"] = &solution.Channel{Inherited: true, Protocol: "http"}
	g.out.Links = append(g.out.Links, solution.Link{Source: name, SourceChannel: "inbound", Target: d.Name, TargetChannel: "in", Meta: solution.TargetMeta{Meta: map[string]any{}}})
	role := targets.Keys(own.Role)[0]
	channel := targets.Keys(own.Role[role].Artifact.Description.Srv.Server)[0]
	own.Connector["in"] = &solution.Connector{Kind: "lb", Clients: []solution.Endpoint{{Channel: "in", Role: "self"}}, Servers: []solution.ServerGroup{{
		Links: []solution.Endpoint{{Channel: channel, Role: role}}, Meta: metas(1),
	}}}
}
