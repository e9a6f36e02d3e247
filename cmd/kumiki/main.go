//go:build !manual

// Command kumiki compiles Kumori deployments: it parses flags, runs the
// pipeline up to the stage that its subcommand names, and prints.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
)

func main() {
	debug.SetGCPercent(first) // what is made before a command begins is not worth a collection of garbage
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second one ends it at once, also where it waits for a person
	code := run(ctx, os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr})
	stop()
	os.Exit(code)
}
