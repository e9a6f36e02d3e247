package main

import (
	"math"
	"runtime"
	"runtime/debug"
)

// least is the memory that is used before any is collected with effort.
const least = 64 << 20

// leastEvaluating takes the place of least in commands that evaluate artifacts. They make much more garbage than
// those that only read solutions.
const leastEvaluating = 96 << 20

// againEvaluating takes its place once garbage has been collected. What is alive then is much less than what was collected,
// and most commands end before there is as much again.
const againEvaluating = 144 << 20

// How seldom garbage is collected, in percent of what is alive, up to the first
// time, at 32 MB, which small runs do not come to, and after it.
const (
	first = 800
	later = 400
)

// useMemory makes the garbage collector fit a short run with a heap that is
// thrown away at its end: it works seldom as long as the heap is small, and from
// then on about as often as it does by default. Left at that from the start, small
// runs would take a third longer; always seldom, thousands of roles would take
// gigabytes. GOMEMLIMIT has its say first.
func useMemory() {
	debug.SetGCPercent(first)
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return
	}
	boundMemory(least)
}

// useLittleMemory makes the garbage collector fit what goes on for long and keeps little, in
// place of what [useMemory] said.
func useLittleMemory() {
	if debug.SetMemoryLimit(-1) >= least { // GOMEMLIMIT may say less
		boundMemory(least / 2)
	}
}

// boundMemory collects garbage when the heap has this size, and later when it is as much
// larger than what is alive, until another bound is set.
func boundMemory(lowest int64) {
	limit := lowest
	debug.SetMemoryLimit(limit)
	afterCollections(func() {
		if debug.SetMemoryLimit(-1) == limit {
			debug.SetGCPercent(later)
			limit = max(lowest, target())
			debug.SetMemoryLimit(limit)
		}
	})
}

// target is how large the heap may become, by what is alive, before garbage is collected again.
// What is alive beyond least raises it less: with 300 MB alive, that saves 150 MB.
func target() int64 {
	live := read("/gc/heap/live:bytes")
	small := min(live, least)
	return 5*small/2 + 5*(live-small)/3
}

// afterCollections calls f after each collection of garbage: an object that
// nothing refers to is collected in each, and its finalizer makes the next one.
func afterCollections(f func()) {
	type token struct{ _ [16]byte }
	var again func(*token)
	again = func(*token) {
		f()
		runtime.SetFinalizer(new(token), again)
	}
	runtime.SetFinalizer(new(token), again)
}
