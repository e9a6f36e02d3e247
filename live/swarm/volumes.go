package swarm

import (
	"cmp"
	"context"
	"strings"

	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/client"

	"kumiki.dev/engine"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/targets/swarm"
)

// Claims implements [live.System]: the volumes that instances have their data in, where the
// engine that is asked has them. Those of other nodes are on these alone.
func (s *Swarm) Claims(ctx context.Context, _ string, workloads []engine.About) ([]engine.About, error) {
	places := map[string]engine.Place{}
	for _, about := range workloads {
		s.mu.Lock()
		f := s.found[about.ID]
		s.mu.Unlock()
		if f.service == nil || f.service.Spec.TaskTemplate.ContainerSpec == nil {
			continue
		}
		for _, m := range f.service.Spec.TaskTemplate.ContainerSpec.Mounts {
			if m.Type == mount.TypeVolume && m.Source != "" {
				name, _, _ := strings.Cut(m.Source, "{{") // what follows is filled in for each instance
				places[name] = about.Place
			}
		}
	}
	if len(places) == 0 {
		return nil, nil
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	list, err := s.client.VolumeList(ctx, client.VolumeListOptions{})
	if err != nil {
		return nil, plainError(err)
	}
	var out []engine.About
	for _, v := range list.Items {
		base := v.Name
		if _, ok := places[base]; !ok {
			base = strings.TrimRight(base, "0123456789")
			base = strings.TrimSuffix(base, "-")
		}
		if place, ok := places[base]; ok {
			out = append(out, engine.About{ID: engine.ID{Kind: swarm.VolumeKind, Name: v.Name}, Place: place, Volume: place.String() + "/" + base})
		}
	}
	sorting.By(out, func(a, b engine.About) int { return cmp.Compare(a.Name, b.Name) })
	return out, nil
}

// removeVolume removes a volume of this engine, and first the services that have it: nothing
// else can be done with one while it is in use.
func (s *Swarm) removeVolume(ctx context.Context, about engine.About) error {
	s.mu.Lock()
	var users []string
	for _, f := range s.found {
		if f.service == nil || f.service.Spec.TaskTemplate.ContainerSpec == nil {
			continue
		}
		for _, m := range f.service.Spec.TaskTemplate.ContainerSpec.Mounts {
			name, _, _ := strings.Cut(m.Source, "{{")
			if m.Type == mount.TypeVolume && name != "" && strings.HasPrefix(about.Name, name) {
				users = append(users, f.id)
			}
		}
	}
	s.mu.Unlock()
	for _, id := range users {
		_, _ = s.client.ServiceRemove(ctx, id, client.ServiceRemoveOptions{}) // it may be gone
	}
	_, err := s.client.VolumeRemove(ctx, about.Name, client.VolumeRemoveOptions{})
	return err
}
