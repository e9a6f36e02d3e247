package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/internal/volumepath"
	"kumiki.dev/live"
	"kumiki.dev/live/application"
	"kumiki.dev/plan"
	"kumiki.dev/solution"
)

func newDeleteLiveCmd(s streams) *cobra.Command {
	var f applyFlags
	cmd := &cobra.Command{
		Use:   "delete NAME | DIR | FILE...",
		Short: "Remove what runs of a solution, and nothing else",
		Long: `Delete removes what the inventory of a solution lists, in the reverse order in which
it was made, waits until it is gone, and then removes the inventory. All that goes is
named before, and a person at a terminal is asked.

Claims hold the data of instances: they stay, and are listed, unless --allow-data-loss
names what may go. What other solutions in the namespace link to, take values from or
hang from goes only with --allow-dangling or --allow-orphans. Namespaces and what was
there before are never removed. What does not go is told with what it waits for, with
exit code 7; the next delete goes on.

What 'kumiki compile --save' has kept is another matter: see 'kumiki saved delete'.`,
		Example: `  kumiki delete shop
  kumiki delete shop -n shop --yes --allow-data-loss shop/db`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if m := s.site.manager; m != nil {
				return f.deleteManaged(cmd, s, m, args)
			}
			return runDeleteLive(cmd, s, &f, args)
		},
	}
	f.register(cmd)
	f.registerTimeout(cmd, "to wait until all is gone")
	flags := cmd.Flags()
	flags.BoolVar(&f.yes, "yes", false, "don't ask")
	repeatedVar(flags, &f.allowed.Data, "allow-data-loss", "", "`path` of data that may go: DEPLOYMENT, DEPLOYMENT/ROLE or DEPLOYMENT/ROLE/VOLUME; may be given several times")
	repeatedVar(flags, &f.allowed.Gone, "allow-dangling", "", "`name` of a deployment, DEPLOYMENT.CHANNEL or DEPLOYMENT.FIELD that may go though other solutions link to it or take values from it; may be given several times")
	repeatedVar(flags, &f.allowed.Orphans, "allow-orphans", "", "`name` of a deployment that may go though others hang from it (up): these stay; may be given several times")
	return cmd
}

func runDeleteLive(cmd *cobra.Command, s streams, f *applyFlags, args []string) error {
	ctx := cmd.Context()
	names, c, err := f.begin(cmd, s, args)
	if err != nil {
		return err
	}
	for _, name := range names {
		r, err := known(ctx, s, c, name)
		if err == nil {
			err = f.delete(ctx, s, c, r, names)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// delete removes a solution. Others that go too are no reason to keep it.
func (f *applyFlags) delete(ctx context.Context, s streams, c live.System, r *live.Record, going []string) error {
	old, _, err := application.Read(r)
	if err != nil {
		return err
	}
	if err := f.unused(ctx, s, c, old, going); err != nil {
		return err
	}
	a := &application.Application{System: c, Run: &live.Run{Target: c, Record: r, Next: *r, Desired: engine.Desired{Solution: r.Solution, Data: f.allowed.Data}}}
	if err := a.Look(ctx); err != nil {
		return unreachable(s, err)
	}
	claims, err := c.Claims(ctx, r.Solution, r.Workloads())
	if err != nil {
		return unreachable(s, err)
	}
	claims = f.tellRemoval(s, a, claims)
	if ok, err := confirmed(s, f.yes, fmt.Sprintf("Remove %s from %s?", r.Solution, c.Where())); !ok || err != nil {
		return err
	}
	return f.remove(ctx, s, c, a, claims)
}

// unused tells what others that stay name of a solution.
func (f *applyFlags) unused(ctx context.Context, s streams, c live.System, old *solution.Solution, going []string) error {
	if old == nil {
		return nil
	}
	others, err := application.Beside(ctx, c, old.Ref.Name)
	if err != nil {
		return unreachable(s, err)
	}
	others = filter.Out(others, func(o *solution.Solution) bool { return filter.Contains(going, o.Ref.Name) })
	p := plan.Plan{Dangling: plan.Dangle(old, nil, others)}
	return printProblems(s.err, p.Problems(f.allowed))
}

// tellRemoval names all that goes and all that stays. It returns the claims that go.
func (f *applyFlags) tellRemoval(s streams, a *application.Application, claims []engine.About) (going []engine.About) {
	for _, action := range a.Actions() {
		switch action.Verb {
		case engine.Remove:
			fmt.Fprintln(s.out, "remove: "+action.ID.String()+ofPlace(action.Place))
		case engine.Keep:
			fmt.Fprintf(s.out, "keep: %v: it holds data; --allow-data-loss %s removes it\n", action.ID, action.Volume)
		case engine.Leave, engine.Residue, engine.Wait:
			fmt.Fprintln(s.out, diag.Safe(strings.Join(live.Drift([]engine.Action{action})[0].Lines(), "\n")))
		}
	}
	for _, claim := range claims {
		if volumepath.Covers(f.allowed.Data, claim.Volume) {
			going = append(going, claim)
			fmt.Fprintf(s.out, "remove: %v with its data\n", claim.ID)
			continue
		}
		fmt.Fprintf(s.out, "keep: %v: it holds data; --allow-data-loss %s removes it\n", claim.ID, claim.Volume)
	}
	return going
}

// remove removes, waits, and tells what does not go.
func (f *applyFlags) remove(ctx context.Context, s streams, c live.System, a *application.Application, claims []engine.About) error {
	a.Say = func(e live.Event) {
		if e.Failed != nil {
			fmt.Fprintf(s.err, "kumiki: %v: %s\n", e.ID, diag.Safe(e.Failed.Error()))
		}
	}
	for _, claim := range claims { // first: when the record is gone nobody knows them
		if err := c.Remove(ctx, claim); err != nil {
			return unreachable(s, err)
		}
	}
	o, err := a.Remove(ctx, f.bounds(true), false)
	if err := f.outcome(ctx, s, a, o, err); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s is removed from %s\n", a.Record.Solution, c.Where())
	return nil
}
