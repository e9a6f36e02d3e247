package graph

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"

	"kumiki.dev/graph/layered"
	"kumiki.dev/internal/filter"
)

// style is the colours on light ground, and then those on dark. Readers that
// know no media queries take the first.
const style = `text{font-family:Helvetica,Arial,"Liberation Sans",sans-serif;fill:#1f2328}
.ground{fill:#fff}
.box{fill:#f6f8fa;stroke:#d0d7de}
.builtin{fill:#fff8e5;stroke:#d4a72c}
.outside{fill:none;stroke:#818b98;stroke-dasharray:4 3}
.role{fill:#fff;stroke:#9aa4af}
.lb{fill:#ddf4ff;stroke:#54aeff}
.full{fill:#fbefff;stroke:#c297ff}
.door{fill:#fff;stroke:#59636e}
.edge{fill:none;stroke:#6e7781;stroke-width:1.3}
.link{stroke:#0969da}
.up{stroke:#818b98;stroke-dasharray:5 4}
.tip{fill:#6e7781}.tip.link{fill:#0969da;stroke:none}.tip.up{fill:#818b98;stroke:none}
.name{font-weight:bold}.mid{text-anchor:middle}.detail,.label{fill:#59636e}.count{fill:#0969da}
.new{stroke:#1a7f37;stroke-width:2}.gone{stroke:#d1242f;stroke-width:2;stroke-dasharray:3 3}.changed{stroke:#9a6700;stroke-width:2}
.tip.new{fill:#1a7f37;stroke:none}.tip.gone{fill:#d1242f;stroke:none}.tip.changed{fill:#9a6700;stroke:none}
text.new{fill:#1a7f37;stroke:none}text.gone{fill:#d1242f;stroke:none}text.changed{fill:#9a6700;stroke:none}
`

const darkStyle = `text{fill:#e6edf3}
.ground{fill:#0d1117}
.box{fill:#161b22;stroke:#3d444d}
.builtin{fill:#272115;stroke:#9e6a03}
.outside{stroke:#656c76}
.role{fill:#0d1117;stroke:#656c76}
.lb{fill:#0c2d4e;stroke:#1f6feb}
.full{fill:#2b1d47;stroke:#8957e5}
.door{fill:#0d1117;stroke:#9198a1}
.edge{stroke:#8b949e}.link{stroke:#4493f8}.up{stroke:#656c76}
.tip{fill:#8b949e}.tip.link{fill:#4493f8}.tip.up{fill:#656c76}
.detail,.label{fill:#9198a1}.count{fill:#4493f8}
.new{stroke:#3fb950}.gone{stroke:#f85149}.changed{stroke:#d29922}
.tip.new,text.new{fill:#3fb950}.tip.gone,text.gone{fill:#f85149}.tip.changed,text.changed{fill:#d29922}
`

// SVG draws the graph, for light and for dark ground. The error says that it is
// too large for that.
func (g *Graph) SVG() ([]byte, error) {
	p, err := g.paint()
	if err != nil {
		return nil, err
	}
	w := &svg{}
	legend := p.legend()
	wide, high := p.w, p.h
	if len(legend) > 0 {
		wide, high = max(wide, legendWidth), high+20
	}
	w.line(`<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">`,
		number(wide), number(high), number(wide), number(high), escape("solution "+g.Name))
	w.line("<style>\n%s@media (prefers-color-scheme:dark){\n%s}\n</style>", style, darkStyle)
	w.line(`<rect class="ground" width="%s" height="%s"/>`, number(wide), number(high))
	for _, f := range p.boxes {
		w.box(f)
	}
	for _, d := range p.edges {
		w.edge(d)
	}
	for i, s := range legend {
		w.text("label "+string(s), margin+float64(i)*90, p.h, detailSize, mark(s)+" "+string(s))
	}
	w.line("</svg>")
	return w.out.Bytes(), nil
}

const legendWidth = 3*90 + 2*margin

// legend is the states that the picture has.
func (p *picture) legend() []State {
	seen := map[State]bool{}
	for _, b := range p.graph.Boxes {
		seen[b.State] = true
		for _, n := range b.Nodes {
			seen[n.State] = true
		}
	}
	for _, e := range p.graph.Edges {
		seen[e.State] = true
	}
	return filter.Out([]State{New, Gone, Changed}, func(s State) bool { return !seen[s] })
}

// svg writes a picture.
type svg struct{ out bytes.Buffer }

func (w *svg) line(format string, args ...any) { fmt.Fprintf(&w.out, format+"\n", args...) }

func (w *svg) box(f *framed) {
	class := "box"
	radius := 10.0
	switch f.Kind {
	case "builtin", "outside":
		class, radius = f.Kind, f.h/2
	}
	w.line(`<g transform="translate(%s %s)">`, number(f.x), number(f.y))
	w.rect(join(class, f.State), 0, 0, f.w, f.h, radius, strings.Join(append([]string{f.ID + " " + f.caption()}, f.Changes...), "\n"))
	y := 20.0
	if f.Artifact == "" {
		y = titleHeight/2 + 5
	}
	w.text(join("name", f.State), padding, y, nameSize+1, marked(f.State, f.ID))
	w.text("detail", padding, 36, detailSize, f.caption())
	for _, d := range f.edges {
		w.edge(d)
	}
	for _, n := range f.nodes {
		w.node(n)
	}
	w.line("</g>")
}

