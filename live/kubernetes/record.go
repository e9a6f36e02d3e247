package kubernetes

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/dynamic"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/live"
	"kumiki.dev/targets"
)

// The record of a solution is in the ConfigMap that lists its objects, which a file of objects
// has too: binaryData.record, compressed. What is too large for one is in parts, ConfigMaps
// of their own that are named for what is in them: the first one says which belong to it, so
// that a record is always whole.
const (
	// inventoryLabel marks ConfigMaps with a record, and is "part" on those with a part.
	inventoryLabel = "kumiki.dev/inventory"
	recordKey      = "record"
	partsKey       = "parts"
	// maxPart is how much of a record one ConfigMap has, which may have 1 MiB.
	maxPart = 512 << 10
)

func configMap(namespace, name string) engine.About {
	return engine.About{ID: engine.ID{Kind: "ConfigMap", Namespace: namespace, Name: name}, Version: "v1"}
}

// Record implements [live.Target].
func (c *Cluster) Record(ctx context.Context, solution string) (*live.Record, error) {
	u, err := c.inventoryOf(ctx, solution)
	if err != nil {
		return nil, plainly(err)
	}
	if u == nil {
		return &live.Record{Format: live.Format, Solution: solution}, nil
	}
	r, err := c.decode(ctx, u)
	if err == nil {
		r.Unlisted = u.GetLabels()[inventoryLabel] != "record"
	}
	return r, err
}

func (c *Cluster) inventoryOf(ctx context.Context, solution string) (*unstructured.Unstructured, error) {
	all, err := c.all(ctx, configMap(c.Namespace, ""), inventoryLabel+"=record")
	if err != nil || all == nil {
		return c.get(ctx, configMap(c.Namespace, Inventory(solution)))
	}
	return all.items[Inventory(solution)], nil
}

// Records implements [live.Target].
func (c *Cluster) Records(ctx context.Context) ([]*live.Record, error) {
	var out []*live.Record
	err := c.EachRecord(ctx, func(r *live.Record) { out = append(out, r) })
	return out, err
}

// EachRecord implements [live.Surveyor].
func (c *Cluster) EachRecord(ctx context.Context, each func(*live.Record)) error {
	in, err := c.in(ctx, configMap(c.Namespace, ""))
	if err != nil {
		return err
	}
	list, err := in.List(ctx, metav1.ListOptions{LabelSelector: inventoryLabel + "=record"})
	if err != nil {
		return plainly(err)
	}
	var damaged []error
	for i := range list.Items {
		r, err := c.decode(ctx, &list.Items[i])
		list.Items[i].Object = nil // it is large
		if err != nil {
			damaged = append(damaged, err)
			continue
		}
		each(r)
	}
	return errors.Join(damaged...)
}

// decode reads the record in a ConfigMap, or makes one of the list in it.
func (c *Cluster) decode(ctx context.Context, u *unstructured.Unstructured) (*live.Record, error) {
	wrong := func(err error) error {
		return fmt.Errorf("the inventory, ConfigMap/%s, cannot be read: %w; if somebody has changed it, kubectl delete configmap/%s -n %s and then kumiki apply DIR make it anew, and adopt what is there",
			u.GetName(), err, u.GetName(), u.GetNamespace())
	}
	names, parted, _ := unstructured.NestedString(u.Object, "data", partsKey)
	data, err := piece(u)
	parts := map[string]*unstructured.Unstructured{}
	if names != "" {
		if parts, err = c.partsOf(ctx, u); err != nil {
			return nil, wrong(plainly(err))
		}
	}
	for _, name := range strings.Fields(names) {
		part := parts[name]
		if part == nil {
			return nil, wrong(errors.New("its part " + name + " is gone"))
		}
		more, err := piece(part)
		if err != nil {
			return nil, wrong(err)
		}
		data = append(data, more...)
	}
	switch {
	case err != nil && !parted:
		return nil, wrong(fmt.Errorf("it is damaged: %w", err))
	case len(data) == 0:
		return listed(u), nil
	}
	r, err := live.Decode(data, json.Unmarshal)
	if err != nil {
		return nil, wrong(fmt.Errorf("it is damaged: %w", err))
	}
	r.Revision, r.Parts = u.GetResourceVersion(), sorting.Ordered(parts)
	r.Stray = stray(parts, names)
	return r, nil
}

