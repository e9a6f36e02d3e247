package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

func newSearchCmd(s streams) *cobra.Command {
	var in, form string
	cmd := &cobra.Command{
		Use:   "search WORD...",
		Short: "Look for artifacts in an index",
		Long: `Search prints the artifacts of an index (see kumiki index) in which every WORD is
found: in the path, kind, collection, description or channels, in letters of any
case. No registry is asked.`,
		Example: `  kumiki search kafka --in index.json
  kumiki search database service`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := oneOf(form, "json", "table"); err != nil {
				return err
			}
			ix, err := chosenIndex(s, in)
			if err != nil {
				return err
			}
			found := ix.Search(args...)
			if len(found) == 0 {
				fmt.Fprintf(s.err, "nothing has %s in it\n", strings.Join(args, " and "))
				return nil
			}
			return entryForms[form](s.out, found)
		},
	}
	entryFlags(cmd, &in, &form)
	return cmd
}
