package kubernetes

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/live"
	"kumiki.dev/targets"
)

// Status implements [live.System]: by workloads and their pods.
func (c *Cluster) Status(ctx context.Context, record *live.Record, seen []engine.Seen) ([]live.Status, error) {
	pods, err := c.Pods(ctx, record.Solution, engine.Place{})
	if err != nil {
		return nil, err
	}
	out := []live.Status{}
	for _, m := range record.Objects {
		if !m.Runs {
			continue
		}
		s := live.Status{Place: m.Place.String(), Object: m.ID.String(), Health: "missing", Stopped: stoppedIn(record, m.Place)}
		if at := slices.IndexFunc(seen, func(o engine.Seen) bool { return o.ID == m.ID }); at >= 0 {
			o := seen[at]
			s.Health, s.Ready, s.Wanted, s.Why = string(o.Health), o.Ready, o.Wanted, o.Why
			s.Images = images(o.Value)
			s.Since = o.Since.UTC().Format(time.RFC3339)
		}
		c.addPods(&s, pods, m)
		out = append(out, s)
	}
	sorting.By(out, func(a, b live.Status) int { return strings.Compare(a.Place+" "+a.Object, b.Place+" "+b.Object) })
	return out, nil
}

func stoppedIn(record *live.Record, place engine.Place) bool {
	return filter.Any(record.Stopped, place.Within)
}

// addPods adds what the pods of a workload say.
func (c *Cluster) addPods(s *live.Status, pods []unstructured.Unstructured, m engine.Made) {
	labels := targets.ForeignLabels("", m.Deployment, m.Role)
	for i := range pods {
		of := pods[i].GetLabels()
		if of[targets.DeploymentLabel] != labels[targets.DeploymentLabel] || of[targets.RoleLabel] != labels[targets.RoleLabel] {
			continue
		}
		if why := podProblem(&pods[i]); why != "" && s.Health != string(engine.Healthy) {
			s.Why = why
		}
		restarts, exits := ends(&pods[i])
		s.Restarts += restarts
		node, _, _ := unstructured.NestedString(pods[i].Object, "spec", "nodeName")
		ip, _, _ := unstructured.NestedString(pods[i].Object, "status", "podIP")
		phase, _, _ := unstructured.NestedString(pods[i].Object, "status", "phase")
		s.Instances = append(s.Instances, live.Instance{Name: pods[i].GetName(), Node: node, Address: ip, Phase: phase, Restarts: restarts, Exits: exits})
	}
}

// ends returns how often the containers of a pod were restarted, and how they have ended last.
func ends(pod *unstructured.Unstructured) (restarts int, exits []live.Exit) {
	statuses, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
	for _, one := range statuses {
		fields, _ := one.(map[string]any)
		n, _, _ := unstructured.NestedInt64(fields, "restartCount")
		restarts += int(n)
		name, _, _ := unstructured.NestedString(fields, "name")
		for _, state := range []string{"lastState", "state"} {
			code, ended, _ := unstructured.NestedInt64(fields, state, "terminated", "exitCode")
			if !ended || code == 0 {
				continue
			}
			reason, _, _ := unstructured.NestedString(fields, state, "terminated", "reason")
			at, _, _ := unstructured.NestedString(fields, state, "terminated", "finishedAt")
			exits = append(exits, live.Exit{Container: name, Code: int(code), Reason: reason, At: at})
		}
	}
	return restarts, exits
}

// images returns the images of a workload's containers.
func images(object map[string]any) (out []string) {
	containers, _, _ := unstructured.NestedSlice(object, "spec", "template", "spec", "containers")
	for _, one := range containers {
		fields, _ := one.(map[string]any)
		if image, _, _ := unstructured.NestedString(fields, "image"); image != "" {
			out = append(out, image)
		}
	}
	return out
}
