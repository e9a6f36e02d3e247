package api

import (
	"context"
	"maps"
	"slices"

	"kumiki.dev/query"
	"kumiki.dev/run/operate"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Warm reads what questions about all deployments need, so that the first one finds it.
func (s *Server) Warm(ctx context.Context) error {
	_, err := s.wanted(ctx)
	return err
}

// wanted are the facts of the solutions that the deployments want. A manifest that is compiled
// stays as it is, so they are kept in memory as long as it is wanted.
func (s *Server) wanted(ctx context.Context) ([]query.Facts, error) {
	me := who(ctx)
	deployments, _, _, err := s.Store.List(ctx, record.Deployments, store.Page{})
	if err != nil {
		return nil, answer(err)
	}
	wanted := make([]record.Deployment, len(deployments))
	for i, e := range deployments {
		if err := unmarshal(e, &wanted[i]); err != nil {
			return nil, err
		}
	}
	known, err := s.factsOfAll(ctx, wanted)
	if err != nil {
		return nil, answer(err)
	}
	used, all := map[string]*query.Facts{}, []query.Facts{}
	for _, d := range wanted {
		key := wantedKey(d)
		f := known[key]
		if f == nil {
			continue // it is not compiled yet, or empty
		}
		used[key] = f
		if me.Sees(d.Labels) {
			all = append(all, *f)
		}
	}
	s.mu.Lock()
	s.known = used
	s.mu.Unlock()
	return all, nil
}

// factsOfAll are the facts of what deployments want. One request at a time reads those that are
// not known; others wait, and find them.
func (s *Server) factsOfAll(ctx context.Context, wanted []record.Deployment) (map[string]*query.Facts, error) {
	known, fresh := s.unknown(wanted)
	if len(fresh) == 0 {
		return known, nil
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	known, fresh = s.unknown(wanted)
	read, err := s.factsOf(ctx, fresh)
	if err != nil {
		return nil, err
	}
	maps.Copy(known, read)
	s.mu.Lock()
	s.known = maps.Clone(known)
	s.mu.Unlock()
	return known, nil
}

// unknown are the facts that are in memory, in a map of the caller's own, and the keys of the
// manifests that are wanted and not among them.
func (s *Server) unknown(wanted []record.Deployment) (known map[string]*query.Facts, fresh []string) {
	s.mu.Lock()
	known = maps.Clone(s.known)
	s.mu.Unlock()
	for _, d := range wanted {
		if key := wantedKey(d); known[key] == nil {
			fresh = append(fresh, key)
		}
	}
	if known == nil {
		known = map[string]*query.Facts{}
	}
	return known, fresh
}

func wantedKey(d record.Deployment) string { return record.ManifestKey(d.Name, d.Manifest) }

// factsOf are the facts of the solutions of manifests, by the manifests' keys; those that have
// none are left out. Thousands are read right after a start, so each request reads many.
func (s *Server) factsOf(ctx context.Context, keys []string) (map[string]*query.Facts, error) {
	manifests, err := s.Store.GetAll(ctx, keys)
	if err != nil {
		return nil, err
	}
	of, solutions := map[string]string{}, map[string]*query.Facts{}
	for key, e := range manifests {
		var m record.Manifest
		if err := unmarshal(e, &m); err != nil {
			return nil, err
		}
		if m.Solution != "" {
			of[key], solutions[record.Facts+m.Solution] = record.Facts+m.Solution, nil
		}
	}
	entries, err := s.Store.GetAll(ctx, slices.Sorted(maps.Keys(solutions)))
	if err != nil {
		return nil, err
	}
	for key, e := range entries {
		f, err := operate.FactsOf(e.Value)
		if err != nil {
			return nil, err
		}
		solutions[key] = &f
	}
	out := map[string]*query.Facts{}
	for key, facts := range of {
		if f := solutions[facts]; f != nil {
			out[key] = f
		}
	}
	return out, nil
}
