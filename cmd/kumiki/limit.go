package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/spread"
	"kumiki.dev/targets/kubernetes"
)

const (
	// mostMemory is what a command may take where the machine has twice as much.
	mostMemory = 2 << 30
	// leastMemory is what it may take at least: less is not enough for anything.
	leastMemory = 32 << 20
	// watching is how often the memory is looked at. CUE takes some 10 MB meanwhile.
	watching = 5 * time.Millisecond
	// large is what a heap does not grow by meanwhile unless it is by one thing, and
	// filled how many bytes of that are made in a second at least.
	large  = 24 << 20
	filled = 512 << 20
	// grace is how long a command has to end by itself.
	grace = 2 * time.Second
)

// limits are what a command may take of the machine, whatever it is given.
type limits struct {
	memory   string
	progress spread.Progress
}

func (l *limits) register(root *cobra.Command) {
	root.PersistentFlags().StringVar(&l.memory, "memory", "", "how `much` memory evaluating may take, such as 4Gi; 0 for any (default: 2Gi, or half of what there is if that is less)")
}

// begin watches the memory of the process while a command runs. The context ends
// when there is too much of it; a command that does not heed that is ended.
func (l *limits) begin(cmd *cobra.Command, screen *console) error {
	limit, err := l.bytes()
	if err != nil {
		return err
	}
	if limit == 0 || hasOwnLimit(cmd) {
		useMemory()
		cmd.SetContext(compiler.WithProgress(cmd.Context(), &l.progress))
		return nil
	}
	ctx, cancel := context.WithCancelCause(compiler.WithProgress(cmd.Context(), &l.progress))
	cmd.SetContext(ctx)
	var over atomic.Bool
	short, said := compiler.OutOfMemory{Limit: limit}, 0
	giveUp := sync.OnceFunc(func() {
		l.progress.Hold()
		said = screen.times()
		cancel(short)
		over.Store(true)
	})
	// One step of CUE's, such as a text that is put behind itself, can take as much again,
	// and nobody can look while it does, nor perhaps before the command has ended.
	var looked atomic.Int64
	var evaluates atomic.Bool
	l.progress.Left = func() {
		evaluates.Store(true)
		now := time.Now().UnixNano()
		if now-looked.Swap(now) > int64(watching) && inUse() > limit/2 {
			giveUp()
		}
	}
	go func() {
		collectUntil(limit/2, &over, &evaluates)
		giveUp()
		waitFor(limit/4*3, time.Now().Add(grace))
		if screen.end(said) { // the command has not come so far
			last := &console{Writer: screen.Writer, color: screen.color, secrets: screen.secrets}
			_ = printProblems(last, diag.List{compiler.Exhausted(short, &l.progress)})
		}
		os.Exit(exitWrong)
	}()
	return nil
}

// hasOwnLimit reports whether a command is one of the language server, which
// watches the processes that it starts, or goes on for long and evaluates nothing.
func hasOwnLimit(cmd *cobra.Command) bool {
	if cmd.Name() == "drift" && cmd.Flags().Changed("watch") {
		return true
	}
	for ; cmd != nil; cmd = cmd.Parent() {
		if cmd.Name() == "lsp" {
			return true
		}
	}
	return false
}

func (l *limits) bytes() (int64, error) {
	if l.memory == "" {
		return defaultMemory(), nil
	}
	n, err := kubernetes.Bytes(l.memory)
	switch {
	case err != nil:
		return 0, fmt.Errorf("--memory %s: %w", l.memory, err)
	case n > 0 && n < leastMemory:
		return 0, fmt.Errorf("--memory %s: nothing can be evaluated with less than 32Mi", l.memory)
	default:
		return n, nil
	}
}

// defaultMemory is half of what the machine, the container or the shell's ulimit
// allows, and no more than is enough for everything that is known.
func defaultMemory() int64 {
	limit := int64(mostMemory)
	for _, of := range []func() (uint64, error){memlimit.FromSystem, memlimit.FromCgroup, addressSpace} {
		if n, err := of(); err == nil && n/2 < uint64(limit) {
			limit = int64(n / 2)
		}
	}
	return max(limit, leastMemory)
}

// collectUntil collects garbage as [useMemory] does, and returns when the process has
// more memory than that, or somebody else has found that it has. Collecting stops
// everything else until CUE comes to the end of a step, and a step may be the making of a
// text of gigabytes: so nothing is collected before a look at how large the heap has
// become, and while something large may still be made.
func collectUntil(most int64, over, evaluates *atomic.Bool) {
	debug.SetGCPercent(-1)
	var busy atomic.Bool
	var goal atomic.Int64
	goal.Store(min(least, most))
	collected := false
	atLeast := func() int64 {
		switch first := min(leastEvaluating, most); {
		case !evaluates.Load():
			return 0
		case collected:
			return max(first, min(againEvaluating, most/4*3)) // garbage is not to look like too much memory
		default:
			return first
		}
	}
	before, quiet := inUse(), time.Now()
	for now := range time.Tick(watching) {
		used := inUse()
		if used > most || over.Load() {
			return
		}
		if grown := used - before; grown > large {
			quiet = now.Add(time.Duration(grown) * time.Second / filled)
		}
		before = used
		if now.Before(quiet) || busy.Load() || read("/memory/classes/heap/objects:bytes") <= max(goal.Load(), atLeast())/4*3 { // more is made while it is collected
			continue
		}
		busy.Store(true)
		collected = true
		go func() {
			runtime.GC()
			goal.Store(min(max(least, target()), max(most/4*3, read("/gc/heap/live:bytes")+most/8)))
			busy.Store(false)
		}()
	}
}

var errNoLimit = errors.New("there is no limit")

// waitFor returns when the process has more memory than that, or at a time.
func waitFor(most int64, end time.Time) {
	for range time.Tick(watching) {
		if inUse() > most || time.Now().After(end) {
			return
		}
	}
}

// inUse is the memory that Go has from the system.
func inUse() int64 {
	return read("/memory/classes/total:bytes") - read("/memory/classes/heap/released:bytes")
}

// read is what Go's runtime measures under a name.
func read(name string) int64 {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int64(sample[0].Value.Uint64())
}
