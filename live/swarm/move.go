package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/moby/moby/api/types/mount"
	api "github.com/moby/moby/api/types/swarm"
	"github.com/moby/moby/client"

	"kumiki.dev/engine"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/live"
	"kumiki.dev/targets"
)

const (
	// closedKey is the label of nodes that kumiki has drained: until when and for which move, or
	// for good. It is written with the availability, so that a killed run leaves no node closed
	// that nobody knows of.
	closedKey = "kumiki.dev/closed"
	drained   = "drained"
)

// closedBy says in words what a mark means.
func closedBy(mark string) string {
	if mark == drained {
		return "kumiki drain has closed it"
	}
	until, _, _ := strings.Cut(mark, " ")
	return "kumiki drain is closing it, until " + until
}

// Movables implements [live.Drainer], with the tasks of all services: Swarm drains those of
// others as well. These have the name of their service in place of a deployment's.
func (s *Swarm) Movables(ctx context.Context, node string) ([]live.Movable, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	services, err := s.client.ServiceList(ctx, client.ServiceListOptions{})
	if err != nil {
		return nil, plainError(err)
	}
	tasks, err := s.client.TaskList(ctx, client.TaskListOptions{})
	if err != nil {
		return nil, plainError(err)
	}
	of := byService(tasks.Items)
	var out []live.Movable
	for _, service := range services.Items {
		for _, t := range of[service.ID] {
			if !alive(t) {
				continue
			}
			m := movable(service, t)
			if m.Node = s.node(ctx, t.NodeID); node == "" || m.Node == node {
				out = append(out, m)
			}
		}
	}
	sorting.By(out, func(a, b live.Movable) int { return compareText(a.String()+" "+a.ID, b.String()+" "+b.ID) })
	return out, nil
}

// alive reports whether a task has something that runs or is about to.
func alive(t api.Task) bool {
	switch t.Status.State {
	case api.TaskStateComplete, api.TaskStateShutdown, api.TaskStateFailed, api.TaskStateRejected, api.TaskStateRemove, api.TaskStateOrphaned:
		return false
	}
	return true
}

// movable is a task as one that leaves a node.
func movable(service api.Service, t api.Task) live.Movable {
	labels := service.Spec.Labels
	m := live.Movable{
		Place: engine.Place{Deployment: labels[targets.DeploymentLabel], Role: labels[targets.RoleLabel]}, Solution: labels[targets.SolutionLabel],
		Name: instanceName(service, t), ID: t.ID, Ends: service.Spec.Mode.Global != nil,
		Leaving: t.DesiredState == api.TaskStateShutdown || t.DesiredState == api.TaskStateRemove,
	}
	if m.Place.Deployment == "" {
		m.Place = engine.Place{Deployment: service.Spec.Name}
	}
	if volume := dataOf(t.Spec.ContainerSpec); volume != "" {
		m.Stateful, m.Volume = true, "what is in "+volume+" stays on the node, and elsewhere it begins with an empty one"
	}
	if p := t.Spec.RestartPolicy; p != nil && p.Condition == api.RestartPolicyConditionNone && !m.Ends {
		m.Lost = "it would be broken off, and Swarm starts it nowhere again, as its restart condition is none: wait until it has ended"
	}
	return m
}

// dataOf is what a container has on its node that outlives it, "" for nothing.
func dataOf(c *api.ContainerSpec) string {
	if c == nil {
		return ""
	}
	for _, m := range c.Mounts {
		if (m.Type == mount.TypeVolume || m.Type == mount.TypeBind) && m.Source != "" {
			name, _, _ := strings.Cut(m.Source, "{{") // what follows is filled in for each instance
			return fmt.Sprintf("%s %s", m.Type, name)
		}
	}
	return ""
}

// Close implements [live.Drainer]: the node is drained.
func (s *Swarm) Close(ctx context.Context, nodes []string, from string, until time.Time) error {
	mark := drained
	if !until.IsZero() {
		mark = until.UTC().Format(time.RFC3339) + " " + from
	}
	for _, name := range nodes {
		err := s.changeNode(ctx, name, func(spec *api.NodeSpec) (bool, error) {
			ours := spec.Labels[closedKey] != ""
			switch {
			case spec.Availability == api.NodeAvailabilityDrain && !ours: // by somebody else
				return false, nil
			case spec.Availability == api.NodeAvailabilityPause:
				return false, fmt.Errorf("%w: somebody has paused %s: docker node update --availability active %[2]s, and again", live.ErrStays, name)
			}
			setMark(spec, mark)
			spec.Availability = api.NodeAvailabilityDrain
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// setMark gives a node a mark, "" for none.
func setMark(spec *api.NodeSpec, mark string) {
	if mark == "" {
		delete(spec.Labels, closedKey)
		return
	}
	if spec.Labels == nil {
		spec.Labels = map[string]string{}
	}
	spec.Labels[closedKey] = mark
}

// Open implements [live.Drainer].
func (s *Swarm) Open(ctx context.Context, nodes []string) error {
	var failed []error
	for _, name := range nodes {
		failed = append(failed, s.changeNode(ctx, name, func(spec *api.NodeSpec) (bool, error) {
			if spec.Labels[closedKey] == "" {
				return false, nil
			}
			setMark(spec, "")
			if spec.Availability == api.NodeAvailabilityDrain {
				spec.Availability = api.NodeAvailabilityActive
			}
			return true, nil
		}))
	}
	return errors.Join(failed...)
}

// Reopen implements [live.Drainer].
func (s *Swarm) Reopen(ctx context.Context, from string, now time.Time) ([]string, error) {
	limit, cancel := limited(ctx)
	defer cancel()
	list, err := s.client.NodeList(limit, client.NodeListOptions{})
	if err != nil {
		return nil, plainError(err)
	}
	all := namesOf(list.Items)
	var names []string
	for _, n := range list.Items {
		end, of, _ := strings.Cut(n.Spec.Labels[closedKey], " ")
		until, err := time.Parse(time.RFC3339, end)
		if err != nil || now.Before(until) && of != from {
			continue
		}
		names = append(names, all[n.ID])
	}
	slices.Sort(names)
	return names, s.Open(ctx, names)
}

// changeNode changes the spec of a node on the version that was read, and again where somebody else
// has written in between. Change reports whether there is something to write.
func (s *Swarm) changeNode(ctx context.Context, name string, change func(*api.NodeSpec) (bool, error)) error {
	ctx, cancel := limited(ctx)
	defer cancel()
	for try := 1; ; try++ {
		list, err := s.client.NodeList(ctx, client.NodeListOptions{})
		if err != nil {
			return plainError(err)
		}
		names := namesOf(list.Items)
		at := slices.IndexFunc(list.Items, func(n api.Node) bool { return names[n.ID] == name })
		if at < 0 {
			return live.Missing("there is no node " + name)
		}
		n := list.Items[at]
		if write, err := change(&n.Spec); err != nil || !write {
			return err
		}
		_, err = s.client.NodeUpdate(ctx, n.ID, client.NodeUpdateOptions{Version: n.Version, Spec: n.Spec})
		if err == nil || try == 5 || !strings.Contains(err.Error(), "update out of sequence") {
			return plainError(err)
		}
	}
}
