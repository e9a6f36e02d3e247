package targets

import (
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
)

// Target turns a solution into objects. Its diagnostics are the losses: what
// the solution says and the target cannot carry, as warnings with a code that
// begins with "lost/", and errors where nothing sensible can be made at all.
// The same solution and options give the same objects in the same order, which
// is one in which they can be created. It takes a solution that
// [solution.Verify] accepts, and does not change it.
type Target func(*solution.Solution, Options) ([]Object, diag.List)

// Options say how the objects are to be made; the zero value is good.
type Options struct {
	// Namespace is where the objects go on targets that have namespaces, "" for
	// the one that the user's tool is set to.
	Namespace string `json:"namespace,omitempty"`
	// Namespaces are where other solutions are, by the names of their deployments; those
	// that are not here are in the same one.
	Namespaces map[string]string `json:"namespaces,omitempty"`
	// CreateNamespace adds the namespace itself to the objects of Kubernetes.
	CreateNamespace bool `json:"createNamespace,omitempty"`
	// APIServers are the ranges of addresses that Kubernetes' API server is found at, for
	// roles that ask it; none are all.
	APIServers []string `json:"apiServers,omitempty"`
	// Unfilled lets values that are not known yet be what stands for them: for looking at
	// objects, which are not to be created then.
	Unfilled bool `json:"unfilled,omitempty"`
	// Ingress is how traffic is let in on Kubernetes: "ingress" (also for "") or
	// "gateway".
	Ingress string `json:"ingress,omitempty"`
	// IngressClass is who lets traffic in on Kubernetes: the class of Ingresses, ""
	// for the cluster's default, or of Gateways.
	IngressClass string `json:"ingressClass,omitempty"`
	// ResolverImage is the image of the sidecar that answers for the run-time
	// names of channels on Kubernetes; "" for the one that goes with kumiki.
	ResolverImage string `json:"resolverImage,omitempty"`
	// Pull is whether nodes ask registries again for images that they have, on
	// Kubernetes: "Always", "IfNotPresent" or "Never"; with "" those without a digest.
	Pull string `json:"pull,omitempty"`
	// VolatileClass is the storage class of volatile volumes on Kubernetes; with ""
	// they are directories of the node.
	VolatileClass string `json:"volatileClass,omitempty"`
	// Domains are the hosts of registered domains, and Ports the numbers of
	// registered ports, by their ids.
	Domains map[string]string `json:"domains,omitempty"`
	Ports   map[string]int32  `json:"ports,omitempty"`
	// Volumes are the sizes of registered volumes, by their ids. Claims are the ids
	// of those that are one claim of that name on Kubernetes, rather than one for
	// each instance.
	Volumes map[string]string `json:"volumes,omitempty"`
	Claims  map[string]bool   `json:"claims,omitempty"`
	// Classes are the storage classes of registered volumes on Kubernetes, by their
	// ids; the cluster's default for those that have none here.
	Classes map[string]string `json:"classes,omitempty"`
	// Placement is on which nodes the instances of all roles run, besides what the roles
	// ask for.
	Placement []NodeHint `json:"placement,omitempty"`
}

// Class is the storage class of a registered volume, nil for the cluster's default.
func (o Options) Class(id string) *string {
	if class, ok := o.Classes[id]; ok {
		return &class
	}
	return nil
}

// NamespaceOf is the namespace of a deployment of another solution, or that of the
// deployment that it is made of; "" where nothing is said.
func (o Options) NamespaceOf(deployment string) string {
	for at := deployment; ; {
		if namespace, ok := o.Namespaces[at]; ok {
			return namespace
		}
		i := strings.LastIndex(at, ".")
		if i < 0 {
			return ""
		}
		at = at[:i]
	}
}

// Object is one object of a target.
type Object struct {
	// Kind and Name identify it among the objects of a solution.
	Kind, Name string
	// Deployment and Role are what it was made for; Role is "" for an object of
	// the deployment, both are for one of the whole solution.
	Deployment, Role string
	// Value is the object as the target's tools read it, in types that
	// encoding/json marshals.
	Value any
}

// Lost is a loss at a path of the solution: pos is where the author wrote it,
// where that is known.
func Lost(code diag.Code, s *solution.Solution, deployment, role string, path []string, format string, args ...any) *diag.Diagnostic {
	at := []string{"deployments", deployment}
	if role != "" {
		at = append(at, "role", role)
	}
	return diag.Warn(code, s.Position(deployment, role, path...), format, args...).AtPath(append(at, path...)...)
}

// Known reports whether the sources say that a loss is known.
func Known(code diag.Code, s *solution.Solution, deployment, role string, path []string) bool {
	return len(s.Acknowledged) > 0 && s.Acknowledged.Cover(code, s.Position(deployment, role, path...))
}
