package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/client"
	"kumiki.dev/internal/sorting"
)

// newDeployedHistoryCmd is about a manager's deployments. Without a manager it is what it was
// before there was one.
func newDeployedHistoryCmd(s streams) *cobra.Command {
	former := newHistoryCmd(s)
	cmd := &cobra.Command{
		Use:   "history [NAME]",
		Short: "List a manager's deployments, or what one of them has been",
		Long: `History lists the manifests of the deployment NAME at a manager, the latest first,
also of one that is gone: what has made each, of which artifact it is, whether it
compiles, and which one is wanted. 'kumiki rollback' goes back to one. Without NAME it
lists the deployments, as the manager knows them without asking their environments;
'kumiki status' asks.

The solutions that are saved on this machine are listed by 'kumiki saved history', and
without a manager by this too.`,
		Example: "  kumiki history --server https://kumiki.example.com:7676\n  kumiki history shop",
		Args:    cobra.MaximumNArgs(1),
	}
	cmd.Flags().AddFlagSet(former.Flags())
	cmd.Flags().Lookup("output").Usage = "`form`: text, json, and of a manager yaml or name"
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json", "yaml", "name"}, cobra.ShellCompDirectiveNoFileComp))
	registerServer(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m := s.site.manager
		if m == nil {
			s.hint("hint: kumiki history is kumiki saved history now\n")
			return former.RunE(cmd, args)
		}
		form := cmd.Flags().Lookup("output").Value.String()
		if err := checkForm(form, "text", "json", "yaml", "name"); err != nil {
			return err
		}
		if len(args) == 0 {
			return m.listed(cmd.Context(), s, form)
		}
		return m.history(cmd.Context(), s, args[0], form)
	}
	return cmd
}

func (m *manager) history(ctx context.Context, s streams, name, form string) error {
	all, err := m.Manifests(ctx, name)
	if err != nil {
		return m.failed(s, err)
	}
	if len(all) == 0 {
		return fmt.Errorf("%s has no deployment %s, and has had none", m.URL(), name)
	}
	wanted, err := m.Deployment(ctx, name)
	if err != nil && !isAbsent(err) {
		return m.failed(s, err)
	}
	slices.Reverse(all)
	rows, names := [][]string{{"MANIFEST", "VERB", "STATE", "BY", "AGE", "ARTIFACT", "SET"}}, []string{}
	for _, one := range all {
		set := ""
		if n := len(one.Input.Sets); n > 0 {
			set = strconv.Itoa(n)
		}
		rows = append(rows, []string{strconv.Itoa(one.Number), one.Verb, manifestState(one, wanted), one.By, ageOf(one.Created), one.Artifact, set})
		names = append(names, strconv.Itoa(one.Number))
	}
	return printRecords(s, form, all, rows, names)
}

// listed prints the deployments of a manager.
func (m *manager) listed(ctx context.Context, s streams, form string) error {
	all, _, err := m.Deployments(ctx, "", "")
	if err != nil {
		return m.failed(s, err)
	}
	if len(all) == 0 && form == "text" {
		s.hint("%s has no deployments\n", m.URL())
		return nil
	}
	rows, names := [][]string{{"NAME", "ENVIRONMENT", "MANIFEST", "STATE", "CHANGED", "LABELS"}}, []string{}
	for _, d := range all {
		var labels []string
		for _, key := range sorting.Ordered(d.Labels) {
			labels = append(labels, key+"="+d.Labels[key])
		}
		rows = append(rows, []string{d.Name, d.Environment, strconv.Itoa(d.Manifest), deploymentState(d), ageOf(d.Changed), strings.Join(labels, ",")})
		names = append(names, d.Name)
	}
	return printRecords(s, form, all, rows, names)
}

// deploymentState is how a deployment is, as far as a manager knows.
func deploymentState(d client.Deployment) string {
	switch {
	case d.Deleting:
		return "is removed"
	case d.Maintenance:
		return "maintenance"
	}
	for _, c := range d.Status.Conditions {
		if c.Status != "True" && c.Manifest == d.Manifest {
			return cmp.Or(c.Reason, "not "+strings.ToLower(c.Type))
		}
	}
	if d.Status.Applied == d.Manifest {
		return "runs"
	}
	return "wanted"
}

