package matrix

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	_ "kumiki.dev/internal/apart"
)

// TestShare: several workers take all results of all groups, each once.
func TestShare(t *testing.T) {
	t.Parallel()
	r := &run{ctx: context.Background()}
	var groups []*group
	want := map[*Result]bool{}
	for _, size := range []int{100, 1, 3, 20} {
		g := &group{}
		for range size {
			result := &Result{}
			g.results, want[result] = append(g.results, result), true
		}
		groups = append(groups, g)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for worker := range 4 {
		all.Go(func() {
			for g := r.group(groups); g != nil; g = r.group(groups) {
				for result := r.next(g); result != nil; result = r.next(g) {
					mu.Lock()
					require.True(t, want[result], fmt.Sprintf("worker %d has one that another one had", worker))
					delete(want, result)
					mu.Unlock()
				}
			}
		})
	}
	all.Wait()
	require.Empty(t, want)
	require.Nil(t, r.group(groups))
}

// TestJoin: where all groups have been begun with, a worker goes to the one with most left,
// if that is worth it.
func TestJoin(t *testing.T) {
	t.Parallel()
	r := &run{ctx: context.Background()}
	few, most, many := &group{results: make([]*Result, 3)}, &group{results: make([]*Result, 40)}, &group{results: make([]*Result, 20)}
	groups := []*group{few, most, many}
	for _, want := range []*group{few, most, many, most} {
		require.Same(t, want, r.group(groups))
	}
	most.results = most.results[:worthSharing-1]
	require.Same(t, many, r.group(groups))
	many.results = nil
	require.Nil(t, r.group(groups))
}
