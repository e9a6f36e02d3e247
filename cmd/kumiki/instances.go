package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/query"
)

func newInstancesCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "instances TYPE [DIR|FILE...]",
		Short: "List the roles and deployments that an artifact fills",
		Long: `Instances lists the places that the artifact TYPE fills in solutions: name, type,
deployment, solution, and the roles on the way there. TYPE is as much of the
artifact's name as is needed (web, shop/web, web@2, kumiki.example/shop/web@2.0.0);
* stands for all.

` + solutionsHelp,
		Example: `  kumiki instances inbound solutions
  kumiki instances 'web@2' shop.json -o json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			all, err := in.facts(cmd.Context(), s, args[1:])
			if err != nil {
				return err
			}
			found, err := findInstances(all, args[0])
			if err != nil {
				fmt.Fprintln(s.err, err)
				return errWrong
			}
			rows := [][]string{{"NAME", "TYPE", "DEPLOYMENT", "SOLUTION", "PATH"}}
			for _, x := range found {
				rows = append(rows, []string{x.Name, x.Type, x.Deployment, ofEntry(x.Solution, x.Entry), x.Path})
			}
			return printAnswer(s.out, form, found, rows)
		},
	}
	in.register(cmd)
	in.registerHistory(cmd)
	outputFlag(cmd, &form)
	return cmd
}

// ofEntry is the name of a solution in a history, as saved: takes it; of the current one
// only the name.
func ofEntry(name string, number int) string {
	if number == 0 {
		return name
	}
	return name + "@" + strconv.Itoa(number)
}

// findInstances looks for a type, * for all; one that is not there is an error.
func findInstances(all []query.Facts, name string) ([]query.Instance, error) {
	if name == "*" {
		return query.Instances(all, ""), nil
	}
	found := query.Instances(all, name)
	if len(found) > 0 {
		return found, nil
	}
	var names []string
	for _, t := range query.Types(all) {
		names = append(names, query.Short(t.Type), t.Type)
	}
	if near, ok := diag.Nearest(name, names); ok {
		return nil, fmt.Errorf("no artifact is called %s; did you mean %s?", name, near)
	}
	return nil, fmt.Errorf("no artifact is called %s; kumiki types lists all", name)
}
