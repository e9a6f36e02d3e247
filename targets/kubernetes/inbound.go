package kubernetes

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// The values of the option that says how traffic is let in.
const (
	byIngress = "ingress"
	byGateway = "gateway"
)

// inbound is one way into the cluster.
type inbound struct {
	*builder
	at        place
	name      string
	route     *route
	parameter map[string]any
	resource  map[string]*solution.Resource
}

// inbounds makes what lets traffic in.
func (b *builder) inbounds() {
	var gateways []*inbound
	for _, w := range b.inbound {
		desc := b.solution.Deployments[w.client.deployment].Artifact.Description
		ref := b.solution.Deployments[w.client.deployment].Artifact.Ref
		in := &inbound{builder: b, at: w.client, name: name(w.client.deployment), parameter: desc.Config.Parameter, resource: desc.Config.Resource}
		switch {
		case ref.Name != targets.Inbound:
			continue // that is an error
		case len(w.routes) == 0 || w.routes[0] == nil:
			b.lost(diag.LostInbound, in.at, nil, "%s leads to no server, and lets nothing in", in.at.deployment)
			continue
		}
		if in.route = w.routes[0]; in.route.in != "" {
			b.lost(diag.LostInbound, in.at, nil, "%s leads to %s, which is in another namespace: what lets traffic in has to be in that of its servers", in.at.deployment, in.route.name)
			continue
		}
		switch {
		case cmp.Or(b.options.Ingress, byIngress) == byGateway:
			gateways = append(gateways, in)
		case in.parameter["type"] == "tcp":
			in.loadBalancer()
		default:
			in.ingress()
		}
	}
	b.gateways(gateways)
}

// host is the name by which the inbound is found.
func (in *inbound) host() string {
	r, path := in.resource["serverdomain"], []string{"config", "resource", "serverdomain"}
	if r == nil || r.Domain == "" {
		in.lost(diag.LostInbound, in.at, path, "%s has no domain: it takes requests to all hosts", in.at.deployment)
		return ""
	}
	host, ok := in.builder.host(r.Domain)
	if ok {
		return host
	}
	host = in.registeredAs(in.at, path, r.Domain)
	in.lost(diag.LostInbound, in.at, path, "%q, the domain of %s, is a name that a host is registered under, which only the platform knows: requests to the host %q itself come in; give --domain %s=HOST", r.Domain, in.at.deployment, host, r.Domain)
	return host
}

// secret is the name of the Secret that holds the inbound's certificate, "" for
// none.
func (in *inbound) secret() string {
	path := []string{"config", "resource", "servercert"}
	if in.parameter["type"] == "http" {
		return ""
	}
	r := in.resource["servercert"]
	if r == nil || r.Certificate == "" {
		in.lost(diag.LostInbound, in.at, path, "%s has no certificate: the controller shows one of its own", in.at.deployment)
		return ""
	}
	return in.registeredAs(in.at, path, r.Certificate)
}

// authority is what clients' certificates are checked with, "" where they need
// none. The word says whether it is there.
func (in *inbound) authority() (ca string, needed bool) {
	if in.parameter["clientcert"] != true || in.parameter["type"] == "http" {
		return "", false
	}
	path := []string{"config", "resource", "clientcertca"}
	r := in.resource["clientcertca"]
	if r == nil || r.CA == "" {
		in.lost(diag.LostInbound, in.at, path, "%s asks for clients' certificates, but no authority is given to check them with: nobody is asked for one", in.at.deployment)
		return "", false
	}
	return in.registeredAs(in.at, path, r.CA), true
}

// nginx begins the annotations of ingress-nginx.
const nginx = "nginx.ingress.kubernetes.io/"

// ingress makes the Ingress of an http or https inbound.
func (in *inbound) ingress() {
	host, secret := in.host(), in.secret()
	everywhere := networkingv1.PathTypePrefix
	i := &networkingv1.Ingress{ObjectMeta: in.meta(in.name, in.at), Spec: networkingv1.IngressSpec{
		Rules: []networkingv1.IngressRule{{Host: host, IngressRuleValue: networkingv1.IngressRuleValue{HTTP: &networkingv1.HTTPIngressRuleValue{
			Paths: []networkingv1.HTTPIngressPath{{Path: "/", PathType: &everywhere, Backend: networkingv1.IngressBackend{
				Service: &networkingv1.IngressServiceBackend{Name: in.route.name, Port: networkingv1.ServiceBackendPort{Number: lbPort}},
			}}},
		}}}},
	}}
	i.APIVersion, i.Kind = "networking.k8s.io/v1", "Ingress"
	if class := in.options.IngressClass; class != "" {
		i.Spec.IngressClassName = &class
	}
	if in.parameter["type"] != "http" {
		tls := networkingv1.IngressTLS{SecretName: secret}
		if host != "" {
			tls.Hosts = []string{host}
		}
		i.Spec.TLS = []networkingv1.IngressTLS{tls}
	}
	i.Annotations = in.annotations()
	in.add("Ingress", in.name, in.at, i)
}

// annotations say what Ingress has no fields for, to the controllers that
// understand them.
func (in *inbound) annotations() map[string]string {
	out := map[string]string{}
	switch {
	case in.parameter["websocket"] == true:
		out[nginx+"proxy-read-timeout"], out[nginx+"proxy-send-timeout"] = "3600", "3600"
	default:
		in.lost(diag.LostInbound, in.at, []string{"config", "parameter", "websocket"}, "an Ingress lets websockets through whether or not it is asked to: %s does not keep them out; --ingress gateway does", in.at.deployment)
	}
	if in.route.server().Protocol == "grpc" {
		out[nginx+"backend-protocol"] = "GRPC"
	}
	if ca, needed := in.authority(); needed {
		path := []string{"config", "parameter", "clientcert"}
		if in.options.Namespace == "" {
			in.lost(diag.LostInbound, in.at, path, "clients' certificates are not checked: an Ingress says so with the namespace of the authority's Secret; give -n, or use --ingress gateway")
			return out
		}
		out[nginx+"auth-tls-secret"] = in.options.Namespace + "/" + ca
		out[nginx+"auth-tls-verify-client"] = "on"
		in.lost(diag.LostInbound, in.at, path, "that %s checks clients' certificates is said in annotations of ingress-nginx, which other controllers pass over: with those, use --ingress gateway", in.at.deployment)
	}
	return out
}

// port is the number of the port that a TCP inbound is found at.
func (in *inbound) port() int32 {
	r, path := in.resource["port"], []string{"config", "resource", "port"}
	id := ""
	if r != nil {
		id = r.Port
	}
	if n, ok := in.number(id); ok {
		return n
	}
	own := int32(in.route.server().Port)
	in.lost(diag.LostInbound, in.at, path, "%q, the port of %s, is a name that a number is registered under, which only the platform knows: it is the servers' own, %d; give --port %s=NUMBER", id, in.at.deployment, own, id)
	return own
}

// loadBalancer makes the Service of a TCP inbound.
func (in *inbound) loadBalancer() {
	c, own := in.route.server(), serviceName(in.at.deployment)
	in.add("Service", own, in.at, in.service(own, in.at, in.route.selector, corev1.ServiceSpec{
		Type:  corev1.ServiceTypeLoadBalancer,
		Ports: []corev1.ServicePort{{Name: portName(in.route.targets[0].Channel), Protocol: transport(c), Port: in.port(), TargetPort: in.route.port}},
	}))
}

// typed sets what every object of the gateways' API says of itself.
func typed(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: "gateway.networking.k8s.io/v1", Kind: kind}
}
