package kubernetes

import (
	"cmp"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"

	"kumiki.dev/diag"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// objectsOfRole is how many objects a role has at most, as a rule.
const objectsOfRole = 6

// Lower makes the objects of a solution. It is a [targets.Target].
func Lower(s *solution.Solution, o targets.Options) ([]targets.Object, diag.List) {
	s, late := targets.Settle(s, o, channelAddress(o))
	if late.HasErrors() {
		return nil, late
	}
	roles := 0
	for _, d := range s.Deployments {
		roles += len(d.Artifact.Description.Role)
	}
	b := &builder{
		solution: s, options: o, objects: make([]targets.Object, 0, roles*objectsOfRole), seen: make(map[[2]string]place, roles*objectsOfRole), registered: map[string]string{}, owners: map[string]place{},
		named: map[place]bool{}, clients: map[place][]*way{}, routes: map[string]*route{}, servers: map[place]*server{}, offered: map[string]solution.End{}, admitted: map[place][]admission{}, foreign: map[place]string{},
		labels: map[place]map[string]string{}, selectors: map[place]map[string]string{}, selected: map[[2]string]place{}, egress: map[place][]networkingv1.NetworkPolicyEgressRule{}, domains: targets.Domains(s, o), sizes: map[solution.ContainerSize]corev1.ResourceRequirements{}, around: map[string]bool{}, dependencies: targets.Dependencies(s),
	}
	b.problems = append(late, targets.Builtins(s, "Kubernetes")...)
	b.namespace()
	b.plan()
	for _, name := range targets.Keys(s.Deployments) {
		roles := s.Deployments[name].Artifact.Description.Role
		for _, role := range targets.Keys(roles) {
			b.role(place{name, role})
		}
	}
	b.userless()
	b.bandwidths()
	b.services()
	b.inbounds()
	b.policies()
	b.beside()
	b.inventory()
	return b.objects, b.problems
}

// sort puts the objects in the order in which they are created: the inventory
// first, so that what is there can always be found, and then by kind.
func (b *builder) sort(inventory string) {
	position := func(o targets.Object) int {
		if o.Kind == "ConfigMap" && o.Name == inventory {
			return inventoryRank
		}
		if n, ok := rank[o.Kind]; ok {
			return n
		}
		return rank["ConfigMap"] // an object that goes with the deployment
	}
	sorting.By(b.objects, func(x, y targets.Object) int {
		if x.Kind == y.Kind && x.Name != inventory && y.Name != inventory {
			return cmp.Compare(x.Name, y.Name)
		}
		return cmp.Or(cmp.Compare(position(x), position(y)), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Name, y.Name))
	})
}

// inventoryRank is that of the inventory, which is made before all that it lists.
const inventoryRank = 0

// rank is the order of kinds: what others refer to comes first, so that pods
// start at once.
var rank = map[string]int{
	"Namespace": inventoryRank - 1, "CustomResourceDefinition.apiextensions.k8s.io": inventoryRank, "ClusterRole." + rbacGroup: 1, "Role": 1,
	"ServiceAccount": 1, "ClusterRoleBinding." + rbacGroup: 2, "RoleBinding": 2, "NetworkPolicy": 2, "ConfigMap": 3, "Service": 4,
	"Deployment": 5, "StatefulSet": 6, "DaemonSet": 7, "Job": 7, "PodDisruptionBudget": 8, "HorizontalPodAutoscaler": 9,
	"Ingress": 10, "Gateway": 11, "HTTPRoute": 12, "TCPRoute": 13,
}

// place is a role of a deployment; role is "" for a deployment itself.
type place struct{ deployment, role string }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.deployment, q.deployment), cmp.Compare(p.role, q.role))
}

// containerAt is a container of a role.
type containerAt struct {
	place
	container string
}

// String names the place in messages.
func (p place) String() string {
	if p.role == "" {
		return p.deployment
	}
	return fmt.Sprintf("role %s of %s", p.role, p.deployment)
}

// builder collects the objects of a solution.
type builder struct {
	solution   *solution.Solution
	options    targets.Options
	objects    []targets.Object
	seen       map[[2]string]place // what objects were made for, by kind and name
	registered map[string]string   // ids of registered resources, by the names they have here
	owners     map[string]place    // of registered volumes
	problems   diag.List

	clients  map[place][]*way // of each role, by channel
	inbound  []*way           // of builtins
	outside  []*way           // of the top's own server channels
	named    map[place]bool   // whether a role uses run-time names
	routes   map[string]*route
	servers  map[place]*server
	accesses []access
	offered  map[string]solution.End // channels that others may link to, by those of [outsider]
	admitted map[place][]admission   // clients of other solutions, by the roles that they reach
	foreign  map[place]string        // roles of other solutions, with the names of those

	labels    map[place]map[string]string // of all objects of a place
	selectors map[place]map[string]string
	selected  map[[2]string]place                              // the roles that selectors are for, by the labels of deployment and role
	egress    map[place][]networkingv1.NetworkPolicyEgressRule // where roles connect to besides their channels
	domains   map[string]bool                                  // at which the solution is asked itself
	nobody    []containerAt                                    // containers that do not say whom they run as
	unkept    []promise                                        // bandwidths that are not kept free
	around    map[string]bool                                  // what was told of constraints of whole deployments
	// dependencies are the roles that are there for their clients.
	dependencies map[targets.RoleKey]*targets.Dependency
	sizes        map[solution.ContainerSize]corev1.ResourceRequirements
}

// at is the role at a place.
func (b *builder) at(p place) *solution.Role {
	return b.solution.Deployments[p.deployment].Artifact.Description.Role[p.role]
}

// broken reports that nothing sensible can be made.
func (b *builder) broken(code diag.Code, at place, path []string, format string, args ...any) {
	d := targets.Lost(code, b.solution, at.deployment, at.role, path, format, args...)
	d.Severity = diag.Error
	b.problems = append(b.problems, d)
}

// lost reports something that the solution says and that the objects do not
// carry.
func (b *builder) lost(code diag.Code, at place, path []string, format string, args ...any) {
	if !targets.Known(code, b.solution, at.deployment, at.role, path) {
		b.problems = append(b.problems, targets.Lost(code, b.solution, at.deployment, at.role, path, format, args...))
	}
}

// add takes an object, whose kind and name must be new.
func (b *builder) add(kind, name string, at place, value any) {
	o := targets.Object{Kind: kind, Name: name, Deployment: at.deployment, Role: at.role, Value: value}
	key := [2]string{kind, name}
	if old, ok := b.seen[key]; ok {
		b.broken(diag.TargetName, at, nil, "%v and %v both lead to a %s %s: rename one of them", old, at, kind, name)
		return
	}
	b.seen[key] = at
	b.objects = append(b.objects, o)
}