// stray returns the names of parts that are not among those that a record names.
func stray(parts map[string]*unstructured.Unstructured, named string) []string {
	return filter.Out(sorting.Ordered(parts), func(name string) bool { return filter.Contains(strings.Fields(named), name) })
}

// partsOf returns the ConfigMaps in which parts of a solution's records are, by their names. All
// that is there comes with one request.
func (c *Cluster) partsOf(ctx context.Context, record *unstructured.Unstructured) (map[string]*unstructured.Unstructured, error) {
	in, err := c.in(ctx, configMap(record.GetNamespace(), ""))
	if err != nil {
		return nil, err
	}
	solution := record.GetLabels()[targets.SolutionLabel]
	list, err := in.List(ctx, metav1.ListOptions{LabelSelector: targets.SolutionLabel + "=" + solution + "," + inventoryLabel + "=part"})
	if err != nil {
		return nil, err
	}
	out := map[string]*unstructured.Unstructured{}
	for i := range list.Items {
		out[list.Items[i].GetName()] = &list.Items[i]
	}
	return out, nil
}

// Tidy implements [live.Tidier].
func (c *Cluster) Tidy(ctx context.Context, r *live.Record) error {
	for _, part := range r.Stray {
		if err := c.Remove(ctx, configMap(c.Namespace, part)); err != nil {
			return err
		}
	}
	return nil
}

// piece returns what a ConfigMap has of a record.
func piece(u *unstructured.Unstructured) ([]byte, error) {
	text, _, _ := unstructured.NestedString(u.Object, "binaryData", recordKey)
	return base64.StdEncoding.DecodeString(text)
}

// listed returns the record of objects that were applied from a file: their names.
func listed(u *unstructured.Unstructured) *live.Record {
	r := &live.Record{Format: live.Format, Revision: u.GetResourceVersion()}
	r.Solution, _, _ = unstructured.NestedString(u.Object, "data", "solution")
	text, _, _ := unstructured.NestedString(u.Object, "data", "objects")
	for _, line := range strings.Fields(text) {
		name, object, _ := strings.Cut(line, "/")
		about := engine.About{ID: engine.ID{Kind: name, Name: object}, Version: versionOf(name), Stage: stageOf(name), Runs: stageOf(name) == running}
		if about.Version == "" || name == "ConfigMap" && object == u.GetName() {
			continue
		}
		if resource, _ := tabled(name, ""); !strings.HasPrefix(resource, "!") {
			about.Namespace = u.GetNamespace()
		}
		if name == "PersistentVolumeClaim" {
			about.Volume = r.Solution + "/" + object
		}
		r.Objects = append(r.Objects, engine.Made{About: about})
	}
	return r
}

// versionOf returns the version of the API that a kind is of, "" for one that a list of names
// does not say enough of.
func versionOf(name string) string {
	versions := map[string]string{"apps/v1": "Deployment StatefulSet DaemonSet", "batch/v1": "Job CronJob", "networking.k8s.io/v1": "NetworkPolicy Ingress",
		"policy/v1": "PodDisruptionBudget", "autoscaling/v2": "HorizontalPodAutoscaler", "rbac.authorization.k8s.io/v1": "Role RoleBinding",
		"v1": "ConfigMap Service ServiceAccount Secret PersistentVolumeClaim", "gateway.networking.k8s.io/v1": "Gateway HTTPRoute"}
	for version, kinds := range versions {
		if filter.Contains(strings.Fields(kinds), name) {
			return version
		}
	}
	return ""
}

