// Package scheduling says what Kubernetes' scheduler looks at: what the pods of objects ask
// for, and what there is on nodes. It makes the input of package capacity.
package scheduling

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"kumiki.dev/capacity"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// workloads are the kinds of objects that pods run for, with the field of what a pod is
// made of.
var workloads = map[string]string{"Deployment": "template", "ReplicaSet": "template", "StatefulSet": "template", "DaemonSet": "template", "Job": "template", "ReplicationController": "template", "Pod": ""}

// workloadOf is what is looked at in such an object.
type workloadOf struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		podSpec
		Replicas    *int64 `json:"replicas"`
		Parallelism *int64 `json:"parallelism"`
		Strategy    struct {
			Type          string `json:"type"`
			RollingUpdate *struct {
				MaxUnavailable any `json:"maxUnavailable"`
			} `json:"rollingUpdate"`
		} `json:"strategy"`
		Template struct {
			Metadata struct {
				Labels map[string]string `json:"labels"`
			} `json:"metadata"`
			Spec podSpec `json:"spec"`
		} `json:"template"`
	} `json:"spec"`
}

// Demands returns the pods of objects. Where an autoscaler decides their number, it is the
// minimum, or with grown the maximum.
func Demands(s *solution.Solution, objects []targets.Object, o targets.Options, grown bool) ([]capacity.Demand, error) {
	scaled := map[string]autoscaled{}
	var out []capacity.Demand
	for _, x := range objects {
		text, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(x.Kind, "HorizontalPodAutoscaler") {
			var h autoscaled
			if err := json.Unmarshal(text, &h); err == nil {
				scaled[h.Spec.ScaleTargetRef.Kind+"/"+h.Spec.ScaleTargetRef.Name] = h
			}
		}
		var w workloadOf
		field, known := workloads[kindOnly(x.Kind)]
		if !known {
			continue
		}
		if err := json.Unmarshal(text, &w); err != nil {
			return nil, fmt.Errorf("%s %s: %w", x.Kind, x.Name, err)
		}
		pod, labels := w.Spec.podSpec, w.Metadata.Labels
		if field != "" {
			pod, labels = w.Spec.Template.Spec, w.Spec.Template.Metadata.Labels
		}
		d, err := pod.demand(o.Namespace, labels)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", x.Kind, x.Name, err)
		}
		d.Solution, d.Deployment, d.Role, d.Object = s.Ref.Name, x.Deployment, x.Role, x.Kind+"/"+x.Name
		w.number(&d)
		out = append(out, d)
	}
	for i := range out {
		if h, ok := scaled[out[i].Object]; ok {
			out[i].Count = max(out[i].Count, h.Spec.MinReplicas)
			if grown {
				out[i].Count = max(out[i].Count, h.Spec.MaxReplicas)
			}
		}
	}
	return out, nil
}

// autoscaled is what is looked at in an autoscaler.
type autoscaled struct {
	Spec struct {
		ScaleTargetRef           struct{ Kind, Name string }
		MinReplicas, MaxReplicas int64
	}
}

// kindOnly is a kind without its group.
func kindOnly(kind string) string {
	kind, group, _ := strings.Cut(kind, ".")
	if group != "" && group != "apps" && group != "batch" {
		return ""
	}
	return kind
}

// demand is what one such pod asks for.
func (p *podSpec) demand(namespace string, labels map[string]string) (capacity.Demand, error) {
	asks, err := p.asks()
	return capacity.Demand{
		Namespace: namespace, Labels: labels, Count: 1, Asks: asks, Where: p.where(), Tolerates: p.tolerates(),
		Apart: p.apart(namespace), Beside: p.beside(namespace), Spread: p.spread(namespace), Ports: p.ports(),
	}, err
}

// maxInstances is more than any cluster has.
const maxInstances = 1 << 24

// number says how many pods there are.
func (w *workloadOf) number(d *capacity.Demand) {
	for _, n := range []*int64{w.Spec.Replicas, w.Spec.Parallelism} {
		if n != nil && w.Kind != "Pod" {
			d.Count = min(max(0, *n), maxInstances)
		}
	}
	switch w.Kind {
	case "DaemonSet":
		d.EachNode = true
		for _, key := range []string{"not-ready", "unreachable", "disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"} {
			d.Tolerates = append(d.Tolerates, capacity.Toleration{Key: "node.kubernetes.io/" + key, Any: true})
		}
		if w.Spec.Template.Spec.HostNetwork {
			d.Tolerates = append(d.Tolerates, capacity.Toleration{Key: "node.kubernetes.io/network-unavailable", Any: true})
		}
	case "Deployment":
		rolling := w.Spec.Strategy.RollingUpdate
		d.Surge = w.Spec.Strategy.Type != "Recreate" && rolling != nil && fmt.Sprint(rolling.MaxUnavailable) == "0"
	}
}

