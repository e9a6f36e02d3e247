package compose

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"text/template"

	_ "embed"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/literal"
	"golang.org/x/tools/txtar"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/module/scaffold"
)

//go:embed module.txtar
var templates string

// quote is a text in CUE; inner is it without its quotes.
func quote(text string) string { return literal.String.Quote(text) }
func inner(text string) string { q := quote(text); return q[1 : len(q)-1] }

// label quotes a name where CUE needs that.
func label(name string) string { return cue.MakePath(cue.Str(name)).String() }

// field is what follows a struct: .name, or ["name"] where CUE needs that.
func field(name string) string {
	if l := label(name); l != name {
		return "[" + l + "]"
	}
	return "." + name
}

// taken are directories that are no component's.
var taken = []string{"cue.mod", "deploy", "examples"}

// dir is the directory of a component.
func (r *role) dir() string {
	if filter.Contains(taken, r.name) {
		return r.name + "-component"
	}
	return r.name
}

// whole is the directory of the service.
func (a *application) whole() string {
	for _, dir := range []string{"app", "application", "whole", "application-service"} {
		if !filter.Any(a.roles, func(r *role) bool { return r.dir() == dir }) {
			return dir
		}
	}
	return a.name + "-service"
}

// files are the files of the module.
func (a *application) files() ([]scaffold.File, error) {
	t, err := template.New("module").Funcs(template.FuncMap{"label": label, "quote": quote, "field": field, "camel": camel}).Parse(templates)
	if err != nil {
		return nil, err
	}
	var out []scaffold.File
	fill := func(name string, values any) error {
		var text bytes.Buffer
		if err := t.ExecuteTemplate(&text, name, values); err != nil {
			return err
		}
		for _, f := range txtar.Parse(text.Bytes()).Files {
			if f.Data, err = format.Source(f.Data); err != nil {
				return fmt.Errorf("%s: %w\n%s", f.Name, err, text.Bytes())
			}
			out = append(out, scaffold.File{Name: f.Name, Data: f.Data})
		}
		return nil
	}
	for _, r := range a.roles {
		if err := fill("component", r.view()); err != nil {
			return nil, err
		}
	}
	err = fill("service", a.view())
	return out, err
}

// componentView is what the template of a component is filled with.
type componentView struct {
	Name, Dir, Key, Image, User, CPU, Least, Memory string
	Servers                                         []server
	Clients                                         []clientView
	Parameters                                      []parameterView
	Resources                                       []resourceView
	Probe, Entrypoint, Command                      []string
	Env, Files                                      [][2]string
}

type clientView struct{ Channel, Protocol, Of string }

type parameterView struct{ Key, Variable, Value, Type string }

type resourceView struct{ Key, Kind, Path, Value, Doc string }

func (s server) Channel() string  { return s.channel }
func (s server) Protocol() string { return s.protocol }
func (s server) Port() int        { return s.port }

func (r *role) view() componentView {
	v := componentView{
		Name: r.name, Dir: r.dir(), Key: label(r.name), User: r.user, CPU: r.cpu, Least: r.least, Memory: r.memory,
		Servers: r.servers, Probe: r.probe,
	}
	v.Image = r.text(r.image)
	for _, word := range r.entrypoint {
		v.Entrypoint = append(v.Entrypoint, r.text(word))
	}
	for _, word := range r.command {
		v.Command = append(v.Command, r.text(word))
	}
	for _, e := range r.env {
		v.Env = append(v.Env, [2]string{label(e.name), r.source(e)})
	}
	sorting.By(r.mounts, func(a, b mount) int { return strings.Compare(a.path, b.path) })
	for _, m := range r.mounts {
		v.Files = append(v.Files, [2]string{quote(m.path), r.fileSource(m)})
	}
	for _, c := range r.clients {
		v.Clients = append(v.Clients, clientView{label(c.channel), c.to.channelOf(c.server).protocol, c.to.name})
	}
	for _, p := range r.parameters { // the last, as texts make parameters
		v.Parameters = append(v.Parameters, parameterView{label(p.key), p.variable, p.value, p.typ})
	}
	v.Resources = r.resourceViews()
	return v
}

// source is where a variable has its value from, in CUE.
func (r *role) source(e variable) string {
	switch {
	case e.secret != "":
		return "secret: " + quote(e.secret)
	case e.parameter != "":
		return "parameter: " + quote(e.parameter)
	}
	return "value: " + r.text(e.value)
}

