package swarm

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/moby/moby/api/types/events"
	api "github.com/moby/moby/api/types/swarm"
	"github.com/moby/moby/client"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/targets"
	"kumiki.dev/targets/swarm"
)

// The pauses between two looks at tasks. Swarm tells of services that change, and of tasks
// nothing: they have to be looked at.
const (
	shortPause = 150 * time.Millisecond
	longPause  = time.Second
)

// Watch implements [live.Target]. Beside the services it tells of instances that are not well:
// they have the place that they belong to, and why. It begins with what is there.
func (s *Swarm) Watch(ctx context.Context, solution string, objects []engine.About, changed func(engine.Seen) bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	stream := s.client.Events(ctx, client.EventsListOptions{Filters: make(client.Filters).Add("type", string(events.ServiceEventType))})
	w := watching{s: s, name: swarm.StackName(solution), objects: objects, said: map[engine.ID]string{}, changed: changed}
	pause := shortPause
	for {
		news, err := w.look(ctx)
		switch {
		case w.ended:
			return nil
		case err != nil:
			return err
		case news:
			pause = shortPause
		default:
			pause = min(pause*3/2, longPause)
		}
		select {
		case <-stream.Messages:
			pause = shortPause
		case err := <-stream.Err:
			if err == nil {
				err = errors.New("the engine tells of no more events")
			}
			return err
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watching tells of what differs from what was told.
type watching struct {
	s       *Swarm
	name    string
	objects []engine.About
	said    map[engine.ID]string
	changed func(engine.Seen) bool
	ended   bool
}

// look lists the stack's services, and reports whether there was something to tell.
func (w *watching) look(ctx context.Context) (news bool, err error) {
	tasks, err := w.s.services(ctx, w.name)
	if err != nil {
		return false, err
	}
	for _, about := range w.objects {
		w.s.mu.Lock()
		f, there := w.s.found[about.ID]
		w.s.mu.Unlock()
		if !there {
			news = w.tell(engine.Seen{About: about}, "gone") || news
			continue
		}
		seen := engine.Seen{About: about, Solution: f.labels["kumiki.dev/solution"]}
		if err := w.s.describe(ctx, &seen, f, tasks); err != nil {
			return news, err
		}
		if h := healthOf(*f.service, tasks[f.id]); h.bad != nil {
			pod := engine.Seen{About: engine.About{ID: engine.ID{Kind: "Task", Namespace: about.Namespace, Name: about.Name}, Place: about.Place}, Value: map[string]any{}, Why: w.s.trouble(ctx, *f.service, *h.bad)}
			news = w.tell(pod, pod.Why) || news
		}
		news = w.tell(seen, fmt.Sprint(f.version.Index, seen.Health, seen.Ready, seen.Wanted, seen.Why)) || news
		if w.ended {
			break
		}
	}
	return news, nil
}

func (w *watching) tell(seen engine.Seen, text string) bool {
	if w.ended || w.said[seen.ID] == text {
		return false
	}
	w.said[seen.ID] = text
	w.ended = !w.changed(seen)
	return true
}

// Reasons implements [live.Target].
func (s *Swarm) Reasons(ctx context.Context, solution string, place engine.Place) (string, error) {
	tasks, err := s.services(ctx, swarm.StackName(solution))
	if err != nil {
		return "", err
	}
	for _, service := range s.of(solution, place) {
		h := healthOf(service, tasks[service.ID])
		if h.bad == nil && h.health != engine.Healthy {
			h.bad = failure(latest(tasks[service.ID]))
		}
		if h.bad != nil {
			why := s.trouble(ctx, service, *h.bad)
			if h.why != "" {
				why = h.why + ": " + why
			}
			return why, nil
		}
	}
	return "", nil
}

// of are the services of a place that were listed last.
func (s *Swarm) of(solution string, place engine.Place) []api.Service {
	labels := targets.ForeignLabels(solution, place.Deployment, place.Role)
	return filter.Out(s.listed(), func(service api.Service) bool {
		is := service.Spec.Labels
		return is[targets.DeploymentLabel] != labels[targets.DeploymentLabel] || is[targets.RoleLabel] != labels[targets.RoleLabel]
	})

}

// listed are the services that were listed last, by names.
func (s *Swarm) listed() []api.Service {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []api.Service
	for _, f := range s.found {
		if f.service != nil {
			out = append(out, *f.service)
		}
	}
	sorting.By(out, func(a, b api.Service) int { return compareText(a.Spec.Name, b.Spec.Name) })
	return out
}
