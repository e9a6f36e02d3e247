package reference

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// Flat is what a solution says of deployments, their config, channels, and the
// links between them: docs/model.md, "How a tree becomes flat".
type Flat struct {
	Deployments map[string]*FlatDeployment
	Links       []Link // in order
}

// FlatDeployment is a deployment of a solution.
type FlatDeployment struct {
	Up, Meta, Ref any
	Config        map[string]any
	Channels      map[string]any      // "client", "server" and "duplex", each by name
	Roles         map[string]FlatRole // of a service
}

// FlatRole is a role that a component fills.
type FlatRole struct {
	Ref, Meta any
	Config    map[string]any // without parameters
	Parameter any            // of the artifact
	Env       map[string]any // by container and name, where a value is known
}

// Link joins a client channel with a server channel.
type Link struct {
	From, FromChannel, To, ToChannel string
	Meta                             any
}

// Flatten makes the flat form of a deployment.
func Flatten(d *Deployment) Flat {
	out := Flat{Deployments: map[string]*FlatDeployment{}}
	out.add(d.Name, d.Up, d.Meta, d.Root)
	slices.SortFunc(out.Links, func(a, b Link) int {
		return cmp.Or(strings.Compare(a.From, b.From), strings.Compare(a.FromChannel, b.FromChannel), strings.Compare(a.To, b.To), strings.Compare(a.ToChannel, b.ToChannel))
	})
	return out
}

func (out *Flat) add(name string, up, meta any, n *Node) *FlatDeployment {
	d := &FlatDeployment{Up: up, Meta: meta, Ref: n.Ref, Config: maps.Clone(n.Config), Channels: channels(n), Roles: map[string]FlatRole{}}
	out.Deployments[name] = d
	switch {
	case n.Builtin:
		d.Config["parameter"] = map[string]any{}
	case isComponent(n):
		d.alone(n)
	default:
		for _, role := range slices.Sorted(maps.Keys(n.Roles)) {
			r := n.Roles[role]
			if isComponent(r.Node) && !r.Node.Builtin {
				d.Roles[role] = flatRole(r.Node, r.Meta)
			} else {
				child := out.add(name+"."+role, name, r.Meta, r.Node)
				out.promote(name, d, role, child)
			}
		}
	}
	return d
}

// promote gives a service the channels of a role that is a deployment of its own,
// with the sides swapped, and links each pair.
func (out *Flat) promote(name string, d *FlatDeployment, role string, child *FlatDeployment) {
	below := name + "." + role
	for _, side := range []string{"client", "server", "duplex"} {
		for _, channel := range keys(child.Channels[side]) {
			if get(child.Channels, side, channel, "inherited") == true {
				continue
			}
			inherited := role + "." + channel
			if side != "server" {
				out.Links = append(out.Links, Link{below, channel, name, inherited, d.Meta})
			}
			if side != "client" {
				out.Links = append(out.Links, Link{name, inherited, below, channel, child.Meta})
			}
			other := map[string]string{"client": "server", "server": "client", "duplex": "duplex"}[side]
			d.Channels[other].(map[string]any)[inherited] = map[string]any{"inherited": true, "protocol": get(child.Channels, side, channel, "protocol")}
		}
	}
}

// alone makes a service with one role of a component that is deployed by itself.
func (d *FlatDeployment) alone(n *Node) {
	name, _ := get(n.Ref, "name").(string)
	role := name[strings.LastIndex(name, "/")+1:]
	if role == "" || role == "self" {
		role = "component"
	}
	d.Ref = merge(n.Ref, map[string]any{"kind": "service"})
	d.Config["scale"] = map[string]any{"detail": map[string]any{role: n.Config["scale"]}}
	d.Channels["duplex"] = map[string]any{}
	d.Roles[role] = flatRole(n, map[string]any{})
}

func flatRole(n *Node, meta any) FlatRole {
	r := FlatRole{Ref: n.Ref, Meta: meta, Config: maps.Clone(n.Config), Parameter: n.Config["parameter"], Env: map[string]any{}}
	delete(r.Config, "parameter")
	for _, container := range keys(n.Description["code"]) {
		env := get(n.Description, "code", container, "mapping", "env")
		for _, variable := range keys(env) {
			key, isParameter := get(env, variable, "parameter").(string)
			value := get(env, variable, "value")
			if isParameter {
				value = parameter(n, key)
			}
			if value != nil {
				r.Env[container+"."+variable] = value
			}
		}
	}
	return r
}

// parameter is the text of a parameter in an environment variable: strings as they
// are, anything else as JSON.
func parameter(n *Node, key string) string {
	value := get(n.Config, "parameter", key)
	if !has(n.Config["parameter"], key) {
		value = get(n.Config["parameter"], strings.Split(key, ".")...)
	}
	if s, ok := value.(string); ok {
		return s
	}
	return plainJSON(value)
}

func channels(n *Node) map[string]any {
	out := map[string]any{}
	for _, side := range []string{"client", "server", "duplex"} {
		own := map[string]any{}
		for _, name := range keys(get(n.Description, "srv", side)) {
			own[name] = merge(map[string]any{"inherited": false}, get(n.Description, "srv", side, name))
		}
		out[side] = own
	}
	return out
}

func isComponent(n *Node) bool { return get(n.Ref, "kind") == "component" }
