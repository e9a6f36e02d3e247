package swarm

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/moby/moby/api/types/network"
	"github.com/moby/moby/v2/daemon/cluster/convert"
	swarmapi "github.com/moby/swarmkit/v2/api"
	"github.com/moby/swarmkit/v2/manager/controlapi"
	"github.com/moby/swarmkit/v2/manager/state"
	"github.com/moby/swarmkit/v2/manager/state/store"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Manager is a swarm manager's control API on a store in memory.
type Manager struct {
	Store *store.MemoryStore
	api   *controlapi.Server
	ids   map[string]string // of networks, secrets and configs, by kind and name
}

// NewManager makes one that has what every swarm has: an ingress network.
func NewManager() (*Manager, error) {
	s := store.NewMemoryStore(&proposer{})
	m := &Manager{Store: s, api: controlapi.NewServer(s, nil, nil, overlayOnly{}, nil), ids: map[string]string{}}
	_, err := m.api.CreateNetwork(context.Background(), &swarmapi.CreateNetworkRequest{Spec: &swarmapi.NetworkSpec{
		Annotations: swarmapi.Annotations{Name: "ingress"}, Ingress: true, DriverConfig: &swarmapi.Driver{Name: "overlay"},
	}})
	return m, err
}

// Close ends the store.
func (m *Manager) Close() error { return m.Store.Close() }

// Deploy does what docker stack deploy and the engine do, in the same order.
func (m *Manager) Deploy(ctx context.Context, s *Specs) error {
	if err := m.create(ctx, s); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Services)) {
		spec, err := m.spec(s, name)
		if err != nil {
			return err
		}
		if _, err := m.api.CreateService(ctx, &swarmapi.CreateServiceRequest{Spec: spec}); err != nil {
			return fmt.Errorf("service %s: %w", name, err)
		}
	}
	return nil
}

// Next goes from a stack to its next version: what that does not have any more
// stays, as docker stack deploy has it, and the services that the manager refuses
// to change are named, and left as they are.
func (m *Manager) Next(ctx context.Context, old, s *Specs) (refused []string, err error) {
	if err := m.create(ctx, s); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Services)) {
		if _, ok := old.Services[name]; !ok {
			spec, err := m.spec(s, name)
			if err != nil {
				return nil, err
			}
			if _, err := m.api.CreateService(ctx, &swarmapi.CreateServiceRequest{Spec: spec}); err != nil {
				return nil, fmt.Errorf("service %s: %w", name, err)
			}
			continue
		}
		switch err := m.Update(ctx, s, name); status.Code(err) {
		case codes.OK:
		case codes.Unimplemented:
			refused = append(refused, name)
		default:
			return nil, fmt.Errorf("service %s: %w", name, err)
		}
	}
	return refused, nil
}

// Update gives a service that is there the specification of s.
func (m *Manager) Update(ctx context.Context, s *Specs, name string) error {
	list, err := m.api.ListServices(ctx, &swarmapi.ListServicesRequest{})
	if err != nil {
		return err
	}
	spec, err := m.spec(s, name)
	if err != nil {
		return err
	}
	for _, old := range list.Services {
		if old.Spec.Annotations.Name == spec.Annotations.Name {
			_, err := m.api.UpdateService(ctx, &swarmapi.UpdateServiceRequest{ServiceID: old.ID, Spec: spec, ServiceVersion: &old.Meta.Version})
			return err
		}
	}
	return fmt.Errorf("no service %s", name)
}

// create makes all that services refer to.
func (m *Manager) create(ctx context.Context, s *Specs) error {
	for _, name := range slices.Sorted(maps.Keys(s.Networks)) {
		if m.ids["network/"+name] != "" {
			continue // what is there stays as it is
		}
		o := s.Networks[name]
		spec := convert.BasicNetworkCreateToGRPC(network.CreateRequest{Name: name, Driver: o.Driver, Internal: o.Internal, Attachable: o.Attachable, IPAM: o.IPAM, Options: o.Options, Labels: o.Labels})
		r, err := m.api.CreateNetwork(ctx, &swarmapi.CreateNetworkRequest{Spec: &spec})
		if err != nil {
			return fmt.Errorf("network %s: %w", name, err)
		}
		m.ids["network/"+name] = r.Network.ID
	}
	for _, x := range s.Secrets {
		if m.ids["secret/"+x.Name] != "" {
			continue
		}
		spec := convert.SecretSpecToGRPC(x)
		r, err := m.api.CreateSecret(ctx, &swarmapi.CreateSecretRequest{Spec: &spec})
		if err != nil {
			return fmt.Errorf("secret %s: %w", x.Name, err)
		}
		m.ids["secret/"+x.Name] = r.Secret.ID
	}
	for _, x := range s.Configs {
		if m.ids["config/"+x.Name] != "" {
			continue
		}
		spec := convert.ConfigSpecToGRPC(x)
		r, err := m.api.CreateConfig(ctx, &swarmapi.CreateConfigRequest{Spec: &spec})
		if err != nil {
			return fmt.Errorf("config %s: %w", x.Name, err)
		}
		m.ids["config/"+x.Name] = r.Config.ID
	}
	return nil
}

// spec is a service's, in the manager's words and with the manager's ids.
func (m *Manager) spec(s *Specs, name string) (*swarmapi.ServiceSpec, error) {
	spec := s.Services[name]
	for i, n := range spec.TaskTemplate.Networks {
		if id, ok := m.ids["network/"+n.Target]; ok {
			spec.TaskTemplate.Networks[i].Target = id
		}
	}
	for _, r := range spec.TaskTemplate.ContainerSpec.Secrets {
		r.SecretID = m.ids["secret/"+r.SecretName]
	}
	for _, r := range spec.TaskTemplate.ContainerSpec.Configs {
		r.ConfigID = m.ids["config/"+r.ConfigName]
	}
	out, err := convert.ServiceSpecToGRPC(spec)
	if err != nil {
		return nil, fmt.Errorf("service %s: %w", name, err)
	}
	return &out, nil
}

// overlayOnly answers as an engine without network plugins does.
type overlayOnly struct{}

func (overlayOnly) ValidateNetworkDriver(d *swarmapi.Driver) error {
	if d == nil || d.Name == "overlay" {
		return nil
	}
	return status.Errorf(codes.InvalidArgument, "plugin %q not found", d.Name)
}

func (o overlayOnly) ValidateIngressNetworkDriver(d *swarmapi.Driver) error {
	return o.ValidateNetworkDriver(d)
}

func (overlayOnly) ValidateIPAMDriver(*swarmapi.Driver) error { return nil }

// proposer stands for the managers' agreement: it accepts all and counts
// versions, without which an update would count as no change.
type proposer struct {
	mu    sync.Mutex
	index uint64
}

func (p *proposer) ProposeValue(_ context.Context, _ []swarmapi.StoreAction, done func()) error {
	p.mu.Lock()
	p.index++
	p.mu.Unlock()
	if done != nil {
		done()
	}
	return nil
}

func (p *proposer) GetVersion() *swarmapi.Version {
	p.mu.Lock()
	defer p.mu.Unlock()
	return &swarmapi.Version{Index: p.index}
}

func (p *proposer) ChangesBetween(_, _ swarmapi.Version) ([]state.Change, error) { return nil, nil }
