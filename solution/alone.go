package solution

import (
	"maps"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/value"
)

// alone makes a service of a component that is deployed by itself: one role of
// the component's name, with a connector for each of its channels.
func (e *extractor) alone(p placed, d *Deployment) {
	name := roleName(p.node.Ref)
	r := &value.Role{Name: name, Node: p.node, Pos: p.pos}
	if !e.countable(p.node) {
		e.report(diag.New(diag.MissingHsize, e.scalePos(p.pos), "nothing says how many instances of component %s run: write scale: hsize: 1 in the deployment's config", p.node.Called()).
			AtPath("config", "scale", "hsize"))
	}
	e.checkQos(p.node, nil)
	role := e.role(r, name)
	e.out.sources[p.name+"/"+name] = source{pos: p.pos, description: p.node.Description, config: p.node.Config, loadRead: len(p.node.UnreadQos) == 0}
	ref := p.node.Ref
	ref.Kind = "service"
	config := e.config(p.node.Config)
	config.Scale = Scale{Detail: map[string]*Scale{name: &role.Config.Scale}}
	srv := role.Artifact.Description.Srv
	desc := Description{
		Config:    config,
		Srv:       Srv{Client: maps.Clone(srv.Client), Server: maps.Clone(srv.Server), Duplex: map[string]*Channel{}},
		Role:      map[string]*Role{name: role},
		Connector: map[string]*Connector{},
	}
	auto := LinkMeta{Auto: AutoMeta{CompRef: p.node.Ref, RoleName: name}, User: map[string]any{}}
	out := LinkMeta{Auto: AutoMeta{CompRef: ref, RoleName: self}, User: map[string]any{}}
	join := func(kind, ch, from, to string, meta LinkMeta) {
		connector := ch
		for desc.Connector[connector] != nil {
			connector += "_" // a client channel can have the name of a server channel
		}
		desc.Connector[connector] = &Connector{Kind: kind, Clients: []Endpoint{{ch, from}}, Servers: []ServerGroup{{Links: []Endpoint{{ch, to}}, Meta: []LinkMeta{meta}}}}
	}
	for _, ch := range keys(srv.Server) {
		join("lb", ch, self, name, auto)
	}
	for _, ch := range keys(srv.Duplex) {
		join("full", ch, name, name, auto)
	}
	for _, ch := range keys(srv.Client) {
		join("lb", ch, name, self, out)
	}
	d.Artifact = &Artifact{Description: desc, Ref: ref, Spec: p.node.Spec}
	d.Config = config
}

// roleName is the role that a component deployed by itself gets: the last part
// of its name.
func roleName(ref Ref) string {
	name := ref.Name[strings.LastIndex(ref.Name, "/")+1:]
	if name == "" || name == self {
		return "component"
	}
	return name
}

// Alone is the role of a deployment that is a component by itself, "" for another one.
func (s *Solution) Alone(deployment string) string {
	if s.Layout == nil || s.Layout.Deployment != deployment {
		return ""
	}
	return s.Layout.Role
}

// MetaOf is where the hints of a role are. A component that is deployed by itself has those
// of its deployment, as nobody else names its role.
func (s *Solution) MetaOf(deployment, role string) any {
	d := s.Deployments[deployment]
	if meta := d.Artifact.Description.Role[role].Meta; meta != nil || s.Alone(deployment) != role {
		return meta
	}
	return d.Meta
}
