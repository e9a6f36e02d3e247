package swarm

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/containerd/errdefs"
	"github.com/distribution/reference"
	"github.com/moby/moby/api/types/network"
	api "github.com/moby/moby/api/types/swarm"
	"github.com/moby/moby/client"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
	"kumiki.dev/targets/swarm"
)

// lookup is the ID of a network, config or secret, "" for none. Those that were not listed
// are asked for.
func (s *Swarm) lookup(ctx context.Context, kind, name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id := s.ids[key(kind, name)]; id != "" {
		return id, nil
	}
	filters := make(client.Filters).Add("name", name)
	switch kind {
	case swarm.SecretKind:
		list, err := s.client.SecretList(ctx, client.SecretListOptions{Filters: filters})
		for _, one := range list.Items {
			s.ids[key(kind, one.Spec.Name)] = one.ID
		}
		if err != nil {
			return "", plainError(err)
		}
	case swarm.ConfigKind:
		list, err := s.client.ConfigList(ctx, client.ConfigListOptions{Filters: filters})
		for _, one := range list.Items {
			s.ids[key(kind, one.Spec.Name)] = one.ID
		}
		if err != nil {
			return "", plainError(err)
		}
	}
	return s.ids[key(kind, name)], nil
}

// references calls do with what a service refers to: its kind, its name, and where its ID goes.
func references(spec *api.ServiceSpec, do func(kind, name string, id *string) error) error {
	var errs []error
	for i := range spec.TaskTemplate.Networks {
		n := &spec.TaskTemplate.Networks[i]
		errs = append(errs, do(swarm.NetworkKind, n.Target, &n.Target))
	}
	container := spec.TaskTemplate.ContainerSpec
	if container == nil { // a service of somebody else's that runs a plugin
		return errors.Join(errs...)
	}
	for _, c := range container.Configs {
		errs = append(errs, do(swarm.ConfigKind, c.ConfigName, &c.ConfigID))
	}
	for _, c := range container.Secrets {
		errs = append(errs, do(swarm.SecretKind, c.SecretName, &c.SecretID))
	}
	return errors.Join(errs...)
}

// Try implements [live.Target]. Swarm tries nothing: what is looked at is what it would refuse
// for reasons that lie outside of the service.
func (s *Swarm) Try(ctx context.Context, a engine.Action) (live.Verdict, error) {
	s.mu.Lock()
	f, there := s.found[a.ID]
	s.mu.Unlock()
	switch {
	case a.Kind == swarm.ServiceKind:
		return s.tryService(ctx, a, f)
	case !there:
		return live.Verdict{}, nil
	case f.network != nil && len(engine.Compare(a.Give, f.network)) > 0:
		return live.Verdict{Refused: "somebody has made it with other properties, and a network never changes: " + s.removing(a.ID, "network")}, nil
	case f.config != nil && plainConfig(f.config.Spec)["Data"] != a.Give["Data"]:
		return live.Verdict{Refused: "somebody has made it with another content, and a config never changes: " + s.removing(a.ID, "config")}, nil
	}
	return live.Verdict{}, nil
}

// removing says how to remove a network or config, which docker refuses while services of
// the stack refer to it. Apply makes them again.
func (s *Swarm) removing(id engine.ID, kind string) string {
	names := s.networkNames()
	uses := func(spec api.ServiceSpec) bool {
		found := false
		_ = references(&spec, func(kind, name string, _ *string) error {
			if called, ok := names[name]; ok && kind == swarm.NetworkKind {
				name = called // a service that runs names networks by IDs
			}
			found = found || kind == id.Kind && name == real(id)
			return nil
		})
		return found
	}
	var users []string
	for _, service := range s.listed() {
		if uses(service.Spec) {
			users = append(users, service.Spec.Name)
		}
	}
	commands := fmt.Sprintf("docker %s rm %s", kind, real(id))
	if len(users) > 0 {
		commands = "docker service rm " + strings.Join(users, " ") + "; " + commands
	}
	return commands + "; then apply again"
}

