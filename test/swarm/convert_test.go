package swarm_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/moby/moby/api/types/mount"
	"github.com/moby/moby/api/types/swarm"
	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/golden"
	"kumiki.dev/targets"
	target "kumiki.dev/targets/swarm"
)

// TestSpecs compares what docker stack deploy would send to a manager with what
// cases show of it, and finds in it every field that was put into the stack.
func TestSpecs(t *testing.T) {
	each(t, func(t *testing.T, c *golden.Case, objects []targets.Object) {
		specs := load(t, objects)
		data, err := json.MarshalIndent(specs.Services, "", " ")
		require.NoError(t, err)
		c.Check(t, "out/swarm.specs.json", data)
		stack := target.New(objects)
		require.Len(t, specs.Services, len(stack.Services))
		require.Len(t, specs.Networks, len(stack.Networks))
		for name, s := range stack.Services {
			carried(t, name, normalized(stack, s), specs.Services[name])
		}
		for name, f := range stack.Configs {
			if !f.External {
				i := slices.IndexFunc(specs.Configs, func(c swarm.ConfigSpec) bool { return c.Name == "st_"+name })
				require.GreaterOrEqual(t, i, 0)
				require.Equal(t, f.Content, specs.Configs[i].Data)
			}
		}
	})
}

// found says where each field of a service arrives, as text. A field that is
// set and not listed here fails the test.
var found = map[string]func(swarm.ServiceSpec) any{
	"Image":           func(s swarm.ServiceSpec) any { return s.TaskTemplate.ContainerSpec.Image },
	"Entrypoint":      func(s swarm.ServiceSpec) any { return s.TaskTemplate.ContainerSpec.Command },
	"Command":         func(s swarm.ServiceSpec) any { return s.TaskTemplate.ContainerSpec.Args },
	"User":            func(s swarm.ServiceSpec) any { return s.TaskTemplate.ContainerSpec.User },
	"Init":            func(s swarm.ServiceSpec) any { return s.TaskTemplate.ContainerSpec.Init },
	"ReadOnly":        func(s swarm.ServiceSpec) any { return s.TaskTemplate.ContainerSpec.ReadOnly },
	"CapDrop":         func(s swarm.ServiceSpec) any { return s.TaskTemplate.ContainerSpec.CapabilityDrop },
	"StopGracePeriod": func(s swarm.ServiceSpec) any { return s.TaskTemplate.ContainerSpec.StopGracePeriod.String() },
	"Environment": func(s swarm.ServiceSpec) any {
		env := map[string]string{}
		for _, e := range s.TaskTemplate.ContainerSpec.Env {
			name, value, _ := strings.Cut(e, "=")
			env[name] = value
		}
		return env
	},
	"Healthcheck": func(s swarm.ServiceSpec) any {
		h := s.TaskTemplate.ContainerSpec.Healthcheck
		return &target.Healthcheck{Test: h.Test, Interval: text(h.Interval), Timeout: text(h.Timeout), Retries: h.Retries, StartPeriod: text(h.StartPeriod)}
	},
	"Configs": func(s swarm.ServiceSpec) any {
		var refs []target.FileRef
		for _, c := range s.TaskTemplate.ContainerSpec.Configs {
			refs = append(refs, fileRef(c.ConfigName, c.File.Name, c.File.UID, c.File.GID, uint32(c.File.Mode)))
		}
		return byTarget(refs)
	},
	"Secrets": func(s swarm.ServiceSpec) any {
		var refs []target.FileRef
		for _, c := range s.TaskTemplate.ContainerSpec.Secrets {
			refs = append(refs, fileRef(c.SecretName, c.File.Name, c.File.UID, c.File.GID, uint32(c.File.Mode)))
		}
		return byTarget(refs)
	},
	"Volumes": func(s swarm.ServiceSpec) any { return mounts(s.TaskTemplate.ContainerSpec.Mounts) },
	"Ports": func(s swarm.ServiceSpec) any {
		var ports []target.Port
		for _, p := range s.EndpointSpec.Ports {
			ports = append(ports, target.Port{Target: int(p.TargetPort), Published: int(p.PublishedPort), Protocol: string(p.Protocol), Mode: string(p.PublishMode)})
		}
		return ports
	},
	"Networks": func(s swarm.ServiceSpec) any { return networks(s) },
	"Labels":   func(s swarm.ServiceSpec) any { return without(s.TaskTemplate.ContainerSpec.Labels) },
	"Deploy":   func(s swarm.ServiceSpec) any { return deploy(s) },
}

// carried fails for every field of the service that the specification lacks.
func carried(t *testing.T, name string, s *target.Service, spec swarm.ServiceSpec) {
	t.Helper()
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		field := v.Type().Field(i).Name
		if v.Field(i).IsZero() || v.Field(i).Kind() == reflect.Map && v.Field(i).Len() == 0 {
			continue
		}
		find := found[field]
		require.NotNil(t, find, "nobody knows where %s.%s goes", name, field)
		if diff := cmp.Diff(v.Field(i).Interface(), find(spec)); diff != "" {
			t.Errorf("%s.%s (-stack +specification):\n%s", name, field, diff)
		}
	}
}

