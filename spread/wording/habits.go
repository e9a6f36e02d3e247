package wording

import (
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
)

// called is the field that a name stands for: one that comes near, or the one that other
// tools call so.
func called(name string, names []string) (string, bool) {
	if near, ok := diag.Nearest(name, names); ok {
		return near, true
	}
	return oursOf(synonyms, name, names)
}

// oursOf is the first of some names that a table has for a word of other tools.
func oursOf(table, word string, names []string) (string, bool) {
	for line := range strings.Lines(table) {
		ours, theirs, _ := strings.Cut(line, ":")
		if !filter.Contains(strings.Fields(theirs), strings.ToLower(word)) {
			continue
		}
		for _, x := range strings.Fields(ours) {
			if filter.Contains(names, x) {
				return x, true
			}
		}
	}
	return "", false
}

// synonyms are fields that the model has, and what other tools call them, in small letters: the
// first that a struct has is meant.
const synonyms = `
config: spec settings
config parameter: values inputs properties
parameter: params vars variables variable key
cmd: args
meta: metadata
artifact: service component module chart use type
artifact from: source
role: services components
code: containers container initcontainers
srv: channels endpoints
connect: links connections
filesystem: volumemounts files
filesystem resource: volumes
env: environment envfrom
entrypoint: command
resource: secrets
cpu: cores
memory: ram mem
hsize: replicas instances count minreplicas
userid: runasuser uid
groupid: runasgroup gid
port: containerport targetport
value: content data
http: httpget
tcp: tcpsocket
liveness: liveness
up: parent
server: vip ingress
client: egress
to: target dest destination
as: kind mode
`

// habit says how something is written here that other tools write at this place.
type habit struct {
	at    []string // the place, * is any name; nil of the deployment
	names []string // nil for any
	say   string
}

var (
	atContainer   = []string{"description", "code", "*"}
	atDescription = []string{"description"}
	atRole        = []string{"description", "role", "*"}
	atSize        = []string{"description", "code", "*", "size"}
	atImage       = []string{"description", "code", "*", "image"}
	atMapping     = []string{"description", "code", "*", "mapping"}
	atPath        = []string{"description", "code", "*", "mapping", "filesystem", "*"}
	atProbe       = []string{"description", "probe", "*"}
	atCheck       = []string{"description", "probe", "*", "*"}
	// atService and atComponent are a description by what else it has, atArtifact is
	// what is around it.
	atService   = []string{"description", "role"}
	atComponent = []string{"description", "code"}
	atArtifact  = []string{"#Artifact"}
)

