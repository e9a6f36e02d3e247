package check_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/diag"
)

// checkedService is a service with two roles of one component.
const checkedService = `
-- cue.mod/module.cue --
module: "check.example/app@v0"
language: version: "v0.12.0"
-- d/d.cue --
package component

import k "kumori.systems/kumori:kumori"

#Artifact: k.#Component & {
	ref: name: "d"
	description: {
		config: {
			«component»
		}
		srv: server: s: port: 80
		code: d: {
			image: tag: "i:1"
			size: {cpu: {size: 1, unit: "m"}, memory: {size: 1, unit: "M"}}
		}
		size: bandwidth: {size: 9, unit: "M"}
		«rest of component»
	}
}
-- c/c.cue --
package service

import (
	k "kumori.systems/kumori:kumori"
	d "check.example/app/d:component"
)

#Artifact: k.#Service & {
	ref: name: "c"
	description: {
		config: {
			«config»
		}
		role: a: {
			artifact: d.#Artifact
			«role»
		}
		srv: server: s: port: 80
		connect: s: {from: self: "s", to: a: s: _}
		«rest»
	}
}
`

// service is what a test says of the service and its component.
type service struct {
	name, component, restOfComponent, config, role, rest string
	code                                                 diag.Code
}

func (x service) check(t *testing.T) (diag.List, string) {
	t.Helper()
	text := strings.NewReplacer("«component»", x.component, "«rest of component»", x.restOfComponent, "«config»", x.config, "«role»", x.role, "«rest»", x.rest).Replace(checkedService)
	return vetFiles(t, text, "c")
}

// plantedServices have something wrong that shows for some configs only, at the
// line that says so.
var plantedServices = []service{
	{name: "a role's config", component: "parameter: p: *\"x\" | string", config: "parameter: n: *1 | int", role: "config: parameter: {if description.config.parameter.n > 5 {\np: string // hole\n}}", code: diag.RoleNotConcrete},
	{name: "a role's config by instances", component: "parameter: p: *\"x\" | string", role: "config: parameter: {if description.config.scale.detail.a.hsize > 3 {\np: string // hole\n}}", code: diag.RoleNotConcrete},
	{name: "a role's config by resilience", component: "parameter: p: *\"x\" | string", role: "config: parameter: {if description.config.resilience > 1 {\np: string // hole\n}}", code: diag.RoleNotConcrete},
	{name: "a needed parameter that is not passed", component: "parameter: p: string", config: "parameter: n: *1 | int", role: "config: parameter: { // hole\nif description.config.parameter.n < 5 {p: \"x\"}\n}", code: diag.Missing},
	{name: "a parameter of another type", component: "parameter: p: *1 | int", config: "parameter: s: string", role: "config: parameter: p: description.config.parameter.s // hole", code: diag.Conflict},
	{name: "a literal that the component does not take", component: "parameter: p: *1 | uint16", config: "parameter: n: *1 | int", role: "config: parameter: {if description.config.parameter.n > 5 {\np: 70000 // hole\n}}", code: diag.Conflict},
	{name: "a misspelt parameter", component: "parameter: port: *1 | uint16", config: "parameter: n: *1 | int", role: "config: parameter: {if description.config.parameter.n > 5 {\nprot: 7 // hole\n}}", code: diag.Undeclared},
	{name: "a field that the model does not have", config: "parameter: n: *1 | int", rest: "if description.config.parameter.n > 5 {\nconect: x: {} // hole\n}", code: diag.UnknownField},
	{name: "a port that the model does not take", config: "parameter: n: *1 | int", rest: "if description.config.parameter.n > 5 {\nsrv: server: t: port: 70000\n}", code: diag.Conflict},
	{name: "a conditional role", component: "parameter: p: string", config: "parameter: n: *1 | int", role: "config: parameter: p: \"x\"", rest: "if config.parameter.n > 5 {\nrole: b: {artifact: d.#Artifact, config: parameter: {}} // hole\n}", code: diag.Missing},
	{name: "a role of a member", component: "parameter: p: *\"x\" | string", config: "parameter: zones: [string]: string", rest: "role: {for k, v in description.config.parameter.zones {\"z-\\(k)\": {artifact: d.#Artifact, config: parameter: {\np: string // hole\n}}}}", code: diag.RoleNotConcrete},
	{name: "a connector", config: "parameter: n: *1 | int", rest: "if config.parameter.n > 5 {\nsrv: server: t: port: 81\nconnect: t: {from: self: string, to: a: s: _} // hole\n}", code: diag.Hole},
	{name: "what the component takes", component: "parameter: p: =~\"^[A-Z]+$\"", config: "parameter: {s: string, n: *1 | int}", role: "config: parameter: p: description.config.parameter.s", rest: "if config.parameter.n > 5 {\nsrv: server: t: port: 81\nconnect: t: {from: self: string, to: a: s: _} // hole\n}", code: diag.Hole},
	{name: "a guard of the component", component: "parameter: p: *1 | int", restOfComponent: "if config.parameter.p > 50 {code: d: mapping: env: V: value: string}", config: "parameter: n: *1 | int", role: "config: parameter: p: description.config.parameter.n", code: diag.Hole},
}