// normalized is the service with the defaults that Docker writes out, and with
// external volumes and files under the names that they have in the swarm.
func normalized(stack *target.Stack, s *target.Service) *target.Service {
	c := *s
	c.Volumes = slices.Clone(s.Volumes)
	for i, m := range c.Volumes {
		if v := stack.Volumes[m.Source]; v != nil {
			c.Volumes[i].Source = v.Name
		}
	}
	c.Configs = names(s.Configs)
	c.Secrets = names(s.Secrets)
	c.Networks = map[string]*target.Attachment{}
	for name, a := range s.Networks {
		if a == nil {
			a = &target.Attachment{}
		}
		if !stack.Networks[name].External {
			name = "st_" + name
		}
		c.Networks[name] = a
	}
	if c.Deploy.Mode == "" {
		c.Deploy.Mode = "replicated"
	}
	if c.Deploy.EndpointMode == "" {
		c.Deploy.EndpointMode = "vip"
	}
	return &c
}

func names(refs []target.FileRef) []target.FileRef {
	var out []target.FileRef
	for _, r := range refs {
		if r.UID == "" {
			r.UID, r.GID = "0", "0"
		}
		if r.Mode == nil {
			mode := target.Mode(0o444)
			r.Mode = &mode
		}
		out = append(out, r)
	}
	return byTarget(out)
}

// byTarget orders files, as Docker does in some way of its own.
func byTarget(refs []target.FileRef) []target.FileRef {
	slices.SortFunc(refs, func(a, b target.FileRef) int { return strings.Compare(a.Target, b.Target) })
	return refs
}

func fileRef(source, path, uid, gid string, mode uint32) target.FileRef {
	m := target.Mode(mode)
	return target.FileRef{Source: strings.TrimPrefix(source, "st_"), Target: path, UID: uid, GID: gid, Mode: &m}
}

func text(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return d.String()
}

func without(labels map[string]string) map[string]string {
	own := map[string]string{}
	for k, v := range labels {
		if k != "com.docker.stack.namespace" && k != "com.docker.stack.image" {
			own[k] = v
		}
	}
	return own
}

func mounts(in []mount.Mount) []target.Mount {
	var out []target.Mount
	for _, m := range in {
		o := target.Mount{Type: string(m.Type), Source: m.Source, Target: m.Target}
		if m.TmpfsOptions != nil {
			o.Tmpfs = &target.Tmpfs{Size: m.TmpfsOptions.SizeBytes}
		}
		out = append(out, o)
	}
	return out
}

func networks(s swarm.ServiceSpec) map[string]*target.Attachment {
	out := map[string]*target.Attachment{}
	own := strings.TrimPrefix(s.Name, "st_")
	for _, n := range s.TaskTemplate.Networks {
		aliases := slices.DeleteFunc(slices.Clone(n.Aliases), func(a string) bool { return a == own })
		if len(aliases) == 0 {
			aliases = nil
		}
		out[n.Target] = &target.Attachment{Aliases: aliases}
	}
	return out
}

func deploy(s swarm.ServiceSpec) target.Deploy {
	d := target.Deploy{Mode: "replicated", EndpointMode: string(s.EndpointSpec.Mode), Labels: without(s.Labels)}
	if d.EndpointMode == "" {
		d.EndpointMode = "vip"
	}
	switch {
	case s.Mode.Global != nil:
		d.Mode = "global"
	case s.Mode.Replicated != nil:
		n := int(*s.Mode.Replicated.Replicas)
		d.Replicas = &n
	}
	d.UpdateConfig, d.RollbackConfig = update(s.UpdateConfig), update(s.RollbackConfig)
	task := s.TaskTemplate
	if r := task.RestartPolicy; r != nil {
		d.RestartPolicy = &target.Restart{Condition: string(r.Condition)}
		if r.Delay != nil {
			d.RestartPolicy.Delay = r.Delay.String()
		}
	}
	if p := task.Placement; p != nil && (len(p.Constraints) > 0 || len(p.Preferences) > 0 || p.MaxReplicas > 0) {
		d.Placement = &target.Placement{Constraints: p.Constraints, MaxReplicasPerNode: int(p.MaxReplicas)}
		for _, pref := range p.Preferences {
			d.Placement.Preferences = append(d.Placement.Preferences, target.Preference{Spread: pref.Spread.SpreadDescriptor})
		}
	}
	if r := task.Resources; r != nil && (r.Limits != nil || r.Reservations != nil) {
		d.Resources = &target.Resources{}
		if r.Limits != nil {
			d.Resources.Limits = quantity(r.Limits.NanoCPUs, r.Limits.MemoryBytes)
		}
		if r.Reservations != nil {
			d.Resources.Reservations = quantity(r.Reservations.NanoCPUs, r.Reservations.MemoryBytes)
		}
	}
	return d
}

func quantity(nano, memory int64) *target.Quantity {
	q := &target.Quantity{}
	if nano > 0 {
		q.CPUs = strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%09d", nano/1e9, nano%1e9), "0"), ".")
	}
	if memory > 0 {
		q.Memory = fmt.Sprint(memory)
	}
	return q
}

func update(u *swarm.UpdateConfig) *target.Update {
	if u == nil {
		return nil
	}
	return &target.Update{Parallelism: int(u.Parallelism), Delay: text(u.Delay), FailureAction: string(u.FailureAction), Monitor: text(u.Monitor), Order: string(u.Order)}
}