// node is what is looked at in a Node.
type node struct {
	Metadata struct {
		Name   string            `json:"name"`
		Labels map[string]string `json:"labels"`
	} `json:"metadata"`
	Spec struct {
		Unschedulable bool           `json:"unschedulable"`
		Taints        []corev1.Taint `json:"taints"`
	} `json:"spec"`
	Status struct {
		Allocatable amounts `json:"allocatable"`
	} `json:"status"`
}

// livePod is what is looked at in a Pod that is there.
type livePod struct {
	Metadata struct {
		Name            string            `json:"name"`
		Namespace       string            `json:"namespace"`
		Labels          map[string]string `json:"labels"`
		OwnerReferences []owner           `json:"ownerReferences"`
	} `json:"metadata"`
	Spec   podSpec `json:"spec"`
	Status struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

type owner struct {
	Kind string `json:"kind"`
}

// Site is the nodes of a cluster and the pods on them, which are objects as kubectl get
// nodes,pods -A -o json prints them. Pods of the roles of demands are not in it: they are
// replaced.
func Site(objects []map[string]any, demands []capacity.Demand) (capacity.Site, error) {
	var site capacity.Site
	known := map[string]bool{}
	for _, x := range objects {
		var err error
		switch targets.Text(x, "kind") {
		case "Node":
			err = addNode(&site, x, known)
		case "Pod":
			err = addPod(&site, x, demands)
		case "":
			return site, fmt.Errorf("it has an object without a kind: these are no nodes of Kubernetes, as kubectl get nodes,pods -A -o json prints them")
		}
		if err != nil {
			return site, fmt.Errorf("%s %.80q: %w", strings.ToLower(targets.Text(x, "kind")), targets.Text(x, "metadata", "name"), err)
		}
	}
	if len(site.Nodes) == 0 {
		return site, fmt.Errorf("it has no Node: kubectl get nodes,pods -A -o json prints them with all that runs on them")
	}
	return site, nil
}

func addNode(site *capacity.Site, data map[string]any, known map[string]bool) error {
	var n node
	if err := jsondata.Into(data, &n); err != nil {
		return err
	}
	room, err := n.Status.Allocatable.read()
	switch {
	case err != nil:
		return fmt.Errorf("allocatable: %w", err)
	case known[n.Metadata.Name]:
		return fmt.Errorf("there are two of this name")
	case len(room) == 0:
		return fmt.Errorf("it does not say what there is on it (status.allocatable)")
	}
	known[n.Metadata.Name] = true
	room[capacity.Instances] = min(room[capacity.Instances], maxInstances)
	out := capacity.Node{Name: n.Metadata.Name, Type: n.Metadata.Labels["node.kubernetes.io/instance-type"], Labels: n.Metadata.Labels, Room: room, Own: []string{corev1.LabelHostname}}
	for _, t := range n.Spec.Taints {
		out.Taints = append(out.Taints, capacity.Taint{Key: t.Key, Value: t.Value, Effect: string(t.Effect)})
	}
	cordon := capacity.Taint{Key: corev1.TaintNodeUnschedulable, Effect: string(corev1.TaintEffectNoSchedule)}
	if n.Spec.Unschedulable && !filter.Contains(out.Taints, cordon) {
		out.Taints = append(out.Taints, cordon)
	}
	site.Nodes = append(site.Nodes, out)
	return nil
}

func addPod(site *capacity.Site, data map[string]any, demands []capacity.Demand) error {
	var p livePod
	if err := jsondata.Into(data, &p); err != nil {
		return err
	}
	if p.Status.Phase == string(corev1.PodSucceeded) || p.Status.Phase == string(corev1.PodFailed) {
		return nil
	}
	at := p.Metadata
	asks, err := p.Spec.asks()
	if err != nil {
		return err
	}
	for i := range demands {
		if d := &demands[i]; d.Role != "" && targets.SameRole(d.Labels, at.Labels) && (d.Namespace == "" || d.Namespace == at.Namespace) {
			if p.Spec.NodeName != "" {
				d.Replaces++
			}
			return nil
		}
	}
	if p.Spec.NodeName == "" {
		site.Waiting++
		return nil
	}
	each := filter.Contains(at.OwnerReferences, owner{"DaemonSet"})
	site.Running = append(site.Running, capacity.Running{
		Node: p.Spec.NodeName, Namespace: at.Namespace, Labels: at.Labels, Asks: asks,
		Ports: p.Spec.ports(), Apart: p.Spec.apart(at.Namespace), EachNode: each,
	})
	return nil
}
