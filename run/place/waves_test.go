package place

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"kumiki.dev/run/record"
)

// TestOrder: whatever cells there are and whichever of them fail, nothing is begun before what it
// comes after is as it should be, and each comes to an end.
func TestOrder(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		var cells []record.Cell
		for template := range 4 {
			for environment := range 3 {
				cells = append(cells, record.Cell{
					Template: fmt.Sprint("t", template), Environment: fmt.Sprint("e", environment), Deployment: fmt.Sprintf("t%d-e%d", template, environment),
					WaveNumber: random.IntN(3), Level: template / 2, State: []string{"new", "changed", "removed", "unchanged", "problem"}[random.IntN(5)],
				})
			}
		}
		p := newProgress(cells, nil)
		for steps := 0; ; steps++ {
			require.Less(t, steps, 100, "seed %d does not end", seed)
			ready := p.next()
			for _, c := range ready {
				for _, first := range cells {
					require.True(t, !before(first, c) || p.done[first.Deployment], "seed %d: %s is begun before %s", seed, c.Deployment, first.Deployment)
				}
				p.begun[c.Deployment] = "an operation"
			}
			running := p.running()
			if len(running) == 0 && len(ready) == 0 {
				break
			}
			for name := range running {
				if random.IntN(6) == 0 {
					p.failed[name] = record.Problem{Message: name}
				} else {
					p.done[name] = true
				}
			}
		}
		for _, c := range cells {
			require.True(t, p.ended(c.Deployment), "seed %d: %s", seed, c.Deployment)
		}
		failed := slices.ContainsFunc(cells, func(c record.Cell) bool { return c.State == "problem" })
		if failed {
			require.NotNil(t, p.outcome())
		}
	}
}
