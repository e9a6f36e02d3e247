package generate

import (
	"fmt"
	"strings"
)

// derive makes up a parameter that refers to others of the same artifact, the
// zero param if there is none that fits.
func (g *gen) derive(a *artifact) param {
	b := a.main.root.at(parameters...)
	s := a.scope(g).in(b)
	p := param{name: g.name("d"), defaulted: true, derived: true, construct: "reference between parameters"}
	p.value = func() string { return one(g, `"given"`, "7", "{}") } // mostly wrong, rarely used
	switch g.IntN(6) {
	case 0:
		p.kind, p.decl = text, fmt.Sprintf(`"http://\(%s):\(%s)"`, oneLine(s.text(0)), s.number(0))
		p.computed = true
	case 1:
		of := g.given(a, text, number, flag, object, anything, texts)
		if of == nil {
			return param{}
		}
		p.kind, p.decl, p.fields = of.kind, s.spell(variable{path: append(parameters[:4:4], of.name)}), of.fields
		p.computed = true
		g.use("copy of another parameter")
	case 2:
		if r := s.ref(number); r != "" {
			p.kind, p.decl = number, one(g, "*%s | int", "*(%s + 1) | int", "*%s | number")
			p.decl = fmt.Sprintf(p.decl, r)
			p.value = func() string { return "11" }
			g.use("default from another parameter")
		}
	case 3:
		if r := s.ref(text); r != "" {
			p.kind, p.decl = text, fmt.Sprintf("*%s | string", r)
			p.value = func() string { return `"other"` }
			g.use("default from another parameter")
		}
	case 4:
		p.kind, p.decl = text, fmt.Sprintf("[if %s {%s}, %s][0]", s.cond(1), s.text(0), s.text(0))
		p.computed = true
		g.use("list indexing")
	case 5:
		if r := s.ref(number); r != "" {
			p.kind, p.decl = number, fmt.Sprintf("*1000000 | >=%s", r)
			p.value = func() string { return "2000000" }
			g.use("bound by another parameter")
		}
	}
	if p.decl == "" || strings.Contains(p.decl, "_|_") {
		return param{}
	}
	return p
}

// given is a parameter of some kind that has a value, nil if there is none.
func (g *gen) given(a *artifact, kinds ...kind) *param {
	for _, i := range g.Perm(len(a.params)) {
		p := &a.params[i]
		for _, k := range kinds {
			if p.kind == k && p.mark != "?" {
				return p
			}
		}
	}
	return nil
}

// conditional declares a parameter that is there under a condition only.
func (g *gen) conditional(a *artifact) {
	b := a.main.root.at(parameters...)
	s := a.scope(g).in(b)
	name := g.name("w")
	decl := one(g, `*"x" | string`, "bool | *true", "*8 | int", `{a: *1 | int}`)
	g.use("if in config")
	switch g.IntN(3) {
	case 0:
		b.say("if %s {%s: %s}", s.cond(1), name, decl)
	case 1:
		config := a.main.root.at(parameters[:3]...)
		config.say("if %s {parameter: %s: %s}", a.scope(g).in(config).cond(1), name, decl)
	case 2:
		desc := a.main.root.at(parameters[:2]...)
		desc.say("if %s {config: parameter: %s: %s}", a.scope(g).in(desc).cond(1), name, decl)
	}
	a.maybe = append(a.maybe, variable{path: append(parameters[:4:4], name), kind: anything})
}

// several declares parameters by a for.
func (g *gen) several(a *artifact) {
	b := a.main.root.at(parameters...)
	g.use("for in config")
	stem := g.name("n")
	b.say(`for n in ["a", "b"] {"%s_\(n)": *80 | int}`, stem)
	for _, n := range []string{"a", "b"} {
		a.maybe = append(a.maybe, variable{path: append(parameters[:4:4], stem+"_"+n), kind: number, sure: true})
	}
}

// holds is a condition that mostly holds.
func (s scope) holds() string {
	if s.slip("a check that fails") {
		return one(s.gen, "1 > 2", `len("ab") == 3`, "false")
	}
	if r := s.ref(number); r != "" && s.chance(50) {
		return r + one(s.gen, " > -1000000", " != 4711")
	}
	if r := s.ref(text); r != "" && s.chance(50) {
		return r + ` != "no such text"`
	}
	if r := s.ref(flag); r != "" && s.chance(50) {
		return fmt.Sprintf("(%s || !%s)", r, r)
	}
	if r := s.ref(texts, table, rows); r != "" {
		return fmt.Sprintf("len(%s) < 50", r)
	}
	return one(s.gen, "1 < 2", "true")
}

// check adds a check across fields, of which nothing comes but a refusal.
func (g *gen) check(b *block, s scope, place string) {
	s = s.in(b)
	g.use("check across fields", "check "+place)
	name := one(g, "_", "#") + g.name("ok")
	switch g.IntN(6) {
	case 0:
		b.say("%s: true & (%s)", name, s.holds())
	case 1:
		b.say("if !(%s) {%s: error(\"no good\")}", s.holds(), name)
	case 2:
		b.say("if !(%s) {%s: _|_}", s.holds(), name)
	case 3:
		b.say("%s: (%s) & true", name, s.holds())
	case 4:
		b.say("%s: {if !(%s) {x: error(\"no good\")}}", name, s.holds())
	case 5:
		b.say("%s: [if %s {true}, error(\"no good\")][0]", name, s.holds())
	}
}
