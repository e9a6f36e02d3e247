// Package folder is an environment for tests: objects are files of a directory, which outlives
// the process. What has instances is healthy as soon as it is written, unless its image is
// called broken.
package folder

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"kumiki.dev/engine"
	"kumiki.dev/live"
	"kumiki.dev/live/application"
	cluster "kumiki.dev/live/kubernetes"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
)

// System is a directory with objects as those of Kubernetes.
type System struct {
	*cluster.Cluster // makes the objects, and is asked for nothing else
	dir              string
	mu               *sync.Mutex
}

// Connect is how the environments of a directory are found, each in one of its name.
func Connect(dir string) func(record.Environment) (live.System, application.Lowering, error) {
	var mu sync.Mutex
	return func(e record.Environment) (live.System, application.Lowering, error) {
		by := application.Lowering{Name: "kubernetes", Lower: kubernetes.Lower, Orchestrator: kubernetes.Orchestrator{}}
		s := &System{dir: filepath.Join(dir, e.Name), mu: &mu}
		for _, name := range []string{"objects", "records"} {
			if err := os.MkdirAll(filepath.Join(s.dir, name), 0o700); err != nil {
				return nil, by, err
			}
		}
		config := filepath.Join(dir, "kubeconfig")
		text := `{"apiVersion": "v1", "kind": "Config", "current-context": "c", "clusters": [{"name": "c", "cluster": {"server": "http://192.0.2.1"}}], "contexts": [{"name": "c", "context": {"cluster": "c"}}]}`
		mu.Lock()
		defer mu.Unlock()
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			return nil, by, err
		}
		c, err := cluster.Connect(cluster.Options{Kubeconfig: config, Namespace: "test"})
		s.Cluster = c
		return s, by, err
	}
}

// object is what a file has.
type object struct {
	engine.About
	Solution string
	Value    map[string]any
}

func (s *System) file(id engine.ID) string {
	return filepath.Join(s.dir, "objects", id.Kind+"_"+id.Name+".json")
}

// write writes a file as a whole.
func write(name string, data []byte) error {
	if err := os.WriteFile(name+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

func (s *System) recordFile(solution string) string {
	return filepath.Join(s.dir, "records", solution)
}

// Record implements [live.Target].
func (s *System) Record(_ context.Context, solution string) (*live.Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record(solution)
}

func (s *System) record(solution string) (*live.Record, error) {
	data, err := os.ReadFile(s.recordFile(solution))
	if errors.Is(err, fs.ErrNotExist) {
		return &live.Record{Solution: solution}, nil
	}
	if err != nil {
		return nil, err
	}
	r, err := live.Decode(data, json.Unmarshal)
	if err == nil {
		r.Revision = store.Digest(data)
	}
	return r, err
}

// Records implements [live.Target].
func (s *System) Records(context.Context) (out []*live.Record, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	entries, err := os.ReadDir(filepath.Join(s.dir, "records"))
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".new") {
			continue
		}
		r, err := s.record(e.Name())
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, err
}

// Save implements [live.Target].
func (s *System) Save(_ context.Context, r *live.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	was, err := s.record(r.Solution)
	if err != nil {
		return err
	}
	if was.Revision != r.Revision {
		return live.ErrContest
	}
	r.Format = live.Format
	data, err := r.Encode()
	if err == nil {
		r.Revision = store.Digest(data)
		err = write(s.recordFile(r.Solution), data)
	}
	return err
}

// Forget implements [live.Target].
func (s *System) Forget(_ context.Context, r *live.Record) error {
	err := os.Remove(s.recordFile(r.Solution))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Observe implements [live.Target].
func (s *System) Observe(_ context.Context, solution string, _ []engine.Object, _ []engine.Made) ([]engine.Seen, error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "objects"))
	if err != nil {
		return nil, err
	}
	var out []engine.Seen
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(s.dir, "objects", e.Name()))
		var o object
		if err != nil || strings.HasSuffix(e.Name(), ".new") || json.Unmarshal(data, &o) != nil || o.Solution != solution {
			continue
		}
		seen := engine.Seen{About: o.About, Solution: o.Solution, Value: o.Value, Health: engine.Healthy}
		if o.Runs && strings.Contains(string(data), "/broken:") {
			seen.Health, seen.Why = engine.Failed, "its image is called broken"
		}
		out = append(out, seen)
	}
	return out, nil
}

// Try implements [live.Target]: all is taken, but for what is called refused.
func (s *System) Try(_ context.Context, a engine.Action) (live.Verdict, error) {
	data, err := json.Marshal(a.Give)
	if err == nil && strings.Contains(string(data), "/refused:") {
		return live.Verdict{Refused: "its image is called refused"}, nil
	}
	return live.Verdict{Would: a.Give}, err
}

// Give implements [live.Target].
func (s *System) Give(_ context.Context, a engine.Action) (map[string]any, error) {
	meta, _ := a.Give["metadata"].(map[string]any)
	labels, _ := meta["labels"].(map[string]any)
	solution, _ := labels[targets.SolutionLabel].(string)
	data, err := json.Marshal(object{a.About, solution, a.Give})
	if err == nil {
		err = write(s.file(a.ID), data)
	}
	return a.Give, err
}

// Remove implements [live.Target].
func (s *System) Remove(_ context.Context, about engine.About) error {
	err := os.Remove(s.file(about.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Watch implements [live.Target]: nothing changes by itself.
func (s *System) Watch(ctx context.Context, _ string, _ []engine.About, _ func(engine.Seen) bool) error {
	<-ctx.Done()
	return ctx.Err()
}

// Reasons implements [live.Target].
func (s *System) Reasons(context.Context, string, engine.Place) (string, error) { return "", nil }

// Reveal implements [live.Target].
func (s *System) Reveal(engine.Seen, []engine.Difference) {}

// Status implements [live.System].
func (s *System) Status(_ context.Context, _ *live.Record, seen []engine.Seen) ([]live.Status, error) {
	out := []live.Status{}
	for _, o := range seen {
		if o.Runs {
			out = append(out, live.Status{Place: o.Place.String(), Object: o.ID.String(), Health: string(o.Health), Why: o.Why, Images: []string{}})
		}
	}
	slices.SortFunc(out, func(a, b live.Status) int { return strings.Compare(a.Place, b.Place) })
	return out, nil
}

// Claims implements [live.System].
func (s *System) Claims(context.Context, string, []engine.About) ([]engine.About, error) {
	return nil, nil
}

// Warnings implements [live.System].
func (s *System) Warnings() []string { return nil }

// NamespaceThere makes sure of the namespace: it is always there.
func (s *System) NamespaceThere(context.Context, bool) (there, made bool, err error) {
	return true, false, nil
}
