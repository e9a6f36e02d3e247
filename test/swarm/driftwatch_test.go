package swarm_test

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stretchr/testify/require"
)

// lines are what a command prints while it goes on.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// watches: what others change is told while it is watched and set right, and an apply and a
// delete are no drift.
func (a *applied) watches() {
	a.run(a.small()...)
	out := &lines{}
	cmd := a.command("drift", "--watch", "--repair", "--yes")
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(a.t, cmd.Start())
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	time.Sleep(2 * time.Second) // it has looked
	var told []time.Duration
	for n := range 4 {
		time.Sleep(time.Duration(n) * 370 * time.Millisecond) // wherever it is in what it does
		from := len(out.String())
		says := func(text string) {
			a.t.Helper()
			require.Eventually(a.t, func() bool { return strings.Contains(out.String()[from:], text) }, 30*time.Second, 10*time.Millisecond, "%q in:\n%s", text, out)
		}
		a.docker("service", "update", "--detach", "--no-resolve-image", "--env-add", "ADDED=x", "small_small-web")
		begun := time.Now()
		says("small: changed: Service/small-web (small/web)\n")
		told = append(told, time.Since(begun).Round(time.Millisecond))
		says("repaired: Service/small-web (small/web)\n") // the fourth one is waited with
		a.t.Logf("a foreign edit is told after %v, and set right after %v", told[n], time.Since(begun).Round(time.Millisecond))
		says("small: as it was made: Service/small-web\n")
	}
	slices.Sort(told)
	require.LessOrEqual(a.t, told[(len(told)-1)/2], 500*time.Millisecond, "%v", told)
	require.NotContains(a.t, a.inspect("small_small-web", env), "ADDED")

	before := out.String()
	a.run(a.small(second)...)
	a.run("delete", "small", "--yes")
	time.Sleep(2 * time.Second)
	for line := range strings.SplitSeq(strings.TrimPrefix(out.String(), before), "\n") {
		require.False(a.t, slices.ContainsFunc([]string{"missing", "changed", "outdated", "created"}, func(word string) bool { return strings.Contains(line, word) }), "%s in what apply and delete did", line)
	}
}
