package swarm

import (
	"fmt"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

const httpHead = `global
  log stdout format raw local0 notice
  ssl-default-bind-options ssl-min-ver TLSv1.2
` + resolvers + `defaults
  mode http
  log global
  option forwardfor
  option redispatch 1
  retries 3
  timeout connect 3s
  timeout client 60s
  timeout server 60s
  timeout http-request 15s
  timeout tunnel 1h
`

// inbound is one way into the cluster.
type inbound struct {
	*way
	at        place
	parameter map[string]any
	resource  map[string]*solution.Resource
}

// inbounds makes the services that let traffic in: one for all that share the
// ports of HTTP, and one for each TCP port. Their proxies find the servers, and
// Swarm's routing mesh finds the proxies on every node.
func (b *builder) inbounds() {
	var web []inbound
	for _, p := range b.ways {
		if !p.inbound() {
			continue
		}
		artifact := b.solution.Deployments[p.client.deployment].Artifact
		in := inbound{way: p, at: p.client, parameter: artifact.Description.Config.Parameter, resource: artifact.Description.Config.Resource}
		switch kind := in.parameter["type"]; {
		case artifact.Ref.Name != targets.Inbound: // that is an error
		case len(p.routes) == 0 || p.routes[0] == nil:
			b.lost(diag.LostInbound, in.at, nil, "%s leads to no server, and lets nothing in", in.at.deployment)
		case kind == "tcp":
			b.tcpInbound(in)
		default:
			web = append(web, in)
		}
	}
	if len(web) > 0 {
		b.webInbound(web)
	}
}

func (b *builder) tcpInbound(in inbound) {
	id := ""
	if r := in.resource["port"]; r != nil {
		id = r.Port
	}
	port, ok := b.port(id)
	if !ok {
		b.lost(diag.LostInbound, in.at, []string{"config", "resource", "port"}, "a stack publishes numbers, and %q, the port of %s, is only a name: nothing is published; say its number with --port", id, in.at.deployment)
		return
	}
	r := in.routes[0]
	s := b.proxy(in.at, tcpHead+"frontend in0\n  bind :80\n  default_backend out0\nbackend out0\n"+b.backend(r, 0), r.servers)
	s.Ports = []Port{{Target: 80, Published: port, Protocol: "tcp", Mode: "ingress"}}
	attach(s, in.network)
	b.leave(s, r)
	b.add(ServiceKind, b.names.of(in.at.deployment), in.at, s)
}

// certificate is a line of HAProxy's list: a certificate, and who may connect.
type certificate struct{ file, ca string }

// frontend is the rules for the requests to one port. HAProxy looks at all that
// may deny a request before it looks at where the request goes.
type frontend struct{ deny, route strings.Builder }

func (f *frontend) String() string { return f.deny.String() + f.route.String() }

// edge collects the configuration of the service that all HTTP inbounds share.
type edge struct {
	*builder
	service      *Service
	plain, tls   frontend
	backends     strings.Builder
	certificates []certificate
	hasPlain     bool
}

// webInbound makes the service of all http and https inbounds. Hosts are told
// apart by their names, as they share ports.
func (b *builder) webInbound(web []inbound) {
	var servers []solution.Target
	for _, in := range web {
		servers = append(servers, in.routes[0].servers...)
	}
	at := place{deployment: b.solution.Top}
	e := edge{builder: b, service: b.proxy(at, "", servers)}
	for i, in := range web {
		e.inbound(i, in)
	}
	config := httpHead
	if e.hasPlain {
		config += "frontend http\n  bind :80\n" + e.plain.String()
		e.service.Ports = append(e.service.Ports, Port{Target: 80, Published: 80, Protocol: "tcp", Mode: "ingress"})
	}
	if len(e.certificates) > 0 {
		config += "frontend https\n  bind :443 ssl crt-list /tmp/certificates\n  http-request set-header X-Forwarded-Proto https\n" + e.tls.String()
		e.service.Ports = append(e.service.Ports, Port{Target: 443, Published: 443, Protocol: "tcp", Mode: "ingress"})
	}
	var list strings.Builder
	for _, c := range e.certificates {
		options := ""
		if c.ca != "" {
			options = fmt.Sprintf(" [ca-file %s verify optional]", c.ca)
		}
		fmt.Fprintf(&list, "%s%s\n", c.file, options)
	}
	e.service.Environment["HAPROXY_CONFIG"] = literal(config + e.backends.String())
	if len(e.certificates) > 0 {
		e.service.Entrypoint = tlsEntry
		e.service.Environment["HAPROXY_CERTIFICATES"] = list.String()
	}
	b.add(ServiceKind, b.names.of(b.solution.Top, "inbound", "http"), at, e.service)
}

// inbound adds the rules of one inbound.
func (e *edge) inbound(i int, in inbound) {
	host := fmt.Sprintf("host%d", i)
	match, sni := e.host(in)
	rules := fmt.Sprintf("  acl %s req.hdr(host),field(1,:),lower %s\n", host, match)
	if in.parameter["websocket"] != true {
		rules += fmt.Sprintf("  http-request deny deny_status 403 if %s { req.hdr(upgrade) -m found }\n  http-request deny deny_status 403 if %s { method CONNECT }\n", host, host)
	}
	use := fmt.Sprintf("  use_backend out%d if %s\n", i, host)
	if in.parameter["type"] == "http" {
		e.hasPlain = true
		e.plain.deny.WriteString(rules)
		e.plain.route.WriteString(use)
	} else {
		fmt.Fprintf(&e.plain.deny, "  acl %s req.hdr(host),field(1,:),lower %s\n  http-request redirect scheme https code 308 if %s\n", host, match, host)
		if in.parameter["clientcert"] == true {
			// The certificate has been checked with this host's authority only if
			// it was this host that the client asked for when it connected.
			rules += fmt.Sprintf("  acl asked%d ssl_fc_sni,lower %s\n  http-request deny deny_status 421 if %s !asked%d\n  http-request deny deny_status 403 if %s !{ ssl_c_used }\n", i, sni, host, i, host)
		}
		e.certificate(in)
		e.tls.deny.WriteString(rules)
		e.tls.route.WriteString(use)
	}
	fmt.Fprintf(&e.backends, "backend out%d\n%s", i, e.backend(in.routes[0], 0))
	attach(e.service, in.network)
	e.leave(e.service, in.routes[0])
}

// host is how the inbound's domain is recognised: by the id where that is a
// host's name, else by the names in the config that is registered under it.
func (e *edge) host(in inbound) (match, sni string) {
	id := ""
	if r := in.resource["serverdomain"]; r != nil {
		id = r.Domain
	}
	if known, ok := e.builder.host(id); ok {
		return "-m str " + quoted(strings.ToLower(known)), "-m str " + quoted(strings.ToLower(known))
	}
	name := e.externalFile(ConfigKind, id, domainSuffix, in.at)
	target := "/etc/kumiki/" + name
	if !filter.Any(e.service.Configs, func(f FileRef) bool { return f.Source == name }) {
		e.service.Configs = append(e.service.Configs, FileRef{Source: name, Target: target})
	}
	return "-m str -f " + target, "-m str -f " + target
}

// certificate adds those of an inbound, which HAProxy finds by the names in it.
func (e *edge) certificate(in inbound) {
	c := certificate{}
	if r := in.resource["servercert"]; r != nil {
		c.file = e.secret(r.Certificate, certificateSuffix, in.at)
	}
	if r := in.resource["clientcertca"]; r != nil && in.parameter["clientcert"] == true {
		c.ca = e.secret(r.CA, caSuffix, in.at)
	}
	if in.parameter["clientcert"] == true && c.ca == "" {
		e.lost(diag.LostInbound, in.at, []string{"config", "resource", "clientcertca"}, "%s asks for clients' certificates, but no authority is given to check them with: nobody gets in", in.at.deployment)
	}
	for i, old := range e.certificates {
		switch {
		case old.file != c.file:
			continue
		case old.ca != "" && c.ca != "" && old.ca != c.ca:
			e.lost(diag.LostInbound, in.at, []string{"config", "resource", "clientcertca"}, "%s shares its certificate with an inbound that checks clients with another authority: only that one is used; give each a certificate of its own", in.at.deployment)
		case old.ca == "":
			e.certificates[i].ca = c.ca
		}
		return
	}
	e.certificates = append(e.certificates, c)
}

// secret puts a registered secret into the service.
func (e *edge) secret(id, suffix string, at place) string {
	name := e.externalFile(SecretKind, id, suffix, at)
	target := secretDir + name
	if !filter.Any(e.service.Secrets, func(f FileRef) bool { return f.Source == name }) {
		mode := Mode(0o400)
		e.service.Secrets = append(e.service.Secrets, FileRef{Source: name, Target: target, Mode: &mode}.ownedBy(proxyUser))
	}
	return target
}
