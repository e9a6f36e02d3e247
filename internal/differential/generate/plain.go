package generate

import (
	"fmt"
	"slices"
)

// plain makes up a component as most of them are: some parameters, and variables
// that are those or texts with those in them. Roles have it several times, so that
// the shortcuts for such components are tried beside everything else.
func (g *gen) plain() *artifact {
	a := g.begin("w", "component")
	for range 1 + g.IntN(3) {
		g.declare(a, g.plainParam())
	}
	desc := a.main.root.at("#Artifact", "description")
	desc.say(`size: bandwidth: {size: 10, unit: "M"}`)
	main := desc.at("code").at("main")
	main.say(`size: {cpu: {size: 100, unit: "m"}, memory: {size: 64, unit: "M"}}`)
	main.say("image: tag: %q", "shop/"+a.id+":1.0")
	env := main.at("mapping", "env")
	for _, p := range a.params {
		g.use("env of a parameter")
		env.say("%s: parameter: %q", g.name("P"), p.name)
		if ref := one(g, "", "description.config.parameter.", "config.parameter.") + p.name; g.chance(40) && len(ref) > len(p.name) {
			g.use("env", "interpolation")
			env.say(`%s: value: "%s\(%s)"`, g.name("E"), one(g, "", "http://", "v="), ref)
		}
	}
	port := "8080"
	if p := g.given(a, number); p != nil && p.decl == "*8080 | uint16" {
		g.use("port from a parameter")
		port = "config.parameter." + p.name
	}
	name := g.name("in")
	a.servers = append(a.servers, channel{name, "http"})
	desc.at("srv").say("server: %s: port: %s", name, port)
	g.finish(a)
	return a
}

// plainParam makes up a parameter of the most common forms.
func (g *gen) plainParam() param {
	for {
		p := g.param(2)
		common := []string{"string", `*"info" | "debug" | "warn"`, `*"info" | string`, "int", "*8080 | uint16", "bool", "*false | bool", "uint"}
		if p.mark == "" && isName(p.name) && slices.Contains(common, p.decl) {
			return p
		}
	}
}

// plainApp makes up plain components in a plain service, perhaps within another.
func (g *gen) plainApp() *artifact {
	parts := []*artifact{g.plain()}
	if g.chance(50) {
		parts = append(parts, g.plain())
	}
	top := g.plainService(parts)
	if g.chance(30) {
		g.use("service in a service")
		top = g.plainService([]*artifact{top, top}[:1+g.IntN(2)])
	}
	return top
}

// plainService makes up a service that gives its roles values of its own config,
// texts with those in them and values that are written there.
func (g *gen) plainService(parts []*artifact) *artifact {
	g.use("service")
	a := g.begin("s", "service")
	desc := a.main.root.at("#Artifact", "description")
	for _, part := range slices.Concat(parts, parts[:1]) {
		r := role{name: g.name("r"), of: part, plain: true}
		a.roles = append(a.roles, r)
		b := desc.at("role", r.name)
		b.say("artifact: %s.#Artifact", a.main.importing("i_"+part.id, g.importPath(part)))
		for _, p := range part.params {
			if g.gives(p) {
				b.at("config", "parameter").say("%s: %s", p.name, g.passed(a, p))
			}
		}
		if len(part.servers) > 0 && g.chance(60) {
			in := channel{g.name("in"), "http"}
			a.servers = append(a.servers, in)
			desc.at("srv").say("server: %s: _", in.name)
			desc.at("connect").say("%s: {from: self: %q, to: %s: %s: _}", g.name("k"), in.name, r.name, part.servers[0].name)
		}
	}
	g.finish(a)
	return a
}

// passed is what a plain role gets for a parameter.
func (g *gen) passed(a *artifact, p param) string {
	if g.chance(40) {
		return p.value()
	}
	own := p
	own.name = g.name("q")
	g.declare(a, own)
	g.use("parameter passed on")
	ref := "description.config.parameter." + own.name
	if p.decl == "string" && g.chance(30) {
		g.use("interpolation")
		return fmt.Sprintf(`"a-\(%s)"`, ref)
	}
	return ref
}
