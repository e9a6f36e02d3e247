package benchapp

import (
	_ "embed"
	"fmt"
	"strings"
)

//go:embed unified.cue
var unifiedSchema string

// Unified is the application as plain CUE that spreads config by one
// unification; `cue export` of its deployment does.
func (a Application) Unified() App {
	app := App{"cue.mod/module.cue": moduleFile, "schema/schema.cue": unifiedSchema}
	for _, x := range a.artifacts {
		if x.roles == nil {
			app[x.name+"/artifact.cue"] = a.unifiedComponent(x)
		} else {
			app[x.name+"/artifact.cue"] = a.unifiedService(x)
		}
	}
	top := a.artifacts[len(a.artifacts)-1].name
	app[Deploy+"/deployment.cue"] = fmt.Sprintf(`package deploy

import (
%s%s)

deployment: schema.#Deployment & {
	name:     "bench"
	artifact: %s.#Artifact
	config: parameter: {
%s	}
}
`, importOf("schema", "schema"), importOf(top, top), top, a.config.fields("\t\t", ""))
	return app
}

func (a Application) unifiedComponent(x artifact) string {
	file := ""
	if a.file {
		file = "\n\t\t\tfiles: \"/etc/app/config.json\": {data: " + a.data(x, "config.parameter", "srv.server.entry.port") + ", format: \"json\"}"
	}
	return fmt.Sprintf(`package %[1]s

import (
%[5]s)

#Artifact: schema.#Component & {
	ref: name: %[1]q
	description: {
		srv: {
%[6]s			server: entry: port: 8080
		}
		config: {
			parameter: {
%[2]s			}
			scale: hsize: *1 | uint
		}
		code: main: {
			image: tag: "example/%[1]s:1.0.0"
			env: {
%[3]s			}%[4]s
			size: {cpu: {size: 200, unit: "m"}, mincpu: 50, memory: {size: 64, unit: "M"}}
		}
		size: {bandwidth: {size: 10, unit: "M"}, minbandwidth: 0}
	}
}
`, x.name, x.declaration("\t\t\t\t"), each(x.parameters, func(p int) string {
		return fmt.Sprintf("\t\t\t\tP%02d: \"\\(config.parameter.p%02d)\"", p, p)
	}), file, importOf("schema", "schema"), x.client())
}

// unifiedService leaves what its roles get open: it is unified with what their
// artifacts declare, which says more.
func (a Application) unifiedService(x artifact) string {
	var body strings.Builder
	for _, r := range x.roles {
		fmt.Fprintf(&body, "\t\trole: %s: {\n\t\t\tartifact: %s.#Artifact\n\t\t\tconfig: {\n", r.name, r.of)
		if r.hsize > 0 {
			fmt.Fprintf(&body, "\t\t\t\tscale: hsize: %d\n", r.hsize)
		}
		body.WriteString(a.handsOn())
		fmt.Fprintf(&body, "\t\t\t\tparameter: {\n%s\t\t\t\t\t...\n\t\t\t\t}\n\t\t\t}\n\t\t}\n", r.config.fields("\t\t\t\t\t", "description.config.parameter"))
	}
	body.WriteString(x.connects("{}"))
	imports := importOf("schema", "schema")
	for _, of := range x.parts() {
		imports += importOf(of, of)
	}
	return fmt.Sprintf(`package %[1]s

import (
%[2]s)

#Artifact: schema.#Service & {
	ref: name: %[1]q
	description: {
		srv: {}
		config: parameter: {
%[3]s		}
%[4]s	}
}
`, x.name, imports, x.declaration("\t\t\t"), body.String())
}
