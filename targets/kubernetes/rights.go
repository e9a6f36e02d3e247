package kubernetes

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"kumiki.dev/diag"
)

const rbacGroup = "rbac.authorization.k8s.io"

// rights lets the role's instances ask the API server: a token in each, a Role with what they
// may do, and a way there.
func (r *roleOf) rights() {
	if len(r.hints.RBAC) == 0 {
		return
	}
	if r.options.Namespace == "" {
		r.broken(diag.TargetObject, r.at, []string{"meta", "rbac"}, "%v has rights (meta.rbac), and what gives them has to name the namespace: say which with -n", r.at)
		return
	}
	role := &rbacv1.Role{ObjectMeta: r.meta(r.name, r.at)}
	role.APIVersion, role.Kind = rbacv1.SchemeGroupVersion.String(), "Role"
	for _, right := range r.hints.RBAC {
		role.Rules = append(role.Rules, rbacv1.PolicyRule{APIGroups: right.Groups, Resources: right.Resources, ResourceNames: right.Names, Verbs: right.Verbs})
	}
	r.add("Role", r.name, r.at, role)
	binding := &rbacv1.RoleBinding{ObjectMeta: r.meta(r.name, r.at),
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: r.name, Namespace: r.options.Namespace}},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: r.name},
	}
	binding.APIVersion, binding.Kind = rbacv1.SchemeGroupVersion.String(), "RoleBinding"
	r.add("RoleBinding", r.name, r.at, binding)
	r.egress[r.at] = append(r.egress[r.at], r.wayToAPI())
}

// apiPorts are those that API servers are found at, behind their Service or by themselves.
var apiPorts = []int{443, 6443}

// wayToAPI lets instances reach the API server. Where that is, is not known here: its Service
// leads out of the cluster's network, to addresses that no label stands for.
func (r *roleOf) wayToAPI() networkingv1.NetworkPolicyEgressRule {
	rule := networkingv1.NetworkPolicyEgressRule{}
	for _, port := range apiPorts {
		rule.Ports = append(rule.Ports, portRange{corev1.ProtocolTCP, port, port}.policy())
	}
	for _, cidr := range slices.Sorted(slices.Values(r.options.APIServers)) {
		rule.To = append(rule.To, networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: addressRange(cidr)}})
	}
	if len(rule.To) == 0 {
		r.lost(diag.LostPolicy, r.at, []string{"meta", "rbac"}, "which addresses the API server has is not known, so that %v may connect to all of them at the ports %d and %d: --api-server says which", r.at, apiPorts[0], apiPorts[1])
	}
	return rule
}
