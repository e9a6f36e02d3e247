package kubernetes

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/targets"
)

// template is that of the role's pods.
func (r *roleOf) template() corev1.PodTemplateSpec {
	no, token := false, len(r.hints.RBAC) > 0
	pod := corev1.PodSpec{
		ServiceAccountName:           r.name,
		AutomountServiceAccountToken: &token,
		// The variables of hundreds of services would be nobody's wish.
		EnableServiceLinks: &no,
		SecurityContext:    r.podSecurity(),
	}
	if r.hints.StopGrace != nil {
		grace := int64(seconds(max(0, *r.hints.StopGrace)))
		pod.TerminationGracePeriodSeconds = &grace
	}
	if given(r.hints.Init) {
		yes := true
		pod.ShareProcessNamespace = &yes // whose first process reaps
	}
	for _, key := range targets.Keys(r.desc.Code) {
		pod.Containers = append(pod.Containers, r.container(key, r.desc.Code[key]))
		r.pullSecret(key, &pod)
	}
	r.containerPorts(pod.Containers)
	r.files(&pod)
	r.channelData(&pod)
	if len(r.clients[r.at]) > 0 && r.usesNames(r.at) {
		r.addResolver(&pod)
	} else if r.lowPorts() {
		r.unprivilegedPorts(&pod)
	}
	for i := range pod.Containers {
		r.addWritable(&pod.Containers[i])
		sortMounts(pod.Containers[i].VolumeMounts)
	}
	r.boundStorage(&pod)
	pod.Volumes = r.volumes
	r.place(&pod)
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: r.podLabels(), Annotations: r.bandwidth()}, Spec: pod}
}

// pullSecret adds the credentials of an image's registry.
func (r *roleOf) pullSecret(key string, pod *corev1.PodSpec) {
	hub := r.desc.Code[key].Image.Hub
	if hub.Secret == "" {
		return
	}
	path := []string{"code", key, "image", "hub", "secret"}
	id := ""
	if found := r.resource(hub.Secret); found != nil {
		id = found.Secret
	}
	if id == "" {
		r.lost(diag.LostCredentials, r.at, path, "%q is no secret in the config of %v: images are pulled without credentials", hub.Secret, r.at)
		return
	}
	ref := corev1.LocalObjectReference{Name: r.registeredAs(r.at, path, id)}
	if !filter.Contains(pod.ImagePullSecrets, ref) {
		pod.ImagePullSecrets = append(pod.ImagePullSecrets, ref)
	}
}

// What the CNI plugin that limits bandwidth takes, in bits a second.
const (
	minBandwidth = 1e3
	maxBandwidth = 1e15
)

// bandwidth limits a pod's traffic, where the cluster's network knows the
// annotations.
func (r *roleOf) bandwidth() map[string]string {
	size := r.desc.Size
	if size == nil || !positive(size.Bandwidth) {
		return nil
	}
	bits, ok := targets.Whole(size.Bandwidth)
	if !ok || bits < minBandwidth || bits > maxBandwidth {
		r.lost(diag.LostBandwidth, r.at, []string{"size", "bandwidth"}, "bandwidth can be limited to between 1k and 1P bits a second: that of %v (%s%s) is not limited", r.at, size.Bandwidth.Size, size.Bandwidth.Unit)
		return nil
	}
	q := resource.NewQuantity(bits, resource.DecimalSI).String()
	return map[string]string{"kubernetes.io/ingress-bandwidth": q, "kubernetes.io/egress-bandwidth": q}
}

// containerPorts names the ports of the role's channels. A port belongs to the
// container that listens there.
func (r *roleOf) containerPorts(containers []corev1.Container) {
	keys := targets.Keys(r.desc.Code)
	taken := map[string]bool{}
	for _, channels := range []channelMap{r.desc.Srv.Server, r.desc.Srv.Duplex} {
		for _, channel := range targets.Keys(channels) {
			c := channels[channel]
			id := string(transport(c)) + resource.NewQuantity(int64(c.Port), resource.DecimalSI).String()
			if c.Port == 0 || taken[id] {
				continue
			}
			taken[id] = true
			owner, _ := r.desc.Listener(c.Port)
			i := slices.Index(keys, owner)
			p := corev1.ContainerPort{Name: portName(channel), ContainerPort: int32(c.Port), Protocol: transport(c)}
			if s := r.servers[r.at]; s != nil && s.ports[c.Port] != "" {
				p.Name = s.ports[c.Port]
			}
			if taken[p.Name] {
				p.Name = ""
			}
			taken[p.Name] = true
			containers[i].Ports = append(containers[i].Ports, p)
		}
	}
}

// lowPorts reports whether a role that is not root listens at a port that only
// root may use elsewhere.
func (r *roleOf) lowPorts() bool {
	for _, channels := range []channelMap{r.desc.Srv.Server, r.desc.Srv.Duplex} {
		for _, c := range channels {
			if c.Port > 0 && c.Port < 1024 && !r.asRoot() {
				return true
			}
		}
	}
	return false
}
