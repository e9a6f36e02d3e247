package generate

import (
	"fmt"
	"strings"
)

// artifact is a component or service that is being made up.
type artifact struct {
	dir, pkg  string
	id        string // the last part of dir
	main      *source
	more      *source // another file of the package, nil if there is none
	params    []param
	maybe     []variable // other values of its config
	facts     []variable // of its description
	resources []resource
	clients   []channel
	servers   []channel
	duplex    []channel
	tagged    bool // whether the image is a default
	scaled    bool // whether it has a number of instances by itself
	roles     []role
}

type role struct {
	name   string
	of     *artifact
	scaled bool // whether its number of instances is written in the service
	plain  bool // whether its artifact is not refined
}

// channel is a channel of an artifact.
type channel struct{ name, protocol string }

// resource is a resource that an artifact takes.
type resource struct {
	name, kind string
	group      string // of resources that it is in, "" for none
	optional   bool
}

// parameters is the path of config.parameter in the artifact's package.
var parameters = []string{"#Artifact", "description", "config", "parameter"}

func (a *artifact) scope(g *gen) scope {
	s := scope{gen: g, at: a.main.root}
	for _, p := range a.params {
		s.vars = append(s.vars, p.variables(parameters, true)...)
	}
	s.vars = append(s.vars, a.maybe...)
	return s
}

// described is the scope of what may refer to other fields of the description.
func (a *artifact) described(g *gen) scope {
	s := a.scope(g)
	s.vars = append(s.vars, a.facts...)
	return s
}

// start makes the file of an artifact, with its name and parameters.
func (g *gen) start(stem, pkg string) *artifact {
	a := g.begin(stem, pkg)
	g.named(a)
	return a
}

// begin is start for an artifact that says nothing of itself but its name.
func (g *gen) begin(stem, pkg string) *artifact {
	a := &artifact{dir: g.name(stem), pkg: pkg, main: newSource(pkg)}
	a.id = a.dir
	if pkg == "component" && g.parents {
		a.dir = "parts/" + a.dir
	}
	top := a.main.root.at("#Artifact")
	top.say("ref: name: %q", one(g, a.id, a.id, "deep/"+a.id))
	if g.chance(8) {
		g.use("ref without a name")
		top.lines[0] = `ref: name: ""`
	}
	b := top.at("description", "config", "parameter")
	if g.kam {
		b.say(Open)
		top.at("description", "config", "resource").say(Open)
	}
	a.facts = append(a.facts, variable{path: []string{"#Artifact", "ref", "name"}, kind: text, sure: true})
	return a
}

// named says that the artifact is one of the model, as most authors do, and gives
// some of its fields other names.
func (g *gen) named(a *artifact) {
	top := a.main.root.at("#Artifact")
	switch g.IntN(4) {
	case 0, 1:
		g.use("unified with the model")
		k := a.main.importing("k", "kumori.systems/kumori:kumori")
		top.before = k + one(g, ".#Artifact & ", map[string]string{"component": ".#Component & ", "service": ".#Service & "}[a.pkg])
	}
	if g.chance(12) {
		g.use("alias")
		a.main.aliases = oldAlias
		if !g.kam && g.chance(50) {
			g.use("alias by ~")
			a.main.aliases = newAlias
		}
		one(g, top.at("description"), top.at("description", "config"), top.at(parameters[1:]...)).aliased(g.name("X"))
	}
	if g.chance(8) {
		g.use("hidden field of the package")
		a.main.root.say(`_common: {one: *"1" | string, two: 2}`)
		a.facts = append(a.facts, variable{expr: "_common.one", kind: text, sure: true}, variable{expr: "_common.two", kind: number, sure: true})
	}
	if a.pkg == "component" && g.chance(10) {
		g.use("embedded definition")
		a.main.root.say("#Mixin: {description: {code: [string]: {user: {userid: 1000, groupid: 1000}, ...}, ...}, ...}")
		top.say("#Mixin")
	}
}

// declare adds parameters to the artifact.
func (g *gen) declare(a *artifact, params ...param) {
	b := a.main.root.at(parameters...)
	for _, p := range params {
		a.params = append(a.params, p)
		if p.construct != "" {
			g.use(p.construct)
		}
		if p.mark != "" {
			g.use(map[string]string{"?": "optional parameter", "!": "required parameter"}[p.mark])
		}
		if p.kumori {
			a.main.importing("k", "kumori.systems/kumori:kumori")
		}
		if p.local != "" {
			g.library(a.main)
		}
		for _, name := range p.imports {
			a.main.importing(name, name)
		}
		b.say("%s", p.line())
	}
}

