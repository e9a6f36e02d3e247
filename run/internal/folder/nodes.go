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
	"time"

	"kumiki.dev/engine"
	"kumiki.dev/live"
)

// placed is on which node what has instances runs, and which nodes take none: a file of its own.
type placed struct {
	On     map[string]string
	Closed map[string]string
	Count  map[string]int
}

// nodeNames are the nodes: all runs on the first one that takes instances.
var nodeNames = []string{"folder", "other"}

// nodes reads how nodes are, and writes what change makes of it.
func (s *System) nodes(change func(*placed)) (placed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := placed{On: map[string]string{}, Closed: map[string]string{}, Count: map[string]int{}}
	file := filepath.Join(s.dir, "nodes")
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, &p)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil || change == nil {
		return p, err
	}
	change(&p)
	if data, err = json.Marshal(p); err != nil {
		return p, err
	}
	return p, write(file, data)
}

// Nodes implements [live.Noder].
func (s *System) Nodes(context.Context) (out []live.Node, err error) {
	p, err := s.nodes(nil)
	for _, name := range nodeNames {
		out = append(out, live.Node{Name: name, Ready: true, Open: p.Closed[name] == "", Why: p.Closed[name]})
	}
	return out, err
}

// Movables implements [live.Drainer]: each object with instances has one.
func (s *System) Movables(_ context.Context, node string) (out []live.Movable, err error) {
	entries, err := os.ReadDir(filepath.Join(s.dir, "objects"))
	if err != nil {
		return nil, err
	}
	p, err := s.nodes(nil)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(s.dir, "objects", e.Name()))
		var o object
		if err != nil || strings.HasSuffix(e.Name(), ".new") || json.Unmarshal(data, &o) != nil || !o.Runs {
			continue
		}
		m := live.Movable{Place: o.Place, Solution: o.Solution, Name: o.Name + "-0", Node: nodeNames[0], Stateful: o.Kind == "StatefulSet"}
		if at := p.On[m.Name]; at != "" {
			m.Node = at
		}
		m.ID = m.Name + strings.Repeat("'", p.Count[m.Name])
		if node == "" || m.Node == node {
			out = append(out, m)
		}
	}
	return out, nil
}

// Evict implements [live.Mover]: another one runs at once on a node that takes it.
func (s *System) Evict(_ context.Context, m live.Movable) (busy string, err error) {
	_, err = s.nodes(func(p *placed) {
		at := slices.IndexFunc(nodeNames, func(name string) bool { return p.Closed[name] == "" })
		if at < 0 {
			busy = "no node takes it"
			return
		}
		p.On[m.Name] = nodeNames[at]
		p.Count[m.Name]++
	})
	return busy, err
}

// Close implements [live.Drainer].
func (s *System) Close(_ context.Context, nodes []string, from string, _ time.Time) error {
	_, err := s.nodes(func(p *placed) {
		for _, name := range nodes {
			p.Closed[name] = "it was closed for a move from " + from
		}
	})
	return err
}

// Open implements [live.Drainer].
func (s *System) Open(_ context.Context, nodes []string) error {
	_, err := s.nodes(func(p *placed) {
		for _, name := range nodes {
			delete(p.Closed, name)
		}
	})
	return err
}

// Reopen implements [live.Drainer].
func (s *System) Reopen(context.Context, string, time.Time) ([]string, error) { return nil, nil }

// Logs implements [live.Logger]: an instance has written two lines.
func (s *System) Logs(ctx context.Context, _ string, place engine.Place, o live.LogOptions, line func(live.Line)) error {
	for _, text := range []string{"begins", "serves"} {
		line(live.Line{Instance: strings.ReplaceAll(place.String(), "/", "-") + "-0", Container: place.Role, Text: text})
	}
	if o.Follow {
		<-ctx.Done()
	}
	return nil
}
