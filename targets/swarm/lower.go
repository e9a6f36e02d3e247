package swarm

import (
	"fmt"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// Lower makes the parts of a stack, sorted by kind and name; [Encode] puts them
// together. It is a [targets.Target]. Of the options it takes the hosts of domains and the numbers
// of ports: a stack has no namespace, and is given its name when it is deployed.
func Lower(s *solution.Solution, o targets.Options) ([]targets.Object, diag.List) {
	told := toldAddresses(s)
	s, late := targets.Settle(s, o, address)
	if late.HasErrors() {
		return nil, late
	}
	b := &builder{
		solution: s, options: o, names: newNames(s), registered: map[string]string{}, objects: map[string]*targets.Object{},
		members: map[place][]member{}, clients: map[place][]*way{}, routes: map[string]*route{}, internet: map[place]bool{}, labelled: map[place]map[string]string{}, domains: targets.Domains(s, o), around: map[string]bool{}, dependencies: targets.Dependencies(s), told: told, problems: late,
	}
	if b.names.room < minRoom {
		b.broken(diag.TargetName, "the solution's name %q has %d characters, which leaves too few for the names of services: a service's name, with the stack's before it, may have %d; choose one of at most %d with --name", s.Ref.Name, len(s.Ref.Name), maxServiceName, targets.MaxStackName)
		return nil, b.problems
	}
	if stack := StackName(s.Ref.Name); stack != s.Ref.Name {
		b.problems = append(b.problems, diag.Warn(diag.TargetName, s.Position(s.Top, ""), "Swarm has no services of a stack called %q: deploy this one under the name %s", s.Ref.Name, stack))
	}
	b.problems = append(b.problems, targets.Builtins(s, "Swarm")...)
	b.plan()
	for _, name := range targets.Keys(s.Deployments) {
		roles := s.Deployments[name].Artifact.Description.Role
		for _, role := range targets.Keys(roles) {
			b.role(place{name, role})
		}
	}
	b.bandwidths()
	b.beside()
	for _, p := range b.ways {
		b.connect(p)
	}
	b.proxies()
	b.inbounds()
	b.accept()
	b.directly()
	b.isolate()
	b.addresses()
	keys := targets.Keys(b.objects)
	b.check(keys)
	return b.sorted(keys), b.problems
}

// place is a role of a deployment.
type place struct{ deployment, role string }

// String names the place in messages.
func (p place) String() string {
	if p.role == "" {
		return p.deployment
	}
	return fmt.Sprintf("role %s of %s", p.role, p.deployment)
}

// builder collects the parts of a stack.
type builder struct {
	solution *solution.Solution
	options  targets.Options
	names    names
	// registered are the ids of registered resources, by the kinds and
	// names that they have here.
	registered map[string]string
	objects    map[string]*targets.Object // by kind and name
	members    map[place][]member         // of a role, the principal one first
	ways       []*way
	clients    map[place][]*way // of each role, by channel
	routes     map[string]*route
	labelled   map[place]map[string]string // made once
	internet   map[place]bool              // roles that connect to the world outside
	asked      map[containerAt]bool        // whether a proxy asks a container's instances whether they are ready, on every way to them
	domains    map[string]bool             // at which the solution is asked itself
	direct     []direct                    // clients on networks of links
	unkept     []promise                   // bandwidths that are not kept free
	around     map[string]bool             // what was told of constraints of whole deployments
	// told are the names of services of other stacks that the solution's code is told, by the
	// channels that they are the addresses of.
	told map[solution.End]string
	// dependencies are the roles that are there for their clients.
	dependencies map[targets.RoleKey]*targets.Dependency
	problems     diag.List
}

// broken reports that no stack can be made.
func (b *builder) broken(code diag.Code, format string, args ...any) {
	b.problems = append(b.problems, &diag.Diagnostic{Code: code, Message: fmt.Sprintf(format, args...)})
}

// lost reports something that the solution says of a role and that the stack
// does not carry.
func (b *builder) lost(code diag.Code, at place, path []string, format string, args ...any) {
	if !targets.Known(code, b.solution, at.deployment, at.role, path) {
		b.problems = append(b.problems, targets.Lost(code, b.solution, at.deployment, at.role, path, format, args...))
	}
}

// add puts a part into the stack. The same external volume, config or secret
// may be added by several roles; it is then nobody's own.
func (b *builder) add(kind, name string, at place, value any) {
	key := kind + "/" + name
	if old, ok := b.objects[key]; ok && (old.Deployment != at.deployment || old.Role != at.role) {
		if kind == ServiceKind || kind == NetworkKind {
			b.broken(diag.TargetName, "role %s of %s and role %s of %s both lead to a %s %s: rename one of the roles", old.Role, old.Deployment, at.role, at.deployment, kind, name)
		}
		at = place{}
	}
	b.objects[key] = &targets.Object{Kind: kind, Name: name, Deployment: at.deployment, Role: at.role, Value: value}
}

// kinds is the order of objects, which is that of the file.
var kinds = []string{ServiceKind, NetworkKind, VolumeKind, ConfigKind, SecretKind}

func (b *builder) sorted(keys []string) []targets.Object {
	byKind := map[string][]targets.Object{}
	for _, key := range keys {
		o := b.objects[key]
		byKind[o.Kind] = append(byKind[o.Kind], *o)
	}
	objects := make([]targets.Object, 0, len(b.objects))
	for _, kind := range kinds {
		objects = append(objects, byKind[kind]...)
	}
	return objects
}
