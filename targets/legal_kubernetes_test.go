package targets_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
)

// TestLegalKubernetes gives everything in a solution whatever names a manifest can
// have: every name that becomes of them is one that the API takes, and each is
// that of one thing only.
func TestLegalKubernetes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := solutions(t)
		require.Empty(t, solution.Verify(s))
		for _, o := range []targets.Options{{}, {Ingress: "gateway", Namespace: "here", VolatileClass: "fast"}} {
			objects, problems := kubernetes.Lower(s, o)
			onlyIDs(t, problems)
			l := legal{t: t, solution: s, selectors: map[string]string{}, names: map[string]bool{}}
			for _, object := range objects {
				l.object(object)
			}
		}
	})
}

// onlyIDs shows that no names but those of registered resources, which are made
// of ids alone, come out the same.
func onlyIDs(t *rapid.T, problems diag.List) {
	for _, d := range problems {
		if d.Severity == diag.Error && !strings.Contains(d.Message, "which are registered in the cluster, would both be called") {
			t.Errorf("%s [%s]", d.Message, d.Code)
		}
	}
}

// legal checks objects.
type legal struct {
	t         *rapid.T
	solution  *solution.Solution
	selectors map[string]string // the roles that selectors find, by the selectors
	names     map[string]bool
	at        string
}

// takes demands that a value is one that a rule of the API's takes.
func (l *legal) takes(rule func(string) []string, what, value string) {
	for _, problem := range rule(value) {
		l.t.Errorf("%s: %s %q: %s", l.at, what, value, problem)
	}
}

// different demands that all values differ, except empty ones.
func (l *legal) different(what string, values []string) {
	sorted := slices.DeleteFunc(slices.Sorted(slices.Values(values)), func(s string) bool { return s == "" })
	if len(slices.Compact(slices.Clone(sorted))) != len(sorted) {
		l.t.Errorf("%s: %s are not all different: %q", l.at, what, values)
	}
}

func (l *legal) labels(labels map[string]string) {
	for key, value := range labels {
		l.takes(validation.IsQualifiedName, "label", key)
		l.takes(validation.IsValidLabelValue, "value of label "+key, value)
	}
}

func (l *legal) object(o targets.Object) {
	l.at = o.Kind + "/" + o.Name
	if l.names[l.at] {
		l.t.Errorf("%s is there twice", l.at)
	}
	l.names[l.at] = true
	l.takes(validation.IsDNS1123Label, "name", o.Name)
	plain, err := kubernetes.Plain(o)
	require.NoError(l.t, err)
	meta := plain["metadata"].(map[string]any)
	require.Equal(l.t, o.Name, meta["name"])
	l.anyLabels(plain)
	switch v := o.Value.(type) {
	case *corev1.Service:
		l.service(v)
	case *corev1.ConfigMap:
		for key := range v.Data {
			l.takes(validation.IsConfigMapKey, "key", key)
		}
	case *appsv1.Deployment:
		l.workload(o, v.Spec.Template, v.Spec.Selector.MatchLabels, nil)
	case *appsv1.DaemonSet:
		l.workload(o, v.Spec.Template, v.Spec.Selector.MatchLabels, nil)
	case *appsv1.StatefulSet:
		l.takes(validation.IsDNS1035Label, "service", v.Spec.ServiceName)
		if !l.names["Service/"+v.Spec.ServiceName] {
			l.t.Errorf("%s has no service %s", l.at, v.Spec.ServiceName)
		}
		l.takes(validation.IsValidLabelValue, "revision", o.Name+"-0123456789")
		l.workload(o, v.Spec.Template, v.Spec.Selector.MatchLabels, v.Spec.VolumeClaimTemplates)
	case *networkingv1.Ingress:
		for _, rule := range v.Spec.Rules {
			l.takes(validation.IsDNS1123Subdomain, "host", rule.Host)
		}
	case *gatewayv1.Gateway:
		var listeners []string
		for _, listener := range v.Spec.Listeners {
			l.takes(validation.IsDNS1123Subdomain, "listener", string(listener.Name))
			listeners = append(listeners, string(listener.Name))
		}
		l.different("listeners", listeners)
	}
}

