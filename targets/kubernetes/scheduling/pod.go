package scheduling

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kumiki.dev/capacity"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/internal/sorting"
)

// podSpec has the fields of a pod that the scheduler considers. Amounts are strings, because
// they are untrusted input.
type podSpec struct {
	NodeName                  string                            `json:"nodeName"`
	Containers                []podContainer                    `json:"containers"`
	InitContainers            []podContainer                    `json:"initContainers"`
	Overhead                  amounts                           `json:"overhead"`
	Resources                 podResources                      `json:"resources"`
	HostNetwork               bool                              `json:"hostNetwork"`
	NodeSelector              map[string]string                 `json:"nodeSelector"`
	Affinity                  *corev1.Affinity                  `json:"affinity"`
	Tolerations               []corev1.Toleration               `json:"tolerations"`
	TopologySpreadConstraints []corev1.TopologySpreadConstraint `json:"topologySpreadConstraints"`
	Volumes                   []struct {
		PersistentVolumeClaim *struct{} `json:"persistentVolumeClaim"`
	} `json:"volumes"`
}

type podContainer struct {
	Name          string       `json:"name"`
	Resources     podResources `json:"resources"`
	RestartPolicy string       `json:"restartPolicy"`
	Ports         []struct {
		HostPort      int32  `json:"hostPort"`
		ContainerPort int32  `json:"containerPort"`
		Protocol      string `json:"protocol"`
	} `json:"ports"`
}

type podResources struct {
	Requests amounts `json:"requests"`
	Limits   amounts `json:"limits"`
}

// amounts are texts of amounts as the API has them.
type amounts map[string]any

// quantity matches the amounts that are parsed. Longer exponents would take the parser hours.
var quantity = lazyregexp.New(`^[+-]?[0-9.]{1,30}([eE][+-]?[0-9]{1,2}|[A-Za-z]{0,2})$`)

// maxAmount keeps sums of amounts far from the end of int64.
const maxAmount = 1 << 56

// read are the amounts in whole numbers, thousandths of processors.
func (a amounts) read() (capacity.Amounts, error) {
	out := capacity.Amounts{}
	for _, name := range sorting.Ordered(a) {
		text := fmt.Sprint(a[name])
		if !quantity().MatchString(text) {
			return nil, fmt.Errorf("%s is %.40q, which is no amount", name, text)
		}
		q, err := resource.ParseQuantity(text)
		if err != nil || q.Sign() < 0 {
			return nil, fmt.Errorf("%s is %.40q, which is no amount", name, text)
		}
		n := int64(maxAmount)
		if limit := resource.NewQuantity(maxAmount/1000, resource.DecimalSI); q.Cmp(*limit) < 0 {
			n = q.Value()
			if name == capacity.CPU {
				n = q.MilliValue()
			}
		}
		out[name] = n
	}
	return out, nil
}

// asks returns a container's requests, or its limits where it requests nothing.
func (r podResources) asks() (capacity.Amounts, error) {
	all := amounts{}
	maps.Copy(all, r.Limits)
	maps.Copy(all, r.Requests)
	return all.read()
}

// asks are what a pod asks for, one of [capacity.Instances] as well. Containers that run
// beside the others count with them, those that run before do where they ask for more. So
// does the scheduler.
func (p *podSpec) asks() (capacity.Amounts, error) {
	sum, largest, beside := capacity.Amounts{}, capacity.Amounts{}, capacity.Amounts{}
	for _, c := range p.Containers {
		asks, err := c.Resources.asks()
		if err != nil {
			return nil, fmt.Errorf("container %q: %w", c.Name, err)
		}
		add(sum, asks)
	}
	for _, c := range p.InitContainers {
		asks, err := c.Resources.asks()
		if err != nil {
			return nil, fmt.Errorf("container %q: %w", c.Name, err)
		}
		if c.RestartPolicy == string(corev1.ContainerRestartPolicyAlways) {
			add(sum, asks)
			add(beside, asks)
			asks = capacity.Amounts{}
		}
		add(asks, beside)
		raise(largest, asks)
	}
	raise(sum, largest)
	whole, err := p.Resources.asks()
	if err != nil {
		return nil, err
	}
	maps.Copy(sum, whole)
	overhead, err := p.Overhead.read()
	if err != nil {
		return nil, err
	}
	add(sum, overhead)
	sum[capacity.Instances] = 1
	return sum, nil
}

