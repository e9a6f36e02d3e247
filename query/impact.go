package query

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// Touched is a role that a change touches, or a deployment (then Role is "").
type Touched struct {
	Deployment string `json:"deployment"`
	Role       string `json:"role,omitempty"`
	// Path is the roles on the way there from the top, joined with dots.
	Path string `json:"path"`
	// Containers are those of the role that are touched.
	Containers []string `json:"containers,omitempty"`
	// Fields are those of its description that change; none stands for all.
	Fields []string `json:"fields,omitempty"`
}

// ObjectChange is an object that a change touches.
type ObjectChange struct {
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	Deployment string `json:"deployment,omitempty"`
	Role       string `json:"role,omitempty"`
	// Change is changed, new or gone.
	Change string `json:"change"`
	// Restarts tells that what runs is started anew.
	Restarts bool `json:"restarts"`
}

// Differences lists the deployments and roles that differ in two solutions.
func Differences(old, now *solution.Solution) []Touched {
	before, after := parts(old), parts(now)
	all := maps.Clone(before)
	maps.Copy(all, after)
	keys := sorting.Keys(all, func(a, b part) int {
		return slices.Compare([]string{a.deployment, a.role}, []string{b.deployment, b.role})
	})
	out := []Touched{}
	for _, k := range keys {
		fields := differing(leaves(before[k]), leaves(after[k]))
		if len(fields) > 0 {
			out = append(out, touched(now, k.deployment, k.role, fields))
		}
	}
	return out
}

// part is a role of a deployment; role is "" for the deployment itself.
type part struct{ deployment, role string }

// parts is the description of each part of a solution: for a deployment,
// without its roles.
func parts(s *solution.Solution) map[part]any {
	out := map[part]any{}
	for name, d := range s.Deployments {
		own := d.Artifact.Description
		own.Role = nil
		out[part{name, ""}] = own
		for role, r := range d.Artifact.Description.Role {
			desc := r.Artifact.Description
			out[part{name, role}] = struct {
				solution.Description
				Meta any          `json:"meta,omitempty"`
				Ref  solution.Ref `json:"ref"`
			}{desc, r.Meta, r.Artifact.Ref}
		}
	}
	return out
}

func touched(s *solution.Solution, deployment, role string, fields [][]string) Touched {
	t := Touched{Deployment: deployment, Role: role, Path: Owner(s, deployment, role).Path}
	containers := map[string]bool{}
	for _, f := range fields {
		t.Fields = append(t.Fields, dotted(f))
		switch {
		case f[0] == "code" && len(f) > 1:
			containers[f[1]] = true
		case len(f) > 2 && f[0] == "config" && f[1] == "resource":
			for _, name := range users(s, deployment, role, f[2:]) {
				containers[name] = true
			}
		}
	}
	t.Containers = sorting.Ordered(containers)
	return t
}

// users are the containers of a role that have a resource: path is that of the
// resource and what is below it, as in db.password.secret.
func users(s *solution.Solution, deployment, role string, path []string) []string {
	d := s.Deployments[deployment]
	if d == nil || d.Artifact.Description.Role[role] == nil {
		return nil
	}
	isKey := func(key string) bool {
		below, ok := strings.CutPrefix(strings.Join(path, "."), key)
		return key != "" && ok && (below == "" || below[0] == '.')
	}
	var out []string
	for name, c := range d.Artifact.Description.Role[role].Artifact.Description.Code {
		used := isKey(c.Image.Hub.Secret)
		for _, e := range c.Mapping.Env {
			used = used || filter.Any([]string{e.Secret, e.Domain, e.Port, e.Certificate, e.CA}, isKey)
		}
		for _, f := range c.Mapping.Filesystem {
			used = used || isKey(f.Volume)
		}
		if used {
			out = append(out, name)
		}
	}
	return out
}

