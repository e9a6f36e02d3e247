package kubernetes

import (
	"bytes"
	"encoding/json"
	"math/big"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kumiki.dev/diag"

	"kumiki.dev/targets"
)

// defaultUse is the use of processors, in percent, that instances are added at.
const defaultUse = 80

// most is the largest number of instances there may be.
func (r *roleOf) most() int {
	if r.hints.HPA.On() {
		return int(max(r.hints.HPA.MaxReplicas, r.hints.HPA.MinReplicas, int32(r.hsize())))
	}
	return r.hsize()
}

// autoscaler makes the object that sets the number of instances.
func (r *roleOf) autoscaler() {
	a := r.hints.HPA
	if !a.On() {
		return
	}
	path := []string{"meta", "hpa"}
	if r.kind() == "DaemonSet" {
		r.lost(diag.LostAutoscaling, r.at, path, "%v has one instance on each node, however large the load", r.at)
		return
	}
	if a.MaxReplicas == 0 {
		r.lost(diag.LostAutoscaling, r.at, path, "meta.hpa of %v has no maxReplicas: there are never more than hsize, %d", r.at, r.most())
	}
	least := max(1, a.MinReplicas)
	h := &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: r.meta(r.name, r.at), Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
		ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: r.kind(), Name: r.name},
		MinReplicas:    &least,
		MaxReplicas:    max(least, a.MaxReplicas),
		Metrics:        r.metrics(a.Metrics),
	}}
	if a.MaxReplicas == 0 {
		h.Spec.MaxReplicas = max(least, int32(r.most()))
	}
	h.APIVersion, h.Kind = "autoscaling/v2", "HorizontalPodAutoscaler"
	r.add("HorizontalPodAutoscaler", r.name, r.at, h)
}

func (r *roleOf) metrics(text json.RawMessage) []autoscalingv2.MetricSpec {
	standard := []autoscalingv2.MetricSpec{use(corev1.ResourceCPU, defaultUse)}
	if len(text) == 0 || string(text) == "null" {
		return standard
	}
	var own []autoscalingv2.MetricSpec
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err := dec.Decode(&own)
	if err == nil && len(own) > 0 {
		return own
	}
	var uses map[string]int32
	if json.Unmarshal(text, &uses) != nil || len(uses) == 0 || !known(uses) {
		r.lost(diag.LostAutoscaling, r.at, []string{"meta", "hpa", "metrics"}, "meta.hpa.metrics of %v is neither {cpu: PERCENT, memory: PERCENT} nor a list of Kubernetes' metrics: it follows the use of processors, %d%%", r.at, defaultUse)
		return standard
	}
	for _, resource := range targets.Keys(uses) {
		own = append(own, use(corev1.ResourceName(resource), uses[resource]))
	}
	return own
}

func known(uses map[string]int32) bool {
	for name, percent := range uses {
		if name != string(corev1.ResourceCPU) && name != string(corev1.ResourceMemory) || percent <= 0 {
			return false
		}
	}
	return true
}

func use(name corev1.ResourceName, percent int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
		Name: name, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent},
	}}
}

// survives is how many instances may fail.
func (r *roleOf) survives() int {
	n, ok := new(big.Rat).SetString(r.role.Config.Resilience.String())
	if !ok || n.Sign() <= 0 {
		return 0
	}
	whole := new(big.Int).Quo(n.Num(), n.Denom())
	return int(min(whole.Int64(), 1<<30))
}

// disruption keeps maintenance from taking away more instances than the role
// can do without.
func (r *roleOf) disruption() {
	n, path := r.survives(), []string{"config", "resilience"}
	if n == 0 || r.kind() == "DaemonSet" {
		return
	}
	least := r.hsize()
	if r.hints.HPA.On() {
		least = int(max(1, r.hints.HPA.MinReplicas))
	}
	if least <= n {
		r.lost(diag.LostResilience, r.at, path, "%v can have %d instances, which is too few to survive %d failures: maintenance may stop all of them", r.at, least, n)
		return
	}
	always := policyv1.AlwaysAllow
	p := &policyv1.PodDisruptionBudget{ObjectMeta: r.meta(r.name, r.at), Spec: policyv1.PodDisruptionBudgetSpec{
		MaxUnavailable:             number(n),
		Selector:                   &metav1.LabelSelector{MatchLabels: r.selector(r.at)},
		UnhealthyPodEvictionPolicy: &always, // those that do not work hold nobody up
	}}
	p.APIVersion, p.Kind = "policy/v1", "PodDisruptionBudget"
	r.add("PodDisruptionBudget", r.name, r.at, p)
}
