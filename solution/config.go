package solution

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/internal/diag"
	"kumiki.dev/spread"
)

// config makes the typed form of a finished configuration.
func (e *extractor) config(d *spread.Data) Config {
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

func (e *extractor) resource(path []string, d *spread.Data) *Resource {
	out := &Resource{}
	if err := json.Unmarshal(d.AppendJSON(nil), out); err != nil || isGroupOfNothing(d) {
		e.report(diag.New(diag.BadResource, d.Pos, "resource %s is %s: write one of {volume: id}, {volume: {size: 1, unit: \"G\"}}, {secret: id}, {port: id}, {domain: id}, {certificate: id}, {ca: id}", strings.Join(path, "."), d.JSON()).
			AtPath(append([]string{"config", "resource"}, path...)...))
	}
	return out
}

// isGroupOfNothing tells whether d was read as a group although it holds a
// leaf, which no group does.
func isGroupOfNothing(d *spread.Data) bool {
	if d.Kind != spread.Struct {
		return true
	}
	r := &Resource{}
	if json.Unmarshal(d.AppendJSON(nil), r) != nil || r.Group == nil {
		return r.Group != nil
	}
	return slices.ContainsFunc(d.Fields, func(f spread.Field) bool { return isGroupOfNothing(f.Value) })
}

func scale(d *spread.Data) Scale {
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

// srv makes the channels of an artifact, once a node.
func (e *extractor) srv(n *spread.Node) Srv {
	own, ok := e.channels[n]
	if !ok {
		d := n.Description.Get("srv")
		own = Srv{Client: channels(d.Get("client"), false), Server: channels(d.Get("server"), true), Duplex: channels(d.Get("duplex"), true)}
		e.channels[n] = own
	}
	return Srv{Client: copyChannels(own.Client), Server: copyChannels(own.Server), Duplex: copyChannels(own.Duplex)}
}

func channels(d *spread.Data, server bool) map[string]*Channel {
	out := map[string]*Channel{}
	for _, f := range d.Each() {
		ch := &Channel{Protocol: "http"}
		if p := f.Value.Get("protocol").Str(); p != "" {
			ch.Protocol = p
		}
		if server {
			ch.Port, ch.Portnum = 80, 1
			if p := f.Value.Get("port"); p != nil {
				if n, err := strconv.Atoi(p.Text); err == nil {
					ch.Port = n
				}
			}
		}
		out[f.Name] = ch
	}
	return out
}

// hsize checks that somebody says how many instances of a role run.
func (e *extractor) hsize(r *spread.Role, path []string) {
	if r.Node.Config.Get("scale", "hsize") != nil || r.Node.Package != nil && r.Node.Package.Missing {
		return
	}
	e.report(diag.New(diag.MissingHsize, r.Pos, "nothing says how many instances of role %s run: write scale: detail: %s: hsize: 1 in the deployment's config", strings.Join(path, "."), strings.Join(path, ": detail: ")).
		AtPath(append(slices.Clip(path), "config", "scale", "hsize")...))
}

// checkDetail reports entries of scale.detail for roles that are not there.
func (e *extractor) checkDetail(p placed) {
	var roles []string
	for _, r := range p.node.Roles {
		roles = append(roles, r.Name)
	}
	for _, f := range p.node.Config.Get("scale", "detail").Each() {
		if !slices.Contains(roles, f.Name) {
			e.report(diag.New(diag.UnknownRole, f.Value.Pos, "scale.detail names role %s, which service %s does not have%s", f.Name, p.node.Ref.Name, hint(f.Name, roles)).
				AtPath(append(slices.Clip(p.path), "config", "scale", "detail", f.Name)...))
		}
	}
}

// object is a struct as Go data, {} for none.
func object(d *spread.Data) map[string]any {
	if m, ok := d.Any().(map[string]any); ok {
		return m
	}
	return map[string]any{}
}
