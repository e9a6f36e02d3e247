package place

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"kumiki.dev/query"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Placer carries out placements, one at a time.
type Placer struct {
	Store    *store.Store
	Compiler Compiler
	Log      *slog.Logger
	// Change begins the operation that brings a cell about, for who has asked for the placement,
	// and returns its name. One that the placement has begun before is returned again.
	Change func(ctx context.Context, p record.Placement, c record.Cell) (operation string, err error)
	// Reached is called at each step that a crash may follow; it may be nil.
	Reached func(point string)
}

// Run carries out all placements that have not ended, until the context ends. Several may be run,
// of which one leads.
func (p *Placer) Run(ctx context.Context, id string) error {
	for ctx.Err() == nil {
		err := p.Store.Lead(ctx, "placer", id, p.lead)
		if err != nil && ctx.Err() == nil {
			p.Log.Warn("placements are begun anew", "error", err)
			time.Sleep(time.Second)
		}
	}
	return nil
}

func (p *Placer) reached(point string) {
	if p.Reached != nil {
		p.Reached(point)
	}
}

// errChanged ends a watch that has seen something.
var errChanged = errors.New("it has changed")

func (p *Placer) lead(ctx context.Context, fence store.Write) error {
	for ctx.Err() == nil {
		keys, at, _, err := p.Store.List(ctx, record.Placing, store.Page{Keys: true})
		if err != nil {
			return err
		}
		for i, e := range keys {
			w, err := p.read(ctx, strings.TrimPrefix(e.Key, record.Placing), fence)
			if err != nil {
				return err
			}
			if i+1 < len(keys) {
				err = w.end(ctx, failure("manager/superseded", "a later placement has taken its place"))
			} else {
				err = w.carry(ctx)
			}
			if err != nil {
				return err
			}
		}
		err = p.Store.Watch(ctx, record.Placing, at, func([]store.Change) error { return errChanged })
		if err != nil && !errors.Is(err, errChanged) && !errors.Is(err, store.ErrCompacted) {
			return err
		}
	}
	return ctx.Err()
}

// work is a placement that is carried out.
type work struct {
	*Placer
	fence    store.Write
	is       record.Placement
	revision int64
}

func (p *Placer) read(ctx context.Context, id string, fence store.Write) (*work, error) {
	w := &work{Placer: p, fence: fence}
	var err error
	w.is, w.revision, err = store.Read[record.Placement](ctx, p.Store, record.Placements+id)
	return w, err
}

func failure(code, message string) *record.Failure {
	return &record.Failure{Code: code, Message: message}
}

// carry does what can be done now: one that is held waits for somebody. The error is that of the
// store.
func (w *work) carry(ctx context.Context) error {
	switch {
	case w.is.Done:
		_, err := w.Store.Commit(ctx, w.fence, store.Remove(record.Placing+w.is.ID, store.Any))
		return err
	case w.is.Cancel:
		return w.end(ctx, failure("manager/cancelled", "somebody has cancelled it"))
	case w.is.Phase == record.PlacementHeld && w.is.Approved == nil:
		return nil
	case w.is.Phase == record.PlacementPlacing:
		return w.place(ctx)
	}
	made, failed, err := Compute(ctx, w.Store, w.Compiler, w.is.Tree)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, store.ErrUnavailable):
		return err
	case err != nil:
		return w.end(ctx, failure("manager/compiler", err.Error()))
	case failed != nil:
		return w.end(ctx, failed)
	}
	w.reached("computed")
	return w.decide(ctx, made)
}

// decide writes down what a tree does, and holds it or begins with it.
func (w *work) decide(ctx context.Context, made *Computed) error {
	digest, err := made.Save(ctx, w.Store)
	if err != nil {
		return err
	}
	approved := w.is.Approved != nil && w.is.Result != "" && w.same(ctx, made)
	w.is.Result, w.is.Counts, w.is.Held = digest, made.Count(), made.Hold(w.is)
	if w.is.Held != "" && !approved {
		if w.is.Approved != nil {
			w.is.Held = "what it does has changed since it was approved; " + w.is.Held
		}
		w.is.Phase, w.is.Approved = record.PlacementHeld, nil
		return w.save(ctx)
	}
	w.is.Phase = record.PlacementPlacing
	writes := []store.Write{store.Put(record.CatalogKey, record.Catalog{Placement: w.is.ID, Tree: w.is.Tree, Result: digest, At: time.Now().UTC()}, store.Any)}
	if err := w.save(ctx, writes...); err != nil {
		return err
	}
	w.reached("placing")
	return w.place(ctx)
}