// anyLabels looks at the labels and selectors anywhere in an object.
func (l *legal) anyLabels(value any) {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			labels := map[string]string{}
			if slices.Contains([]string{"labels", "matchLabels", "selector", "nodeSelector"}, key) {
				for label, text := range member.(map[string]any) {
					if text, ok := text.(string); ok {
						labels[label] = text
					}
				}
			}
			l.labels(labels)
			l.anyLabels(member)
		}
	case []any:
		for _, item := range v {
			l.anyLabels(item)
		}
	}
}

func (l *legal) service(s *corev1.Service) {
	l.takes(validation.IsDNS1035Label, "name", s.Name)
	var ports []string
	for _, p := range s.Spec.Ports {
		l.takes(validation.IsDNS1123Label, "port", p.Name)
		if p.TargetPort.Type == intstr.String {
			l.takes(validation.IsValidPortName, "target port", p.TargetPort.StrVal)
		}
		ports = append(ports, p.Name)
	}
	l.different("ports", ports)
}

// workload looks at the pods of a role, which no other role's selector finds.
func (l *legal) workload(o targets.Object, pods corev1.PodTemplateSpec, selector map[string]string, claims []corev1.PersistentVolumeClaim) {
	text, err := json.Marshal(selector)
	require.NoError(l.t, err)
	role := fmt.Sprintf("%q/%q", o.Deployment, o.Role)
	if other, ok := l.selectors[string(text)]; ok && other != role {
		l.t.Errorf("%s: %s and %s have the same selector %s", l.at, other, role, text)
	}
	l.selectors[string(text)] = role
	l.takes(validation.IsDNS1123Label, "service account", pods.Spec.ServiceAccountName)
	volumes := l.volumes(pods.Spec.Volumes, claims)
	var containers []string
	for _, c := range append(pods.Spec.InitContainers, pods.Spec.Containers...) {
		l.takes(validation.IsDNS1123Label, "container", c.Name)
		containers = append(containers, c.Name)
		l.container(c, volumes)
	}
	l.different("containers", containers)
	l.mounts(l.solution.Deployments[o.Deployment].Artifact.Description.Role[o.Role], pods.Spec.Containers)
}

// mounts shows that different volumes of a role are different ones of its pods.
func (l *legal) mounts(role *solution.Role, containers []corev1.Container) {
	desc := role.Artifact.Description
	behind := map[string]string{} // the resource, by the name in the pod
	for _, container := range desc.Code {
		for path, f := range container.Mapping.Filesystem {
			if f.Volume == "" {
				continue
			}
			what := cmp.Or(desc.Config.Resource[f.Volume].Volume.ID, "\x00"+f.Volume)
			for _, m := range containers[0].VolumeMounts {
				if m.MountPath != path {
					continue
				}
				if other, ok := behind[m.Name]; ok && other != what {
					l.t.Errorf("%s: %q and %q are both volume %s", l.at, other, what, m.Name)
				}
				behind[m.Name] = what
			}
		}
	}
}

// volumes are the names of a pod's volumes.
func (l *legal) volumes(all []corev1.Volume, claims []corev1.PersistentVolumeClaim) []string {
	var out []string
	for _, v := range all {
		l.takes(validation.IsDNS1123Label, "volume", v.Name)
		if v.ConfigMap != nil {
			l.takes(validation.IsDNS1123Subdomain, "config map", v.ConfigMap.Name)
		}
		if v.PersistentVolumeClaim != nil {
			l.takes(validation.IsDNS1123Subdomain, "claim", v.PersistentVolumeClaim.ClaimName)
		}
		out = append(out, v.Name)
	}
	for _, c := range claims {
		l.takes(validation.IsDNS1123Label, "claim", c.Name)
		out = append(out, c.Name)
	}
	l.different("volumes", out)
	return out
}

func (l *legal) container(c corev1.Container, volumes []string) {
	var ports, variables, paths []string
	for _, p := range c.Ports {
		if p.Name != "" {
			l.takes(validation.IsValidPortName, "port", p.Name)
		}
		ports = append(ports, p.Name)
	}
	for _, e := range c.Env {
		l.takes(validation.IsRelaxedEnvVarName, "variable", e.Name)
		variables = append(variables, e.Name)
	}
	for _, m := range c.VolumeMounts {
		if !slices.Contains(volumes, m.Name) {
			l.t.Errorf("%s: container %s mounts %q, which is no volume", l.at, c.Name, m.Name)
		}
		paths = append(paths, m.MountPath)
	}
	l.different("ports", ports)
	l.different("variables", variables)
	l.different("paths", paths)
}
