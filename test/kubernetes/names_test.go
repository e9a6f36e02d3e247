package kubernetes

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"kumiki.dev/internal/golden"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/test/kubernetes/policy"
)

// TestNames follows the names of every channel of every case, through what the
// resolver is told and the services, to pods: those are of the roles that the
// solution connects, and of no others.
func TestNames(t *testing.T) {
	golden.Each(t, cases, func(t *testing.T, c *golden.Case) {
		if c.Section("out/errors.txt") != nil {
			t.Skip("the case has no solution")
		}
		m := manifestOf(c)
		stream, _ := m.render(t, "here")
		s, objects := compile(t, m), parse(t, stream)
		_, pods := policiesAndPods(t, s, objects)
		n := names{services: map[string]corev1.Service{}, pods: pods}
		n.read(t, objects)
		for _, r := range s.Reaches() {
			if r.From.Role != "" {
				n.check(t, s, r)
			}
		}
	})
}

// names are what the names of channels lead through.
type names struct {
	services map[string]corev1.Service
	pods     map[string]policy.Pod
	// channels are what the resolver of a role is told, by the labels of its
	// deployment and role.
	channels map[string]map[string][]group
}

// group is one number of a channel, as the resolver reads it.
type group struct {
	LB, Set  string
	Port     int32
	Protocol string
}

func (n *names) read(t *testing.T, objects []object) {
	t.Helper()
	n.channels = map[string]map[string][]group{}
	configs := map[string]corev1.ConfigMap{}
	for _, o := range objects {
		switch o.Kind {
		case "Service":
			var s corev1.Service
			o.read(t, &s)
			n.services[o.Name] = s
		case "ConfigMap":
			var c corev1.ConfigMap
			o.read(t, &c)
			configs[o.Name] = c
		}
	}
	for _, o := range objects {
		w, ok := workload(t, o)
		if !ok || len(w.Spec.InitContainers) == 0 {
			continue
		}
		for _, v := range w.Spec.Volumes {
			if v.ConfigMap == nil || configs[v.ConfigMap.Name].Data["channels.json"] == "" {
				continue
			}
			var file struct{ Channels map[string][]group }
			require.NoError(t, json.Unmarshal([]byte(configs[v.ConfigMap.Name].Data["channels.json"]), &file))
			n.channels[key(o.Labels[targets.DeploymentLabel], o.Labels[targets.RoleLabel])] = file.Channels
		}
	}
}

func (n *names) check(t *testing.T, s *solution.Solution, r solution.Reach) {
	t.Helper()
	own := targets.Labels(s, r.From.Deployment, r.From.Role)
	channels, ok := n.channels[key(own[targets.DeploymentLabel], own[targets.RoleLabel])]
	if !ok {
		return // The role uses no names.
	}
	groups := channels[r.From.Channel]
	require.Len(t, groups, len(r.Groups), "%v", r.From)
	for i, g := range r.Groups {
		at := fmt.Sprintf("%d.%s of %s/%s", i, r.From.Channel, r.From.Deployment, r.From.Role)
		if len(g) == 0 {
			require.Empty(t, groups[i].LB+groups[i].Set, at)
			continue
		}
		var want []string
		for _, target := range g {
			want = append(want, fmt.Sprintf("%s:%d", key(target.Deployment, target.Role), target.Server.Port))
		}
		slices.Sort(want)
		lb, set := n.services[groups[i].LB], n.services[groups[i].Set]
		require.NotEqual(t, corev1.ClusterIPNone, lb.Spec.ClusterIP, at)
		require.Equal(t, want, n.behind(lb, 80), at)
		require.Equal(t, corev1.ClusterIPNone, set.Spec.ClusterIP, at)
		// A headless service gives addresses: the port is the instances' own.
		require.Equal(t, roles(want), roles(n.behind(set, g[0].Server.Port)), at)
		require.Equal(t, int32(g[0].Server.Port), groups[i].Port, at)
	}
}

// behind are the pods that a service leads to by one of its ports, with the
// ports there.
func (n *names) behind(s corev1.Service, port int) (ends []string) {
	for _, p := range s.Spec.Ports {
		if int(p.Port) != port {
			continue
		}
		for _, role := range slices.Sorted(maps.Keys(n.pods)) {
			pod := n.pods[role]
			if len(s.Spec.Selector) == 0 || !labels.SelectorFromSet(s.Spec.Selector).Matches(labels.Set(pod.Labels)) {
				continue
			}
			number := p.TargetPort.IntVal
			if p.TargetPort.StrVal != "" {
				number = pod.Ports[p.TargetPort.StrVal]
			}
			ends = append(ends, fmt.Sprintf("%s:%d", role, number))
		}
	}
	slices.Sort(ends)
	return ends
}

func roles(ends []string) (out []string) {
	for _, end := range ends {
		role, _, _ := strings.Cut(end, ":")
		out = append(out, role)
	}
	return out
}
