package live_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/live"
)

// TestEach: an error ends nothing, the end of the context does, and both are told.
func TestEach(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	ctx, cancel := context.WithCancel(t.Context())
	var done atomic.Int32
	require.NoError(t, live.Each(ctx, 100, func(int) error { done.Add(1); return nil }))
	require.EqualValues(t, 100, done.Load())
	err := live.Each(ctx, 100, func(int) error { done.Add(1); return broken })
	require.ErrorIs(t, err, broken)
	require.EqualValues(t, 200, done.Load())
	err = live.Each(ctx, 10000, func(i int) error {
		if i == 20 {
			cancel()
		}
		return broken
	})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, broken)
}
