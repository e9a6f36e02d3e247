package live

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
)

// Stop lets no instances of a place run. It reports whether that is new.
func (r *Record) Stop(path string) bool {
	if filter.Contains(r.Stopped, path) {
		return false
	}
	r.Stopped = append(slices.Clone(r.Stopped), path)
	slices.Sort(r.Stopped)
	return true
}

// Start takes back [Record.Stop] of a place and of all below it, and reports whether there
// was anything to take back. It is an error if more than the place is stopped.
func (r *Record) Start(path string) (bool, error) {
	var kept []string
	for _, stopped := range r.Stopped {
		switch {
		case below(stopped, path):
		case below(path, stopped):
			return false, fmt.Errorf("all of %s is stopped: kumiki start %s", stopped, stopped)
		default:
			kept = append(kept, stopped)
		}
	}
	changed := len(kept) < len(r.Stopped)
	r.Stopped = kept
	return changed, nil
}

// Restart counts one more restart of a place. It is an error if nothing of it runs, as it is
// stopped.
func (r *Record) Restart(path string) error {
	for _, stopped := range r.Stopped {
		if below(path, stopped) {
			return fmt.Errorf("%s is stopped: kumiki start %s lets it run", stopped, stopped)
		}
	}
	r.Restarts = maps.Clone(r.Restarts)
	if r.Restarts == nil {
		r.Restarts = map[string]int{}
	}
	r.Restarts[path]++
	return nil
}

// below reports whether a path is another, or that of a role or deployment within it.
func below(path, other string) bool {
	return path == other || strings.HasPrefix(path, other+"/") || strings.HasPrefix(path, other+".")
}

// Within returns an error if a record has no such place.
func (r *Record) Within(path string) error {
	for _, about := range r.Workloads() {
		if about.Place.Within(path) {
			return nil
		}
	}
	return fmt.Errorf("%s: %s has no such deployment or role; it has %s", path, r.Solution, strings.Join(Places(r.Workloads()), ", "))
}

// PlacesIn returns the roles that a path leads to, each once.
func (r *Record) PlacesIn(path string) (places []engine.Place, err error) {
	if err := r.Within(path); err != nil {
		return nil, err
	}
	known := map[engine.Place]bool{}
	for _, about := range r.Workloads() {
		if about.Place.Within(path) && !known[about.Place] {
			known[about.Place] = true
			places = append(places, about.Place)
		}
	}
	return places, nil
}

// Workloads returns the objects that instances run for.
func (r *Record) Workloads() (out []engine.About) {
	for _, m := range r.Objects {
		if m.Runs {
			out = append(out, m.About)
		}
	}
	return out
}
