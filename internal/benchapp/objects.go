package benchapp

import (
	"fmt"
	"strings"
)

// Objects is the application as a team writes it that makes Kubernetes objects
// by plain CUE: a package for each component with a closed #Config and five
// objects for each role. `cue export -e stream --out text` of its deployment
// prints them.
func (a Application) Objects() App {
	app := App{"cue.mod/module.cue": moduleFile}
	for _, x := range a.artifacts {
		if x.roles == nil {
			app[x.name+"/artifact.cue"] = a.objectsOfComponent(x)
		} else {
			app[x.name+"/artifact.cue"] = x.objectsOfService()
		}
	}
	top := a.artifacts[len(a.artifacts)-1].name
	app[Deploy+"/deployment.cue"] = fmt.Sprintf(`package deploy

import (
	"encoding/yaml"

%s)

deployment: %s.#Role & {
	name: "bench"
	config: {
%s	}
}

stream: yaml.MarshalStream(deployment.objects)
`, importOf(top, top), top, a.config.fields("\t\t", ""))
	return app
}

// objectsOfService is the roles of a service, and their objects.
func (x artifact) objectsOfService() string {
	var imports, body strings.Builder
	if x.handsDown() {
		body.WriteString("\tlet C = config\n")
	}
	for _, of := range x.parts() {
		imports.WriteString(importOf(of, of))
	}
	for _, r := range x.roles {
		fmt.Fprintf(&body, "\trole: %[1]s: %[2]s.#Role & {\n\t\tname: \"\\(N)-%[1]s\"\n", r.name, r.of)
		if r.hsize > 0 {
			fmt.Fprintf(&body, "\t\treplicas: %d\n", r.hsize)
		}
		fmt.Fprintf(&body, "\t\tconfig: {\n%s\t\t}\n\t}\n", r.config.fields("\t\t\t", "C"))
	}
	return fmt.Sprintf(`package %s

import (
%s)

#Config: {
%s}

#Role: {
	name:   string
	config: #Config
	let N = name
%s	objects: [for r in role for o in r.objects {o}]
}
`, x.name, imports.String(), x.declaration("\t"), body.String())
}

// objectsOfComponent are a ServiceAccount, a ConfigMap, a Deployment, a Service
// and a NetworkPolicy.
func (a Application) objectsOfComponent(x artifact) string {
	return fmt.Sprintf(`package %[1]s

import "encoding/json"

#Config: {
%[2]s}

#Role: {
	name:     string
	replicas: *1 | (int & >=0)
	config:   #Config
	let N = name
	let C = config
	let L = {"app.kubernetes.io/name": N, "app.kubernetes.io/part-of": "bench", "app.kubernetes.io/component": %[1]q}
	objects: [
		{apiVersion: "v1", kind: "ServiceAccount", metadata: {name: N, labels: L}, automountServiceAccountToken: false},
		{apiVersion: "v1", kind: "ConfigMap", metadata: {name: N, labels: L}, data: "config.json": json.Marshal(%[4]s)},
		{
			apiVersion: "apps/v1"
			kind:       "Deployment"
			metadata: {name: N, labels: L}
			spec: {
				"replicas": replicas
				selector: matchLabels: L
				template: {
					metadata: labels: L
					spec: {
						serviceAccountName: N
						containers: [{
							name:  "main"
							image: "example/%[1]s:1.0.0"
							env: [
%[3]s							]
							ports: [{name: "entry", containerPort: 8080}]
							resources: {requests: {cpu: "50m", memory: "64M"}, limits: {cpu: "200m", memory: "64M"}}
							volumeMounts: [{name: "config", mountPath: "/etc/app"}]
						}]
						volumes: [{name: "config", configMap: name: N}]
					}
				}
			}
		},
		{
			apiVersion: "v1", kind: "Service", metadata: {name: N, labels: L}
			spec: {selector: L, ports: [{name: "entry", port: 80, targetPort: "entry"}]}
		},
		{
			apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy", metadata: {name: N, labels: L}
			spec: {
				podSelector: matchLabels: L
				policyTypes: ["Ingress"]
				ingress: [{from: [{podSelector: matchLabels: "app.kubernetes.io/part-of": "bench"}], ports: [{port: 8080}]}]
			}
		},
	]
}
`, x.name, x.declaration("\t"), each(x.parameters, func(p int) string {
		return fmt.Sprintf("\t\t\t\t\t\t\t\t{name: \"P%02d\", value: \"\\(C.p%02d)\"},", p, p)
	}), a.data(x, "C", "8080"))
}
