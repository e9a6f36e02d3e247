// Command kumiki compiles Kumori deployments: it parses flags, runs the
// pipeline up to the stage that its subcommand names, and prints.
package main

import (
	"context"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
)

func main() {
	// One short run with a heap that is thrown away at its end: collecting
	// garbage less often is worth more than the memory.
	debug.SetGCPercent(400)
	// Where that memory is a lot, it is not: thousands of roles would take
	// gigabytes. GOMEMLIMIT has its say first.
	if debug.SetMemoryLimit(-1) == math.MaxInt64 {
		debug.SetMemoryLimit(512 << 20)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}
