package swarm

import (
	"strings"

	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// Needs lists what a stack refers to and a swarm has to have before it: external
// secrets, configs, volumes and networks. The solution gives the ids that things are registered
// with.
func Needs(s *solution.Solution, objects []targets.Object, _ targets.Options) ([]*targets.Need, error) {
	externals := map[[2]string]*targets.Object{}
	for i, o := range objects {
		if external(o.Value) {
			externals[[2]string{o.Kind, o.Name}] = &objects[i]
		}
	}
	ids := registrations(s)
	n := &targets.Needs{}
	for _, o := range objects {
		service, ok := o.Value.(*Service)
		if !ok {
			continue
		}
		for _, used := range service.uses() {
			if e := externals[used]; e != nil {
				describe(n, *e, o, ids)
			}
		}
	}
	return n.Sorted(), nil
}

// uses are the kinds and names of what a service has in its containers.
func (s *Service) uses() [][2]string {
	var used [][2]string
	for _, f := range s.Configs {
		used = append(used, [2]string{ConfigKind, f.Source})
	}
	for _, f := range s.Secrets {
		used = append(used, [2]string{SecretKind, f.Source})
	}
	for _, v := range s.Volumes {
		used = append(used, [2]string{VolumeKind, v.Source})
	}
	for _, network := range targets.Keys(s.Networks) {
		used = append(used, [2]string{NetworkKind, network})
	}
	return used
}

// describe adds the need of an external object, which another one has.
func describe(n *targets.Needs, o, by targets.Object, ids map[[2]string]string) {
	name, each := externalName(o)
	need := n.Of(o.Kind, name, by)
	base := name
	switch {
	case o.Kind == NetworkKind:
		need.Note, need.Command = "one for both stacks of a link, before either", "docker network create --driver overlay --internal "+name
	case o.Kind == VolumeKind:
		need.Note, need.Command = "on every node, or by a driver that makes it", "docker volume create "+name
		if each {
			need.Note += "; instance 2 has " + name + "-2, and so on"
		}
	case o.Kind == SecretKind && strings.HasSuffix(name, caSuffix):
		need.Note, need.Command = "certificates that clients' are checked with", "docker secret create "+name+" FILE"
	case o.Kind == SecretKind && strings.HasSuffix(name, certificateSuffix):
		need.Note, need.Command = "certificate, chain and key in one file", "docker secret create "+name+" FILE"
	case o.Kind == SecretKind:
		need.Command = "docker secret create " + name + " FILE"
	case strings.HasSuffix(name, domainSuffix):
		base = strings.TrimSuffix(name, domainSuffix)
		need.Note, need.Command = "one host a line; --domain "+base+"=HOST says it otherwise", "echo HOST | docker config create "+name+" -"
	case strings.HasSuffix(name, portSuffix):
		base = strings.TrimSuffix(name, portSuffix)
		need.Note, need.Command = "the number; --port "+base+"=NUMBER says it otherwise", "echo NUMBER | docker config create "+name+" -"
	}
	if id := ids[[2]string{o.Kind, name}]; !strings.HasPrefix(name, id) {
		need.ID = id
	}
}

// externalName is the name in the swarm, and whether each instance has one of its own.
func externalName(o targets.Object) (name string, each bool) {
	if v, ok := o.Value.(*Volume); ok {
		return strings.CutSuffix(v.Name, slots)
	}
	if v, ok := o.Value.(*Network); ok {
		return v.Name, false
	}
	return o.Value.(*File).Name, false
}

// registrations are the ids of a solution by the kinds and names that things may have
// in the swarm.
func registrations(s *solution.Solution) map[[2]string]string {
	ids := map[[2]string]string{}
	for _, id := range targets.RegisteredIDs(s) {
		for _, of := range [][2]string{{VolumeKind, ""}, {SecretKind, secretSuffix}, {SecretKind, certificateSuffix}, {SecretKind, caSuffix}, {ConfigKind, domainSuffix}, {ConfigKind, portSuffix}} {
			ids[[2]string{of[0], registeredName(of[0], id, of[1])}] = id
		}
	}
	return ids
}
