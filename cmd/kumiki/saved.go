package main

import (
	"fmt"

	"github.com/spf13/cobra"
)

// savedCommands are those about solutions that have been saved.
var savedCommands = []func(streams) *cobra.Command{newHistoryCmd, newShowCmd, newDiffCmd, newRollbackCmd, newDeleteCmd}

func newSavedCmd(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "saved",
		Short: "List, show, compare and restore the solutions that have been saved",
		Long: `Saved looks at what 'kumiki compile --save' has kept in --solutions: all solutions
that a name has had. It changes which of them is current, and nothing that runs.`,
		Args: cobra.NoArgs,
		RunE: needsCommand,
	}
	for _, add := range savedCommands {
		cmd.AddCommand(add(s))
	}
	return cmd
}

// formerly is a command by a name that it had before, when it was in no group.
func formerly(cmd *cobra.Command, group string, s streams) *cobra.Command {
	cmd.Hidden = true
	cmd.PreRun = func(*cobra.Command, []string) {
		fmt.Fprintf(s.err, "hint: kumiki %s is kumiki %s %s now\n", cmd.Name(), group, cmd.Name())
	}
	return cmd
}
