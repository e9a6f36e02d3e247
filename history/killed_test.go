package history

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

// TestKilledAtEveryStep stops a save at each step, by killing the process and by
// a failure of power, and looks at what is left: the history from before or that
// from after, and nothing half.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	for _, history := range [][]string{nil, {"first"}, {"first", "second"}} {
		for _, power := range []bool{false, true} {
			for steps := 0; ; steps++ {
				finished := false
				for seed := range seeds(power) {
					finished = killed(t, history, power, steps, seed)
				}
				if finished {
					require.Greater(t, steps, 20)
					break
				}
			}
		}
	}
}

// seeds is how many are tried: what a failure of power leaves is a matter of
// luck, what a killed process leaves is not.
func seeds(power bool) uint64 {
	if power {
		return 12
	}
	return 1
}

// killed reports whether there were too few steps to be killed.
func killed(t *testing.T, history []string, power bool, steps int, seed uint64) bool {
	t.Helper()
	c := newCrashing(seed)
	s := &Store{dir: "solutions", files: c}
	for _, comment := range history {
		save(t, s, comment)
	}
	c.steps = steps
	_, saved, err := s.Save(version(t, "next"), inputOf("next"))
	finished := err == nil
	require.Equal(t, finished, saved)
	c.restart(power)
	got := comments(t, s)
	after := append(history[:len(history):len(history)], "next")
	if finished || cmp.Equal(got, after) {
		require.Equal(t, after, got, "power %v, steps %d, seed %d", power, steps, seed)
	} else {
		require.Equal(t, history, got, "power %v, steps %d, seed %d", power, steps, seed)
	}
	// Whatever is left, the next save comes through, and is there for certain.
	save(t, s, "last")
	c.restart(true)
	require.Equal(t, append(got, "last"), comments(t, s))
	return finished
}

// TestKilledPurge: a history that is taken away is all there or not at all.
func TestKilledPurge(t *testing.T) {
	t.Parallel()
	for _, power := range []bool{false, true} {
		for steps := 0; ; steps++ {
			finished := false
			for seed := range seeds(power) {
				c := newCrashing(seed)
				s := &Store{dir: "solutions", files: c}
				save(t, s, "first")
				_, _, err := s.Delete("hello", nil)
				require.NoError(t, err)
				c.steps = steps
				finished = s.Purge("hello") == nil
				c.restart(power)
				entries, err := s.Entries("hello")
				if !finished && err == nil {
					require.Len(t, entries, 2)
				} else {
					require.ErrorIs(t, err, ErrNone, "power %v, steps %d, seed %d", power, steps, seed)
				}
				save(t, s, "next")
			}
			if finished {
				require.Greater(t, steps, 8)
				break
			}
		}
	}
}

// TestTwoWriters: what two writers save at once is all there, in some order.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const each = 15
	var wg sync.WaitGroup
	for writer := range 2 {
		wg.Go(func() {
			s := Open(dir) // as another process would
			for i := range each {
				if _, _, err := s.Save(version(t, fmt.Sprintf("%d of %d", i, writer)), inputOf(fmt.Sprintf("%d of %d", i, writer))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	next := map[int]int{}
	for _, comment := range comments(t, Open(dir)) {
		var i, writer int
		_, err := fmt.Sscanf(comment, "%d of %d", &i, &writer)
		require.NoError(t, err)
		require.Equal(t, next[writer], i)
		next[writer]++
	}
	require.Equal(t, map[int]int{0: each, 1: each}, next)
}

// TestKilledProcesses kills real processes that save without end, two at a
// time, and looks at what they leave.
func TestKilledProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	saved := 0
	for round := range 6 {
		var writers []*exec.Cmd
		for writer := range 2 {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=TestWriter$") // ends with the test, however that does
			cmd.Env = append(os.Environ(), "HISTORY_DIR="+dir, fmt.Sprintf("HISTORY_WRITER=%d.%d", round, writer))
			require.NoError(t, cmd.Start())
			writers = append(writers, cmd)
		}
		deadline := time.Now().Add(3 * time.Minute)
		for time.Now().Before(deadline) {
			// Reading all solutions takes longer than it takes to write more.
			entries, err := Open(dir).Entries("hello")
			if !errors.Is(err, ErrNone) {
				require.NoError(t, err)
			}
			if len(entries) >= saved+3 {
				break
			}
			time.Sleep(time.Duration(round) * time.Millisecond)
		}
		for _, w := range writers {
			require.NoError(t, w.Process.Kill())
			_ = w.Wait() // it was killed
		}
		now := len(comments(t, Open(dir)))
		require.GreaterOrEqual(t, now, saved+3)
		saved = now
	}
}

// TestWriter is the process that [TestKilledProcesses] kills.
func TestWriter(t *testing.T) {
	dir := os.Getenv("HISTORY_DIR")
	if dir == "" {
		return
	}
	for i := 0; ; i++ {
		save(t, Open(dir), fmt.Sprintf("%d of %s", i, os.Getenv("HISTORY_WRITER")))
	}
}
