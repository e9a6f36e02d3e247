package kubernetes

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"kumiki.dev/engine"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
)

const (
	managedBy = "app.kubernetes.io/managed-by"
	// restartKey is the annotation of pods that counts how often they were restarted.
	restartKey = "kumiki.dev/restart"
	// stoppedKey is a label that no node has.
	stoppedKey = "kumiki.dev/stopped"
)

// The stages in which objects are made.
const (
	defining = iota // kinds that others are of
	beforehand
	running
	around // what is about what runs
)

// stageOf returns the stage of a kind.
func stageOf(name string) int {
	switch name {
	case "CustomResourceDefinition.apiextensions.k8s.io":
		return defining
	case "Deployment", "StatefulSet", "DaemonSet", "Job", "CronJob":
		return running
	case "PodDisruptionBudget", "HorizontalPodAutoscaler", "Ingress", "Gateway", "HTTPRoute", "TCPRoute":
		return around
	}
	return beforehand
}

// Inventory returns the name of the ConfigMap that has the record of a solution.
func Inventory(solution string) string {
	return targets.Name(targets.MaxName, solution, kubernetes.InventoryPart)
}

// Objects implements [live.System]. Neither the namespace is among them nor the inventory,
// which is written with the record.
func (c *Cluster) Objects(solution string, lowered []targets.Object, restarts map[string]int) ([]engine.Object, error) {
	var out []engine.Object
	for _, o := range lowered {
		if o.Kind == "Namespace" && o.Deployment == "" || o.Kind == "ConfigMap" && o.Name == Inventory(solution) && o.Deployment == "" {
			continue
		}
		made, err := c.object(o, restarts)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", o.Kind, o.Name, err)
		}
		out = append(out, made)
	}
	return out, nil
}

func (c *Cluster) object(o targets.Object, restarts map[string]int) (engine.Object, error) {
	plain, err := kubernetes.Plain(o)
	if err != nil {
		return engine.Object{}, err
	}
	given, err := native(plain)
	if err != nil {
		return engine.Object{}, err
	}
	about := kubernetes.Orchestrator{}.About(targets.Object{Kind: o.Kind, Name: o.Name, Value: plain})
	out := engine.Object{Given: given, About: engine.About{
		ID: engine.ID{Kind: o.Kind, Name: o.Name, Namespace: about.Namespace}, Place: engine.Place{Deployment: o.Deployment, Role: o.Role},
		Stage: stageOf(o.Kind), Stays: about.Stays, Runs: about.Workload,
	}}
	out.Version, _ = given["apiVersion"].(string)
	if about.Volume != "" {
		out.Volume = out.Place.String() + "/" + about.Volume
	}
	if out.Stage == defining {
		group, _, _ := unstructured.NestedString(given, "spec", "group")
		c.defs[group] = true
	}
	if out.Runs {
		closeEnv(given)
	}
	out.Given = restarted(out, restarts)
	out.Halts, out.Halted = halted(out)
	if isSecret(out.About) {
		c.real[out.ID] = out.Given
		out.Given = sealed(out.ID, out.Given)
	}
	return out, nil
}

// closeEnv gives containers without variables none, in so many words: one that somebody adds
// differs from that.
func closeEnv(given map[string]any) {
	for _, list := range []string{"containers", "initContainers"} {
		containers, _, _ := unstructured.NestedFieldNoCopy(given, "spec", "template", "spec", list)
		all, _ := containers.([]any)
		for _, one := range all {
			if container, ok := one.(map[string]any); ok && container["env"] == nil {
				container["env"] = []any{}
			}
		}
	}
}

// native returns data with numbers as Kubernetes' own libraries have them.
func native(plain map[string]any) (map[string]any, error) {
	text, err := json.Marshal(plain)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	return out, json.Unmarshal(text, &out)
}

// restarted returns an object whose pods say how often they were restarted, where they were.
func restarted(o engine.Object, restarts map[string]int) map[string]any {
	n := 0
	for _, path := range sorting.Ordered(restarts) {
		if o.Within(path) {
			n += restarts[path]
		}
	}
	if n == 0 || !o.Runs || o.Kind == "Job" {
		return o.Given
	}
	given := unstructured.Unstructured{Object: o.Given}
	copied := given.DeepCopy().Object
	_ = unstructured.SetNestedField(copied, strconv.Itoa(n), "spec", "template", "metadata", "annotations", restartKey)
	return copied
}

// halted returns what an object is while its place is stopped.
func halted(o engine.Object) (bool, map[string]any) {
	var value any = int64(0)
	var path []string
	switch o.Kind {
	case "Deployment", "StatefulSet":
		path = []string{"spec", "replicas"}
	case "DaemonSet":
		value, path = map[string]any{stoppedKey: "true"}, []string{"spec", "template", "spec", "nodeSelector"}
	case "Job", "CronJob":
		value, path = true, []string{"spec", "suspend"}
	case "HorizontalPodAutoscaler":
		return true, nil
	default:
		return false, nil
	}
	given := unstructured.Unstructured{Object: o.Given}
	copied := given.DeepCopy().Object
	_ = unstructured.SetNestedField(copied, value, path...)
	return true, copied
}

// apiKind returns the kind without the group.
func apiKind(about engine.About) string {
	name, _, _ := strings.Cut(about.Kind, ".")
	return name
}
