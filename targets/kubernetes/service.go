package kubernetes

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// maxPorts is how many ports of a channel a Service has; more would be a range,
// which Services do not know.
const maxPorts = 100

// services makes those of all routes.
func (b *builder) services() {
	for _, key := range targets.Keys(b.routes) {
		r := b.routes[key]
		if r.foreign {
			continue // they are with the other solution
		}
		if r.lb {
			b.add("Service", r.name, r.at(), b.service(r.name, r.at(), r.selector, corev1.ServiceSpec{Ports: b.lbPorts(r)}))
		}
		if r.set {
			set := corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone, PublishNotReadyAddresses: b.duplex(r), Ports: b.ownPorts(r)}
			b.add("Service", r.setName(), r.at(), b.service(r.setName(), r.at(), r.selector, set))
		}
	}
}

func (b *builder) service(name string, at place, selector map[string]string, spec corev1.ServiceSpec) *corev1.Service {
	s := &corev1.Service{ObjectMeta: b.meta(name, at), Spec: spec}
	s.APIVersion, s.Kind = "v1", "Service"
	s.Spec.Selector = selector
	return s
}

// duplex reports whether a route leads to a duplex channel: peers have to find
// each other before they are ready.
func (b *builder) duplex(r *route) bool {
	return b.at(r.at()).Artifact.Description.Srv.Duplex[r.targets[0].Channel] != nil
}

// lbPorts are port 80 and the server's own, for clients that know it.
func (b *builder) lbPorts(r *route) []corev1.ServicePort {
	own := b.ownPorts(r)
	if filter.Any(own, func(p corev1.ServicePort) bool { return p.Port == lbPort }) {
		return own
	}
	first := own[0]
	first.Name, first.Port = "lb", lbPort
	if own[0].Name == first.Name {
		first.Name = "lb-80"
	}
	if filter.Any(own, func(p corev1.ServicePort) bool { return p.Name == first.Name }) {
		first.Name = "kumiki-lb" // those of a channel lb with many ports are lb-1, lb-2 and so on
	}
	return append([]corev1.ServicePort{first}, own...)
}

func (b *builder) ownPorts(r *route) []corev1.ServicePort {
	c := r.server()
	p := corev1.ServicePort{
		Name: portName(r.targets[0].Channel), Protocol: transport(c), AppProtocol: b.application(r),
		Port: int32(c.Port), TargetPort: r.port,
	}
	ports := []corev1.ServicePort{p}
	if c.Portnum > maxPorts {
		b.lost(diag.LostChannel, r.at(), []string{"srv", "server", r.targets[0].Channel}, "a Service has no ranges of ports: only port %d of the %d of channel %s of %v has a name", c.Port, c.Portnum, r.targets[0].Channel, r.at())
		return ports
	}
	for i := 1; i < c.Portnum; i++ {
		next := p
		next.Name, next.Port, next.TargetPort = p.Name+"-"+strconv.Itoa(i), int32(c.Port+i), intstr.FromInt(c.Port+i)
		ports = append(ports, next)
	}
	return ports
}

func transport(c *solution.Channel) corev1.Protocol {
	if c.Protocol == "udp" {
		return corev1.ProtocolUDP
	}
	return corev1.ProtocolTCP
}

// application is what gateways and meshes are told of a route's protocol. The model's
// http is also that of channels of which nobody has said anything, those of databases
// among them: it is told where an inbound or a probe asks by http.
func (b *builder) application(r *route) *string {
	name := ""
	switch c := r.server(); {
	case c.Protocol == "grpc":
		name = "kubernetes.io/h2c"
	case c.Protocol == "http" && (r.http || b.probedByHTTP(r.at(), c.Port)):
		name = "http"
	default:
		return nil
	}
	return &name
}

// probedByHTTP reports whether a container of a role is asked for its health by http
// at a port.
func (b *builder) probedByHTTP(at place, port int) bool {
	for _, p := range b.at(at).Artifact.Description.Probe {
		for _, c := range []*solution.Check{p.Liveness, p.Readiness} {
			if c != nil && c.Protocol.HTTP != nil && c.Protocol.HTTP.Port == port {
				return true
			}
		}
	}
	return false
}
