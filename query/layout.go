package query

import (
	"maps"
	"reflect"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// Node is a place of a solution's layout: what fills it, what it is configured with, and
// what was made for it.
type Node struct {
	// Name is the role's; that of the deployment at the top.
	Name string `json:"name"`
	Type string `json:"type"`
	// Deployment is the one that it is or is in, Role its name there.
	Deployment string `json:"deployment"`
	Role       string `json:"role,omitempty"`
	// Properties are the config as far as this level changes it: at the top all of it,
	// below what the level above does not have with the same value.
	Properties map[string]any `json:"properties,omitempty"`
	// Objects are KIND/NAME of what was made for it on a target.
	Objects []string `json:"objects,omitempty"`
	Roles   []*Node  `json:"roles,omitempty"`
}

// Layout is the tree of a solution before it was flattened, with the objects that were made of it; nil for
// a solution of another tool, which does not say what the tree was.
func Layout(s *solution.Solution, objects []targets.Object) *Node {
	if s.Layout == nil {
		return nil
	}
	b := layouter{s, map[solution.Place]*Node{}}
	top := b.node(s.Layout, s.Top, nil)
	for _, o := range objects {
		n := b.at[solution.Place{Deployment: o.Deployment, Role: o.Role}]
		if n == nil { // of a deployment, in which a role is all that there is, or of all
			n = b.at[solution.Place{Deployment: o.Deployment}]
		}
		if n == nil {
			n = top
		}
		n.Objects = append(n.Objects, o.Kind+"/"+o.Name)
	}
	return top
}

// layouter makes the nodes of a layout.
type layouter struct {
	solution *solution.Solution
	at       map[solution.Place]*Node
}

// node is a place with those below it; above is the config that it got from the level
// above, nil at the top.
func (b layouter) node(l *solution.Layout, name string, above map[string]any) *Node {
	config := b.config(l)
	n := &Node{Name: name, Type: TypeName(l.Artifact), Deployment: l.Deployment, Role: l.Role, Properties: changed(config, above)}
	b.at[solution.Place{Deployment: l.Deployment, Role: l.Role}] = n
	if _, ok := b.at[solution.Place{Deployment: l.Deployment}]; !ok {
		b.at[solution.Place{Deployment: l.Deployment}] = n
	}
	for _, role := range sorting.Ordered(l.Roles) {
		n.Roles = append(n.Roles, b.node(l.Roles[role], role, passed(config, role)))
	}
	return n
}

// config is what a place is configured with, in the fields of the model.
func (b layouter) config(l *solution.Layout) map[string]any {
	d := b.solution.Deployments[l.Deployment]
	c := d.Config
	if r := d.Artifact.Description.Role[l.Role]; r != nil {
		c = r.Config
		c.Parameter = r.Artifact.Description.Config.Parameter
	}
	scale := map[string]any{}
	if c.Scale.Hsize != nil {
		scale["hsize"] = *c.Scale.Hsize
	}
	if c.Scale.Qos != nil {
		scale["qos"] = c.Scale.Qos
	}
	detail := map[string]any{}
	for role, s := range c.Scale.Detail {
		detail[role] = s
	}
	resources := map[string]any{}
	for name, r := range c.Resource {
		resources[name] = r
	}
	return map[string]any{"parameter": c.Parameter, "resource": resources, "resilience": c.Resilience, "scale": scale, "detail": detail}
}

// passed is the config of a level as a role of it would have it if the level said nothing
// of its own.
func passed(config map[string]any, role string) map[string]any {
	above := maps.Clone(config)
	scale := map[string]any{}
	if s, ok := config["detail"].(map[string]any)[role].(*solution.Scale); ok && s != nil {
		if s.Hsize != nil {
			scale["hsize"] = *s.Hsize
		}
		if s.Qos != nil {
			scale["qos"] = s.Qos
		}
		above["detail"] = map[string]any{}
		for name, of := range s.Detail {
			above["detail"].(map[string]any)[name] = of
		}
	}
	above["scale"] = scale
	return above
}

// changed is what of a config is not so above, where that is not nil.
func changed(config, above map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range config {
		was := above[name]
		switch v := v.(type) {
		case map[string]any:
			old, _ := was.(map[string]any)
			if own := differs(v, old); len(own) > 0 {
				out[name] = own
			}
		default:
			if above == nil || !reflect.DeepEqual(v, was) {
				out[name] = v
			}
		}
	}
	if detail, ok := out["detail"]; ok { // it is one of scale's
		delete(out, "detail")
		scale, _ := out["scale"].(map[string]any)
		scale = maps.Clone(scale)
		if scale == nil {
			scale = map[string]any{}
		}
		scale["detail"] = detail
		out["scale"] = scale
	}
	return out
}

// differs are the members of a struct that another one has not, or not with the same value.
func differs(now, old map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range now {
		if was, ok := old[name]; !ok || !reflect.DeepEqual(v, was) {
			out[name] = v
		}
	}
	return out
}
