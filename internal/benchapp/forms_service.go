package benchapp

// serviceForms are ways to arrange the roles of a service.
var serviceForms = []Form{
	{"service: each role under if", `
-- service/parameter --
enabled: *true | bool
-- role/before --
if description.config.parameter.enabled {
-- role/after --
}
`},
	{"service: one role under if", `
-- service/parameter --
debugging: *false | bool
-- service/description --
if description.config.parameter.debugging {
	role: debugger: {artifact: t0.#Artifact, config: parameter: {name: "debugger", endpoint: "none"}}
}
`},
	{"service: a pattern over all roles", `
-- service/description --
role: [string]: config: parameter: {owner: "platform", ...}
`},
	{"service: a pattern over some roles", `
-- service/description --
role: [=~"1$"]: config: parameter: {zone: "b", ...}
`},
	{"service: a pattern with the role's name", `
-- service/description --
role: [Name=string]: config: parameter: {bucket: "b-\(Name)", ...}
`},
	{"service: a definition for all roles", `
-- service/top --
#Worker: {
	config: k.#Configurable & {parameter: {locale: "ja_JP", ...}}
	...
}
-- role/body --
#Worker
`},
	{"service: a library's definition for all roles", `
-- lib/worker/worker.cue --
package worker

import k "kumori.systems/kumori:kumori"

#Worker: {
	#number: int
	config: k.#Configurable & {parameter: {queue: "queue-\(#number)", ...}}
	...
}
-- service/imports --
"kumiki.example/bench/lib/worker@v1"
-- role/body --
worker.#Worker & {#number: ‹n›}
`},
	{"service: roles in a for over a map", `
-- role --
_entry: ‹role›: {artifact: ‹type›.#Artifact, workers: ‹workers›, level: ‹level›, hsize: ‹hsize›}
-- service/description --
role: {
	for n, e in _entry {
		(n): {
			artifact: e.artifact
			config: {
				parameter: {name: n, endpoint: "https://\(n).example", region: "eu", workers: e.workers, logLevel: e.level}
				scale: hsize: e.hsize
			}
		}
	}
}
`},
	{"service: roles of each type in a for", `
-- role --
_plan: ‹type›: ‹role›: {workers: ‹workers›, hsize: ‹hsize›}
-- service/description, each type --
for n, e in _plan.‹type› {
	role: (n): {
		artifact: ‹type›.#Artifact
		config: {
			parameter: {name: n, endpoint: "https://\(n).example", workers: e.workers}
			scale: hsize: e.hsize
		}
	}
}
`},
	{"service: roles in a for over the config", `
-- role --
«role/before»
-- service/parameter --
entries: [string]: {workers: *4 | int, hsize: *1 | int}
-- service/description --
for n, e in description.config.parameter.entries {
	role: (n): {
		artifact: t0.#Artifact
		config: {
			parameter: {name: n, endpoint: "https://\(n).example", workers: e.workers}
			scale: hsize: e.hsize
		}
	}
}
-- deploy/parameter, each role --
entries: ‹role›: {workers: ‹workers›, hsize: ‹hsize›}
`},
	{"service: some roles in a for, by a hidden table of artifacts", `
-- service/description --
_kinds: {one: t0.#Artifact, two: t1.#Artifact}
for i, kind in ["one", "two", "one"] {
	role: "extra\(i)": {artifact: _kinds[kind], config: parameter: {name: "extra\(i)", endpoint: "none"}}
}
`},
	{"service: some roles in a for over a hidden table of artifacts", `
-- service/description --
_extras: {one: {artifact: t0.#Artifact, at: "a"}, two: {artifact: t1.#Artifact, at: "b"}}
for name, extra in _extras {
	role: "extra-\(name)": {artifact: extra.artifact, config: parameter: {name: extra.at, endpoint: "none"}}
}
`},
	{"service: some roles in a for, of one of two artifacts", `
-- service/description --
for i in [1, 2, 3] {
	role: "extra\(i)": {artifact: [if i > 2 {t1.#Artifact}, t0.#Artifact][0], config: parameter: {name: "extra\(i)", endpoint: "none"}}
}
`},
	{"service: some roles in a for that refine an artifact", `
-- service/description --
for i in [1, 2, 3] {
	role: "extra\(i)": {
		artifact: t0.#Artifact & {description: code: main: user: {userid: i, groupid: 7}}
		config: parameter: {name: "extra\(i)", endpoint: "none"}
	}
}
`},
	{"service: some roles in a for, by a hidden role", `
-- service/description --
_worker: {artifact: t0.#Artifact, config: parameter: {region: "eu", ...}, ...}
for i in [1, 2, 3] {
	role: "worker\(i)": _worker & {config: parameter: {name: "worker\(i)", endpoint: "none"}}
}
`},
	{"service: some roles in a for", `
-- service/description --
for i in [1, 2, 3] {
	role: "shard\(i)": {
		artifact: t0.#Artifact
		config: parameter: {name: "shard\(i)", endpoint: "none"}
	}
}
`},
	{"service: roles in another file", `
-- role --
«role/before»
-- service/roles.cue --
package service

import (
-- service/roles.cue, each type --
	‹type› "kumiki.example/bench/‹type›@v1:component"
-- service/roles.cue --
)
-- service/roles.cue, each role --
#Artifact: description: role: ‹role›: {
	artifact: ‹type›.#Artifact
	config: {
		parameter: {name: "‹role›", endpoint: "https://‹role›.example", workers: ‹workers›}
		scale: hsize: ‹hsize›
	}
}
`},
	{"service: part of each role at the file's end", `
-- service/end, each role --
#Artifact: description: role: ‹role›: config: parameter: topic: "topic-‹n›"
`},
	{"service: part of each role in another file", `
-- service/more.cue --
package service
-- service/more.cue, each role --
#Artifact: description: role: ‹role›: config: parameter: prefix: "/‹role›"
`},
	{"service: a parameter for each role", `
-- service/parameter, each role --
weight‹n›: *‹workers› | int
-- role/workers --
description.config.parameter.weight‹n›
`},
	{"service: a struct for each role", `
-- service/parameter, each role --
of: ‹role›: {endpoint: string, zone: *"z" | string}
-- role/endpoint --
description.config.parameter.of.‹role›.endpoint
-- role/parameter --
zone: description.config.parameter.of.‹role›.zone
-- deploy/parameter, each role --
of: ‹role›: endpoint: "https://‹n›.example"
`},
	{"service: parameters that depend on each other", `
-- service/parameter --
baseHost: *"base" | string
apiHost:  *"api.\(baseHost)" | string
-- role/endpoint --
"https://\(description.config.parameter.apiHost)/‹n›"
`},
	{"service: an optional parameter, and if", `
-- service/parameter --
motto?: string
-- role/parameter --
if description.config.parameter.motto != _|_ {owner: description.config.parameter.motto}
-- deploy/parameter --
motto: "onwards"
`},
	{"service: a disjunction of structs", `
-- service/parameter --
storage: *{kind: "local"} | {kind: "remote", host: string}
-- role/parameter --
bucket: description.config.parameter.storage.kind
-- deploy/parameter --
storage: {kind: "remote", host: "nas"}
`},
	{"service: a check in a hidden field", `
-- service/parameter --
lower: *1 | int
upper: *9 | int
-- service/description --
_bounded: true & (description.config.parameter.lower < description.config.parameter.upper)
`},
	{"service: a service among the roles", `
-- group/group.cue --
package service

import (
	k "kumori.systems/kumori:kumori"
	a "kumiki.example/bench/t0@v1:component"
)

#Artifact: k.#Service & {
	ref: name: "group"
	description: {
		config: parameter: region: string
		role: inner: {
			artifact: a.#Artifact
			config: parameter: {name: "inner", endpoint: "none", region: description.config.parameter.region}
		}
		srv: {}
	}
}
-- service/imports --
group "kumiki.example/bench/group@v1:service"
-- service/description --
role: nested: {artifact: group.#Artifact, config: parameter: region: "nested"}
`},
}
