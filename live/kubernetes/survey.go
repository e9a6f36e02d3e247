package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
	"kumiki.dev/targets"
)

// surveyPage is how many objects are asked for at once: so many are in memory.
const surveyPage = 200

// change is what a watch tells of an object.
type change struct {
	of   engine.About
	u    *unstructured.Unstructured
	gone bool
}

// Survey implements [live.Surveyor]: a list for each kind, in pages, and a watch that begins
// where the list has ended.
func (c *Cluster) Survey(ctx context.Context, kinds []engine.About, known live.Known, each func(live.Sight), synced func()) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	if !filter.Any(kinds, func(of engine.About) bool {
		return of.Kind == "ConfigMap" && (of.Namespace == "" || of.Namespace == c.Namespace)
	}) {
		kinds = append(slices.Clone(kinds), configMap(c.Namespace, "")) // records are such
	}
	tell := func(ch change) error {
		s, ok, err := c.sight(ctx, ch, known)
		if ok {
			each(s)
		}
		return err
	}
	versions := make([]string, len(kinds)) // of the lists, "" for kinds that are not there
	for i, of := range kinds {
		var err error
		if versions[i], err = c.pages(ctx, of, tell); err != nil && !errors.Is(err, errNoKind) {
			return fmt.Errorf("%s: %w", of.Kind, plainly(err))
		}
	}
	synced()
	changes, ended := make(chan change), make(chan error, len(kinds))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	for i, of := range kinds {
		if versions[i] != "" {
			wg.Go(func() { ended <- c.changes(ctx, of, versions[i], changes) })
		}
	}
	for {
		select {
		case ch := <-changes:
			if err := tell(ch); err != nil {
				return err
			}
		case err := <-ended:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// pages lists the objects of a kind that kumiki has made, and returns the version of the list.
func (c *Cluster) pages(ctx context.Context, of engine.About, tell func(change) error) (string, error) {
	in, err := c.in(ctx, of)
	if err != nil {
		return "", err
	}
	for options := (metav1.ListOptions{LabelSelector: managedBy + "=" + Manager, Limit: surveyPage}); ; {
		list, err := in.List(ctx, options)
		if err != nil {
			return "", err
		}
		for i := range list.Items {
			if err := tell(change{of: of, u: &list.Items[i]}); err != nil {
				return "", err
			}
		}
		if options.Continue = list.GetContinue(); options.Continue == "" {
			return list.GetResourceVersion(), nil
		}
	}
}

// changes sends what changes of a kind since a version.
func (c *Cluster) changes(ctx context.Context, of engine.About, version string, to chan<- change) error {
	in, err := c.in(ctx, of)
	if err != nil {
		return err
	}
	w, err := in.Watch(ctx, metav1.ListOptions{LabelSelector: managedBy + "=" + Manager, ResourceVersion: version, AllowWatchBookmarks: true})
	if err != nil {
		return plainly(err)
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		u, ok := event.Object.(*unstructured.Unstructured)
		switch {
		case !ok || event.Type == watch.Bookmark:
			continue
		case event.Type == watch.Error:
			return errWatchEnded
		}
		select {
		case to <- change{of, u, event.Type == watch.Deleted}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return errWatchEnded
}

// sight returns an object as a monitor takes it; false for one that it is not about.
func (c *Cluster) sight(ctx context.Context, ch change, known live.Known) (s live.Sight, ok bool, err error) {
	labels := ch.u.GetLabels()
	if ch.u.GetKind() == "" {
		ch.u.SetAPIVersion(ch.of.Version)
		ch.u.SetKind(apiKind(ch.of))
	}
	id := engine.ID{Kind: ch.of.Kind, Name: ch.u.GetName()}
	if ch.of.Namespace != "" {
		id.Namespace = ch.u.GetNamespace()
	}
	if labels[inventoryLabel] != "" {
		s.Solution, _, _ = unstructured.NestedString(ch.u.Object, "data", "solution")
		s.ID, s.Record = id, true
		return s, labels[inventoryLabel] == "record" && s.Solution != "", nil
	}
	solution, made := known(id, labels[targets.SolutionLabel])
	if solution == "" {
		return s, false, nil
	}
	all := map[engine.ID]engine.About{}
	if made.Kind != "" {
		all[id] = made.About
	}
	if s.Seen, ok = c.seen(ch.of, ch.u, all, solution); !ok {
		return s, false, nil
	}
	if ch.gone {
		s.Value = nil
		return s, true, nil
	}
	one := []engine.Seen{s.Seen}
	err = c.excuse(ctx, one, []engine.Object{made}, func(autoscaler string) bool {
		_, hpa := known(engine.ID{Kind: "HorizontalPodAutoscaler", Name: autoscaler}, labels[targets.SolutionLabel])
		return hpa.Kind != ""
	})
	s.Seen = one[0]
	return s, true, err
}
