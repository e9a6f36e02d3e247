package benchapp

import "fmt"

// Regions are how many labels tell the environments of [Company] apart.
const Regions = 10

// Company is the templates and environments of a company, as manifests for kumiki: each
// template deploys a service of its own, of as many roles over ten components that all
// services share, to all environments. A role has values of its own, and two of the
// service's: one is the environment's, and one that of its region. No two solutions are
// equal.
func Company(templates, environments, roles int) App {
	app := App{}
	for t := range templates {
		a := Usual(roles)
		s := &a.artifacts[len(a.artifacts)-1]
		s.name, s.parameters, a.config = fmt.Sprintf("s%03d", t), 2, literals(0, 0)
		for r := range s.roles {
			config := s.roles[r].config
			config[0], config[1] = &setting{from: true}, &setting{from: true}
			config[2] = &setting{text: literal(2, t)}
		}
		for name, text := range a.Kumiki() {
			app[name] = text
		}
		app[fmt.Sprintf("templates/t%03d.cue", t)] = a.Template(t)
	}
	delete(app, Deploy+"/deployment.cue")
	for e := range environments {
		name := fmt.Sprintf("e%03d", e)
		app["environments/"+name+".cue"] = fmt.Sprintf(`package environment

#Environment: {
	name:      %[1]q
	labels: {stage: %[2]q, region: "r%[3]d"}
	target:    "kubernetes"
	namespace: %[1]q
	config: parameter: {p00: "of %[1]s", p01: "of region %[3]d"}
}
`, name, []string{"dev", "test", "prod"}[e%3], e%Regions)
	}
	return app
}

// Template is a file that deploys the application everywhere. Two numbers give two files:
// a template is changed by another one.
func (a Application) Template(number int) string {
	top := a.artifacts[len(a.artifacts)-1].name
	return fmt.Sprintf(`package template

import %[2]s "%[3]s/%[2]s@v1:service"

#Template: {
	name:         "t%[1]s"
	artifact:     %[2]s.#Artifact
	environments: "stage"
	labels: team: "team%[4]d"
}
`, top[1:], top, module, number)
}
