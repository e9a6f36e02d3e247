package kubernetes

import (
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// roleOf makes the objects of one role.
type roleOf struct {
	*builder
	at    place
	name  string
	role  *solution.Role
	desc  *solution.Description
	hints targets.Hints
	// idle reports whether the role is there for clients of which none has instances.
	idle bool

	// containers are the names of the role's containers, by their keys.
	containers map[string]string
	// called are the names that the pod has for volumes, by their keys; claimed
	// are those of the claims of registered volumes, by their ids.
	called, claimed map[string]string
	volumes         []corev1.Volume
	claims          []corev1.PersistentVolumeClaim
	// writable is how many directories containers may write to.
	writable int
	// persistent reports whether the role has registered volumes.
	persistent bool
	// ports are the names of container ports that have been given.
	ports map[string]bool
}

func (b *builder) role(at place) {
	role := b.at(at)
	r := &roleOf{builder: b, at: at, name: workload(at), role: role, desc: &role.Artifact.Description, ports: map[string]bool{}}
	r.hints = b.hints(at, b.solution.MetaOf(at.deployment, at.role))
	r.egress[at] = outside(r.hints)
	r.depend()
	r.losses()
	r.unreached()
	r.nameParts()
	account := &corev1.ServiceAccount{ObjectMeta: b.meta(r.name, at), AutomountServiceAccountToken: new(bool)}
	account.APIVersion, account.Kind = "v1", "ServiceAccount"
	b.add("ServiceAccount", r.name, at, account)
	r.rights()
	template := r.template()
	switch {
	case r.hints.EachNode():
		r.daemonSet(template)
	case r.stateful():
		r.statefulSet(template)
	case r.ends():
		r.job(template)
	default:
		r.deployment(template)
	}
	r.restarts()
	r.autoscaler()
	if r.kind() != "Job" { // whose instances nobody waits for
		r.disruption()
	}
}

// kind is that of the role's workload.
func (r *roleOf) kind() string {
	switch {
	case r.hints.EachNode():
		return "DaemonSet"
	case r.stateful():
		return "StatefulSet"
	case r.ends():
		return "Job"
	default:
		return "Deployment"
	}
}

// stateful reports whether instances need names and data of their own.
func (r *roleOf) stateful() bool {
	s := r.servers[r.at]
	return r.persistent || len(r.desc.Srv.Duplex) > 0 || s != nil && s.set
}

// instances is their number, nil where it follows the load.
func (r *roleOf) instances() *int32 {
	if r.hints.HPA.On() {
		return nil
	}
	n := int32(r.hsize())
	return &n
}

// hsize is how many instances there are, where that does not follow the load or the nodes.
func (r *roleOf) hsize() int {
	if n := targets.Instances(r.role, r.hints, r.idle); n != nil {
		return *n
	}
	return 1
}

// workloadMeta adds the hash of the role's config, which tells versions apart
// whose objects are otherwise alike.
func (r *roleOf) workloadMeta() metav1.ObjectMeta {
	m := r.meta(r.name, r.at)
	if hash := targets.ConfigHash(r.role); hash != "" {
		m.Labels = maps.Clone(m.Labels)
		m.Labels[targets.ConfigLabel] = hash
	}
	return m
}

func (r *roleOf) deployment(t corev1.PodTemplateSpec) {
	rolling := &appsv1.RollingUpdateDeployment{MaxUnavailable: number(0), MaxSurge: percent("25%")}
	n := given(r.hints.Rollout.Parallelism)
	if r.hints.Rollout.Order == "stop-first" || r.hints.MaxPerNode == 1 || r.hints.Share == targets.ShareNamespace && r.hints.Rollout.Order == "" {
		// With one instance a node, there may be no room for another; of one in the
		// namespace there are never two.
		rolling.MaxUnavailable, rolling.MaxSurge = number(max(1, n)), number(0)
	} else if n > 0 {
		rolling.MaxSurge = number(n)
	}
	d := &appsv1.Deployment{ObjectMeta: r.workloadMeta(), Spec: appsv1.DeploymentSpec{
		Replicas:        r.instances(),
		Selector:        &metav1.LabelSelector{MatchLabels: r.selector(r.at)},
		Template:        t,
		MinReadySeconds: seconds(given(r.hints.Rollout.Delay)),
		Strategy:        appsv1.DeploymentStrategy{Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: rolling},
	}}
	d.APIVersion, d.Kind = "apps/v1", "Deployment"
	r.add("Deployment", r.name, r.at, d)
}

// statefulSet makes one whose fields that cannot change depend on the name of
// the role and its volumes only.
func (r *roleOf) statefulSet(t corev1.PodTemplateSpec) {
	rolling := &appsv1.RollingUpdateStatefulSetStrategy{}
	if n := given(r.hints.Rollout.Parallelism); n > 1 {
		rolling.MaxUnavailable = number(n)
	}
	if r.hints.Rollout.Order == "start-first" {
		r.lost(diag.LostMeta, r.at, []string{"meta", "rollout", "order"}, "the instances of %v have names, so that each has to stop before its next version starts", r.at)
	}
	s := &appsv1.StatefulSet{ObjectMeta: r.workloadMeta(), Spec: appsv1.StatefulSetSpec{
		Replicas:             r.instances(),
		Selector:             &metav1.LabelSelector{MatchLabels: r.selector(r.at)},
		Template:             t,
		VolumeClaimTemplates: r.claims,
		ServiceName:          governing(r.name),
		// Peers look for each other, so that none may wait for another.
		PodManagementPolicy: appsv1.ParallelPodManagement,
		MinReadySeconds:     seconds(given(r.hints.Rollout.Delay)),
		UpdateStrategy:      appsv1.StatefulSetUpdateStrategy{Type: appsv1.RollingUpdateStatefulSetStrategyType, RollingUpdate: rolling},
	}}
	if rolling.MaxUnavailable == nil {
		s.Spec.UpdateStrategy.RollingUpdate = nil
	}
	if len(r.claims) > 0 {
		// Registered volumes are the platform's: they outlive the solution.
		s.Spec.PersistentVolumeClaimRetentionPolicy = &appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy{
			WhenDeleted: appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
			WhenScaled:  appsv1.RetainPersistentVolumeClaimRetentionPolicyType,
		}
	}
	s.APIVersion, s.Kind = "apps/v1", "StatefulSet"
	r.add("StatefulSet", r.name, r.at, s)
	// The instances' own names: shop-db-0.shop-db.
	spec := corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, PublishNotReadyAddresses: len(r.desc.Srv.Duplex) > 0}
	r.add("Service", s.Spec.ServiceName, r.at, r.service(s.Spec.ServiceName, r.at, r.selector(r.at), spec))
}

