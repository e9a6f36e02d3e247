package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/module/registry"
)

func newModMajorCmd(s streams) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "major VERSION [DIR]",
		Short: "Give a module another major version, with the imports of its own packages",
		Long: `Major makes the module that DIR (default: the working directory) lies in another
major version of itself: v2. It changes the module's path in cue.mod/module.cue,
or the version in a kmodule.cue, and every import of the module's own packages
that names another major version, in its examples and deployments as well. All of
that is changed, or nothing: deployments that compile before have to compile
after, which is tried in a copy.

It prints each line that it changes. Modules within the module, and others that
depend on this one, stay as they are.`,
		Example: "  kumiki mod major v2\n  kumiki mod major --dry-run v2 shop",
		Args:    cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := registry.Major(cmd.Context(), append(args, ".")[1], args[0])
			if err != nil {
				return wrong(s, err)
			}
			if !dryRun {
				if err := r.Write(); err != nil {
					return err
				}
			}
			for _, c := range r.Changes {
				fmt.Fprintf(s.out, "%s:%d: %s → %s\n", c.File, c.Line, c.Was, c.Is)
			}
			if len(r.Changes) == 0 {
				fmt.Fprintf(s.err, "Module %s and its imports are as they should be.\n", r.To)
				return nil
			}
			if !dryRun {
				fmt.Fprintf(s.err, "This module is now %s.\n", r.To)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be changed")
	return cmd
}
