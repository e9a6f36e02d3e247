package kubernetes

import (
	"fmt"
	"maps"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"kumiki.dev/diag"
	"kumiki.dev/targets"
)

// beside adds the objects that go with the deployment as they are: with the labels of the
// solution, and in its namespace.
func (b *builder) beside() {
	for _, key := range targets.Keys(b.solution.Objects) {
		r := readRider(b, key)
		r.check()
		if r.wrong {
			continue
		}
		object, metadata := maps.Clone(r.object), maps.Clone(r.metadata)
		metadata["labels"] = r.labels()
		if b.options.Namespace != "" && !clusterWide[r.groupKind()] {
			metadata["namespace"] = b.options.Namespace
		}
		object["metadata"] = metadata
		b.add(r.called(), r.name, place{b.solution.Top, ""}, object)
	}
}

// rider is an object that goes with the deployment.
type rider struct {
	*builder
	key               string // what the author calls it
	object, metadata  map[string]any
	group, kind, name string
	wrong             bool
}

func readRider(b *builder, key string) *rider {
	r := &rider{builder: b, key: key}
	r.object, _ = b.solution.Objects[key].(map[string]any)
	r.metadata, _ = r.object["metadata"].(map[string]any)
	if group, _, ok := strings.Cut(targets.Text(r.object, "apiVersion"), "/"); ok {
		r.group = group
	}
	r.kind, r.name = targets.Text(r.object, "kind"), targets.Text(r.metadata, "name")
	return r
}

// report is about a field of the object.
func (r *rider) report(path []string, format string, args ...any) {
	r.wrong = true
	text := fmt.Sprintf("object %s: ", r.key) + fmt.Sprintf(format, args...)
	r.problems = append(r.problems, diag.New(diag.TargetObject, r.solution.ObjectPosition(r.key, path...), "%s", text).AtPath(append([]string{"objects", r.key}, path...)...))
}

