package policy

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

func pod(namespace, app, ip string) Pod {
	return Pod{
		IP: netip.MustParseAddr(ip), Namespace: namespace, NamespaceLabels: map[string]string{"name": namespace},
		Labels: map[string]string{"app": app}, Ports: map[string]int32{"web": 80},
	}
}

// TestAllow shows the rules of the API's reference one by one.
func TestAllow(t *testing.T) {
	web, db, other := pod("a", "web", "10.0.0.1"), pod("a", "db", "10.0.0.2"), pod("b", "web", "10.0.0.3")
	outside := Pod{IP: netip.MustParseAddr("192.0.2.1")}
	tcp, udp := corev1.ProtocolTCP, corev1.ProtocolUDP
	tests := []struct {
		name, policies string
		from, to       Pod
		port           Port
		want           bool
	}{
		{"no policy", `[]`, other, web, Port{80, tcp}, true},
		{"deny in", `[{podSelector: {}}]`, db, web, Port{80, tcp}, false},
		{"deny in, going out", `[{podSelector: {}}]`, web, other, Port{80, tcp}, true},
		{"deny out", `[{podSelector: {}, policyTypes: [Egress]}]`, web, other, Port{80, tcp}, false},
		{"deny out, coming in", `[{podSelector: {}, policyTypes: [Egress]}]`, other, web, Port{80, tcp}, true},
		{"another pod's", `[{podSelector: {matchLabels: {app: db}}}]`, db, web, Port{80, tcp}, true},
		{"egress alone", `[{podSelector: {}, egress: [{}]}]`, other, web, Port{80, tcp}, false},
		{"all peers", `[{podSelector: {}, ingress: [{}]}]`, outside, web, Port{80, tcp}, true},
		{"empty peer", `[{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}]`, db, web, Port{80, tcp}, true},
		{"empty peer, other namespace", `[{podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}]`, other, web, Port{80, tcp}, false},
		{"empty peer, outside", `[{podSelector: {}, ingress: [{from: [{namespaceSelector: {}}]}]}]`, outside, web, Port{80, tcp}, false},
		{"namespace and pod", `[{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {name: b}}, podSelector: {matchLabels: {app: web}}}]}]}]`, other, web, Port{80, tcp}, true},
		{"namespace and other pod", `[{podSelector: {}, ingress: [{from: [{namespaceSelector: {matchLabels: {name: b}}, podSelector: {matchLabels: {app: db}}}]}]}]`, other, web, Port{80, tcp}, false},
		{"block", `[{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8]}}]}]}]`, outside, web, Port{80, tcp}, true},
		{"block's exception", `[{podSelector: {}, ingress: [{from: [{ipBlock: {cidr: 0.0.0.0/0, except: [10.0.0.0/8]}}]}]}]`, db, web, Port{80, tcp}, false},
		{"port", `[{podSelector: {}, ingress: [{ports: [{port: 80}]}]}]`, db, web, Port{80, tcp}, true},
		{"other port", `[{podSelector: {}, ingress: [{ports: [{port: 81}]}]}]`, db, web, Port{80, tcp}, false},
		{"other protocol", `[{podSelector: {}, ingress: [{ports: [{port: 80}]}]}]`, db, web, Port{80, udp}, false},
		{"range", `[{podSelector: {}, ingress: [{ports: [{port: 70, endPort: 80}]}]}]`, db, web, Port{80, tcp}, true},
		{"name", `[{podSelector: {}, ingress: [{ports: [{port: web}]}]}]`, db, web, Port{80, tcp}, true},
		{"name of the server's, going out", `[{podSelector: {}, policyTypes: [Egress], egress: [{ports: [{port: web}]}]}]`, db, web, Port{81, tcp}, false},
		{"two policies", `[{podSelector: {}}, {podSelector: {}, ingress: [{ports: [{protocol: UDP}]}]}]`, db, web, Port{9, udp}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var specs []networkingv1.NetworkPolicySpec
			require.NoError(t, yaml.UnmarshalStrict([]byte(test.policies), &specs))
			var policies Policies
			for _, spec := range specs {
				policies = append(policies, networkingv1.NetworkPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "a"}, Spec: spec})
			}
			got, err := policies.Allow(test.from, test.to, test.port)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}
