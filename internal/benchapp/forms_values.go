package benchapp

// environmentForms are ways to give an environment variable its value.
var environmentForms = []Form{
	{"env: a reference to config", `
-- component/env --
REGION_NAME: value: config.parameter.region
`},
	{"env: a text in a text", `
-- component/env --
HEALTH: value: "\(config.parameter.endpoint)/health"
`},
	{"env: a number in a text", `
-- component/env --
WORKERS_FLAG: value: "--workers=\(config.parameter.workers)"
`},
	{"env: a boolean in a text", `
-- component/env --
TRACING_FLAG: value: "--tracing=\(config.parameter.tracing)"
`},
	{"env: a port of the component's own", `
-- component/env --
LISTEN: value: ":\(srv.server.http.port)"
`},
	{"env: the artifact's name", `
-- component/env --
SERVICE: value: #Artifact.ref.name
`},
	{"env: a multi-line text", `
-- component/env --
RULES: value: """
	region \(config.parameter.region)
	owner \(config.parameter.owner)
	"""
`},
	{"env: a sum of texts", `
-- component/env --
JOINED: value: config.parameter.region + "/" + config.parameter.zone
`},
	{"env: the long way to config", `
-- component/end --
#Artifact: description: code: main: mapping: env: FAR: value: #Artifact.description.config.parameter.region
`},
	{"env: in another file", `
-- component/env.cue --
package component

#Artifact: description: {
	config: _
	code: main: mapping: env: AWAY: value: config.parameter.region
}
`},
	{"env: by let in the description", `
-- component/description --
let given = config.parameter
-- component/env --
LET_REGION: value: given.region
LET_WORKERS: value: "\(given.workers)"
`},
	{"env: by let beside the variables", `
-- component/env --
let host = "\(config.parameter.name).\(config.parameter.region)"
FQDN: value: host
`},
	{"env: by a hidden field", `
-- component/description --
_address: "\(config.parameter.endpoint):\(config.parameter.workers)"
-- component/env --
ADDRESS: value: _address
`},
	{"env: by a hidden struct", `
-- component/description --
_shared: {
	SHARED_REGION: value: config.parameter.region
	SHARED_OWNER: value:  config.parameter.owner
}
-- component/env --
_shared
`},
	{"env: by a definition in the description", `
-- component/description --
#variables: {DEFINED: value: config.parameter.zone, ...}
-- component/env --
#variables
`},
	{"env: by another name for the parameters", `
-- component/description --
P=config: parameter: _
-- component/env --
ALIASED: value: P.parameter.region
`},
	{"env: by another name for the description", `
-- component/end --
#Artifact: D=description: code: main: mapping: env: ALIAS: value: D.config.parameter.region
`},
	{"env: by a definition with arguments", `
-- component/top --
#Join: {
	host: string
	path: string
	out:  "https://\(host)/\(path)"
}
-- component/env --
JOIN: value: (#Join & {host: config.parameter.region, path: config.parameter.name}).out
`},
	{"env: by a library's definition with arguments", `
-- lib/naming/naming.cue --
package naming

#Name: {
	#in: {name: string, region: string}
	out: "\(#in.name)-in-\(#in.region)"
}
-- component/imports --
"kumiki.example/bench/lib/naming@v1"
-- component/env --
FULL: value: (naming.#Name & {#in: {name: config.parameter.name, region: config.parameter.region}}).out
`},
	{"env: variables of a library", `
-- lib/vars/vars.cue --
package vars

#Env: {
	LANG: value: "C.UTF-8"
	TZ: value:   "UTC"
	...
}
-- component/imports --
"kumiki.example/bench/lib/vars@v1"
-- component/env --
vars.#Env
`},
	{"env: if on a boolean", `
-- component/env --
if config.parameter.tracing {
	TRACE: value: "on"
}
-- role/parameter --
tracing: ‹switch›
`},
	{"env: if on a choice", `
-- component/env --
if config.parameter.logLevel == "debug" {VERBOSE: value: "1"}
`},
	{"env: if on a number", `
-- component/env --
if config.parameter.workers > 8 {PARALLEL: value: "1"}
`},
	{"env: if on a regexp", `
-- component/env --
if config.parameter.endpoint =~ "^https" {SECURE: value: "1"}
`},
	{"env: one of two by a condition", `
-- component/env --
PACE: value: [if config.parameter.mode == "fast" {"quick"}, "slow"][0]
`},
	{"env: one of a table", `
-- component/env --
SEVERITY: value: {debug: "7", info: "6", warn: "4"}[config.parameter.logLevel]
`},
	{"env: for over a map", `
-- component/parameter --
vars: *{A: "1"} | {[string]: string}
-- component/env --
for k, v in config.parameter.vars {
	"VAR_\(k)": value: v
}
-- role/parameter --
vars: {A: "‹n›", B: "2"}
`},
	{"env: for over a list", `
-- component/parameter --
features: *[] | [...string]
-- component/env --
for f in config.parameter.features {"FEATURE_\(f)": value: "on"}
-- role/parameter --
features: ["x", "y‹n›"]
`},
	{"env: for over a literal", `
-- component/env --
for i, topic in ["orders", "mails"] {"TOPIC_\(i)": value: topic}
`},
	{"env: a variable named by a parameter", `
-- component/parameter --
variable: *"CUSTOM" | string
-- component/env --
(config.parameter.variable): value: "yes"
-- role/parameter --
variable: "CUSTOM_‹n›"
`},
	{"env: a parameter named by another", `
-- component/parameter --
chosen: *"region" | "zone"
-- component/env --
CHOSEN: value: config.parameter[config.parameter.chosen]
-- role/parameter --
chosen: "zone"
`},
}

