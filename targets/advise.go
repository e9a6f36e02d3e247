package targets

import (
	"cmp"
	"fmt"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
)

// longest is how long a name of objects can be for a role on every target: Kubernetes'
// StatefulSets put their name and a hash into a label.
const longest = MaxName - 11

// roomy is how long the name of a deployment can be so that those of roles fit behind it.
const roomy = longest - 12

// OddNames finds the names of a deployment and of its roles that objects cannot have,
// each once, where it is written. The objects get others, which this tells.
func OddNames(s *solution.Solution) diag.List {
	var out diag.List
	isOdd := false
	if s.Deployments[s.Top] != nil {
		why, better := odd(s.Top)
		if why == "" && len(s.Top) > roomy {
			why, better = fmt.Sprintf("leaves little room for those of its roles, as names of objects have %d letters at most", longest), "SHORTER"
		}
		if isOdd = why != ""; isOdd {
			out = append(out, Lost(diag.OddName, s, s.Top, "", nil, "the deployment's name, %q, %s: its objects are called %s and so on; write name: %q, or give --name %s",
				s.Top, why, example(s, s.Top), better, better))
		}
	}
	told := map[string]bool{}
	for _, name := range Keys(s.Deployments) {
		for _, role := range Keys(s.Deployments[name].Artifact.Description.Role) {
			at := s.Position(name, role).String()
			why, better := odd(role)
			if why == "" && !isOdd && len(Name(MaxName, name, role)) > longest {
				why, better = fmt.Sprintf("makes, behind that of the deployment, a name of more than %d letters", longest), ""
			}
			if why == "" || told[at+role] {
				continue
			}
			told[at+role] = true
			text := fmt.Sprintf("role name %q %s: its objects are called %s", role, why, Name(longest, name, role))
			if better != "" && s.Deployments[name].Artifact.Description.Role[better] == nil {
				text += "; write " + better
			} else if better == "" {
				text += "; write a shorter one"
			}
			out = append(out, Lost(diag.OddName, s, name, role, nil, "%s", text))
		}
	}
	return out
}

// example is the name of an object of a deployment: that of its first role.
func example(s *solution.Solution, name string) string {
	for _, role := range Keys(s.Deployments[name].Artifact.Description.Role) {
		return Name(longest, name, role)
	}
	return Name(longest, name)
}

// odd returns why objects cannot have a name, and the closest name that they can have; "" if
// they can have it.
func odd(name string) (why, better string) {
	better = label(name)
	var parts []string
	for _, x := range []struct{ what, of string }{
		{"capital letters", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}, {"underscores", "_"}, {"dots", "."}, {"spaces", " "},
	} {
		if strings.ContainsAny(name, x.of) {
			parts = append(parts, x.what)
		}
	}
	switch {
	case better == name && len(name) <= longest:
		return "", ""
	case better == name:
		return fmt.Sprintf("has more than %d letters", longest), strings.Trim(name[:longest/2], "-")
	case len(parts) == 0 && len(better) > 0:
		parts = []string{"what is neither a small letter, a digit nor a hyphen between such"}
	case len(parts) == 0:
		return "has no letter that names of objects can have", "app"
	}
	return "has " + strings.Join(parts, " and ") + ", which names of objects cannot have", cmp.Or(better, "app")
}

// WrongHints finds the hints of roles that no target can read.
func WrongHints(s *solution.Solution) diag.List {
	var out diag.List
	for _, name := range Keys(s.Deployments) {
		for _, role := range Keys(s.Deployments[name].Artifact.Description.Role) {
			ReadHints(s.MetaOf(name, role), func(path []string, problem string) {
				path = append([]string{"meta"}, path...)
				out = append(out, Lost(diag.LostMeta, s, name, role, path, "%s of role %s %s", strings.Join(path, "."), role, problem))
			})
		}
	}
	return out
}

// SharedVolumes finds the registered volumes that several roles mount although nobody
// says that they can: each has files of its own then.
func SharedVolumes(s *solution.Solution, o Options) diag.List {
	type place struct {
		deployment, role string
		path             []string
	}
	first, out := map[string]place{}, diag.List{}
	told := map[string]bool{}
	for _, name := range Keys(s.Deployments) {
		roles := s.Deployments[name].Artifact.Description.Role
		for _, role := range Keys(roles) {
			hints := ReadHints(roles[role].Meta, func([]string, string) {})
			for _, key := range mounted(roles[role]) {
				v := roles[role].Config.Resource[key].Volume
				if v == nil || v.ID == "" || o.Claims[v.ID] || hints.EachNode() || told[v.ID] {
					continue
				}
				here := place{name, role, []string{"config", "resource", key, "volume"}}
				other, ok := first[v.ID]
				if !ok {
					first[v.ID] = here
					continue
				}
				if other.deployment == name && other.role == role {
					continue
				}
				told[v.ID] = true
				d := Lost(diag.SharedVolume, s, name, role, here.path, "volume %q is given to role %s and role %s, which do not share it: the instances of each have one of their own; give each role an id of its own, or, if they are to share files, register the volume as shared: %s",
					v.ID, other.role, role, fmt.Sprintf("resource: volume: %q: shared: true in the environment, or --claim %s", v.ID, v.ID))
				if at := s.Position(other.deployment, other.role, other.path...); at.IsValid() {
					d.With(at, "given to role %s", other.role)
				}
				out = append(out, d)
			}
		}
	}
	return out
}

// mounted are the resources of a role that its containers mount.
func mounted(r *solution.Role) []string {
	keys := map[string]bool{}
	for _, c := range r.Artifact.Description.Code {
		for _, f := range c.Mapping.Filesystem {
			if f.Volume != "" && r.Config.Resource[f.Volume] != nil {
				keys[f.Volume] = true
			}
		}
	}
	return Keys(keys)
}
