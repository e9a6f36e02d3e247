package place

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Stop ends all placements that have not ended, where nobody carries them out.
func Stop(ctx context.Context, s *store.Store, why *record.Failure) error {
	p := &Placer{Store: s, Log: slog.New(slog.DiscardHandler)}
	entries, _, _, err := s.List(ctx, record.Placing, store.Page{Keys: true})
	if err != nil {
		return err
	}
	for _, e := range entries {
		w, err := p.read(ctx, strings.TrimPrefix(e.Key, record.Placing), store.Only(record.Placing, 0))
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if err := w.end(ctx, why); err != nil {
			return err
		}
	}
	return nil
}
