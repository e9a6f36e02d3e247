package swarm

import (
	"cmp"
	"fmt"
	"maps"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/network"
	api "github.com/moby/moby/api/types/swarm"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/targets"
	"kumiki.dev/targets/swarm"
)

// The labels of docker stack deploy.
const (
	stackLabel = "com.docker.stack.namespace"
	imageLabel = "com.docker.stack.image"
)

// stack makes specs of the parts of a stack.
type stack struct {
	name string
	*swarm.Stack
}

// scoped is the name in the swarm of a part, which has one of its own if it is external.
func (s stack) scoped(part, external string) string {
	if external != "" {
		return external
	}
	return s.name + "_" + part
}

// labels are those of a part, with the stack's.
func (s stack) labels(own map[string]string) map[string]string {
	out := map[string]string{stackLabel: s.name}
	maps.Copy(out, own)
	return out
}

// service is what docker stack deploy makes of a service. What it refers to is named, and has
// no IDs yet.
func (s stack) service(name string, v *swarm.Service) (api.ServiceSpec, error) {
	var r reader
	spec := api.ServiceSpec{
		Annotations: api.Annotations{Name: s.scoped(name, ""), Labels: s.labels(v.Deploy.Labels)},
		TaskTemplate: api.TaskSpec{
			ContainerSpec: &api.ContainerSpec{
				Image: v.Image, Command: v.Entrypoint, Args: v.Command, User: v.User, Init: v.Init, ReadOnly: v.ReadOnly,
				Labels: s.labels(v.Labels), Env: environment(v.Environment), Privileges: &api.Privileges{},
				CapabilityDrop: v.CapDrop, StopGracePeriod: r.optional(v.StopGracePeriod),
				Healthcheck: r.healthcheck(v.Healthcheck), Mounts: s.mounts(v.Volumes),
				Configs: s.configs(v.Configs), Secrets: s.secrets(v.Secrets),
			},
			Resources: r.resources(v.Deploy.Resources), RestartPolicy: r.restart(v.Deploy.RestartPolicy),
			Placement: placement(v.Deploy.Placement), Networks: s.networks(name, v.Networks),
		},
		EndpointSpec: ports(v), Mode: mode(v.Deploy),
		UpdateConfig: r.update(v.Deploy.UpdateConfig), RollbackConfig: r.update(v.Deploy.RollbackConfig),
	}
	spec.Labels[imageLabel] = v.Image
	return spec, r.err
}

func environment(of map[string]string) []string {
	var out []string
	for name, value := range of {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

func (s stack) mounts(of []swarm.Mount) []mount.Mount {
	var out []mount.Mount
	for _, v := range of {
		m := mount.Mount{Type: mount.Type(v.Type), Target: v.Target, Source: v.Source}
		if v.Tmpfs != nil {
			m.TmpfsOptions = &mount.TmpfsOptions{SizeBytes: v.Tmpfs.Size}
		}
		if v.Type == "volume" && v.Source != "" {
			external := ""
			if volume := s.Volumes[v.Source]; volume != nil {
				external = volume.Name
			}
			m.Source, m.VolumeOptions = s.scoped(v.Source, external), &mount.VolumeOptions{}
		}
		out = append(out, m)
	}
	return out
}

// file is where a config or secret lies in a container, as docker reads it.
func file(f swarm.FileRef) (name, uid, gid string, permissions os.FileMode) {
	permissions = 0o444
	if f.Mode != nil {
		permissions = os.FileMode(*f.Mode)
	}
	return cmp.Or(f.Target, f.Source), cmp.Or(f.UID, "0"), cmp.Or(f.GID, "0"), permissions
}

func nameOf(files map[string]*swarm.File, source string) string {
	if f := files[source]; f != nil {
		return f.Name
	}
	return ""
}

func (s stack) configs(of []swarm.FileRef) []*api.ConfigReference {
	var out []*api.ConfigReference
	for _, f := range of {
		name, uid, gid, permissions := file(f)
		out = append(out, &api.ConfigReference{ConfigName: s.scoped(f.Source, nameOf(s.Configs, f.Source)), File: &api.ConfigReferenceFileTarget{Name: name, UID: uid, GID: gid, Mode: permissions}})
	}
	slices.SortStableFunc(out, func(a, b *api.ConfigReference) int { return cmp.Compare(a.ConfigName, b.ConfigName) })
	return out
}

func (s stack) secrets(of []swarm.FileRef) []*api.SecretReference {
	var out []*api.SecretReference
	for _, f := range of {
		name, uid, gid, permissions := file(f)
		out = append(out, &api.SecretReference{SecretName: s.scoped(f.Source, nameOf(s.Secrets, f.Source)), File: &api.SecretReferenceFileTarget{Name: name, UID: uid, GID: gid, Mode: permissions}})
	}
	slices.SortStableFunc(out, func(a, b *api.SecretReference) int { return cmp.Compare(a.SecretName, b.SecretName) })
	return out
}

// networks of a service: on each it has its own name besides. One that says none is on the
// stack's default network; those of solutions all say.
func (s stack) networks(service string, of map[string]*swarm.Attachment) []api.NetworkAttachmentConfig {
	var out []api.NetworkAttachmentConfig
	for name, v := range of {
		external := ""
		if n := s.Networks[name]; n != nil {
			external = n.Name
		}
		a := api.NetworkAttachmentConfig{Target: s.scoped(name, external)}
		if v != nil {
			a.Aliases = slices.Clone(v.Aliases)
		}
		a.Aliases = append(a.Aliases, service)
		out = append(out, a)
	}
	sorting.By(out, func(a, b api.NetworkAttachmentConfig) int { return cmp.Compare(a.Target, b.Target) })
	return out
}

func placement(p *swarm.Placement) *api.Placement {
	out := &api.Placement{}
	if p == nil {
		return out
	}
	out.Constraints, out.MaxReplicas = p.Constraints, uint64(p.MaxReplicasPerNode)
	for _, preference := range p.Preferences {
		out.Preferences = append(out.Preferences, api.PlacementPreference{Spread: &api.SpreadOver{SpreadDescriptor: preference.Spread}})
	}
	return out
}

func ports(v *swarm.Service) *api.EndpointSpec {
	out := &api.EndpointSpec{Mode: api.ResolutionMode(strings.ToLower(v.Deploy.EndpointMode))}
	for _, p := range v.Ports {
		out.Ports = append(out.Ports, api.PortConfig{Protocol: network.IPProtocol(p.Protocol), TargetPort: uint32(p.Target), PublishedPort: uint32(p.Published), PublishMode: api.PortConfigPublishMode(p.Mode)})
	}
	sorting.By(out.Ports, api.PortConfig.Compare)
	return out
}

func mode(d swarm.Deploy) (m api.ServiceMode) {
	if d.Mode == "global" {
		m.Global = &api.GlobalService{}
		return m
	}
	m.Replicated = &api.ReplicatedService{}
	if d.Replicas != nil {
		n := uint64(*d.Replicas)
		m.Replicated.Replicas = &n
	}
	return m
}

// reader reads the texts of a stack file. The first one that it cannot is its error.
type reader struct{ err error }

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) duration(text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		r.fail(err)
	}
	return d
}

