package generate

import (
	"fmt"
	"regexp"
)

// component makes up a component.
func (g *gen) component() *artifact {
	a := g.start("c", "component")
	if g.chance(25) {
		a.more = newSource("component")
		a.more.root.at("#Artifact", "description")
	}
	for range g.IntN(4) {
		g.declare(a, g.param(0))
	}
	if g.chance(20) {
		g.embedLibrary(a)
	}
	if g.chance(15) {
		g.conditional(a)
	}
	if g.chance(8) {
		g.several(a)
	}
	g.helpers(a)
	for range g.IntN(2) {
		if p := g.derive(a); p.decl != "" {
			g.declare(a, p)
		}
	}
	g.takeSome(a)
	desc := a.main.root.at("#Artifact", "description")
	main := desc.at("code").at("main")
	if g.chance(20) {
		a.scaled = true
		desc.at("config").say("scale: hsize: %s", one(g, "*1 | uint", "*2 | uint"))
	}
	g.channels(a)
	if g.parents {
		g.parent(a)
	}
	g.containers(a, main)
	g.bandwidth(a, desc)
	g.variables(a)
	g.tables(a)
	g.probes(a)
	g.extras(a)
	g.checks(a)
	g.context(a)
	g.finish(a)
	return a
}

// context reads where the component is deployed.
func (g *gen) context(a *artifact) {
	if g.aside.IntN(100) >= 12 {
		return
	}
	g.use("context")
	env := a.main.root.at("#Artifact", "description", "code", "main", "mapping", "env")
	switch name := g.name("CONTEXT"); g.aside.IntN(4) {
	case 0:
		env.say("%s: value: description.config.#context.role", name)
	case 1:
		env.say(`%s: value: "\(description.config.#context.deployment)/\(description.config.#context.path)"`, name)
	case 2:
		env.say(`if description.config.#context.role != "" {%s: value: "a role"}`, name)
	default:
		env.say(`%s: value: [if description.config.#context.path == "" {"alone"}, description.config.#context.path][0]`, name)
	}
}

// takeSome declares resources, and some of its own.
func (g *gen) takeSome(a *artifact) {
	for range g.IntN(3) - 1 {
		kind := one(g, "volume", "secret", "domain", "port", "certificate", "ca")
		g.use("resource", "resource "+kind)
		r := resource{name: g.name("r"), kind: kind, optional: g.chance(10)}
		if g.chance(15) {
			g.use("group of resources")
			r.group = g.name("g")
		}
		g.take(a, r)
	}
	if g.chance(6) {
		g.use("volatile volume in an artifact")
		name := g.name("v")
		a.main.root.at("#Artifact", "description", "config", "resource").say(`%s: volume: {size: 1, unit: "G"}`, name)
		a.main.root.at("#Artifact", "description", "code", "main", "mapping", "filesystem").say("%q: volume: %q", "/"+g.name("v"), name)
	}
	if g.slip("a resource with a default") {
		a.main.root.at("#Artifact", "description", "config", "resource").say(`bad: *{secret: "x"} | {secret: string}`)
	}
}

