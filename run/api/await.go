package api

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"kumiki.dev/run/store"
)

// errEnough ends a watch that has seen what it was for.
var errEnough = errors.New("enough")

// awaited reads a record, and waits for so many seconds at most until it is as it is waited for.
// It returns the record as it was seen last, and its revision.
func awaited[T any](ctx context.Context, s *store.Store, key string, seconds int, read func() (T, int64, error), enough func(T) bool) (T, int64, error) {
	bounded, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
	defer cancel()
	for {
		// What is watched begins now: the record may have been written so long ago that its
		// revision is not kept any more.
		now, _, err := s.Now(ctx)
		if err != nil {
			var none T
			return none, 0, answer(err)
		}
		is, revision, err := read()
		if err != nil || seconds == 0 || enough(is) {
			return is, revision, err
		}
		err = s.Watch(bounded, key, now, func(changes []store.Change) error {
			for _, c := range changes {
				if c.Value == nil {
					return store.ErrNotFound
				}
				if c.Revision <= revision {
					continue // it was read already
				}
				var next T
				if err := json.Unmarshal(c.Value, &next); err != nil {
					return err
				}
				is, revision = next, c.Revision
			}
			if enough(is) {
				return errEnough
			}
			return nil
		})
		switch {
		case errors.Is(err, store.ErrCompacted) && bounded.Err() == nil:
			continue
		case err != nil && !errors.Is(err, errEnough) && bounded.Err() == nil:
			return is, revision, answer(err)
		}
		return is, revision, nil
	}
}
