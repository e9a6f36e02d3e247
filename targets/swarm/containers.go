package swarm

import (
	"fmt"
	"slices"
	"strings"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// member is the service of one container of a role.
type member struct {
	container, name string
	service         *Service
}

// containerAt is a container of a role.
type containerAt struct {
	place
	container string
}

// role makes a service of each container of a role.
func (b *builder) role(at place) {
	role := b.solution.Deployments[at.deployment].Artifact.Description.Role[at.role]
	desc := role.Artifact.Description
	r := &roleOf{builder: b, at: at, role: role, hints: b.hints(at, b.solution.MetaOf(at.deployment, at.role))}
	r.depend()
	r.losses()
	r.channels()
	keys := principalFirst(&desc)
	for i, key := range keys {
		name := b.names.of(at.deployment, at.role)
		if i > 0 {
			name = b.names.of(at.deployment, at.role, key)
		}
		service := r.service(key, desc.Code[key])
		b.members[at] = append(b.members[at], member{key, name, service})
		b.add(ServiceKind, name, at, service)
	}
	if len(keys) > 1 {
		b.lost(diag.LostContainers, at, []string{"code"}, "%v has %d containers, which are services of their own on Swarm: they share neither localhost nor volumes%s", at, len(keys), leads(&desc))
	}
}

// leads says to which containers a component's channels lead, and what to write
// where that is a guess.
func leads(desc *solution.Description) string {
	var out, guessed []string
	for _, channels := range []map[string]*solution.Channel{desc.Srv.Server, desc.Srv.Duplex} {
		for _, name := range targets.Keys(channels) {
			port := channels[name].Port
			key, sure := desc.Listener(port)
			out = append(out, fmt.Sprintf(", channel %s leads to %s", name, key))
			if !sure {
				guessed = append(guessed, fmt.Sprint(port))
			}
		}
	}
	if len(guessed) > 0 {
		out = append(out, fmt.Sprintf("; nothing says which container listens at port %s: give that one a probe there, or call it main", strings.Join(guessed, ", ")))
	}
	return strings.Join(out, "")
}

// principalFirst is the component's containers. The first has the role's own name
// as a service: it is the one called main, else that where the first channel leads.
func principalFirst(desc *solution.Description) []string {
	first := desc.Principal()
	keys := targets.Keys(desc.Code)
	return append([]string{first}, filter.Out(keys, func(key string) bool { return key == first })...)
}

// member is the service where a target's requests arrive.
func (b *builder) member(t solution.Target) member {
	key, _ := b.roleAt(t).Artifact.Description.Listener(t.Server.Port)
	members := b.members[place{t.Deployment, t.Role}]
	return members[slices.IndexFunc(members, func(m member) bool { return m.container == key })]
}
