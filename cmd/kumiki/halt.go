package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/engine"
	"kumiki.dev/live"
	cluster "kumiki.dev/live/kubernetes"
)

func newStopCmd(s streams) *cobra.Command {
	return newHaltCmd(s, "stop", "Let no instances run of a deployment or role, until it is started",
		`Stop brings the instances of a solution, of one of its deployments or of a role to none,
and writes that into the inventory: 'kumiki apply' keeps it so and says so, until
'kumiki start' lets them run again. Data stays. An autoscaler is taken away for the time.`,
		"  kumiki stop shop\n  kumiki stop shop/db -n shop",
		func(r *live.Record, path string) (done string, err error) {
			if slices.Contains(r.Stopped, path) {
				return path + " is stopped already", nil
			}
			r.Stopped = append(slices.Clone(r.Stopped), path)
			slices.Sort(r.Stopped)
			return path + " is stopped", nil
		})
}

func newStartCmd(s streams) *cobra.Command {
	return newHaltCmd(s, "start", "Let the instances of what was stopped run again",
		`Start takes back 'kumiki stop': of a whole solution, of one of its deployments, or of a role.`,
		"  kumiki start shop\n  kumiki start shop/db -n shop",
		func(r *live.Record, path string) (string, error) {
			var kept []string
			for _, stopped := range r.Stopped {
				switch {
				case stopped == path || strings.HasPrefix(stopped, path+"/") || strings.HasPrefix(stopped, path+"."):
				case strings.HasPrefix(path, stopped+"/") || strings.HasPrefix(path, stopped+"."):
					return "", fmt.Errorf("all of %s is stopped: kumiki start %s", stopped, stopped)
				default:
					kept = append(kept, stopped)
				}
			}
			if len(kept) == len(r.Stopped) {
				return path + " is not stopped", nil
			}
			r.Stopped = kept
			return path + " runs", nil
		})
}

func newRestartCmd(s streams) *cobra.Command {
	return newHaltCmd(s, "restart", "Replace the instances of a deployment or role by new ones",
		`Restart replaces the instances of a solution, of one of its deployments or of a role by
new ones, as a new version would: one after the other. How often is in the inventory,
so that it happens once, whatever happens in between.`,
		"  kumiki restart shop/front",
		func(r *live.Record, path string) (string, error) {
			r.Restarts = maps.Clone(r.Restarts)
			if r.Restarts == nil {
				r.Restarts = map[string]int{}
			}
			r.Restarts[path]++
			return path + " is restarted", nil
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
			c, err := f.connect(cmd, s)
			if err != nil {
				return err
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
	return cmd
}

// halt changes the record of the solution that a path leads into, and brings what runs to
// where it says.
func (f *applyFlags) halt(ctx context.Context, s streams, c *cluster.Cluster, path string, change func(*live.Record, string) (string, error)) error {
	r, err := owner(ctx, s, c, path)
	if err != nil {
		return err
	}
	if err := within(r, path); err != nil {
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
	case a.solution == nil:
		return errors.New("the inventory of " + r.Solution + " has no solution, as secrets are in it or kubectl made it: change the deployment and apply it")
	}
	if _, err := a.Prepare(ctx); err != nil {
		return unreachable(s, err)
	}
	if !a.Idle() {
		f.yes = true
		if err := f.carry(ctx, s, c, a); err != nil {
			return err
		}
	}
	fmt.Fprintln(s.out, done)
	return nil
}

// owner is the record of the solution that has a deployment or role: the one that is called
// as the path begins, else the one that has such a place.
func owner(ctx context.Context, s streams, c *cluster.Cluster, path string) (*live.Record, error) {
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
		if within(r, path) == nil {
			return r, nil
		}
	}
	return known(ctx, s, c, name)
}

// within is an error where a solution has no such place.
func within(r *live.Record, path string) error {
	var places []engine.About
	for _, m := range r.Objects {
		if m.Runs && m.Place.Within(path) {
			return nil
		}
		places = append(places, m.About)
	}
	return fmt.Errorf("%s: %s has no such deployment or role; it has %s", path, r.Solution, strings.Join(live.Places(places), ", "))
}