func (r *role) fileSource(m mount) string {
	if m.volume != "" {
		return "{volume: " + quote(m.volume) + "}"
	}
	text := literal.String.WithOptionalTabIndent(6).Quote(m.data)
	if hole.MatchString(m.data) {
		text = r.text(m.data)
	}
	return fmt.Sprintf("{\ndata: value: %s\nmode: 0o%o\nrebootOnUpdate: true\n}", text, m.mode)
}

func (r *role) channelOf(name string) server {
	return r.servers[slices.IndexFunc(r.servers, func(s server) bool { return s.channel == name })]
}

// resourceViews are the fields of config.resource.
func (r *role) resourceViews() []resourceView {
	var out []resourceView
	for _, x := range r.resources {
		v := resourceView{Key: label(x.key), Kind: "k.#Secret", Path: field(x.key), Value: "secret: " + quote(x.id)}
		switch {
		case x.kind == "volume" && x.id == "":
			v.Kind, v.Value, v.Doc = "k.#Volume", "volume: "+x.size, "Goes with the instance."
		case x.kind == "volume":
			v.Kind, v.Value, v.Doc = "k.#Volume", "volume: "+quote(x.id), "Is registered in the cluster, and stays."
		default:
			v.Doc = "Is registered in the cluster; manifests have its name only."
		}
		out = append(out, v)
	}
	return out
}

// serviceView is what the template of the service is filled with.
type serviceView struct {
	Name, Module, Path, Dir string
	Roles                   []roleView
	Resources               []resourceView
	Connect                 [][2]string
	Offered                 [][2]string
	Inbounds                []inboundView
}

type roleView struct {
	Name, Key, Alias, Dir, Group string
	Parameters                   []parameterView
	Given, Volatile              []resourceView
	Meta                         []string
	HSize                        int
}

type inboundView struct{ Key, Domain, Host string }

func (a *application) view() serviceView {
	bare, _, _ := strings.Cut(a.module, "@")
	v := serviceView{Name: a.name, Module: a.module, Path: bare, Dir: a.whole()}
	inbounds := 0
	for _, r := range a.roles {
		inbounds += len(filter.Out(r.servers, func(s server) bool { return s.open != "inbound" }))
	}
	for _, r := range a.roles {
		rv := roleView{Name: r.name, Key: label(r.name), Alias: camel(r.name) + "Component", Dir: r.dir(), Group: camel(r.name), Meta: r.meta, HSize: r.hsize}
		for _, p := range r.parameters {
			if p.value == "" {
				a.note("", "variables."+p.variable, "has no value: say config.parameter%s%s in deploy and in examples", field(rv.Group), field(p.key))
			}
			rv.Parameters = append(rv.Parameters, parameterView{label(p.key), p.variable, p.value, p.typ})
		}
		for i, x := range r.resourceViews() {
			if r.resources[i].kind == "volume" && r.resources[i].id == "" {
				rv.Volatile = append(rv.Volatile, x)
				continue
			}
			rv.Given = append(rv.Given, x)
			if !filter.Contains(v.Resources, x) {
				v.Resources = append(v.Resources, x)
			}
		}
		v.Roles = append(v.Roles, rv)
		a.connections(&v, r, inbounds > 1)
	}
	sorting.By(v.Resources, func(a, b resourceView) int { return strings.Compare(a.Key, b.Key) })
	return v
}

// connections are the connectors of a role: to the roles that it asks, and from outside.
func (a *application) connections(v *serviceView, r *role, several bool) {
	add := func(key, text string) { v.Connect = append(v.Connect, [2]string{label(key), text}) }
	for _, c := range r.clients {
		add(r.name+"-"+c.channel, fmt.Sprintf("{from: %s: %s, to: %s: %s: _}", label(r.name), quote(c.channel), label(c.to.name), label(c.server)))
	}
	for _, s := range r.servers {
		switch s.open {
		case "inbound":
			in := inboundView{"inbound-" + r.name, "domain", a.name + ".example.com"}
			if several {
				in.Domain, in.Host = camel(r.name)+"Domain", r.name+"."+in.Host
			}
			add(in.Key, fmt.Sprintf("{from: %s: \"inbound\", to: %s: %s: _}", label(in.Key), label(r.name), label(s.channel)))
			in.Key = label(in.Key)
			v.Inbounds = append(v.Inbounds, in)
		case "service":
			name := r.name + "-" + s.channel
			v.Offered = append(v.Offered, [2]string{label(name), fmt.Sprintf("{protocol: %s, port: %d}", quote(s.protocol), s.port)})
			add("self-"+name, fmt.Sprintf("{from: self: %s, to: %s: %s: _}", quote(name), label(r.name), label(s.channel)))
		}
	}
}
