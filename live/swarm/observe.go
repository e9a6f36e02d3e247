package swarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	api "github.com/moby/moby/api/types/swarm"
	"github.com/moby/moby/client"

	"kumiki.dev/engine"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/live"
	"kumiki.dev/targets"
	"kumiki.dev/targets/swarm"
)

// found is an object as the swarm has it.
type found struct {
	id      string
	version api.Version
	service *api.Service
	config  *api.Config
	labels  map[string]string
	network map[string]any
}

// Observe implements [live.Target]: one list for each kind, and one of tasks.
func (s *Swarm) Observe(ctx context.Context, solution string, desired []engine.Object, made []engine.Made) ([]engine.Seen, error) {
	known, recorded := map[engine.ID]engine.About{}, map[engine.ID]bool{}
	for _, m := range made {
		known[m.ID], recorded[m.ID] = m.About, m.Hash != "" // else it was only about to be made
	}
	for _, o := range desired {
		known[o.ID] = o.About
	}
	name := swarm.StackName(solution)
	tasks, err := s.list(ctx, name)
	if err != nil {
		return nil, err
	}
	var out []engine.Seen
	for id, f := range s.found {
		about, wanted := known[id]
		if !wanted {
			about = aboutOf(id, f)
		}
		seen := engine.Seen{About: about, Solution: s.owner(solution, f, recorded[id])}
		if seen.Solution != solution {
			seen.Owner = ownerOf(f)
		}
		if err := s.describe(ctx, &seen, f, tasks); err != nil {
			return nil, err
		}
		out = append(out, seen)
	}
	sorting.By(out, func(a, b engine.Seen) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	return out, nil
}

// aboutOf is what is known of an object that is in no record and is not desired.
func aboutOf(id engine.ID, f found) engine.About {
	about := engine.About{ID: id, Place: engine.Place{Deployment: f.labels[targets.DeploymentLabel], Role: f.labels[targets.RoleLabel]}}
	if f.service != nil {
		about.Stage, about.Runs = running, true
	}
	return about
}

// owner is whose an object is. A network keeps the labels that it was made with: one that was
// taken over is known by the record alone.
func (s *Swarm) owner(solution string, f found, recorded bool) string {
	if f.labels[targets.SolutionLabel] == solutionLabel(solution) || f.network != nil && recorded {
		return solution
	}
	return f.labels[targets.SolutionLabel]
}

func ownerOf(f found) string {
	if other := f.labels[targets.SolutionLabel]; other != "" {
		return "it is solution " + other + "'s"
	}
	if other := f.labels[stackLabel]; other != "" {
		return "it is there already, as a part of stack " + other
	}
	return "it is there already, and nothing says who made it"
}

// describe fills in how an object is.
func (s *Swarm) describe(ctx context.Context, seen *engine.Seen, f found, tasks map[string][]api.Task) error {
	var err error
	switch {
	case f.service != nil:
		seen.Value, err = plainly(f.service.Spec, s.networkNames())
		seen.Since = f.service.CreatedAt
		h := healthOf(*f.service, tasks[f.id])
		seen.Health, seen.Ready, seen.Wanted, seen.Why = h.health, h.ready, h.wanted, h.why
		if h.bad != nil {
			seen.Why = strings.TrimPrefix(seen.Why+": "+s.trouble(ctx, *f.service, *h.bad), ": ")
			seen.Again = withCredentials(*h.bad)
		}
	case f.config != nil:
		seen.Value, seen.Since = plainConfig(f.config.Spec), f.config.CreatedAt
	default:
		seen.Value = f.network
	}
	return err
}

// list reads all of a stack, and what its services refer to by IDs.
func (s *Swarm) list(ctx context.Context, name string) (map[string][]api.Task, error) {
	limit, cancel := limited(ctx)
	defer cancel()
	var configs client.ConfigListResult
	var networks client.NetworkListResult
	asks := []func() (err error){
		func() (err error) {
			configs, err = s.client.ConfigList(limit, client.ConfigListOptions{Filters: make(client.Filters).Add("name", name+"_")})
			return err
		},
		func() (err error) {
			networks, err = s.client.NetworkList(limit, client.NetworkListOptions{Filters: make(client.Filters).Add("scope", "swarm")})
			return err
		},
	}
	if err := live.Each(limit, len(asks), func(i int) error { return plainError(asks[i]()) }); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.found, s.ids = map[engine.ID]found{}, map[string]string{}
	for i := range configs.Items {
		s.takeConfig(name, &configs.Items[i])
	}
	for _, n := range networks.Items {
		s.ids[key(swarm.NetworkKind, n.Name)] = n.ID
		if part, ok := strings.CutPrefix(n.Name, name+"_"); ok {
			s.found[engine.ID{Kind: swarm.NetworkKind, Namespace: name, Name: part}] = found{id: n.ID, labels: n.Labels, network: plainNetwork(n.Driver, n.Internal, n.Attachable)}
		}
	}
	s.mu.Unlock()
	return s.services(ctx, name)
}

// services reads the services of a stack anew, and its tasks.
func (s *Swarm) services(ctx context.Context, name string) (map[string][]api.Task, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	var services client.ServiceListResult
	var tasks client.TaskListResult
	asks := []func() (err error){
		func() (err error) { services, err = s.client.ServiceList(ctx, client.ServiceListOptions{}); return err },
		func() (err error) { tasks, err = s.tasks(ctx, name); return err },
	}
	if err := live.Each(ctx, len(asks), func(i int) error { return plainError(asks[i]()) }); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken = map[uint32]string{}
	maps.DeleteFunc(s.found, func(_ engine.ID, f found) bool { return f.service != nil })
	for i := range services.Items {
		s.takeService(name, &services.Items[i])
	}
	return byService(tasks.Items), nil
}

func (s *Swarm) tasks(ctx context.Context, name string) (client.TaskListResult, error) {
	return s.client.TaskList(ctx, client.TaskListOptions{Filters: make(client.Filters).Add("label", stackLabel+"="+name)})
}

func byService(tasks []api.Task) map[string][]api.Task {
	out := map[string][]api.Task{}
	for _, t := range tasks {
		out[t.ServiceID] = append(out[t.ServiceID], t)
	}
	return out
}

func (s *Swarm) takeService(name string, service *api.Service) {
	for _, p := range service.Endpoint.Ports {
		s.taken[p.PublishedPort] = service.Spec.Name
	}
	if service.Spec.EndpointSpec != nil {
		for _, p := range service.Spec.EndpointSpec.Ports {
			s.taken[p.PublishedPort] = service.Spec.Name
		}
	}
	if part, ok := strings.CutPrefix(service.Spec.Name, name+"_"); ok {
		s.found[engine.ID{Kind: swarm.ServiceKind, Namespace: name, Name: part}] = found{id: service.ID, version: service.Version, service: service, labels: service.Spec.Labels}
	}
}

func (s *Swarm) takeConfig(name string, config *api.Config) {
	s.ids[key(swarm.ConfigKind, config.Spec.Name)] = config.ID
	part, ok := strings.CutPrefix(config.Spec.Name, name+"_")
	if ok && config.Spec.Labels[inventoryLabel] == "" {
		s.found[engine.ID{Kind: swarm.ConfigKind, Namespace: name, Name: part}] = found{id: config.ID, version: config.Version, config: config, labels: config.Spec.Labels}
	}
}

// networkNames are the names of networks by their IDs.
func (s *Swarm) networkNames() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := map[string]string{}
	for k, id := range s.ids {
		if name, ok := strings.CutPrefix(k, key(swarm.NetworkKind, "")); ok {
			names[id] = name
		}
	}
	return names
}

