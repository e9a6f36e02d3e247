package main

import (
	"github.com/spf13/cobra"

	"kumiki.dev/query"
)

func newDependentsCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "dependents NAME [DIR|FILE...]",
		Short: "List the solutions that name a deployment, and where",
		Long: `Dependents lists where other solutions name the deployment NAME, or one that it was
made into (shop.entry for shop): in up, at a field that takes its value from it, at
the end of a link. NAME may be a field or a channel of a deployment as well:
db.config.parameter.host, db.sql. Without further arguments it looks at what is
saved in --solutions.

` + solutionsHelp,
		Example: `  kumiki dependents db
  kumiki dependents db.config.parameter.host solutions -o json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			from := args[1:]
			if len(from) == 0 {
				from = []string{allSaved}
			}
			all, err := in.facts(cmd.Context(), s, from)
			if err != nil {
				return err
			}
			found := query.Mentions(all, args[0])
			rows := [][]string{{"SOLUTION", "DEPLOYMENT", "AT", "NAMES"}}
			for _, m := range found {
				of := m.Of
				if m.Field != "" {
					of += " " + m.Field
				}
				rows = append(rows, []string{m.Solution, m.Deployment, m.At, of})
			}
			if len(found) == 0 {
				rows = nil
			}
			return printAnswer(s.out, form, found, rows)
		},
	}
	in.register(cmd)
	outputFlag(cmd, &form)
	return cmd
}
