package main

import (
	"github.com/spf13/cobra"
)

// savedCommands are those about solutions that have been saved.
var savedCommands = []func(streams) *cobra.Command{newHistoryCmd, newShowCmd, newDiffCmd, newRollbackCmd, newDeleteCmd}

func newSavedCmd(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "saved",
		Short: "List, show, compare, compile again and restore the solutions that have been saved",
		Long: `Saved looks at what 'kumiki compile --save' has kept in --solutions: all solutions
that a name has had, and what each was compiled from. It changes which of them is current, and nothing that runs.`,
		Args: cobra.NoArgs,
		RunE: needsCommand,
	}
	for _, add := range savedCommands {
		cmd.AddCommand(add(s))
	}
	cmd.AddCommand(newSavedVerifyCmd(s))
	return cmd
}

// formerly is a command by a name that it had before, when it was in no group.
func formerly(cmd *cobra.Command, group string, s streams) *cobra.Command {
	cmd.Hidden = true
	cmd.PreRun = func(*cobra.Command, []string) {
		s.hint("hint: kumiki %s is kumiki %s %s now\n", cmd.Name(), group, cmd.Name())
	}
	return cmd
}