// leaves are the values of anything, as JSON, by their paths.
func leaves(x any) map[string]string {
	out := map[string]string{}
	text, err := json.Marshal(x)
	if err != nil {
		panic(err) // a solution always encodes
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		panic(err)
	}
	var walk func(path []string, x any)
	walk = func(path []string, x any) {
		switch x := x.(type) {
		case map[string]any:
			for key, member := range x {
				walk(append(slices.Clip(path), key), member)
			}
		case []any:
			for i, item := range x {
				walk(append(slices.Clip(path), strconv.Itoa(i)), item)
			}
		default:
			text, _ := json.Marshal(x) // a scalar always encodes
			out[strings.Join(path, "\x00")] = string(text)
		}
	}
	walk(nil, plain)
	return out
}

func differing(a, b map[string]string) [][]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	var out [][]string
	for _, key := range sorting.Ordered(all) {
		before, had := a[key]
		after, has := b[key]
		if before != after || had != has {
			out = append(out, strings.Split(key, "\x00"))
		}
	}
	return out
}

// dotted writes a path down; names with dots in them are quoted.
func dotted(path []string) string {
	var words []string
	for _, name := range path {
		if strings.ContainsAny(name, ". ") || name == "" {
			name = strconv.Quote(name)
		}
		words = append(words, name)
	}
	return strings.Join(words, ".")
}

// Uses lists the roles and deployments that an artifact fills, with all of their
// containers.
func Uses(s *solution.Solution, name string) []Touched {
	out := []Touched{}
	for _, x := range Instances([]Facts{FactsOf(s)}, name) {
		t := Touched{Deployment: x.Deployment, Path: x.Path}
		for role, r := range s.Deployments[x.Deployment].Artifact.Description.Role {
			if TypeName(r.Artifact.Ref) == x.Type && (role == x.Name || x.Path == "") {
				t.Role, t.Containers = role, sorting.Ordered(r.Artifact.Description.Code)
			}
		}
		out = append(out, t)
	}
	return out
}

// Objects lists the objects that differ.
func Objects(old, now []targets.Object) []ObjectChange {
	key := func(o targets.Object) string { return o.Kind + "/" + o.Name }
	before := map[string]targets.Object{}
	for _, o := range old {
		before[key(o)] = o
	}
	out := []ObjectChange{}
	for _, o := range now {
		was, ok := before[key(o)]
		delete(before, key(o))
		c := ObjectChange{o.Kind, o.Name, o.Deployment, o.Role, "changed", false}
		switch {
		case !ok:
			c.Change = "new"
		case string(encoded(was.Value)) == string(encoded(o.Value)):
			continue
		default:
			c.Restarts = string(encoded(running(was))) != string(encoded(running(o)))
		}
		out = append(out, c)
	}
	for _, o := range old {
		if _, gone := before[key(o)]; gone {
			out = append(out, ObjectChange{o.Kind, o.Name, o.Deployment, o.Role, "gone", false})
		}
	}
	return out
}

// ObjectsOf lists the objects that are made for the roles and deployments.
func ObjectsOf(objects []targets.Object, places []Touched) []ObjectChange {
	out := []ObjectChange{}
	for _, o := range objects {
		for _, p := range places {
			if o.Deployment == p.Deployment && o.Role == p.Role {
				out = append(out, ObjectChange{o.Kind, o.Name, o.Deployment, o.Role, "changed", running(o) != nil})
				break
			}
		}
	}
	return out
}

// running is what instances are started from: the template of pods, or what a
// service of a swarm says about its tasks. It is nil for objects of other kinds.
func running(o targets.Object) any {
	var plain map[string]any
	if json.Unmarshal(encoded(o.Value), &plain) != nil {
		return nil
	}
	if _, swarm := plain["image"]; swarm { // the parts that are about the service only
		delete(plain, "ports")
		deploy, _ := plain["deploy"].(map[string]any)
		for _, key := range []string{"replicas", "mode", "labels", "update_config", "rollback_config", "endpoint_mode"} {
			delete(deploy, key)
		}
		return plain
	}
	spec, _ := plain["spec"].(map[string]any)
	return spec["template"]
}

func encoded(x any) []byte {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err) // objects always encode
	}
	return text
}
