package kubernetes

import (
	"context"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/targets"
)

// gathered are the objects of all solutions in a namespace, each kind listed once.
type gathered struct {
	mu    sync.Mutex
	kinds map[engine.ID]*gatheredKind // by kind and version, and namespace
}

type gatheredKind struct {
	once  sync.Once
	by    map[string][]unstructured.Unstructured // by the solution's label
	items map[string]*unstructured.Unstructured  // by name
	err   error
}

// Gather implements [live.Gatherer].
func (c *Cluster) Gather(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gathered == nil {
		c.gathered = &gathered{kinds: map[engine.ID]*gatheredKind{}}
	}
	c.gathering = on
}

// all returns what was gathered of a kind, nil where every look asks for itself.
func (c *Cluster) all(ctx context.Context, of engine.About, labels string) (*gatheredKind, error) {
	c.mu.Lock()
	g := c.gathered
	if !c.gathering {
		g = nil
	}
	c.mu.Unlock()
	if g == nil {
		return nil, nil
	}
	key := engine.ID{Kind: of.Kind + " " + of.Version + " " + labels, Namespace: of.Namespace}
	g.mu.Lock()
	k := g.kinds[key]
	if k == nil {
		k = &gatheredKind{}
		g.kinds[key] = k
	}
	g.mu.Unlock()
	k.once.Do(func() { k.err = c.gather(ctx, of, labels, k) })
	return k, k.err
}

// gatherPage is how many objects are asked for at once: of so many all that the API server says is
// in memory.
const gatherPage = 500

func (c *Cluster) gather(ctx context.Context, of engine.About, labels string, k *gatheredKind) error {
	in, err := c.in(ctx, of)
	if err != nil {
		return err
	}
	k.by, k.items = map[string][]unstructured.Unstructured{}, map[string]*unstructured.Unstructured{}
	for options := (metav1.ListOptions{LabelSelector: labels, Limit: gatherPage}); ; {
		list, err := in.List(ctx, options)
		if err != nil {
			return plainly(err)
		}
		for i := range list.Items {
			u := &list.Items[i]
			trim(u)
			solution := u.GetLabels()[targets.SolutionLabel]
			k.by[solution] = append(k.by[solution], *u)
			k.items[u.GetName()] = u
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return nil
		}
	}
}

// trim leaves out which fields kumiki has set, and which the status has: most of what the API
// server says of an object, and nobody asks.
func trim(u *unstructured.Unstructured) {
	managers, _, _ := unstructured.NestedFieldNoCopy(u.Object, "metadata", "managedFields")
	list, ok := managers.([]any)
	if !ok {
		return
	}
	kept := filter.Out(list, func(one any) bool {
		entry, _ := one.(map[string]any)
		return entry["manager"] == Manager || entry["subresource"] == "status"
	})

	u.Object["metadata"].(map[string]any)["managedFields"] = kept
}
