package kubernetes

import (
	"math/big"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"kumiki.dev/diag"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

type channelMap = map[string]*solution.Channel

// container is one of the role's.
func (r *roleOf) container(key string, c *solution.Container) corev1.Container {
	out := corev1.Container{
		Name:            r.containers[key],
		Image:           image(c.Image),
		Command:         literals(c.Entrypoint),
		Args:            literals(c.Cmd),
		Env:             r.env(key, c),
		Resources:       r.size(key, c),
		SecurityContext: r.security(key, c),
	}
	r.probes(key, &out)
	for _, target := range targets.Keys(c.Mapping.Filesystem) {
		if f := c.Mapping.Filesystem[target]; f.Volume != "" {
			out.VolumeMounts = append(out.VolumeMounts, r.volume(key, target, f.Volume))
		}
	}
	return out
}

// dockerHub is what manifests call the registry that needs no name.
const dockerHub = "registry.hub.docker.com"

// image is its full name, with the digest that wins over the tag.
func image(i solution.Image) string {
	name := i.Tag
	if hub := strings.TrimSuffix(i.Hub.Name, "/"); hub != "" && hub != dockerHub && !strings.HasPrefix(name, hub+"/") {
		name = hub + "/" + name
	}
	if i.Digest != "" && !strings.Contains(name, "@") {
		name += "@" + i.Digest
	}
	return name
}

// literal protects text from Kubernetes, which takes $(NAME) for the variable
// and $$ for one dollar.
func literal(text string) string {
	if !strings.Contains(text, "$$") && !strings.Contains(text, "$(") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		run := len(text[i:]) - len(strings.TrimLeft(text[i:], "$"))
		switch {
		case run == 0:
			b.WriteByte(text[i])
			i++
			continue
		case run == 1 && !strings.HasPrefix(text[i+1:], "("):
			b.WriteByte('$')
		default:
			b.WriteString(strings.Repeat("$", 2*run))
		}
		i += run
	}
	return b.String()
}

func literals(words []string) []string {
	var out []string
	for _, w := range words {
		out = append(out, literal(w))
	}
	return out
}

// size is what a container is given: at least its minimum, at most its size.
// Memory has no minimum of its own, so that all of it is kept free. Containers of
// one size share it.
func (r *roleOf) size(key string, c *solution.Container) corev1.ResourceRequirements {
	if known, ok := r.sizes[c.Size]; ok {
		return known
	}
	out := corev1.ResourceRequirements{Requests: corev1.ResourceList{}, Limits: corev1.ResourceList{}}
	path, problems := []string{"code", key, "size"}, len(r.problems)
	set := func(list corev1.ResourceList, name corev1.ResourceName, a solution.Amount) {
		if !positive(a) {
			return
		}
		if q, ok := quantity(name, a); ok {
			list[name] = q
			return
		}
		r.broken(diag.TargetSize, r.at, path, "the %s of container %s of %v, %s%s, is no quantity", name, key, r.at, a.Size, a.Unit)
	}
	set(out.Requests, corev1.ResourceCPU, solution.Amount{Size: c.Size.Mincpu, Unit: c.Size.CPU.Unit})
	set(out.Requests, corev1.ResourceMemory, c.Size.Memory)
	set(out.Limits, corev1.ResourceCPU, c.Size.CPU)
	set(out.Limits, corev1.ResourceMemory, c.Size.Memory)
	if len(r.problems) == problems {
		r.sizes[c.Size] = out
	}
	return out
}

// quantity is an amount in Kubernetes' words, in the units it was written in.
func quantity(name corev1.ResourceName, a solution.Amount) (resource.Quantity, bool) {
	if name == corev1.ResourceCPU {
		milli, ok := targets.Milli(a)
		return *resource.NewMilliQuantity(milli, resource.DecimalSI), ok
	}
	format := resource.DecimalSI
	if strings.HasSuffix(a.Unit, "i") {
		format = resource.BinarySI
	}
	n, ok := targets.Whole(a)
	return *resource.NewQuantity(n, format), ok
}

func positive(a solution.Amount) bool {
	if n, err := a.Size.Int64(); err == nil {
		return n > 0
	}
	n, ok := new(big.Rat).SetString(a.Size.String())
	return !ok && a.Size != "" || ok && n.Sign() > 0
}