// helpers adds other names for the config.
func (g *gen) helpers(a *artifact) {
	places := [][]string{{"#Artifact"}, {"#Artifact", "description"}, {"#Artifact", "description", "code"}}
	if a.pkg == "service" {
		places = places[:2]
	}
	for range g.IntN(3) {
		place, path := one(g, places...), one(g, parameters, parameters[:3], parameters[:2])
		form := one(g, "let %s = %s", "_%s: %s", "#%s: %s")
		lazy := form == "let %s = %s"
		if !lazy && len(path) <= len(place) {
			continue // it would contain itself
		}
		g.use(map[string]string{"let %s = %s": "let", "_%s: %s": "hidden field", "#%s: %s": "definition within an artifact"}[form])
		b, name := a.main.root.at(place...), g.name("h")
		h := &helper{line: fmt.Sprintf(form, name, one(g, b.ways(path)...)), path: path, lazy: lazy}
		h.name, _, _ = strings.Cut(strings.TrimPrefix(h.line, "let "), ":")
		h.name, _, _ = strings.Cut(h.name, " ")
		b.helpers = append(b.helpers, h)
	}
}

// put says the value of a path of the artifact, in a place around it, in one of
// many ways; if it must be there, without a condition. The value is made for the
// place.
func (g *gen) put(a *artifact, s scope, path []string, must bool, value func(scope) string) {
	n := 1 + g.IntN(len(path)-1)
	for n > 1 && path[n-1] == "" {
		n--
	}
	b := a.main.root.at(path[:n]...)
	if a.more != nil && g.chance(30) {
		b = a.more.root.at(path[:n]...)
	}
	s = s.in(b)
	s.within = path[n:]
	rest := strings.Join(mapped(path[n:], label), ": ")
	where := " in " + placeName(path[:n])
	form := g.IntN(14)
	if must && (form == 0 || form == 6 || form == 12) {
		if g.chance(10) {
			g.holes = true
		} else {
			form = 7
		}
	}
	switch form {
	case 0:
		g.use("if", "comprehension"+where)
		b.say("if %s {%s: %s}", s.cond(1), rest, value(s))
	case 1:
		g.use("if", "comprehension"+where)
		c := s.cond(1)
		b.say("if %s {%s: %s}\nif !(%s) {%s: %s}", c, rest, value(s), c, rest, value(s))
	case 2:
		g.use("for", "comprehension"+where)
		b.say("for _ in [1] {%s: %s}", rest, value(s))
	case 3:
		g.use("let", "let"+where)
		name := g.name("l")
		b.say("let %s = %s", name, value(s))
		b.say("%s: %s", rest, name)
	case 4:
		g.use("let in a comprehension", "comprehension"+where)
		name := g.name("l")
		b.say("for _ in [1] let %s = %s {%s: %s}", name, value(s), rest, name)
	case 5:
		g.use("embedded struct")
		b.say("{%s: %s}", rest, value(s))
	case 6, 12:
		if t := s.ref(texts); t != "" {
			g.use("for", "for with if", "comprehension"+where)
			b.say("for i, e in %s if i == 0 {%s: %s}", t, rest, value(s.with(variable{expr: "e", kind: text, sure: true}, variable{expr: "i", kind: number, sure: true})))
			return
		}
		fallthrough
	default:
		b.say("%s: %s", rest, value(s))
	}
}

// placeName is what a place of an artifact is called in the names of constructs.
func placeName(path []string) string {
	if len(path) < 3 {
		return path[len(path)-1]
	}
	switch path[2] {
	case "role":
		return map[bool]string{true: "a role's config", false: "roles"}[len(path) > 4]
	case "code":
		if len(path) > 5 {
			return "mapping"
		}
		return "code"
	}
	return path[2]
}

func mapped(names []string, f func(string) string) []string {
	var out []string
	for _, n := range names {
		out = append(out, f(n))
	}
	return out
}

// finish adds the files of the artifact to the application.
func (g *gen) finish(a *artifact) {
	g.files[a.dir+"/"+a.pkg+".cue"] = a.main.String()
	if a.more != nil && len(a.more.root.inner)+len(a.more.root.lines) > 0 {
		g.use("several files")
		g.files[a.dir+"/more.cue"] = a.more.String()
	}
}

// take declares resources.
func (g *gen) take(a *artifact, resources ...resource) {
	k := a.main.importing("k", "kumori.systems/kumori:kumori")
	b := a.main.root.at("#Artifact", "description", "config", "resource")
	for _, r := range resources {
		a.resources = append(a.resources, r)
		mark := ""
		if r.optional {
			mark = "?"
		}
		in := b
		if r.group != "" {
			in = b.at(r.group)
		}
		in.say("%s%s: %s.#%s", r.name, mark, k, typeOf(r.kind))
	}
}

func typeOf(kind string) string {
	if kind == "ca" {
		return "CA"
	}
	return strings.ToUpper(kind[:1]) + kind[1:]
}

// id is a resource as a deployment gives it.
func (g *gen) id(r resource) string {
	if r.kind == "volume" && g.chance(75) {
		g.use("volatile volume")
		return fmt.Sprintf(`volume: {size: %d, unit: "G"}`, 1+g.IntN(9))
	}
	return fmt.Sprintf("%s: %q", r.kind, one(g, "", "owner/")+g.name("id"))
}