var habits = []habit{
	{atContainer, []string{"env", "environment", "envFrom", "env_file", "environments"}, `the environment is part of the mapping: write mapping: env: {NAME: value: "…"}, or NAME: parameter: "…" for what is configured`},
	{atContainer, []string{"ports", "port", "expose", "containerPort"}, `what a component listens at are channels: write srv: server: NAME: {protocol: "http", port: 8080} beside code`},
	{atContainer, []string{"resources", "limits", "requests", "cpu", "memory", "mem_limit", "cpus"}, `write size: {cpu: {size: 500, unit: "m"}, memory: {size: 256, unit: "Mi"}}`},
	{atContainer, []string{"startupProbe"}, `how long a container may take to start is said beside code: probe: NAME: liveness: startupGraceWindow: {unit: "ms", duration: 10000, probe: true}`},
	{atContainer, []string{"livenessProbe", "readinessProbe", "healthcheck", "health_check", "probe", "liveness", "readiness"}, `probes are beside code, by the container's name: probe: NAME: liveness: protocol: http: {port: 8080, path: "/"}`},
	{atContainer, []string{"command", "run"}, `write entrypoint: ["…"] for the program, and cmd: ["…"] for its arguments`},
	{atContainer, []string{"args", "arguments"}, `write cmd: ["…"]`},
	{atContainer, []string{"volumeMounts", "volumes", "mounts", "configs", "secrets", "files", "tmpfs", "filesystem", "volume"}, `files and volumes are part of the mapping: write mapping: filesystem: "/path": {volume: "…"}, or data: value: "…" for a file`},
	{atContainer, []string{"securityContext", "runAsUser", "privileged", "cap_add"}, `write user: {userid: 10001, groupid: 10001}; capabilities are not asked for here`},
	{atContainer, []string{"restart", "restartPolicy"}, `leave it out: what ends is started again`},
	{atContainer, []string{"imagePullPolicy", "pull_policy"}, `leave it out: kumiki render --pull says when images are pulled`},
	{atContainer, []string{"imagePullSecrets"}, `write image: hub: {name: "…", secret: "…"}`},
	{atContainer, []string{"depends_on", "links"}, `leave it out: connectors of a service say what leads where, and a client waits for its servers by itself`},
	{atContainer, []string{"networks", "network_mode", "hostNetwork"}, `leave it out: what reaches what follows from the connectors of a service`},
	{atContainer, []string{"labels", "annotations"}, `leave it out: a role's meta is where hints for the target are`},
	{atContainer, []string{"build"}, `an image is built elsewhere: write image: tag: "…"`},
	{atContainer, []string{"replicas", "deploy", "scale"}, `how many instances run is for the deployment to say: config: scale: hsize: 2`},
	{atContainer, []string{"container_name", "hostname"}, `leave it out: a container is called as its field in code`},
	{atContainer, []string{"working_dir", "workingDir", "stdin", "tty", "lifecycle"}, `leave it out: what the image says counts`},
	{atContainer, []string{"tag", "repository", "hub", "digest", "version"}, `it is part of the image: write image: tag: "NAME:TAG"`},
	{atContainer, []string{"parameter", "parameters", "config", "resource", "values"}, `what is configured reaches a container by its mapping: write mapping: env: NAME: parameter: "…"`},
	{atContainer, []string{"read_only", "readOnly", "readOnlyRootFilesystem"}, `write meta: readOnlyRoot: ["/tmp"] into the role, with the paths that stay writable`},
	{atContainer, []string{"terminationGracePeriodSeconds", "stop_grace_period", "stop_signal", "init", "ulimits", "logging", "platform", "devices", "shm_size", "gpus", "extra_hosts", "hostAliases", "dns", "sysctls", "profiles", "serviceAccountName"}, `leave it out: the model does not say it`},
	{atImage, []string{"name", "repository", "image", "uri", "url"}, `write tag: "NAME:TAG", and hub: name: "HOST" where the registry is not the platform's`},
	{atImage, []string{"registry", "host"}, `write hub: name: "HOST"`},
	{atImage, []string{"version"}, `it is part of the tag: write tag: "NAME:VERSION"`},
	{atImage, []string{"pullPolicy", "imagePullPolicy", "pull_policy"}, `leave it out: kumiki render --pull says when images are pulled`},
	{atImage, []string{"pullSecrets", "credentials", "secret"}, `write hub: {name: "…", secret: "…"}`},
	{atMapping, []string{"ports", "port", "expose"}, `what a component listens at are channels: write srv: server: NAME: {protocol: "http", port: 8080} beside code`},
	{atMapping, []string{"parameter", "parameters", "secret", "secrets", "config", "resource", "domain"}, `write env: NAME: parameter: "…", or env: NAME: secret: "…"`},
	{atPath, []string{"emptyDir", "tmpfs", "hostPath", "persistentVolumeClaim", "claim", "claimName", "pvc", "bind", "mountPath", "source", "type"}, `write volume: "NAME", where config: resource: NAME: k.#Volume asks for it; the deployment names one, or gives the size of one that need not stay`},
	{atPath, []string{"configMap", "content", "contents", "text", "value", "file", "template"}, `write data: value: "…"`},
	{atPath, []string{"secret", "secretName", "certificate", "ca", "parameter"}, `a secret reaches a container by its environment: write mapping: env: NAME: secret: "…"; what is configured is written into a file as data: value: config.parameter.NAME`},
	{atCheck, []string{"periodSeconds", "period", "interval"}, `write frequency: 10000, in milliseconds, or "low", "medium", "high"`},
	{atCheck, []string{"timeoutSeconds"}, `write timeout: 1000, in milliseconds`},
	{atCheck, []string{"initialDelaySeconds", "initialDelay", "start_period", "startPeriod", "start_interval"}, `write startupGraceWindow: {unit: "ms", duration: 10000} into liveness`},
	{atCheck, []string{"failureThreshold", "successThreshold", "retries"}, `leave it out; how often a container may fail while it starts is startupGraceWindow: {unit: "attempts", duration: 30} of liveness`},
	{atCheck, []string{"httpGet", "tcpSocket", "exec", "http", "tcp", "grpc", "path", "port", "test", "command"}, `how it is asked is its protocol: write protocol: http: {port: 8080, path: "/"}, protocol: tcp: port: 8080, or protocol: exec: command: ["…"]`},
	{atProbe, []string{"startup", "startupProbe"}, `write startupGraceWindow: {unit: "ms", duration: 10000} into liveness`},
	{atProbe, []string{"httpGet", "http", "tcp", "protocol", "path", "port", "test", "frequency", "timeout"}, `write it into liveness or readiness: liveness: protocol: http: {port: 8080, path: "/"}`},
	{[]string{"description", "srv"}, nil, `write server: NAME: {protocol: "http", port: 8080} for what it listens at, client: NAME: protocol: "http" for what it asks`},
	{[]string{"description", "srv", "client", "*"}, []string{"port", "host", "url", "address", "server"}, `leave it out: a connector of the service leads a client to its server`},
	{[]string{"description", "srv", "*", "*"}, []string{"hostPort", "nodePort", "published", "external", "containerPort", "targetPort", "target"}, `write port: the one that the code listens at; what comes from outside comes by a role of the builtin inbound`},
	{[]string{"description", "srv", "*", "*"}, []string{"name"}, `leave it out: a channel is called as its field`},
	{[]string{"description", "connect", "*"}, []string{"type", "strategy"}, `write as: "lb", or as: "full"`},
	{[]string{"description", "connect", "*"}, []string{"protocol", "port"}, `leave it out: channels say it, in srv of the component`},
	{atService, []string{"code", "probe", "size", "profile"}, `that is for a component to say, and a service has roles: write role: NAME: artifact: x.#Artifact, where x is the import of the component`},
	{atComponent, []string{"role", "roles", "connect", "connectors", "vset"}, `that is for a service to say, and a component runs code: write a service of its own, in which this is the artifact of a role`},
	{atDescription, []string{"channel"}, `what it listens at, and what it asks, are channels: write srv: server: NAME: {protocol: "http", port: 8080}, srv: client: NAME: protocol: "http"`},
	{atDescription, []string{"name", "ref"}, `an artifact is called by its ref: write ref: name: "…" beside description`},
	{atDescription, []string{"meta", "labels", "annotations", "metadata", "nodeSelector", "affinity", "tolerations"}, `write it into meta of a role or of the deployment, where hints for the target are`},
	{atDescription, []string{"version", "apiVersion", "kind", "selector", "template", "spec"}, `leave it out: kumiki render makes the objects of the target, and kumiki publish gives a version`},
	{atDescription, []string{"autoscaling", "hpa", "minReplicas", "maxReplicas"}, `how many instances run is for the deployment to say: config: scale: hsize: 2`},
	{atArtifact, []string{"name", "version", "kind", "metadata"}, `an artifact is called by its ref: write ref: name: "…"`},
	{atArtifact, []string{"config", "role", "roles", "srv", "connect", "code", "probe", "size", "builtin", "profile", "containers", "services", "parameter", "parameters"}, `it is part of what the artifact is: write description: {…} around it`},
	{atDescription, []string{"image"}, `a component has containers: write code: NAME: image: tag: "…"`},
	{atDescription, []string{"env", "environment", "volumes", "volumeMounts", "command", "args", "resources", "user", "mapping", "entrypoint", "cmd"}, `that is said of each container, in code: NAME`},
	{atDescription, []string{"ports", "port", "server", "servers", "client", "channels", "expose", "endpoints"}, `what it listens at, and what it asks, are channels: write srv: server: NAME: {protocol: "http", port: 8080}, srv: client: NAME: protocol: "http"`},
	{atDescription, []string{"parameter", "parameters", "params", "variables", "variable", "values", "inputs", "resource", "scale", "locals"}, `what can be configured is in config: write config: parameter: NAME: string; for values of your own, _name: … or let name = …`},
	{atDescription, []string{"replicas", "instances", "deploy", "count"}, `how many instances run is for the deployment to say: config: scale: hsize: 2`},
	{atDescription, []string{"networks", "network"}, `leave it out: what reaches what follows from the connectors`},
	{atDescription, []string{"volumes", "secrets", "configs"}, `what is registered in the cluster is asked for in config: resource: NAME: k.#Volume, or k.#Secret`},
	{atDescription, []string{"volumeClaimTemplates", "persistence", "storage", "volumeMounts", "pvc", "persistentVolumeClaim"}, `a volume is asked for as config: resource: NAME: k.#Volume, and mounted by code: NAME: mapping: filesystem: "/path": volume: NAME`},
	{atDescription, []string{"serviceAccount", "serviceAccountName", "hostNetwork", "dnsPolicy", "priorityClassName", "runtimeClassName", "schedulerName", "terminationGracePeriodSeconds", "podSecurityContext", "securityContext", "imagePullSecrets", "automountServiceAccountToken", "restartPolicy", "strategy", "updateStrategy", "serviceName", "podManagementPolicy", "backoffLimit", "concurrencyPolicy", "rules"}, `leave it out: kumiki render makes pods as the target wants them, and kumiki render --help has what can be said of them`},
	{atDescription, []string{"schedule", "cron", "cronJob", "job"}, `leave it out: what runs here runs on, and nothing is started by the clock`},
	{atDescription, []string{"initContainers", "sidecars", "container", "pod"}, `write each container into code, by its name: code: NAME: {image: …}`},
	{atDescription, []string{"livenessProbe", "readinessProbe", "healthcheck", "healthCheck"}, `write probe: CONTAINER: liveness: protocol: http: {port: 8080, path: "/"}`},
	{atDescription, []string{"depends_on", "dependencies", "requires"}, `leave it out: the connectors say what leads where`},
	{atDescription, []string{"ingress", "route", "routes", "domain", "host", "hosts"}, `requests come in by a role of the builtin inbound: role: open: artifact: inbound.#Artifact, with a connector from it`},
	{atRole, []string{"image", "build", "command", "code", "container", "extends", "description", "ref"}, `a role has an artifact, and its component says what runs: write artifact: x.#Artifact, where x is the import of a component`},
	{atRole, []string{"environment", "env", "env_file", "parameter", "parameters", "values", "vars", "variables"}, `what a role's artifact takes is in config: write config: parameter: {NAME: …}`},
	{atRole, []string{"ports", "expose", "networks", "depends_on", "links", "srv"}, `write a connector of the service: connect: NAME: {from: ROLE: "CHANNEL", to: ROLE: CHANNEL: _}`},
	{atRole, []string{"replicas", "deploy", "instances", "count", "scale", "hsize", "autoscaling", "hpa", "minReplicas", "maxReplicas", "min", "max"}, `write config: scale: hsize: 2, or leave it to the deployment: config: scale: detail: ROLE: hsize: 2`},
	{atRole, []string{"resources", "size", "limits", "requests", "cpu", "cpus", "memory", "mem_limit"}, `how much it needs is for its component to say: code: NAME: size: {cpu: {size: 500, unit: "m"}, memory: {size: 256, unit: "Mi"}}`},
	{atRole, []string{"enabled", "condition", "when", "if"}, `a role that is not always there stands in an if: if description.config.parameter.NAME {role: …}`},
	{atRole, []string{"connect", "connectors"}, `connectors stand beside role: write description: connect: NAME: {from: ROLE: "CHANNEL", to: ROLE: CHANNEL: _}`},
	{atRole, []string{"for_each", "foreach", "for"}, `roles of a list are made by CUE: for x in LIST {role: "\(x)": {…}}`},
	{atRole, []string{"volumes", "volumeMounts", "secrets", "resource"}, `what a role's artifact takes is in config: write config: resource: NAME: description.config.resource.NAME`},
	{atRole, []string{"strategy", "updateStrategy", "rollingUpdate", "update_config", "rollback_config", "placement"}, `leave it out: how instances are replaced follows from the target; where they run is meta, and in an environment placement`},
	{atRole, []string{"namespace", "serviceAccountName", "hostname", "profiles", "logging", "extra_hosts", "provider", "providers"}, `leave it out: the model does not say it`},
	{atRole, []string{"restart", "healthcheck", "container_name", "probe", "livenessProbe", "readinessProbe", "startupProbe", "liveness", "readiness", "user", "entrypoint", "cmd", "args", "mapping", "securityContext"}, `leave it out: that is for its component to say`},
	{atRole, []string{"labels", "annotations", "nodeSelector", "affinity", "tolerations"}, `write it into meta, where hints for the target are`},
	{atRole, []string{"source", "version", "module", "service", "component"}, `write artifact: x.#Artifact, where x is the import of the component or service`},
	{[]string{"description", "code", "*", "mapping", "env", "*"}, []string{"valueFrom", "secretKeyRef", "configMapKeyRef", "from", "fieldRef"}, `write secret: NAME, where config: resource: NAME: k.#Secret asks for it, or parameter: NAME for what is configured`},
	{[]string{"description", "code", "*", "mapping", "env", "*"}, []string{"name", "default", "required"}, `a variable is called as its field: write NAME: value: "…", or NAME: parameter: "…"`},
	{atSize, []string{"limits", "requests", "resources"}, `write cpu: {size: 500, unit: "m"}, mincpu: 100, memory: {size: 256, unit: "Mi"}`},
	{[]string{"description", "role", "*", "config"}, []string{"replicas", "replicaCount", "instances", "hsize", "count", "detail"}, `write scale: hsize: 2, or leave it to the deployment: config: scale: detail: ROLE: hsize: 2`},
	{[]string{"description", "role", "*", "config"}, []string{"env", "environment", "values", "params", "variables", "vars"}, `write parameter: {NAME: …}`},
	{[]string{"config"}, []string{"values", "params", "variables", "vars", "inputs", "settings", "spec"}, `what is in it stands in config itself: write config: {parameter: …, resource: …, scale: …}`},
	{[]string{"config"}, []string{"fullnameOverride", "nameOverride", "name"}, `leave it out: name: of the deployment says what it is called`},
	{[]string{"config"}, []string{"resources", "limits", "requests", "cpu", "memory"}, `how much a role takes is for its component to say, in size; what can be configured of it is a parameter: kumiki params lists all`},
	{[]string{"config"}, []string{"ingress", "hosts", "host", "route", "gateway"}, `requests come in by a role of the artifact, and their domain is config: resource: NAME: domain: "…", as kumiki params lists it`},
	{[]string{"config"}, []string{"env", "environment", "envFrom", "extraEnv"}, `the environment is for a component to say; what can be configured of it is a parameter: config: parameter: {NAME: …}, as kumiki params lists it`},
	{[]string{"config"}, []string{"replicas", "replicaCount", "instances", "hsize", "count", "detail"}, `write config: scale: hsize: 2, or of a role of a service, config: scale: detail: ROLE: hsize: 2`},
	{[]string{"config"}, []string{"secret", "secrets", "volume", "volumes", "domain", "domains", "certificate", "port", "ports"}, `what is registered in the cluster is named in config: resource: NAME: secret: "…", as kumiki params lists it`},
	{[]string{"config"}, []string{"role", "roles"}, `what a role takes is for its service to say, from config: parameter; how many instances of it run is config: scale: detail: ROLE: hsize`},
	{[]string{"config"}, nil, `what can be configured is what the artifact declares: kumiki params lists it, config: parameter: {NAME: …}`},
	{nil, []string{"apiVersion", "kind", "status"}, `leave it out: a manifest says what is deployed, and kumiki render makes the objects of Kubernetes`},
	{nil, []string{"namespace"}, `leave it out: kumiki render -n says where its objects are`},
	{nil, []string{"annotations"}, `write it into meta`},
	{nil, []string{"parameter", "parameters", "resource", "resources", "scale", "resilience"}, `it is part of config: write config: {parameter: …, resource: …, scale: …}`},
	{nil, []string{"replicas", "replicaCount", "instances", "hsize", "count"}, `write config: scale: hsize: 2, or of a role of a service, config: scale: detail: ROLE: hsize: 2`},
	{nil, []string{"services", "roles", "components"}, `that is for the artifact to say: write artifact: x.#Artifact, where x is the import of the service`},
	{nil, []string{"env", "environment", "image", "ports", "volumes", "code", "srv", "role", "connect", "description", "containers", "template", "resources"}, `that is for the artifact to say; what can be configured of it goes into config: parameter, and kumiki params lists it`},
	{nil, []string{"ref", "version"}, `it belongs to the artifact`},
	{nil, []string{"dependencies", "depends_on", "requires", "provider", "backend", "count"}, `leave it out: up names the deployment that this one belongs to`},
}

// habitOf is what is said of a name that a struct does not have, "" for none: where is
// its path, without the name, and beside are the names that it has.
func habitOf(where []string, name string, beside []string) string {
	kind := slices.Clone(where)
	if like(where, atDescription) && filter.Contains(beside, "role") {
		kind = atService
	} else if like(where, atDescription) {
		kind = atComponent
	}
	for _, h := range habits {
		isAt := like(where, h.at) || like(kind, h.at)
		if isAt && (h.names == nil || filter.Any(h.names, func(n string) bool { return strings.EqualFold(n, name) })) {
			return h.say
		}
	}
	return ""
}
