package swarm

import (
	"encoding/json"
	"iter"
	"reflect"
	"strings"

	"kumiki.dev/internal/filter"
	"kumiki.dev/targets"
)

// Orchestrator is what Swarm does with the parts of a stack that change.
type Orchestrator struct{}

// isService reports whether an object is a service: it says how it is deployed.
func isService(o targets.Object) bool {
	return targets.At(o.Value, "image") != nil && targets.At(o.Value, "deploy") != nil
}

// About implements [targets.Orchestrator]. A stack is made as one, its services
// written first: they go first as well, since nothing can that is in use.
func (Orchestrator) About(o targets.Object) targets.About {
	image, _ := targets.At(o.Value, "image").(string)
	service := isService(o)
	return targets.About{
		Workload:  service,
		Helper:    service && strings.HasPrefix(image, proxyRepository) && targets.At(o.Value, "environment", "HAPROXY_CONFIG") != nil,
		External:  targets.At(o.Value, "external") == true,
		GoesFirst: service,
	}
}

// Restarts implements [targets.Orchestrator].
func (Orchestrator) Restarts(old, new targets.Object) bool {
	return isService(new) && !none(old) && !none(new) && (!reflect.DeepEqual(task(old), task(new)) || placed(old, new))
}

// none reports whether a service has no tasks.
func none(o targets.Object) bool {
	n, ok := targets.At(o.Value, "deploy", "replicas").(json.Number)
	return ok && n.String() == "0"
}

// task is what Swarm compares to tell whether a task has to be replaced: all of
// a service but how it is updated, scaled and labelled itself, and where it
// runs, which is looked at by [placed].
func task(o targets.Object) map[string]any {
	out := targets.Without(o.Value)
	out["deploy"] = targets.Without(out["deploy"], "labels", "update_config", "rollback_config", "replicas", "mode", "placement")
	return out
}

// placed reports whether a service asks more of its nodes than before: tasks stay
// where they are as long as their nodes do, whatever else is preferred. Which
// nodes those are is not known here, so that every new constraint counts.
func placed(old, new targets.Object) bool {
	had := targets.Items(old.Value, "deploy", "placement", "constraints")
	return filter.Any(targets.Items(new.Value, "deploy", "placement", "constraints"), func(c any) bool { return !filter.Contains(had, c) })
}

// Fixed implements [targets.Orchestrator].
func (Orchestrator) Fixed(old, new targets.Object) bool {
	switch {
	case isService(new):
		return !reflect.DeepEqual(mode(old), mode(new))
	case targets.At(new.Value, "driver") != nil: // a network
		return !reflect.DeepEqual(targets.Without(old.Value, "labels"), targets.Without(new.Value, "labels"))
	}
	return false
}

func mode(service targets.Object) any {
	if m := targets.At(service.Value, "deploy", "mode"); m != nil {
		return m
	}
	return "replicated"
}

// Scales implements [targets.Orchestrator].
func (Orchestrator) Scales(_, path string) bool { return path == "deploy.replicas" }

// Claims implements [targets.Orchestrator].
func (Orchestrator) Claims(objects []targets.Object) []targets.Claim {
	volumes := map[string]string{} // the names in the swarm, by those in the stack
	for _, o := range objects {
		if name, ok := targets.At(o.Value, "name").(string); ok && o.Kind == "Volume" {
			// What follows is filled in for each task but the first.
			volumes[o.Name], _, _ = strings.Cut(name, "{{")
		}
	}
	var out []targets.Claim
	for _, o := range objects {
		if !isService(o) {
			continue
		}
		for _, v := range targets.Items(o.Value, "volumes") {
			source, _ := targets.At(v, "source").(string)
			if name, ok := volumes[source]; ok && source != "" {
				out = append(out, targets.Claim{Deployment: o.Deployment, Role: o.Role, Name: name})
			}
		}
	}
	return out
}

// Smaller implements [targets.Orchestrator]: volumes have no sizes here.
func (Orchestrator) Smaller(string, string) bool { return false }

// Left implements [targets.Orchestrator]: what is not in the stack is nobody's.
func (Orchestrator) Left(targets.Object) iter.Seq2[string, targets.Object] {
	return func(func(string, targets.Object) bool) {}
}
