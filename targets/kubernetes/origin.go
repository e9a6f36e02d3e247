package kubernetes

import (
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// origin says where fields of objects come from. In the first path, {x} stands
// for any one part, which {x} in the second stands for as well, in the
// solution's words. More particular ones come first.
type origin struct {
	kinds    string // separated by spaces
	field    string
	solution string
}

const workloads = "Deployment StatefulSet DaemonSet Job"

var origins = []origin{
	{workloads, "spec.replicas", "config.scale.hsize"},
	{workloads, "spec.template.spec.containers.{container}.image", "code.{container}.image"},
	{workloads, "spec.template.spec.containers.{container}.command", "code.{container}.entrypoint"},
	{workloads, "spec.template.spec.containers.{container}.args", "code.{container}.cmd"},
	{workloads, "spec.template.spec.containers.{container}.env.{channel}", "srv.client.{channel}"},
	{workloads, "spec.template.spec.containers.{container}.env.{env}", "code.{container}.mapping.env.{env}"},
	{workloads, "spec.template.spec.containers.{container}.resources.requests.cpu", "code.{container}.size.mincpu"},
	{workloads, "spec.template.spec.containers.{container}.resources.limits.cpu", "code.{container}.size.cpu"},
	{workloads, "spec.template.spec.containers.{container}.resources.limits.memory", "code.{container}.size.memory"},
	{workloads, "spec.template.spec.containers.{container}.resources.requests.memory", "code.{container}.size.memory"},
	{workloads, "spec.template.spec.containers.{container}.resources", "code.{container}.size"},
	{workloads, "spec.template.spec.containers.{container}.livenessProbe", "probe.{container}.liveness"},
	{workloads, "spec.template.spec.containers.{container}.startupProbe", "probe.{container}.liveness.startupGraceWindow"},
	{workloads, "spec.template.spec.containers.{container}.readinessProbe", "probe.{container}.readiness"},
	{workloads, "spec.template.spec.containers.{container}.securityContext", "code.{container}.user"},
	{workloads, "spec.template.spec.containers.{container}.volumeMounts.{path}", "code.{container}.mapping.filesystem.{path}"},
	{workloads, "spec.template.spec.containers.{container}.ports.{server}", "srv.server.{server}"},
	{workloads, "spec.template.spec.containers.{container}.ports.{duplex}", "srv.duplex.{duplex}"},
	{workloads, "spec.template.spec.containers.{container}", "code.{container}"},
	{workloads, "spec.template.spec.volumes.{resource}", "config.resource.{resource}"},
	{workloads, "spec.volumeClaimTemplates", "config.resource"},
	{workloads, "spec.template.spec.nodeSelector", "meta.placement"},
	{workloads, "spec.template.spec.affinity.podAntiAffinity", "meta.maxPerNode"},
	{workloads, "spec.template.spec.affinity", "meta.placement"},
	{workloads, "spec.template.spec.topologySpreadConstraints", "config.resilience"},
	{workloads, "spec.template.spec.terminationGracePeriodSeconds", "meta.stopGrace"},
	{workloads, "spec.template.spec.shareProcessNamespace", "meta.init"},
	{workloads, "spec.template.metadata.annotations", "size.bandwidth"},
	{workloads, "spec.strategy", "meta.rollout"},
	{workloads, "spec.updateStrategy", "meta.rollout"},
	{workloads, "spec.minReadySeconds", "meta.rollout.delay"},
	{"PodDisruptionBudget", "spec", "config.resilience"},
	{"HorizontalPodAutoscaler", "spec", "meta.hpa"},
	{"ConfigMap", "data.{file}", "{file}"},
	{"Service", "spec.ports.{server}", "srv.server.{server}"},
	{"Service", "spec.ports.{duplex}", "srv.duplex.{duplex}"},
	{"Service", "spec.ports.{inbound}", "config.resource.port"},
	{"Ingress HTTPRoute", "spec.tls", "config.resource.servercert"},
	{"Ingress HTTPRoute", "spec.hostnames", "config.resource.serverdomain"},
	{"Ingress HTTPRoute", "spec.rules", "config.resource.serverdomain"},
	{"Ingress", "metadata.annotations", "config.parameter"},
}

// Origin is the path of the value that a field of an object was made of, below
// the object's role, or its deployment for one of no role; nil where it was made
// of no single value. The field is as [targets.Field] returns it.
func Origin(s *solution.Solution, o targets.Object, field []string) []string {
	w := words{deployment: o.Deployment, object: o}
	if d := s.Deployments[o.Deployment]; d != nil {
		w.desc = &d.Artifact.Description
		if r := d.Artifact.Description.Role[o.Role]; r != nil {
			w.desc = &r.Artifact.Description
		}
	}
	if w.desc == nil {
		return nil
	}
	for _, rule := range origins {
		if !filter.Contains(strings.Fields(rule.kinds), o.Kind) {
			continue
		}
		if found, ok := w.match(strings.Split(rule.field, "."), field); ok {
			return fill(strings.Split(rule.solution, "."), found)
		}
	}
	return nil
}

// words translates between the names of objects and those of a role.
type words struct {
	deployment string
	object     targets.Object
	desc       *solution.Description
}

// match compares a field with a pattern that may end before it does.
func (w words) match(pattern, field []string) (map[string][]string, bool) {
	found := map[string][]string{}
	if len(field) < len(pattern) {
		return nil, false
	}
	for i, part := range pattern {
		if !strings.HasPrefix(part, "{") {
			if part != field[i] {
				return nil, false
			}
			continue
		}
		meaning := w.meaning(part, field[i])
		if meaning == nil {
			return nil, false
		}
		found[part] = meaning
	}
	return found, true
}

// fill writes the solution's path.
func fill(pattern []string, found map[string][]string) []string {
	var out []string
	for _, part := range pattern {
		if meaning, ok := found[part]; ok {
			out = append(out, meaning...)
			continue
		}
		out = append(out, part)
	}
	return out
}

// meaning is what a part of a field's path is called in the solution, nil if it
// is no such thing.
func (w words) meaning(kind, name string) []string {
	one := func(keys []string, called func(string) string) []string {
		for _, key := range keys {
			if called(key) == name {
				return []string{key}
			}
		}
		return nil
	}
	itself := func(key string) string { return key }
	switch kind {
	case "{container}":
		return oneOf(targets.Keys(w.desc.Code), name)
	case "{channel}":
		channels := append(targets.Keys(w.desc.Srv.Client), targets.Keys(w.desc.Srv.Duplex)...)
		return one(channels, targets.ChannelVariable)
	case "{server}":
		if name == "lb" {
			return one(targets.Keys(w.desc.Srv.Server), func(key string) string { return w.lb(key) })
		}
		return one(targets.Keys(w.desc.Srv.Server), portName)
	case "{duplex}":
		return one(targets.Keys(w.desc.Srv.Duplex), portName)
	case "{inbound}":
		if w.desc.Builtin {
			return []string{name}
		}
		return nil
	case "{resource}":
		return oneOf(targets.Keys(w.desc.Config.Resource), name)
	case "{file}":
		return w.file(name)
	case "{env}", "{path}":
		return one([]string{name}, itself)
	}
	return nil
}

// oneOf is the key that a label was made of.
func oneOf(keys []string, word string) []string {
	for _, key := range keys {
		if isLabelOf(word, key) {
			return []string{key}
		}
	}
	return nil
}

// lb is the port that clients of lb connectors are led to, for the channel that
// the service was made for.
func (w words) lb(channel string) string {
	if w.object.Name == serviceName(w.deployment, w.object.Role, channel) {
		return "lb"
	}
	return ""
}

// file is the path of the file that a key of a ConfigMap holds.
func (w words) file(key string) []string {
	for _, container := range targets.Keys(w.desc.Code) {
		for _, target := range targets.Keys(w.desc.Code[container].Mapping.Filesystem) {
			if key == fileKey(target) || len(w.desc.Code) > 1 && (key == fileKey(label(container)+target) || key == fileKey(otherLabel(container)+target)) {
				return []string{"code", container, "mapping", "filesystem", target}
			}
		}
	}
	return nil
}
