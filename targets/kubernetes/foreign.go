package kubernetes

import (
	"maps"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// admission opens ports to clients of other solutions.
type admission struct {
	ports   portRange
	clients []solution.Client
}

// accepted are the clients that the channel of an outsider's way is open to.
func (b *builder) accepted(w *way) []solution.Client {
	if w.client.deployment != outsider {
		return nil
	}
	return b.solution.Accepted(b.offered[w.From.Channel])
}

// oneSolution leaves the servers of one solution: a Service does not lead to pods of
// several.
func (b *builder) oneSolution(w *way, g solution.Group) solution.Group {
	if len(g) == 0 {
		return g
	}
	stays := g[0].Solution
	out := filter.Out(g, func(t solution.Target) bool { return t.Solution != stays })
	if len(out) < len(g) {
		lost := g[slices.IndexFunc(g, func(t solution.Target) bool { return t.Solution != stays })]
		b.lost(diag.LostChannel, w.client, []string{"srv", "client", w.From.Channel}, "a Service leads to pods of one solution: requests by channel %s of %v go to %v only, not to %v of %s; give that link a channel of its own", w.From.Channel, w.client, place{g[0].Deployment, g[0].Role}, place{lost.Deployment, lost.Role}, lost.Solution)
	}
	return out
}

// routeOut is the route to servers of another solution, whose own objects have the
// services.
func (b *builder) routeOut(g solution.Group) *route {
	g = eachOnce(g, func(solution.Target, string) {})
	key := "out " + groupKey(g)
	if b.routes[key] != nil {
		return b.routes[key]
	}
	path := groupPath(g)
	first := g[0]
	r := &route{
		path: path, targets: g, foreign: true, port: intstr.FromInt(first.Server.Port),
		selector: targets.ForeignLabels(first.Solution, first.Deployment, first.Role),
	}
	if namespace := b.namespaceOf(first.Deployment); namespace != "" {
		r.in = "." + namespace
	}
	r.name = serviceName(path...) + r.in
	for _, t := range g {
		b.foreign[place{t.Deployment, t.Role}] = t.Solution
	}
	b.routes[key] = r
	return r
}

// namespaceOf is that of a deployment of another solution, "" if it is the same.
func (b *builder) namespaceOf(deployment string) string {
	namespace := b.options.NamespaceOf(deployment)
	if namespace == b.options.Namespace {
		return ""
	}
	return namespace
}

// peer is the pods of a role.
func (b *builder) peer(at place) networkingv1.NetworkPolicyPeer {
	solution, foreign := b.foreign[at]
	if !foreign {
		return networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: b.selector(at)}}
	}
	return b.peerOf(at.deployment, targets.ForeignLabels(solution, at.deployment, at.role))
}

// peerOf is pods of a deployment of another solution.
func (b *builder) peerOf(deployment string, labels map[string]string) networkingv1.NetworkPolicyPeer {
	peer := networkingv1.NetworkPolicyPeer{PodSelector: &metav1.LabelSelector{MatchLabels: labels}}
	if namespace := b.namespaceOf(deployment); namespace != "" {
		peer.NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{namespaceLabel: namespace}}
	}
	return peer
}

// admittedTo are the rules for clients of other solutions.
func (b *builder) admittedTo(at place) []networkingv1.NetworkPolicyIngressRule {
	var out []networkingv1.NetworkPolicyIngressRule
	for _, a := range b.admitted[at] {
		rule := networkingv1.NetworkPolicyIngressRule{Ports: []networkingv1.NetworkPolicyPort{a.ports.policy()}}
		for _, c := range a.clients {
			rule.From = append(rule.From, b.admits(c))
		}
		if filter.Any(a.clients, func(c solution.Client) bool { return c.Deployment == solution.Anyone }) {
			rule.From = nil // from inside the cluster and from outside
		}
		out = append(out, rule)
	}
	return out
}

// admits is the pods of a client. Those of a deployment say by a label that they link to
// others by it; with labels a client is known wherever it is.
func (b *builder) admits(c solution.Client) networkingv1.NetworkPolicyPeer {
	if c.Deployment == "" {
		return networkingv1.NetworkPolicyPeer{
			NamespaceSelector: &metav1.LabelSelector{},
			PodSelector:       &metav1.LabelSelector{MatchLabels: c.Labels},
		}
	}
	return b.peerOf(c.Deployment, map[string]string{targets.ClientLabel(c.Deployment): ""})
}

// linkLabels are the labels that a role's pods have for the links to other solutions: those
// of the solution, and one for each deployment that they come from.
func (b *builder) linkLabels(at place) map[string]string {
	labels := map[string]string{}
	maps.Copy(labels, b.solution.Labels)
	for _, w := range b.clients[at] {
		for _, g := range w.Groups {
			for _, t := range g {
				if t.Link != nil {
					labels[targets.ClientLabel(t.Link.From.Deployment)] = ""
				}
			}
		}
	}
	return labels
}
