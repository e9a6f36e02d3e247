package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/history"
	"kumiki.dev/solution"
)

func newDiffCmd(s streams) *cobra.Command {
	var sides inputFlags
	var f planFlags
	cmd := &cobra.Command{
		Use:   "diff NAME [OLD [NEW]]",
		Short: "Print the plan from one saved solution to another",
		Long: `Diff is plan for two entries of the history of NAME: OLD (default: previous) and
NEW (default: current). What has happened is shown, and is no error whatever it
was.

` + entryHelp,
		Example: `  kumiki saved diff shop
  kumiki saved diff shop 3 5 -t kubernetes --details`,
		Args: cobra.RangeArgs(1, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			entries := append(args[1:], []string{"previous", "current"}[len(args[1:]):]...)
			old, new, err := sides.sides(cmd.Context(), s, []string{"saved:" + args[0] + "@" + entries[0], "saved:" + args[0] + "@" + entries[1]})
			if err != nil {
				return err
			}
			p, err := makePlan(s, f, old, new, nil)
			if err != nil {
				return err
			}
			return printPlan(s, p, f)
		},
	}
	registerSolutions(cmd, &sides.store)
	f.registerForm(cmd)
	return cmd
}

func newRollbackCmd(s streams) *cobra.Command {
	var sides inputFlags
	var f planFlags
	cmd := &cobra.Command{
		Use:   "rollback NAME [ENTRY]",
		Short: "Make an older solution the current one",
		Long: `Rollback makes the solution of ENTRY (default: previous) the current one under
NAME, as a new entry: nothing is taken away. It prints the plan from the one that
is current now, and changes nothing if that loses data or takes away what others
name, unless the flags say that it may. What runs is changed by applying the
solution: kumiki saved show NAME | kumiki lower -t TARGET.

` + entryHelp,
		Example: `  kumiki saved rollback shop
  kumiki saved rollback shop 3 -t kubernetes --allow-data-loss shop/cache`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runReplace(cmd.Context(), s, sides, f, args[0], append(args, "previous")[1])
		},
	}
	registerSolutions(cmd, &sides.store)
	f.register(cmd)
	return cmd
}

func newDeleteCmd(s streams) *cobra.Command {
	var sides inputFlags
	var f planFlags
	var purge bool
	cmd := &cobra.Command{
		Use:   "delete NAME",
		Short: "Make nothing the current solution of a name",
		Long: `Delete prints the plan from what is current under NAME to nothing, and makes that
current, unless data would be lost or others name what goes and no flag allows it.
What has been saved stays, and tells what to remove:

  kumiki prune saved:NAME@previous saved:NAME -t kubernetes | kubectl delete -f -

When that is done, --purge takes the history away too.`,
		Example: `  kumiki saved delete shop --allow-data-loss shop/db
  kumiki saved delete shop --purge`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if purge {
				return history.Open(sides.store).Purge(args[0])
			}
			return runReplace(cmd.Context(), s, sides, f, args[0], "")
		},
	}
	registerSolutions(cmd, &sides.store)
	f.register(cmd)
	cmd.Flags().BoolVar(&purge, "purge", false, "remove the history of a name that has been deleted")
	return cmd
}

// runReplace makes another entry's solution the current one, nothing for "", if
// nothing speaks against it.
func runReplace(ctx context.Context, s streams, sides inputFlags, f planFlags, name, entry string) error {
	if err := f.check(); err != nil {
		return err
	}
	store := history.Open(sides.store)
	was, err := store.Find(name, "")
	if err != nil {
		return err
	}
	to := history.Entry{}
	if entry != "" {
		if to, err = store.Find(name, entry); err != nil {
			return err
		}
	}
	old, err := saved(s, store, name, was)
	if err != nil {
		return err
	}
	new, err := saved(s, store, name, to)
	if err != nil {
		return err
	}
	if was.Digest == to.Digest {
		fmt.Fprintf(s.err, "%s: entry %d is what is current already\n", name, was.Number)
		return nil
	}
	others, err := f.others(ctx, s, &sides)
	if err != nil {
		return err
	}
	if err := runPlan(s, f, old, new, others); err != nil {
		return err
	}
	return saveAfter(s, store, name, new, was)
}

func saveAfter(s streams, store *history.Store, name string, sol *solution.Solution, was history.Entry) error {
	var e history.Entry
	var err error
	if sol == nil {
		e, _, err = store.Delete(name, &was)
	} else {
		e, _, err = store.SaveAfter(sol, history.RolledBack, &was)
	}
	if err == nil {
		saidSaved(s, name, e, true)
	}
	return err
}

// saidSaved tells what a history ends with now.
func saidSaved(s streams, name string, e history.Entry, new bool) {
	what, name := short(e.Digest), diag.Printable(name)
	if what == "" {
		what = "nothing"
	}
	if new {
		fmt.Fprintf(s.err, "%s: %s is current, entry %d\n", name, what, e.Number)
		return
	}
	fmt.Fprintf(s.err, "%s: %s was current already, entry %d\n", name, what, e.Number)
}
