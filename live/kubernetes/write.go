package kubernetes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
	"kumiki.dev/targets"
)

// apply writes an object by server-side apply, and takes over fields that others manage.
func (c *Cluster) apply(ctx context.Context, a engine.Action, dry bool) (*unstructured.Unstructured, dynamic.ResourceInterface, error) {
	in, err := c.in(ctx, a.About)
	if err != nil {
		return nil, nil, err
	}
	give := a.Give
	if real := c.real[a.ID]; real != nil {
		give = real
	}
	options := metav1.ApplyOptions{FieldManager: Manager, Force: true}
	if dry {
		options.DryRun = []string{metav1.DryRunAll}
	}
	for try := range 5 {
		limited, cancel := context.WithTimeout(ctx, requestTimeout)
		var u *unstructured.Unstructured
		u, err = in.Apply(limited, a.Name, (&unstructured.Unstructured{Object: give}).DeepCopy(), options)
		cancel()
		if !apierrors.IsConflict(err) && !apierrors.IsTooManyRequests(err) {
			return u, in, err
		}
		time.Sleep(time.Duration(try+1) * 50 * time.Millisecond)
	}
	return nil, in, err
}

// Try implements [live.Target].
func (c *Cluster) Try(ctx context.Context, a engine.Action) (live.Verdict, error) {
	u, _, err := c.apply(ctx, a, true)
	switch {
	case err == nil && a.Verb == engine.Create && u.GetResourceVersion() != "": // only what is stored has one
		return c.foreign(ctx, a)
	case err == nil && isSecret(a.About):
		return live.Verdict{Would: sealed(a.ID, u.Object)}, nil
	case err == nil:
		return live.Verdict{Would: u.Object}, nil
	case errors.Is(err, errNoKind):
		_, group, _ := strings.Cut(a.Kind, ".")
		if c.defs[group] {
			return live.Verdict{}, nil // its kind is defined before it is made
		}
		return live.Verdict{Refused: err.Error()}, nil
	}
	v, err := refusal(err, a)
	if err != nil || a.Verb != engine.Create {
		return v, err
	}
	// What is refused may be a change of an object that is somebody else's.
	if other, err := c.foreign(ctx, a); err == nil && other.Foreign != "" {
		v.Foreign = other.Foreign
		if v.Fixed = isFixed(v.Refused); v.Fixed {
			v.Foreign += ", with a field that cannot change, so that it would be removed and made anew"
		}
	}
	return v, nil
}

// refusal makes a verdict of what the API server says; an error of what is not about the object.
func refusal(err error, a engine.Action) (live.Verdict, error) {
	var said apierrors.APIStatus
	if !errors.As(err, &said) || said.Status().Code >= http.StatusInternalServerError || apierrors.IsUnauthorized(err) || apierrors.IsTooManyRequests(err) {
		return live.Verdict{}, fmt.Errorf("%v: %w", a.ID, err)
	}
	v := live.Verdict{Refused: said.Status().Message}
	if details := said.Status().Details; details != nil {
		for _, cause := range details.Causes {
			if v.Field == "" {
				v.Field = cause.Field
			}
		}
	}
	v.Fixed = a.Verb != engine.Create && apierrors.IsInvalid(err) && isFixed(v.Refused)
	return v, nil
}

// isFixed reports whether the API server says of a field that it cannot change.
func isFixed(message string) bool {
	return filter.Any([]string{"field is immutable", "may not change once set", "updates to statefulset spec for fields other than", "cannot change roleRef"}, func(text string) bool {
		return strings.Contains(message, text)
	})
}

// foreign says whose an object is that was not found by the solution's labels, nothing where
// there is none. What is tried becomes ours, so it is looked at as it is.
func (c *Cluster) foreign(ctx context.Context, a engine.Action) (live.Verdict, error) {
	u, err := c.get(ctx, a.About)
	if u == nil || err != nil {
		return live.Verdict{}, err
	}
	if other := u.GetLabels()[targets.SolutionLabel]; other != "" && u.GetLabels()[managedBy] == Manager {
		return live.Verdict{Foreign: "it is solution " + other + "'s"}, nil
	}
	var managers []string
	for _, f := range u.GetManagedFields() {
		if f.Manager == Manager && f.Operation == metav1.ManagedFieldsOperationApply {
			return live.Verdict{}, nil // ours, whose labels somebody has taken away
		}
		if f.Subresource == "" && !filter.Contains(managers, f.Manager) {
			managers = append(managers, f.Manager)
		}
	}
	if len(managers) == 0 {
		return live.Verdict{Foreign: "it is there already, and nothing says who made it"}, nil
	}
	return live.Verdict{Foreign: "it is there already, and was made by " + strings.Join(managers, " and ")}, nil
}

