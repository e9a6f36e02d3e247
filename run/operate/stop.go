package operate

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Stop ends all operations that have not ended, where nobody carries them out, and returns them. A
// deployment of which nothing was changed yet goes back to the manifest that it had.
func Stop(ctx context.Context, s *store.Store, why *record.Failure) (stopped []record.Operation, err error) {
	q := &queue{Operator: &Operator{Store: s, Log: slog.New(slog.DiscardHandler)}, fence: store.Only(record.Pending, 0)}
	entries, _, _, err := s.List(ctx, record.Pending, store.Page{})
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		w, err := q.read(ctx, strings.TrimPrefix(e.Key, record.Pending))
		if errors.Is(err, store.ErrNotFound) {
			_, err = s.Commit(ctx, store.Remove(e.Key, e.Revision))
			if err == nil {
				continue
			}
		}
		if err != nil {
			return stopped, err
		}
		if w.op.Wrote {
			w.tell("Applied", "Unknown", why.Code, why.Message)
		}
		if err := w.end(ctx, why); err != nil {
			return stopped, err
		}
		stopped = append(stopped, w.op)
	}
	return stopped, nil
}
