package doc

import (
	"bytes"
	"fmt"
	htmltemplate "html/template"
	"strings"

	"kumiki.dev/graph"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/module/catalog"
	"kumiki.dev/value"
)

// Part is an artifact that fills roles of a page's artifact, at any depth.
type Part struct {
	// Anchor is where the page has it.
	Anchor string
	// Name, Kind and Import are as in [Page].
	Name, Kind, Import string
	// Channels, Roles and Topology are as in [Page].
	Channels []catalog.Channel
	Roles    []Role
	Topology *graph.Graph
}

// parts lists the artifacts of roles, each once.
type parts struct {
	list  []*Part
	known map[string]*Part // by import path
	taken map[string]bool  // anchors
}

// roles are those of an artifact, whose own artifacts become parts.
func (l *parts) roles(n *value.Node) []Role {
	var out []Role
	for _, r := range n.Roles {
		if r.Node == nil {
			out = append(out, Role{Name: r.Name})
			continue
		}
		out = append(out, Role{r.Name, r.Node.Ref.Kind, r.Node.Called(), l.part(r.Node).Anchor})
	}
	return out
}

func (l *parts) part(n *value.Node) *Part {
	path := n.Called()
	if n.Package != nil {
		path = n.Package.ImportPath()
	}
	if p := l.known[path]; p != nil {
		return p
	}
	p := &Part{Anchor: l.anchor(n.Called()), Name: n.Called(), Kind: n.Ref.Kind, Import: path, Channels: catalog.Channels(n), Topology: topology(n)}
	l.known[path] = p
	l.list = append(l.list, p)
	p.Roles = l.roles(n)
	return p
}

var noAnchor = lazyregexp.New(`[^a-z0-9]+`)

// anchor is a name that links can have, and that nothing else has.
func (l *parts) anchor(name string) string {
	base := "artifact-" + strings.Trim(noAnchor().ReplaceAllString(strings.ToLower(name), "-"), "-")
	out := base
	for i := 2; l.taken[out]; i++ {
		out = fmt.Sprintf("%s-%d", base, i)
	}
	l.taken[out] = true
	return out
}

// picture is a topology as it stands in a page; "" for none. It is kumiki's own, with all
// names in it escaped.
func picture(g *graph.Graph) (htmltemplate.HTML, error) {
	if g == nil {
		return "", nil
	}
	data, err := g.SVG()
	return htmltemplate.HTML(bytes.TrimSpace(data)), err
}
