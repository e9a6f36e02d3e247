package kubernetes

import (
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"kumiki.dev/internal/golden"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/test/kubernetes/policy"
)

// TestPolicies compares what the policies of every case allow with what its
// solution connects: for every pair of roles, in both directions, at every port
// that one of them has and at some that none has.
func TestPolicies(t *testing.T) {
	golden.Each(t, cases, func(t *testing.T, c *golden.Case) {
		if c.Section("out/errors.txt") != nil {
			t.Skip("the case has no solution")
		}
		m := manifestOf(c)
		stream, _ := m.render(t, "here")
		checkPolicies(t, compile(t, m), parse(t, stream))
	})
}

// compile returns the manifest's solution.
func compile(t *testing.T, m manifest) *solution.Solution {
	t.Helper()
	data, stderr, err := kumiki(t, append([]string{"compile", m.dir}, m.flags...)...)
	require.NoError(t, err, stderr)
	s, problems := solution.Read(data, "solution.json")
	require.False(t, problems.HasErrors(), "%v", problems)
	return s
}

// way is a connection from one role to another, at a port. From is "" for a
// client that is not the solution's.
type way struct {
	from, to string
	port     policy.Port
}

func (w way) String() string {
	return fmt.Sprintf("%s → %s:%d/%s", w.from, w.to, w.port.Number, w.port.Protocol)
}

func checkPolicies(t *testing.T, s *solution.Solution, objects []object) {
	t.Helper()
	policies, pods := policiesAndPods(t, s, objects)
	wanted := ways(s)
	ports := allPorts(s)
	pods[""] = policy.Pod{IP: netip.MustParseAddr("10.9.9.9"), Namespace: "elsewhere", NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": "elsewhere"}}
	var wrong []string
	for _, from := range slices.Sorted(maps.Keys(pods)) {
		for _, to := range slices.Sorted(maps.Keys(pods)) {
			if to == "" {
				continue
			}
			for _, port := range ports {
				w := way{from, to, port}
				got, err := policies.Allow(pods[from], pods[to], port)
				require.NoError(t, err)
				if want := wanted[w]; got != want {
					wrong = append(wrong, fmt.Sprintf("%v: allowed %t, connected %t", w, got, want))
				}
			}
		}
		dns := policy.Pod{
			IP: netip.MustParseAddr("10.8.8.8"), Namespace: "kube-system", Labels: map[string]string{"k8s-app": "kube-dns"},
			NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": "kube-system"},
		}
		for _, protocol := range []corev1.Protocol{corev1.ProtocolUDP, corev1.ProtocolTCP} {
			got, err := policies.Allow(pods[from], dns, policy.Port{Number: 53, Protocol: protocol})
			require.NoError(t, err)
			require.True(t, got, "%s cannot ask the cluster's DNS by %s", from, protocol)
		}
	}
	require.Empty(t, strings.Join(wrong, "\n"))
}

// key names a role of a deployment.
func key(deployment, role string) string { return deployment + "/" + role }

// policiesAndPods are the policies, and a pod of each role.
func policiesAndPods(t *testing.T, s *solution.Solution, objects []object) (policy.Policies, map[string]policy.Pod) {
	t.Helper()
	var policies policy.Policies
	templates := map[[2]string]corev1.PodTemplateSpec{}
	for _, o := range objects {
		if o.Kind == "NetworkPolicy" {
			var p networkingv1.NetworkPolicy
			o.read(t, &p)
			policies = append(policies, p)
		}
		if w, ok := workload(t, o); ok {
			id := [2]string{w.Labels[targets.DeploymentLabel], w.Labels[targets.RoleLabel]}
			require.NotContains(t, templates, id)
			templates[id] = w
		}
	}
	pods := map[string]policy.Pod{}
	ip := netip.MustParseAddr("10.0.0.0")
	for name, d := range s.Deployments {
		for role := range d.Artifact.Description.Role {
			labels := targets.Labels(s, name, role)
			w, ok := templates[[2]string{labels[targets.DeploymentLabel], labels[targets.RoleLabel]}]
			require.True(t, ok, "%s has no workload", key(name, role))
			ip = ip.Next()
			pod := policy.Pod{
				IP: ip, Namespace: "here", NamespaceLabels: map[string]string{"kubernetes.io/metadata.name": "here"},
				Labels: w.Labels, Ports: map[string]int32{},
			}
			for _, c := range w.Spec.Containers {
				for _, p := range c.Ports {
					pod.Ports[p.Name] = p.ContainerPort
				}
			}
			pods[key(name, role)] = pod
		}
	}
	require.Len(t, pods, len(templates), "workloads that are no role's")
	return policies, pods
}

// workload is the pod template of a Deployment, StatefulSet, DaemonSet or Job.
func workload(t *testing.T, o object) (corev1.PodTemplateSpec, bool) {
	t.Helper()
	switch o.Kind {
	case "Deployment":
		var d appsv1.Deployment
		o.read(t, &d)
		return d.Spec.Template, true
	case "StatefulSet":
		var d appsv1.StatefulSet
		o.read(t, &d)
		return d.Spec.Template, true
	case "Job":
		var j batchv1.Job
		o.read(t, &j)
		return j.Spec.Template, true
	case "DaemonSet":
		var d appsv1.DaemonSet
		o.read(t, &d)
		return d.Spec.Template, true
	}
	return corev1.PodTemplateSpec{}, false
}

// ways are the connections that a solution makes, and lets all others make.
func ways(s *solution.Solution) map[way]bool {
	wanted := map[way]bool{}
	for _, r := range s.Reaches() {
		from := ""
		if r.From.Role != "" {
			from = key(r.From.Deployment, r.From.Role)
		}
		for _, g := range r.Groups {
			for _, target := range g {
				for _, port := range portsOf(target.Server) {
					wanted[way{from, key(target.Deployment, target.Role), port}] = true
				}
			}
		}
	}
	if s.External == nil {
		return wanted
	}
	for _, a := range s.External.Accepts {
		for _, c := range a.Clients {
			for _, server := range s.Offer(solution.End{Channel: a.Channel, Deployment: a.Deployment}) {
				for _, port := range portsOf(&solution.Channel{Port: server.Port, Portnum: server.Portnum, Protocol: server.Protocol}) {
					wanted[way{"", key(server.Deployment, server.Role), port}] = c.Deployment == solution.Anyone
				}
			}
		}
	}
	return wanted
}

func portsOf(c *solution.Channel) (ports []policy.Port) {
	protocol := corev1.ProtocolTCP
	if c.Protocol == "udp" {
		protocol = corev1.ProtocolUDP
	}
	for i := range c.Portnum {
		ports = append(ports, policy.Port{Number: int32(c.Port + i), Protocol: protocol})
	}
	return ports
}

// allPorts are the ports of all roles, the same with the other protocol, and
// those before and after.
func allPorts(s *solution.Solution) []policy.Port {
	set := map[policy.Port]bool{}
	for _, d := range s.Deployments {
		for _, role := range d.Artifact.Description.Role {
			srv := role.Artifact.Description.Srv
			for _, channels := range []map[string]*solution.Channel{srv.Server, srv.Duplex} {
				for _, c := range channels {
					for _, p := range portsOf(c) {
						for i := int32(-1); i <= 1; i++ {
							set[policy.Port{Number: p.Number + i, Protocol: corev1.ProtocolTCP}] = true
							set[policy.Port{Number: p.Number + i, Protocol: corev1.ProtocolUDP}] = true
						}
					}
				}
			}
		}
	}
	return slices.SortedFunc(maps.Keys(set), func(a, b policy.Port) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	})
}
