package benchapp

// channelForms are about channels and what connects them.
var channelForms = []Form{
	{"servers of a map of parameters", `
-- component/parameter --
listeners: [string]: uint16
-- component/srv --
server: {for name, p in config.parameter.listeners {(name): {protocol: "tcp", port: p}}}
-- role/parameter --
listeners: admin: ‹port›
`},
	{"a server under if with the role's port", `
-- component/parameter --
managed: *true | bool
managePort: *9090 | uint16
-- component/srv --
if config.parameter.managed {server: manage: {protocol: "tcp", port: config.parameter.managePort}}
-- role/parameter --
managePort: ‹port›
`},
	{"a port with a default, which a probe and a text show", `
-- component/parameter --
port: *8080 | uint16
-- component/port --
config.parameter.port
-- component/description --
probe: main: liveness: protocol: http: {port: srv.server.http.port, path: "/alive"}
code: main: mapping: env: LISTEN: value: ":\(srv.server.http.port)"
`},
	{"a port from a parameter", `
-- component/parameter --
port: *8080 | (int & >=1024 & <=65535)
-- component/port --
config.parameter.port
-- role/parameter --
port: ‹port›
`},
	{"a port by a hidden field", `
-- component/description --
_port: 8080
-- component/port --
_port
`},
	{"a channel as short as can be", `
-- component/srv --
server: plain: _
`},
	{"a channel under if", `
-- component/srv --
if config.parameter.metrics {
	server: metrics: port: 9100
}
`},
	{"channels in a for", `
-- component/srv --
server: {for i, n in ["rest", "grpc"] {(n): port: 9200 + i}}
`},
	{"channels by a definition", `
-- component/top --
#Channels: k.#MicroService & {server: admin: port: 9300}
-- component/srv --
#Channels
`},
	{"connectors in a ring", `
-- component/srv --
client: ring: protocol: "http"
-- service/description, each role --
connect: ring‹n›: {from: ‹role›: "ring", to: ‹next›: http: _}
`},
	{"connectors in a for", `
-- component/srv --
client: looped: protocol: "http"
-- service/imports --
"list"
-- service/description --
connect: {
	for i in list.Range(0, ‹roles›, 1) {
		"looped\(i)": {from: "r\([if i < 10 {"000"}, if i < 100 {"00"}, if i < 1000 {"0"}, ""][0])\(i)": "looped", to: r0000: http: _}
	}
}
`},
	{"connectors in a for over the roles", `
-- component/srv --
client: every: protocol: "http"
-- service/description --
connect: {
	for name, _ in description.role {
		"every-\(name)": {from: (name): "every", to: r0000: http: _}
	}
}
`},
	{"a connector to all roles", `
-- component/srv --
server: gossip: {protocol: "tcp", port: 7100}
-- service/srv --
server: gossip: protocol: "tcp"
-- service/description --
connect: gossip: {as: "full", from: self: "gossip"}
-- service/description, each role --
connect: gossip: to: ‹role›: gossip: _
`},
	{"duplex channels", `
-- component/srv --
duplex: peer: {protocol: "tcp", port: 7000}
-- service/description, each role --
connect: peer‹n›: {as: "full", from: ‹role›: "peer", to: ‹next›: peer: _}
`},
	{"facts of a connector", `
-- component/srv --
client: facts: protocol: "http"
-- service/description, each role --
connect: facts‹n›: {from: ‹role›: "facts", to: ‹next›: http: {weight: ‹n›}}
`},
	{"connectors under if", `
-- component/srv --
client: extra: protocol: "http"
-- service/parameter --
connected: *true | bool
-- service/description --
if description.config.parameter.connected {
	connect: extra0: {from: r0000: "extra", to: r0001: http: _}
}
-- service/description, each role --
connect: extra‹n›: {from: ‹role›: "extra", to: ‹next›: http: _}
`},
	{"connectors in another file", `
-- component/srv --
client: apart: protocol: "http"
-- service/connect.cue --
package service
-- service/connect.cue, each role --
#Artifact: description: connect: apart‹n›: {from: ‹role›: "apart", to: ‹next›: http: _}
`},
	{"a channel of the service's own", `
-- service/srv --
server: door: port: 80
-- service/description --
connect: door: {from: self: "door", to: r0000: http: _}
`},
	{"a version set", `
-- service/srv --
server: versions: _
-- service/description --
vset: versions: {
	srv: server: http: _
	roles: {r0000: meta: share: 90, r0001: meta: share: 10}
}
connect: versions: {from: self: "versions", to: versions: http: _}
`},
	{"an inbound", `
-- service/imports --
inbound "kumori.systems/builtins/inbound:service"
-- service/config --
resource: {domain: k.#Domain, certificate: k.#Certificate}
-- service/description --
role: entry: {
	artifact: inbound.#Artifact
	config: resource: {serverdomain: description.config.resource.domain, servercert: description.config.resource.certificate}
}
connect: entry: {from: entry: "inbound", to: r0000: http: _}
-- deploy/config --
resource: {domain: domain: "shop", certificate: certificate: "cluster.core/wildcard"}
`},
	{"a port that depends on another channel's", `
-- component/srv --
server: next: port: server.http.port + 1
`},
}

