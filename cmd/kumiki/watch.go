package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"kumiki.dev/compiler"
	"kumiki.dev/watch"
)

// watchVet vets until the context ends. What is wrong with the input ends
// nothing; only what is wrong with the command line does.
func watchVet(ctx context.Context, s streams, flags inputFlags, opts vetOptions, dirs []string) error {
	roots := slices.Clone(dirs)
	for _, dir := range dirs {
		if p, _ := compiler.Load(flags.load(dir)); p != nil {
			roots = append(roots, p.Dir)
		}
	}
	roots = append(roots, flags.modules...)
	return watch.Sources(ctx, roots, func() error {
		err := runVet(ctx, s, flags, opts, dirs)
		switch {
		case err == nil:
			fmt.Fprintln(s.err, "no errors; waiting for changes")
		case errors.Is(err, errWrong), errors.Is(err, errBug):
			fmt.Fprintln(s.err, "waiting for changes")
			err = nil
		}
		return err
	})
}
