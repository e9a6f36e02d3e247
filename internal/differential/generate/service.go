package generate

import (
	"fmt"
	"strings"
)

// service makes up a service of artifacts.
func (g *gen) service(parts []*artifact) *artifact {
	a := g.start("s", "service")
	if g.chance(25) {
		a.more = newSource("service")
		a.more.root.at("#Artifact", "description")
	}
	for range g.IntN(3) {
		g.declare(a, g.param(0))
	}
	g.helpers(a)
	if g.chance(30) {
		if p := g.derive(a); p.decl != "" {
			g.declare(a, p)
		}
	}
	for _, part := range parts {
		g.role(a, part)
	}
	if g.chance(30) && parts[0].pkg == "component" && parts[0].isModest() {
		g.rolesByFor(a, parts[0])
	}
	if g.chance(12) && !g.kam {
		g.inline(a)
	}
	g.inbound(a)
	g.connect(a)
	g.stubs(a)
	g.checks(a)
	g.finish(a)
	return a
}

// role adds a role, which gets what it needs in one way or another.
func (g *gen) role(a *artifact, part *artifact) {
	r := role{name: g.name("r"), of: part, scaled: part.pkg == "component" && !part.scaled && g.chance(15)}
	if g.chance(6) {
		g.use("quoted name of a role")
		r.name = strings.Replace(r.name, "r", "r-", 1)
	}
	name := a.main.importing("i_"+part.id, g.importPath(part))
	path := []string{"#Artifact", "description", "role", r.name}
	b := a.main.root.at(path...)
	b.at("config") // it hides the service's own
	more := g.refined(a, b, part)
	b.say("artifact: %s.#Artifact%s", name, more)
	r.plain = more == ""
	a.roles = append(a.roles, r)
	for _, p := range part.params {
		if g.gives(p) {
			g.pass(a, p, append(path[:4:4], "config", "parameter", p.name))
		}
	}
	if g.slip("an undeclared field in a role") {
		b.at("config", "parameter").say("undeclared: 1")
	}
	for _, res := range part.resources {
		own := res
		own.name, own.group = g.name("r"), ""
		g.take(a, own)
		if own.optional {
			continue
		}
		to := b.at("config", "resource")
		if res.group != "" {
			to = to.at(res.group)
		}
		to.say("%s: description.config.resource.%s", res.name, own.name)
	}
	if g.chance(30) {
		g.use("resilience passed on")
		b.at("config").say("resilience: description.config.resilience")
	}
	if g.chance(20) {
		g.use("meta of a role")
		b.say("meta: x: %s", a.scope(g).in(b).text(1))
	}
	if g.chance(10) {
		g.check(b, a.scope(g), "in a role")
	}
	if r.scaled {
		g.use("scale in a role")
		b.at("config").say("scale: hsize: %s", one(g, "1", "*2 | uint"))
	}
}

// pass gives a parameter of a role a value: one of the service's own, the result
// of an expression, or one that is written there.
func (g *gen) pass(a *artifact, p param, path []string) {
	if g.chance(40) && p.mark != "?" && !p.derived {
		own := p
		own.name = g.name("q")
		g.declare(a, own)
		g.use("parameter passed on")
		g.put(a, a.scope(g), path, true, func(s scope) string { return s.spell(variable{path: append(parameters[:4:4], own.name)}) })
		return
	}
	g.put(a, a.scope(g), path, !p.defaulted, func(s scope) string {
		switch {
		case p.decl == "string" && s.chance(60):
			return s.text(2)
		case p.decl == "bool" && s.chance(60):
			return s.boolean(1)
		case p.kind == texts && strings.HasPrefix(p.decl, "[...string]") && s.chance(30):
			return s.list(1)
		case p.kind == table && s.chance(30):
			g.use("comprehension in a role's config")
			return fmt.Sprintf("{a: \"1\", if %s {b: \"2\"}}", s.cond(1))
		}
		return p.value()
	})
}

