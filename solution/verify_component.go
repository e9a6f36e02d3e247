package solution

import (
	"strings"

	"kumiki.dev/internal/filter"
)

func (v *verifier) component(p *at, a *Artifact) {
	v.artifact(p, a, "component")
	p, d := p.in("description"), a.Description
	v.needs(!d.Builtin && d.Role == nil && d.Connector == nil, p, "is of a builtin or a service: the roles of a flat service are components")
	v.needs(len(d.Code) > 0, p.in("code"), "is empty: a component has a container")
	for name, code := range each(v, d.Code) {
		if q := p.in("code").in(name); v.needs(code != nil, q, "is null") {
			v.container(q, code, d.Config.Resource)
		}
	}
	v.needs(d.Probe != nil, p.in("probe"), "is missing: write {} for none")
	for name, b := range each(v, d.Probe) {
		v.probe(p.in("probe").in(name), b)
	}
	v.needs(d.Profile != nil, p.in("profile"), "is missing")
	if v.needs(d.Size != nil, p.in("size"), "is missing") {
		v.sized(p.in("size").in("bandwidth"), d.Size.Bandwidth, "bandwidth")
		v.sized(p.in("size").in("mincpu"), d.Size.Mincpu, "cpu")
		v.amount(p.in("size").in("minbandwidth"), d.Size.Minbandwidth)
	}
	for _, side := range d.Srv.sides() {
		for name, c := range each(v, side.channels) {
			v.needs(c == nil || !c.Inherited, p.in("srv").in(side.name).in(name), "is inherited, but a component has nothing to inherit from")
		}
	}
}

// probe checks that each health check has one way to ask.
func (v *verifier) probe(p *at, b *Probe) {
	if !v.needs(b != nil, p, "is null") {
		return
	}
	for _, side := range []struct {
		name  string
		check *Check
	}{{"liveness", b.Liveness}, {"readiness", b.Readiness}} {
		if side.check == nil {
			continue
		}
		ask := side.check.Protocol
		ways := count(ask.Exec != nil, ask.GRPC != nil, ask.HTTP != nil, ask.TCP != nil)
		q := p.in(side.name).in("protocol")
		v.needs(ask.Exec == nil || len(ask.Exec.Command) > 0, q.in("exec").in("command"), "is empty: it is a program and its arguments")
		v.needs(ways == 1, q, "has %d of exec, grpc, http, tcp: it has exactly one", ways)
	}
}

func (v *verifier) container(p *at, c *Container, resources map[string]*Resource) {
	v.needs(c.Name != "", p.in("name"), "is missing")
	if v.needs(c.Image.Tag != "", p.in("image").in("tag"), "is missing") {
		if wrong := c.Image.wrong(); wrong != nil {
			q := p.in("image")
			for _, name := range wrong.path {
				q = q.in(name)
			}
			v.needs(false, q, "%s", wrong.why)
		}
	}
	for field, words := range map[string][]string{"cmd": c.Cmd, "entrypoint": c.Entrypoint} {
		v.needs(!strings.Contains(strings.Join(words, ""), nul), p.in(field), hasNUL)
	}
	if secret := c.Image.Hub.Secret; secret != "" {
		v.uses(p.in("image").in("hub").in("secret"), secret, "secret", resources)
	}
	v.sized(p.in("size").in("cpu"), c.Size.CPU, "cpu")
	v.sized(p.in("size").in("memory"), c.Size.Memory, "ram")
	v.amount(p.in("size").in("mincpu"), c.Size.Mincpu)
	p = p.in("mapping")
	v.needs(c.Mapping.Env != nil, p.in("env"), "is missing: write {} for none")
	v.needs(c.Mapping.Filesystem != nil, p.in("filesystem"), "is missing: write {} for none")
	for name, e := range each(v, c.Mapping.Env) {
		v.needs(isEnvName(name), p.in("env").in(name), "is no name of a variable: that is not empty, and has no = in it")
		v.env(p.in("env").in(name), e, resources)
	}
	for name, f := range each(v, c.Mapping.Filesystem) {
		v.fileAt(p.in("filesystem").in(name), name, f, resources)
	}
}

func (v *verifier) env(p *at, e *Env, resources map[string]*Resource) {
	if !v.needs(e != nil, p, "is null") {
		return
	}
	for _, use := range []struct{ kind, key string }{
		{"secret", e.Secret}, {"domain", e.Domain}, {"port", e.Port}, {"certificate", e.Certificate}, {"ca", e.CA},
	} {
		if use.key != "" {
			v.uses(p.in(use.kind), use.key, use.kind, resources)
		}
	}
	v.needs(e.Value == nil || !strings.Contains(*e.Value, nul), p.in("value"), hasNUL)
	forms := count(e.Value != nil, e.Secret != "", e.Domain != "", e.Port != "", e.Certificate != "", e.CA != "")
	v.needs(forms == 1, p, "has %d of value, secret, domain, port, certificate, ca: it has exactly one", forms)
}

func (v *verifier) fileAt(p *at, path string, f *File, resources map[string]*Resource) {
	if !v.needs(f != nil, p, "is null") {
		return
	}
	v.needs(f.Path == path, p.in("path"), "is %q: it is the key, %q", f.Path, path)
	v.needs(strings.HasPrefix(path, "/"), p, "is not an absolute path")
	wrong := pathError(path)
	v.needs(wrong == "", p, "%s", wrong)
	forms := count(f.Data != nil, f.Volume != "")
	if !v.needs(forms == 1, p, "has %d of data, volume: it has exactly one", forms) {
		return
	}
	if f.Volume != "" {
		v.uses(p.in("volume"), f.Volume, "volume", resources)
		return
	}
	v.needs(filter.Contains(fileFormats, f.Format), p.in("format"), "is %q: it is one of %s", f.Format, strings.Join(fileFormats, ", "))
	_, text := f.Data.Value.(string)
	v.needs(f.Format != "text" || text, p.in("data").in("value"), "is no string, but the format is text")
	v.needs(f.Mode != nil && *f.Mode >= 0 && *f.Mode <= 0o7777, p.in("mode"), "is missing or out of range: it is 0 to 4095 (0o7777)")
	v.needs(f.RebootOnUpdate != nil, p.in("rebootOnUpdate"), "is missing")
}

// uses checks that key names a resource of the kind; a dot leads into a group.
func (v *verifier) uses(p *at, key, kind string, resources map[string]*Resource) {
	r := find(resources, key)
	if v.needs(r != nil, p, "is %s, which config.resource does not have%s", quoted(key), nearby(key, resources)) {
		v.needs(r.Kind() == kind, p, "is %s, which is a %s, not a %s", quoted(key), r.Kind(), kind)
	}
}

func find(resources map[string]*Resource, key string) *Resource {
	if r := resources[key]; r != nil {
		return r
	}
	group, rest, ok := strings.Cut(key, ".")
	if r := resources[group]; ok && r != nil {
		return find(r.Group, rest)
	}
	return nil
}
