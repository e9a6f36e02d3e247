package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"kumiki.dev/client"
	"kumiki.dev/diag"
)

func newOpsCmd(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "ops",
		Short: "List, watch and cancel the operations of a manager",
		Long: `Ops is about what a manager (kumikid) was asked to do: each change of a deployment is
an operation, which goes on whether somebody looks at it or not. Which manager it is
says --server, KUMIKI_SERVER or 'kumiki login'.`,
		Args: cobra.NoArgs,
		RunE: needsCommand,
	}
	cmd.AddCommand(newOpsListCmd(s), newOpsWatchCmd(s), newOpsCancelCmd(s))
	return cmd
}

// ofManager is the manager of a command that has nothing to do without one.
func ofManager(cmd *cobra.Command, s streams) (*manager, error) {
	if m := s.site.manager; m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("%s: operations are a manager's, and none is known: say --server URL, or kumiki login URL before", cmd.Name())
}

// ofOperation is the operation that an argument names, and the manager that has it.
func ofOperation(cmd *cobra.Command, s streams, arg string) (*manager, client.Operation, error) {
	m, err := ofManager(cmd, s)
	if err != nil {
		return nil, client.Operation{}, err
	}
	o, err := m.operation(cmd.Context(), s, arg)
	return m, o, err
}

// recordForms are the forms of lists of a manager's records.
var recordForms = []string{"table", "json", "yaml", "name"}

func registerRecordForms(cmd *cobra.Command, form *string) {
	cmd.Flags().StringVarP(form, "output", "o", "table", "`form`: table, json, yaml or name")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(recordForms, cobra.ShellCompDirectiveNoFileComp))
}

// printRecords prints a list of a manager's: as a table, as its records, or their names alone.
func printRecords(s streams, form string, records any, rows [][]string, names []string) error {
	switch form {
	case "name":
		for _, name := range names {
			fmt.Fprintln(s.out, printable(name))
		}
		return nil
	case "yaml":
		text, err := yaml.Marshal(records)
		if err == nil {
			_, err = s.out.Write(text)
		}
		return err
	}
	return printAnswer(s.out, form, records, rows)
}

func newOpsListCmd(s streams) *cobra.Command {
	var form string
	var pending bool
	cmd := &cobra.Command{
		Use:   "list [NAME]",
		Short: "List the operations of a manager, or of one deployment",
		Long: `List prints the operations that a manager keeps, the oldest first: of the deployment
NAME, or of all that may be seen. STATE is how far one has come, done, or why it has
failed; as json and yaml its steps are there too, and name is what watch and cancel
take.`,
		Example: `  kumiki ops list shop
  kumiki ops list --pending -o name --server https://kumiki.example.com:7676`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, recordForms...); err != nil {
				return err
			}
			m, err := ofManager(cmd, s)
			if err != nil {
				return err
			}
			all, err := m.Operations(cmd.Context(), given(args, ""), pending)
			if err != nil {
				return m.failed(s, err)
			}
			if len(all) == 0 && form == "table" {
				s.hint("there are none\n")
				return nil
			}
			rows, names := [][]string{{"OPERATION", "DEPLOYMENT", "VERB", "MANIFEST", "STATE", "BY", "AGE"}}, []string{}
			for _, o := range all {
				rows = append(rows, []string{o.ID, aboutOf(o), o.Verb, strconv.Itoa(o.Manifest), opState(o), o.By, ageOf(o.Started)})
				names = append(names, o.ID)
			}
			return printRecords(s, form, all, rows, names)
		},
	}
	registerRecordForms(cmd, &form)
	registerServer(cmd)
	cmd.Flags().BoolVar(&pending, "pending", false, "only those that have not ended")
	return cmd
}

// opState is how far an operation has come.
func opState(o client.Operation) string {
	switch {
	case o.Error != nil:
		return o.Error.Code
	case o.Done:
		return "done"
	case o.Cancel:
		return o.Phase + ", to be cancelled"
	}
	return o.Phase
}

