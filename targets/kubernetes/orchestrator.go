package kubernetes

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"kumiki.dev/targets"
)

// Orchestrator is what Kubernetes does with objects that change.
type Orchestrator struct{}

// podKinds are the workloads, with the fields of their spec that can change; nil
// for all but the selector. Everything else is refused by the API server.
var podKinds = map[string][]string{
	"Deployment":  nil,
	"DaemonSet":   nil,
	"Job":         {"parallelism", "completions", "backoffLimit", "suspend", "activeDeadlineSeconds", "ttlSecondsAfterFinished"},
	"StatefulSet": {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy", "minReadySeconds"},
}

// kindOf is the kind that an object is written with.
func kindOf(o targets.Object) string {
	kind, _ := targets.At(o.Value, "kind").(string)
	return kind
}

func namespaceOf(o targets.Object) string {
	namespace, _ := targets.At(o.Value, "metadata", "namespace").(string)
	return namespace
}

func isWorkload(o targets.Object) bool {
	_, ok := podKinds[kindOf(o)]
	version := targets.At(o.Value, "apiVersion")
	return ok && (version == "apps/v1" || version == "batch/v1")
}

// About implements [targets.Orchestrator].
func (Orchestrator) About(o targets.Object) targets.About {
	about := targets.About{Namespace: namespaceOf(o), Workload: isWorkload(o), Stays: o.Kind == "Namespace"}
	switch o.Kind {
	case "PersistentVolumeClaim", "PersistentVolume", "CustomResourceDefinition.apiextensions.k8s.io":
		about.Volume = o.Name // all objects of a kind go with its definition
	}
	return about
}

// Restarts implements [targets.Orchestrator].
func (Orchestrator) Restarts(old, new targets.Object) bool {
	return isWorkload(new) && !none(old) && !none(new) && differ(old, new, "spec", "template")
}

// none reports whether a workload has no instances.
func none(o targets.Object) bool {
	n, ok := targets.At(o.Value, "spec", "replicas").(json.Number)
	return ok && n.String() == "0"
}

func differ(old, new targets.Object, path ...string) bool {
	return !reflect.DeepEqual(targets.At(old.Value, path...), targets.At(new.Value, path...))
}

// Fixed implements [targets.Orchestrator].
func (Orchestrator) Fixed(old, new targets.Object) bool {
	kind := kindOf(new)
	switch {
	case isWorkload(new):
		free := podKinds[kind]
		if free == nil {
			return differ(old, new, "spec", "selector")
		}
		spec := func(o targets.Object) map[string]any { return targets.Without(targets.At(o.Value, "spec"), free...) }
		return !reflect.DeepEqual(spec(old), spec(new))
	case kind == "Service" && targets.At(new.Value, "apiVersion") == "v1":
		// An address that is given, or that there is none, stays.
		return differ(old, new, "spec", "clusterIP")
	case targets.At(new.Value, "immutable") == true && kind != "":
		return differ(old, new, "data") || differ(old, new, "binaryData")
	case targets.At(old.Value, "immutable") == true && kind != "":
		return differ(old, new, "immutable") || differ(old, new, "data")
	}
	return false
}

// Scales implements [targets.Orchestrator].
func (Orchestrator) Scales(kind, path string) bool {
	return path == "spec.replicas" || kind == "Job" && (path == "spec.parallelism" || path == "spec.completions") || kind == "HorizontalPodAutoscaler" && strings.HasPrefix(path, "spec.")
}

// Claims implements [targets.Orchestrator].
func (Orchestrator) Claims(objects []targets.Object) []targets.Claim {
	var out []targets.Claim
	for _, o := range objects {
		if !isWorkload(o) {
			continue
		}
		add := func(name, size string) {
			if namespace := namespaceOf(o); namespace != "" {
				name = namespace + "/" + name
			}
			out = append(out, targets.Claim{Deployment: o.Deployment, Role: o.Role, Name: name, Size: size})
		}
		for _, v := range targets.Items(o.Value, "spec", "template", "spec", "volumes") {
			if name, ok := targets.At(v, "persistentVolumeClaim", "claimName").(string); ok {
				add(name, "")
			}
		}
		for _, t := range targets.Items(o.Value, "spec", "volumeClaimTemplates") {
			name, _ := targets.At(t, "metadata", "name").(string)
			size, _ := targets.At(t, "spec", "resources", "requests", "storage").(string)
			add(name+"-"+o.Name, size)
		}
	}
	return out
}

// Smaller implements [targets.Orchestrator].
func (Orchestrator) Smaller(a, b string) bool {
	x, err := resource.ParseQuantity(a)
	y, wrong := resource.ParseQuantity(b)
	return err == nil && wrong == nil && x.Cmp(y) < 0
}

// Left implements [targets.Orchestrator]: the claims that a StatefulSet has made
// for its instances.
func (Orchestrator) Left(o targets.Object) iter.Seq2[string, targets.Object] {
	return func(yield func(string, targets.Object) bool) {
		if kindOf(o) != "StatefulSet" {
			return
		}
		n := 1
		if replicas, ok := targets.At(o.Value, "spec", "replicas").(json.Number); ok {
			if m, err := strconv.Atoi(replicas.String()); err == nil {
				n = m
			}
		}
		for _, t := range targets.Items(o.Value, "spec", "volumeClaimTemplates") {
			volume := fmt.Sprint(targets.At(t, "metadata", "name"))
			for i := range n {
				if !yield(volume, claimOf(o, fmt.Sprintf("%s-%s-%d", volume, o.Name, i))) {
					return
				}
			}
		}
	}
}

// claimOf is the claim of that name beside an object, as what removes it has to
// know it.
func claimOf(o targets.Object, name string) targets.Object {
	metadata := map[string]any{"name": name}
	if namespace := namespaceOf(o); namespace != "" {
		metadata["namespace"] = namespace
	}
	return targets.Object{Kind: "PersistentVolumeClaim", Name: name, Deployment: o.Deployment, Role: o.Role, Value: map[string]any{
		"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata,
	}}
}
