package kubernetes

import (
	"cmp"
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"kumiki.dev/engine"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/live"
)

func nodeAbout(name string) engine.About {
	return engine.About{ID: engine.ID{Kind: "Node", Name: name}, Version: "v1"}
}

// Nodes implements [live.Noder].
func (c *Cluster) Nodes(ctx context.Context) ([]live.Node, error) {
	list, err := c.nodes(ctx)
	if err != nil {
		return nil, err
	}
	out := []live.Node{}
	for i := range list {
		out = append(out, nodeOf(&list[i]))
	}
	sorting.By(out, func(a, b live.Node) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

func (c *Cluster) nodes(ctx context.Context) ([]unstructured.Unstructured, error) {
	in, err := c.in(ctx, nodeAbout(""))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	list, err := in.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, plainly(err)
	}
	return list.Items, nil
}

func nodeOf(u *unstructured.Unstructured) live.Node {
	node := &corev1.Node{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, node) != nil {
		return live.Node{Name: u.GetName(), Why: "it cannot be read"}
	}
	out := live.Node{Name: node.Name, Version: node.Status.NodeInfo.KubeletVersion, Open: !node.Spec.Unschedulable, Labels: node.Labels}
	for _, a := range node.Status.Addresses {
		if out.Address == "" || a.Type == corev1.NodeInternalIP {
			out.Address = a.Address
		}
	}
	out.CPU, out.Memory = node.Status.Allocatable.Cpu().String(), node.Status.Allocatable.Memory().String()
	for _, condition := range node.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			out.Ready, out.Why = condition.Status == corev1.ConditionTrue, condition.Message
		}
	}
	switch mark := node.Annotations[closedKey]; {
	case !out.Ready:
	case out.Open:
		out.Why = ""
	case mark == drained:
		out.Why = "kumiki drain has closed it"
	case mark != "":
		until, from, _ := strings.Cut(mark, " ")
		out.Why = "kumiki move has closed it until " + until + ", for a move from " + from
	default:
		out.Why = "it is closed (unschedulable)"
	}
	return out
}
