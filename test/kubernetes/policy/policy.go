// Package policy says what NetworkPolicies allow: who can connect to whom, at
// which port. It follows the API's reference to the letter, and knows of no
// network plugin's habits.
package policy

import (
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Pod is an end of a connection. One outside the cluster has an IP only.
type Pod struct {
	IP              netip.Addr
	Namespace       string
	NamespaceLabels map[string]string
	Labels          map[string]string
	// Ports are the names of the containers' ports.
	Ports map[string]int32
}

// Port is where a connection arrives.
type Port struct {
	Number   int32
	Protocol corev1.Protocol
}

// Policies are all policies of a cluster.
type Policies []networkingv1.NetworkPolicy

// Allow says whether a connection may be made: the policies of its source must
// let it out, and those of its target let it in. A pod that no policy selects
// for a direction is open in that direction.
func (p Policies) Allow(from, to Pod, port Port) (bool, error) {
	out, err := p.direction(from, to, to, port, networkingv1.PolicyTypeEgress)
	if err != nil || !out {
		return false, err
	}
	return p.direction(to, from, to, port, networkingv1.PolicyTypeIngress)
}

// rule is a rule of either direction.
type rule struct {
	peers []networkingv1.NetworkPolicyPeer
	ports []networkingv1.NetworkPolicyPort
}

func (p Policies) direction(subject, peer, server Pod, port Port, direction networkingv1.PolicyType) (bool, error) {
	isolated := false
	for _, policy := range p {
		if subject.Namespace == "" || policy.Namespace != subject.Namespace || !concerns(policy, direction) {
			continue
		}
		selected, err := matches(&policy.Spec.PodSelector, subject.Labels)
		if err != nil {
			return false, err
		}
		if !selected {
			continue
		}
		isolated = true
		for _, r := range rules(policy, direction) {
			allowed, err := r.allows(policy.Namespace, peer, server, port)
			if err != nil || allowed {
				return allowed, err
			}
		}
	}
	return !isolated, nil
}

// concerns says whether the policy has a say in a direction; where it does not
// list them, that is ingress, and egress if it has rules for it.
func concerns(policy networkingv1.NetworkPolicy, direction networkingv1.PolicyType) bool {
	if len(policy.Spec.PolicyTypes) == 0 {
		return direction == networkingv1.PolicyTypeIngress || len(policy.Spec.Egress) > 0
	}
	for _, t := range policy.Spec.PolicyTypes {
		if t == direction {
			return true
		}
	}
	return false
}

func rules(policy networkingv1.NetworkPolicy, direction networkingv1.PolicyType) (out []rule) {
	if direction == networkingv1.PolicyTypeIngress {
		for _, r := range policy.Spec.Ingress {
			out = append(out, rule{r.From, r.Ports})
		}
		return out
	}
	for _, r := range policy.Spec.Egress {
		out = append(out, rule{r.To, r.Ports})
	}
	return out
}

// allows says whether a rule lets a connection pass. No peers are all peers,
// and no ports all ports.
func (r rule) allows(namespace string, peer, server Pod, port Port) (bool, error) {
	fits := len(r.ports) == 0
	for _, p := range r.ports {
		fits = fits || portFits(p, server, port)
	}
	if !fits || len(r.peers) == 0 {
		return fits, nil
	}
	for _, p := range r.peers {
		if ok, err := peerFits(p, namespace, peer); err != nil || ok {
			return ok, err
		}
	}
	return false, nil
}

func portFits(p networkingv1.NetworkPolicyPort, server Pod, port Port) bool {
	protocol := corev1.ProtocolTCP
	if p.Protocol != nil {
		protocol = *p.Protocol
	}
	switch {
	case protocol != port.Protocol:
		return false
	case p.Port == nil:
		return true
	case p.Port.StrVal != "":
		number, named := server.Ports[p.Port.StrVal]
		return named && number == port.Number
	case p.EndPort != nil:
		return p.Port.IntVal <= port.Number && port.Number <= *p.EndPort
	}
	return p.Port.IntVal == port.Number
}

func peerFits(p networkingv1.NetworkPolicyPeer, namespace string, peer Pod) (bool, error) {
	if p.IPBlock != nil {
		return blockFits(p.IPBlock, peer.IP)
	}
	if peer.Namespace == "" {
		return false, nil
	}
	if p.NamespaceSelector == nil {
		if peer.Namespace != namespace {
			return false, nil
		}
	} else if ok, err := matches(p.NamespaceSelector, peer.NamespaceLabels); err != nil || !ok {
		return false, err
	}
	if p.PodSelector == nil {
		return true, nil
	}
	return matches(p.PodSelector, peer.Labels)
}

func blockFits(block *networkingv1.IPBlock, ip netip.Addr) (bool, error) {
	prefix, err := netip.ParsePrefix(block.CIDR)
	if err != nil || !prefix.Contains(ip) {
		return false, err
	}
	for _, text := range block.Except {
		except, err := netip.ParsePrefix(text)
		if err != nil || except.Contains(ip) {
			return false, err
		}
	}
	return true, nil
}

func matches(s *metav1.LabelSelector, set map[string]string) (bool, error) {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return false, err
	}
	return selector.Matches(labels.Set(set)), nil
}
