package benchapp

import (
	"fmt"
	"strings"
)

// Mistakes is how many mistakes [Mistaken] has.
const Mistakes = 20

// Mistaken is [Distinct] of 100 roles with a mistake in every fifth of them: by
// turns a misspelt parameter and one of the wrong type.
func Mistaken() App {
	a := Distinct(100).Kumiki()
	body := a["s/artifact.cue"]
	for i := range Mistakes {
		role := 5 * i
		right, wrong := "p00: "+literal(0, role), "p0o: "+literal(0, role)
		if i%2 == 1 {
			right, wrong = "p01: "+literal(1, role), fmt.Sprintf("p01: %d", role)
		}
		body = strings.Replace(body, right+"\n", wrong+"\n", 1)
	}
	a["s/artifact.cue"] = body
	return a
}

// module is a module's path and the file that says so.
const (
	module     = "kumiki.example/bench"
	moduleFile = "module: \"" + module + "@v1\"\nlanguage: version: \"v0.12.0\"\n"
)

// Kumiki is the application as manifests for kumiki.
func (a Application) Kumiki() App {
	app := App{"cue.mod/module.cue": moduleFile}
	kinds := map[string]string{}
	for _, x := range a.artifacts {
		kind, text := "component", a.component(x)
		if x.roles != nil {
			kind, text = "service", a.service(x, kinds)
		}
		kinds[x.name], app[x.name+"/artifact.cue"] = kind, text
	}
	top := a.artifacts[len(a.artifacts)-1].name
	app[Deploy+"/deployment.cue"] = fmt.Sprintf(`package deployment

import (
	k "kumori.systems/kumori:kumori"
%s)

#Deployment: k.#Deployment & {
	name:     "bench"
	artifact: %s.#Artifact
	config: parameter: {
%s	}
}
`, importOf(top, kinds[top]), top, a.config.fields("\t\t", ""))
	return app
}

// Edit is a file of [Application.Kumiki]'s deployment that gives the first of the
// components that number of instances.
func (a Application) Edit(instances int) App {
	artifacts := map[string]artifact{}
	for _, x := range a.artifacts {
		artifacts[x.name] = x
	}
	path := "config: scale: "
	for at := a.artifacts[len(a.artifacts)-1]; at.roles != nil; at = artifacts[at.roles[0].of] {
		path += "detail: " + at.roles[0].name + ": "
	}
	return App{Deploy + "/edit.cue": fmt.Sprintf("package deployment\n\n#Deployment: %shsize: %d\n", path, instances)}
}

func importOf(dir, pkg string) string {
	return fmt.Sprintf("\t%s \"%s/%s@v1:%s\"\n", dir, module, dir, pkg)
}

// component has a client, a server and its parameters in the environment.
func (a Application) component(x artifact) string {
	file := ""
	if a.file {
		file = "\n\t\t\t\tfilesystem: \"/etc/app/config.json\": {data: value: " + a.data(x, "config.parameter", "srv.server.entry.port") + ", format: \"json\"}"
	}
	return fmt.Sprintf(`package component

import k "kumori.systems/kumori:kumori"

#Artifact: k.#Component & {
	ref: name: %[1]q
	description: {
		srv: {
%[5]s			server: entry: port: 8080
		}
		config: {
			parameter: {
%[2]s			}
			scale: hsize: *1 | uint
		}
		code: main: {
			image: tag: "example/%[1]s:1.0.0"
			mapping: {
				env: {
%[3]s				}%[4]s
			}
			size: {cpu: {size: 200, unit: "m"}, mincpu: 50, memory: {size: 64, unit: "M"}}
		}
		size: {bandwidth: {size: 10, unit: "M"}, minbandwidth: 0}
	}
}
`, x.name, x.declaration("\t\t\t\t"), each(x.parameters, func(p int) string {
		return fmt.Sprintf("\t\t\t\t\tP%02d: parameter: \"p%02d\"", p, p)
	}), file, x.client())
}

// data is what a component's file holds: its parameters, or a struct of them and
// the port.
func (a Application) data(x artifact, parameters, port string) string {
	if !a.refers {
		return parameters
	}
	return "{\n\t\t\t\t\tport: " + port + "\n" + each(x.parameters, func(p int) string {
		return fmt.Sprintf("\t\t\t\t\tp%02d: %s.p%02d", p, parameters, p)
	}) + "\t\t\t\t}"
}

// handsOn is the line of a role's config for the service's resilience.
func (a Application) handsOn() string {
	if !a.refers {
		return ""
	}
	return "\t\t\t\tresilience: description.config.resilience\n"
}

// service connects its roles.
func (a Application) service(x artifact, kinds map[string]string) string {
	var body strings.Builder
	for _, r := range x.roles {
		fmt.Fprintf(&body, "\t\trole: %s: {\n\t\t\tartifact: %s.#Artifact\n\t\t\tconfig: {\n", r.name, r.of)
		if r.hsize > 0 {
			fmt.Fprintf(&body, "\t\t\t\tscale: hsize: %d\n", r.hsize)
		}
		body.WriteString(a.handsOn())
		fmt.Fprintf(&body, "\t\t\t\tparameter: {\n%s\t\t\t\t}\n\t\t\t}\n\t\t}\n", r.config.fields("\t\t\t\t\t", "description.config.parameter"))
	}
	body.WriteString(x.connects("_"))
	var imports strings.Builder
	for _, of := range x.parts() {
		imports.WriteString(importOf(of, kinds[of]))
	}
	return fmt.Sprintf(`package service

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
`, imports.String(), x.name, x.declaration("\t\t\t"), body.String())
}

// client declares the client channel.
func (x artifact) client() string {
	if x.silent {
		return ""
	}
	return "\t\t\tclient: next: protocol: \"http\"\n"
}

// connects writes the connectors; facts is what they say about a server.
func (x artifact) connects(facts string) string {
	var b strings.Builder
	for _, c := range x.connectors {
		fmt.Fprintf(&b, "\t\tconnect: %s: {from: %s: \"next\", to: {", c.name, c.from)
		for i, to := range c.to {
			if i > 0 {
				b.WriteString(", ")
			}
			fmt.Fprintf(&b, "%s: entry: %s", to, facts)
		}
		b.WriteString("}}\n")
	}
	return b.String()
}

// parts are the artifacts in the roles, each once.
func (x artifact) parts() []string {
	var out []string
	seen := map[string]bool{}
	for _, r := range x.roles {
		if !seen[r.of] {
			seen[r.of] = true
			out = append(out, r.of)
		}
	}
	return out
}