// Give implements [live.Target].
func (c *Cluster) Give(ctx context.Context, a engine.Action) (map[string]any, error) {
	if a.Verb == engine.Replace {
		if err := c.removed(ctx, a.About); err != nil {
			return nil, err
		}
	}
	u, in, err := c.apply(ctx, a, false)
	if err != nil {
		return nil, plainly(err)
	}
	if u, err = c.without(ctx, in, u, a.Changes); err != nil {
		return nil, plainly(err)
	}
	if a.Stage == defining {
		err = c.established(ctx, in, a.Name)
	}
	if isSecret(a.About) {
		return sealed(a.ID, u.Object), err
	}
	return u.Object, err
}

// plainly returns an error with the API server's message alone.
func plainly(err error) error {
	var said apierrors.APIStatus
	if errors.As(err, &said) {
		return errors.New(said.Status().Message)
	}
	return err
}

// without removes the list items that others have added: server-side apply keeps them.
func (c *Cluster) without(ctx context.Context, in dynamic.ResourceInterface, u *unstructured.Unstructured, changes []engine.Difference) (*unstructured.Unstructured, error) {
	type step struct {
		Op    string `json:"op"`
		Path  string `json:"path"`
		Value any    `json:"value,omitempty"`
	}
	var steps []step
	for _, change := range changes {
		if change.Made != nil || change.Live == nil || !strings.HasSuffix(change.Path, "]") {
			continue
		}
		if pointer, ok := pointerTo(u.Object, change.Path); ok {
			steps = append(steps, step{"test", pointer, change.Live}, step{Op: "remove", Path: pointer})
		}
	}
	if len(steps) == 0 {
		return u, nil
	}
	slices.Reverse(steps) // of a list the last item first; test and remove change places with it
	for i := 0; i < len(steps); i += 2 {
		steps[i], steps[i+1] = steps[i+1], steps[i]
	}
	patch, err := json.Marshal(steps)
	if err != nil {
		return nil, err
	}
	return in.Patch(ctx, u.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{FieldManager: Manager})
}

// removed removes an object and waits until it is gone.
func (c *Cluster) removed(ctx context.Context, about engine.About) error {
	if err := c.Remove(ctx, about); err != nil {
		return err
	}
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		u, err := c.get(ctx, about)
		if err != nil || u == nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("it has to be made anew, and is not gone: %s", held(u))
		case <-time.After(pause):
		}
	}
}

// Remove implements [live.Target]: the objects that an object owns are deleted before it.
func (c *Cluster) Remove(ctx context.Context, about engine.About) error {
	in, err := c.in(ctx, about)
	if errors.Is(err, errNoKind) {
		return nil
	}
	if err != nil {
		return err
	}
	policy := metav1.DeletePropagationForeground
	if !about.Runs {
		policy = metav1.DeletePropagationBackground
	}
	err = in.Delete(ctx, about.Name, metav1.DeleteOptions{PropagationPolicy: &policy})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return plainly(err)
	}
	return nil
}

// established waits until a kind can be used: the API server says so of it a moment before it finds the kind.
func (c *Cluster) established(ctx context.Context, in dynamic.ResourceInterface, name string) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		u, err := in.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if h, _ := health(u); h == engine.Healthy && c.serves(ctx, u) {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.New("the kind is defined, and the cluster does not take it")
		case <-time.After(pause):
		}
	}
}

// serves reports whether the cluster finds the kind that a definition defines, in each version that it serves.
func (c *Cluster) serves(ctx context.Context, definition *unstructured.Unstructured) bool {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	name, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	return !filter.Any(versions, func(v any) bool {
		version, ok := v.(map[string]any)
		if !ok || version["served"] != true {
			return false
		}
		_, err := c.ask(ctx, schema.GroupVersion{Group: group, Version: fmt.Sprint(version["name"])}, name)
		return errors.Is(err, errNoKind)
	})
}