// same reports whether a tree still does what somebody has approved.
func (w *work) same(ctx context.Context, made *Computed) bool {
	was, err := Read(ctx, w.Store, w.is.Result)
	return err == nil && slices.EqualFunc(was.Cells, made.Cells, func(a, b record.Cell) bool {
		return a.Deployment == b.Deployment && a.State == b.State && a.Solution == b.Solution
	})
}

// Save keeps what came of a tree, with all solutions, and returns its digest.
func (c *Computed) Save(ctx context.Context, s *store.Store) (string, error) {
	for _, digest := range slices.Sorted(maps.Keys(c.solutions)) {
		if _, err := s.Contents.Put(ctx, c.solutions[digest]); err != nil {
			return "", err
		}
		if _, err := s.Commit(ctx, store.Put(record.Facts+digest, query.FactsOf(c.parsed[digest]), store.Any)); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(c.Placed)
	if err != nil {
		return "", err
	}
	return s.Contents.Put(ctx, data)
}

// Count are how many cells are in each state.
func (c *Computed) Count() map[string]int {
	out := map[string]int{}
	for _, cell := range c.Cells {
		out[cell.State]++
	}
	return out
}

// Hold is why a placement waits for somebody who approves it, "" if it does not.
func (c *Computed) Hold(p record.Placement) string {
	var why []string
	if p.Hold {
		why = append(why, "it was asked for so")
	}
	if c.Refusal != "" && p.Remove != c.Count()["removed"] {
		why = append(why, c.Refusal)
	}
	protected, loses := map[string]bool{}, map[string]bool{}
	for _, cell := range c.Cells {
		if !todo(cell) {
			continue
		}
		if cell.Protected {
			protected[cell.Environment] = true
		}
		if cell.Class == "data-loss" {
			loses[cell.Deployment] = true
		}
	}
	if len(protected) > 0 {
		why = append(why, "what changes is in protected environments: "+names(protected))
	}
	if len(loses) > 0 {
		why = append(why, "data is lost: "+names(loses))
	}
	return strings.Join(why, "; ")
}

func names(of map[string]bool) string {
	return strings.Join(slices.Sorted(maps.Keys(of)), ", ")
}

// save writes the placement. Others write the wish to cancel it only.
func (w *work) save(ctx context.Context, writes ...store.Write) error {
	for {
		at, err := w.Store.Commit(ctx, append([]store.Write{w.fence, store.Put(record.Placements+w.is.ID, w.is, w.revision)}, writes...)...)
		var conflict *store.Conflict
		if !errors.As(err, &conflict) || conflict.Key != record.Placements+w.is.ID {
			if err == nil {
				w.revision = at
			}
			return err
		}
		is, at, err := store.Read[record.Placement](ctx, w.Store, conflict.Key)
		if err != nil {
			return err
		}
		w.is.Cancel, w.revision = is.Cancel, at
	}
}

// end writes the end of a placement.
func (w *work) end(ctx context.Context, failed *record.Failure) error {
	now := time.Now().UTC()
	w.is.Done, w.is.Phase, w.is.Ended, w.is.Error = true, record.PlacementEnded, &now, failed
	err := w.save(ctx, store.Remove(record.Placing+w.is.ID, store.Any))
	if err == nil {
		code := ""
		if failed != nil {
			code = failed.Code
		}
		w.Log.Info("placement", "id", w.is.ID, "by", w.is.By, "failed", code, "took", now.Sub(w.is.Started).Round(time.Millisecond).String())
	}
	return err
}

// superseded reports whether a later placement waits for this one to end.
func (w *work) superseded(ctx context.Context) (bool, error) {
	keys, _, _, err := w.Store.List(ctx, record.Placing, store.Page{Keys: true, Last: true, Limit: 1})
	if err != nil {
		return false, err
	}
	return len(keys) > 0 && keys[0].Key > record.Placing+w.is.ID, nil
}
