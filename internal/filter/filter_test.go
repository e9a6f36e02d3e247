package filter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/internal/filter"
)

func TestOut(t *testing.T) {
	t.Parallel()
	odd := func(n int) bool { return n%2 != 0 }
	s := []int{1, 2, 3, 4}
	require.Equal(t, []int{2, 4}, filter.Out(s, odd))
	require.Equal(t, []int{1, 2, 3, 4}, s)
	require.Equal(t, []int{}, filter.Out([]int{1}, odd))
	require.Nil(t, filter.Out(nil, odd))
}

func TestAny(t *testing.T) {
	t.Parallel()
	odd := func(n int) bool { return n%2 != 0 }
	require.True(t, filter.Any([]int{2, 3}, odd))
	require.False(t, filter.Any([]int{2, 4}, odd))
	require.False(t, filter.Any(nil, odd))
}

func TestContains(t *testing.T) {
	t.Parallel()
	require.True(t, filter.Contains([]string{"a", "b"}, "b"))
	require.False(t, filter.Contains([]string{"a", "b"}, "c"))
	require.False(t, filter.Contains(nil, ""))
}
