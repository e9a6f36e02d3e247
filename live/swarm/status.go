package swarm

import (
	"cmp"
	"context"
	"slices"
	"time"

	api "github.com/moby/moby/api/types/swarm"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/live"
	"kumiki.dev/targets/swarm"
)

func compareText(a, b string) int { return cmp.Compare(a, b) }

// Status implements [live.System]. Of tasks Swarm remembers the last few of each instance: those
// before the present one are its restarts.
func (s *Swarm) Status(ctx context.Context, r *live.Record, seen []engine.Seen) ([]live.Status, error) {
	limit, cancel := limited(ctx)
	defer cancel()
	list, err := s.tasks(limit, swarm.StackName(r.Solution))
	if err != nil {
		return nil, plainError(err)
	}
	tasks := byService(list.Items)
	out := []live.Status{}
	for _, m := range r.Objects {
		if !m.Runs {
			continue
		}
		one := live.Status{Place: m.Place.String(), Object: m.ID.String(), Health: "missing", Stopped: filter.Any(r.Stopped, m.Place.Within)}
		s.mu.Lock()
		f := s.found[m.ID]
		s.mu.Unlock()
		if at := slices.IndexFunc(seen, func(o engine.Seen) bool { return o.ID == m.ID }); at >= 0 && f.service != nil {
			o := seen[at]
			one.Health, one.Ready, one.Wanted, one.Why = string(o.Health), o.Ready, o.Wanted, o.Why
			one.Since = o.Since.UTC().Format(time.RFC3339)
			if box := f.service.Spec.TaskTemplate.ContainerSpec; box != nil {
				one.Images = []string{unpinned(box.Image, f.service.Spec.Labels[imageLabel])}
			}
			s.instances(ctx, &one, *f.service, tasks[f.id])
		}
		out = append(out, one)
	}
	sorting.By(out, func(a, b live.Status) int { return compareText(a.Place+" "+a.Object, b.Place+" "+b.Object) })
	return out, nil
}

// instances adds what the tasks of a service say.
func (s *Swarm) instances(ctx context.Context, one *live.Status, service api.Service, tasks []api.Task) {
	for _, slot := range latest(tasks) {
		t := slot[0]
		i := live.Instance{Name: instanceName(service, t), Node: s.node(ctx, t.NodeID), Phase: string(t.Status.State)}
		for at, t := range slot {
			if at > 0 && ended(t) {
				i.Restarts++
			}
			if c := t.Status.ContainerStatus; t.Status.State == api.TaskStateFailed && c != nil && len(i.Exits) == 0 {
				i.Exits = append(i.Exits, live.Exit{Container: service.Spec.Name, Code: c.ExitCode, Reason: t.Status.Err, At: t.Status.Timestamp.UTC().Format(time.RFC3339Nano)})
			}
		}
		one.Restarts += i.Restarts
		if t.Status.State != api.TaskStateRunning && (t.DesiredState == api.TaskStateShutdown || t.DesiredState == api.TaskStateRemove) {
			continue // it is not wanted any more
		}
		for _, n := range t.NetworksAttachments {
			if len(n.Addresses) > 0 {
				i.Address = n.Addresses[0].Addr().String()
				break
			}
		}
		one.Instances = append(one.Instances, i)
	}
}

// ended reports whether a task has come to an end by itself.
func ended(t api.Task) bool {
	return t.Status.State == api.TaskStateFailed || t.Status.State == api.TaskStateRejected || t.Status.State == api.TaskStateComplete
}
