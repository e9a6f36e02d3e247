package kubernetes

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"kumiki.dev/engine"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/live"
)

// maxLine is how long a line of output may be; longer ones come in several.
const maxLine = 64 << 10

// Logs implements [live.Logger]. Containers that wait to be started have no output.
func (c *Cluster) Logs(ctx context.Context, solution string, place engine.Place, o live.LogOptions, line func(live.Line)) error {
	pods, err := c.Pods(ctx, solution, place)
	if err != nil {
		return err
	}
	sorting.By(pods, func(a, b unstructured.Unstructured) int { return strings.Compare(a.GetName(), b.GetName()) })
	type source struct{ pod, container string }
	var from []source
	for i := range pods {
		if o.Instance != "" && pods[i].GetName() != o.Instance {
			continue
		}
		for _, name := range containersOf(&pods[i]) {
			if o.Container == "" || name == o.Container {
				from = append(from, source{pods[i].GetName(), name})
			}
		}
	}
	if len(from) == 0 {
		return live.Missing(place.String() + ": " + nothingOf(o))
	}
	var mu sync.Mutex
	say := func(l live.Line) {
		mu.Lock()
		defer mu.Unlock()
		line(l)
	}
	errs := make([]error, len(from))
	read := func(i int) {
		if err := c.output(ctx, from[i].pod, from[i].container, o, say); err != nil && ctx.Err() == nil {
			errs[i] = fmt.Errorf("container %s of pod %s: %w", from[i].container, from[i].pod, err)
		}
	}
	if !o.Follow { // one after the other: the order is the same each time
		for i := range from {
			read(i)
		}
		return errors.Join(errs...)
	}
	var wg sync.WaitGroup
	for i := range from {
		wg.Go(func() { read(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func nothingOf(o live.LogOptions) string {
	switch {
	case o.Container != "":
		return "no instance has a container " + o.Container
	case o.Instance != "":
		return "there is no instance " + o.Instance
	}
	return "there are no instances"
}

func containersOf(pod *unstructured.Unstructured) (names []string) {
	list, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
	for _, one := range list {
		fields, _ := one.(map[string]any)
		if name, _, _ := unstructured.NestedString(fields, "name"); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// output reads what a container has written.
func (c *Cluster) output(ctx context.Context, pod, container string, o live.LogOptions, say func(live.Line)) error {
	query := url.Values{"container": {container}}
	if o.Follow {
		query.Set("follow", "true")
	}
	if o.Previous {
		query.Set("previous", "true")
	}
	if o.Tail >= 0 {
		query.Set("tailLines", strconv.Itoa(o.Tail))
	}
	if o.Since > 0 {
		query.Set("sinceSeconds", strconv.FormatInt(int64((o.Since+time.Second-1)/time.Second), 10))
	}
	body, err := c.open(ctx, "/api/v1/namespaces/"+c.Namespace+"/pods/"+pod+"/log", query.Encode())
	if err != nil {
		return err
	}
	defer body.Close()
	r := bufio.NewReaderSize(body, maxLine)
	for {
		text, _, err := r.ReadLine()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		say(live.Line{Instance: pod, Container: container, Text: string(text)})
	}
}
