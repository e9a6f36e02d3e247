package plan

import (
	"slices"
	"strings"

	"kumiki.dev/solution"
)

// rules give the class of a change in a field.
type rules func(path []string, from, to any) Class

// deploymentRules are those of a deployment, which has no instances itself:
// what reaches those of its roles is in their own entries.
func deploymentRules(path []string, _, _ any) Class {
	if starts(path, "config", "scale") {
		return ScaleOnly
	}
	return ConfigOnly
}

// rule is a row of the table: the class of all fields that a path leads to; "*"
// stands for any name.
type rule struct {
	path  string
	class Class
}

// roleRules are the rules of fields of roles: the first that fits is taken.
// They say what the model asks for; a target may get by with less, or need more.
var roleRules = []rule{
	{"config.scale", ScaleOnly},
	{"meta.hpa", ScaleOnly},
	{"config", ConfigOnly}, // what instances see of it is in their code
	{"code.*.name", ConfigOnly},
	{"code", Rollout},
	{"probe", Rollout},
	{"profile", ConfigOnly},
	{"size.bandwidth", Rollout},
	{"size", ConfigOnly}, // the rest is the sum of the containers', or not enforced
	{"srv", Rollout},
	{"reach", ConfigOnly}, // channels are looked up when they are used
	{"around", Rollout},   // placement of all roles of a deployment
	{"meta.share", Recreate},
	{"meta.placement", Rollout},
	{"meta.spread", Rollout},
	{"meta.maxPerNode", Rollout},
	{"meta.init", Rollout},
	{"meta.stopGrace", Rollout},
	{"meta.restart", Rollout},
	{"meta.root", Rollout},
	{"meta.names", Rollout},
	{"meta.readOnlyRoot", Rollout},
	{"meta.ephemeralStorage", Rollout},
	{"meta.rbac", Rollout},
	{"meta", ConfigOnly}, // how to roll out, who may be connected to, and the author's own
}

// rulesOf are the rules of a role whose old and new form are known.
func rulesOf(o, n *solution.Role) rules {
	used := uses(o)
	for key := range uses(n) {
		used[key] = true
	}
	return func(path []string, from, to any) Class {
		switch {
		case starts(path, "artifact"):
			// A new version that is made of the same restarts nothing.
			if artifactName(o.Artifact.Ref) == artifactName(n.Artifact.Ref) {
				return ConfigOnly
			}
			return Rollout
		case starts(path, "config", "resource") && used[path[2]]:
			return Rollout
		case starts(path, "code", "*", "mapping", "filesystem") && live(o, path) && live(n, path):
			return ConfigOnly
		}
		i := slices.IndexFunc(roleRules, func(r rule) bool { return starts(path, strings.Split(r.path, ".")...) })
		return roleRules[i].class
	}
}

// starts reports whether a path begins with others.
func starts(path []string, with ...string) bool {
	if len(path) < len(with) {
		return false
	}
	for i, word := range with {
		if word != "*" && word != path[i] {
			return false
		}
	}
	return true
}

// live reports whether the file that a path leads into is one whose changes reach
// an instance as it runs.
func live(r *solution.Role, path []string) bool {
	if len(path) < 6 || path[5] != "data" {
		return false
	}
	c := r.Artifact.Description.Code[path[1]]
	if c == nil {
		return false
	}
	f := c.Mapping.Filesystem[path[4]]
	return f != nil && f.RebootOnUpdate != nil && !*f.RebootOnUpdate
}

// uses are the first names of the resources that a role's containers are given.
func uses(r *solution.Role) map[string]bool {
	used := map[string]bool{}
	use := func(key string) {
		name, _, _ := strings.Cut(key, ".")
		used[name], used[key] = true, true
	}
	for _, c := range r.Artifact.Description.Code {
		use(c.Image.Hub.Secret)
		for _, e := range c.Mapping.Env {
			use(e.Secret + e.Domain + e.Port + e.Certificate + e.CA)
		}
		for _, f := range c.Mapping.Filesystem {
			use(f.Volume)
		}
	}
	return used
}