func (w *svg) node(n *placed) {
	switch n.Kind {
	case "channel":
		w.line(`<circle class="%s" cx="%s" cy="%s" r="%s"><title>%s</title></circle>`, join("door", n.State), number(n.x), number(n.y+n.h/2), number(doorRadius), escape("channel "+n.Name))
	case "connector":
		class := "lb"
		if n.Detail == "full" {
			class = "full"
		}
		w.rect(join(class, n.State), n.x, n.y, n.w, n.h, n.h/2, "connector "+n.Name+", "+n.Detail)
		w.text("mid", n.x+n.w/2, n.y+16, detailSize, title(n.Node))
	default:
		w.rect(join("role", n.State), n.x, n.y, n.w, n.h, 6, strings.Join(append([]string{"role " + n.Name + ", " + n.Detail}, n.Changes...), "\n"))
		w.text(join("name", n.State), n.x+12, n.y+18, nameSize, title(n.Node))
		if text := instances(n.Node); text != "" {
			w.line(`<text class="count" x="%s" y="%s" font-size="%s" text-anchor="end">%s</text>`, number(n.x+n.w-12), number(n.y+18), number(nameSize), text)
		}
		w.text("detail", n.x+12, n.y+34, detailSize, detail(n.Node))
	}
}

// edge draws the line, its label, and the tip at the end where it leads to.
func (w *svg) edge(d *drawn) {
	var path strings.Builder
	start := d.way.Path[0].Start
	fmt.Fprintf(&path, "M%s %s", number(start.X), number(start.Y))
	for _, s := range d.way.Path {
		if s.A == s.Start && s.B == s.End {
			fmt.Fprintf(&path, "L%s %s", number(s.End.X), number(s.End.Y))
			continue
		}
		fmt.Fprintf(&path, "C%s %s %s %s %s %s", number(s.A.X), number(s.A.Y), number(s.B.X), number(s.B.Y), number(s.End.X), number(s.End.Y))
	}
	class := join(strings.TrimSpace("edge "+kindClass(d.Kind)), d.State)
	w.line(`<path class="%s" d="%s"><title>%s</title></path>`, class, path.String(), escape(strings.TrimSpace(d.From+" → "+d.To+" "+d.Label)))
	at, away := d.way.Path[len(d.way.Path)-1].End, -1.0
	if d.needs() && !d.way.Turned {
		at, away = start, 1
	}
	if d.door {
		at.X -= doorRadius
	}
	w.tip(join(strings.TrimSpace("tip "+kindClass(d.Kind)), d.State), at, away)
	if d.way.LabelW > 0 {
		w.text(join("label mid", d.State), d.way.LabelX+d.way.LabelW/2, d.way.LabelY-4, labelSize, d.text())
	}
}

func (w *svg) tip(class string, at layered.Point, away float64) {
	w.line(`<path class="%s" d="M%s %sl%s -4v8z"/>`, class, number(at.X), number(at.Y), number(7*away))
}

func kindClass(kind string) string {
	switch kind {
	case "link":
		return kind
	case "up", "value":
		return "up"
	}
	return ""
}

// text is the label with what has become of the edge.
func (d *drawn) text() string { return marked(d.State, d.Label) }

func marked(s State, text string) string { return strings.TrimSpace(mark(s) + " " + text) }

// title is the name of a node, instances how many there are of a role.
func title(n *Node) string {
	if n.Kind == "connector" && n.Detail != "lb" {
		return marked(n.State, n.Name+" · "+n.Detail)
	}
	return marked(n.State, n.Name)
}

// detail is the second line of a role: what has changed, else its artifact.
func detail(n *Node) string { return cmp.Or(summary(n.Changes), n.Detail) }

func instances(n *Node) string {
	if n.Instances == nil {
		return ""
	}
	return "×" + strconv.Itoa(*n.Instances)
}

func (w *svg) rect(class string, x, y, width, height, radius float64, title string) {
	w.line(`<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="%s"><title>%s</title></rect>`,
		class, number(x), number(y), number(width), number(height), number(radius), escape(strings.TrimSpace(title)))
}

func (w *svg) text(class string, x, y, size float64, text string) {
	if text != "" {
		w.line(`<text class="%s" x="%s" y="%s" font-size="%s">%s</text>`, class, number(x), number(y), number(size), escape(shown(text)))
	}
}

func join(class string, s State) string { return strings.TrimSpace(class + " " + string(s)) }

// number writes a coordinate to a tenth, which is enough and the same on every
// machine.
func number(x float64) string {
	return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
}

// escape makes text fit for XML, whatever it holds.
func escape(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(text)) // a buffer takes everything
	return b.String()
}
