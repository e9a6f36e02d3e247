package solution

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// linkedOut is a link of the shop's inbound to another solution.
func linkedOut() ExternalLink {
	return ExternalLink{
		Accepted: Client{Deployment: Anyone}, From: End{"inbound", "shop.entry"}, Meta: map[string]any{}, Solution: "store", To: End{"http", "store"},
		Servers: []Server{{Artifact: Ref{Version: []int{1, 0, 0}}, Channel: "http", Deployment: "store", Port: 8080, Portnum: 1, Protocol: "http", Role: "web"}},
	}
}

func TestVerifyExternal(t *testing.T) {
	t.Parallel()
	with := func(change func(l *ExternalLink)) func(s *Solution) {
		return func(s *Solution) {
			l := linkedOut()
			change(&l)
			s.Digest = ""
			s.SetExternal(External{Links: []ExternalLink{l}})
		}
	}
	verifyAll(t, "example-shop/out", []breach{
		{"as it is", with(func(*ExternalLink) {}), nil},
		{"from nowhere", with(func(l *ExternalLink) { l.From.Channel = "inbuond" }), []string{"external.links.0.from.channel: is inbuond, which is no client channel of shop.entry; did you mean inbound?"}},
		{"to itself", with(func(l *ExternalLink) { l.To.Deployment = "shop" }), []string{"external.links.0.to.deployment: is shop: it is a deployment of another solution"}},
		{"no solution", with(func(l *ExternalLink) { l.Solution = "shop" }), []string{`external.links.0.solution: is "shop": it is the name of another solution`}},
		{"no meta", with(func(l *ExternalLink) { l.Meta = nil }), []string{"external.links.0.meta: is missing: write {} for none"}},
		{"accepted as somebody else", with(func(l *ExternalLink) { l.Accepted.Deployment = "shop" }), []string{`external.links.0.accepted.deployment: is shop: the link comes from "shop.entry"`}},
		{"accepted by labels that it has not", with(func(l *ExternalLink) { l.Accepted = Client{Labels: map[string]string{"a": "b"}} }), []string{"external.links.0.accepted.labels: are labels that the solution does not have"}},
		{"udp", with(func(l *ExternalLink) { l.Servers[0].Protocol = "udp" }), []string{"external.links.0.servers.0.protocol: is udp, and channel inbound of shop.entry does not speak that: udp reaches only udp"}},
		{"no port", with(func(l *ExternalLink) { l.Servers[0].Port = 0 }), []string{"external.links.0.servers.0.port: is 0: it is 1 to 65535"}},
		{"twice", func(s *Solution) {
			s.Digest = ""
			s.SetExternal(External{Links: []ExternalLink{linkedOut(), linkedOut()}})
		}, []string{"external.links.1: is there twice: channel inbound of shop.entry already leads to channel http of store"}},
		{"accepts nobody", func(s *Solution) {
			s.Digest = ""
			s.SetExternal(External{Accepts: []Accept{{Channel: "nothing", Deployment: "shop"}}})
		}, []string{
			"external.accepts.0.channel: is nothing, which is no server channel of shop; it has entry.inbound",
			"external.accepts.0.clients: is empty: a channel that is open to nobody is left out",
		}},
		{"a label", func(s *Solution) {
			s.Digest = ""
			s.Labels = map[string]string{"a b": "c"}
		}, []string{`labels."a b": "a b" is no key of a label: it has up to 63 letters, digits, dots, underscores and hyphens, the first and the last a letter or digit`}},
	})
}

// TestExternalReaches follows a link: what the connector says is over what the link does.
func TestExternalReaches(t *testing.T) {
	t.Parallel()
	s := read(t, solutions(t)["example-shop/out"])
	l := linkedOut()
	l.Meta = map[string]any{"region": "eu"}
	s.SetExternal(External{Links: []ExternalLink{l}})
	for _, r := range s.Reaches() {
		if r.From.Deployment != "shop.entry" {
			continue
		}
		last := r.Groups[0][len(r.Groups[0])-1]
		require.Equal(t, Place{"store", "web", "http"}, last.Place)
		require.Equal(t, "store", last.Solution)
		require.Equal(t, l.Meta, last.Meta.User)
		seen := last.seen(LinkMeta{User: map[string]any{"region": "us", "x": "y"}})
		require.Equal(t, map[string]any{"region": "us", "x": "y"}, seen.Meta.User)
		require.Equal(t, map[string]any{"region": "eu"}, l.Meta)
		return
	}
	t.Fatal("the inbound leads nowhere")
}
