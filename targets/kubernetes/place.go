package kubernetes

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"kumiki.dev/diag"
	"kumiki.dev/targets"
)

// The labels that nodes have on every cluster of more than one.
const (
	hostLabel = "kubernetes.io/hostname"
	zoneLabel = "topology.kubernetes.io/zone"
)

// nodeLabels are what other platforms call labels that nodes have here.
var nodeLabels = map[string]string{
	"node.hostname": hostLabel, "node.platform.os": "kubernetes.io/os", "node.platform.arch": "kubernetes.io/arch",
}

// place says on which nodes the role's pods run, and how they are spread.
func (r *roleOf) place(pod *corev1.PodSpec) {
	node := &corev1.NodeAffinity{}
	for _, p := range r.hints.Placement {
		r.constrain(pod, node, p)
	}
	if node.RequiredDuringSchedulingIgnoredDuringExecution != nil || len(node.PreferredDuringSchedulingIgnoredDuringExecution) > 0 {
		pod.Affinity = &corev1.Affinity{NodeAffinity: node}
	}
	if r.hints.EachNode() {
		return // there is one instance on each
	}
	r.perNode(pod)
	r.nearClients(pod)
	spread := []string{}
	if r.hints.Spread != "" {
		if key, ok := r.nodeLabel("spread", r.hints.Spread); ok {
			spread = append(spread, key)
		}
	}
	if r.survives() > 0 { // however many instances there are, as that must not replace them
		spread = append(spread, zoneLabel, hostLabel)
	} else if r.dependency() != nil { // as many nodes of its clients as can be
		spread = append(spread, hostLabel)
	}
	for i, key := range spread {
		if slices.Index(spread, key) == i {
			pod.TopologySpreadConstraints = append(pod.TopologySpreadConstraints, r.spread(key))
		}
	}
}

// constrain adds a rule on the labels of nodes.
func (r *roleOf) constrain(pod *corev1.PodSpec, node *corev1.NodeAffinity, p targets.NodeHint) {
	key, ok := r.nodeLabel("placement", p.Label)
	if ok && len(validation.IsValidLabelValue(p.Value)) > 0 {
		r.lost(diag.LostPlacement, r.at, []string{"meta", "placement"}, "no label of a node has the value %q: that %v runs by it is left out", p.Value, r.at)
		ok = false
	}
	if !ok {
		return
	}
	equal := p.Equal == nil || *p.Equal
	if equal && !p.Soft && (pod.NodeSelector[key] == "" || pod.NodeSelector[key] == p.Value) {
		if pod.NodeSelector == nil {
			pod.NodeSelector = map[string]string{}
		}
		pod.NodeSelector[key] = p.Value
		return
	}
	operator := corev1.NodeSelectorOpIn
	if !equal {
		operator = corev1.NodeSelectorOpNotIn
	}
	rule := corev1.NodeSelectorRequirement{Key: key, Operator: operator, Values: []string{p.Value}}
	if p.Soft {
		wish := corev1.PreferredSchedulingTerm{Weight: 1, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{rule}}}
		node.PreferredDuringSchedulingIgnoredDuringExecution = append(node.PreferredDuringSchedulingIgnoredDuringExecution, wish)
		return
	}
	if node.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		node.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{NodeSelectorTerms: make([]corev1.NodeSelectorTerm, 1)}
	}
	term := &node.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0]
	term.MatchExpressions = append(term.MatchExpressions, rule)
}

// nodeLabel is a label in Kubernetes' words, false with a loss if it has none.
func (r *roleOf) nodeLabel(hint, label string) (string, bool) {
	if known, ok := nodeLabels[label]; ok {
		return known, true
	}
	key := strings.TrimPrefix(strings.TrimPrefix(label, "node.labels."), "engine.labels.")
	if len(validation.IsQualifiedName(key)) > 0 {
		r.lost(diag.LostPlacement, r.at, []string{"meta", hint}, "no node has a label %q: that %v runs by it is left out", label, r.at)
		return "", false
	}
	return key, true
}

// perNode keeps instances apart.
func (r *roleOf) perNode(pod *corev1.PodSpec) {
	switch r.hints.MaxPerNode {
	case 0:
	case 1:
		if pod.Affinity == nil {
			pod.Affinity = &corev1.Affinity{}
		}
		pod.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: hostLabel, LabelSelector: &metav1.LabelSelector{MatchLabels: r.selector(r.at)},
		}}}
	default:
		r.lost(diag.LostPlacement, r.at, []string{"meta", "maxPerNode"}, "Kubernetes keeps pods apart or does not count them: %v may have more than %d instances on a node", r.at, r.hints.MaxPerNode)
	}
}

// spread asks for as many instances at one value of the label as at another,
// as far as there is room.
func (r *roleOf) spread(key string) corev1.TopologySpreadConstraint {
	c := corev1.TopologySpreadConstraint{
		MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: corev1.ScheduleAnyway,
		LabelSelector: &metav1.LabelSelector{MatchLabels: r.selector(r.at)},
	}
	if r.kind() == "Deployment" {
		c.MatchLabelKeys = []string{"pod-template-hash"} // not counted with the version that goes
	}
	return c
}
