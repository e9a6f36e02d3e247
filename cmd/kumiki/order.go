package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/environment"
	"kumiki.dev/load"
	"kumiki.dev/query"
)

func newOrderCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "order [DIR|FILE]...",
		Short: "Say in which order solutions are applied",
		Long: `Order sorts deployments by what they need of each other: values that they take
({$from: "db", field: "config.parameter.host"}) and the deployment that governs
their life cycle (up). What is in one level can be applied at the same time, after
the levels before. A circle is an error, which shows the whole way round.

` + solutionsHelp + ` A directory of directories stands for those with a
#Deployment. All of them may take values from each other.

Without any, and with --env, they are the solutions of the module's templates in that
environment (see 'kumiki matrix'), by what the templates require.`,
		Example: `  kumiki order deployments
  kumiki order shop.json db -o json
  kumiki order --env eu`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			if len(args) == 0 {
				return runOrderOf(s, s.site.Environment, cmd.Flags().Lookup("envs").Value.String(), form)
			}
			in.with = append(in.with, args...)
			all, err := in.facts(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			order, err := query.Order(all)
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

// runOrderOf prints the order of the solutions that templates have in an environment.
func runOrderOf(s streams, e *environment.Environment, envs, form string) error {
	if e == nil {
		return errors.New("kumiki order takes DIR|FILE..., and nothing was given; with --env NAME it orders the templates of an environment")
	}
	root := load.Root(".")
	if root == "" {
		return errors.New("the working directory lies in no module, whose templates would be looked at")
	}
	tree := environment.Read(load.Input{Texts: s.secrets.texts()}, root, envs)
	placement, problems := tree.Place()
	if err := printProblems(s.err, append(tree.Problems, problems...)); err != nil {
		return err
	}
	order := query.Ordering{Levels: [][]string{}, Edges: []query.Edge{}, Outside: []string{}}
	for _, level := range placement.Levels[e.Name] {
		var names []string
		for _, c := range level {
			names = append(names, c.Name)
			for _, n := range c.Template.Requires {
				order.Edges = append(order.Edges, query.Edge{From: c.Name, To: e.SolutionName(n.Name), Why: "requires"})
			}
		}
		order.Levels = append(order.Levels, names)
	}
	return printAnswer(s.out, form, order, orderRows(order))
}
