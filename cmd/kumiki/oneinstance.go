package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/live"
)

// instance restarts one instance of a place, where the system can. None can be stopped by
// itself: how many there are is a number.
func (f *applyFlags) instance(cmd *cobra.Command, s streams, c live.System, paths []string) error {
	if len(paths) != 1 {
		return errOneRole
	}
	if cmd.Name() != "restart" {
		return printProblems(s.err, diag.List{diag.New(diag.LiveTarget, diag.NoPos,
			"%s --instance: no single instance can be stopped, as what there is of a role is a number of them: scale.detail.ROLE.hsize says how many run, kumiki restart %s --instance %s replaces one", cmd.Name(), paths[0], f.one)})
	}
	m, ok := c.(live.Mover)
	if !ok {
		return printProblems(s.err, diag.List{diag.New(diag.LiveTarget, diag.NoPos,
			"restart --instance: %s restarts no single instance; kumiki restart %s replaces all of them, one after the other", f.lower.target, paths[0])})
	}
	ctx := cmd.Context()
	r, err := owner(ctx, s, c, paths[0])
	if err != nil {
		return err
	}
	one, err := live.Named(ctx, m, paths[0], f.one)
	switch {
	case err != nil:
		return err
	case one.Fixed != "" && one.Fixed != live.EachNode:
		return fmt.Errorf("%v is not restarted: %s", one, one.Fixed)
	}
	return f.replace(ctx, s, c, m, r, one)
}

func (f *applyFlags) replace(ctx context.Context, s streams, c live.System, m live.Mover, r *live.Record, one live.Movable) error {
	bounded, cancel := f.bounds(true).Context(ctx)
	defer cancel()
	err := live.Replace(bounded, m, one, func(text string) { fmt.Fprintln(s.out, "  "+diag.Safe(text)) })
	if err != nil {
		return unreachable(s, err)
	}
	if f.wait {
		if err := f.settled(ctx, s, c, r); err != nil {
			return err
		}
	}
	fmt.Fprintf(s.out, "%v is restarted\n", one)
	return nil
}
