package access

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestLimiter: each has a measure of his own, which fills again by the clock.
func TestLimiter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := NewLimiter(2, 3)
		for range 3 {
			_, may := l.Take("a")
			require.True(t, may)
		}
		for range 5 { // what is refused is not counted
			wait, may := l.Take("a")
			require.False(t, may)
			require.Equal(t, 500*time.Millisecond, wait)
		}
		_, may := l.Take("b")
		require.True(t, may)
		time.Sleep(500 * time.Millisecond)
		_, may = l.Take("a")
		require.True(t, may)
		_, may = l.Take("a")
		require.False(t, may)
		for i := range 3 * manyKeys {
			l.Take(strconv.Itoa(i))
		}
		require.LessOrEqual(t, len(l.each), manyKeys)
		_, may = NewLimiter(0, 0).Take("a")
		require.True(t, may)
	})
}
