package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/live"
	"kumiki.dev/live/application"
)

func newStatusCmd(s streams) *cobra.Command {
	var f liveFlags
	var form string
	var watch bool
	cmd := &cobra.Command{
		Use:   "status [NAME | DIR | FILE]...",
		Short: "Say how what runs is: instances, images, restarts, health",
		Long: `Status prints a line for each role of the solutions that are named, without a name of
all that run in the namespace: how many instances are ready of how many that should
be, whether that is healthy and why not, the images, how often containers were
restarted, and how old it is; as a tree also the instances, with the nodes that they
are on and their addresses. Solutions are known by their inventories, which
'kumiki apply' writes. With --watch, a line is printed again when it becomes another,
until it is interrupted; as JSON an object a line.

The exit code is 6 where something is not healthy.`,
		Example: `  kumiki status
  kumiki status shop -n shop -o tree
  kumiki status shop --watch`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "table", "tree", "json"); err != nil {
				return err
			}
			if watch && form == "tree" {
				return errors.New("--watch prints lines: leave -o tree out")
			}
			if m := s.site.manager; m != nil {
				return f.statusManaged(cmd, s, m, form, watch, args)
			}
			return runStatus(cmd, s, &f, form, watch, args)
		},
	}
	f.register(cmd)
	cmd.Flags().BoolVar(&watch, "watch", false, "go on, and print what changes")
	cmd.Flags().StringVarP(&form, "output", "o", "table", "`form`: table, tree or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "tree", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// solutionStatus is how a solution is.
type solutionStatus struct {
	Solution string        `json:"solution"`
	Digest   string        `json:"digest,omitempty"`
	Roles    []live.Status `json:"roles"`
}

func runStatus(cmd *cobra.Command, s streams, f *liveFlags, form string, watch bool, args []string) error {
	ctx := cmd.Context()
	names, c, err := f.begin(cmd, s, args)
	if err != nil {
		return err
	}
	if watch {
		return f.watchStatus(ctx, s, c, names, form)
	}
	records, err := recordsOf(ctx, s, c, names)
	if err != nil {
		return err
	}
	all, err := statusOf(ctx, s, c, records)
	if err != nil {
		return err
	}
	if len(records) == 0 && form != "json" {
		fmt.Fprintf(s.err, "nothing that kumiki apply has made runs in %s\n", c.Where())
		return nil
	}
	return errors.Join(printStatus(s, form, all), verdictOf(all))
}

// statusOf returns how solutions are.
func statusOf(ctx context.Context, s streams, c live.System, records []*live.Record) ([]solutionStatus, error) {
	all := []solutionStatus{}
	for _, r := range records {
		run := live.Run{Target: c, Record: r, Desired: r.Answers()}
		if err := run.Look(ctx); err != nil {
			return nil, unreachable(s, err)
		}
		roles, err := c.Status(ctx, r, run.Seen())
		if err != nil {
			return nil, unreachable(s, err)
		}
		all = append(all, solutionStatus{r.Solution, r.Digest, roles})
	}
	return all, nil
}

// verdictOf returns an error if a role that is to run is not healthy.
func verdictOf(all []solutionStatus) error {
	for _, sol := range all {
		for _, role := range sol.Roles {
			if role.Health != "healthy" && !role.Stopped {
				return errUnhealthy
			}
		}
	}
	return nil
}

func statusHead() []string {
	return []string{"ROLE", "READY", "HEALTH", "RESTARTS", "AGE", "IMAGE", "WHY"}
}

func roleRow(s streams, r live.Status) []string {
	return []string{r.Place, fmt.Sprintf("%d/%d", r.Ready, r.Wanted), r.Word(), strconv.Itoa(r.Restarts), age(r.Since), strings.Join(r.Images, ", "), s.secrets.hide(r.Why)}
}

func printStatus(s streams, form string, all []solutionStatus) error {
	if form == "tree" {
		return statusTree(s, all)
	}
	rows := [][]string{statusHead()}
	for _, sol := range all {
		for _, r := range sol.Roles {
			rows = append(rows, roleRow(s, r))
		}
	}
	return printAnswer(s.out, form, all, rows)
}

// names returns the names of the solutions that arguments are about.
func (f *liveFlags) names(ctx context.Context, s streams, args []string) (names []string, err error) {
	for _, arg := range args {
		name, _, err := f.named(ctx, s, arg)
		if err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

// recordsOf returns the records of solutions by their names, without any of all.
func recordsOf(ctx context.Context, s streams, c live.System, names []string) (records []*live.Record, err error) {
	if len(names) == 0 {
		if records, err = c.Records(ctx); err != nil {
			return nil, unreachable(s, err)
		}
		return records, nil
	}
	for _, name := range names {
		r, err := known(ctx, s, c, name)
		if err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// age returns how long ago a time was, in its largest unit.
func age(since string) string {
	t, err := time.Parse(time.RFC3339, since)
	if err != nil {
		return ""
	}
	d := time.Since(t)
	for _, unit := range []struct {
		name string
		long time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"m", time.Minute}} {
		if d >= unit.long {
			return strconv.Itoa(int(d/unit.long)) + unit.name
		}
	}
	return strconv.Itoa(int(d/time.Second)) + "s"
}

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
	all, err := f.applications(cmd, s, args)
	if err != nil {
		return err
	}
	out := []solutionDrift{}
	var differs error
	if err := lookAtAll(ctx, s, all); err != nil {
		return err
	}
	for _, a := range all {
		found := live.Drift(a.Actions())
		for i := range found {
			found[i].Why = s.secrets.hide(found[i].Why)
			if found[i].Counts() {
				differs = errDiffers
			}
		}
		out = append(out, solutionDrift{a.Record.Solution, found})
	}
	if err := printFindings(s, form, "drift", live.Finding.Lines, out); err != nil || !repair {
		return errors.Join(err, differs)
	}
	for _, a := range all {
		if err := f.repair(ctx, s, a); err != nil {
			return err
		}
	}
	return nil
}

// lookAtAll looks at applications, at several with one list for each kind where the system can.
func lookAtAll(ctx context.Context, s streams, all []*application.Application) error {
	if len(all) > 1 {
		if g, ok := all[0].System.(live.Gatherer); ok {
			g.Gather(true)
			defer g.Gather(false)
		}
	}
	for _, a := range all {
		if err := a.Look(ctx); err != nil {
			return unreachable(s, err)
		}
	}
	return nil
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

// applications returns the ones that arguments are about: by a name as the record has it, else as
// the solution would be now.
func (f *liveFlags) applications(cmd *cobra.Command, s streams, args []string) ([]*application.Application, error) {
	ctx := cmd.Context()
	var all []*application.Application
	var wanted []func(c live.System) (*application.Application, error)
	for _, arg := range args {
		name, sol, err := f.named(ctx, s, arg)
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, func(c live.System) (*application.Application, error) {
			if sol != nil {
				return f.wanted(ctx, s, c, sol)
			}
			r, err := known(ctx, s, c, name)
			if err != nil {
				return nil, err
			}
			return f.recorded(s, c, r)
		})
	}
	c, err := f.connect(cmd, s)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 {
		records, err := recordsOf(ctx, s, c, nil)
		if err != nil {
			return nil, err
		}
		for _, r := range records {
			wanted = append(wanted, func(c live.System) (*application.Application, error) { return f.recorded(s, c, r) })
		}
	}
	for _, make := range wanted {
		a, err := make(c)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// repair writes what is missing or was changed.
func (f *applyFlags) repair(ctx context.Context, s streams, a *application.Application) error {
	if a.Solution == nil {
		return fmt.Errorf("the inventory of %s has no solution to repair it with: kumiki apply DIR does", a.Record.Solution)
	}
	refused, err := a.Prepare(ctx)
	switch {
	case err != nil:
		return unreachable(s, err)
	case len(refused) > 0:
		return printRefusals(s, a, refused)
	case len(a.Writes()) == 0:
		return nil
	}
	if ok, err := confirmed(s, f.yes, fmt.Sprintf("Set %s in %s right?", a.Record.Solution, a.System.Where())); !ok || err != nil {
		return err
	}
	f.wait = true
	return f.carry(ctx, s, a)
}
