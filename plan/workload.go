package plan

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// podKinds are the workloads of Kubernetes, with the fields of their spec that
// can change; nil for all but the selector. Everything else is refused by the
// API server.
var podKinds = map[string][]string{
	"Deployment":  nil,
	"DaemonSet":   nil,
	"StatefulSet": {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy", "minReadySeconds"},
}

// isPods tells whether an object is a workload of Kubernetes.
func isPods(value map[string]any) bool {
	kind, _ := value["kind"].(string)
	_, ok := podKinds[kind]
	return ok && value["apiVersion"] == "apps/v1"
}

// isTasks tells whether an object is a service of Swarm: it has no version,
// and says how it is deployed.
func isTasks(value map[string]any) bool {
	return value["apiVersion"] == nil && value["image"] != nil && value["deploy"] != nil
}

func isWorkload(value map[string]any) bool { return isPods(value) || isTasks(value) }

// isHelper tells whether a workload stands beside a role's instances instead of
// being one of them: a proxy that a target adds.
func isHelper(o seen) bool {
	image, _ := o.value["image"].(string)
	return isTasks(o.value) && strings.HasPrefix(image, "docker.io/library/haproxy:") && at(o.value, "environment", "HAPROXY_CONFIG") != nil
}

// restarts tells whether what runs for a workload is replaced when it changes.
// Nothing is where nothing has run, or will.
func restarts(old, new map[string]any) bool {
	switch {
	case none(old) || none(new):
		return false
	case isPods(new):
		return differ(at(old, "spec", "template"), at(new, "spec", "template"))
	case isTasks(new):
		return differ(task(old), task(new)) || placed(old, new)
	}
	return false
}

// none tells whether a workload has no instances.
func none(value map[string]any) bool {
	for _, n := range []any{at(value, "spec", "replicas"), at(value, "deploy", "replicas")} {
		if n, ok := n.(json.Number); ok && n.String() == "0" {
			return true
		}
	}
	return false
}

// differ tells two values of JSON apart.
func differ(a, b any) bool { return !reflect.DeepEqual(a, b) }

// task is what Swarm compares to tell whether a task has to be replaced: all of
// a service but how it is updated, scaled and labelled itself, and where it
// runs, which is looked at by [placed].
func task(service map[string]any) map[string]any {
	out := maps.Clone(service)
	deploy, _ := out["deploy"].(map[string]any)
	deploy = maps.Clone(deploy)
	for _, name := range []string{"labels", "update_config", "rollback_config", "replicas", "mode", "placement"} {
		delete(deploy, name)
	}
	out["deploy"] = deploy
	return out
}

// placed tells whether a service asks more of its nodes than before: tasks stay
// where they are as long as their nodes do, whatever else is preferred. Which
// nodes those are is not known here, so that every new constraint counts.
func placed(old, new map[string]any) bool {
	had, _ := at(old, "deploy", "placement", "constraints").([]any)
	has, _ := at(new, "deploy", "placement", "constraints").([]any)
	return slices.ContainsFunc(has, func(c any) bool { return !slices.Contains(had, c) })
}

// fixed tells whether a field differs that an object cannot change.
func fixed(old, new map[string]any) bool {
	kind, _ := new["kind"].(string)
	switch {
	case isPods(new):
		free := podKinds[kind]
		if free == nil {
			return differ(at(old, "spec", "selector"), at(new, "spec", "selector"))
		}
		return differ(without(at(old, "spec"), free...), without(at(new, "spec"), free...))
	case kind == "Service" && new["apiVersion"] == "v1":
		// An address that is given, or that there is none, stays.
		return differ(at(old, "spec", "clusterIP"), at(new, "spec", "clusterIP"))
	case new["immutable"] == true && kind != "":
		return differ(old["data"], new["data"]) || differ(old["binaryData"], new["binaryData"])
	case old["immutable"] == true && kind != "":
		return differ(old["immutable"], new["immutable"]) || differ(old["data"], new["data"])
	case isTasks(new):
		return differ(mode(old), mode(new))
	case new["apiVersion"] == nil && new["driver"] != nil: // a network of Swarm
		return differ(without(old, "labels"), without(new, "labels"))
	}
	return false
}

func mode(service map[string]any) any {
	if m := at(service, "deploy", "mode"); m != nil {
		return m
	}
	return "replicated"
}

func without(v any, names ...string) map[string]any {
	m, _ := v.(map[string]any)
	m = maps.Clone(m)
	for _, name := range names {
		delete(m, name)
	}
	return m
}