// TestCheckServices finds what is wrong in services.
func TestCheckServices(t *testing.T) {
	t.Parallel()
	for _, tt := range plantedServices {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			problems, text := tt.check(t)
			require.Len(t, problems, 1, "%s", show(problems))
			require.Equal(t, tt.code, problems[0].Code, "%s", show(problems))
			if strings.Contains(text, "// hole") {
				require.Equal(t, lineOf(text, "// hole"), problems[0].Pos.Line(), "%s", show(problems))
			}
		})
	}
}

// fineServices can be deployed.
var fineServices = []service{
	{name: "a parameter", component: "parameter: p: string", config: "parameter: s: string", role: "config: parameter: p: description.config.parameter.s"},
	{name: "a parameter with a pattern", component: "parameter: p: =~\"^[A-Z]{4,}$\"", config: "parameter: s: string", role: "config: parameter: p: description.config.parameter.s"},
	{name: "a parameter within bounds", component: "parameter: p: int & >1000 & <1010", config: "parameter: s: int", role: "config: parameter: p: description.config.parameter.s"},
	{name: "an enumeration", component: "parameter: p: \"x\" | \"y\"", config: "parameter: s: string", role: "config: parameter: p: description.config.parameter.s"},
	{name: "all parameters", component: "parameter: {p: \"x\" | \"y\", q: >7}", config: "parameter: {p: string, q: int}", role: "config: parameter: description.config.parameter"},
	{name: "a default that the component does not take", component: "parameter: p: \"x\" | \"y\"", config: "parameter: s: *\"z\" | string", role: "config: parameter: p: description.config.parameter.s"},
	{name: "a check of the component", component: "parameter: {p: int, q: int}\n_ok: true & (parameter.p < parameter.q)", config: "parameter: {p: int, q: int}", role: "config: parameter: description.config.parameter"},
	{name: "a check of the component with a literal", component: "parameter: {p: int, q: int}\n_ok: true & (parameter.p < parameter.q)", config: "parameter: p: int", role: "config: parameter: {p: description.config.parameter.p, q: 1}"},
	{name: "a branch that the component refuses together with another", component: "parameter: {p: int, q: *5 | int}\n_ok: true & (parameter.p < parameter.q)", config: "parameter: {m: *\"a\" | \"b\", big: *false | bool}", role: "config: parameter: {if description.config.parameter.m == \"a\" {p: 1}\nif description.config.parameter.m == \"b\" {p: 7}\nif description.config.parameter.big {q: 10}}"},
	{name: "a bound that is another parameter", component: "parameter: {p: int, q: >=p}", config: "parameter: n: int", role: "config: parameter: {p: description.config.parameter.n, q: p}"},
	{name: "a computed parameter", component: "parameter: p: uint16", config: "parameter: n: int", role: "config: parameter: p: description.config.parameter.n * 100"},
	{name: "instances of a role", component: "parameter: p: int", role: "config: parameter: p: description.config.scale.detail.a.hsize"},
	{name: "instances by the service", role: "config: scale: hsize: 2"},
	{name: "instances by a parameter", config: "parameter: n: uint", role: "config: scale: hsize: description.config.parameter.n"},
	{name: "instances that a component compares", restOfComponent: "if config.scale.hsize > 3 {code: d: mapping: env: V: value: \"many\"}"},
	{name: "the load of a role", component: "scale: qos: load: uint", restOfComponent: "code: d: mapping: env: V: value: \"\\(config.scale.qos.load)\""},
	{name: "declared instances", component: "scale: hsize: uint & >3"},
	{name: "resilience", restOfComponent: "if config.resilience > 0 {code: d: mapping: env: V: value: \"many\"}", role: "config: resilience: description.config.resilience"},
	{name: "a volume", component: "resource: v: k.#Volume", config: "resource: v: k.#Volume", role: "config: resource: v: description.config.resource.v"},
	{name: "a volume of the role's own", component: "resource: v: k.#Volume", role: "config: resource: v: volume: {size: 1, unit: \"G\"}"},
	{name: "a conditional role", component: "parameter: p: string", config: "parameter: {n: *1 | int, s: string}", role: "config: parameter: p: \"x\"", rest: "if config.parameter.n > 5 {role: b: {artifact: d.#Artifact, config: parameter: p: description.config.parameter.s}}"},
	{name: "a role of a member", component: "parameter: p: string", config: "parameter: zones: [string]: string", role: "config: parameter: p: \"x\"", rest: "role: {for k, v in description.config.parameter.zones {\"z-\\(k)\": {artifact: d.#Artifact, config: parameter: p: v}}}"},
	{name: "a conditional parameter of the component", component: "parameter: {tls: *false | bool, if tls {cert: string}}", config: "parameter: tls: *false | bool", role: "config: parameter: {tls: description.config.parameter.tls, if tls {cert: \"x\"}}"},
}

// TestCheckServicesInventsNothing says nothing of services that can be deployed.
func TestCheckServicesInventsNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range fineServices {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			problems, _ := tt.check(t)
			require.Empty(t, problems, "%s", show(problems))
		})
	}
}
