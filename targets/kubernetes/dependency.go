package kubernetes

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kumiki.dev/diag"
	"kumiki.dev/targets"
)

// dependencyLabels begin the keys of labels that say on which dependencies pods depend.
const dependencyLabels = "depends.kumiki.dev/"

func dependencyLabel(to targets.RoleKey) string {
	return dependencyLabels + targets.Name(targets.MaxName, to.Deployment, to.Role)
}

// dependencyLabels are those by which the dependencies of a role find its pods.
func (b *builder) dependencyLabels(at place) map[string]string {
	labels := map[string]string{}
	for _, w := range b.clients[at] {
		for _, g := range w.Groups {
			for _, t := range g {
				to := targets.RoleKey{Deployment: t.Deployment, Role: t.Role}
				if b.dependencies[to].Has(targets.RoleKey{Deployment: at.deployment, Role: at.role}) {
					labels[dependencyLabel(to)] = ""
				}
			}
		}
	}
	return labels
}

// dependency is what is known of the clients of a role, nil for one that is not there for
// them only.
func (r *roleOf) dependency() *targets.Dependency {
	return r.dependencies[targets.RoleKey{Deployment: r.at.deployment, Role: r.at.role}]
}

// depend makes the role run where its clients do, as far as that can be said beforehand.
func (r *roleOf) depend() {
	d := r.dependency()
	if d != nil && d.Idle {
		r.idle, r.hints.Share, r.hints.HPA = true, "", nil // no instance anywhere
		return
	}
	if r.hints.Share == targets.SharePod {
		r.lost(diag.LostPlacement, r.at, []string{"meta", "share"}, "no instance of %v is made inside of each of its clients': there is one on each node where these may run", r.at)
	}
	if r.hints.Share == targets.ShareNamespace && r.hints.HPA.On() {
		r.lost(diag.LostAutoscaling, r.at, []string{"meta", "hpa"}, "%v has one instance, however large the load: its meta.share is %q", r.at, r.hints.Share)
		r.hints.HPA = nil
	}
	if d == nil {
		return
	}
	path := []string{"meta", "dependency"}
	for _, c := range d.Circle {
		r.lost(diag.LostPlacement, r.at, path, "%v and %v are dependencies of each other: neither is kept where the other runs", r.at, place{c.Deployment, c.Role})
	}
	switch {
	case len(d.Clients) == 0 && len(d.Circle) == 0:
		r.lost(diag.LostPlacement, r.at, path, "no role connects to %v: it runs wherever there is room, as if meta.dependency was not there", r.at)
	case len(d.Clients) == 0:
	case r.hints.EachNode():
		r.hints.Placement = append(r.hints.Placement, d.Common...)
		r.lost(diag.LostPlacement, r.at, path, "Kubernetes does not count clients: %v has an instance on each node where %s may run, whether or not one does", r.at, names(d))
	default:
		r.lost(diag.LostPlacement, r.at, path, "Kubernetes does not count clients: instances of %v start on nodes where %s run, and stay there when these go", r.at, names(d))
	}
}

// names are the clients of a dependency.
func names(d *targets.Dependency) string {
	all := make([]string, len(d.Clients))
	for i, c := range d.Clients {
		all[i] = place{c.Deployment, c.Role}.String()
	}
	return targets.Several(all)
}

// nearClients keeps a dependency's pods on nodes where pods of clients run, and apart from each
// other as far as there is room.
func (r *roleOf) nearClients(pod *corev1.PodSpec) {
	d := r.dependency()
	if d == nil || len(d.Clients) == 0 || r.idle {
		return
	}
	if pod.Affinity == nil {
		pod.Affinity = &corev1.Affinity{}
	}
	key := dependencyLabel(targets.RoleKey{Deployment: r.at.deployment, Role: r.at.role})
	pod.Affinity.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		TopologyKey: hostLabel, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{targets.SolutionLabel: r.selector(r.at)[targets.SolutionLabel], key: ""}},
	}}}
}
