package generate

import "fmt"

// define adds a definition to the package, and returns its name.
func (b *block) define(g *gen, stem, value string) string {
	name := "#" + g.name(stem)
	b.say("%s: %s", name, value)
	return name
}

// library is the name, in a file, of the package with definitions that several
// packages use.
func (g *gen) library(s *source) string {
	g.files["lib/lib.cue"] = libraryText
	return s.importing("lib", module+"/lib:lib")
}

const libraryText = `package lib

import (
	"strings"
	k "kumori.systems/kumori:kumori"
)

#Word: string & strings.MaxRunes(40)

#Port: *8080 | uint16

#Endpoint: {
	host: string
	port: #Port
	url:  "http://\(host):\(port)"
}

#Small: k.#ContainerSize & {cpu: {size: 10, unit: "m"}, memory: {size: 10, unit: "M"}}

// #Base is what most components begin with.
#Base: k.#Component & {
	description: {
		code: [string]: image: hub: name: "hub.example"
		profile: {threadability: string, ...}
		...
	}
}

// #Common is embedded in parameters.
#Common: {
	trace:  *false | bool
	region: *"eu" | "us"
	...
}

#Join: {
	in: [...string]
	out: strings.Join(in, "+")
}
`

// embedLibrary lets the artifact begin with something of the library.
func (g *gen) embedLibrary(a *artifact) {
	switch g.IntN(4) {
	case 0:
		g.use("base of an artifact")
		a.main.root.say("#Artifact: %s.#Base", g.library(a.main))
	case 1:
		g.use("embedded definition")
		b := a.main.root.at(parameters...)
		b.say("%s.#Common", g.library(a.main))
		a.params = append(a.params,
			param{name: "trace", kind: flag, decl: "*false | bool", defaulted: true, value: func() string { return "true" }},
			param{name: "region", kind: text, decl: `*"eu" | "us"`, defaulted: true, value: func() string { return `"us"` }})
	case 2:
		g.use("imported definition")
		lib := g.library(a.main)
		host := param{name: "host", kind: text, decl: "string"}
		port := param{name: "port", kind: number, decl: "uint16", defaulted: true}
		g.declare(a, param{name: g.name("p"), kind: object, decl: lib + ".#Endpoint", fields: []param{host, port, {name: "url", kind: text, defaulted: true, computed: true}}, construct: "imported definition",
			value: func() string { return one(g, `{host: "h"}`, `{host: "h", port: 81}`) }, local: "lib"})
	case 3:
		g.use("imported definition")
		g.declare(a, param{name: g.name("p"), kind: text, decl: g.library(a.main) + ".#Word", value: func() string { return fmt.Sprintf("%q", g.name("w")) }, local: "lib"})
	}
}
