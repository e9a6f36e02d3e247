package kubernetes

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

const (
	namespaceLabel = "kubernetes.io/metadata.name" // Kubernetes' own, on every namespace
	dnsNamespace   = "kube-system"
	dnsPort        = 53
)

// access is a connection that the solution makes.
type access struct {
	from, to place
	ports    portRange
}

// portRange is a channel's ports.
type portRange struct {
	protocol    corev1.Protocol
	first, last int
}

func rangeOf(c *solution.Channel) portRange {
	return portRange{transport(c), c.Port, c.Port + max(0, c.Portnum-1)}
}

func (p portRange) policy() networkingv1.NetworkPolicyPort {
	port := intstr.FromInt(p.first)
	out := networkingv1.NetworkPolicyPort{Protocol: &p.protocol, Port: &port}
	if p.last > p.first {
		last := int32(p.last)
		out.EndPort = &last
	}
	return out
}

// access notes the connections of a way to a group. Those of clients of other solutions
// are for the clients that the channel is open to.
func (b *builder) access(w *way, g solution.Group, accepted []solution.Client) {
	for _, t := range g {
		to := place{t.Deployment, t.Role}
		if w.client.deployment == outsider {
			if len(accepted) > 0 {
				b.admitted[to] = append(b.admitted[to], admission{rangeOf(t.Server), accepted})
			}
			continue
		}
		b.accesses = append(b.accesses, access{w.client, to, rangeOf(t.Server)})
	}
}

// policies deny all that the solution does not connect: pods may only ask the
// cluster's DNS, and each role adds its connections to that.
func (b *builder) policies() {
	all := b.policy(name(b.solution.Ref.Name), place{})
	all.Spec.PodSelector.MatchLabels = map[string]string{targets.SolutionLabel: all.Labels[targets.SolutionLabel]}
	all.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{{
		To: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{namespaceLabel: dnsNamespace}}}},
		Ports: []networkingv1.NetworkPolicyPort{
			portRange{corev1.ProtocolUDP, dnsPort, dnsPort}.policy(),
			portRange{corev1.ProtocolTCP, dnsPort, dnsPort}.policy(),
		},
	}}
	in, out := map[place]ends{}, map[place]ends{}
	for _, a := range b.accesses {
		in[a.to] = in[a.to].with(a.from, a.ports)
		if a.from.role != "" {
			out[a.from] = out[a.from].with(a.to, a.ports)
		}
	}
	for _, name := range targets.Keys(b.solution.Deployments) {
		roles := b.solution.Deployments[name].Artifact.Description.Role
		for _, role := range targets.Keys(roles) {
			at := place{name, role}
			b.rolePolicy(at, in[at], out[at])
		}
	}
}

// rolePolicy lets through what a role is connected with.
func (b *builder) rolePolicy(at place, in, out ends) {
	outside, admitted := b.egress[at], b.admittedTo(at)
	if len(in)+len(out)+len(outside)+len(admitted) == 0 {
		return
	}
	p := b.policy(workload(at), at)
	p.Spec.PodSelector.MatchLabels = b.selector(at)
	for _, rule := range in.rules() {
		r := networkingv1.NetworkPolicyIngressRule{Ports: rule.policy()}
		for _, from := range rule.places {
			if from.role != "" {
				r.From = append(r.From, b.peer(from))
			}
		}
		if filter.Any(rule.places, func(from place) bool { return from.role == "" }) {
			r.From = nil // an inbound lets in whoever comes, from wherever its controller is
		}
		p.Spec.Ingress = append(p.Spec.Ingress, r)
	}
	p.Spec.Ingress = append(p.Spec.Ingress, admitted...)
	for _, rule := range out.rules() {
		r := networkingv1.NetworkPolicyEgressRule{Ports: rule.policy()}
		for _, to := range rule.places {
			r.To = append(r.To, b.peer(to))
		}
		p.Spec.Egress = append(p.Spec.Egress, r)
	}
	p.Spec.Egress = append(p.Spec.Egress, outside...)
}

