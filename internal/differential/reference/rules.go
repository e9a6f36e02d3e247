package reference

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
)

// Kumiki's own rules are what docs/model.md lists under that heading; CUE knows
// nothing of them. Each is one call of check, with the code of its error.

// check refuses what breaks a rule.
func (s *spreader) check(holds bool, rule, format string, args ...any) bool {
	if !holds {
		s.refuse(rule, format, args...)
	}
	return holds
}

func (s *spreader) deploymentRules(d *Deployment) {
	s.check(d.Name != "", "solution/shape", "the deployment has no name")
}

// solutionRules are those of all that a deployment becomes.
func (s *spreader) solutionRules(d *Deployment) {
	up, _ := d.Up.(string)
	s.check(Flatten(d).Deployments[up] == nil, "solution/up-cycle", "the deployment is up of itself, by %q", up)
}

// hasArtifact reports whether somebody has said which artifact is meant; the
// model alone says no more than that there is one.
func (s *spreader) hasArtifact(artifact cue.Value, path []string) bool {
	rule := "spread/role-without-artifact"
	if len(path) == 1 {
		rule = "spread/no-artifact"
	}
	return s.check(at(artifact, "description").Exists(), rule, "nothing fills %s", strings.Join(path, "."))
}

// declared refuses members of sections that the artifact says nothing of. About
// those of which it does, CUE knows.
func (s *spreader) declared(artifact cue.Value, path []string, given any) bool {
	holds := true
	for _, section := range []string{"parameter", "resource"} {
		if isUnsaid(at(artifact, "description", "config"), section) {
			names := keys(get(given, section))
			holds = s.check(len(names) == 0, "spread/undeclared-field", "%s declares no %s, and gets %v", strings.Join(path, "."), section, names) && holds
		}
	}
	s.unregistered(at(artifact, "description", "config", "resource"), nil)
	return holds
}

// resourceKinds are what a resource is: an object with one of these members, whose
// value is the id of something that is registered in a cluster.
var resourceKinds = []string{"volume", "secret", "port", "domain", "certificate", "ca"}

// unregistered refuses what an artifact says of the cluster that it is deployed
// to: defaults and ids of resources.
func (s *spreader) unregistered(v cue.Value, path []string) {
	if d, ok := v.Default(); ok && d.Exists() {
		s.refuse("spread/resource-default", "%v has a default", path)
		return
	}
	for fields, err := v.Fields(cue.Optional(true)); err == nil && fields.Next(); {
		name := fields.Selector().Unquoted()
		if id, err := fields.Value().String(); err == nil && slices.Contains(resourceKinds, name) {
			s.refuse("spread/resource-in-artifact", "%v is %q", path, id)
			continue
		}
		s.unregistered(fields.Value(), append(slices.Clip(path), name))
	}
}

// roleRules refuses ids of resources that the service did not get itself.
func (s *spreader) roleRules(service *Node, given any, name string) {
	s.check(name != "" && name != "self" && !strings.ContainsAny(name, "./"), "solution/shape", "%q is no name for a role", name)
	had := map[string]bool{}
	eachString(service.Config, func(_, id string) { had[id] = true })
	eachString(get(given, "resource"), func(kind, id string) {
		isID := slices.Contains(resourceKinds, kind)
		s.check(!isID || had[id], "spread/resource-in-artifact", "role %s gets %s %q, which its service does not have", name, kind, id)
	})
}

// eachString visits the strings in data, each with the name of its member.
func eachString(x any, visit func(name, text string)) {
	for _, name := range keys(x) {
		if text, ok := get(x, name).(string); ok {
			visit(name, text)
		}
		eachString(get(x, name), visit)
	}
	if list, ok := x.([]any); ok {
		for i, item := range list {
			eachString(map[string]any{fmt.Sprint(i): item}, visit)
		}
	}
}

// artifactRules are those of every artifact.
func (s *spreader) artifactRules(n *Node) {
	s.resources(get(n.Config, "resource"), true)
	srv := n.Description["srv"]
	for _, side := range []string{"client", "server", "duplex"} {
		for _, channel := range keys(get(srv, side)) {
			s.check(channel != "", "solution/shape", "a channel has no name")
			s.check(side == "duplex" || get(srv, "duplex", channel) == nil, "solution/shape", "channel %s is duplex and %s", channel, side)
		}
	}
	if get(n.Ref, "kind") == "component" && !n.Builtin {
		s.componentRules(n)
	}
}

// resources refuses what is neither a resource nor a group of them.
func (s *spreader) resources(x any, group bool) {
	members, ok := x.(map[string]any)
	if !s.check(ok, "solution/bad-resource", "%v is no resource", x) || !group && isResource(members) {
		return
	}
	for _, name := range keys(x) {
		s.resources(members[name], false)
	}
}

func isResource(members map[string]any) bool {
	if len(members) != 1 {
		return false
	}
	for _, kind := range resourceKinds {
		if id, ok := members[kind].(string); ok {
			return id != ""
		}
	}
	volume := members["volume"]
	return get(volume, "size") != nil && get(volume, "unit") != nil && get(volume, "kind") == "storage" && len(keys(volume)) == 3
}
