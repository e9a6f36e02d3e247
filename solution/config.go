package solution

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/value"
)

// config makes the typed form of a finished configuration.
func (e *extractor) config(d *value.Data) Config {
	out := Config{
		Parameter:  map[string]any{},
		Resilience: "0",
		Resource:   map[string]*Resource{},
		Scale:      scale(d.Get("scale")),
	}
	for _, f := range d.Get("parameter").Each() {
		out.Parameter[f.Name] = f.Value.Any()
	}
	if r := d.Get("resilience"); r != nil {
		out.Resilience = json.Number(r.Text)
	}
	for _, f := range d.Get("resource").Each() {
		out.Resource[f.Name] = e.resource([]string{f.Name}, f.Value)
	}
	return out
}

func (e *extractor) resource(path []string, d *value.Data) *Resource {
	out := &Resource{}
	if err := out.set(d.Any(), 0); err != nil {
		e.report(diag.New(diag.BadResource, d.Pos, "resource %s is %s: write one of {volume: id}, {volume: {size: 1, unit: \"G\"}}, {secret: id}, {port: id}, {domain: id}, {certificate: id}, {ca: id}", strings.Join(path, "."), d.JSON()).
			AtPath(append([]string{"config", "resource"}, path...)...))
	}
	return out
}

func scale(d *value.Data) Scale {
	var out Scale
	if h := d.Get("hsize"); h != nil {
		if n, err := strconv.Atoi(h.Text); err == nil {
			out.Hsize = &n
		}
	}
	if detail := d.Get("detail"); detail != nil {
		out.Detail = map[string]*Scale{}
		for _, f := range detail.Fields {
			inner := scale(f.Value)
			out.Detail[f.Name] = &inner
		}
	}
	if qos := d.Get("qos"); qos != nil {
		out.Qos = qos.Any()
	}
	return out
}

// srv makes the channels of an artifact, once a node; they are shared, so that
// who adds to them copies the maps.
func (e *extractor) srv(n *value.Node) Srv {
	own, ok := e.channels[n]
	if !ok {
		own = Srv{Client: e.channelsOf(n, "client"), Server: e.channelsOf(n, "server"), Duplex: e.channelsOf(n, "duplex")}
		e.channels[n] = own
		for _, ch := range keys(own.Duplex) {
			if own.Client[ch] != nil || own.Server[ch] != nil {
				e.report(diag.New(diag.Shape, n.Description.Get("srv", "duplex", ch).Pos, "channel %s of %s is a duplex channel and another as well: name one of them otherwise", ch, n.Called()).
					AtPath("srv", "duplex", ch))
			}
		}
	}
	return own
}

func (e *extractor) channelsOf(n *value.Node, side string) map[string]*Channel {
	out := map[string]*Channel{}
	for _, f := range n.Description.Get("srv", side).Each() {
		if f.Name == "" {
			e.report(diag.New(diag.Shape, f.Value.Pos, "%s has a %s channel with an empty name: a channel has a name", n.Called(), side).AtPath("srv", side))
		}
		ch := &Channel{Protocol: cmp.Or(f.Value.Get("protocol").Str(), "http")}
		if side != "client" {
			ch.Port, ch.Portnum = 80, 1
			if p := f.Value.Get("port"); p != nil {
				ch.Port = e.port(n, f.Name, p)
			}
		}
		out[f.Name] = ch
	}
	return out
}

func (e *extractor) port(n *value.Node, channel string, d *value.Data) int {
	port, err := strconv.Atoi(d.Text)
	if err != nil || port < 1 || port > 65535 {
		e.report(diag.New(diag.Shape, d.Pos, "channel %s of %s has port %s: a port is a number from 1 to 65535", channel, n.Called(), d.Text).
			AtPath("srv", channel, "port"))
	}
	return port
}

// hsize checks that somebody says how many instances of a role run, and that the
// role reads the load that it is told of.
func (e *extractor) hsize(r *value.Role, path []string) {
	e.checkQos(r.Node, path)
	if e.countable(r.Node) || r.Node.Unknown {
		return
	}
	e.report(diag.New(diag.MissingHsize, e.scalePos(r.Pos), "nothing says how many instances of role %s run: write scale: detail: %s: hsize: 1 in the deployment's config", strings.Join(path, "."), strings.Join(path, ": detail: ")).
		AtPath(append(slices.Clip(path), "config", "scale", "hsize")...).With(r.Pos, "role %s", r.Name))
}

// scalePos is where the deployer writes numbers of instances: in scale, else in
// config, else the place that needs them.
func (e *extractor) scalePos(other diag.Pos) diag.Pos {
	for _, d := range []*value.Data{e.tree.Config.Get("scale"), e.tree.Config} {
		if d != nil && d.Pos.IsValid() && !value.IsModel(d.Pos) {
			return d.Pos
		}
	}
	return other
}

// countable reports whether the node has an hsize, and reports one that no
// machine can count.
func (e *extractor) countable(n *value.Node) bool {
	h := n.Config.Get("scale", "hsize")
	if h == nil {
		return false
	}
	if _, err := strconv.ParseInt(h.Text, 10, 32); err != nil {
		e.report(diag.New(diag.Shape, h.Pos, "hsize of component %s is %s: it is the number of instances, %d at most", n.Called(), h.Text, math.MaxInt32).
			AtPath("config", "scale", "hsize"))
	}
	return true
}

// checkDetail reports entries of scale.detail for roles that are not there.
func (e *extractor) checkDetail(p placed) {
	e.checkScale(p)
	roles := map[string]bool{}
	for _, r := range p.node.Roles {
		roles[r.Name] = true
	}
	for _, f := range p.node.Config.Get("scale", "detail").Each() {
		if !roles[f.Name] {
			d := diag.New(diag.UnknownRole, f.Value.Pos, "scale.detail names role %s, which service %s does not have%s", f.Name, p.node.Called(), hint(f.Name, keys(roles)))
			e.renaming(d, f.Name, keys(roles))
			e.report(d.AtPath(append(slices.Clip(p.path), "config", "scale", "detail", f.Name)...))
		}
	}
}

// renaming adds the fix that gives a label the name that it comes near to, if one of that
// name is where the problem is.
func (e *extractor) renaming(d *diag.Diagnostic, name string, names []string) {
	near, ok := diag.Nearest(name, names)
	if !ok || e.labelAt == nil {
		return
	}
	pos, text := e.labelAt(d.Pos)
	if text != name && text != strconv.Quote(name) {
		return // a value that is made, or given in another way
	}
	d.Fixes = []diag.Fix{{
		Title: "rename " + name + " to " + near,
		Edits: []diag.Edit{{Pos: pos, Len: len(text), Text: labelText(near)}},
	}}
}

// plainLabel is a label that needs no quotes.
var plainLabel = lazyregexp.New(`^[a-zA-Z][a-zA-Z0-9]*$`)

func labelText(name string) string {
	if plainLabel().MatchString(name) {
		return name
	}
	return strconv.Quote(name)
}

// object is a struct as Go data, {} for none.
func object(d *value.Data) map[string]any {
	if m, ok := d.Any().(map[string]any); ok {
		return m
	}
	return map[string]any{}
}
