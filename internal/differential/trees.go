package differential

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"kumiki.dev/internal/differential/reference"
	"kumiki.dev/value"
)

// object is a JSON object; what is compared is made of them.
type object = map[string]any

// treeOf is kumiki's tree as data.
func treeOf(t *value.Tree) any {
	var up any
	if t.Up != nil {
		up = *t.Up
	}
	return object{"name": t.Name, "up": up, "meta": dataOf(t.Meta), "artifact": nodeOf(t.Root)}
}

func nodeOf(n *value.Node) any {
	ref, _ := json.Marshal(n.Ref)
	spec, _ := json.Marshal(n.Spec)
	out := object{"ref": plain(ref), "spec": plain(spec), "builtin": n.Builtin, "config": dataOf(n.Config), "description": dataOf(n.Description)}
	roles := object{}
	for _, r := range n.Roles {
		roles[r.Name] = object{"meta": dataOf(r.Meta), "artifact": nodeOf(r.Node)}
	}
	out["role"] = roles
	return out
}

func dataOf(d *value.Data) any {
	if d == nil {
		return object{}
	}
	return plain([]byte(d.JSON()))
}

// referenceTree is the reference's tree as data.
func referenceTree(d *reference.Deployment) any {
	return object{"name": d.Name, "up": d.Up, "meta": d.Meta, "artifact": referenceNode(d.Root)}
}

func referenceNode(n *reference.Node) any {
	roles := object{}
	for name, r := range n.Roles {
		roles[name] = object{"meta": r.Meta, "artifact": referenceNode(r.Node)}
	}
	return object{"ref": n.Ref, "spec": n.Spec, "builtin": n.Builtin, "config": n.Config, "description": n.Description, "role": roles}
}

// referenceFlat is what the reference has of the solution.
func referenceFlat(d *reference.Deployment) any {
	flat := reference.Flatten(d)
	deployments, links := object{}, []any{}
	for name, d := range flat.Deployments {
		roles := object{}
		for role, r := range d.Roles {
			roles[role] = object{"ref": r.Ref, "meta": r.Meta, "config": r.Config, "parameter": r.Parameter, "env": r.Env}
		}
		deployments[name] = object{"up": d.Up, "meta": d.Meta, "ref": d.Ref, "config": d.Config, "srv": d.Channels, "role": roles}
	}
	for _, l := range flat.Links {
		links = append(links, object{"s_d": l.From, "s_c": l.FromChannel, "t_d": l.To, "t_c": l.ToChannel, "meta": object{"meta": l.Meta}})
	}
	return plain([]byte(text(object{"deployments": deployments, "links": links})))
}

// subset is those parts of a solution that the reference has as well.
func subset(solution []byte) any {
	s := plain(solution)
	deployments := object{}
	for name, d := range members(s, "deployments") {
		roles := object{}
		for role, r := range members(d, "artifact", "description", "role") {
			roles[role] = object{
				"ref": get(r, "artifact", "ref"), "meta": orEmpty(get(r, "meta")), "config": get(r, "config"),
				"parameter": get(r, "artifact", "description", "config", "parameter"), "env": envOf(r),
			}
		}
		srv := get(d, "artifact", "description", "srv")
		for _, side := range []string{"server", "duplex"} {
			for _, ch := range members(srv, side) {
				delete(ch.(object), "portnum")
			}
		}
		deployments[name] = object{"up": get(d, "up"), "meta": get(d, "meta"), "ref": get(d, "artifact", "ref"), "config": get(d, "config"), "srv": srv, "role": roles}
	}
	return object{"deployments": deployments, "links": get(s, "links")}
}

// envOf is the environment variables of a role that have a value.
func envOf(role any) any {
	out := object{}
	for container, c := range members(role, "artifact", "description", "code") {
		for name, env := range members(c, "mapping", "env") {
			if value := get(env, "value"); value != nil {
				out[container+"."+name] = value
			}
		}
	}
	return out
}

func get(x any, path ...string) any {
	for _, name := range path {
		m, _ := x.(object)
		x = m[name]
	}
	return x
}

func members(x any, path ...string) object {
	m, _ := get(x, path...).(object)
	return m
}

func orEmpty(x any) any {
	if x == nil {
		return object{}
	}
	return x
}

func text(x any) string {
	out, err := json.Marshal(x)
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// difference is the path of the first difference of two values, in the order of
// names, with what is there; "" if there is none.
func difference(a, b any) (path, left, right string) {
	x, ok := a.(object)
	y, both := b.(object)
	if !ok || !both {
		if text(a) == text(b) {
			return "", "", ""
		}
		return ".", text(a), text(b)
	}
	names := slices.Sorted(maps.Keys(x))
	for _, name := range slices.Sorted(maps.Keys(y)) {
		if _, ok := x[name]; !ok {
			return "." + name, "nothing", text(y[name])
		}
	}
	for _, name := range names {
		if _, ok := y[name]; !ok {
			return "." + name, text(x[name]), "nothing"
		}
		if path, left, right := difference(x[name], y[name]); path != "" {
			if path == "." {
				path = ""
			}
			return "." + name + path, left, right
		}
	}
	return "", "", ""
}

// general is a path without the names that cases choose.
func general(path string) string {
	var out []string
	for _, name := range splitPath(path) {
		if slices.Contains(fixed, name) {
			out = append(out, name)
		}
	}
	return joinPath(out)
}

// fixed are the names of the model that say which part of a tree a path is in.
var fixed = []string{"config", "parameter", "resource", "scale", "resilience", "description", "srv", "code", "connect", "vset", "size", "probe", "ref", "spec", "builtin", "meta", "up", "name", "env", "links", "deployments", "role", "#Artifact", "#Deployment", "artifact", "bandwidth", "mapping", "filesystem"}

func splitPath(path string) []string { return strings.Split(path, ".") }

func joinPath(names []string) string { return strings.Join(slices.Compact(names), ".") }
