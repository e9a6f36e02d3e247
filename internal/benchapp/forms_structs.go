package benchapp

// structForms are about parameters that are structs and lists.
var structForms = []Form{
	{"a nested struct", `
-- component/parameter --
db: {
	host: *"db" | string
	port: *5432 | (int & >0)
}
-- component/env --
DB_HOST: parameter: "db.host"
-- role/parameter --
db: host: "db-‹n›"
`},
	{"a struct four levels deep", `
-- component/parameter --
web: server: http: keepAlive: *30 | (int & >0)
-- component/env --
KEEP_ALIVE: parameter: "web.server.http.keepAlive"
-- role/parameter --
web: server: http: keepAlive: ‹port›
`},
	{"a struct shown whole", `
-- component/parameter --
cors: {
	origin: *"*" | string
	maxAge: *600 | int
}
-- component/data --
cors: config.parameter.cors
-- role/parameter --
cors: origin: "https://‹n›.example"
`},
	{"an open struct that nobody gives", `
-- component/parameter --
options: {...}
-- component/data --
options: config.parameter.options
`},
	{"an open struct that every role gives", `
-- component/parameter --
labels: {...}
-- component/data --
labels: config.parameter.labels
-- role/parameter --
labels: {team: "blue", number: "‹n›"}
`},
	{"an open struct with defaults", `
-- component/parameter --
tuning: {
	depth: *8 | int
	...
}
-- component/data --
tuning: config.parameter.tuning
-- role/parameter --
tuning: {depth: ‹n›, breadth: 4}
`},
	{"a map", `
-- component/parameter --
headers: [string]: string
-- component/data --
headers: config.parameter.headers
-- role/parameter --
headers: "X-Role": "‹role›"
`},
	{"a map of structs with defaults", `
-- component/parameter --
routes: [string]: {path: string, weight: *1 | int}
-- component/data --
routes: config.parameter.routes
-- role/parameter --
routes: main: path: "/‹role›"
`},
	{"a map of structs with their names", `
-- component/parameter --
upstreams: [Name=string]: {name: Name, host: *"\(Name).local" | string, port: *80 | int}
-- component/data --
upstreams: [for u in config.parameter.upstreams {u}]
-- role/parameter --
upstreams: {api: port: ‹port›, web: host: "web‹n›", cache: {}}
`},
	{"a list of structs with fields made of others", `
-- component/top --
#Upstream: {host: *"local" | string, port: *80 | int, url: *"http://\(host):\(port)" | string}
-- component/parameter --
upstreams: [...#Upstream]
-- component/data --
upstreams: [for u in config.parameter.upstreams {u.url}]
-- role/parameter --
upstreams: [{port: ‹port›}, {host: "web‹n›"}]
`},
	{"a struct with if in it", `
-- component/parameter --
tls: {enabled: *false | bool, if enabled {certificate: string}}
-- component/data --
tls: config.parameter.tls
-- role/parameter --
tls: {enabled: true, certificate: "c‹n›"}
`},
	{"a struct of one of three kinds", `
-- component/parameter --
store: {
	kind: *"memory" | "redis" | "file"
	if kind == "redis" {host: string, port: *6379 | int}
	if kind == "file" {path: string}
}
-- component/data --
store: config.parameter.store
-- role/parameter --
store: {kind: "redis", host: "r‹n›"}
`},
	{"a list of definitions with a default", `
-- component/top --
#Target: {host: string, port: *80 | int}
-- component/parameter --
targets: *[{host: "localhost"}] | [...#Target]
-- component/data --
targets: [for t in config.parameter.targets {"\(t.host):\(t.port)"}]
-- role/parameter --
targets: [{host: "b‹n›"}, {host: "a‹n›", port: 5}]
`},
	{"parameters whose names match", `
-- component/parameter --
[=~"^[A-Z_]+$"]: string
-- component/env --
for k, v in config.parameter if k =~ "^[A-Z_]+$" {(k): value: v}
-- role/parameter --
COLOR: "c‹n›"
`},
	{"a list of texts", `
-- component/parameter --
hosts: *[] | [...string]
-- component/data --
hosts: config.parameter.hosts
-- role/parameter --
hosts: ["a-‹n›", "b-‹n›"]
`},
	{"a list of structs", `
-- component/parameter --
upstreams: [...{host: string, weight: *1 | (int & >=0)}]
-- component/data --
upstreams: config.parameter.upstreams
-- role/parameter --
upstreams: [{host: "a-‹n›"}, {host: "b-‹n›", weight: 2}]
`},
	{"a list of a length", `
-- component/parameter --
window: *[8, 18] | [int, int]
-- component/data --
window: config.parameter.window
-- role/parameter --
window: [1, ‹n›]
`},
	{"a list with validators", `
-- component/imports --
"list"
-- component/parameter --
scopes: [...string] & list.UniqueItems() & list.MaxItems(5)
-- component/data --
scopes: config.parameter.scopes
-- role/parameter --
scopes: ["read", "write-‹n›"]
`},
	{"a disjunction of structs", `
-- component/parameter --
store: *{kind: "memory"} | {kind: "disk", path: string}
-- component/data --
store: config.parameter.store
-- role/parameter --
store: {kind: "disk", path: "/data/‹n›"}
`},
	{"a disjunction of structs, and if", `
-- component/parameter --
auth: *{type: "none"} | {type: "basic", user: string}
-- component/env --
if config.parameter.auth.type == "basic" {
	AUTH_USER: value: config.parameter.auth.user
}
-- role/parameter --
auth: {type: "basic", user: "user-‹n›"}
`},
	{"a default that is a struct", `
-- component/parameter --
backoff: *{min: 1, max: 10} | {min: int, max: int}
-- component/data --
backoff: config.parameter.backoff
-- role/parameter --
backoff: {min: 2, max: ‹port›}
`},
	{"anything at all", `
-- component/parameter --
custom: _
-- component/data --
custom: config.parameter.custom
-- role/parameter --
custom: {on: true, steps: [1, ‹n›]}
`},
	{"a definition with defaults", `
-- component/top --
#Retry: {
	attempts: *3 | (int & >=0)
	delay:    *"1s" | string
}
-- component/parameter --
retry: #Retry
-- component/data --
retry: config.parameter.retry
-- role/parameter --
retry: delay: "‹n›s"
`},
	{"a library's definition with defaults", `
-- lib/schedule/schedule.cue --
package schedule

#Schedule: {
	cron:  *"0 * * * *" | string
	tz:    *"UTC" | string
	jobs?: [...string]
}
-- component/imports --
"kumiki.example/bench/lib/schedule@v1"
-- component/parameter --
backup: schedule.#Schedule
-- component/data --
backup: config.parameter.backup
-- role/parameter --
backup: cron: "‹workers› * * * *"
`},
	{"an embedded definition", `
-- component/top --
#Tracing: {
	traceHost: *"trace.example" | string
	traceRate: *100 | (int & >=0)
	...
}
-- component/parameter --
#Tracing
-- component/env --
TRACE_HOST: parameter: "traceHost"
-- role/parameter --
traceRate: ‹n›
`},
	{"an embedded definition of a library", `
-- lib/common/common.cue --
package common

#Parameters: {
	cluster: *"main" | string
	stage:   *"prod" | "test"
	...
}
-- component/imports --
"kumiki.example/bench/lib/common@v1"
-- component/parameter --
common.#Parameters
-- component/env --
CLUSTER: parameter: "cluster"
STAGE: parameter:   "stage"
-- role/parameter --
cluster: "cluster-‹n›"
`},
	{"a base of all components in a library", `
-- lib/base/base.cue --
package base

import k "kumori.systems/kumori:kumori"

#Base: k.#Component & {
	description: {
		config: parameter: {costCenter: *"none" | string, ...}
		code: main: mapping: env: COST_CENTER: value: description.config.parameter.costCenter
	}
}
-- component/imports --
"kumiki.example/bench/lib/base@v1"
-- component/end --
#Artifact: base.#Base
-- role/parameter --
costCenter: "center ‹n›"
`},
	{"a struct that an optional holds", `
-- component/parameter --
ldap?: {url: string, base: *"dc=example" | string}
-- component/data --
if config.parameter.ldap != _|_ {
	ldap: config.parameter.ldap
}
-- role/parameter --
ldap: url: "ldap://‹n›"
`},
	{"a struct that refers to its own fields", `
-- component/parameter --
kafka: {
	host: *"kafka" | string
	port: *9092 | int
	url:  "\(host):\(port)"
}
-- component/data --
kafka: config.parameter.kafka.url
-- role/parameter --
kafka: host: "kafka-‹n›"
`},
}
