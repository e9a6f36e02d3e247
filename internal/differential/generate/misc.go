package generate

import (
	"fmt"
	"regexp"
)

// extras adds to a component what is met now and then.
func (g *gen) extras(a *artifact) {
	desc := a.main.root.at("#Artifact", "description")
	env := desc.at("code", "main", "mapping", "env")
	s := a.described(g)
	if g.chance(60) {
		g.optionals(a)
	}
	if r := s.in(env).ref(text); r != "" && g.chance(8) {
		g.use("label of an expression")
		env.say(`"L_\(%s)": value: "x"`, r)
	}
	if g.chance(8) {
		g.use("definition as a function")
		env.say("%s: value: (%s.#Join & {in: %s}).out", g.name("J"), g.library(a.main), s.in(env).list(1))
	}
	if g.chance(8) {
		g.use("size as a parameter")
		name := g.name("size")
		k := a.main.importing("k", "kumori.systems/kumori:kumori")
		g.declare(a, param{name: name, kind: anything, decl: k + ".#ContainerSize", construct: "size as a parameter", kumori: true,
			value: func() string {
				return one(g, `{cpu: {size: 1}, memory: {size: 1, unit: "G"}}`, `{cpu: {size: 500, unit: "m"}, memory: {size: 64, unit: "Mi"}, mincpu: 10}`)
			}})
		desc.at("code").say(`side: {image: tag: "side:1", size: config.parameter.%s}`, name)
	}
	if g.chance(5) {
		g.use("container of another name")
		desc.at("code", "main").say(`name: "other"`)
	}
	if g.chance(5) {
		g.use("secret of a registry")
		g.take(a, resource{name: g.name("r"), kind: "secret"})
		desc.at("code", "main").say(`image: hub: {name: "hub.example", secret: %q}`, a.resources[len(a.resources)-1].name)
	}
	if g.chance(6) && !g.generated { // the vendor's files leave no choice
		g.use("own version in ref")
		a.main.root.at("#Artifact").say("ref: version: [7, 8, 9]\nspec: [1, 0, 3]")
	}
	if g.slip("a minimum above its size") {
		desc.at("code", "main").say("size: mincpu: 9999")
	}
}

// optionals uses parameters that need not be there where they are.
func (g *gen) optionals(a *artifact) {
	for _, p := range a.params {
		if p.mark != "?" || p.kind != text && p.kind != number {
			continue
		}
		desc := a.main.root.at("#Artifact", "description")
		ref := g.refer(desc, append(parameters[:4:4], p.name))
		g.use("optional parameter where it is given")
		value := fmt.Sprintf(`"\(%s)"`, ref)
		if g.slip("an optional parameter that is taken for granted") {
			desc.say("code: main: mapping: env: %s: value: %s", g.name("O"), value)
			continue
		}
		desc.say("if %s != _|_ {code: main: mapping: env: %s: value: %s}", ref, g.name("O"), value)
	}
}

// parent puts a file of all components into the directory above theirs.
func (g *gen) parent(a *artifact) {
	g.use("package in a parent directory")
	g.files["parts/shared.cue"] = "package component\n\n_shared: {region: *\"eu\" | string, count: 3}\n\n#Named: {name: string, text: \"<\\(name)>\"}\n"
	a.facts = append(a.facts, variable{expr: "_shared.region", kind: text, sure: true}, variable{expr: "_shared.count", kind: number, sure: true})
	if g.chance(50) {
		a.main.root.at("#Artifact", "description", "code", "main", "mapping", "env").say(`SHARED: value: (#Named & {name: "n"}).text`)
	}
}

// builds says a parameter of the deployment in another way than by a field.
func (g *gen) builds(b *block, name, value string) {
	config := b.at("config", "parameter")
	switch g.IntN(4) {
	case 0:
		g.use("for in a deployment")
		b.say("for k, v in {%s: %s} {config: parameter: (k): v}", label(name), value)
	case 1:
		g.use("if in a deployment")
		config.say("if len(\"ab\") == 2 {%s: %s}", label(name), value)
	case 2:
		g.use("hidden field of a deployment")
		hidden := "_" + g.name("v")
		b.say("%s: %s", hidden, value)
		config.say("%s: %s", label(name), hidden)
	case 3:
		g.use("definition of a deployment's package")
		definition := b.file.root.define(g, "Value", value)
		config.say("%s: %s", label(name), definition)
	}
}

// yamlForm is what means the same in CUE and YAML.
var yamlForm = regexp.MustCompile(`^("[a-z ]+"|[1-9][0-9]*(\.[1-9])?|true|false|\["[a-z]+"\]|\[\])$`)

// yaml writes a value of the deployment as a file of values, "" if it is none that
// is written alike in CUE and YAML.
func yaml(name, value string) string {
	if !yamlForm.MatchString(value) {
		return ""
	}
	return fmt.Sprintf("config:\n  parameter:\n    %q: %s\n", name, value)
}

// from is a reference to a value of another deployment that the parameter takes,
// "" for none.
func (g *gen) from(p param) string {
	field := map[string]string{"string": "host", `*"info" | string`: "host", "int": "port", "*8080 | uint16": "port", "_": "more"}[p.decl]
	if field == "" || !g.chance(35) {
		return ""
	}
	g.use("value of another deployment")
	g.files["other/deployment.cue"] = otherText
	g.files["o1/component.cue"] = otherComponent
	if g.slip("a value of another deployment that is not there") {
		field += "x"
	}
	return fmt.Sprintf(`{$from: "o", field: "config.parameter.%s"}`, field)
}

const otherText = `package deployment

import o "` + module + `/o1:component"

#Deployment: {
	name:     "o"
	artifact: o.#Artifact
	config: {
		parameter: port: 81
		scale: hsize: 1
	}
}
`

const otherComponent = `package component

#Artifact: {
	ref: name: "o1"
	description: {
		config: parameter: {
			host: *"the host" | string
			port: *80 | uint16
			more: {a: [1, 2.50], b: "x"}
		}
		code: main: {image: tag: "o:1", size: {cpu: size: 1, memory: {size: 1, unit: "M"}}}
		size: bandwidth: {size: 1, unit: "M"}
	}
}
`
