package kubernetes

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"kumiki.dev/engine"
	"kumiki.dev/targets"
)

const replicasPath = "spec.replicas"

// excuse looks for autoscalers where a workload has another number of instances than was
// given: within its bounds that is theirs to say. Those of the solution count if they are
// wanted. It asks nothing where the numbers are as given.
func (c *Cluster) excuse(ctx context.Context, seen []engine.Seen, desired []engine.Object, wanted func(autoscaler string) bool) error {
	given := map[engine.ID]int64{}
	for _, o := range desired {
		if n, ok, _ := unstructured.NestedInt64(o.Given, "spec", "replicas"); ok && o.Runs {
			given[o.ID] = n
		}
	}
	var scaled []int
	for i, s := range seen {
		live, ok, _ := unstructured.NestedInt64(s.Value, "spec", "replicas")
		if n, has := given[s.ID]; has && ok && live != n {
			scaled = append(scaled, i)
		}
	}
	if len(scaled) == 0 {
		return nil
	}
	in, err := c.in(ctx, engine.About{ID: engine.ID{Kind: "HorizontalPodAutoscaler", Namespace: seen[scaled[0]].Namespace}, Version: "autoscaling/v2"})
	if err != nil {
		return err
	}
	list, err := in.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil // who may not read autoscalers has none that count
	}
	for _, i := range scaled {
		for _, hpa := range list.Items {
			if stays(&hpa, seen[i].Solution, wanted) {
				bounds(&seen[i], &hpa)
			}
		}
	}
	return nil
}

// stays reports whether an autoscaler is somebody else's, or is still desired.
func stays(hpa *unstructured.Unstructured, solution string, wanted func(string) bool) bool {
	labels := hpa.GetLabels()
	return labels[managedBy] != Manager || labels[targets.SolutionLabel] != targets.ForeignLabels(solution, "", "")[targets.SolutionLabel] ||
		wanted(hpa.GetName())
}

// bounds excuses the number of instances where an autoscaler may have set it.
func bounds(s *engine.Seen, hpa *unstructured.Unstructured) {
	kind, _, _ := unstructured.NestedString(hpa.Object, "spec", "scaleTargetRef", "kind")
	name, _, _ := unstructured.NestedString(hpa.Object, "spec", "scaleTargetRef", "name")
	live, _, _ := unstructured.NestedInt64(s.Value, "spec", "replicas")
	least, ok, _ := unstructured.NestedInt64(hpa.Object, "spec", "minReplicas")
	if !ok {
		least = 1
	}
	most, _, _ := unstructured.NestedInt64(hpa.Object, "spec", "maxReplicas")
	if kind != apiKind(s.About) || name != s.Name || live < least || live > most {
		return
	}
	s.Excused = map[string]string{replicasPath: fmt.Sprintf("HorizontalPodAutoscaler/%s keeps from %d to %d", hpa.GetName(), least, most)}
}
