// Package benchapp writes applications of any size, for benchmarks and tests:
// the same arguments always give the same files.
package benchapp

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// App is the sources of a module by their path in it.
type App map[string]string

// Deploy is the directory of an app's deployment.
const Deploy = "deploy"

// Write writes the app below dir.
func (a App) Write(dir string) error {
	for name, text := range a {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Minimal is one component, deployed.
func Minimal() App {
	a := newApp()
	a.component("c0", 1)
	a.deploy("c0", "component", "parameter: p00: \"v\"")
	return a
}

// Flat is a service of roles over the given number of components, each with
// 20 parameters that come from the service, connected in a ring.
func Flat(roles, components int) App {
	const parameters = 20
	a := newApp()
	for c := range components {
		a.component(fmt.Sprintf("c%d", c), parameters)
	}
	var body strings.Builder
	for r := range roles {
		fmt.Fprintf(&body, "\t\trole: r%04d: {\n\t\t\tartifact: c%d.#Artifact\n\t\t\tconfig: parameter: {\n", r, r%components)
		for p := range parameters {
			fmt.Fprintf(&body, "\t\t\t\tp%02d: description.config.parameter.p%02d\n", p, p)
		}
		body.WriteString("\t\t\t}\n\t\t}\n" + link(r, roles))
	}
	a.service("s", components, parameters, body.String())
	a.deploy("s", "service", given(parameters))
	return a
}

// Distinct is a service of one component in as many roles, each with a
// configuration of its own.
func Distinct(roles int) App {
	a := newApp()
	a.component("c0", 20)
	var body strings.Builder
	for r := range roles {
		fmt.Fprintf(&body, "\t\trole: r%04d: {artifact: c0.#Artifact, config: {parameter: {", r)
		for p := range 20 {
			fmt.Fprintf(&body, "p%02d: \"value %d of %d\", ", p, p, r)
		}
		body.WriteString("}}}\n" + link(r, roles))
	}
	a.service("s", 1, 1, body.String())
	a.deploy("s", "service", given(1))
	return a
}

// Mistakes is how many mistakes [Mistaken] has.
const Mistakes = 20

// Mistaken is [Distinct] of 100 roles with a mistake in every fifth of them: by
// turns a misspelt parameter and one of the wrong type.
func Mistaken() App {
	a := Distinct(100)
	body := a["s/artifact.cue"]
	for i := range Mistakes {
		role := 5 * i
		right, wrong := fmt.Sprintf("p00: \"value 0 of %d\"", role), fmt.Sprintf("p0o: \"value 0 of %d\"", role)
		if i%2 == 1 {
			right, wrong = fmt.Sprintf("p01: \"value 1 of %d\"", role), fmt.Sprintf("p01: %d", role)
		}
		body = strings.Replace(body, right+",", wrong+",", 1)
	}
	a["s/artifact.cue"] = body
	return a
}

// Nested is services within services: depth levels of them, each with fanOut
// roles, and components in the innermost. No two roles have the same
// configuration.
func Nested(depth, fanOut int) App {
	a := newApp()
	a.component("c0", 1)
	for level := depth; level >= 1; level-- {
		of, kind := fmt.Sprintf("s%d", level+1), "service"
		if level == depth {
			of, kind = "c0", "component"
		}
		var body strings.Builder
		for r := range fanOut {
			fmt.Fprintf(&body, "\t\trole: r%04d: {artifact: %s.#Artifact, config: parameter: p00: \"\\(description.config.parameter.p00).%d\"}\n", r, of, r)
			if kind == "component" {
				body.WriteString(link(r, fanOut))
			}
		}
		a.serviceOf(fmt.Sprintf("s%d", level), []string{importOf(of, kind)}, 1, body.String())
	}
	a.deploy("s1", "service", given(1))
	return a
}

// link is a connector of a ring: from a role to the next one.
func link(role, roles int) string {
	return fmt.Sprintf("\t\tconnect: n%04d: {from: r%04d: \"next\", to: r%04d: entry: _}\n", role, role, (role+1)%roles)
}

func newApp() App {
	return App{"cue.mod/module.cue": "module: \"kumiki.example/bench@v1\"\nlanguage: version: \"v0.12.0\"\n"}
}

func importOf(dir, kind string) string {
	return fmt.Sprintf("\t%s \"kumiki.example/bench/%s@v1:%s\"\n", dir, dir, kind)
}

// component adds a component with a client, a server and parameters.
func (a App) component(name string, parameters int) {
	var declared, env strings.Builder
	for p := range parameters {
		fmt.Fprintf(&declared, "\t\t\t\tp%02d: string\n", p)
		fmt.Fprintf(&env, "\t\t\t\tP%02d: parameter: \"p%02d\"\n", p, p)
	}
	a[name+"/artifact.cue"] = fmt.Sprintf(`package component

import k "kumori.systems/kumori:kumori"

#Artifact: k.#Component & {
	ref: name: %[1]q
	description: {
		srv: {
			client: next: protocol:  "http"
			server: entry: port: 8080
		}
		config: {
			parameter: {
%[2]s				level: *"info" | "debug"
			}
			scale: hsize: *1 | uint
		}
		code: main: {
			image: tag: "example/%[1]s:1.0.0"
			mapping: env: {
%[3]s				LEVEL: parameter: "level"
			}
			size: {cpu: {size: 200, unit: "m"}, mincpu: 50, memory: {size: 64, unit: "M"}}
		}
		size: bandwidth: {size: 10, unit: "M"}
	}
}
`, name, declared.String(), env.String())
}

// service adds a service that imports the first components.
func (a App) service(name string, components, parameters int, body string) {
	var imports []string
	for c := range components {
		imports = append(imports, importOf(fmt.Sprintf("c%d", c), "component"))
	}
	a.serviceOf(name, imports, parameters, body)
}

func (a App) serviceOf(name string, imports []string, parameters int, body string) {
	var declared strings.Builder
	for p := range parameters {
		fmt.Fprintf(&declared, "\t\t\tp%02d: string\n", p)
	}
	a[name+"/artifact.cue"] = fmt.Sprintf(`package service

import (
	k "kumori.systems/kumori:kumori"
%s)

#Artifact: k.#Service & {
	ref: name: %q
	description: {
		srv: {}
		config: parameter: {
%s		}
%s	}
}
`, strings.Join(imports, ""), name, declared.String(), body)
}

// given is the config of a deployment of an artifact with parameters.
func given(parameters int) string {
	var b strings.Builder
	b.WriteString("parameter: {\n")
	for p := range parameters {
		fmt.Fprintf(&b, "\t\tp%02d: \"value %d\"\n", p, p)
	}
	b.WriteString("\t}")
	return b.String()
}

func (a App) deploy(artifact, kind, config string) {
	a[Deploy+"/deployment.cue"] = fmt.Sprintf(`package deployment

import (
	k "kumori.systems/kumori:kumori"
%s)

#Deployment: k.#Deployment & {
	name:     "bench"
	artifact: %s.#Artifact
	config: %s
}
`, importOf(artifact, kind), artifact, config)
}
