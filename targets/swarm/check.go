package swarm

import (
	"kumiki.dev/diag"

	"kumiki.dev/targets"
)

// longest are the lengths of names that Swarm takes, by kinds.
var longest = map[string]int{ServiceKind: maxServiceName, ConfigKind: maxFileName, NetworkKind: maxServiceName}

// check reports what Swarm would refuse, or take and never do. Parts that do
// not fit together are a mistake of this package, the rest the solution's.
func (b *builder) check(keys []string) {
	published := map[int]string{}
	for _, key := range keys {
		o := b.objects[key]
		s, ok := o.Value.(*Service)
		if !ok {
			continue
		}
		for _, p := range s.Ports {
			if other, taken := published[p.Published]; taken {
				b.broken(diag.LostInbound, "port %d is published by %s and by %s: an inbound needs one of its own", p.Published, other, o.Name)
			}
			published[p.Published] = o.Name
		}
		b.checkService(o.Name, s)
	}
	for _, key := range keys {
		o := b.objects[key]
		if limit := longest[o.Kind]; limit > 0 && !external(o.Value) && len(StackName(b.solution.Ref.Name))+1+len(o.Name) > limit {
			b.broken(diag.TargetBroken, "the name of %s %s is too long", o.Kind, o.Name)
		}
	}
}

// external reports whether an object's value is there before the stack is.
func external(value any) bool {
	switch x := value.(type) {
	case *File:
		return x.External
	case *Volume:
		return x.External
	case *Network:
		return x.External
	}
	return false
}

// checkService checks what a service refers to, and that nothing lies in one
// place twice.
func (b *builder) checkService(name string, s *Service) {
	needs := func(kind, part string) {
		if _, ok := b.objects[kind+"/"+part]; !ok {
			b.broken(diag.TargetBroken, "service %s refers to a %s %s that the stack does not have", name, kind, part)
		}
	}
	for _, network := range targets.Keys(s.Networks) {
		needs(NetworkKind, network)
	}
	targets := map[string]bool{}
	once := func(target string) {
		if targets[target] {
			b.broken(diag.TargetFile, "service %s has two files or volumes at %s", name, target)
		}
		targets[target] = true
	}
	for _, f := range s.Configs {
		needs(ConfigKind, f.Source)
		once(f.Target)
	}
	for _, f := range s.Secrets {
		needs(SecretKind, f.Source)
		once(f.Target)
	}
	for _, m := range s.Volumes {
		if m.Source != "" {
			needs(VolumeKind, m.Source)
		}
		once(m.Target)
	}
}