// resourceForms pass resources down, one kind each.
var resourceForms = []Form{
	{"a volume", `
-- component/config --
resource: data: k.#Volume
-- component/files --
"/data": volume: "data"
-- role/config --
resource: data: description.config.resource.data
-- service/config --
resource: data: k.#Volume
-- deploy/config --
resource: data: volume: "data"
`},
	{"a volume that each role requests", `
-- component/config --
resource: spool: k.#Volume
-- component/files --
"/spool": volume: "spool"
-- role/config --
resource: spool: volume: {size: ‹workers›, unit: "G"}
`},
	{"a volume that the component requests", `
-- component/config --
resource: scratch: volume: {size: 1, unit: "G"}
-- component/files --
"/scratch": volume: "scratch"
`},
	{"a secret", `
-- component/config --
resource: password: k.#Secret
-- component/env --
PASSWORD: secret: "password"
-- role/config --
resource: password: description.config.resource.password
-- service/config --
resource: password: k.#Secret
-- deploy/config --
resource: password: secret: "db-prod"
`},
	{"a port of the cluster", `
-- component/config --
resource: public: k.#Port
-- component/env --
PUBLIC_PORT: port: "public"
-- role/config --
resource: public: description.config.resource.public
-- service/config --
resource: public: k.#Port
-- deploy/config --
resource: public: port: "p443"
`},
	{"a domain", `
-- component/config --
resource: site: k.#Domain
-- component/env --
SITE: domain: "site"
-- role/config --
resource: site: description.config.resource.site
-- service/config --
resource: site: k.#Domain
-- deploy/config --
resource: site: domain: "site"
`},
	{"a certificate", `
-- component/config --
resource: cert: k.#Certificate
-- component/env --
CERT: certificate: "cert"
-- role/config --
resource: cert: description.config.resource.cert
-- service/config --
resource: cert: k.#Certificate
-- deploy/config --
resource: cert: certificate: "cluster.core/wildcard"
`},
	{"a certificate authority", `
-- component/config --
resource: authority: k.#CA
-- component/env --
AUTHORITY: ca: "authority"
-- role/config --
resource: authority: description.config.resource.authority
-- service/config --
resource: authority: k.#CA
-- deploy/config --
resource: authority: ca: "internal"
`},
	{"a group of resources", `
-- component/config --
resource: mail: {user: k.#Secret, host: k.#Domain}
-- component/env --
MAIL_USER: secret: "mail.user"
-- role/config --
resource: mail: description.config.resource.mail
-- service/config --
resource: mail: {user: k.#Secret, host: k.#Domain}
-- deploy/config --
resource: mail: {user: secret: "mail", host: domain: "mail"}
`},
	{"a secret for each role", `
-- component/config --
resource: key: k.#Secret
-- component/env --
KEY: secret: "key"
-- role/config --
resource: key: description.config.resource["key‹n›"]
-- service/config, each role --
resource: key‹n›: k.#Secret
-- deploy/config, each role --
resource: key‹n›: secret: "key-‹n›"
`},
}
