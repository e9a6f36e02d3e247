package kubernetes

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/lazyregexp"
	"kumiki.dev/solution"
)

const (
	// ResolverImage is the image of kumiki-resolver unless the options say
	// otherwise.
	ResolverImage = "docker.io/kumiki/resolver:1"

	resolverName   = "resolver"
	resolverBinary = "/kumiki-resolver"
	resolverUser   = 65532
	resolverConfig = "/etc/kumiki-resolver"
	resolverRun    = "/run/kumiki"
	resolverVolume = "kumiki-resolver"
	channelsVolume = "kumiki-channels"
)

// runtimeName is 0.CHANNEL or set.0.CHANNEL.
var runtimeName = lazyregexp.New(`\b[0-9]+\.([A-Za-z0-9_-]+)`)

// usesNames reports whether a role uses the run-time names of its channels: what
// its meta says, or whether its containers' configuration mentions one.
func (b *builder) usesNames(at place) bool {
	if known, ok := b.named[at]; ok {
		return known
	}
	b.named[at] = b.findNames(at)
	return b.named[at]
}

func (b *builder) findNames(at place) bool {
	role := b.at(at)
	if meta, ok := b.solution.MetaOf(at.deployment, at.role).(map[string]any); ok {
		if names, said := meta["names"].(bool); said {
			return names
		}
	}
	srv := role.Artifact.Description.Srv
	if len(srv.Client)+len(srv.Duplex) == 0 {
		return false
	}
	mentions := func(text string) bool {
		if !strings.Contains(text, ".") {
			return false // as most do, which takes a tenth of asking the expression
		}
		for _, match := range runtimeName().FindAllStringSubmatch(text, -1) {
			if srv.Client[match[1]] != nil || srv.Duplex[match[1]] != nil {
				return true
			}
		}
		return false
	}
	for key, c := range role.Artifact.Description.Code {
		if filter.Any(c.Entrypoint, mentions) || filter.Any(c.Cmd, mentions) || filter.Any(probeWords(role.Artifact.Description.Probe[key]), mentions) {
			return true
		}
		for _, e := range c.Mapping.Env {
			if e.Value != nil && mentions(*e.Value) {
				return true
			}
		}
		for _, f := range c.Mapping.Filesystem {
			if f.Data != nil && anyText(f.Data.Value, mentions) {
				return true
			}
		}
	}
	return false
}

// probeWords are the commands of a container's checks.
func probeWords(p *solution.Probe) []string {
	if p == nil {
		return nil
	}
	var words []string
	for _, c := range []*solution.Check{p.Liveness, p.Readiness} {
		if c != nil && c.Protocol.Exec != nil {
			words = append(words, c.Protocol.Exec.Command...)
		}
	}
	return words
}

// anyText reports whether any text of a file's data is such.
func anyText(value any, such func(string) bool) bool {
	switch v := value.(type) {
	case string:
		return such(v)
	case map[string]any:
		for key, member := range v {
			if such(key) || anyText(member, such) {
				return true
			}
		}
	case []any:
		return filter.Any(v, func(item any) bool { return anyText(item, such) })
	}
	return false
}

// resolverGroup is a group of a channel in the resolver's own configuration.
type resolverGroup struct {
	LB       string `json:"lb"`
	Set      string `json:"set"`
	Port     int    `json:"port"`
	Protocol string `json:"protocol"`
}

// resolverChannels is that configuration.
func (r *roleOf) resolverChannels() map[string][]resolverGroup {
	channels := map[string][]resolverGroup{}
	lower := map[string]string{}
	for _, w := range r.clients[r.at] {
		if old, ok := lower[strings.ToLower(w.From.Channel)]; ok {
			r.lost(diag.LostChannel, r.at, []string{"srv", "client", w.From.Channel}, "names of hosts are the same in all cases: those of channel %s of %v lead where those of %s do; rename one of them", w.From.Channel, r.at, old)
			continue
		}
		lower[strings.ToLower(w.From.Channel)] = w.From.Channel
		groups := []resolverGroup{}
		for _, route := range w.routes {
			g := resolverGroup{}
			if route != nil {
				c := route.server()
				g = resolverGroup{LB: route.name, Set: route.setName(), Port: c.Port, Protocol: strings.ToLower(string(transport(c)))}
			}
			groups = append(groups, g)
		}
		channels[w.From.Channel] = groups
	}
	return channels
}

// resolver is the sidecar that answers for the names of the role's channels. It
// is an init container that stays, so that the names are known before the first
// process of the role looks for one.
func (r *roleOf) resolver() corev1.Container {
	image := r.options.ResolverImage
	if image == "" {
		image = ResolverImage
	}
	always := corev1.ContainerRestartPolicyAlways
	name := resolverName
	for filter.Contains(slices.Collect(maps.Values(r.containers)), name) {
		name = "kumiki-" + name // a container of the role is called so
	}
	return corev1.Container{
		Name:            name,
		Image:           image,
		ImagePullPolicy: r.pullPolicy(image),
		Command:         []string{resolverBinary},
		RestartPolicy:   &always,
		StartupProbe: &corev1.Probe{
			ProbeHandler:     corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{resolverBinary, "-check"}}},
			PeriodSeconds:    1,
			TimeoutSeconds:   3,
			FailureThreshold: 30,
		},
		// It has taken 35 MB with 200 clients that each sent it 64 kB over TCP, and a core for
		// 36,000 queries a second, of which it passed half on.
		Resources: corev1.ResourceRequirements{
			Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("5m"), corev1.ResourceMemory: resource.MustParse("16Mi")},
			Limits:   corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("250m"), corev1.ResourceMemory: resource.MustParse("64Mi")},
		},
		SecurityContext: resolverSecurity(),
		VolumeMounts: []corev1.VolumeMount{
			{Name: channelsVolume, MountPath: resolverConfig, ReadOnly: true},
			{Name: resolverVolume, MountPath: resolverRun},
		},
	}
}

func resolverSecurity() *corev1.SecurityContext {
	user, yes := int64(resolverUser), true
	s := restricted()
	s.RunAsNonRoot, s.RunAsUser, s.RunAsGroup, s.ReadOnlyRootFilesystem = &yes, &user, &user, &yes
	return s
}

// addResolver gives the pod the sidecar, and its containers the resolv.conf
// that leads to it.
func (r *roleOf) addResolver(pod *corev1.PodSpec) {
	size := resource.MustParse("64Ki")
	r.volumes = append(r.volumes, corev1.Volume{Name: resolverVolume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{SizeLimit: &size}}})
	pod.InitContainers = append(pod.InitContainers, r.resolver())
	for i := range pod.Containers {
		c := &pod.Containers[i]
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: resolverVolume, MountPath: "/etc/resolv.conf", SubPath: "resolv.conf", ReadOnly: true})
	}
	r.unprivilegedPorts(pod)
}

// unprivilegedPorts lets processes that are not root listen at every port of the
// pod. It is one of the settings that every cluster allows.
func (r *roleOf) unprivilegedPorts(pod *corev1.PodSpec) {
	pod.SecurityContext.Sysctls = []corev1.Sysctl{{Name: "net.ipv4.ip_unprivileged_port_start", Value: "0"}}
}
