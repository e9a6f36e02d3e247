package solution

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// wiring makes a solution of which only the channels matter. A line is one of
//
//	DEPLOYMENT: ROLE.CHANNEL ... -> KIND ROLE.CHANNEL ... | ROLE.CHANNEL ...
//	DEPLOYMENT.CHANNEL => DEPLOYMENT.CHANNEL
//	builtin DEPLOYMENT
//
// for a connector with its server groups, a link and a builtin.
func wiring(t *testing.T, text string) *Solution {
	s := &Solution{Deployments: map[string]*Deployment{}}
	deployment := func(name string) *Description {
		if s.Deployments[name] == nil {
			s.Deployments[name] = &Deployment{Artifact: &Artifact{Description: Description{Role: map[string]*Role{}, Connector: map[string]*Connector{}}}}
		}
		return &s.Deployments[name].Artifact.Description
	}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "builtin "); ok {
			deployment(name).Builtin = true
			continue
		}
		if from, to, ok := strings.Cut(line, " => "); ok {
			source, out, _ := strings.Cut(from, ".")
			target, in, _ := strings.Cut(to, ".")
			s.Links = append(s.Links, Link{Source: source, SourceChannel: out, Target: target, TargetChannel: in})
			continue
		}
		name, rest, ok := strings.Cut(line, ": ")
		require.True(t, ok, line)
		from, to, _ := strings.Cut(rest, " -> ")
		kind, to, _ := strings.Cut(to, " ")
		d := deployment(name)
		c := &Connector{Kind: kind, Clients: ends(d, from)}
		for i, group := range strings.Split(to, " | ") {
			g := ServerGroup{Links: ends(d, group)}
			for range g.Links {
				g.Meta = append(g.Meta, LinkMeta{User: fmt.Sprint(name, i)})
			}
			c.Servers = append(c.Servers, g)
		}
		d.Connector[fmt.Sprint(len(d.Connector))] = c
	}
	return s
}

// ends reads endpoints, and makes sure that their roles have the channels.
func ends(d *Description, text string) []Endpoint {
	var out []Endpoint
	for _, word := range strings.Fields(text) {
		role, channel, _ := strings.Cut(word, ".")
		out = append(out, Endpoint{Role: role, Channel: channel})
		if role == self {
			continue
		}
		if d.Role[role] == nil {
			d.Role[role] = &Role{Artifact: &Artifact{Description: Description{Srv: Srv{Server: map[string]*Channel{}}}}}
		}
		d.Role[role].Artifact.Description.Srv.Server[channel] = &Channel{Port: 1}
	}
	return out
}

func TestReaches(t *testing.T) {
	tests := []struct{ name, wiring, want string }{
		{"a connector", "a: x.c -> lb y.s", "a/x.c lb: a/y.s(a0)"},
		{"groups", "a: x.c -> full y.s z.s | w.s", "a/x.c full: a/y.s(a0) a/z.s(a0) | a/w.s(a1)"},
		{"instances among themselves", "a: x.d -> full x.d", "a/x.d full: a/x.d(a0)"},
		{
			"into a service", `
			a: x.c -> lb self.b.in
			a.b.in => b.in
			b: self.in -> full y.s | z.s`,
			"a/x.c lb: b/y.s(a0) b/z.s(a0)",
		},
		{
			"out of a service", `
			b: x.c -> full self.out
			b.out => a.b.out
			a: self.b.out -> lb y.s`,
			"b/x.c full: a/y.s(b0)",
		},
		{
			"the same target by two ways", `
			a: x.c -> lb self.p self.q
			a.p => b.p
			a.q => b.q
			b: self.p -> lb y.s
			b: self.q -> lb y.s`,
			"a/x.c lb: b/y.s(a0)",
		},
		{
			"from a builtin", `
			builtin i
			i.inbound => a.in
			a: self.in -> lb x.s`,
			"i/.inbound lb: a/x.s(a0)",
		},
		{
			"nothing further on", `
			a: x.c -> lb self.out`,
			"a/x.c lb: ",
		},
		{
			"a circle", `
			a: x.c -> lb self.out
			a.out => b.in
			b: self.in -> lb self.out y.s
			b.out => c.in
			c: self.in -> lb self.out
			c.out => b.in`,
			"a/x.c lb: b/y.s(a0)",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, reachText(wiring(t, test.wiring).Reaches())); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func reachText(reaches []Reach) string {
	var lines []string
	for _, r := range reaches {
		var groups []string
		for _, g := range r.Groups {
			var targets []string
			for _, x := range g {
				targets = append(targets, fmt.Sprintf("%s/%s.%s(%v)", x.Deployment, x.Role, x.Channel, x.Meta.User))
			}
			groups = append(groups, strings.Join(targets, " "))
		}
		lines = append(lines, fmt.Sprintf("%s/%s.%s %s: %s", r.From.Deployment, r.From.Role, r.From.Channel, r.Kind, strings.Join(groups, " | ")))
	}
	return strings.Join(lines, "\n")
}
