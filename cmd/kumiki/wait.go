package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/live"
	"kumiki.dev/live/application"
)

// goneEach is how often it is looked whether a solution is gone.
const goneEach = 250 * time.Millisecond

func newWaitCmd(s streams) *cobra.Command {
	var f liveFlags
	var until string
	cmd := &cobra.Command{
		Use:   "wait [NAME | DIR | FILE]...",
		Short: "Wait until what runs is healthy, or gone",
		Long: `Wait waits until the roles of solutions are healthy, without a name those of all that
run in the namespace, and tells what keeps them. It changes nothing: what is missing is
waited for, until somebody makes it. With --for gone it waits until solutions are
removed.

The exit code is 6 when the cluster has given up on a role, and 7 when the time was
over.`,
		Example: `  kumiki wait shop
  kumiki wait shop --for gone --timeout 1m`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if until != "healthy" && until != "gone" {
				return fmt.Errorf("--for %s: there are healthy and gone", until)
			}
			if m := s.site.manager; m != nil {
				return f.waitManaged(cmd, s, m, until, args)
			}
			return runWait(cmd, s, &f, until, args)
		},
	}
	f.register(cmd)
	f.registerTimeout(cmd, "to wait")
	cmd.Flags().StringVar(&until, "for", "healthy", "`what` to wait for: healthy or gone")
	_ = cmd.RegisterFlagCompletionFunc("for", cobra.FixedCompletions([]string{"healthy", "gone"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runWait(cmd *cobra.Command, s streams, f *liveFlags, until string, args []string) error {
	ctx := cmd.Context()
	names, c, err := f.begin(cmd, s, args)
	if err != nil {
		return err
	}
	if until == "gone" {
		return f.gone(ctx, s, c, names)
	}
	records, err := recordsOf(ctx, s, c, names)
	if err != nil {
		return err
	}
	for _, r := range records {
		if err := f.settled(ctx, s, c, r); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s is healthy\n", r.Solution)
	}
	return nil
}

// settled waits until a solution is healthy, and changes nothing.
func (f *liveFlags) settled(ctx context.Context, s streams, c live.System, r *live.Record) error {
	a := &application.Application{System: c, Run: &live.Run{Target: c, Record: r, Desired: r.Answers(), Next: *r, Looks: true}}
	a.Desired.Stopped = r.Stopped
	return f.await(ctx, s, a)
}

// gone waits until solutions have no inventory any more, which goes last.
func (f *liveFlags) gone(ctx context.Context, s streams, c live.System, names []string) error {
	bounded, cancel := f.bounds(true).Context(ctx)
	defer cancel()
	for _, name := range names {
		for {
			r, err := c.Record(bounded, name)
			if err != nil {
				return unreachable(s, err)
			}
			if !r.Known() {
				fmt.Fprintf(s.out, "%s is gone\n", name)
				break
			}
			select {
			case <-bounded.Done():
				fmt.Fprintf(s.err, "kumiki: the time is over (--timeout %s), and %s is there\n", f.timeout, name)
				return errLate
			case <-time.After(goneEach):
			}
		}
	}
	return nil
}