// computedForms are expressions, each for the value of a variable.
var computedForms = []Form{
	{"env: arithmetic", `
-- component/env --
THREADS: value: "\(config.parameter.workers * 2 + 1)"
`},
	{"env: a division", `
-- component/imports --
"math"
-- component/env --
HALF: value: "\(math.Floor(config.parameter.workers / 2))"
`},
	{"env: div", `
-- component/env --
SECONDS: value: "\(div(config.parameter.timeout, 1000))"
`},
	{"env: a length", `
-- component/env --
NAME_LENGTH: value: "\(len(config.parameter.name))"
`},
	{"env: json.Marshal", `
-- component/imports --
"encoding/json"
-- component/env --
SETTINGS: value: json.Marshal({name: config.parameter.name, workers: config.parameter.workers})
`},
	{"env: json.Marshal of all parameters", `
-- component/imports --
"encoding/json"
-- component/env --
EVERYTHING: value: json.Marshal(config.parameter)
`},
	{"env: json.Unmarshal", `
-- component/imports --
"encoding/json"
-- component/parameter --
document: *"{\"a\":1}" | string
-- component/env --
DOCUMENT_A: value: "\(json.Unmarshal(config.parameter.document).a)"
-- role/parameter --
document: "{\"a\":‹n›}"
`},
	{"env: strings.Join", `
-- component/imports --
"strings"
-- component/env --
PATHS: value: strings.Join([config.parameter.region, config.parameter.zone, config.parameter.name], ",")
`},
	{"env: strings.Join of a list comprehension", `
-- component/imports --
"strings"
-- component/parameter --
peers: *["a"] | [...string]
-- component/env --
PEERS: value: strings.Join([for p in config.parameter.peers {"http://\(p)"}], ",")
-- role/parameter --
peers: ["p‹n›", "q‹n›"]
`},
	{"env: strings.Replace", `
-- component/imports --
"strings"
-- component/env --
SLUG: value: strings.Replace(config.parameter.endpoint, "://", "-", -1)
`},
	{"env: strings.ToUpper", `
-- component/imports --
"strings"
-- component/env --
LOUD: value: strings.ToUpper(config.parameter.logLevel)
`},
	{"env: strings.Split", `
-- component/imports --
"strings"
-- component/env --
SCHEME: value: strings.Split(config.parameter.endpoint, ":")[0]
`},
	{"env: strconv", `
-- component/imports --
"strconv"
-- component/env --
HEX: value: strconv.FormatInt(config.parameter.workers, 16)
`},
	{"env: text/template", `
-- component/imports --
"text/template"
-- component/env --
GREETING: value: template.Execute("Hello {{.name}} in {{.region}}", {name: config.parameter.name, region: config.parameter.region})
`},
	{"env: base64", `
-- component/imports --
"encoding/base64"
-- component/env --
ENCODED: value: base64.Encode(null, config.parameter.name)
`},
	{"env: a hash", `
-- component/imports --
"crypto/sha256"
"encoding/hex"
-- component/env --
CHECKSUM: value: hex.Encode(sha256.Sum256(config.parameter.endpoint))
`},
	{"env: the larger of two", `
-- component/imports --
"list"
-- component/env --
LARGER: value: "\(list.Max([config.parameter.workers, 8]))"
`},
	{"env: a sorted list", `
-- component/imports --
"list"
"strings"
-- component/parameter --
members: *["b", "a"] | [...string]
-- component/env --
MEMBERS: value: strings.Join(list.SortStrings(config.parameter.members), " ")
-- role/parameter --
members: ["z‹n›", "a‹n›"]
`},
	{"env: a logical expression", `
-- component/env --
CAREFUL: value: "\(config.parameter.mode == "safe" && !config.parameter.readOnly || config.parameter.retries > 5)"
`},
}
