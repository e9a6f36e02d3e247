package environment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"cuelang.org/go/cue/format"

	"kumiki.dev/targets"
)

// Found is what a cluster has, as its tool prints it: kubectl get … -o json, or docker
// secret|volume|node inspect. Of secrets it has names only.
type Found struct {
	Target string // "kubernetes" or "swarm", "" before anything was read
	// Namespaces are those of what was found.
	Namespaces map[string]bool
	// Secrets and Certificates are names; Hosts are those of Ingresses and Gateways.
	Secrets, Certificates, Hosts map[string]bool
	// Volumes are the claims, or volumes, with their sizes; "" for one that is not known.
	Volumes map[string]string
	// IngressClasses, GatewayClasses and StorageClasses are names of classes.
	IngressClasses, GatewayClasses, StorageClasses map[string]bool
	// Nodes are the versions of what runs on the nodes, by their names.
	Nodes map[string]string
}

// found is an object of either tool, as far as it counts here.
type found struct {
	Kind     string
	Type     string
	Metadata struct{ Name, Namespace string }
	Spec     struct {
		Name      string
		Rules     []struct{ Host string }
		Listeners []struct{ Hostname string }
		Resources struct{ Requests struct{ Storage string } }
	}
	Status struct {
		NodeInfo struct{ KubeletVersion string }
	}
	Items []json.RawMessage
	// Docker's: a secret, a node, a volume.
	ID, Name, Driver string
	Mountpoint       *string
	Description      *struct {
		Hostname string
		Engine   struct{ EngineVersion string }
	}
}

