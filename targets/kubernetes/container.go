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
		Image:           targets.Image(c.Image),
		ImagePullPolicy: r.pullPolicy(targets.Image(c.Image)),
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

// pullPolicy is whether a node asks the registry again for an image that it has. One that
// is named by its digest is the same for ever; what a tag stands for changes, and nodes
// that kept another one would run other code.
func (b *builder) pullPolicy(image string) corev1.PullPolicy {
	switch {
	case b.options.Pull != "":
		return corev1.PullPolicy(b.options.Pull)
	case strings.Contains(image, "@"):
		return corev1.PullIfNotPresent
	default:
		return corev1.PullAlways
	}
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

// What the resolver writes is its logs, which the kubelet rotates at 50Mi, and some lines.
var resolverStorage = resource.MustParse("64Mi")

// boundStorage bounds what containers write to their node, where the role's meta does: each
// may have that, and the volatile volumes that it is the first to mount. As a limit for one
// container is one for all that the pod writes, the resolver has none where others have none.
func (r *roleOf) boundStorage(pod *corev1.PodSpec) {
	if r.hints.EphemeralStorage == nil {
		return
	}
	each, ok := quantity(corev1.ResourceEphemeralStorage, *r.hints.EphemeralStorage)
	if !ok {
		return // hints are read so that this cannot be
	}
	counted := map[string]bool{}
	for i := range pod.Containers {
		sum := each.DeepCopy()
		for _, m := range pod.Containers[i].VolumeMounts {
			if size := r.nodeSize(m.Name); size != nil && !counted[m.Name] {
				counted[m.Name] = true
				sum.Add(*size)
			}
		}
		limitStorage(&pod.Containers[i], sum)
	}
	for i := range pod.InitContainers {
		limitStorage(&pod.InitContainers[i], resolverStorage)
	}
}

// nodeSize is that of a volume that is a directory of the node, nil for another.
func (r *roleOf) nodeSize(name string) *resource.Quantity {
	for _, v := range r.volumes {
		if v.Name == name && v.EmptyDir != nil {
			return v.EmptyDir.SizeLimit
		}
	}
	return nil
}

// limitStorage keeps some free and allows no more. Containers of one size share their
// lists, which are not changed.
func limitStorage(c *corev1.Container, n resource.Quantity) {
	requests, limits := c.Resources.Requests.DeepCopy(), c.Resources.Limits.DeepCopy()
	if requests == nil {
		requests = corev1.ResourceList{}
	}
	if limits == nil {
		limits = corev1.ResourceList{}
	}
	requests[corev1.ResourceEphemeralStorage], limits[corev1.ResourceEphemeralStorage] = n, n
	c.Resources.Requests, c.Resources.Limits = requests, limits
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