// optional is nil for a duration that is not said.
func (r *reader) optional(text string) *time.Duration {
	if text == "" {
		return nil
	}
	d := r.duration(text)
	return &d
}

func (r *reader) healthcheck(h *swarm.Healthcheck) *container.HealthConfig {
	if h == nil {
		return nil
	}
	return &container.HealthConfig{Test: h.Test, Interval: r.duration(h.Interval), Timeout: r.duration(h.Timeout), StartPeriod: r.duration(h.StartPeriod), Retries: h.Retries}
}

func (r *reader) restart(p *swarm.Restart) *api.RestartPolicy {
	if p == nil {
		return nil
	}
	return &api.RestartPolicy{Condition: api.RestartPolicyCondition(p.Condition), Delay: r.optional(p.Delay)}
}

func (r *reader) update(u *swarm.Update) *api.UpdateConfig {
	if u == nil {
		return nil
	}
	return &api.UpdateConfig{Parallelism: uint64(u.Parallelism), Delay: r.duration(u.Delay), FailureAction: api.FailureAction(u.FailureAction), Monitor: r.duration(u.Monitor), Order: api.UpdateOrder(u.Order)}
}

func (r *reader) resources(of *swarm.Resources) *api.ResourceRequirements {
	out := &api.ResourceRequirements{}
	if of == nil {
		return out
	}
	if q := of.Limits; q != nil {
		out.Limits = &api.Limit{NanoCPUs: r.cpus(q.CPUs), MemoryBytes: r.bytes(q.Memory)}
	}
	if q := of.Reservations; q != nil {
		out.Reservations = &api.Resources{NanoCPUs: r.cpus(q.CPUs), MemoryBytes: r.bytes(q.Memory)}
	}
	return out
}

// cpus are billionths of processors.
func (r *reader) cpus(text string) int64 {
	if text == "" {
		return 0
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		r.fail(fmt.Errorf("%q is no number of processors", text))
		return 0
	}
	n.Mul(n, big.NewRat(1e9, 1))
	return new(big.Int).Div(n.Num(), n.Denom()).Int64()
}

func (r *reader) bytes(text string) int64 {
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		r.fail(err)
	}
	return n
}

// Specs are the services that docker stack deploy would make of a stack, by their names in
// the swarm. What they refer to is named in place of IDs.
func Specs(name string, objects []targets.Object) (map[string]api.ServiceSpec, error) {
	s := stack{name, swarm.New(objects)}
	out := map[string]api.ServiceSpec{}
	for _, part := range sorting.Ordered(s.Services) {
		spec, err := s.service(part, s.Services[part])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", part, err)
		}
		out[spec.Name] = spec
	}
	return out, nil
}
