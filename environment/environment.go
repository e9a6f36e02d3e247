// Package environment holds the places where deployments run: what is registered there,
// what the target lets one choose, and the values that deployments get.
//
// What comes in are the files of a directory, what goes out are plain values: options for
// a target, values for the compiler, and problems of a solution that names what is not
// registered. Nothing of a cluster is asked.
package environment

import (
	"encoding/json"
	"maps"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/value"
)

// Environment is a place where deployments run. The fields are those of #Environment.
type Environment struct {
	Name      string            `json:"name"`
	Labels    map[string]string `json:"labels"`
	Target    string            `json:"target"`
	Namespace string            `json:"namespace"`
	// Namespaces are those of other solutions, by the names of their deployments.
	Namespaces map[string]string `json:"namespaces"`
	Options    struct {
		Ingress       string `json:"ingress"`
		IngressClass  string `json:"ingressClass"`
		ResolverImage string `json:"resolverImage"`
		Pull          string `json:"pull"`
		VolatileClass string `json:"volatileClass"`
		// CreateNamespace is whether the namespace is made too.
		CreateNamespace bool     `json:"createNamespace"`
		APIServers      []string `json:"apiServers"`
	} `json:"options"`
	Resource Registered `json:"resource"`
	// Protected is whether nothing of it is removed unless somebody says so.
	Protected bool `json:"protected"`
	// Keys are public ones, in PEM. One of them has to have signed each module that is
	// fetched for what is deployed there; none for no signatures.
	Keys []string `json:"keys,omitempty"`
	// Placement is on which nodes the instances of all roles run.
	Placement []targets.NodeHint `json:"placement"`
	// Config is what deployments get of it, with the positions of its file; nil for
	// nothing.
	Config *value.Data `json:"-"`
	// Pos is where the environment is declared.
	Pos diag.Pos `json:"-"`
}

// Registered is what is registered in an environment, by id.
type Registered struct {
	Domain map[string]struct {
		Host string `json:"host"`
	} `json:"domain"`
	Port map[string]struct {
		Number int32 `json:"number"`
	} `json:"port"`
	Volume      map[string]Volume   `json:"volume"`
	Secret      map[string]struct{} `json:"secret"`
	Certificate map[string]struct{} `json:"certificate"`
	CA          map[string]struct{} `json:"ca"`
}

// Volume is a registered volume.
type Volume struct {
	// Size is the amount that each instance has, in Unit; "" for one that is not known.
	Size json.Number `json:"size,omitempty"`
	Unit string      `json:"unit"`
	// Class is the storage class on Kubernetes, "" for the cluster's default.
	Class string `json:"class"`
	// Shared is whether all instances mount one claim of the volume's name.
	Shared bool `json:"shared"`
}

// decode reads what spread.Environment has made of the file of a name.
func decode(d *value.Data, file string) (*Environment, diag.List) {
	e := &Environment{Pos: d.Pos}
	if err := json.Unmarshal([]byte(d.JSON()), e); err != nil {
		return nil, diag.List{diag.New(diag.Internal, d.Pos, "an environment cannot be read: %v", err)} // the model has seen to it
	}
	for _, section := range d.Get("config").Each() {
		if len(section.Value.Each()) > 0 {
			e.Config = d.Get("config")
		}
	}
	return e, e.words(d, file)
}

// Lowering are the options for the environment's target.
func (e *Environment) Lowering() targets.Options {
	o := targets.Options{
		Namespace: e.Namespace, Ingress: e.Options.Ingress, IngressClass: e.Options.IngressClass,
		ResolverImage: e.Options.ResolverImage, Pull: e.Options.Pull, VolatileClass: e.Options.VolatileClass,
		Placement: e.Placement, Namespaces: e.Namespaces, CreateNamespace: e.Options.CreateNamespace, APIServers: e.Options.APIServers,
		Domains: map[string]string{}, Ports: map[string]int32{}, Volumes: map[string]string{}, Classes: map[string]string{}, Claims: map[string]bool{},
	}
	for id, domain := range e.Resource.Domain {
		o.Domains[id] = domain.Host
	}
	for id, port := range e.Resource.Port {
		o.Ports[id] = port.Number
	}
	for id, volume := range e.Resource.Volume {
		switch {
		case volume.Shared:
			o.Claims[id] = true
		case volume.Size != "":
			o.Volumes[id] = volume.Size.String() + volume.Unit
		}
		if volume.Class != "" {
			o.Classes[id] = volume.Class
		}
	}
	return o
}

// NameLabel is the label by which selectors find an environment by its name; no file says it.
const NameLabel = "name"

// SolutionLabels are the labels of a solution that is made for the environment.
func (e *Environment) SolutionLabels() map[string]string {
	labels := map[string]string{targets.EnvironmentLabel: e.Name}
	maps.Copy(labels, e.Labels)
	return labels
}

// Check finds the ids that a solution names and the environment does not have: each
// once, where the deployment names it.
func (e *Environment) Check(s *solution.Solution) diag.List {
	c := checker{e, s, map[[2]string]bool{}, nil}
	for _, name := range targets.Keys(s.Deployments) {
		d := s.Deployments[name]
		c.config(name, "", d.Config)
		for _, role := range targets.Keys(d.Artifact.Description.Role) {
			c.config(name, role, d.Artifact.Description.Role[role].Config)
		}
	}
	return c.problems.Sorted()
}

// Count is how many things are registered.
func (r Registered) Count() int {
	return len(r.Domain) + len(r.Port) + len(r.Volume) + len(r.Secret) + len(r.Certificate) + len(r.CA)
}
