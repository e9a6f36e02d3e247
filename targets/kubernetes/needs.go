package kubernetes

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// Needs lists what objects refer to and a cluster has to have before them: Secrets and
// ConfigMaps with their keys, claims, classes, and the resolver's image. It looks at the
// objects alone, as the cluster does. The solution gives the ids that things are
// registered with.
func Needs(s *solution.Solution, objects []targets.Object, o targets.Options) ([]*targets.Need, error) {
	n := &needs{made: map[[2]string]bool{}}
	for _, x := range objects {
		n.made[[2]string{x.Kind, x.Name}] = true
	}
	resolver := o.ResolverImage
	if resolver == "" {
		resolver = ResolverImage
	}
	for _, x := range objects {
		text, err := json.Marshal(x.Value)
		if err != nil {
			return nil, err
		}
		data, err := decoded(text)
		if err != nil {
			return nil, err
		}
		n.by = x
		n.look("", data)
		n.classes(x, data)
		if bytes.Contains(text, fmt.Appendf(nil, `"image":%q`, resolver)) {
			n.Of("Image", resolver, x).Note = "answers for the run-time names of channels; a release has it as an image to load or to push, see docs/install.md; --resolver-image names another"
		}
	}
	all := n.Sorted()
	ids := map[string]string{}
	for _, id := range targets.RegisteredIDs(s) {
		ids[registeredName(id)] = id
	}
	for _, need := range all {
		if id := ids[need.Name]; id != need.Name {
			need.ID = id
		}
		need.Command = command(need, o.Namespace)
	}
	return all, nil
}

func decoded(text []byte) (data any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&data)
	return data, err
}

type needs struct {
	targets.Needs
	made map[[2]string]bool
	by   targets.Object
}

// need is what the object refers to; what is made with it is none, and not kept.
func (n *needs) need(kind, name string, keys ...string) *targets.Need {
	if name == "" || n.made[[2]string{kind, name}] {
		return &targets.Need{}
	}
	found := n.Of(kind, name, n.by)
	found.Keys = append(found.Keys, keys...)
	return found
}

// look finds the references in data that is under a key. Their forms are those of the
// API: every one of them that kumiki writes is here.
func (n *needs) look(key string, data any) {
	switch x := data.(type) {
	case []any:
		for _, member := range x {
			n.look(key, member)
		}
	case map[string]any:
		n.reference(key, x)
		for _, name := range targets.Keys(x) {
			n.look(name, x[name])
		}
	}
}

// reference is what data under a key refers to.
func (n *needs) reference(key string, x map[string]any) {
	switch key {
	case "secretKeyRef":
		n.need("Secret", targets.Text(x, "name"), targets.Text(x, "key"))
	case "configMapKeyRef":
		n.need("ConfigMap", targets.Text(x, "name"), targets.Text(x, "key"))
	case "imagePullSecrets":
		n.need("Secret", targets.Text(x, "name"), corev1.DockerConfigJsonKey).Type = string(corev1.SecretTypeDockerConfigJson)
	case "tls":
		n.need("Secret", targets.Text(x, "secretName"), corev1.TLSCertKey, corev1.TLSPrivateKeyKey).Type = string(corev1.SecretTypeTLS)
	case "certificateRefs":
		n.need("Secret", targets.Text(x, "name"), corev1.TLSCertKey, corev1.TLSPrivateKeyKey).Type = string(corev1.SecretTypeTLS)
	case "caCertificateRefs":
		n.need(targets.Text(x, "kind"), targets.Text(x, "name"), caKey)
	case "secret":
		found := n.need("Secret", targets.Text(x, "secretName"))
		items, _ := x["items"].([]any)
		for _, item := range items {
			found.Keys = append(found.Keys, targets.Text(item, "key"))
		}
	case "configMap":
		n.need("ConfigMap", targets.Text(x, "name"))
	case "rules", "listeners":
		n.host(cmp.Or(targets.Text(x, "host"), targets.Text(x, "hostname")))
	case "persistentVolumeClaim":
		n.need("PersistentVolumeClaim", targets.Text(x, "claimName")).Note = "mounted by all instances"
	case "volumeClaimTemplates", "volumeClaimTemplate":
		n.need("StorageClass", targets.Text(x, "spec", "storageClassName"))
	case "annotations":
		if _, name, ok := strings.Cut(targets.Text(x, nginx+"auth-tls-secret"), "/"); ok {
			n.need("Secret", name, caKey)
		}
	}
}

// host is one at which requests come in.
func (n *needs) host(name string) {
	switch {
	case name == "":
	case isHost(name):
		n.need("Host", name).Note = "DNS leads to what lets traffic in"
	default:
		n.need("Host", name).Note = "a domain is registered so: --domain " + name + "=HOST says which host that is"
	}
}

// classes are those that let traffic in.
func (n *needs) classes(o targets.Object, data any) {
	kind, field := "IngressClass", "ingressClassName"
	switch o.Kind {
	case "Ingress":
	case "Gateway":
		kind, field = "GatewayClass", "gatewayClassName"
	default:
		return
	}
	name := targets.Text(data, "spec", field)
	if name == "" {
		n.Of(kind, "(default)", o).Note = "what is asked for by no name: the cluster's default; --ingress-class names one"
		return
	}
	n.Of(kind, name, o)
}

// command is a line that makes a need.
func command(n *targets.Need, namespace string) string {
	line := "kubectl create"
	if namespace != "" {
		line = "kubectl -n " + namespace + " create"
	}
	var from []string
	for _, key := range n.Keys {
		from = append(from, "--from-file="+key+"=FILE")
	}
	switch {
	case n.Kind == "Secret" && n.Type == string(corev1.SecretTypeTLS):
		return fmt.Sprintf("%s secret tls %s --cert=FILE --key=FILE", line, n.Name)
	case n.Kind == "Secret" && n.Type != "":
		return fmt.Sprintf("%s secret generic %s --type=%s %s", line, n.Name, n.Type, strings.Join(from, " "))
	case n.Kind == "Secret":
		return fmt.Sprintf("%s secret generic %s %s", line, n.Name, strings.Join(from, " "))
	case n.Kind == "ConfigMap":
		return fmt.Sprintf("%s configmap %s %s", line, n.Name, strings.NewReplacer("--from-file="+domainKey+"=FILE", "--from-literal="+domainKey+"=HOST", "--from-file="+portKey+"=FILE", "--from-literal="+portKey+"=NUMBER").Replace(strings.Join(from, " ")))
	}
	return ""
}
