package kubernetes

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// The keys under which Secrets and ConfigMaps of registered resources hold what
// is registered.
const (
	secretKey = "value"
	caKey     = "ca.crt"
	domainKey = "domain"
	portKey   = "port"
)

// env sets a container's variables, and tells it where its channels lead.
func (r *roleOf) env(key string, c *solution.Container) []corev1.EnvVar {
	out := make([]corev1.EnvVar, 0, len(c.Mapping.Env)+len(r.clients[r.at]))
	for _, name := range targets.Keys(c.Mapping.Env) {
		if len(validation.IsRelaxedEnvVarName(name)) > 0 {
			r.broken(diag.TargetName, r.at, []string{"code", key, "mapping", "env", name}, "Kubernetes gives containers no variable called %q, which %v has: the name of a variable consists of printable characters of ASCII", name, r.at)
			continue
		}
		out = append(out, r.variable(key, name, c.Mapping.Env[name]))
	}
	for _, channel := range r.channelEnv() {
		if _, taken := c.Mapping.Env[channel.Name]; !taken {
			out = append(out, channel)
		}
	}
	return out
}

// variable is one of a container's. What is registered in the cluster is looked
// up there when an instance starts.
func (r *roleOf) variable(key, name string, e *solution.Env) corev1.EnvVar {
	v := corev1.EnvVar{Name: name}
	if e.Value != nil {
		v.Value = literal(*e.Value)
		return v
	}
	path := []string{"code", key, "mapping", "env", name}
	secret := func(id, key string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: r.registeredAs(r.at, path, id)}, Key: key}}
	}
	config := func(id, key string) *corev1.EnvVarSource {
		return &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: r.registeredAs(r.at, path, id)}, Key: key}}
	}
	found := r.resource(e.Secret + e.Domain + e.Port + e.Certificate + e.CA)
	if found == nil {
		found = &solution.Resource{}
	}
	switch found.Kind() {
	case "secret":
		v.ValueFrom = secret(found.Secret, secretKey)
	case "certificate":
		v.ValueFrom = secret(found.Certificate, corev1.TLSCertKey)
	case "ca":
		v.ValueFrom = secret(found.CA, caKey)
	case "domain":
		if host, ok := r.host(found.Domain); ok {
			v.Value = host
			break
		}
		v.ValueFrom = config(found.Domain, domainKey)
	case "port":
		if port, ok := r.number(found.Port); ok {
			v.Value = strconv.Itoa(int(port))
			break
		}
		v.ValueFrom = config(found.Port, portKey)
	default:
		r.broken(diag.TargetName, r.at, path, "variable %s of %v stands for nothing in its config", name, r.at)
	}
	return v
}

// number is that of a registered port: what the options say, or the id itself
// where it is one.
func (b *builder) number(id string) (int32, bool) {
	if n, ok := b.options.Ports[id]; ok {
		return n, true
	}
	n, err := strconv.ParseUint(id, 10, 16)
	return int32(n), err == nil && n > 0
}

// resource is one of the role's, by its key; a dot leads into a group.
func (r *roleOf) resource(key string) *solution.Resource {
	if found := find(r.role.Config.Resource, key); found != nil {
		return found
	}
	return find(r.desc.Config.Resource, key)
}

func find(resources map[string]*solution.Resource, key string) *solution.Resource {
	if r := resources[key]; r != nil {
		return r
	}
	group, rest, ok := strings.Cut(key, ".")
	if r := resources[group]; ok && r != nil {
		return find(r.Group, rest)
	}
	return nil
}
