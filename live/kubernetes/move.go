package kubernetes

import (
	"context"
	"errors"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/json"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
	"kumiki.dev/targets"
)

const (
	// closedKey is the annotation of nodes that kumiki has closed: until when and for a move
	// away from which node, or drained. It is written with the closing, so that a killed run
	// leaves no node closed that nobody knows of.
	closedKey = "kumiki.dev/closed"
	drained   = "drained"
)

// Movables implements [live.Mover], with the pods of the namespace.
func (c *Cluster) Movables(ctx context.Context, node string) ([]live.Movable, error) {
	in, err := c.in(ctx, podAbout(c.Namespace))
	if err != nil {
		return nil, err
	}
	options := metav1.ListOptions{LabelSelector: targets.SolutionLabel}
	if node != "" {
		options.FieldSelector = "spec.nodeName=" + node
	}
	list, err := in.List(ctx, options)
	if err != nil {
		return nil, plainly(err)
	}
	var out []live.Movable
	for i := range list.Items {
		u := &list.Items[i]
		phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
		if phase == "Succeeded" || phase == "Failed" {
			continue
		}
		labels := u.GetLabels()
		m := live.Movable{Solution: labels[targets.SolutionLabel], Place: engine.Place{Deployment: labels[targets.DeploymentLabel], Role: labels[targets.RoleLabel]}, Name: u.GetName(), ID: string(u.GetUID())}
		m.Node, _, _ = unstructured.NestedString(u.Object, "spec", "nodeName")
		m.Stateful = hasClaim(u)
		switch maker := metav1.GetControllerOf(u); {
		case maker == nil:
			m.Fixed = "nothing would make another in its place"
		case maker.Kind == "DaemonSet":
			m.Fixed = live.EachNode
		}
		out = append(out, m)
	}
	return out, nil
}

// hasClaim reports whether a pod has a volume whose data outlives it.
func hasClaim(pod *unstructured.Unstructured) bool {
	volumes, _, _ := unstructured.NestedSlice(pod.Object, "spec", "volumes")
	return filter.Any(volumes, func(v any) bool {
		fields, _ := v.(map[string]any)
		return fields["persistentVolumeClaim"] != nil
	})
}

// Close implements [live.Mover].
func (c *Cluster) Close(ctx context.Context, nodes []string, from string, until time.Time) error {
	mark := drained
	if !until.IsZero() {
		mark = until.UTC().Format(time.RFC3339) + " " + from
	}
	for _, name := range nodes {
		u, err := c.get(ctx, nodeAbout(name))
		if err != nil || u == nil {
			return errors.Join(plainly(err), absent(u, name))
		}
		closed, _, _ := unstructured.NestedBool(u.Object, "spec", "unschedulable")
		if closed && u.GetAnnotations()[closedKey] == "" {
			continue // by somebody else
		}
		if err := c.mark(ctx, name, true, mark); err != nil {
			return err
		}
	}
	return nil
}

func absent(u *unstructured.Unstructured, name string) error {
	if u != nil {
		return nil
	}
	return live.Missing("there is no node " + name)
}

// Open implements [live.Mover].
func (c *Cluster) Open(ctx context.Context, nodes []string) error {
	var failed []error
	for _, name := range nodes {
		u, err := c.get(ctx, nodeAbout(name))
		if err == nil && u != nil && u.GetAnnotations()[closedKey] != "" {
			err = c.mark(ctx, name, false, nil)
		}
		failed = append(failed, plainly(err))
	}
	return errors.Join(failed...)
}

// mark closes or opens a node, and says with the same write that it was kumiki; nil takes
// that away.
func (c *Cluster) mark(ctx context.Context, node string, closed bool, mark any) error {
	in, err := c.in(ctx, nodeAbout(node))
	if err != nil {
		return err
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{closedKey: mark}}, "spec": map[string]any{"unschedulable": closed}})
	if err != nil {
		return err
	}
	_, err = in.Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: Manager})
	return plainly(err)
}

// Reopen implements [live.Mover].
func (c *Cluster) Reopen(ctx context.Context, from string, now time.Time) ([]string, error) {
	list, err := c.nodes(ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range list {
		end, of, _ := strings.Cut(list[i].GetAnnotations()[closedKey], " ")
		until, err := time.Parse(time.RFC3339, end)
		if err != nil || now.Before(until) && of != from {
			continue
		}
		names = append(names, list[i].GetName())
	}
	return names, c.Open(ctx, names)
}

// causes returns what the API server says, with what it says of it in detail.
func causes(err error) string {
	text := plainly(err).Error()
	var said apierrors.APIStatus
	if errors.As(err, &said) && said.Status().Details != nil {
		for _, cause := range said.Status().Details.Causes {
			text += " " + cause.Message
		}
	}
	return text
}

// Evict implements [live.Mover] with the API that respects PodDisruptionBudgets.
func (c *Cluster) Evict(ctx context.Context, m live.Movable) (string, error) {
	in, err := c.in(ctx, podAbout(c.Namespace))
	if err != nil {
		return "", err
	}
	_, err = in.Create(ctx, &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "policy/v1", "kind": "Eviction", "metadata": map[string]any{"name": m.Name, "namespace": c.Namespace},
		"deleteOptions": map[string]any{"preconditions": map[string]any{"uid": m.ID}},
	}}, metav1.CreateOptions{}, "eviction")
	switch {
	case apierrors.IsTooManyRequests(err):
		return causes(err), nil
	case apierrors.IsNotFound(err), apierrors.IsConflict(err): // it is gone, or another by now
		return "", nil
	}
	return "", plainly(err)
}
