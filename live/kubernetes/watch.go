package kubernetes

import (
	"context"
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"kumiki.dev/engine"
	"kumiki.dev/live"
	"kumiki.dev/targets"
)

// podAbout stands for the pods of a solution.
func podAbout(namespace string) engine.About {
	return engine.About{ID: engine.ID{Kind: "Pod", Namespace: namespace}, Version: "v1"}
}

// errWatchEnded says that the API server has ended a watch, as it does now and then.
var errWatchEnded = fmt.Errorf("the watch has ended: %w", live.ErrAgain)

// Watch implements [live.Target]. Beside the objects it tells of pods that are not well: they
// have the place that they belong to, and why. It begins with what is there.
func (c *Cluster) Watch(ctx context.Context, solution string, objects []engine.About, changed func(engine.Seen) bool) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	known, kinds := map[engine.ID]engine.About{}, map[string]engine.About{}
	for _, about := range objects {
		known[about.ID] = about
		kinds[about.Kind+" "+about.Namespace] = about
		kinds["Pod "+about.Namespace] = podAbout(about.Namespace)
	}
	events := make(chan engine.Seen)
	var wg sync.WaitGroup
	ended := make(chan error, len(kinds))
	for _, of := range kinds {
		wg.Go(func() { ended <- c.watch(ctx, solution, of, known, events) })
	}
	defer wg.Wait()
	defer stop()
	for {
		select {
		case s := <-events:
			if !changed(s) {
				return nil
			}
		case err := <-ended:
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watch sends the objects of a kind that change. A watch from no version begins with all
// that are there.
func (c *Cluster) watch(ctx context.Context, solution string, of engine.About, known map[engine.ID]engine.About, to chan<- engine.Seen) error {
	in, err := c.in(ctx, of)
	if err != nil {
		return err
	}
	labels := selector(solution)
	if of.Kind == "Pod" { // they have the labels of the selector alone
		labels = targets.SolutionLabel + "=" + targets.ForeignLabels(solution, "", "")[targets.SolutionLabel]
	}
	w, err := in.Watch(ctx, metav1.ListOptions{LabelSelector: labels, AllowWatchBookmarks: true})
	if err != nil {
		return plainly(err)
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		u, ok := event.Object.(*unstructured.Unstructured)
		if !ok || event.Type == watch.Bookmark {
			continue
		}
		if event.Type == watch.Error {
			return errWatchEnded
		}
		s, ok := c.changed(of, u, event.Type, known, solution)
		if !ok {
			continue
		}
		select {
		case to <- s:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return errWatchEnded
}

func (c *Cluster) changed(of engine.About, u *unstructured.Unstructured, event watch.EventType, known map[engine.ID]engine.About, solution string) (engine.Seen, bool) {
	if of.Kind == "Pod" {
		why := podProblem(u)
		labels := u.GetLabels()
		about := engine.About{ID: engine.ID{Kind: "Pod", Namespace: of.Namespace, Name: u.GetName()}, Place: engine.Place{Deployment: labels[targets.DeploymentLabel], Role: labels[targets.RoleLabel]}}
		return engine.Seen{About: about, Value: u.Object, Why: why}, why != "" && event != watch.Deleted
	}
	s, ok := c.seen(of, u, known, solution)
	if _, wanted := known[s.ID]; !ok || !wanted {
		return s, false
	}
	if event == watch.Deleted {
		s.Value = nil
	}
	return s, true
}

// podProblem says in words why a pod is not well, "" where nothing says that it is not.
func podProblem(u *unstructured.Unstructured) string {
	pod := &corev1.Pod{}
	if runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, pod) != nil {
		return ""
	}
	for _, s := range append(append([]corev1.ContainerStatus{}, pod.Status.InitContainerStatuses...), pod.Status.ContainerStatuses...) {
		if w := s.State.Waiting; w != nil && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing" && w.Reason != "" {
			return fmt.Sprintf("container %s of pod %s: %s", s.Name, pod.Name, reasonOf(w.Reason, w.Message, s))
		}
		if t := s.State.Terminated; t != nil && t.ExitCode != 0 {
			return fmt.Sprintf("container %s of pod %s has ended with exit code %d%s", s.Name, pod.Name, t.ExitCode, after(t.Reason))
		}
	}
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return fmt.Sprintf("pod %s has no node: %s", pod.Name, condition.Message)
		}
	}
	if pod.Status.Phase == corev1.PodFailed {
		return fmt.Sprintf("pod %s has failed%s", pod.Name, after(strings.TrimSpace(pod.Status.Reason+" "+pod.Status.Message)))
	}
	return ""
}

