package kubernetes

import (
	"cmp"

	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	"kumiki.dev/diag"
)

// maxListeners is how many a Gateway has.
const maxListeners = 64

// The ports of the web.
const (
	httpPort  = 80
	httpsPort = 443
)

// defaultClass is the class of Gateways where nobody has named one: there is no
// default among classes.
const defaultClass = "default"

// gateways makes a Gateway for all inbounds but those that check clients'
// certificates: a Gateway does so for all of its listeners, or for none.
func (b *builder) gateways(all []*inbound) {
	if len(all) > 0 && b.options.IngressClass == "" {
		b.lost(diag.LostInbound, place{deployment: b.solution.Top}, nil, "Gateways have no default class: that of this one is called %q; give --ingress-class", defaultClass)
	}
	var shared *gatewayv1.Gateway
	for _, in := range all {
		ca, own := in.authority()
		var g *gatewayv1.Gateway
		switch {
		case own:
			g = b.gateway(in.name, in.at)
			g.Spec.TLS = &gatewayv1.GatewayTLSConfig{Frontend: &gatewayv1.FrontendTLSConfig{Default: gatewayv1.TLSConfig{
				Validation: &gatewayv1.FrontendTLSValidation{CACertificateRefs: []gatewayv1.ObjectReference{{Kind: "ConfigMap", Name: gatewayv1.ObjectName(ca)}}},
			}}}
		case shared == nil || len(shared.Spec.Listeners) == maxListeners:
			shared = b.gateway(b.gatewayName(shared, in), place{deployment: b.solution.Top})
			g = shared
		default:
			g = shared
		}
		in.listen(g)
	}
}

// gatewayName is that of the solution, or of its first inbound for one that is
// needed besides.
func (b *builder) gatewayName(full *gatewayv1.Gateway, in *inbound) string {
	if full == nil {
		return name(b.solution.Ref.Name)
	}
	return in.name
}

func (b *builder) gateway(name string, at place) *gatewayv1.Gateway {
	g := &gatewayv1.Gateway{TypeMeta: typed("Gateway"), ObjectMeta: b.meta(name, at)}
	g.Spec.GatewayClassName = gatewayv1.ObjectName(cmp.Or(b.options.IngressClass, defaultClass))
	b.add("Gateway", name, at, g)
	return g
}

// listen adds the inbound's listener to a gateway, and makes its route.
func (in *inbound) listen(g *gatewayv1.Gateway) {
	l := gatewayv1.Listener{Name: gatewayv1.SectionName(in.name)}
	parent := gatewayv1.CommonRouteSpec{ParentRefs: []gatewayv1.ParentReference{{Name: gatewayv1.ObjectName(g.Name), SectionName: &l.Name}}}
	if in.parameter["type"] == "tcp" {
		l.Port, l.Protocol = in.port(), gatewayv1.TCPProtocolType
		g.Spec.Listeners = append(g.Spec.Listeners, l)
		in.tcpRoute(parent)
		return
	}
	var hosts []gatewayv1.Hostname
	if host := gatewayv1.Hostname(in.host()); host != "" {
		l.Hostname, hosts = &host, []gatewayv1.Hostname{host}
	}
	l.Port, l.Protocol = httpPort, gatewayv1.HTTPProtocolType
	if in.parameter["type"] != "http" {
		l.Port, l.Protocol = httpsPort, gatewayv1.HTTPSProtocolType
		terminate := gatewayv1.TLSModeTerminate
		l.TLS = &gatewayv1.ListenerTLSConfig{Mode: &terminate}
		if secret := in.secret(); secret != "" {
			l.TLS.CertificateRefs = []gatewayv1.SecretObjectReference{{Name: gatewayv1.ObjectName(secret)}}
		}
	}
	g.Spec.Listeners = append(g.Spec.Listeners, l)
	in.httpRoute(parent, hosts)
}

func (in *inbound) backend() gatewayv1.BackendRef {
	port := gatewayv1.PortNumber(lbPort)
	return gatewayv1.BackendRef{BackendObjectReference: gatewayv1.BackendObjectReference{Name: gatewayv1.ObjectName(in.route.name), Port: &port}}
}

// httpRoute leads requests to the servers. Where websockets are not let
// through, the requests that ask for one are refused: they lead nowhere.
func (in *inbound) httpRoute(parent gatewayv1.CommonRouteSpec, hosts []gatewayv1.Hostname) {
	r := &gatewayv1.HTTPRoute{TypeMeta: typed("HTTPRoute"), ObjectMeta: in.meta(in.name, in.at)}
	r.Spec = gatewayv1.HTTPRouteSpec{CommonRouteSpec: parent, Hostnames: hosts}
	if in.parameter["websocket"] != true {
		r.Spec.Rules = append(r.Spec.Rules, gatewayv1.HTTPRouteRule{Matches: []gatewayv1.HTTPRouteMatch{{
			Headers: []gatewayv1.HTTPHeaderMatch{{Name: "Upgrade", Value: "websocket"}},
		}}})
	}
	r.Spec.Rules = append(r.Spec.Rules, gatewayv1.HTTPRouteRule{BackendRefs: []gatewayv1.HTTPBackendRef{{BackendRef: in.backend()}}})
	in.add("HTTPRoute", in.name, in.at, r)
}

func (in *inbound) tcpRoute(parent gatewayv1.CommonRouteSpec) {
	r := &gatewayv1.TCPRoute{TypeMeta: typed("TCPRoute"), ObjectMeta: in.meta(in.name, in.at)}
	r.Spec = gatewayv1.TCPRouteSpec{CommonRouteSpec: parent, Rules: []gatewayv1.TCPRouteRule{{BackendRefs: []gatewayv1.BackendRef{in.backend()}}}}
	in.add("TCPRoute", in.name, in.at, r)
}
