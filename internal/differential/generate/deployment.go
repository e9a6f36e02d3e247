package generate

import (
	"fmt"
	"slices"
	"strings"
)

// app makes up the application.
func (g *gen) app() {
	g.kam, g.parents = g.chance(15), g.chance(10)
	g.module()
	if g.chance(20) {
		g.deployment(g.plainApp())
		return
	}
	var parts []*artifact
	for range one(g, 1, 1, 1, 1, 1, 2, 2, 3) {
		parts = append(parts, g.component())
	}
	if g.chance(60) {
		w := g.plain()
		parts = append(parts, slices.Repeat([]*artifact{w}, 2+g.IntN(2))...)
	}
	top := parts[0]
	if len(parts) > 1 || g.chance(35) {
		g.use("service")
		top = g.service(parts)
		for depth := 1; depth < 3 && g.chance(20); depth++ {
			g.use("service in a service")
			top = g.service([]*artifact{top})
		}
	}
	g.deployment(top)
}

// module is the path of every application's module.
const module = "kumiki.example/app"

func (g *gen) module() {
	g.files["cue.mod/module.cue"] = fmt.Sprintf("module: %q\nlanguage: version: \"v0.17.0\"\n", module+"@v1")
	if g.kam {
		g.use("kam style")
		g.generated = g.chance(50)
	}
}

// importPath is how other packages import an artifact.
func (g *gen) importPath(a *artifact) string { return module + "/" + a.dir + ":" + a.pkg }

func (g *gen) inboundPath() string { return "kumori.systems/builtins/inbound:service" }

func (g *gen) deployment(top *artifact) {
	f := newSource("deployment")
	b := f.root.at("#Deployment")
	if g.chance(30) {
		b.before = f.importing("k", "kumori.systems/kumori:kumori") + ".#Deployment & "
	}
	b.say("name: %q", "d")
	b.say("artifact: %s.#Artifact", f.importing("top", g.importPath(top)))
	config := b.at("config")
	for _, p := range top.params {
		if g.gives(p) {
			g.assign(config, p)
		}
	}
	for _, v := range top.maybe {
		if g.chance(8) {
			config.at("parameter").say("%s: %s", label(v.path[4]), one(g, `"y"`, "9"))
		}
	}
	if g.slip("an undeclared field") {
		config.at("parameter").say("undeclared: 1")
	}
	for _, r := range top.resources {
		if !r.optional || g.chance(50) {
			to := config.at("resource")
			if r.group != "" {
				to = to.at(r.group)
			}
			to.say("%s: %s", r.name, g.id(r))
		}
	}
	if scale := g.scale(top); scale != "" {
		g.scales(config, scale)
	}
	if g.chance(20) {
		config.say("resilience: %d", g.IntN(3))
	}
	if g.chance(15) {
		g.use("meta of a deployment")
		b.say(`meta: {team: "x", n: [1, 2.50]}`)
	}
	if g.chance(10) {
		g.use("up")
		b.say("up: %s", one(g, `"other"`, "null"))
	}
	if g.chance(10) {
		b.at("config", "parameter")
		g.check(one(g, b, config), scope{gen: g, at: b}, "in a deployment")
	}
	if g.slip("an unknown field of the deployment") {
		b.say("nmae: \"x\"")
	}
	g.files["deploy/deployment.cue"] = f.String()
}

// assign gives a parameter its value: in the manifest, in a file of values, or
// by --set.
func (g *gen) assign(config *block, p param) {
	value := p.value()
	if from := g.from(p); from != "" {
		value = from
	}
	switch n := g.IntN(24); {
	case n == 0 && !strings.ContainsAny(value, "\n"):
		g.use("--set")
		if s := strings.Trim(value, `"`); g.chance(50) && !strings.ContainsAny(s, `"\`) {
			value = s
		}
		g.sets = append(g.sets, fmt.Sprintf("config.parameter.%s=%s", label(p.name), value))
	case n == 1:
		g.use("file of values")
		g.values = append(g.values, Values{g.name("values") + ".cue", fmt.Sprintf("config: parameter: %s: %s\n", label(p.name), value)})
	case n == 2:
		g.use("--set")
		config.at("parameter").say("%s: *%s | _", label(p.name), value)
		g.sets = append(g.sets, fmt.Sprintf("config.parameter.%s=%s", label(p.name), p.value()))
	case n > 3 && n < 9:
		g.builds(config.parent, p.name, value)
	case n > 8 && n < 14 && yaml(p.name, value) != "":
		g.use("file of values", "YAML")
		g.values = append(g.values, Values{g.name("values") + ".yaml", yaml(p.name, value)})
	case n == 3:
		g.use("let")
		config.say("let v_%s = %s", g.name("l"), value)
		line := config.lines[len(config.lines)-1]
		config.at("parameter").say("%s: %s", label(p.name), strings.Fields(line)[1])
	default:
		config.at("parameter").say("%s: %s", label(p.name), value)
	}
}

// scales says how many instances run.
func (g *gen) scales(config *block, scale string) {
	switch g.IntN(12) {
	case 0:
		g.use("file of values")
		text := "config: {scale: {" + scale + "}}\n"
		if json := jsonOf(scale); json != "" {
			g.values = append(g.values, Values{g.name("values") + ".json", json})
			return
		}
		g.values = append(g.values, Values{g.name("values") + ".cue", text})
	default:
		config.say("scale: {%s}", scale)
	}
}

// jsonOf writes the scale of a component as a file of values.
func jsonOf(scale string) string {
	n, ok := strings.CutPrefix(scale, "hsize: ")
	if !ok || strings.Contains(n, ",") {
		return ""
	}
	return fmt.Sprintf(`{"config": {"scale": {"hsize": %s}}}`, n)
}

// scale is the scale of an artifact, "" for nothing.
func (g *gen) scale(a *artifact) string {
	if a.pkg == "component" {
		if a.scaled && g.chance(50) || g.slip("no hsize") {
			return ""
		}
		if g.chance(5) {
			g.use("qos")
			return fmt.Sprintf("hsize: %d, qos: {load: 10}", 1+g.IntN(3))
		}
		return fmt.Sprintf("hsize: %d", 1+g.IntN(3))
	}
	var detail []string
	for _, r := range a.roles {
		if r.scaled && !g.slip("another number of instances") {
			continue
		}
		if s := g.scale(r.of); s != "" {
			detail = append(detail, label(r.name)+": {"+s+"}")
		}
	}
	if g.slip("scale of a role that is not there") {
		detail = append(detail, "nobody: hsize: 1")
	}
	if len(detail) == 0 {
		return ""
	}
	return "detail: {" + strings.Join(detail, ", ") + "}"
}
