package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/query"
)

func newOrderCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "order DIR|FILE...",
		Short: "Say in which order solutions are applied",
		Long: `Order sorts deployments by what they need of each other: values that they take
({$from: "db", field: "config.parameter.host"}) and the deployment that governs
their life cycle (up). What is in one level can be applied at the same time, after
the levels before. A circle is an error, which shows the whole way round.

` + solutionsHelp + ` A directory of directories stands for those with a
#Deployment. All of them may take values from each other.`,
		Example: `  kumiki order deployments
  kumiki order shop.json db -o json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf(form, "text", "json"); err != nil {
				return err
			}
			in.with = append(in.with, args...)
			solutions, err := in.solutions(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			order, err := query.Order(solutions)
			if err != nil {
				fmt.Fprintln(s.err, err)
				return errWrong
			}
			return printAnswer(s.out, form, order, orderRows(order))
		},
	}
	in.register(cmd)
	outputFlag(cmd, &form)
	return cmd
}

// orderRows is a line for each deployment: its level, and what it needs.
func orderRows(o query.Ordering) [][]string {
	rows := [][]string{{"LEVEL", "DEPLOYMENT", "NEEDS"}}
	for i, level := range o.Levels {
		for _, name := range level {
			var needs []string
			for _, e := range o.Edges {
				if e.From == name {
					needs = append(needs, e.To+" ("+e.Why+")")
				}
			}
			rows = append(rows, []string{strconv.Itoa(i + 1), name, strings.Join(needs, ", ")})
		}
	}
	return rows
}