// Reveal implements [live.Target]: Swarm keeps nobody's name, but says when it was itself.
func (s *Swarm) Reveal(seen engine.Seen, differences []engine.Difference) {
	s.mu.Lock()
	f := s.found[seen.ID]
	s.mu.Unlock()
	if f.service == nil || f.service.UpdateStatus == nil || !strings.HasPrefix(string(f.service.UpdateStatus.State), "rollback") {
		return
	}
	for i := range differences {
		differences[i].By = "Swarm, which went back to the version before"
	}
}

// plainError is an error of the engine without what its layers put around it.
func plainError(err error) error {
	if err == nil {
		return nil
	}
	message := err.Error()
	_, after, ok := strings.Cut(message, " desc = ")
	if !ok {
		after = strings.TrimPrefix(message, "Error response from daemon: ")
	}
	if after == message || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return err
	}
	return said{errors.New(cmp.Or(after, message)), err}
}

// said is an error of the engine in its own words.
type said struct {
	error
	by error
}

// Unwrap keeps what kind of error it is.
func (s said) Unwrap() error { return s.by }

// trouble says in words why a task is not well.
func (s *Swarm) trouble(ctx context.Context, service api.Service, t api.Task) string {
	who := "instance"
	if t.Slot > 0 {
		who = fmt.Sprintf("instance %d", t.Slot)
	}
	if node := s.node(ctx, t.NodeID); node != "" {
		who += " on " + node
	}
	why := cmp.Or(t.Status.Err, t.Status.Message)
	image := ""
	if box := t.Spec.ContainerSpec; box != nil {
		image = unpinned(box.Image, service.Spec.Labels[imageLabel])
	}
	switch c := t.Status.ContainerStatus; {
	case strings.HasPrefix(why, noImage):
		return fmt.Sprintf("%s: its image %s cannot be had there (%s)%s", who, image, why, withLogin(image))
	case t.Status.State == api.TaskStatePending && strings.HasPrefix(why, "no suitable node"):
		return fmt.Sprintf("%s has no node: %s", who, why)
	case t.Status.State == api.TaskStateFailed && c != nil && c.ExitCode != 0:
		return fmt.Sprintf("%s has ended with exit code %d: %s", who, c.ExitCode, why)
	}
	return fmt.Sprintf("%s is %s: %s", who, t.Status.State, why)
}

// node is the name of a node, "" where it is not known. They are asked for once.
func (s *Swarm) node(ctx context.Context, id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes == nil {
		s.nodes = map[string]string{}
		if list, err := s.client.NodeList(ctx, client.NodeListOptions{}); err == nil {
			s.nodes = namesOf(list.Items)
		}
	}
	return s.nodes[id]
}
