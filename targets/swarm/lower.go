package swarm

import (
	"fmt"
	"slices"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// Lower makes the parts of a stack, sorted by kind and name; [Encode] puts them
// together. It is a [targets.Target]. Of the options it takes the hosts of domains and the numbers
// of ports: a stack has no namespace, and is given its name when it is deployed.
func Lower(s *solution.Solution, o targets.Options) ([]targets.Object, diag.List) {
	b := &builder{
		solution: s, options: o, names: newNames(s), registered: map[string]string{}, objects: map[string]*targets.Object{},
		services: map[place][]*Service{}, routes: map[string]*route{}, internet: map[place]bool{}, labelled: map[place]map[string]string{},
	}
	if b.names.room < minRoom {
		b.broken(diag.TargetName, "the solution's name %q has %d characters, which leaves too few for the names of services: a service's name, with the stack's before it, may have %d; choose one of at most %d with --name", s.Ref.Name, len(s.Ref.Name), maxServiceName, maxServiceName-1-minRoom)
		return nil, b.problems
	}
	if stack := StackName(s.Ref.Name); stack != s.Ref.Name {
		b.problems = append(b.problems, diag.Warn(diag.TargetName, s.Position(s.Top, ""), "Swarm has no services of a stack called %q: deploy this one under the name %s", s.Ref.Name, stack))
	}
	b.plan()
	for _, name := range targets.Keys(s.Deployments) {
		roles := s.Deployments[name].Artifact.Description.Role
		for _, role := range targets.Keys(roles) {
			b.role(place{name, role})
		}
	}
	for _, p := range b.ways {
		b.connect(p)
	}
	b.proxies()
	b.inbounds()
	b.isolate()
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
	services   map[place][]*Service       // of a role, the one that serves its channels first
	ways       []*way
	routes     map[string]*route
	labelled   map[place]map[string]string // made once
	internet   map[place]bool              // roles that connect to the world outside
	asked      map[place]bool              // whether a proxy asks the role's instances whether they are ready, on every way to them
	problems   diag.List
}

// broken reports that no stack can be made.
func (b *builder) broken(code diag.Code, format string, args ...any) {
	b.problems = append(b.problems, &diag.Diagnostic{Code: code, Message: fmt.Sprintf(format, args...)})
}

// lost reports something that the solution says of a role and that the stack
// does not carry.
func (b *builder) lost(code diag.Code, at place, path []string, format string, args ...any) {
	b.problems = append(b.problems, targets.Lost(code, b.solution, at.deployment, at.role, path, format, args...))
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

// role makes a service of each container of a role.
func (b *builder) role(at place) {
	role := b.solution.Deployments[at.deployment].Artifact.Description.Role[at.role]
	desc := role.Artifact.Description
	containers := serving(&desc)
	r := &roleOf{builder: b, at: at, role: role, hints: b.hints(at, role.Meta)}
	r.losses()
	for i, key := range containers {
		name := b.names.of(at.deployment, at.role)
		if i > 0 {
			name = b.names.of(at.deployment, at.role, key)
		}
		service := r.service(key, desc.Code[key])
		b.services[at] = append(b.services[at], service)
		b.add(ServiceKind, name, at, service)
	}
	if len(containers) > 1 {
		b.lost(diag.LostContainers, at, []string{"code"}, "%v has %d containers, which are services of their own on Swarm: they share neither localhost nor volumes, and all channels lead to %s", at, len(containers), containers[0])
	}
}

// serving is the component's containers, the one that its channels lead to
// first: one that is asked for its health at the port of a channel, if any is.
func serving(desc *solution.Description) []string {
	keys := targets.Keys(desc.Code)
	ports := map[int]bool{}
	for _, channels := range []map[string]*solution.Channel{desc.Srv.Server, desc.Srv.Duplex} {
		for _, c := range channels {
			ports[c.Port] = true
		}
	}
	main := max(0, slices.IndexFunc(keys, func(key string) bool {
		p := desc.Probe[key]
		return p != nil && (ports[portOf(p.Liveness)] || ports[portOf(p.Readiness)])
	}))
	first := keys[main]
	return append([]string{first}, slices.Delete(keys, main, main+1)...)
}