func add(to, more capacity.Amounts) {
	for name, n := range more {
		to[name] = min(maxAmount, to[name]+n)
	}
}

func raise(to, least capacity.Amounts) {
	for name, n := range least {
		to[name] = max(to[name], n)
	}
}

// ports are those of its node that a pod takes.
func (p *podSpec) ports() []string {
	var ports []string
	for _, c := range slices.Concat(p.Containers, p.InitContainers) {
		for _, port := range c.Ports {
			n := port.HostPort
			if p.HostNetwork && n == 0 {
				n = port.ContainerPort
			}
			if n > 0 {
				ports = append(ports, fmt.Sprintf("%d/%s", n, strings.ToLower(orTCP(port.Protocol))))
			}
		}
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

func orTCP(protocol string) string {
	if protocol == "" {
		return string(corev1.ProtocolTCP)
	}
	return protocol
}

// where are the nodes that a pod may run on; nil for all.
func (p *podSpec) where() [][]capacity.Requirement {
	var labels []capacity.Requirement
	for _, key := range sorting.Ordered(p.NodeSelector) {
		labels = append(labels, capacity.Requirement{Label: key, Is: capacity.In, Values: []string{p.NodeSelector[key]}})
	}
	if p.Affinity == nil || p.Affinity.NodeAffinity == nil || p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		if labels == nil {
			return nil
		}
		return [][]capacity.Requirement{labels}
	}
	where := [][]capacity.Requirement{}
	for _, term := range p.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		rules := slices.Clone(labels)
		for _, r := range slices.Concat(term.MatchExpressions, term.MatchFields) {
			rules = append(rules, capacity.Requirement{Label: r.Key, Is: capacity.Operator(r.Operator), Values: r.Values})
		}
		if len(term.MatchExpressions)+len(term.MatchFields) > 0 { // a term without any holds nowhere
			where = append(where, rules)
		}
	}
	return where
}

// terms converts pod affinity terms: what they match, and the label that groups nodes.
func terms(namespace string, from []corev1.PodAffinityTerm) (out []capacity.Term) {
	for _, t := range from {
		namespaces := t.Namespaces
		if len(namespaces) == 0 && t.NamespaceSelector == nil {
			namespaces = []string{namespace}
		}
		// What labels namespaces have is not known: any of them may be meant.
		out = append(out, capacity.Term{Over: t.TopologyKey, Match: matching(t.LabelSelector), Namespaces: namespaces, Everywhere: t.NamespaceSelector != nil})
	}
	return out
}

func (p *podSpec) apart(namespace string) []capacity.Term {
	if p.Affinity == nil || p.Affinity.PodAntiAffinity == nil {
		return nil
	}
	return terms(namespace, p.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
}

func (p *podSpec) beside(namespace string) []capacity.Term {
	if p.Affinity == nil || p.Affinity.PodAffinity == nil {
		return nil
	}
	return terms(namespace, p.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
}

// spread are the limits on how unevenly pods are spread. Those that are wishes limit nothing.
func (p *podSpec) spread(namespace string) (out []capacity.Skew) {
	for _, c := range p.TopologySpreadConstraints {
		if c.WhenUnsatisfiable == corev1.DoNotSchedule {
			t := capacity.Term{Over: c.TopologyKey, Match: matching(c.LabelSelector), Namespaces: []string{namespace}}
			out = append(out, capacity.Skew{Term: t, Most: int64(c.MaxSkew)})
		}
	}
	return out
}

// matching are the requirements of a selector: none without conditions, nil for what
// selects nothing.
func matching(s *metav1.LabelSelector) []capacity.Requirement {
	if s == nil {
		return nil
	}
	out := []capacity.Requirement{}
	for _, key := range sorting.Ordered(s.MatchLabels) {
		out = append(out, capacity.Requirement{Label: key, Is: capacity.In, Values: []string{s.MatchLabels[key]}})
	}
	for _, e := range s.MatchExpressions {
		out = append(out, capacity.Requirement{Label: e.Key, Is: capacity.Operator(e.Operator), Values: e.Values})
	}
	return out
}

// tolerates converts a pod's tolerations.
func (p *podSpec) tolerates() (out []capacity.Toleration) {
	for _, t := range p.Tolerations {
		out = append(out, capacity.Toleration{Key: t.Key, Value: t.Value, Effect: string(t.Effect), Any: t.Operator == corev1.TolerationOpExists})
	}
	return out
}
