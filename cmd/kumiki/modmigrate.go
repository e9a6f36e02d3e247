package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/module/registry"
)

func newModMigrateCmd(s streams) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:   "migrate [DIR]",
		Short: "Make a kam-style module a native one",
		Long: `Migrate makes the kam-style module that DIR lies in a native one: it writes
cue.mod/module.cue in place of kmodule.cue and full paths in place of imports
such as ".../web:component". Before that it compiles every deployment of the
module both ways; nothing is changed if a solution would be another one.

A native module's file says the major version only; the whole version is said
when it is published.`,
		Example: "  kumiki mod migrate --dry-run shop",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := registry.Migrate(cmd.Context(), append(args, ".")[0])
			if err != nil {
				return wrong(s, err)
			}
			for _, name := range sorting.Ordered(m.Files) {
				what := "write"
				if m.Files[name] == nil {
					what = "remove"
				}
				fmt.Fprintln(s.out, what, name)
			}
			fmt.Fprintf(s.err, "%s is %s; the solutions of its %d deployments stay the same\n", m.Version, m.Module, m.Deployments)
			if dryRun {
				return nil
			}
			return m.Write()
		},
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "print what would be done")
	return cmd
}

func newModVendorCmd(s streams) *cobra.Command {
	return &cobra.Command{
		Use:     "vendor",
		Short:   "Copy everything that the module depends on to cue.mod/pkg",
		Long:    "Vendor copies the modules that this one depends on to cue.mod/pkg, where they\nare found before any registry is asked.",
		Example: "  kumiki mod vendor",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return inModule(s, func(m *registry.Module, reg registry.Registry) error {
				versions, err := registry.Vendor(cmd.Context(), m, reg)
				return printAll(s, versions, err)
			})
		},
	}
}
