package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/history"
	"kumiki.dev/internal/filter"
	"kumiki.dev/plan"
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
What hangs from it (up) goes before it, after the tree has been printed, unless
--allow-orphans says that it stays. What has been saved is kept, and tells what to
remove:

  kumiki prune saved:NAME@previous saved:NAME -t kubernetes | kubectl delete -f -

When that is done, --purge takes the history away too.`,
		Example: `  kumiki saved delete shop --allow-data-loss shop/db
  kumiki saved delete platform --allow-orphans platform
  kumiki saved delete shop --purge`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if purge {
				return history.Open(sides.store).Purge(args[0])
			}
			return runDelete(cmd.Context(), s, sides, f, args[0])
		},
	}
	registerSolutions(cmd, &sides.store)
	f.register(cmd)
	cmd.Flags().BoolVar(&purge, "purge", false, "remove the history of a name that has been deleted")
	return cmd
}

// runReplace makes another entry's solution the current one, if nothing speaks against
// it.
func runReplace(ctx context.Context, s streams, sides inputFlags, f planFlags, name, entry string) error {
	if err := f.check(); err != nil {
		return err
	}
	store := history.Open(sides.store)
	was, err := store.Find(name, "")
	if err != nil {
		return err
	}
	to, err := store.Find(name, entry)
	if err != nil {
		return err
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
	others, err := f.others(ctx, s, &sides, old)
	if err != nil {
		return err
	}
	if err := runPlan(s, f, old, new, others); err != nil {
		return err
	}
	e, _, err := store.RollBack(new, to, was)
	if err == nil {
		saidSaved(s, name, e, true)
	}
	return err
}

// runDelete makes nothing current under a name, and before that under the names of what
// hangs from it, if nothing speaks against any of it.
func runDelete(ctx context.Context, s streams, sides inputFlags, f planFlags, name string) error {
	if err := f.check(); err != nil {
		return err
	}
	store := history.Open(sides.store)
	was, err := store.Find(name, "")
	if err != nil {
		return err
	}
	if was.Digest == "" {
		fmt.Fprintf(s.err, "%s: entry %d is what is current already\n", name, was.Number)
		return nil
	}
	old, err := saved(s, store, name, was)
	if err != nil {
		return err
	}
	beside, err := f.besides(ctx, s, &sides)
	if err != nil {
		return err
	}
	kept, err := naming(s, sides.store, old)
	if err != nil {
		return err
	}
	hanging := plan.HangingFrom(old, nil, kept, f.allowed)
	going := inReverse(s, old, hanging)
	entries := make([]history.Entry, len(going))
	var problems diag.List
	for i, sol := range going {
		if entries[i], err = store.Find(sol.Ref.Name, ""); err != nil {
			return err
		}
		p, err := makePlan(s, f, sol, nil, without(append(beside, kept...), going))
		if err != nil {
			return err
		}
		if err := printPlan(s, p, f); err != nil {
			return err
		}
		problems = append(problems, p.Problems(f.allowed)...)
	}
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	for i, sol := range going {
		if entries[i].Digest != sol.Digest {
			return fmt.Errorf("%s has been saved by somebody else at the same time: look at it, and try again", sol.Ref.Name)
		}
		e, _, err := store.Delete(sol.Ref.Name, &entries[i])
		if err != nil {
			return err
		}
		saidSaved(s, sol.Ref.Name, e, true)
	}
	return nil
}

// inReverse prints what hangs from a solution that goes, and returns all in the order in
// which they go, the solution itself last.
func inReverse(s streams, top *solution.Solution, hanging []plan.Hanging) []*solution.Solution {
	if len(hanging) == 0 {
		return []*solution.Solution{top}
	}
	fmt.Fprint(s.err, diag.Safe(plan.Tree(top.Ref.Name, hanging)))
	out := []*solution.Solution{top}
	for _, h := range hanging {
		out = append(out, h.Solution)
	}
	slices.Reverse(out)
	return out
}

// without are the solutions that are not among those that go: in a circle what goes hangs
// from what goes, which was read twice.
func without(all, going []*solution.Solution) []*solution.Solution {
	return filter.Out(all, func(s *solution.Solution) bool {
		return filter.Any(going, func(g *solution.Solution) bool { return s == g || s != nil && g.Ref == s.Ref && g.Digest == s.Digest })
	})

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
