package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/fluxcd/cli-utils/pkg/kstatus/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/live"
	"kumiki.dev/targets"
)

// selector finds the objects of a solution.
func selector(solution string) string {
	return managedBy + "=" + Manager + "," + targets.SolutionLabel + "=" + targets.ForeignLabels(solution, "", "")[targets.SolutionLabel]
}

// Observe implements [live.Target]: one list for each kind.
func (c *Cluster) Observe(ctx context.Context, solution string, desired []engine.Object, made []engine.Made) ([]engine.Seen, error) {
	known := map[engine.ID]engine.About{}
	for _, m := range made {
		known[m.ID] = m.About
	}
	for _, o := range desired {
		known[o.ID] = o.About
	}
	kinds := map[engine.ID]engine.About{} // one object for each kind
	for _, about := range known {
		kinds[engine.ID{Kind: about.Kind + " " + about.Version, Namespace: about.Namespace}] = about
	}
	keys := sorting.Keys(kinds, func(a, b engine.ID) int { return strings.Compare(a.String()+a.Namespace, b.String()+b.Namespace) })
	var mu sync.Mutex
	var out []engine.Seen
	err := live.Each(ctx, len(keys), func(i int) error {
		seen, err := c.list(ctx, solution, kinds[keys[i]], known)
		mu.Lock()
		defer mu.Unlock()
		out = append(out, seen...)
		return err
	})
	if err != nil {
		return nil, err
	}
	sorting.By(out, func(a, b engine.Seen) int {
		return strings.Compare(a.ID.String()+a.Namespace, b.ID.String()+b.Namespace)
	})
	return out, c.excuse(ctx, out, desired, func(autoscaler string) bool {
		return filter.Any(desired, func(o engine.Object) bool { return o.Kind == "HorizontalPodAutoscaler" && o.Name == autoscaler })
	})
}

// list returns the objects of a solution that are of the kind of one.
func (c *Cluster) list(ctx context.Context, solution string, of engine.About, known map[engine.ID]engine.About) ([]engine.Seen, error) {
	in, err := c.in(ctx, of)
	if errors.Is(err, errNoKind) {
		return nil, nil // it is about to be defined, or not any more
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	items, err := c.items(ctx, in, of, solution)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", of.Kind, err)
	}
	var out []engine.Seen
	for i := range items {
		u := &items[i]
		if u.GetKind() == "" {
			u.SetAPIVersion(of.Version)
			u.SetKind(apiKind(of))
		}
		if seen, ok := c.seen(of, u, known, solution); ok {
			out = append(out, seen)
		}
	}
	return out, nil
}

// items returns the objects of a kind that a solution has.
func (c *Cluster) items(ctx context.Context, in dynamic.ResourceInterface, of engine.About, solution string) ([]unstructured.Unstructured, error) {
	all, err := c.all(ctx, of, managedBy+"="+Manager)
	switch {
	case err != nil:
		return nil, err
	case all != nil:
		return all.by[targets.ForeignLabels(solution, "", "")[targets.SolutionLabel]], nil
	}
	list, err := in.List(ctx, metav1.ListOptions{LabelSelector: selector(solution)})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// seen returns a live object as the engine takes it; false for one that another object owns,
// and for the inventory.
func (c *Cluster) seen(of engine.About, u *unstructured.Unstructured, known map[engine.ID]engine.About, solution string) (engine.Seen, bool) {
	id := engine.ID{Kind: of.Kind, Name: u.GetName()}
	if of.Namespace != "" {
		id.Namespace = u.GetNamespace()
	}
	about, ok := known[id]
	if !ok {
		if metav1.GetControllerOf(u) != nil || u.GetLabels()[inventoryLabel] != "" || id.Kind == "ConfigMap" && id.Name == Inventory(solution) {
			return engine.Seen{}, false
		}
		labels := u.GetLabels()
		about = engine.About{ID: id, Stage: of.Stage, Version: of.Version, Place: engine.Place{Deployment: labels[targets.DeploymentLabel], Role: labels[targets.RoleLabel]}}
	}
	s := engine.Seen{About: about, Solution: solution, Value: u.Object, Since: u.GetCreationTimestamp().Time}
	s.Health, s.Why = health(u)
	if about.Runs {
		s.Ready, s.Wanted = instances(u)
	}
	if u.GetDeletionTimestamp() != nil {
		s.Going, s.Held = true, held(u)
	}
	if isSecret(about) {
		s.Value = sealed(id, u.Object)
	}
	return s, true
}

// instances returns how many of a workload are ready, and should be.
func instances(u *unstructured.Unstructured) (ready, wanted int) {
	number := func(path ...string) int {
		n, _, _ := unstructured.NestedInt64(u.Object, path...)
		return int(n)
	}
	switch u.GetKind() {
	case "DaemonSet":
		return number("status", "numberReady"), number("status", "desiredNumberScheduled")
	case "Job":
		ready = number("status", "ready") + number("status", "succeeded")
		wanted = max(number("spec", "completions"), number("spec", "parallelism"), 1)
		if suspended, _, _ := unstructured.NestedBool(u.Object, "spec", "suspend"); suspended {
			wanted = 0
		}
		return min(ready, wanted), wanted
	}
	wanted = number("spec", "replicas")
	return min(number("status", "readyReplicas"), wanted), wanted
}

// held returns what an object that is being deleted waits for.
func held(u *unstructured.Unstructured) string {
	finalizers := filter.Out(u.GetFinalizers(), func(f string) bool {
		return f == metav1.FinalizerDeleteDependents || f == metav1.FinalizerOrphanDependents
	})

	if len(finalizers) > 0 {
		return "its finalizers are not done: " + strings.Join(finalizers, ", ")
	}
	if len(u.GetFinalizers()) > 0 {
		return "what it has made is being removed"
	}
	return "it is being removed"
}

// health returns an object's health by kstatus, with the reason.
func health(u *unstructured.Unstructured) (engine.Health, string) {
	result, err := status.Compute(u)
	if err != nil {
		return engine.Progressing, err.Error()
	}
	switch result.Status {
	case status.CurrentStatus:
		return engine.Healthy, ""
	case status.FailedStatus:
		return engine.Failed, result.Message
	}
	return engine.Progressing, result.Message
}
