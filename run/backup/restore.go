package backup

import (
	"context"
	"fmt"
	"io"
	"time"

	"kumiki.dev/run/operate"
	"kumiki.dev/run/place"
	"kumiki.dev/run/record"
	"kumiki.dev/run/store"
)

// Restored is what has come of a backup.
type Restored struct {
	Begin
	End
	// Stopped are the operations that had not ended.
	Stopped []record.Operation
}

// Restore makes what a manager keeps, in a directory that is empty or not there, of a backup. It
// is there as a whole, or not at all. Operations that had not ended are: what they have begun, or
// what came after the backup, is not known, so nothing is to be written by them. Settled is called
// at the end, before others see it.
func Restore(ctx context.Context, in io.ReadSeeker, o store.Options, settled func(context.Context, *store.Store, Begin) error) (Restored, error) {
	var out Restored
	_, err := Read(in, Sink{Begin: func(b Begin) error { out.Begin = b; return nil }})
	if err != nil {
		return out, err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return out, err
	}
	err = store.Restore(ctx, o, out.Revision, func(s *store.Store) (err error) {
		out.End, err = Read(in, Sink{
			Records: func(some []store.Kept) error { return s.Keep(ctx, some) },
			Content: func(_ string, data []byte) error { _, err := s.Contents.Put(ctx, data); return err },
		})
		return err
	}, func(s *store.Store) (err error) {
		out.Stopped, err = operate.Stop(ctx, s, &record.Failure{Code: "manager/restored",
			Message: fmt.Sprintf("it had not ended when the backup was made, at %s: kumiki status says what runs, and what differs is changed by a new operation", out.Made.Format(time.RFC3339))})
		if err != nil {
			return err
		}
		if err := place.Stop(ctx, s, &record.Failure{Code: "manager/restored", Message: "it had not ended when the backup was made: place the tree again"}); err != nil {
			return err
		}
		return settled(ctx, s, out.Begin)
	})
	return out, err
}