// refined is what a role adds to an artifact, "" for nothing.
func (g *gen) refined(a *artifact, b *block, part *artifact) string {
	if part.pkg != "component" || !g.chance(12) {
		return ""
	}
	g.use("refined artifact")
	s := a.scope(g).in(b)
	s.within = []string{"artifact", "description", "code"}
	if part.tagged && g.chance(60) {
		return fmt.Sprintf(" & {description: code: main: image: tag: %s}", one(g, `"other:2"`, image(s.text(1))))
	}
	for _, p := range part.params {
		if p.defaulted && !p.computed && g.chance(50) {
			return fmt.Sprintf(" & {description: config: parameter: %s: %s}", label(p.name), p.value())
		}
	}
	return fmt.Sprintf(" & {description: code: main: mapping: env: %s: value: %s}", g.name("X"), s.text(1))
}

// image is the tag of an image that is made of a text, whatever that is.
func image(text string) string { return fmt.Sprintf("\"i:t\" + \"\\(len(%s))\"", text) }

// isModest reports whether the artifact needs no config.
func (a *artifact) isModest() bool {
	for _, p := range a.params {
		if p.needed() {
			return false
		}
	}
	return len(a.resources) == 0
}

// rolesByFor adds roles by a comprehension.
func (g *gen) rolesByFor(a, part *artifact) {
	g.use("roles by a for")
	name := a.main.importing("i_"+part.id, g.importPath(part))
	stem := g.name("f")
	desc := a.main.root.at("#Artifact", "description")
	if g.chance(50) {
		desc.say(`for n, h in {a: 1, b: 2} {role: "%s\(n)": {artifact: %s.#Artifact, config: scale: hsize: h}}`, stem, name)
		return
	}
	s := a.scope(g).in(desc)
	desc.say(`if %s {role: %s: {artifact: %s.#Artifact, config: scale: hsize: 1}}`, s.cond(1), stem, name)
}

// inline adds a role whose artifact is written out there.
func (g *gen) inline(a *artifact) {
	g.use("artifact written out in a role")
	k := a.main.importing("k", "kumori.systems/kumori:kumori")
	b := a.main.root.at("#Artifact", "description", "role", g.name("r"))
	b.at("config").at("parameter")
	s := a.scope(g).in(b)
	b.at("config").say("scale: hsize: 1")
	b.at("config", "parameter").say("v: %s", s.in(b.at("config", "parameter")).text(1))
	s.within = []string{"artifact", "description", "config", "code"}
	b.say(`artifact: %s.#Component & {
	spec: [1, 0]
	ref: {domain: "d", module: "m", version: [1, 0, 0], name: "inline"}
	description: {
		config: parameter: v: string
		code: main: {
			image: tag: %s
			mapping: env: V: value: config.parameter.v
			size: {cpu: size: 1, memory: {size: 1, unit: "M"}}
		}
		size: bandwidth: {size: 1, unit: "M"}
	}
}`, k, image(s.text(1)))
}

// stubs has the service read what the artifacts of its roles say.
func (g *gen) stubs(a *artifact) {
	if !g.chance(35) {
		return
	}
	r := one(g, a.roles...)
	desc := a.main.root.at("#Artifact", "description")
	target := desc.at("role", one(g, a.roles...).name)
	n := one(g, 0, 1, 1, 2, 3, 3, 4, 4)
	if n%2 == 1 && target.label == r.name {
		n = 2 // CUE 0.17 takes the role's artifact for closed to its own config
	}
	switch n {
	case 0:
		g.use("artifact of a role, by a let")
		desc.lines = append([]string{fmt.Sprintf("let A = description.role.%s.artifact", label(r.name))}, desc.lines...)
		target.say("meta: of: A.ref.name")
	case 1:
		if !r.plain {
			return // CUE 0.17 cannot tell the ref of a refined artifact then
		}
		g.use("artifact of a role, by a let", "if on the artifact of a role")
		desc.lines = append([]string{fmt.Sprintf("let A = description.role.%s.artifact", label(r.name))}, desc.lines...)
		desc.say(`if A.ref.name != _|_ {role: %s: meta: named: true}`, label(target.label))
	case 2:
		g.use("artifact of a role, directly")
		target.say("meta: kind: description.role.%s.artifact.ref.kind", label(r.name))
	case 4:
		g.use("for over the roles")
		desc.say(`for n, r in description.role {role: (n): meta: me: n}`)
	case 3:
		if !r.plain {
			return
		}
		g.use("artifact of a role, directly", "if on the artifact of a role")
		desc.say(`if description.role.%s.artifact.description.srv.server.in1 != _|_ {role: %s: meta: has: true}`, label(r.name), label(target.label))
	}
}