// Read adds what a text has: JSON documents one after the other, each an object, a list
// of Kubernetes', or an array.
func (f *Found) Read(text []byte) error {
	if f.Secrets == nil {
		for _, m := range []*map[string]bool{&f.Namespaces, &f.Secrets, &f.Certificates, &f.Hosts, &f.IngressClasses, &f.GatewayClasses, &f.StorageClasses} {
			*m = map[string]bool{}
		}
		f.Volumes, f.Nodes = map[string]string{}, map[string]string{}
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	for n := 0; ; n++ {
		var doc json.RawMessage
		err := dec.Decode(&doc)
		if errors.Is(err, io.EOF) && n > 0 {
			return nil
		}
		if err != nil {
			return errors.New("it is no JSON: it has to be the output of kubectl get secrets,pvc,ingress,nodes,storageclass,ingressclass -o json, or of docker secret|volume|node inspect")
		}
		if err := f.document(doc); err != nil {
			return err
		}
	}
}

// document adds an object or an array of them.
func (f *Found) document(doc json.RawMessage) error {
	all := []json.RawMessage{doc}
	if doc[0] == '[' {
		if err := json.Unmarshal(doc, &all); err != nil {
			return err
		}
	}
	for _, one := range all {
		var x found
		if err := json.Unmarshal(one, &x); err != nil {
			return fmt.Errorf("an object has another form than kubectl and docker give it: %w", err)
		}
		target := "kubernetes"
		if x.Kind == "" {
			target = "swarm"
		}
		if f.Target != "" && f.Target != target {
			return errors.New("it has objects of Kubernetes and of Docker: an environment is one of them")
		}
		f.Target = target
		if target == "swarm" {
			f.docker(x)
			continue
		}
		for _, item := range x.Items {
			if err := f.document(item); err != nil {
				return err
			}
		}
		f.kubernetes(x)
	}
	return nil
}

// kubernetes adds an object of Kubernetes.
func (f *Found) kubernetes(x found) {
	name := x.Metadata.Name
	switch x.Kind {
	case "Secret":
		switch {
		case x.Type == "kubernetes.io/tls":
			f.Certificates[name] = true
		case strings.HasPrefix(x.Type, "helm.sh/"), x.Type == "kubernetes.io/service-account-token", strings.HasPrefix(x.Type, "bootstrap.kubernetes.io/"):
			return // of tools, not of applications
		default:
			f.Secrets[name] = true
		}
	case "PersistentVolumeClaim":
		f.Volumes[name] = x.Spec.Resources.Requests.Storage
	case "Ingress":
		for _, rule := range x.Spec.Rules {
			f.host(rule.Host)
		}
	case "Gateway":
		for _, l := range x.Spec.Listeners {
			f.host(l.Hostname)
		}
	case "IngressClass":
		f.IngressClasses[name] = true
	case "GatewayClass":
		f.GatewayClasses[name] = true
	case "StorageClass":
		f.StorageClasses[name] = true
	case "Node":
		f.Nodes[name] = x.Status.NodeInfo.KubeletVersion
	default:
		return
	}
	if x.Metadata.Namespace != "" {
		f.Namespaces[x.Metadata.Namespace] = true
	}
}

func (f *Found) host(name string) {
	if name != "" {
		f.Hosts[name] = true
	}
}

// docker adds an object of Docker's.
func (f *Found) docker(x found) {
	switch {
	case x.Description != nil:
		f.Nodes[x.Description.Hostname] = x.Description.Engine.EngineVersion
	case x.Mountpoint != nil:
		f.Volumes[x.Name] = ""
	case x.Spec.Name != "":
		f.Secrets[x.Spec.Name] = true
	}
}

// File is the file of an environment that has what was found, for people to go on with.
func (f *Found) File(name string) ([]byte, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "package environment\n\n")
	if len(f.Nodes) > 0 {
		versions := map[string]bool{}
		for _, v := range f.Nodes {
			versions[v] = true
		}
		fmt.Fprintf(&b, "// Nodes: %d, with %s %s.\n", len(f.Nodes), map[string]string{"kubernetes": "Kubernetes", "swarm": "Docker"}[f.Target], strings.Join(targets.Keys(versions), ", "))
	}
	fmt.Fprintf(&b, "#Environment: {\n\tname:   %q\n\ttarget: %q\n", name, f.Target)
	if all := targets.Keys(f.Namespaces); len(all) == 1 {
		fmt.Fprintf(&b, "\tnamespace: %q\n", all[0])
	} else if len(all) > 1 {
		fmt.Fprintf(&b, "\t// namespace: one of %s\n", strings.Join(all, ", "))
	}
	f.classes(&b)
	b.WriteString("\tresource: {\n")
	for _, host := range targets.Keys(f.Hosts) {
		fmt.Fprintf(&b, "\t\tdomain: %q: host: %q\n", strings.ReplaceAll(strings.TrimPrefix(host, "*."), ".", "-"), host)
	}
	for _, id := range targets.Keys(f.Certificates) {
		fmt.Fprintf(&b, "\t\tcertificate: %q: {}\n", id)
	}
	for _, id := range targets.Keys(f.Secrets) {
		fmt.Fprintf(&b, "\t\tsecret: %q: {}\n", id)
	}
	for _, id := range targets.Keys(f.Volumes) {
		shared := map[bool]string{true: "{shared: true}", false: "{}"}[f.Target == "kubernetes"]
		fmt.Fprintf(&b, "\t\tvolume: %q: %s%s\n", id, shared, remark(f.Volumes[id]))
	}
	b.WriteString("\t}\n}\n")
	return format.Source([]byte(b.String()))
}

func remark(text string) string {
	if text == "" {
		return ""
	}
	return " // " + text
}

// classes writes the classes that there is a choice of, or the only one.
func (f *Found) classes(b *strings.Builder) {
	ingress, gateways := targets.Keys(f.IngressClasses), targets.Keys(f.GatewayClasses)
	switch {
	case len(ingress) == 1:
		fmt.Fprintf(b, "\toptions: ingressClass: %q\n", ingress[0])
	case len(ingress) > 1:
		fmt.Fprintf(b, "\t// options: ingressClass: one of %s\n", strings.Join(ingress, ", "))
	case len(gateways) == 1:
		fmt.Fprintf(b, "\toptions: {ingress: \"gateway\", ingressClass: %q}\n", gateways[0])
	case len(gateways) > 1:
		fmt.Fprintf(b, "\t// options: {ingress: \"gateway\", ingressClass: one of %s}\n", strings.Join(gateways, ", "))
	}
	if storage := targets.Keys(f.StorageClasses); len(storage) > 0 {
		fmt.Fprintf(b, "\t// Storage classes: %s\n", strings.Join(storage, ", "))
	}
}
