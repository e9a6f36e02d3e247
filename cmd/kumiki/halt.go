package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/live"
)

func newStopCmd(s streams) *cobra.Command {
	return newHaltCmd(s, "stop", "Let no instances run of a deployment or role, until it is started",
		`Stop brings the instances of a solution, of one of its deployments or of a role to none,
and writes that into the inventory: 'kumiki apply' keeps it so and says so, until
'kumiki start' lets them run again. Data stays. An autoscaler is taken away for the time.`,
		"  kumiki stop shop\n  kumiki stop shop/db -n shop",
		func(r *live.Record, path string) (done string, err error) {
			if !r.Stop(path) {
				return path + " is stopped already", nil
			}
			return path + " is stopped", nil
		})
}

func newStartCmd(s streams) *cobra.Command {
	return newHaltCmd(s, "start", "Let the instances of what was stopped run again",
		`Start takes back 'kumiki stop': of a whole solution, of one of its deployments, or of a role.`,
		"  kumiki start shop\n  kumiki start shop/db -n shop",
		func(r *live.Record, path string) (string, error) {
			changed, err := r.Start(path)
			switch {
			case err != nil:
				return "", err
			case !changed:
				return path + " is not stopped", nil
			}
			return path + " runs", nil
		})
}

func newRestartCmd(s streams) *cobra.Command {
	return newHaltCmd(s, "restart", "Replace the instances of a deployment or role by new ones",
		`Restart replaces the instances of a solution, of one of its deployments or of a role by
new ones, as a new version would: one after the other. How often is in the inventory,
so that it happens once, whatever happens in between. With --instance it is that one
alone, as soon as budgets allow it, and the inventory does not say so.`,
		"  kumiki restart shop/front\n  kumiki restart shop/db --instance shop-db-0",
		func(r *live.Record, path string) (string, error) {
			return path + " is restarted", r.Restart(path)
		})
}

// newHaltCmd makes a command that changes what the record says of a place, and then what
// runs.
func newHaltCmd(s streams, name, short, long, example string, change func(*live.Record, string) (string, error)) *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use: name + " NAME[/ROLE]...", Short: short, Long: long, Example: example,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if m := s.site.manager; m != nil {
				return f.haltManaged(cmd, s, m, args)
			}
			c, err := f.connect(cmd, s)
			if err != nil {
				return err
			}
			if f.one != "" {
				return f.instance(cmd, s, c, args)
			}
			for _, path := range args {
				if err := f.halt(cmd.Context(), s, c, path, change); err != nil {
					return err
				}
			}
			return nil
		},
	}
	f.register(cmd)
	f.registerTimeout(cmd, "to wait until it is so")
	cmd.Flags().BoolVar(&f.wait, "wait", true, "wait until it is so")
	cmd.Flags().StringVar(&f.one, "instance", "", "`name` of one instance to restart, as 'kumiki status -o tree' has it (default: all); none can be stopped by itself")
	return cmd
}

// halt changes the record of the solution that a path leads into, and brings what runs to
// where it says.
func (f *applyFlags) halt(ctx context.Context, s streams, c live.System, path string, change func(*live.Record, string) (string, error)) error {
	r, err := owner(ctx, s, c, path)
	if err != nil {
		return err
	}
	if err := r.Within(path); err != nil {
		return err
	}
	changed := *r
	done, err := change(&changed, path)
	if err != nil {
		return err
	}
	a, err := f.recorded(s, c, &changed)
	switch {
	case err != nil:
		return err
	case a.Solution == nil:
		return errors.New("the inventory of " + r.Solution + " has no solution, as secrets are in it or kubectl made it: change the deployment and apply it")
	}
	if err := prepared(ctx, s, a); err != nil {
		return err
	}
	if !a.Idle() {
		f.yes = true
		if err := f.carry(ctx, s, a); err != nil {
			return err
		}
	}
	fmt.Fprintln(s.out, done)
	return nil
}

// owner returns the record of the solution that has a deployment or role: the one that is called
// as the path begins, else the one that has such a place.
func owner(ctx context.Context, s streams, c live.System, path string) (*live.Record, error) {
	name, _, _ := strings.Cut(path, "/")
	r, err := c.Record(ctx, name)
	if err != nil {
		return nil, unreachable(s, err)
	}
	if r.Known() {
		return r, nil
	}
	all, err := c.Records(ctx)
	if err != nil {
		return nil, unreachable(s, err)
	}
	for _, r := range all {
		if r.Within(path) == nil {
			return r, nil
		}
	}
	return known(ctx, s, c, name)
}
