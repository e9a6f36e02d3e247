package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
	"kumiki.dev/live/application"
	"kumiki.dev/solution"
)

func newDriftCmd(s streams) *cobra.Command {
	var f applyFlags
	var form string
	var repair, watch bool
	cmd := &cobra.Command{
		Use:   "drift [NAME | DIR | FILE]...",
		Short: "Say what in the cluster is not as it was made, and who changed it",
		Long: `Drift compares what runs with the inventory, or with what a deployment would make now
(DIR, FILE), without a name all that runs in the namespace: objects that are missing, fields
that others have changed, with both values and by whom, roles that are not healthy,
what is outdated or not desired any more, and objects with the solution's labels that
no inventory has. Only fields that were given count, against what the cluster made of
them: defaults and what it dropped are no drift. The number of instances is an
autoscaler's, within its bounds.

Where drift finds nothing, 'kumiki apply' writes nothing. --repair sets right what is
missing or was changed. The exit code is 4 where there is drift.

With --watch it goes on until it is interrupted, and tells of what is found when it
happens, and when it is as it was made again; as JSON an object a line. What
'kumiki apply' and 'kumiki delete' do is no drift. With --repair it sets right what it
tells of, more and more slowly what somebody changes again and again.`,
		Example: `  kumiki drift shop
  kumiki drift deploy -n shop -o json
  kumiki drift shop --repair
  kumiki drift --watch --repair --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			if m := s.site.manager; m != nil {
				return f.driftManaged(cmd, s, m, form, repair, args)
			}
			if watch {
				return runDriftWatch(cmd, s, &f, form, repair, args)
			}
			return runDrift(cmd, s, &f, form, repair, args)
		},
	}
	f.register(cmd)
	f.registerTimeout(cmd, "to wait until the roles are healthy, with --repair")
	flags := cmd.Flags()
	flags.BoolVar(&repair, "repair", false, "set right what is missing or was changed")
	flags.BoolVar(&watch, "watch", false, "go on, and tell of what is found when it happens")
	flags.BoolVar(&f.yes, "yes", false, "don't ask")
	flags.StringVarP(&form, "output", "o", "text", "`form`: text or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// solutionDrift is what is not as it was made of a solution.
type solutionDrift struct {
	Solution string         `json:"solution"`
	Findings []live.Finding `json:"findings"`
}

func runDrift(cmd *cobra.Command, s streams, f *applyFlags, form string, repair bool, args []string) error {
	ctx := cmd.Context()
	all, c, err := f.sources(cmd, s, args)
	if err != nil {
		return err
	}
	out := []solutionDrift{}
	var wrong []source // what is to be repaired: they are made again then, one at a time
	var differs error
	look := func(from source, a *application.Application) error {
		if err := a.Look(ctx); err != nil {
			return unreachable(s, err)
		}
		found := live.Drift(a.Actions())
		for i := range found {
			found[i].Why = s.secrets.hide(found[i].Why)
			if found[i].Counts() {
				differs = errDiffers
			}
		}
		out = append(out, solutionDrift{a.Record.Solution, found})
		if filter.Any(a.Actions(), func(a engine.Action) bool { return a.Verb.Writes() || a.Verb == engine.Refuse }) {
			wrong = append(wrong, from)
		}
		return nil
	}
	if err := gathered(c, len(all) != 1, func() error { return f.each(ctx, s, c, all, look) }); err != nil {
		return err
	}
	if len(out) == 0 && form != "json" {
		fmt.Fprintf(s.err, nothingRuns, c.Where())
	}
	if err := printFindings(s, form, "drift", live.Finding.Lines, out); err != nil || !repair {
		return errors.Join(err, differs)
	}
	for _, from := range wrong {
		a, err := f.application(ctx, s, c, from)
		if err == nil {
			err = f.repair(ctx, s, a)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// gathered calls do. For several solutions the system reads what do asks of it with one list a
// kind, if it can.
func gathered(c live.System, several bool, do func() error) error {
	if g, ok := c.(live.Gatherer); ok && several {
		g.Gather(true)
		defer g.Gather(false)
	}
	return do()
}

// printFindings prints what lines say of each finding; what is the word for one.
func printFindings(s streams, form, what string, lines func(live.Finding) []string, all []solutionDrift) error {
	if form == "json" {
		return printJSON(s, all)
	}
	for _, d := range all {
		if len(d.Findings) == 0 {
			fmt.Fprintf(s.out, "%s: no %s\n", d.Solution, what)
			continue
		}
		fmt.Fprintf(s.out, "%s:\n", d.Solution)
		for _, found := range d.Findings {
			for _, line := range lines(found) {
				fmt.Fprintln(s.out, "  "+diag.Safe(s.secrets.hide(line)))
			}
		}
	}
	return nil
}

// source is what an application is made of: a solution as it would be now, or the record of the
// one of a name.
type source struct {
	name string
	sol  *solution.Solution // nil for the record's
}

// sources returns what arguments are about, and the system.
func (f *liveFlags) sources(cmd *cobra.Command, s streams, args []string) (all []source, c live.System, err error) {
	for _, arg := range args {
		name, sol, err := f.named(cmd.Context(), s, arg)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, source{name, sol})
	}
	c, err = f.connect(cmd, s)
	return all, c, err
}

// application makes the application of a source.
func (f *liveFlags) application(ctx context.Context, s streams, c live.System, from source) (*application.Application, error) {
	if from.sol != nil {
		return f.wanted(ctx, s, c, from.sol)
	}
	r, err := known(ctx, s, c, from.name)
	if err != nil {
		return nil, err
	}
	return f.recorded(s, c, r)
}

// each calls do with the application of each source, without any of all that have a record. They
// are made one after the other: one that is not kept takes no memory while the next is looked at.
func (f *liveFlags) each(ctx context.Context, s streams, c live.System, all []source, do func(source, *application.Application) error) error {
	for _, from := range all {
		a, err := f.application(ctx, s, c, from)
		if err == nil {
			err = do(from, a)
		}
		if err != nil {
			return err
		}
	}
	if len(all) > 0 {
		return nil
	}
	return eachNamed(ctx, s, c, nil, func(r *live.Record) error {
		a, err := f.recorded(s, c, r)
		if err != nil {
			return err
		}
		return do(source{name: r.Solution}, a)
	})
}

// eachNamed calls do with the record of each solution that is named, without any of all, read one
// after the other.
func eachNamed(ctx context.Context, s streams, c live.System, names []string, do func(*live.Record) error) error {
	all, ok := c.(live.Surveyor)
	if !ok || len(names) > 0 {
		records, err := recordsOf(ctx, s, c, names)
		for i := 0; i < len(records) && err == nil; i++ {
			err = do(records[i])
		}
		return err
	}
	var failed error
	err := all.EachRecord(ctx, func(r *live.Record) {
		if failed == nil {
			failed = do(r)
		}
	})
	if err != nil {
		return unreachable(s, err)
	}
	return failed
}

// repair writes what is missing or was changed.
func (f *applyFlags) repair(ctx context.Context, s streams, a *application.Application) error {
	if a.Solution == nil {
		return fmt.Errorf("the inventory of %s has no solution to repair it with: kumiki apply DIR does", a.Record.Solution)
	}
	if err := prepared(ctx, s, a); err != nil || len(a.Writes()) == 0 {
		return err
	}
	if ok, err := confirmed(s, f.yes, fmt.Sprintf("Set %s in %s right?", a.Record.Solution, a.System.Where())); !ok || err != nil {
		return err
	}
	f.wait = true
	return f.carry(ctx, s, a)
}