// Save implements [live.Target].
func (c *Cluster) Save(ctx context.Context, r *live.Record) error {
	data, err := r.Encode()
	if err != nil {
		return err
	}
	name := Inventory(r.Solution)
	in, err := c.in(ctx, configMap(c.Namespace, name))
	if err != nil {
		return err
	}
	u := c.inventory(r, name)
	if len(data) <= maxPart {
		_ = unstructured.SetNestedField(u.Object, base64.StdEncoding.EncodeToString(data), "binaryData", recordKey)
	} else {
		names, err := c.parts(ctx, in, r, name, data)
		if err != nil {
			return err
		}
		_ = unstructured.SetNestedField(u.Object, strings.Join(names, " "), "data", partsKey)
	}
	old := r.Revision
	if old == "" {
		u, err = in.Create(ctx, u, metav1.CreateOptions{FieldManager: Manager})
	} else {
		u.SetResourceVersion(old)
		u, err = in.Update(ctx, u, metav1.UpdateOptions{FieldManager: Manager})
	}
	switch {
	case apierrors.IsConflict(err), apierrors.IsAlreadyExists(err), apierrors.IsNotFound(err) && old != "":
		return fmt.Errorf("solution %s: %w", r.Solution, live.ErrContest)
	case err != nil:
		return fmt.Errorf("ConfigMap/%s, the inventory: %w", name, plainly(err))
	}
	r.Revision = u.GetResourceVersion()
	return c.sweep(ctx, r, u)
}

// inventory returns the ConfigMap with what people read in it.
func (c *Cluster) inventory(r *live.Record, name string) *unstructured.Unstructured {
	names := []string{"ConfigMap/" + name}
	for _, m := range r.Objects {
		names = append(names, m.ID.String())
	}
	slices.Sort(names[1:])
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": name, "namespace": c.Namespace, "labels": c.labels(r.Solution, "record")},
		"data":     map[string]any{"solution": r.Solution, "digest": r.Digest, "objects": strings.Join(names, "\n") + "\n"},
	}}
}

func (c *Cluster) labels(solution, what string) map[string]any {
	value := targets.ForeignLabels(solution, "", "")[targets.SolutionLabel]
	return map[string]any{managedBy: Manager, "app.kubernetes.io/part-of": value, targets.SolutionLabel: value, inventoryLabel: what}
}

// parts writes the parts of a record that are not there yet.
func (c *Cluster) parts(ctx context.Context, in dynamic.ResourceInterface, r *live.Record, name string, data []byte) (names []string, err error) {
	for piece := range slices.Chunk(data, maxPart) {
		sum := sha256.Sum256(piece)
		part := targets.Name(targets.MaxName, name, strconv.Itoa(len(names)), hex.EncodeToString(sum[:8]))
		names = append(names, part)
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "immutable": true,
			"metadata":   map[string]any{"name": part, "namespace": c.Namespace, "labels": c.labels(r.Solution, "part")},
			"binaryData": map[string]any{recordKey: base64.StdEncoding.EncodeToString(piece)},
		}}
		if _, err := in.Create(ctx, u, metav1.CreateOptions{FieldManager: Manager}); err != nil && !apierrors.IsAlreadyExists(err) {
			return nil, fmt.Errorf("ConfigMap/%s, a part of the inventory: %w", part, plainly(err))
		}
	}
	r.Parts = names
	return names, nil
}

// sweep removes parts of records that there were before.
func (c *Cluster) sweep(ctx context.Context, r *live.Record, now *unstructured.Unstructured) error {
	keep, _, _ := unstructured.NestedString(now.Object, "data", partsKey)
	if keep == "" && len(r.Parts) == 0 {
		return nil
	}
	parts, err := c.partsOf(ctx, now)
	if err != nil {
		return plainly(err)
	}
	r.Parts, r.Stray = strings.Fields(keep), stray(parts, keep)
	return c.Tidy(ctx, r)
}

// Forget implements [live.Target].
func (c *Cluster) Forget(ctx context.Context, r *live.Record) error {
	if !r.Known() {
		return nil
	}
	if err := c.Remove(ctx, configMap(c.Namespace, Inventory(r.Solution))); err != nil {
		return err
	}
	for _, part := range r.Parts {
		if err := c.Remove(ctx, configMap(c.Namespace, part)); err != nil {
			return err
		}
	}
	r.Revision = ""
	return nil
}
