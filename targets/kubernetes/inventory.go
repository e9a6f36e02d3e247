package kubernetes

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"kumiki.dev/targets"
)

// InventoryPart is what follows the solution's name in that of its inventory.
const InventoryPart = "inventory"

// inventory lists all objects of the solution, itself too: what is in an old
// one and not in a new one is to be deleted.
func (b *builder) inventory() {
	at := place{}
	title := name(b.solution.Ref.Name, InventoryPart)
	c := &corev1.ConfigMap{ObjectMeta: b.meta(title, at)}
	c.APIVersion, c.Kind = "v1", "ConfigMap"
	b.add("ConfigMap", title, at, c)
	b.sort(title)
	digest := b.solution.Digest
	if digest == "" {
		digest, _ = b.solution.ContentDigest() // of one that nobody has encoded yet, or that other tools wrote
	}
	var list strings.Builder
	list.Grow(len(b.objects) * targets.MaxName)
	for _, o := range b.objects {
		if o.Kind == "Namespace" {
			continue // it is never removed with a solution
		}
		list.WriteString(o.Kind + "/" + o.Name + "\n")
	}
	c.Data = map[string]string{"solution": b.solution.Ref.Name, "digest": digest, "objects": list.String()}
}