// outside are the rules that a role's hints ask for.
func outside(h targets.Hints) []networkingv1.NetworkPolicyEgressRule {
	var rules []networkingv1.NetworkPolicyEgressRule
	if h.Internet {
		rules = append(rules, networkingv1.NetworkPolicyEgressRule{To: world})
	}
	for _, e := range h.Egress {
		protocol := corev1.ProtocolTCP
		if e.Protocol == "udp" {
			protocol = corev1.ProtocolUDP
		}
		rule := networkingv1.NetworkPolicyEgressRule{To: []networkingv1.NetworkPolicyPeer{{IPBlock: &networkingv1.IPBlock{CIDR: e.CIDR}}}}
		for _, port := range e.Ports {
			rule.Ports = append(rule.Ports, portRange{protocol, port, port}.policy())
		}
		if len(e.Ports) == 0 && e.Protocol != "" {
			rule.Ports = []networkingv1.NetworkPolicyPort{{Protocol: &protocol}}
		}
		rules = append(rules, rule)
	}
	return rules
}

// unreached reports the hosts that a role's configuration names and that no rule
// leads to.
func (r *roleOf) unreached() {
	hosts := targets.Outside(r.role, r.hints, r.reaches)
	if len(hosts) > 0 {
		r.lost(diag.LostEgress, r.at, hosts[0].Path, "%v %s", r.at, targets.OutsideAdvice(hosts))
	}
}

// reaches reports whether a host is the solution itself, or a Service that one of the
// role's channels leads to.
func (r *roleOf) reaches(host string) bool {
	first, _, _ := strings.Cut(host, ".")
	for _, w := range r.clients[r.at] {
		for _, route := range w.routes {
			if route != nil && (first == strings.TrimSuffix(route.name, route.in) || first == strings.TrimSuffix(route.setName(), route.in)) {
				return true
			}
		}
	}
	return r.domains[host] || first == "kubernetes" && len(r.hints.RBAC) > 0
}

// world is all addresses but private ones, which are the cluster's and its
// neighbours'.
var world = []networkingv1.NetworkPolicyPeer{
	{IPBlock: &networkingv1.IPBlock{CIDR: "0.0.0.0/0", Except: []string{"10.0.0.0/8", "100.64.0.0/10", "169.254.0.0/16", "172.16.0.0/12", "192.168.0.0/16"}}},
	{IPBlock: &networkingv1.IPBlock{CIDR: "::/0", Except: []string{"fc00::/7", "fe80::/10"}}},
}

func (b *builder) policy(name string, at place) *networkingv1.NetworkPolicy {
	p := &networkingv1.NetworkPolicy{ObjectMeta: b.meta(name, at), Spec: networkingv1.NetworkPolicySpec{
		PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
	}}
	p.APIVersion, p.Kind = "networking.k8s.io/v1", "NetworkPolicy"
	b.add("NetworkPolicy", name, at, p)
	return p
}

// ends are the places at the other end of a role's connections, with the ports
// of each.
type ends map[place][]portRange

func (e ends) with(p place, ports portRange) ends {
	if e == nil {
		e = ends{}
	}
	if !filter.Contains(e[p], ports) {
		e[p] = append(e[p], ports)
	}
	return e
}

// rule is all places that are reached at the same ports.
type rule struct {
	ports  []portRange
	places []place
}

func (r *rule) policy() []networkingv1.NetworkPolicyPort {
	out := make([]networkingv1.NetworkPolicyPort, len(r.ports))
	for i, p := range r.ports {
		out[i] = p.policy()
	}
	return out
}

// rules are sorted by the first of their places.
func (e ends) rules() []*rule {
	byPorts := map[string]*rule{}
	var out []*rule
	for _, p := range sorting.Keys(e, place.compare) {
		ports := slices.Clone(e[p])
		sorting.By(ports, func(x, y portRange) int {
			return cmp.Or(cmp.Compare(x.first, y.first), cmp.Compare(x.protocol, y.protocol), cmp.Compare(x.last, y.last))
		})
		key := fmt.Sprint(ports)
		if byPorts[key] == nil {
			byPorts[key] = &rule{ports: ports}
			out = append(out, byPorts[key])
		}
		byPorts[key].places = append(byPorts[key].places, p)
	}
	return out
}
