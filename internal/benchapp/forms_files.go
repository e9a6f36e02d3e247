package benchapp

// fileForms are ways to write the data of a file.
var fileForms = []Form{
	{"file: one for each of a map of definitions", `
-- component/top --
#Host: {name: string, root: *"/srv" | string, text: "server_name \(name); root \(root);"}
-- component/parameter --
hosts: [string]: #Host
-- component/files --
for k, v in config.parameter.hosts {"/etc/hosts.d/\(k).conf": data: value: v.text}
-- role/parameter --
hosts: {a: name: "a‹n›", b: {name: "b‹n›", root: "/b"}}
`},
	{"file: sorted, sliced and numbered lists", `
-- component/imports --
"list"
-- component/parameter --
peers: *[] | [...string]
-- component/data --
sorted: list.SortStrings(config.parameter.peers)
first: list.Take(list.Sort(config.parameter.peers, list.Descending), 1)
shards: [for i in list.Range(0, config.parameter.workers, 9) {"shard-\(i)"}]
-- role/parameter --
peers: ["z‹n›", "y"]
`},
	{"file: under if with the role's values", `
-- component/parameter --
sink?: string
-- component/description --
if config.parameter.sink != _|_ {
	code: main: mapping: filesystem: "/etc/audit.json": {data: value: {sink: config.parameter.sink, tags: [config.parameter.region]}, format: "json"}
}
-- role/parameter --
sink: "s‹n›"
`},
	{"file: a list with copies of structs", `
-- component/parameter --
primary: {host: *"localhost" | string, port: *5432 | int}
replica: {host: *"localhost" | string, port: *5433 | int}
-- component/files --
"/etc/hosts.json": {data: value: [config.parameter.primary, {role: "replica", of: config.parameter.replica}], format: "json"}
-- role/parameter --
primary: host: "db‹n›"
replica: {host: "db‹n›-r", port: ‹port›}
`},
	{"file: all parameters as JSON", `
-- component/files --
"/etc/app/all.json": {data: value: config.parameter, format: "json"}
`},
	{"file: a struct of parameters with a field beside it", `
-- component/parameter --
database: {host: string, port: *5432 | int}
labels: [string]: string
-- component/files --
"/etc/app/database.json": {data: value: {config.parameter.database, pool: config.parameter.workers}, format: "json"}
"/etc/app/labels.json": {data: value: config.parameter.labels & {app: config.parameter.name}, format: "json"}
-- role/parameter --
database: host: "db‹n›"
labels: team: "t‹n›"
`},
	{"file: a list in a hidden field", `
-- component/parameter --
ports: [string]: int
-- component/description --
_listed: [for name, port in config.parameter.ports {"name": name, "port": port}]
code: main: mapping: filesystem: "/etc/ports.json": {data: value: _listed, format: "json"}
-- role/parameter --
ports: {http: ‹port›, admin: 9000}
`},
	{"file: as YAML", `
-- component/files --
"/etc/app/app.yaml": {data: value: {name: config.parameter.name, workers: config.parameter.workers}, format: "yaml"}
`},
	{"file: a text of a parameter", `
-- component/files --
"/etc/app/region": data: value: config.parameter.region
`},
	{"file: a text in a text", `
-- component/files --
"/etc/app/name.conf": data: value: "name=\(config.parameter.name)\n"
`},
	{"file: a multi-line text", `
-- component/files --
"/etc/app/app.ini": data: value: """
	[app]
	name = \(config.parameter.name)
	workers = \(config.parameter.workers)
	[log]
	level = \(config.parameter.logLevel)
	"""
`},
	{"file: a multi-line text with a boolean", `
-- component/files --
"/etc/app/app.toml": data: value: """
	region = "\(config.parameter.region)"
	tracing = \(config.parameter.tracing)
	"""
`},
	{"file: a literal text", `
-- component/files --
"/etc/app/nginx.conf": data: value: """
	server {
		listen 8080;
		location / { proxy_pass http://localhost:9000; }
	}
	"""
`},
	{"file: json.Marshal", `
-- component/imports --
"encoding/json"
-- component/files --
"/etc/app/marshal.json": data: value: json.Marshal({name: config.parameter.name, retries: config.parameter.retries})
`},
	{"file: json.Indent", `
-- component/imports --
"encoding/json"
-- component/files --
"/etc/app/indent.json": data: value: json.Indent(json.Marshal({name: config.parameter.name}), "", "  ")
`},
	{"file: yaml.Marshal", `
-- component/imports --
"encoding/yaml"
-- component/files --
"/etc/app/marshal.yaml": data: value: yaml.Marshal({name: config.parameter.name, batch: config.parameter.batch})
`},
	{"file: its data refers to a port of the component", `
-- component/data --
port: srv.server.http.port
`},
	{"file: its data refers to the scale", `
-- component/data --
instances: config.scale.hsize
`},
	{"file: its data refers to the resilience", `
-- component/data --
failures: config.resilience
`},
	{"file: its data is computed", `
-- component/data --
maxOpen: config.parameter.workers * 4
ready:   config.parameter.retries > 0
`},
	{"file: a comprehension into its data", `
-- component/data --
queues: {for i, q in ["high", "low"] {(q): {priority: i, name: "\(config.parameter.queue)-\(q)"}}}
`},
	{"file: a comprehension over parameters", `
-- component/data --
settings: {for k, v in config.parameter {"\(k)": v}}
`},
	{"file: a list comprehension", `
-- component/imports --
"list"
-- component/data --
shards: [for i in list.Range(0, 3, 1) {id: i, bucket: "\(config.parameter.bucket)-\(i)"}]
`},
	{"file: if in its data", `
-- component/data --
if config.parameter.metrics {
	metrics: port: 9100
}
`},
	{"file: if on a boolean", `
-- component/files --
if config.parameter.tracing {
	"/etc/app/trace.json": {data: value: {endpoint: config.parameter.endpoint}, format: "json"}
}
-- role/parameter --
tracing: ‹switch›
`},
	{"file: one for each of a map", `
-- component/parameter --
scripts: [string]: string
-- component/files --
for name, body in config.parameter.scripts {
	"/opt/scripts/\(name)": {data: value: body, mode: 0o755}
}
-- role/parameter --
scripts: "start.sh": "echo ‹n›"
`},
	{"file: one for each of a literal", `
-- component/files --
for name in ["access", "error"] {
	"/etc/app/\(name).conf": data: value: "level=\(config.parameter.logLevel)"
}
`},
	{"file: its path from a parameter", `
-- component/files --
"/etc/sites/\(config.parameter.name).conf": data: value: "site"
`},
	{"file: its mode and what its change does", `
-- component/files --
"/etc/app/modes": {data: value: config.parameter.owner, mode: 0o600, rebootOnUpdate: true}
`},
	{"file: from a hidden field", `
-- component/description --
_settings: {name: config.parameter.name, cache: size: config.parameter.cache}
-- component/files --
"/etc/app/hidden.json": {data: value: _settings, format: "json"}
`},
	{"file: from let", `
-- component/description --
let logging = {level: config.parameter.logLevel, owner: config.parameter.owner}
-- component/files --
"/etc/app/log.json": {data: value: logging, format: "json"}
`},
	{"file: from a definition", `
-- component/top --
#Logging: {level: string, sink: *"stdout" | string}
-- component/files --
"/etc/app/logging.json": {data: value: #Logging & {level: config.parameter.logLevel}, format: "json"}
`},
	{"file: from a library's definition", `
-- lib/metrics/metrics.cue --
package metrics

#File: {
	#name:  string
	job:    "job-\(#name)"
	path:   *"/metrics" | string
	labels: {name: #name}
}
-- component/imports --
"kumiki.example/bench/lib/metrics@v1"
-- component/files --
"/etc/app/metrics.json": {data: value: metrics.#File & {#name: config.parameter.name}, format: "json"}
`},
	{"file: a whole file of the mapping in a definition", `
-- component/top --
#JSONFile: k.#FileOrVolume & {
	#body:  _
	data: value: #body
	format: "json"
	mode:   0o444
}
-- component/files --
"/etc/app/wrapped.json": #JSONFile & {#body: {name: config.parameter.name}}
`},
	{"file: text/template", `
-- component/imports --
"text/template"
-- component/files --
"/etc/app/motd": data: value: template.Execute("""
	Name: {{.name}}
	{{if .tracing}}Traced.{{end}}
	""", config.parameter)
`},
	{"file: lines of a list", `
-- component/imports --
"strings"
-- component/parameter --
allowed: *["10.0.0.0/8"] | [...string]
-- component/files --
"/etc/app/allow": data: value: strings.Join([for a in config.parameter.allowed {"allow \(a);"}], "\n")
-- role/parameter --
allowed: ["10.‹workers›.0.0/16"]
`},
	{"file: data that refers to other data", `
-- component/data --
paths: {root: "/srv/\(config.parameter.name)", logs: "\(root)/logs"}
`},
}
