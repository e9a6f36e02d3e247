package graph

import (
	"bytes"
	"fmt"
	"strings"

	"kumiki.dev/internal/jsondata"
)

// JSON writes the graph as data: boxes with their nodes, and edges between ids.
func (g *Graph) JSON() ([]byte, error) { return jsondata.Indented(g) }

// Mermaid writes the graph as a flowchart of Mermaid, which many readers of
// Markdown draw.
func (g *Graph) Mermaid() []byte {
	w := &mermaid{ids: map[string]string{}, taken: map[string]bool{}}
	w.line("flowchart LR")
	for _, b := range g.Boxes {
		w.box(b)
	}
	for _, e := range g.Edges {
		arrow := "-->"
		label := e.Label
		if e.needs() {
			arrow = "-.->"
		}
		if e.State != "" {
			label = mark(e.State) + " " + label
		}
		w.line("  %s %s|%s| %s", w.id(e.From), arrow, quote(label), w.id(e.To))
	}
	w.states(g)
	return w.out.Bytes()
}

// mermaid writes a flowchart.
type mermaid struct {
	out   bytes.Buffer
	ids   map[string]string
	taken map[string]bool
}

func (w *mermaid) line(format string, args ...any) { fmt.Fprintf(&w.out, format+"\n", args...) }

func (w *mermaid) box(b *Box) {
	title := b.ID
	if b.Artifact != "" {
		title += "\n" + b.caption()
	}
	if len(b.Nodes) == 0 {
		w.line("  %s([%s])", w.id(b.ID), quote(title))
		return
	}
	w.line("  subgraph %s [%s]", w.id(b.ID), quote(title))
	for _, n := range b.Nodes {
		switch n.Kind {
		case "connector":
			w.line("    %s{{%s}}", w.id(n.ID), quote(n.Name+"\n"+n.Detail))
		case "channel":
			w.line("    %s((%s))", w.id(n.ID), quote(n.Name))
		default:
			w.line("    %s[%s]", w.id(n.ID), quote(roleTitle(n)))
		}
	}
	w.line("  end")
}

// roleTitle is a role's name with its instances, and its artifact.
func roleTitle(n *Node) string {
	return strings.TrimSuffix(strings.TrimSpace(n.Name+" "+instances(n))+"\n"+n.Detail+"\n"+summary(n.Changes), "\n")
}

// states colours what has changed.
func (w *mermaid) states(g *Graph) {
	members := map[State][]string{}
	for _, b := range g.Boxes {
		members[b.State] = append(members[b.State], w.id(b.ID))
		for _, n := range b.Nodes {
			members[n.State] = append(members[n.State], w.id(n.ID))
		}
	}
	for _, s := range []State{New, Gone, Changed} {
		if len(members[s]) > 0 {
			w.line("  classDef %s stroke:%s,stroke-width:3px", s, colors[s])
			w.line("  class %s %s", strings.Join(members[s], ","), s)
		}
	}
	for i, e := range g.Edges {
		if e.State != "" {
			w.line("  linkStyle %d stroke:%s,stroke-width:3px", i, colors[e.State])
		}
	}
}

// colors are those that are seen well on light and on dark ground.
var colors = map[State]string{New: "#2da44e", Gone: "#d1242f", Changed: "#bf8700"}

// mark is what a state is written as.
func mark(s State) string {
	return map[State]string{New: "+", Gone: "−", Changed: "~"}[s]
}

// id makes a word of an id: letters, digits and underscores, the same for the
// same id and for no other.
func (w *mermaid) id(id string) string {
	if known, ok := w.ids[id]; ok {
		return known
	}
	word := "n_" + strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, id)
	for w.taken[word] {
		word += "_"
	}
	w.ids[id], w.taken[word] = word, true
	return word
}

// quote writes text of Mermaid: what could end it, or be taken for markup, is
// written as an entity.
func quote(text string) string {
	return `"` + strings.NewReplacer("&", "#amp;", `"`, "#quot;", "#", "#35;", "<", "#lt;", ">", "#gt;", "`", "#96;", "|", "#124;", "\r", " ", "\n", "<br>").Replace(text) + `"`
}

// Dot writes the graph for Graphviz.
func (g *Graph) Dot() []byte {
	var out bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	line("digraph %s {", dotText(g.Name))
	line("  graph [rankdir=LR compound=true fontname=Helvetica]")
	line("  node [shape=box style=rounded fontname=Helvetica]")
	line("  edge [fontname=Helvetica fontsize=10]")
	anchors := map[string]string{} // a box is no end of an edge in Graphviz: a point in it is
	for _, b := range g.Boxes {
		anchors[b.ID] = b.ID
		if len(b.Nodes) > 0 {
			anchors[b.ID] = b.Nodes[0].ID
		}
		dotBox(line, b)
	}
	for _, e := range g.Edges {
		var more string
		from, to := e.From, e.To
		if e.needs() {
			from, to, more = anchors[e.From], anchors[e.To], " style=dashed constraint=false"
			if from != e.From {
				more += " ltail=" + dotText("cluster "+e.From)
			}
			if to != e.To {
				more += " lhead=" + dotText("cluster "+e.To)
			}
		}
		line("  %s -> %s [label=%s%s%s]", dotText(from), dotText(to), dotText(e.Label), more, dotState(e.State))
	}
	line("}")
	return out.Bytes()
}

func dotBox(line func(string, ...any), b *Box) {
	title := strings.TrimSpace(b.ID + "\n" + b.caption())
	if len(b.Nodes) == 0 {
		line("  %s [label=%s shape=oval%s]", dotText(b.ID), dotText(title), dotState(b.State))
		return
	}
	line("  subgraph %s {", dotText("cluster "+b.ID))
	line("    graph [label=%s%s]", dotText(title), dotState(b.State))
	for _, n := range b.Nodes {
		switch n.Kind {
		case "connector":
			line("    %s [label=%s shape=hexagon%s]", dotText(n.ID), dotText(n.Name+"\n"+n.Detail), dotState(n.State))
		case "channel":
			line("    %s [label=%s shape=circle%s]", dotText(n.ID), dotText(n.Name), dotState(n.State))
		default:
			line("    %s [label=%s%s]", dotText(n.ID), dotText(roleTitle(n)), dotState(n.State))
		}
	}
	line("  }")
}

func dotState(s State) string {
	if s == "" {
		return ""
	}
	return fmt.Sprintf(" color=%q penwidth=3", colors[s])
}

// dotText quotes a text for Graphviz, in which only quotes and backslashes mean
// something.
func dotText(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", " ").Replace(text) + `"`
}
