package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"kumiki.dev/solution"
)

// nothing is what stands for no solution in a comparison.
const nothing = "none"

// sideHelp is what a command says of the solutions that it compares.
const sideHelp = `OLD and NEW are each a solution file (- is standard input), sources to compile
(DIR, git:REV:PATH, ARTIFACT:VERSION, a bundle), or saved:NAME[@ENTRY]; none is
nothing. See 'kumiki help arguments'.`

// sides reads both solutions of a comparison. Warnings about the old one are old, and
// not printed, also with --strict.
func (f *inputFlags) sides(ctx context.Context, s streams, args []string) (old, new *solution.Solution, err error) {
	was := *f
	was.strict = false
	if old, err = was.side(ctx, s, args[0], true); err != nil {
		return nil, nil, err
	}
	new, err = f.side(ctx, s, args[1], false)
	return old, new, err
}

// side is one solution, nil for nothing; quiet prints no problems but errors.
func (f *inputFlags) side(ctx context.Context, s streams, arg string, quiet bool) (sol *solution.Solution, err error) {
	if _, err := os.Stat(arg); arg == nothing && errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	err = f.opening(s, func(o *opener) error {
		o.quiet = quiet
		sol, err = o.solution(ctx, arg)
		return err
	})
	if errors.Is(err, errNoInput) {
		err = fmt.Errorf("%w; write none for nothing", err)
	}
	return sol, err
}
