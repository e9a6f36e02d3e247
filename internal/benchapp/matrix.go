package benchapp

import (
	"fmt"
	"strings"
)

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

// Chart is a Helm chart that makes, for as many roles, the kinds of objects that kumiki makes
// of a solution of [Company].
func Chart(roles int) App {
	return App{
		"Chart.yaml":  "apiVersion: v2\nname: app\nversion: 1.0.0\n",
		"values.yaml": chartValues(roles),
		"templates/all.yaml": `{{- range $name, $role := .Values.roles }}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: "{{ $.Release.Name }}-{{ $name }}", labels: {app: {{ $name | quote }}, release: {{ $.Release.Name | quote }}}}
automountServiceAccountToken: false
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ $.Release.Name }}-{{ $name }}", labels: {app: {{ $name | quote }}, release: {{ $.Release.Name | quote }}}}
data:
  config.json: {{ $role.parameters | toJson | quote }}
---
apiVersion: v1
kind: Service
metadata: {name: "{{ $.Release.Name }}-{{ $name }}", labels: {app: {{ $name | quote }}, release: {{ $.Release.Name | quote }}}}
spec:
  selector: {app: {{ $name | quote }}, release: {{ $.Release.Name | quote }}}
  ports: [{name: http, port: 80, targetPort: {{ $role.port }}}]
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: "{{ $.Release.Name }}-{{ $name }}"}
spec:
  podSelector: {matchLabels: {app: {{ $name | quote }}}}
  ingress: [{from: [{podSelector: {matchLabels: {app: {{ $role.from | quote }}}}}], ports: [{port: {{ $role.port }}}]}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ $.Release.Name }}-{{ $name }}", labels: {app: {{ $name | quote }}, release: {{ $.Release.Name | quote }}}}
spec:
  replicas: {{ $role.replicas }}
  selector: {matchLabels: {app: {{ $name | quote }}}}
  template:
    metadata: {labels: {app: {{ $name | quote }}}}
    spec:
      serviceAccountName: "{{ $.Release.Name }}-{{ $name }}"
      containers:
      - name: main
        image: {{ $role.image | quote }}
        ports: [{containerPort: {{ $role.port }}}]
        env:
        - {name: P00, value: {{ $.Values.p00 | default "" | quote }}}
        {{- range $key, $value := $role.parameters }}
        - {name: {{ $key | upper | quote }}, value: {{ $value | quote }}}
        {{- end }}
        resources: {requests: {cpu: 50m, memory: 64M}, limits: {cpu: 200m, memory: 64M}}
        volumeMounts: [{name: config, mountPath: /etc/app}]
      volumes: [{name: config, configMap: {name: "{{ $.Release.Name }}-{{ $name }}"}}]
{{- end }}
`,
	}
}

// chartValues are the roles of a chart.
func chartValues(roles int) string {
	var b strings.Builder
	b.WriteString("roles:\n")
	for r := range roles {
		fmt.Fprintf(&b, "  %s:\n    image: example/c%d:1.0.0\n    port: 8080\n    replicas: %d\n    from: %s\n    parameters:\n", roleName(r), r%10, 1+r%3, roleName((r+roles-1)%roles))
		for p := 1; p < parameters; p++ {
			fmt.Fprintf(&b, "      p%02d: %s\n", p, literal(p, r))
		}
	}
	return b.String()
}
