package benchapp

// containerForms are about containers, probes and sizes.
var containerForms = []Form{
	{"an image's tag from a parameter", `
-- component/parameter --
release: *"1.0.0" | string
-- component/tag --
"example/‹type›:\(config.parameter.release)"
-- role/parameter --
release: "1.‹n›.0"
`},
	{"a registry with a secret", `
-- component/config --
resource: pull: k.#Secret
-- component/container --
image: hub: {name: "registry.example", secret: "pull"}
-- role/config --
resource: pull: description.config.resource.pull
-- service/config --
resource: pull: k.#Secret
-- deploy/config --
resource: pull: secret: "pull"
`},
	{"arguments, literal", `
-- component/container --
cmd: ["serve", "--quiet"]
`},
	{"arguments with parameters", `
-- component/container --
cmd: ["serve", "--region", config.parameter.region, "--workers=\(config.parameter.workers)"]
`},
	{"arguments with if", `
-- component/container --
entrypoint: ["/bin/app", if config.parameter.readOnly {"--read-only"}]
-- role/parameter --
readOnly: ‹switch›
`},
	{"a user", `
-- component/container --
user: {userid: 1000, groupid: 1000}
`},
	{"a user from a parameter", `
-- component/parameter --
uid: *1000 | uint32
-- component/container --
user: {userid: config.parameter.uid, groupid: 1000}
-- role/parameter --
uid: ‹port›
`},
	{"a second container", `
-- component/description --
code: sidecar: {
	image: tag: "example/sidecar:1.0.0"
	mapping: env: REGION: parameter: "region"
	size: {cpu: {size: 50, unit: "m"}, memory: {size: 16, unit: "M"}}
}
`},
	{"a second container under if", `
-- component/parameter --
agent: *true | bool
-- component/description --
if config.parameter.agent {
	code: agent: {
		image: tag: "example/agent:1.0.0"
		size: {cpu: {size: 50, unit: "m"}, memory: {size: 16, unit: "M"}}
	}
}
-- role/parameter --
agent: ‹switch›
`},
	{"a second container under if with values of the role", `
-- component/parameter --
agent: *true | bool
agentVersion: *"1.0.0" | string
-- component/description --
if config.parameter.agent {
	code: agent: {
		image: tag: "example/agent:\(config.parameter.agentVersion)"
		mapping: env: VERSION: value: config.parameter.agentVersion
		size: {cpu: {size: 50, unit: "m"}, memory: {size: 16, unit: "M"}}
	}
}
-- role/parameter --
agentVersion: "1.‹n›.0"
`},
	{"containers of a map of parameters", `
-- component/parameter --
sidecars: [string]: {image: string, cpu: *50 | int}
-- component/description --
code: {
	for name, s in config.parameter.sidecars {
		(name): {
			image: tag: s.image
			size: {cpu: {size: s.cpu, unit: "m"}, memory: {size: 16, unit: "M"}}
		}
	}
}
-- role/parameter --
sidecars: logs: image: "example/logs:1.‹n›.0"
`},
	{"containers of a map with what they need", `
-- component/parameter --
helpers: [string]: {image: string, port?: uint16, env: [string]: string}
-- component/description --
code: {
	for name, h in config.parameter.helpers {
		(name): {
			image: tag: h.image
			mapping: env: {
				for k, v in h.env {(k): value: v}
				if h.port != _|_ {PORT: value: "\(h.port)"}
			}
			size: {cpu: {size: 50, unit: "m"}, memory: {size: 16, unit: "M"}}
		}
	}
}
-- role/parameter --
helpers: "helper‹n›": {image: "example/helper:1.‹n›.0", port: ‹port›, env: ROLE: "‹role›"}
`},
	{"a typed container under if with a size of the role", `
-- component/parameter --
proxied: *true | bool
proxyCPU: *50 | int
-- component/description --
if config.parameter.proxied {
	code: front: k.#Container & {
		name: "front"
		image: tag: "example/front:1.0.0"
		size: k.#ContainerSize & {cpu: {size: config.parameter.proxyCPU, unit: "m"}, memory: {size: 16, unit: "M"}}
	}
}
-- role/parameter --
proxyCPU: ‹port›
`},
	{"probes of a map of parameters", `
-- component/parameter --
checks: [string]: {path: string, port: *8080 | uint16}
-- component/description --
probe: {for name, c in config.parameter.checks {(name): liveness: protocol: http: {port: c.port, path: c.path}}}
-- role/parameter --
checks: main: path: "/check/‹n›"
`},
	{"containers in a for", `
-- component/description --
code: {
	for n in ["logs", "stats"] {
		(n): {
			image: tag: "example/\(n):1.0.0"
			size: {cpu: {size: 50, unit: "m"}, memory: {size: 16, unit: "M"}}
		}
	}
}
`},
	{"a second container of a library", `
-- lib/mesh/mesh.cue --
package mesh

import k "kumori.systems/kumori:kumori"

#Container: k.#Container & {
	name: "proxy"
	image: tag: "example/mesh:1.0.0"
	size: {cpu: {size: 50, unit: "m"}, memory: {size: 16, unit: "M"}}
}
-- component/imports --
"kumiki.example/bench/lib/mesh@v1"
-- component/description --
code: proxy: mesh.#Container
`},
	{"a size from a parameter", `
-- component/parameter --
megabytes: *64 | (int & >=16)
-- component/size --
{cpu: {size: 200, unit: "m"}, mincpu: 50, memory: {size: config.parameter.megabytes, unit: "M"}}
-- role/parameter --
megabytes: ‹port›
`},
	{"a size that is computed", `
-- component/size --
{cpu: {size: config.parameter.workers * 100, unit: "m"}, mincpu: 50, memory: {size: 32 + config.parameter.cache, unit: "M"}}
`},
	{"a size that is a parameter", `
-- component/parameter --
size: k.#ContainerSize
-- component/size --
config.parameter.size
-- role/parameter --
size: {cpu: {size: 200, unit: "m"}, memory: {size: ‹port›, unit: "M"}}
`},
	{"a size by a table", `
-- component/parameter --
plan: *"small" | "large"
-- component/size --
{cpu: {size: {small: 200, large: 800}[config.parameter.plan], unit: "m"}, memory: {size: 64, unit: "M"}}
-- role/parameter --
plan: "large"
`},
	{"a size by a library's definition", `
-- lib/sizes/sizes.cue --
package sizes

import k "kumori.systems/kumori:kumori"

#Small: k.#ContainerSize & {cpu: {size: 200, unit: "m"}, mincpu: 50, memory: {size: 64, unit: "M"}}
-- component/imports --
"kumiki.example/bench/lib/sizes@v1"
-- component/size --
sizes.#Small
`},
	{"a size by if", `
-- component/size --
{
	cpu: {size: 200, unit: "m"}
	if config.parameter.mode == "fast" {memory: {size: 128, unit: "M"}}
	if config.parameter.mode != "fast" {memory: {size: 64, unit: "M"}}
}
`},
	{"a bandwidth from a parameter", `
-- component/parameter --
megabits: *10 | (int & >0)
-- component/bandwidth --
{bandwidth: {size: config.parameter.megabits, unit: "M"}, minbandwidth: 0}
-- role/parameter --
megabits: ‹port›
`},
	{"a profile", `
-- component/description --
profile: {threadability: "4", iopsintensive: true}
`},
	{"a probe, literal", `
-- component/description --
probe: main: liveness: {protocol: http: {port: 8080, path: "/alive"}, startupGraceWindow: {unit: "ms", duration: 10000}}
`},
	{"a probe's port from a channel", `
-- component/description --
probe: main: readiness: {protocol: http: {port: srv.server.http.port, path: "/ready"}, timeout: 1000}
`},
	{"a probe's port from a parameter", `
-- component/parameter --
healthPort: *8081 | uint16
-- component/description --
probe: main: readiness: protocol: tcp: port: config.parameter.healthPort
-- role/parameter --
healthPort: ‹port›
`},
	{"a probe's path from a parameter", `
-- component/description --
probe: main: liveness: protocol: http: {port: 8080, path: "\(config.parameter.prefix)/alive"}
`},
	{"a probe under if", `
-- component/description --
if config.parameter.metrics {
	probe: main: readiness: protocol: http: {port: 8080, path: "/metrics"}
}
`},
	{"a probe under if with the role's path", `
-- component/parameter --
probed: *"/alive" | string
-- component/description --
if config.parameter.probed != "" {
	probe: main: liveness: protocol: http: {port: 8080, path: config.parameter.probed}
}
-- role/parameter --
probed: "/alive/‹n›"
`},
	{"a probe of a library", `
-- lib/probes/probes.cue --
package probes

import k "kumori.systems/kumori:kumori"

#HTTP: k.#Probe & {
	#port: uint16
	liveness: protocol: http: {port: #port, path: "/healthz"}
}
-- component/imports --
"kumiki.example/bench/lib/probes@v1"
-- component/description --
probe: main: probes.#HTTP & {#port: srv.server.http.port}
`},
	{"instances from a parameter of the component", `
-- component/parameter --
instances: *1 | uint
-- component/hsize --
config.parameter.instances
-- role/scale --
-- role/parameter --
instances: ‹hsize›
`},
	{"instances bounded", `
-- component/hsize --
*1 | (uint & <=5)
`},
	{"a quality of service", `
-- component/config --
scale: qos: load: *10 | uint
-- component/env --
LOAD: value: "\(config.scale.qos.load)"
-- role/config --
scale: qos: load: ‹workers›
`},
}
