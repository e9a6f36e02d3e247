package swarm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/moby/moby/api/pkg/stdcopy"
	api "github.com/moby/moby/api/types/swarm"
	"github.com/moby/moby/client"

	"kumiki.dev/engine"
	"kumiki.dev/live"
	"kumiki.dev/targets/swarm"
)

// maxLine is how long a line of output may be; longer ones come in several.
const maxLine = 64 << 10

// output is where the output of an instance is.
type output struct {
	task                string
	instance, container string
}

// Logs implements [live.Logger]. A service's tasks have one container each, which is called as
// the service.
func (s *Swarm) Logs(ctx context.Context, solution string, place engine.Place, o live.LogOptions, line func(live.Line)) error {
	tasks, err := s.list(ctx, swarm.StackName(solution))
	if err != nil {
		return err
	}
	var from []output
	for _, service := range s.of(solution, place) {
		for _, slot := range latest(tasks[service.ID]) {
			from = append(from, outputs(service, slot, o)...)
		}
	}
	if len(from) == 0 {
		return errors.New("no instance of that name has written anything, or there are none")
	}
	var mu sync.Mutex
	say := func(l live.Line) {
		mu.Lock()
		defer mu.Unlock()
		line(l)
	}
	errs := make([]error, len(from))
	read := func(i int) {
		if err := s.output(ctx, from[i], o, say); err != nil && ctx.Err() == nil {
			errs[i] = fmt.Errorf("%s: %w", from[i].instance, err)
		}
	}
	var wg sync.WaitGroup
	for i := range from {
		if !o.Follow { // one after the other: the order is the same each time
			read(i)
			continue
		}
		wg.Go(func() { read(i) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// outputs are the tasks of an instance that are read: the one that has a container now, or the
// one before it.
func outputs(service api.Service, slot []api.Task, o live.LogOptions) []output {
	var begun []api.Task
	for _, t := range slot {
		if t.Status.ContainerStatus != nil && t.Status.ContainerStatus.ContainerID != "" {
			begun = append(begun, t)
		}
	}
	at := 0
	if o.Previous {
		at = 1
	}
	name := instanceName(service, slot[0])
	if at >= len(begun) || o.Instance != "" && o.Instance != name || o.Container != "" && o.Container != service.Spec.Name {
		return nil
	}
	return []output{{begun[at].ID, name, service.Spec.Name}}
}

func instanceName(service api.Service, t api.Task) string {
	if t.Slot > 0 {
		return fmt.Sprintf("%s.%d", service.Spec.Name, t.Slot)
	}
	return service.Spec.Name
}

func (s *Swarm) output(ctx context.Context, of output, o live.LogOptions, say func(live.Line)) error {
	options := client.TaskLogsOptions{ShowStdout: true, ShowStderr: true, Follow: o.Follow, Tail: "all"}
	if o.Tail >= 0 {
		options.Tail = strconv.Itoa(o.Tail)
	}
	if o.Since > 0 {
		options.Since = o.Since.String()
	}
	stream, err := s.client.TaskLogs(ctx, of.task, options)
	if err != nil {
		return plainError(err)
	}
	defer stream.Close()
	l := &liner{say: func(text string) { say(live.Line{Instance: of.instance, Container: of.container, Text: text}) }}
	_, err = stdcopy.StdCopy(l, l, stream)
	l.end()
	return err
}

// liner takes lines out of a stream.
type liner struct {
	rest []byte
	say  func(string)
}

// Write implements [io.Writer].
func (l *liner) Write(data []byte) (int, error) {
	l.rest = append(l.rest, data...)
	for {
		end := bytes.IndexByte(l.rest, '\n')
		switch {
		case end >= 0:
			l.say(string(bytes.TrimSuffix(l.rest[:end], []byte{'\r'})))
			l.rest = l.rest[end+1:]
		case len(l.rest) >= maxLine:
			l.end()
		default:
			return len(data), nil
		}
	}
}

func (l *liner) end() {
	if len(l.rest) > 0 {
		l.say(string(l.rest))
		l.rest = nil
	}
}
