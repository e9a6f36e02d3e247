package operate

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// How often what nobody needs is removed, and how long operations are kept.
const (
	tendEvery = 10 * time.Minute
	keepFor   = 30 * 24 * time.Hour
	keepMost  = 100
	roomEvery = 10 * time.Second
)

// tend removes what nobody needs, and makes room, as long as this one leads.
func (o *Operator) tend(ctx context.Context) {
	clean, room := time.NewTicker(tendEvery), time.NewTicker(roomEvery)
	defer clean.Stop()
	defer room.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case <-room.C:
			err = o.Store.MakeRoom(ctx)
		case <-clean.C:
			err = errors.Join(o.Forget(ctx, time.Now()), o.forgetPlacements(ctx, time.Now()), o.Collect(ctx, store.Grace))
		}
		if err != nil && ctx.Err() == nil {
			o.Log.Warn("what nobody needs is not removed", "error", err)
		}
	}
}

// Forget removes operations that ended long ago, and those of a deployment that are too many.
func (o *Operator) Forget(ctx context.Context, now time.Time) error {
	entries, _, _, err := o.Store.List(ctx, record.Operations, store.Page{})
	if err != nil {
		return err
	}
	of := map[string]int{}
	for i := len(entries) - 1; i >= 0; i-- { // the last first
		var op record.Operation
		if err := json.Unmarshal(entries[i].Value, &op); err != nil || !op.Done {
			continue
		}
		of[op.Deployment]++
		if of[op.Deployment] <= keepMost && now.Sub(op.Started) < keepFor {
			continue
		}
		if _, err := o.Store.Commit(ctx, store.Remove(entries[i].Key, entries[i].Revision)); err != nil {
			return err
		}
	}
	return nil
}

// forgetPlacements removes placements that ended long ago, and those that are too many: not the
// one whose wishes hold.
func (o *Operator) forgetPlacements(ctx context.Context, now time.Time) error {
	entries, _, _, err := o.Store.List(ctx, record.Placements, store.Page{})
	if err != nil {
		return err
	}
	holds, _, err := store.Read[record.Catalog](ctx, o.Store, record.CatalogKey)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	for i, e := range entries {
		var p record.Placement
		if err := json.Unmarshal(e.Value, &p); err != nil || !p.Done || p.ID == holds.Placement {
			continue
		}
		if len(entries)-i <= keepMost && now.Sub(p.Started) < keepFor {
			continue
		}
		if _, err := o.Store.Commit(ctx, store.Remove(e.Key, e.Revision)); err != nil {
			return err
		}
	}
	return nil
}

// Collect removes contents that no manifest names, and the facts of solutions that are gone.
func (o *Operator) Collect(ctx context.Context, grace time.Duration) error {
	named, at, err := namedIn(ctx, o.Store)
	if err != nil {
		return err
	}
	if _, err := o.Store.Contents.Collect(ctx, named, grace); err != nil {
		return err
	}
	facts, _, _, err := o.Store.List(ctx, record.Facts, store.Page{Keys: true, At: at}) // of the same time
	if err != nil {
		return err
	}
	for _, f := range facts {
		if named[strings.TrimPrefix(f.Key, record.Facts)] {
			continue
		}
		if _, err := o.Store.Commit(ctx, store.Remove(f.Key, f.Revision)); err != nil && !errors.Is(err, store.ErrConflict) {
			return err
		}
	}
	return nil
}

// namedIn are the digests that manifests name, at a revision.
func namedIn(ctx context.Context, s *store.Store) (named map[string]bool, at int64, err error) {
	named = map[string]bool{}
	page := store.Page{Limit: 1000}
	for more := true; more; {
		entries, revision, next, err := s.List(ctx, record.Manifests, page)
		if err != nil {
			return nil, 0, err
		}
		for _, e := range entries {
			var m record.Manifest
			if err := json.Unmarshal(e.Value, &m); err != nil {
				return nil, 0, err // what cannot be read names nothing, and nothing is removed
			}
			named[m.Input.Bundle], named[m.Solution] = true, true
			page.After = e.Key
		}
		page.At, more = revision, next
	}
	return named, page.At, namedByPlacements(ctx, s, page.At, named)
}

// namedByPlacements adds the digests of trees and of what came of them, and for those that have
// not ended the solutions that are to be deployed.
func namedByPlacements(ctx context.Context, s *store.Store, at int64, named map[string]bool) error {
	entries, _, _, err := s.List(ctx, record.Placements, store.Page{At: at})
	if err != nil {
		return err
	}
	for _, e := range entries {
		var p record.Placement
		if err := json.Unmarshal(e.Value, &p); err != nil {
			return err
		}
		named[p.Tree], named[p.Result] = true, true
		if p.Done || p.Result == "" {
			continue
		}
		text, err := s.Contents.Get(ctx, p.Result)
		if err != nil {
			return err
		}
		var made record.Placed
		if err := json.Unmarshal(text, &made); err != nil {
			return err
		}
		for _, c := range made.Cells {
			named[c.Solution] = true
		}
	}
	return nil
}

// Drop removes a bundle at once, as it has secrets, unless a manifest names it.
func Drop(ctx context.Context, s *store.Store, bundle string) error {
	named, _, err := namedIn(ctx, s)
	if err != nil || named[bundle] {
		return err
	}
	return s.Contents.Remove(ctx, bundle)
}
