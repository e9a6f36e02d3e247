// Package active is what mutated sources call: it knows which mutant is switched
// on, and writes down which ones a test evaluates. Nothing imports it but the
// overlays that internal/mutants makes.
//
// One mutant is on at most, for the life of the process: the one whose number is
// in MUTANT_ACTIVE. Where MUTANT_SEEN names a file, a line is added to it whenever
// a mutant is met for the first time: "17 reached", and "17 differs" when its value
// would have been another one than the original's. A test that never sees a mutant
// differ cannot fail because of it.
package active

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"time"
)

// Environment variables.
const (
	Active = "MUTANT_ACTIVE"
	Seen   = "MUTANT_SEEN"
)

// state is read from the environment once.
type state struct {
	active int // 0 for none
	seen   *os.File
	known  sync.Map // the lines that were written
}

var current = start()

func start() *state {
	s := &state{}
	s.active, _ = strconv.Atoi(os.Getenv(Active))
	if name := os.Getenv(Seen); name != "" {
		var err error
		if s.seen, err = os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err != nil {
			panic(err)
		}
	}
	if s.active != 0 || s.seen != nil {
		debug.SetMaxStack(maxStack)
		go watch()
	}
	return s
}

const (
	maxStack = 128 << 20
	maxHeap  = 2 << 30
)

// watch ends the process before a mutant that never stops has filled the memory.
func watch() {
	var m runtime.MemStats
	for range time.Tick(200 * time.Millisecond) {
		if runtime.ReadMemStats(&m); m.HeapAlloc > maxHeap {
			fmt.Fprintf(os.Stderr, "mutant: more than %d MiB of memory\n", maxHeap>>20)
			os.Exit(3)
		}
	}
}

func (s *state) note(id int, what string) {
	line := strconv.Itoa(id) + " " + what + "\n"
	if _, known := s.known.LoadOrStore(line, true); !known {
		if _, err := s.seen.WriteString(line); err != nil {
			panic(err)
		}
	}
}

// met writes down that a mutant was reached, and whether it makes a difference.
func (s *state) met(id int, differs bool) {
	if s.seen == nil {
		return
	}
	s.note(id, "reached")
	if differs {
		s.note(id, "differs")
	}
}

// True is the condition x, or true where the mutant is on, which does not evaluate
// x then:
//
//	(active.On(17) || active.True(17, x))
func True(id int, x bool) bool {
	current.met(id, !x)
	return x
}

// False is likewise x, or false:
//
//	(!active.On(17) && active.False(17, x))
func False(id int, x bool) bool {
	current.met(id, x)
	return x
}

// On reports whether the mutant is on.
func On(id int) bool { return current.active == id }

// Not is x, or its opposite where the mutant is on.
func Not(id int, x bool) bool {
	current.met(id, true)
	return x != On(id)
}

// Either is x, or y where the mutant is on.
func Either(id int, x, y bool) bool {
	current.met(id, x != y)
	if On(id) {
		return y
	}
	return x
}

// Int is x, or y where the mutant is on.
func Int[T ~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64](id int, x, y T) T {
	current.met(id, x != y)
	if On(id) {
		return y
	}
	return x
}

// Keep reports whether a statement is executed: not where the mutant is on.
func Keep(id int) bool {
	current.met(id, true)
	return !On(id)
}