func (s *Swarm) tryService(ctx context.Context, a engine.Action, f found) (live.Verdict, error) {
	spec, err := specOf(a.Give)
	if err != nil {
		return live.Verdict{}, err
	}
	image := spec.TaskTemplate.ContainerSpec.Image
	if _, err := reference.ParseNormalizedNamed(image); err != nil {
		return live.Verdict{Refused: fmt.Sprintf("its image %q: %v", image, err), Field: "image"}, nil
	}
	var missing []string
	err = references(&spec, func(kind, name string, _ *string) error {
		id, err := s.lookup(ctx, kind, name)
		if id == "" && err == nil && !s.owned[key(kind, name)] {
			text := fmt.Sprintf("%s %s is not in the swarm", strings.ToLower(kind), name)
			if command := s.needs[key(kind, name)]; command != "" {
				text += ": " + command
			}
			missing = append(missing, text)
		}
		return err
	})
	switch {
	case err != nil:
		return live.Verdict{}, err
	case len(missing) > 0:
		return live.Verdict{Refused: strings.Join(missing, "; ")}, nil
	}
	for _, p := range spec.EndpointSpec.Ports {
		s.mu.Lock()
		other := s.taken[p.PublishedPort]
		s.mu.Unlock()
		if p.PublishMode != api.PortConfigPublishModeHost && other != "" && other != real(a.ID) && !strings.HasPrefix(other, a.Namespace+"_") {
			return live.Verdict{Refused: fmt.Sprintf("port %d is published by service %s already", p.PublishedPort, other)}, nil
		}
	}
	fixed := f.service != nil && (f.service.Spec.Mode.Global == nil) != (spec.Mode.Global == nil)
	return live.Verdict{Fixed: fixed}, nil
}

// Give implements [live.Target].
func (s *Swarm) Give(ctx context.Context, a engine.Action) (map[string]any, error) {
	s.mu.Lock()
	f, there := s.found[a.ID]
	s.mu.Unlock()
	if a.Verb == engine.Replace && there {
		if err := s.Remove(ctx, a.About); err != nil {
			return nil, err
		}
		there = false
	}
	if a.Verb == engine.Create {
		there = false // it was not when that was decided
	}
	switch a.Kind {
	case swarm.ServiceKind:
		return s.giveService(ctx, a, f, there)
	case swarm.NetworkKind:
		return s.giveNetwork(ctx, a, f, there)
	}
	return s.giveConfig(ctx, a, f, there)
}