func (r *roleOf) daemonSet(t corev1.PodTemplateSpec) {
	rolling := &appsv1.RollingUpdateDaemonSet{MaxUnavailable: number(max(1, given(r.hints.Rollout.Parallelism)))}
	if r.hints.Rollout.Order == "start-first" {
		rolling.MaxUnavailable, rolling.MaxSurge = number(0), number(max(1, given(r.hints.Rollout.Parallelism)))
	}
	d := &appsv1.DaemonSet{ObjectMeta: r.workloadMeta(), Spec: appsv1.DaemonSetSpec{
		Selector:        &metav1.LabelSelector{MatchLabels: r.selector(r.at)},
		Template:        t,
		MinReadySeconds: seconds(given(r.hints.Rollout.Delay)),
		UpdateStrategy:  appsv1.DaemonSetUpdateStrategy{Type: appsv1.RollingUpdateDaemonSetStrategyType, RollingUpdate: rolling},
	}}
	d.APIVersion, d.Kind = "apps/v1", "DaemonSet"
	r.add("DaemonSet", r.name, r.at, d)
}

// podLabels are those of the role that stay the same from version to version,
// as a new label would replace the pods, and those of groups of servers.
func (r *roleOf) podLabels() map[string]string {
	labels := targets.Labels(r.solution, r.at.deployment, r.at.role) // not those of objects alone
	delete(labels, "app.kubernetes.io/version")
	maps.Copy(labels, r.linkLabels(r.at))
	maps.Copy(labels, r.dependencyLabels(r.at))
	if s := r.servers[r.at]; s != nil {
		maps.Copy(labels, s.labels)
	}
	return labels
}

func number(n int) *intstr.IntOrString { v := intstr.FromInt(n); return &v }

func percent(text string) *intstr.IntOrString { v := intstr.FromString(text); return &v }
