package main

import (
	"cmp"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/query"
)

func newLinksCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "links [DIR|FILE...]",
		Short: "List the links between solutions",
		Long: `Links lists the links between deployments of different solutions: from which channel
to which, the servers behind it, by which entry of accepts the other solution lets it
in, and whether it leads there still ('kumiki stale' lists those that do not). Without
an argument it looks at what is saved in --solutions.

` + solutionsHelp,
		Example: `  kumiki links
  kumiki links front.json store.json -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{in.store}
			}
			_, involved, err := in.involved(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			links := query.Links(involved)
			rows := [][]string{{"SOLUTION", "FROM", "TO", "SERVERS", "ACCEPTED AS", "STATE"}}
			for _, l := range links {
				rows = append(rows, []string{l.Solution, l.From.Deployment + "." + l.From.Channel, l.To.Deployment + "." + l.To.Channel, strings.Join(l.Servers, ", "), l.Accepted.String(), cmp.Or(l.Why, "ok")})
			}
			if len(links) == 0 {
				rows = nil
			}
			return printAnswer(s.out, form, links, rows)
		},
	}
	in.register(cmd)
	outputFlag(cmd, &form)
	return cmd
}