// setByCluster are the parts of metadata that nobody else has a say in.
var setByCluster = []string{"uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "managedFields"}

// check says what no API server would take, and what does not go with a deployment.
func (r *rider) check() {
	group, version, grouped := strings.Cut(targets.Text(r.object, "apiVersion"), "/")
	if !grouped {
		group, version = "", group
	}
	if len(validation.IsDNS1035Label(version)) > 0 || grouped && len(validation.IsDNS1123Subdomain(group)) > 0 {
		r.report([]string{"apiVersion"}, "apiVersion %q is no group and version of kinds, such as \"v1\" or \"apps/v1\"", targets.Text(r.object, "apiVersion"))
	}
	switch {
	case len(validation.IsDNS1035Label(strings.ToLower(r.kind))) > 0:
		r.report([]string{"kind"}, "kind %q is no name of a kind, such as \"ResourceQuota\"", r.kind)
	case strings.HasSuffix(r.kind, "List") && r.object["items"] != nil:
		r.report([]string{"kind"}, "a %s has objects in it: give each a field of its own in objects", r.kind)
	}
	if _, ok := r.object["status"]; ok {
		r.report([]string{"status"}, "status is for the cluster to say: leave it out")
	}
	for _, field := range setByCluster {
		if _, ok := r.metadata[field]; ok {
			r.report([]string{"metadata", field}, "metadata.%s is for the cluster to say: leave it out", field)
		}
	}
	if _, ok := r.metadata["generateName"]; ok {
		r.report([]string{"metadata", "generateName"}, "metadata.generateName makes another object each time: leave it out, metadata.name says what this one is called")
	}
	if wrong := r.nameProblem(); wrong != "" {
		r.report([]string{"metadata", "name"}, "no %s is called %q: %s", r.kind, r.name, wrong)
	}
	if of, ok := r.seen[[2]string{r.called(), r.name}]; ok {
		r.report([]string{"metadata", "name"}, "%v has a %s %s already: call the object otherwise", of, r.kind, r.name)
	}
	r.checkNamespace()
	r.checkTexts("labels", validation.IsValidLabelValue)
	r.checkTexts("annotations", func(string) []string { return nil })
	for key, value := range r.own() {
		if given, ok := targets.Text(r.metadata, "labels", key), targets.At(r.metadata, "labels", key) != nil; ok && given != value {
			r.report([]string{"metadata", "labels", key}, "label %s is %q, which says whose object it is: it gets %q, so leave it out", key, given, value)
		}
	}
}

// nameProblem says what is wrong with the object's name, "" for nothing.
func (r *rider) nameProblem() string {
	var problems []string
	switch {
	case r.group == "rbac.authorization.k8s.io" || r.group == "certificates.k8s.io":
		if r.name == "." || r.name == ".." || strings.ContainsAny(r.name, "/%") {
			problems = []string{"it has no slash and no percent sign in it"}
		}
	case r.group == "" && (r.kind == "Service" || r.kind == "Namespace"):
		problems = validation.IsDNS1123Label(r.name)
		if r.kind == "Service" {
			problems = validation.IsDNS1035Label(r.name)
		}
	default:
		problems = validation.IsDNS1123Subdomain(r.name)
	}
	if len(problems) == 0 {
		return ""
	}
	return problems[0]
}

// checkNamespace keeps objects where the deployment goes.
func (r *rider) checkNamespace() {
	given, ok := r.metadata["namespace"]
	switch {
	case !ok:
	case clusterWide[r.groupKind()]:
		r.report([]string{"metadata", "namespace"}, "a %s is in no namespace: leave it out", r.kind)
	case given != r.options.Namespace:
		r.report([]string{"metadata", "namespace"}, "an object goes where its deployment goes: leave namespace %q out, and say -n", given)
	}
}

// checkTexts looks at labels or annotations.
func (r *rider) checkTexts(field string, check func(string) []string) {
	given, ok := r.metadata[field]
	if !ok {
		return
	}
	members, ok := given.(map[string]any)
	if !ok {
		r.report([]string{"metadata", field}, "metadata.%s is no struct", field)
		return
	}
	for _, key := range targets.Keys(members) {
		value, isText := members[key].(string)
		switch {
		case len(validation.IsQualifiedName(strings.ToLower(key))) > 0:
			r.report([]string{"metadata", field, key}, "%q in metadata.%s is no key: %s", key, field, validation.IsQualifiedName(key)[0])
		case !isText:
			r.report([]string{"metadata", field, key}, "metadata.%s.%s is no text: put it in quotes", field, key)
		case len(check(value)) > 0:
			r.report([]string{"metadata", field, key}, "metadata.%s.%s is %q: %s", field, key, value, check(value)[0])
		}
	}
}

// own are the labels that say whose the object is.
func (r *rider) own() map[string]string {
	own := map[string]string{}
	for key, value := range r.meta("", place{r.solution.Top, ""}).Labels {
		if strings.HasPrefix(key, "kumiki.dev/") || key == "app.kubernetes.io/managed-by" || key == "app.kubernetes.io/part-of" {
			own[key] = value
		}
	}
	return own
}

// labels are those of the deployment, and the author's own over them.
func (r *rider) labels() map[string]any {
	labels := map[string]any{}
	for key, value := range r.meta("", place{r.solution.Top, ""}).Labels {
		labels[key] = value
	}
	given, _ := r.metadata["labels"].(map[string]any)
	maps.Copy(labels, given)
	return labels
}

func (r *rider) groupKind() string { return groupKind(r.group, r.kind) }

func groupKind(group, kind string) string {
	if group == "" {
		return kind
	}
	return kind + "." + group
}

// called is the kind that tells the object from all others: with its group, as kubectl
// takes it, unless it is one of those that solutions have themselves.
func (r *rider) called() string {
	if group, ok := ownKinds[r.kind]; ok && group == r.group {
		return r.kind
	}
	return r.groupKind()
}

// ownKinds are the kinds of objects that are made of solutions, with their groups.
var ownKinds = map[string]string{
	"ServiceAccount": "", "ConfigMap": "", "Service": "", "Namespace": "", "Secret": "", "PersistentVolumeClaim": "",
	"Role": rbacGroup, "RoleBinding": rbacGroup,
	"NetworkPolicy": "networking.k8s.io", "Ingress": "networking.k8s.io",
	"Deployment": "apps", "StatefulSet": "apps", "DaemonSet": "apps", "Job": "batch",
	"PodDisruptionBudget": "policy", "HorizontalPodAutoscaler": "autoscaling",
	"Gateway": "gateway.networking.k8s.io", "HTTPRoute": "gateway.networking.k8s.io", "TCPRoute": "gateway.networking.k8s.io",
}

// clusterWide are the kinds of Kubernetes' own that are in no namespace. Of others it is not
// known here: their namespace is left out by the API server.
var clusterWide = map[string]bool{
	"Namespace": true, "Node": true, "PersistentVolume": true, "ComponentStatus": true,
	"ClusterRole.rbac.authorization.k8s.io": true, "ClusterRoleBinding.rbac.authorization.k8s.io": true,
	"CustomResourceDefinition.apiextensions.k8s.io": true, "APIService.apiregistration.k8s.io": true,
	"StorageClass.storage.k8s.io": true, "VolumeAttachment.storage.k8s.io": true, "CSIDriver.storage.k8s.io": true, "CSINode.storage.k8s.io": true, "VolumeAttributesClass.storage.k8s.io": true,
	"PriorityClass.scheduling.k8s.io": true, "RuntimeClass.node.k8s.io": true,
	"IngressClass.networking.k8s.io": true, "IPAddress.networking.k8s.io": true, "ServiceCIDR.networking.k8s.io": true,
	"GatewayClass.gateway.networking.k8s.io":                    true,
	"MutatingWebhookConfiguration.admissionregistration.k8s.io": true, "ValidatingWebhookConfiguration.admissionregistration.k8s.io": true,
	"ValidatingAdmissionPolicy.admissionregistration.k8s.io": true, "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io": true,
	"MutatingAdmissionPolicy.admissionregistration.k8s.io": true, "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io": true,
	"FlowSchema.flowcontrol.apiserver.k8s.io": true, "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io": true,
	"CertificateSigningRequest.certificates.k8s.io": true, "ClusterTrustBundle.certificates.k8s.io": true,
	"DeviceClass.resource.k8s.io": true, "ResourceSlice.resource.k8s.io": true,
}
