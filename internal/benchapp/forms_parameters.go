package benchapp

// parameterForms are about what a parameter of a component can be.
var parameterForms = []Form{
	{"an optional parameter that nobody gives", `
-- component/parameter --
note?: string
`},
	{"an optional parameter that every role gives", `
-- component/parameter --
remark?: string
-- role/parameter --
remark: "remark ‹n›"
`},
	{"if on an optional that nobody gives", `
-- component/parameter --
audit?: string
-- component/env --
if config.parameter.audit != _|_ {
	AUDIT: value: config.parameter.audit
}
`},
	{"if on an optional that every role gives", `
-- component/parameter --
sentry?: string
-- component/env --
if config.parameter.sentry != _|_ {
	SENTRY_DSN: value: config.parameter.sentry
}
-- role/parameter --
sentry: "https://‹n›@sentry.example/1"
`},
	{"if on an optional that is a parameter's name", `
-- component/parameter --
proxy?: string
-- component/env --
if config.parameter.proxy != _|_ {HTTP_PROXY: parameter: "proxy"}
-- role/parameter --
proxy: "http://proxy-‹n›:3128"
`},
	{"a required parameter", `
-- component/parameter --
ticket!: string
-- component/env --
TICKET: parameter: "ticket"
-- role/parameter --
ticket: "T-‹n›"
`},
	{"a regexp", `
-- component/parameter --
hostname: *"localhost" | =~"^[a-z0-9.-]+$"
-- component/env --
HOSTNAME: parameter: "hostname"
-- role/parameter --
hostname: "host-‹n›.example"
`},
	{"a regexp and what it must not be", `
-- component/parameter --
tenant: string & =~"^[a-z]" & !~"^admin" & !="root"
-- component/env --
TENANT: parameter: "tenant"
-- role/parameter --
tenant: "tenant-‹n›"
`},
	{"a bound that is another parameter", `
-- component/parameter --
poolMin: *1 | (int & >=0)
poolMax: *100000 | (int & >=poolMin)
-- component/env --
POOL_MIN: parameter: "poolMin"
POOL_MAX: parameter: "poolMax"
-- role/parameter --
poolMin: ‹n›
`},
	{"a default that shows another parameter", `
-- component/parameter --
dbHost:    *"db" | string
dbAddress: *"\(dbHost):5432" | string
-- component/env --
DB_ADDRESS: parameter: "dbAddress"
-- role/parameter --
dbHost: "db-‹n›"
`},
	{"a default that is another parameter", `
-- component/parameter --
label:       *"none" | string
displayName: *label | string
-- component/env --
DISPLAY_NAME: parameter: "displayName"
-- role/parameter --
label: "label ‹n›"
`},
	{"a default that shows a parameter all roles give", `
-- component/parameter --
callback: *"\(endpoint)/callback" | string
-- component/env --
CALLBACK: parameter: "callback"
`},
	{"a parameter that is computed", `
-- component/parameter --
selfURL: "http://\(name).local"
-- component/env --
SELF_URL: parameter: "selfURL"
`},
	{"a default that is arithmetic", `
-- component/parameter --
queueLength: *(workers * 8) | int
-- component/env --
QUEUE_LENGTH: parameter: "queueLength"
`},
	{"a quoted name", `
-- component/parameter --
"max-conns": *10 | (int & >0)
-- component/env --
MAX_CONNS: parameter: "max-conns"
-- role/parameter --
"max-conns": ‹port›
`},
	{"a comment and an attribute on each", `
-- component/parameter --
// How long sessions last, in minutes.
session: *30 | (int & >0) @ui(title="Session")
-- component/env --
SESSION: parameter: "session"
`},
	{"null or a text", `
-- component/parameter --
motd: *null | string
-- component/env --
MOTD: parameter: "motd"
-- role/parameter --
motd: "hello ‹n›"
`},
	{"a number or a word", `
-- component/parameter --
burst: *"none" | (int & >0)
-- component/env --
BURST: parameter: "burst"
-- role/parameter --
burst: ‹port›
`},
	{"a fraction", `
-- component/parameter --
sampling: *0.5 | (number & >=0 & <=1)
-- component/env --
SAMPLING: parameter: "sampling"
-- role/parameter --
sampling: 0.25
`},
	{"a number with a multiplier", `
-- component/parameter --
heap: *512Mi | (int & >=1Mi & <=64Gi)
-- component/env --
HEAP: parameter: "heap"
-- role/parameter --
heap: ‹workers›Mi
`},
	{"a definition of the file as the type", `
-- component/top --
#Tier: "gold" | "silver" | "bronze"
-- component/parameter --
tier: *"silver" | #Tier
-- component/env --
TIER: parameter: "tier"
-- role/parameter --
tier: "gold"
`},
	{"a definition of another file as the type", `
-- component/flavour.cue --
package component

#Flavour: "plain" | "spiced"
-- component/parameter --
flavour: *"plain" | #Flavour
-- component/env --
FLAVOUR: parameter: "flavour"
-- role/parameter --
flavour: "spiced"
`},
	{"a definition of a library as the type", `
-- lib/types/types.cue --
package types

#Host: =~"^[a-z0-9.-]+$"
-- component/imports --
"kumiki.example/bench/lib/types@v1"
-- component/parameter --
mailHost: *"mail.example" | types.#Host
-- component/env --
MAIL_HOST: parameter: "mailHost"
-- role/parameter --
mailHost: "mail-‹n›.example"
`},
	{"a validator of strings", `
-- component/imports --
"strings"
-- component/parameter --
shortName: string & strings.MinRunes(2) & strings.MaxRunes(20)
-- component/env --
SHORT_NAME: parameter: "shortName"
-- role/parameter --
shortName: "short ‹n›"
`},
	{"a validator of durations", `
-- component/imports --
"time"
-- component/parameter --
interval: *"30s" | time.Duration
-- component/env --
INTERVAL: parameter: "interval"
-- role/parameter --
interval: "‹workers›s"
`},
	{"a validator of addresses", `
-- component/imports --
"net"
-- component/parameter --
bind: *"0.0.0.0" | net.IPv4
-- component/env --
BIND: parameter: "bind"
-- role/parameter --
bind: "10.0.0.‹workers›"
`},
	{"a check in a hidden field", `
-- component/parameter --
floor:   *1 | int
ceiling: *100000 | int
-- component/description --
_ordered: true & (config.parameter.floor < config.parameter.ceiling)
-- component/env --
CEILING: parameter: "ceiling"
-- role/parameter --
floor: ‹n›
`},
	{"a check in the config", `
-- component/parameter --
soft:   *1 | int
hard:   *100000 | int
_sound: true & (soft <= hard)
-- component/env --
HARD: parameter: "hard"
-- role/parameter --
soft: ‹n›
`},
	{"let in the config", `
-- component/parameter --
let origin = "\(name).\(region)"
fullName: *origin | string
-- component/env --
FULL_NAME: parameter: "fullName"
`},
	{"if in the config", `
-- component/parameter --
tls: *false | bool
if tls {
	minVersion: *"1.2" | "1.3"
}
-- component/env --
if config.parameter.tls {TLS_MIN: parameter: "minVersion"}
-- role/parameter --
tls: ‹switch›
`},
	{"if in the config, with a field that has to be given", `
-- component/parameter --
store: *"memory" | "disk"
if store == "disk" {
	path: string
	size: *10 | int
}
-- component/env --
if config.parameter.store == "disk" {STORE_PATH: parameter: "path", STORE_SIZE: value: "\(config.parameter.size)"}
-- role/parameter --
store: "disk"
path: "/var/‹role›"
`},
	{"a pattern in the config", `
-- component/parameter --
{[=~"^limit"]: int & >0}
limitReads: *100 | int
-- component/env --
LIMIT_READS: parameter: "limitReads"
-- role/parameter --
limitReads: ‹port›
`},
	{"a multi-line default", `
-- component/parameter --
banner: *"""
	Welcome.
	Mind the gap.
	""" | string
-- component/env --
BANNER: parameter: "banner"
-- role/parameter --
banner: "Welcome to ‹n›"
`},
	{"a type that is declared twice", `
-- component/parameter --
grace: *10 | int
grace: >=0 & <=100000
-- component/env --
GRACE: parameter: "grace"
-- role/parameter --
grace: ‹port›
`},
	{"a parameter declared in another file", `
-- component/extra.cue --
package component

#Artifact: description: {
	config: parameter: extra: *"extra" | string
	code: main: mapping: env: EXTRA: parameter: "extra"
}
-- role/parameter --
extra: "extra ‹n›"
`},
}
