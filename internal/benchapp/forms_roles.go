package benchapp

// roleForms are ways to write roles and their config.
var roleForms = []Form{
	{"role: a reference to the service's config", `
-- service/parameter --
area: string
-- role/region --
description.config.parameter.area
-- deploy/parameter --
area: "area"
`},
	{"role: the service's config in a text", `
-- service/parameter --
domain: *"example" | string
-- role/endpoint --
"https://‹role›.\(description.config.parameter.domain)"
`},
	{"role: several of the service's parameters", `
-- service/parameter --
defaults: {owner: *"team" | string, locale: *"en_GB" | string, mode: *"fast" | "safe"}
-- role/parameter --
owner:  description.config.parameter.defaults.owner
locale: description.config.parameter.defaults.locale
mode:   description.config.parameter.defaults.mode
`},
	{"role: all parameters handed down at once", `
-- service/parameter --
name:     *"shared" | string
endpoint: *"https://shared.example" | string
workers:  *8 | int
-- role --
role: ‹role›: {
	artifact: ‹type›.#Artifact
	config: {
		parameter: description.config.parameter
		scale: hsize: ‹hsize›
		«role/config»
	}
	«role/body»
}
`},
	{"role: parameters given on one line", `
-- role --
role: ‹role›: {artifact: ‹type›.#Artifact, config: {parameter: {name: "‹role›", endpoint: "https://‹role›.example", region: "region-‹n›", workers: ‹workers›, logLevel: ‹level›}, scale: hsize: ‹hsize›}}
`},
	{"role: long paths in place of braces", `
-- role --
role: ‹role›: artifact: ‹type›.#Artifact
role: ‹role›: config: parameter: name: "‹role›"
role: ‹role›: config: parameter: endpoint: "https://‹role›.example"
role: ‹role›: config: parameter: region: "region-‹n›"
role: ‹role›: config: parameter: workers: ‹workers›
role: ‹role›: config: parameter: logLevel: ‹level›
role: ‹role›: config: scale: hsize: ‹hsize›
`},
	{"role: resilience handed down", `
-- role/config --
resilience: description.config.resilience
-- deploy/config --
resilience: 1
`},
	{"role: by let in the description", `
-- service/parameter --
unit: *"unit" | string
-- service/description --
let given = description.config.parameter
-- role/parameter --
bucket: given.unit
`},
	{"role: by let in each role", `
-- role/body --
let own = "‹role›-queue"
config: parameter: queue: own
`},
	{"role: by a hidden field of the description", `
-- service/parameter --
corp: *"corp" | string
-- service/description --
_topic: "\(description.config.parameter.corp).events"
-- role/parameter --
topic: _topic
`},
	{"role: by a hidden struct of the file", `
-- service/top --
_shared: {zone: "c", batch: 25}
-- role/parameter --
_shared
`},
	{"role: by a definition of the file", `
-- service/top --
#Shared: {retries: 2, ...}
-- role/parameter --
#Shared
`},
	{"role: by a definition of another file", `
-- service/settings.cue --
package service

#Settings: {timeout: 1500, ...}
-- role/parameter --
#Settings
`},
	{"role: by a constant of a library", `
-- lib/constants/constants.cue --
package constants

prefix: "/v1"
-- service/imports --
"kumiki.example/bench/lib/constants@v1"
-- role/parameter --
prefix: constants.prefix
`},
	{"role: arithmetic", `
-- service/parameter --
factor: *2 | int
-- role/parameter --
cache: 16 * description.config.parameter.factor
`},
	{"role: a boolean in a text", `
-- service/parameter --
beta: *false | bool
-- role/parameter --
locale: "beta=\(description.config.parameter.beta)"
`},
	{"role: a multi-line text", `
-- role/parameter --
owner: """
	team of ‹role›
	on call
	"""
`},
	{"role: a package's function", `
-- service/imports --
"strings"
-- service/parameter --
team: *"blue" | string
-- role/parameter --
owner: strings.ToUpper(description.config.parameter.team)
`},
	{"role: one of two by a condition", `
-- service/parameter --
safe: *false | bool
-- role/parameter --
mode: [if description.config.parameter.safe {"safe"}, "fast"][0]
`},
	{"role: if in its parameters", `
-- service/parameter --
quiet: *true | bool
-- role/parameter --
if description.config.parameter.quiet {metrics: false}
`},
	{"role: a default", `
-- role/parameter --
prefix: *"/v‹n›" | string
`},
	{"role: its own config", `
-- role/parameter --
bucket: "bucket-\(name)"
`},
	{"role: another role's config", `
-- role/parameter --
queue: description.role.r0000.config.parameter.name
`},
	{"role: the port of an artifact", `
-- role/parameter --
prefix: "/p\(‹type›.#Artifact.description.srv.server.http.port)"
`},
	{"role: the port of another role's artifact", `
-- role/parameter --
topic: "p\(description.role.r0000.artifact.description.srv.server.http.port)"
`},
	{"role: a list of all roles' names", `
-- service/description --
_names: [for name, _ in description.role {name}]
-- role/parameter --
batch: len(_names)
`},
	{"role: another name for it", `
-- role/body --
S=meta: label: "‹role›"
config: parameter: owner: S.label
`},
	{"role: meta, literal", `
-- role/body --
meta: {tier: "‹n›", stable: true}
`},
	{"role: meta from config", `
-- service/parameter --
version: *"v1" | string
-- role/body --
meta: version: description.config.parameter.version
`},
	{"role: meta from its own parameters", `
-- role/body --
meta: region: config.parameter.region
`},
	{"role: an artifact that is refined", `
-- role/artifact --
‹type›.#Artifact & {description: code: main: image: tag: "example/‹type›:1.‹n›"}
-- component/tag --
*"example/‹type›:1.0.0" | string
`},
	{"role: an artifact refined alike in all", `
-- role/artifact --
‹type›.#Artifact & {description: code: main: user: {userid: 7, groupid: 7}}
`},
	{"role: an artifact refined by the service's config", `
-- service/parameter --
user: *7 | int
-- service/description --
let P = description.config.parameter
-- role/artifact --
‹type›.#Artifact & {description: code: main: user: {userid: P.user, groupid: P.user}}
`},
	{"role: an artifact refined by a table", `
-- service/top --
_users: [string]: {id: *7 | int}
-- service/top, each role --
_users: ‹role›: id: 1‹n›
-- role/artifact --
‹type›.#Artifact & {description: code: main: user: {userid: _users.‹role›.id, groupid: 7}}
`},
	{"role: one artifact that is refined", `
-- service/description --
role: r0000: artifact: description: code: main: user: {userid: 7, groupid: 7}
`},
	{"role: an artifact by let", `
-- service/description, each type --
let Art‹t› = ‹type›.#Artifact
-- role/artifact --
Art‹t›
`},
	{"role: an artifact by a hidden field", `
-- service/top, each type --
_artifact‹t›: ‹type›.#Artifact
-- role/artifact --
_artifact‹t›
`},
	{"role: instances from the service's config", `
-- service/parameter --
instances: *2 | uint
-- role/scale --
scale: hsize: description.config.parameter.instances
`},
	{"role: instances computed", `
-- service/parameter --
spread: *2 | uint
-- role/scale --
scale: hsize: description.config.parameter.spread * ‹hsize›
`},
	{"role: instances by if", `
-- service/parameter --
single: *false | bool
-- role/scale --
scale: hsize: [if description.config.parameter.single {1}, ‹hsize›][0]
`},
	{"role: instances left to the component", `
-- role/scale --
`},
}
