package api

import (
	"context"
	"errors"
	"maps"

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
	s.mu.Lock()
	known := maps.Clone(s.known)
	s.mu.Unlock()
	used, all := map[string]query.Facts{}, []query.Facts{}
	for _, e := range deployments {
		var d record.Deployment
		if err := unmarshal(e, &d); err != nil {
			return nil, err
		}
		key := record.ManifestKey(d.Name, d.Manifest)
		f, ok := known[key]
		if !ok {
			f, ok, err = s.factsOf(ctx, key)
		}
		if err != nil {
			return nil, answer(err)
		}
		if !ok {
			continue // it is not compiled yet, or empty
		}
		used[key] = f
		if me.Sees(d.Labels) {
			all = append(all, f)
		}
	}
	s.mu.Lock()
	s.known = used
	s.mu.Unlock()
	return all, nil
}

// factsOf are the facts of the solution of a manifest, false for one that has none.
func (s *Server) factsOf(ctx context.Context, key string) (query.Facts, bool, error) {
	m, _, err := store.Read[record.Manifest](ctx, s.Store, key)
	if errors.Is(err, store.ErrNotFound) || err == nil && m.Solution == "" {
		return query.Facts{}, false, nil
	}
	if err != nil {
		return query.Facts{}, false, err
	}
	e, err := s.Store.Get(ctx, record.Facts+m.Solution)
	if errors.Is(err, store.ErrNotFound) {
		return query.Facts{}, false, nil
	}
	if err != nil {
		return query.Facts{}, false, err
	}
	f, err := operate.FactsOf(e.Value)
	return f, err == nil, err
}