func (g *gen) containers(a *artifact, main *block) {
	s := a.described(g)
	size := fmt.Sprintf("{cpu: {size: %s, unit: \"m\"}, memory: {size: 64, unit: \"M\"}}", one(g, "100", "250", "0.5"))
	switch g.IntN(6) {
	case 0:
		g.use("pattern over containers")
		a.main.root.at("#Artifact", "description", "code").say("[string]: size: %s", size)
	case 1:
		g.use("definition of the package")
		if !g.slip("a definition that closes a size") {
			size = a.main.importing("k", "kumori.systems/kumori:kumori") + ".#ContainerSize & " + size
		}
		name := a.main.root.define(g, "Size", size)
		main.say("size: %s", name)
	case 2:
		g.use("imported definition")
		main.say("size: %s.#Small", g.library(a.main))
	default:
		main.say("size: %s", size)
	}
	path := []string{"#Artifact", "description", "code", "main", "image", "tag"}
	switch {
	case g.chance(25):
		g.put(a, s, path[:5], true, func(s scope) string { return fmt.Sprintf("{tag: %s}", image(s.text(1))) })
	case g.chance(25):
		a.tagged = true
		main.say("image: tag: *%q | string", "shop/"+a.id+":1.0")
	default:
		main.say("image: tag: %q", "shop/"+a.id+":1.0")
		a.facts = append(a.facts, variable{path: path, kind: text, sure: true})
	}
	if g.chance(20) {
		g.put(a, s, []string{"#Artifact", "description", "code", "main", one(g, "cmd", "entrypoint")}, false, func(s scope) string { return s.list(2) })
	}
	if g.chance(8) && len(main.parent.lines) == 0 {
		g.use("containers by a for")
		code := a.main.root.at("#Artifact", "description", "code")
		list := `["x"]`
		code.say("for c in %s {(c): {image: tag: \"i:c\\(len(c))\", size: {cpu: size: 1, memory: {size: 1, unit: \"M\"}}}}", list)
	}
}

func (g *gen) bandwidth(a *artifact, desc *block) {
	amount := fmt.Sprint(1 + g.IntN(9))
	if g.chance(15) {
		amount = fmt.Sprintf("[if %s {20}, 30][0]", a.scope(g).in(desc).cond(1))
	}
	desc.say("size: bandwidth: {size: %s, unit: %q}", amount, one(g, "M", "G"))
	if g.chance(10) {
		desc.say("profile: {threadability: %s, iopsintensive: %s}", a.scope(g).in(desc).text(1), a.scope(g).in(desc).boolean(1))
	}
	a.facts = append(a.facts, variable{path: []string{"#Artifact", "description", "size", "bandwidth", "size"}, kind: number, sure: true})
}

// portForm is what types look like whose values are ports.
var portForm = regexp.MustCompile(`uint16|<=9\)|65535`)

func (g *gen) channels(a *artifact) {
	b := a.main.root.at("#Artifact", "description", "srv")
	s := a.scope(g).in(b)
	protocol := one(g, "http", "http", "http", "tcp", "grpc")
	for range g.IntN(3) {
		name := g.name("in")
		a.servers = append(a.servers, channel{name, protocol})
		port := "80"
		if p := g.given(a, number); p != nil && portForm.MatchString(p.decl) && g.chance(90) {
			g.use("port from a parameter")
			port = s.spell(variable{path: append(parameters[:4:4], p.name)})
		} else if g.chance(25) {
			port = fmt.Sprintf("[if %s {8080}, 9090][0]", s.cond(1))
			g.use("list indexing")
		}
		b.say("server: %s: {protocol: %q, port: %s}", name, protocol, port)
		a.facts = append(a.facts, variable{path: []string{"#Artifact", "description", "srv", "server", name, "port"}, kind: number, sure: true})
	}
	if g.chance(30) {
		name := g.name("out")
		a.clients = append(a.clients, channel{name, "http"})
		b.say("client: %s: _", name)
	}
	if g.chance(12) {
		g.use("duplex channel")
		name := g.name("both")
		a.duplex = append(a.duplex, channel{name, "tcp"})
		b.say(`duplex: %s: {protocol: "tcp", port: 7000}`, name)
	}
	if g.chance(8) {
		g.use("channel under a condition")
		b.say("if %s {server: %s: port: 81}", s.cond(1), g.name("maybe"))
	}
}