func (s *Swarm) giveNetwork(ctx context.Context, a engine.Action, f found, there bool) (map[string]any, error) {
	if there {
		return f.network, nil
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	driver, _ := a.Give["Driver"].(string)
	internal, _ := a.Give["Internal"].(bool)
	made, err := s.makeNetwork(ctx, real(a.ID), client.NetworkCreateOptions{Driver: driver, Internal: internal, Labels: s.bodies[a.ID].labels})
	if err != nil {
		return nil, plainError(err)
	}
	s.warn(made.Warning)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids[key(a.Kind, real(a.ID))] = made.ID
	return plainNetwork(driver, internal, false), nil
}

// leaving is how long a network that was removed may keep its name, and leavingEach after how
// long it is tried again.
const (
	leaving     = 15 * time.Second
	leavingEach = 250 * time.Millisecond
)

// makeNetwork makes a network. The engine keeps the name of one that was removed until its last
// instance has left it, and lists it no more: that is waited for.
func (s *Swarm) makeNetwork(ctx context.Context, name string, o client.NetworkCreateOptions) (client.NetworkCreateResult, error) {
	for end := time.Now().Add(leaving); ; {
		made, err := s.client.NetworkCreate(ctx, name, o)
		if !isTaken(err) || time.Now().After(end) {
			return made, err
		}
		list, lookErr := s.client.NetworkList(ctx, client.NetworkListOptions{Filters: make(client.Filters).Add("name", name)})
		if lookErr != nil || filter.Any(list.Items, func(n network.Summary) bool { return n.Name == name }) {
			return made, err
		}
		select {
		case <-time.After(leavingEach):
		case <-ctx.Done():
			return made, err
		}
	}
}

func configSpec(name string, b body) api.ConfigSpec {
	return api.ConfigSpec{Annotations: api.Annotations{Name: name, Labels: b.labels}, Data: b.data}
}

func (s *Swarm) giveConfig(ctx context.Context, a engine.Action, f found, there bool) (map[string]any, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	spec := configSpec(real(a.ID), s.bodies[a.ID])
	if there {
		if len(engine.Compare(a.Give, plainConfig(f.config.Spec))) == 0 {
			return plainConfig(f.config.Spec), nil
		}
		_, err := s.client.ConfigUpdate(ctx, f.id, client.ConfigUpdateOptions{Version: f.version, Spec: spec})
		return plainConfig(spec), plainError(err)
	}
	made, err := s.client.ConfigCreate(ctx, client.ConfigCreateOptions{Spec: spec})
	if err != nil {
		return nil, plainError(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ids[key(a.Kind, spec.Name)] = made.ID
	return plainConfig(spec), nil
}

func (s *Swarm) giveService(ctx context.Context, a engine.Action, f found, there bool) (map[string]any, error) {
	spec, err := specOf(a.Give)
	if err != nil {
		return nil, err
	}
	err = references(&spec, func(kind, name string, to *string) error {
		id, err := s.lookup(ctx, kind, name)
		if id == "" && err == nil {
			err = fmt.Errorf("%s %s is not in the swarm", strings.ToLower(kind), name)
		}
		*to = id
		return err
	})
	if err != nil {
		return nil, err
	}
	if there {
		return s.updateService(ctx, a, f, spec)
	}
	ctx, cancel := limited(ctx)
	defer cancel()
	made, err := s.client.ServiceCreate(ctx, client.ServiceCreateOptions{Spec: spec, EncodedRegistryAuth: s.credentials(spec)})
	if err != nil {
		return nil, plainError(err)
	}
	s.warn(made.Warnings)
	_, plain, err := s.read(ctx, a.ID, made.ID)
	return plain, err
}

// updateService writes a service on the version that was seen. Where only what Swarm says of
// it has changed since, the present version will do; where somebody has changed its fields,
// it is theirs.
func (s *Swarm) updateService(ctx context.Context, a engine.Action, f found, spec api.ServiceSpec) (map[string]any, error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	auth := s.credentials(spec)
	again := a.Verb == engine.Resume && auth != ""
	if a.Verb != engine.Repair && !again && !wentBack(f.service) {
		plain, err := plainly(f.service.Spec, s.networkNames())
		if err != nil || len(engine.Compare(a.Give, plain)) == 0 {
			return plain, err // as docker stack deploy has left it
		}
	}
	for try := range 5 {
		keep(&spec, f.service.Spec)
		done, err := s.client.ServiceUpdate(ctx, f.id, client.ServiceUpdateOptions{Version: f.service.Version, Spec: spec, EncodedRegistryAuth: auth})
		if err == nil {
			s.warn(done.Warnings)
			_, plain, err := s.read(ctx, a.ID, f.id)
			return plain, err
		}
		if !strings.Contains(err.Error(), "update out of sequence") {
			return nil, plainError(err)
		}
		time.Sleep(time.Duration(try) * 20 * time.Millisecond)
		now, _, err := s.read(ctx, a.ID, f.id)
		if err != nil {
			return nil, err
		}
		if !reflect.DeepEqual(now.service.Spec, f.service.Spec) {
			break
		}
		f = now
	}
	return nil, errChanged
}

// errChanged says that a service is not any more what was decided on.
var errChanged = errors.New("somebody else has changed it since it was looked at")

// wentBack reports whether a service is not what it was to be, though nobody has changed it.
func wentBack(service *api.Service) bool {
	return service.UpdateStatus != nil && service.UpdateStatus.State != api.UpdateStateCompleted && service.UpdateStatus.State != api.UpdateStateUpdating
}

// keep takes over what is not the solution's to say: how often somebody has asked for a restart,
// and which build of the same image docker has found.
func keep(spec *api.ServiceSpec, now api.ServiceSpec) {
	spec.TaskTemplate.ForceUpdate = now.TaskTemplate.ForceUpdate
	has := now.TaskTemplate.ContainerSpec
	if has != nil && unpinned(has.Image, now.Labels[imageLabel]) == spec.TaskTemplate.ContainerSpec.Image {
		spec.TaskTemplate.ContainerSpec.Image = has.Image
	}
}

// read reads a service as it is now.
func (s *Swarm) read(ctx context.Context, id engine.ID, of string) (found, map[string]any, error) {
	got, err := s.client.ServiceInspect(ctx, of, client.ServiceInspectOptions{})
	if err != nil {
		return found{}, nil, plainError(err)
	}
	f := found{id: got.Service.ID, version: got.Service.Version, service: &got.Service, labels: got.Service.Spec.Labels}
	s.mu.Lock()
	s.found[id] = f
	s.mu.Unlock()
	plain, err := plainly(got.Service.Spec, s.networkNames())
	return f, plain, err
}

// Remove implements [live.Target]. What is in use by tasks that are being stopped is waited
// for: Swarm refuses to remove it until then.
func (s *Swarm) Remove(ctx context.Context, about engine.About) error {
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		err := s.remove(ctx, about)
		switch {
		case err == nil || errdefs.IsNotFound(err):
			return nil
		case !strings.Contains(err.Error(), "in use") && !strings.Contains(err.Error(), "active endpoints"):
			return plainError(err)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %v", ctx.Err(), plainError(err))
		case <-time.After(pause):
		}
	}
}

func (s *Swarm) remove(ctx context.Context, about engine.About) (err error) {
	ctx, cancel := limited(ctx)
	defer cancel()
	switch about.Kind {
	case swarm.ServiceKind:
		_, err = s.client.ServiceRemove(ctx, real(about.ID), client.ServiceRemoveOptions{})
	case swarm.NetworkKind:
		_, err = s.client.NetworkRemove(ctx, real(about.ID), client.NetworkRemoveOptions{})
	case swarm.ConfigKind:
		_, err = s.client.ConfigRemove(ctx, real(about.ID), client.ConfigRemoveOptions{})
	case swarm.VolumeKind:
		err = s.removeVolume(ctx, about)
	}
	return err
}
