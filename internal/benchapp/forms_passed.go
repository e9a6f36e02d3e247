package benchapp

// passedForms are ways to make parameters of roles of the service's config, and of tables.
var passedForms = []Form{
	{"role: a map with another field", `
-- component/parameter --
extra: [string]: string
-- component/env --
for k, v in config.parameter.extra {(k): value: v}
-- service/parameter --
extra: [string]: string
-- role/parameter --
extra: {description.config.parameter.extra, ROLE: "‹role›"}
-- deploy/parameter --
extra: STAGE: "prod"
`},
	{"role: its entry of a map, or another value", `
-- service/parameter --
zones: [string]: string
-- role/parameter --
zone: *description.config.parameter.zones["‹role›"] | "z"
-- deploy/parameter --
zones: r0001: "one"
`},
	{"role: a list of a range", `
-- component/parameter --
peers: [...string]
-- component/data --
peers: config.parameter.peers
-- service/imports --
"list"
-- role/parameter --
peers: [for i in list.Range(0, 3, 1) {"‹role›-\(i).local"}]
`},
	{"role: the service's parameters in a for", `
-- service/parameter --
shared: {owner: *"platform" | string, locale: *"de_DE" | string, debug: *false | bool}
-- role/parameter --
for name, x in description.config.parameter.shared if name != "debug" {
	(name): x
}
`},
	{"role: a struct of the service's config, without a name", `
-- service/parameter --
shared: {owner: *"platform" | string, locale: *"de_DE" | string}
-- role/parameter --
description.config.parameter.shared
`},
	{"role: a map in a for over a list", `
-- service/parameter --
subjects: *["orders", "bills"] | [...string]
-- component/parameter --
queues: {[string]: string}
-- role/parameter --
queues: {
	for subject in description.config.parameter.subjects {
		(subject): "‹role›-\(subject)"
	}
}
`},
	{"role: a list in a for over a list", `
-- service/parameter --
domains: *["one.example", "two.example"] | [...string]
-- component/parameter --
hosts: [...string]
-- role/parameter --
hosts: [for domain in description.config.parameter.domains {"‹role›.\(domain)"}]
`},
	{"role: a list of the service's with additions", `
-- service/imports --
"list"
-- service/parameter --
commonPeers: *["registry.example"] | [...string]
-- component/parameter --
peers: [...string]
-- component/files --
"/etc/peers.json": {data: value: peers: config.parameter.peers, format: "json"}
-- role/parameter --
peers: list.Concat([description.config.parameter.commonPeers, ["‹role›.example"]])
`},
	{"role: a for over a table", `
-- service/top --
_defaults: {owner: "platform", locale: "de_DE", bucket: "all"}
-- role/parameter --
for name, x in _defaults {
	(name): x
}
`},
	{"role: one of a table by the config", `
-- service/top --
_batches: {small: 10, large: 500}
-- service/parameter --
load: *"small" | "large"
-- role/parameter --
batch: _batches[description.config.parameter.load]
`},
	{"role: a part of JSON", `
-- service/imports --
"encoding/json"
-- service/top --
_facts: json.Unmarshal("{\"owner\": \"platform\", \"locale\": \"de_DE\"}")
-- role/parameter --
owner:  _facts.owner
locale: _facts.locale
`},
	{"role: structs under conditions", `
-- service/parameter --
safe: *false | bool
-- component/parameter --
limits: {low: *1 | int, high: *9 | int, why: *"" | string}
-- role/parameter --
limits: {
	if description.config.parameter.safe {
		high: 5
	}
	if !description.config.parameter.safe {
		high: 7
		why:  "‹role›"
	}
}
`},
	{"env: a part by a regexp", `
-- component/imports --
"regexp"
-- component/env --
HOST:  value: regexp.FindSubmatch("^https://([^.]+)", config.parameter.endpoint)[1]
PLAIN: value: regexp.ReplaceAll("[^a-z]", config.parameter.region, "_")
`},
	{"env: variables of a hidden table", `
-- component/description --
_variables: {
	FIRST:  config.parameter.region
	SECOND: "\(config.parameter.workers)"
	THIRD:  "constant"
}
-- component/env --
for name, x in _variables {
	(name): value: x
}
`},
	{"env: for in a for", `
-- component/parameter --
groups: *{a: ["x"]} | {[string]: [...string]}
-- component/env --
for name, members in config.parameter.groups for i, member in members {
	"GROUP_\(name)_\(i)": value: member
}
-- role/parameter --
groups: {a: ["x", "y‹n›"], b: ["z"]}
`},
	{"a closed struct", `
-- component/parameter --
db: close({host: *"localhost" | string, port: *5432 | int})
-- component/env --
DB: value: "\(config.parameter.db.host):\(config.parameter.db.port)"
-- role/parameter --
db: host: "db‹n›"
`},
	{"a pattern with another parameter in it", `
-- component/parameter --
stem: *"app" | string
full: *"app-x" | =~"^\(stem)-"
-- component/env --
FULL: value: config.parameter.full
-- role/parameter --
full: "app-‹n›"
`},
	{"lists of lists", `
-- component/parameter --
grid: *[[1, 2], [3]] | [...[...int]]
-- component/data --
grid: config.parameter.grid
-- role/parameter --
grid: [[‹n›], [2, 3]]
`},
}