// variables adds environment variables and files.
func (g *gen) variables(a *artifact) {
	s := a.described(g)
	mapping := []string{"#Artifact", "description", "code", "main", "mapping"}
	for range g.IntN(3) {
		g.use("env")
		g.put(a, s, append(mapping[:5:5], "env", g.name("E")), false, func(s scope) string { return "{value: " + s.text(2) + "}" })
	}
	env := a.main.root.at(append(mapping[:5:5], "env")...)
	for _, p := range a.params {
		if p.mark != "?" && g.chance(30) {
			g.use("env of a parameter")
			key := p.name
			if len(p.fields) > 0 && p.fields[0].mark == "" && g.chance(50) {
				key += "." + p.fields[0].name
			}
			env.say("%s: parameter: %q", g.name("P"), key)
		}
	}
	if g.slip("an env of a parameter that is not there") {
		env.say(`BAD: parameter: "nothing"`)
	}
	if g.slip("an env of two kinds") {
		env.say(`BAD: {value: "x", secret: "y"}`)
	}
	for range g.IntN(2) {
		g.use("file of data")
		g.put(a, s, append(mapping[:5:5], "filesystem", "/etc/"+g.name("f")), false, g.file)
	}
	for _, r := range a.resources {
		if r.optional {
			continue
		}
		key := r.name
		if r.group != "" {
			key = r.group + "." + r.name
		}
		if r.kind == "volume" {
			a.main.root.at(append(mapping[:5:5], "filesystem")...).say("%q: volume: %q", "/"+g.name("v"), key)
		} else {
			env.say("%s: %s: %q", g.name("R"), r.kind, key)
		}
	}
}

// file is what lies at a path.
func (g *gen) file(s scope) string {
	switch g.IntN(4) {
	case 0:
		return "{data: value: " + s.text(2) + "}"
	case 1:
		g.use("comprehension in a file")
		var more string
		if t := s.ref(table); t != "" {
			more = fmt.Sprintf("for k, v in %s {\"k_\\(k)\": v}, ", t)
		}
		return fmt.Sprintf("{data: value: {a: %s, %sif %s {b: %s}}, format: %q}", s.text(1), more, s.cond(1), s.number(1), one(g, "json", "yaml"))
	case 2:
		g.use("file of a list")
		return fmt.Sprintf("{data: value: %s, format: \"json\", mode: 0o600}", s.list(2))
	}
	return fmt.Sprintf("{data: value: %s, format: %q}", s.json(2), one(g, "json", "yaml"))
}

// tables adds variables by a for over a table.
func (g *gen) tables(a *artifact) {
	s := a.described(g)
	paths := [][]string{{"#Artifact"}, {"#Artifact", "description"}, {"#Artifact", "description", "code"}, {"#Artifact", "description", "code", "main", "mapping", "env"}}
	rests := []string{"description: code: main: mapping: env: ", "code: main: mapping: env: ", "main: mapping: env: ", ""}
	i := g.IntN(len(paths))
	b := a.main.root.at(paths[i]...)
	s = s.in(b)
	t := s.ref(table)
	if t == "" {
		return
	}
	g.use("for over a table")
	b.say(`for k, v in %s%s {%s"%s_\(k)": value: "\(v)"}`, t, one(g, "", ` if k != "z"`, ` let w = "\(v)!" if w != "!"`), rests[i], g.name("F"))
}

func (g *gen) probes(a *artifact) {
	if len(a.servers) == 0 || !g.chance(12) {
		return
	}
	g.use("probe")
	desc := a.main.root.at("#Artifact", "description")
	port := g.refer(desc, []string{"#Artifact", "description", "srv", "server", a.servers[0].name, "port"})
	desc.say(`probe: main: {liveness: protocol: http: {port: %s, path: "/h"}, readiness: protocol: tcp: port: %s}`, port, port)
}

// checks adds checks at several places.
func (g *gen) checks(a *artifact) {
	if !g.chance(30) {
		return
	}
	places := map[string][]string{
		"in an artifact":    {"#Artifact"},
		"in a description":  {"#Artifact", "description"},
		"beside config":     {"#Artifact", "description", "config"},
		"in parameters":     parameters,
		"beside containers": {"#Artifact", "description", "code"},
	}
	place := one(g, "in an artifact", "in a description", "beside config", "in parameters", "beside containers")
	if a.pkg == "service" && place == "beside containers" {
		return
	}
	g.check(a.main.root.at(places[place]...), a.scope(g), place)
}