// reasonOf returns why a container waits, with how it has ended before.
func reasonOf(reason, message string, s corev1.ContainerStatus) string {
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull":
		return fmt.Sprintf("its image %s cannot be pulled (%s)%s", s.Image, reason, after(message))
	}
	if last := s.LastTerminationState.Terminated; last != nil {
		return fmt.Sprintf("%s, after %d restarts; it ended with exit code %d%s", reason, s.RestartCount, last.ExitCode, after(last.Message))
	}
	return reason + after(message)
}

// after returns a text behind what it explains.
func after(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// Reasons implements [live.Target]: what pods say, else what is said of those that could not
// be made.
func (c *Cluster) Reasons(ctx context.Context, solution string, place engine.Place) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	pods, err := c.Pods(ctx, solution, place)
	if err != nil {
		return "", err
	}
	for i := range pods {
		if why := podProblem(&pods[i]); why != "" {
			return why, nil
		}
	}
	return c.events(ctx, solution, place)
}

// Pods returns the pods of a place.
func (c *Cluster) Pods(ctx context.Context, solution string, place engine.Place) ([]unstructured.Unstructured, error) {
	in, err := c.in(ctx, podAbout(c.Namespace))
	if err != nil {
		return nil, err
	}
	list, err := in.List(ctx, metav1.ListOptions{LabelSelector: placeSelector(solution, place)})
	if err != nil {
		return nil, plainly(err)
	}
	return list.Items, nil
}

func placeSelector(solution string, place engine.Place) string {
	labels := targets.ForeignLabels(solution, place.Deployment, place.Role)
	out := targets.SolutionLabel + "=" + labels[targets.SolutionLabel]
	if place.Deployment != "" {
		out += "," + targets.DeploymentLabel + "=" + labels[targets.DeploymentLabel]
	}
	if place.Role != "" {
		out += "," + targets.RoleLabel + "=" + labels[targets.RoleLabel]
	}
	return out
}

// events returns the last warning about what makes the pods of a place.
func (c *Cluster) events(ctx context.Context, solution string, place engine.Place) (string, error) {
	makers := map[string]bool{}
	for _, about := range []engine.About{{ID: engine.ID{Kind: "ReplicaSet"}, Version: "apps/v1"}, {ID: engine.ID{Kind: "StatefulSet"}, Version: "apps/v1"}, {ID: engine.ID{Kind: "DaemonSet"}, Version: "apps/v1"}, {ID: engine.ID{Kind: "Job"}, Version: "batch/v1"}} {
		in, err := c.in(ctx, about)
		if err != nil {
			return "", err
		}
		list, err := in.List(ctx, metav1.ListOptions{LabelSelector: placeSelector(solution, place)})
		if err != nil {
			return "", plainly(err)
		}
		for _, u := range list.Items {
			makers[u.GetKind()+"/"+u.GetName()] = true
		}
	}
	in, err := c.in(ctx, engine.About{ID: engine.ID{Kind: "Event"}, Version: "v1"})
	if err != nil {
		return "", err
	}
	list, err := in.List(ctx, metav1.ListOptions{FieldSelector: "type=Warning"})
	if err != nil {
		return "", plainly(err)
	}
	last, why := "", ""
	for _, u := range list.Items {
		kind, _, _ := unstructured.NestedString(u.Object, "involvedObject", "kind")
		name, _, _ := unstructured.NestedString(u.Object, "involvedObject", "name")
		message, _, _ := unstructured.NestedString(u.Object, "message")
		at, _, _ := unstructured.NestedString(u.Object, "lastTimestamp")
		if makers[kind+"/"+name] && at >= last {
			last, why = at, fmt.Sprintf("%s %s: %s", kind, name, message)
		}
	}
	return why, nil
}