// manifestState is what a manifest is to its deployment.
func manifestState(one client.Manifest, d client.Deployment) string {
	switch {
	case len(one.Problems) > 0:
		return "does not compile"
	case one.Number == d.Manifest && d.Status.Applied == one.Number:
		return "runs"
	case one.Number == d.Manifest:
		return "wanted"
	case one.Empty:
		return "nothing"
	case one.Solution == "":
		return "not compiled"
	}
	return ""
}

// newDeployedRollbackCmd is about a manager's deployments. Without a manager it is what it was
// before there was one.
func newDeployedRollbackCmd(s streams) *cobra.Command {
	var f applyFlags
	former := newRollbackCmd(s)
	cmd := &cobra.Command{
		Use:   "rollback NAME [MANIFEST]",
		Short: "Have a manager bring a deployment back to what it was",
		Long: `Rollback brings the deployment NAME at a manager back to MANIFEST, a number of 'kumiki
history' (default: the one that was wanted before), as a new manifest: nothing is
taken away. It prints the plan, asks a person at a terminal, and prints what is done.

The solutions that are saved on this machine are taken back by 'kumiki saved
rollback', and without a manager by this too.`,
		Example: `  kumiki rollback shop --server https://kumiki.example.com:7676
  kumiki rollback shop 3 --yes`,
		Args: cobra.RangeArgs(1, 2),
	}
	flags := cmd.Flags()
	flags.AddFlagSet(former.Flags())
	registerServer(cmd)
	f.registerTimeout(cmd, "the operation may take")
	flags.BoolVar(&f.yes, "yes", false, "don't ask")
	flags.BoolVar(&f.wait, "wait", true, "wait until it has ended")
	flags.StringVar(&f.dryRun, "dry-run", "", "`server`: print the plan, and let the environment try it")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		m := s.site.manager
		if m == nil {
			s.hint("hint: kumiki rollback is kumiki saved rollback now\n")
			return former.RunE(cmd, args)
		}
		for flag, to := range map[string]*[]string{"allow-data-loss": &f.allowed.Data, "allow-dangling": &f.allowed.Gone, "allow-orphans": &f.allowed.Orphans} {
			*to, _ = cmd.Flags().GetStringArray(flag)
		}
		return f.rollbackManaged(cmd.Context(), s, m, args)
	}
	return cmd
}

func (f *applyFlags) rollbackManaged(ctx context.Context, s streams, m *manager, args []string) error {
	if f.dryRun != "" && f.dryRun != "server" {
		return fmt.Errorf("--dry-run %s: there is server", f.dryRun)
	}
	name := args[0]
	was, err := m.Deployment(ctx, name)
	if err != nil {
		return m.failed(s, err)
	}
	to := 0
	if len(args) > 1 {
		if to, err = strconv.Atoi(args[1]); err != nil || to < 1 {
			return fmt.Errorf("%s is no number of a manifest: kumiki history %s lists them", args[1], name)
		}
	} else if to, err = m.before(ctx, s, was); err != nil {
		return err
	}
	if to == was.Manifest && was.Status.Applied == to {
		fmt.Fprintf(s.out, "%s: manifest %d is what runs already\n", name, to)
		return nil
	}
	fmt.Fprintf(s.out, "%s goes from manifest %d back to %d\n", name, was.Manifest, to)
	return f.carryManaged(ctx, s, m, change{name: name, was: was, send: func(w client.Write) (client.Answer, error) {
		return m.Rollback(ctx, name, was.Revision, to, f.allow(), w)
	}})
}

// before is the manifest that was wanted before the one that is wanted now.
func (m *manager) before(ctx context.Context, s streams, d client.Deployment) (int, error) {
	all, err := m.Manifests(ctx, d.Name)
	if err != nil {
		return 0, m.failed(s, err)
	}
	now := slices.IndexFunc(all, func(one client.Manifest) bool { return one.Number == d.Manifest })
	for i := now - 1; i >= 0; i-- {
		if all[i].Solution != "" && all[i].Solution != all[now].Solution {
			return all[i].Number, nil
		}
	}
	return 0, fmt.Errorf("%s has been nothing else before manifest %d: kumiki history %s lists what it was", d.Name, d.Manifest, d.Name)
}