func newOpsWatchCmd(s streams) *cobra.Command {
	var form string
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "watch NAME | OPERATION",
		Short: "Print what an operation does, until it has ended",
		Long: `Watch prints the steps of an operation, those that were done already too, until it has
ended: of OPERATION, or the last one of the deployment NAME. A connection that is lost
is made again. Interrupted, the operation goes on. As json it is an object a line: the
operation, whenever it has become another.

The exit code is that of the command that has begun it: 1 when it does not compile, 5
when nothing was changed, 6 when something was and it does not run as it should, 7
when the time was over, or nobody looks any more.`,
		Example: `  kumiki ops watch shop
  kumiki ops watch 0197a8c3d2f1-5b0e4c9a7d21f36b -o json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			m, o, err := ofOperation(cmd, s, args[0])
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			if timeout > 0 {
				bounded, cancel := context.WithTimeout(ctx, timeout)
				defer cancel()
				ctx = bounded
			}
			if form == "json" {
				return m.states(ctx, s, o)
			}
			return m.follow(ctx, s, o)
		},
	}
	cmd.Flags().StringVarP(&form, "output", "o", "text", "`form`: text or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.Flags().DurationVar(&timeout, "timeout", 0, "how `long` to look; 0 for as long as the operation goes")
	registerServer(cmd)
	return cmd
}

// operation finds an operation by its name, or the last one of a deployment, which may be gone.
func (m *manager) operation(ctx context.Context, s streams, text string) (client.Operation, error) {
	o, _, err := m.Operation(ctx, text, 0)
	if !isAbsent(err) {
		return o, m.failed(s, err)
	}
	all, err := m.LastOperations(ctx, text, 1)
	switch {
	case err != nil:
		return o, m.failed(s, err)
	case len(all) == 0:
		return o, fmt.Errorf("%s: %s has no operation of that name, and none of a deployment of that name; kumiki ops list has all", text, m.URL())
	}
	return all[0], nil
}

// states prints an operation as JSON, whenever it has become another.
func (m *manager) states(ctx context.Context, s streams, o client.Operation) error {
	var unwritten error
	ended, err := m.Follow(ctx, o.ID, func(o client.Operation) { unwritten = errors.Join(unwritten, printLine(s, o)) }, nil)
	switch {
	case unwritten != nil:
		return unwritten
	case err != nil:
		return m.left(ctx, s, o.ID, err)
	}
	return endOf(ended)
}

func newOpsCancelCmd(s streams) *cobra.Command {
	var wait bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "cancel NAME | OPERATION",
		Short: "Let an operation go no further",
		Long: `Cancel lets an operation end after the step that it is in: OPERATION, or the last one
of the deployment NAME. What it has done stays done: 'kumiki status' and 'kumiki
drift' say what that is, 'kumiki rollback' goes back. It waits until it has ended.`,
		Example: "  kumiki ops cancel shop",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, o, err := ofOperation(cmd, s, args[0])
			if err != nil {
				return err
			}
			if o.Done {
				return fmt.Errorf("operation %s of %s has ended already: %s; kumiki ops list %s has the others", o.ID, o.Deployment, opState(o), o.Deployment)
			}
			return m.cancel(cmd.Context(), s, o.ID, wait, timeout)
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", true, "wait until it has ended")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "how `long` to wait until it has ended")
	registerServer(cmd)
	return cmd
}

func (m *manager) cancel(ctx context.Context, s streams, id string, wait bool, timeout time.Duration) error {
	if _, err := m.Cancel(ctx, id); err != nil {
		return m.failed(s, err)
	}
	if !wait {
		fmt.Fprintf(s.out, "operation %s goes no further than its step\n", id)
		return nil
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ended, err := m.Follow(bounded, id, func(client.Operation) {}, nil)
	switch {
	case err != nil:
		return m.left(ctx, s, id, err)
	case ended.Error == nil:
		fmt.Fprintf(s.out, "operation %s had come to its end before it could be cancelled\n", id)
		return errRefused
	}
	fmt.Fprintf(s.out, "operation %s has ended: %s\n", id, diag.Safe(s.secrets.hide(ended.Error.Message)))
	return nil
}
