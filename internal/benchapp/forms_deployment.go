package benchapp

// deploymentForms are ways to write a deployment. The plainest one says nothing
// of its roles.
var deploymentForms = []Form{
	{"deployment: instances of each role", `
-- role/scale --
-- deploy/config, each role --
scale: detail: ‹role›: hsize: ‹hsize›
`},
	{"deployment: instances in a for", `
-- role/scale --
-- deploy/config, each role --
scale: detail: ‹role›: _
-- deploy/config --
scale: detail: [string]: hsize: 2
`},
	{"deployment: values of each role", `
-- service/parameter, each role --
address: ‹role›: string
-- role/endpoint --
description.config.parameter.address.‹role›
-- deploy/parameter, each role --
address: ‹role›: "https://‹n›.example"
`},
	{"deployment: values in several files", `
-- service/parameter --
country: string
city:    string
-- role/region --
"\(description.config.parameter.country)-\(description.config.parameter.city)"
-- deploy/country.cue --
package deployment

#Deployment: config: parameter: country: "it"
-- deploy/city.cue --
package deployment

#Deployment: config: parameter: city: "rome"
`},
	{"deployment: by let", `
-- service/parameter --
host: string
-- role/parameter --
queue: description.config.parameter.host
-- deploy/body --
let base = "host.example"
config: parameter: host: base
`},
	{"deployment: by a hidden struct", `
-- service/parameter --
stage: {label: string, locale: string}
-- role/parameter --
owner:  description.config.parameter.stage.label
locale: description.config.parameter.stage.locale
-- deploy/top --
_stage: {label: "prod", locale: "it_IT"}
-- deploy/parameter --
stage: _stage
`},
	{"deployment: by a definition of another file", `
-- service/parameter --
site: {path: string, shards: int}
-- role/parameter --
prefix: description.config.parameter.site.path
batch:  description.config.parameter.site.shards
-- deploy/site.cue --
package deployment

#Site: {path: *"/site" | string, shards: int}
-- deploy/parameter --
site: #Site & {shards: 7}
`},
	{"deployment: by a library", `
-- lib/environments/environments.cue --
package environments

prod: {zone: "z1", cache: 128}
-- service/parameter --
place: {zone: string, cache: int}
-- role/parameter --
zone:  description.config.parameter.place.zone
cache: description.config.parameter.place.cache
-- deploy/imports --
"kumiki.example/bench/lib/environments@v1"
-- deploy/parameter --
place: environments.prod
`},
	{"deployment: values in a for", `
-- service/parameter, each role --
keys: ‹role›: string
-- role/parameter --
topic: description.config.parameter.keys.‹role›
-- deploy/top, each role --
_known: ‹role›: "‹n›"
-- deploy/parameter --
keys: {for r, number in _known {(r): "key-\(number)-of-\(r)"}}
`},
	{"deployment: values under if", `
-- service/parameter --
timeout: int
-- role/parameter --
timeout: description.config.parameter.timeout
-- deploy/top --
_production: true
-- deploy/parameter --
if _production {timeout: 500}
if !_production {timeout: 5000}
`},
	{"deployment: computed values", `
-- service/parameter --
total: int
-- role/parameter --
cache: description.config.parameter.total
-- deploy/parameter --
total: 4 * 128
`},
	{"deployment: a text in a text", `
-- service/parameter --
bucketName: string
-- role/parameter --
bucket: description.config.parameter.bucketName
-- deploy/top --
_environment: "prod"
-- deploy/parameter --
bucketName: "bucket-\(_environment)"
`},
	{"deployment: a package's function", `
-- service/parameter --
hosts: string
-- role/parameter --
queue: description.config.parameter.hosts
-- deploy/imports --
"strings"
-- deploy/parameter --
hosts: strings.Join(["a", "b"], ",")
`},
	{"deployment: json.Unmarshal", `
-- service/parameter --
limits: {retries: int}
-- role/parameter --
retries: description.config.parameter.limits.retries
-- deploy/imports --
"encoding/json"
-- deploy/parameter --
limits: json.Unmarshal("{\"retries\": 5}")
`},
	{"deployment: meta", `
-- deploy/body --
meta: {contact: "ops@example", channels: ["#ops"]}
`},
	{"deployment: an artifact that is refined", `
-- deploy/artifact --
s.#Artifact & {ref: name: "bench"}
`},
	{"deployment: what a service level is", `
-- deploy/body --
sla: availability: "99.9"
`},
}
