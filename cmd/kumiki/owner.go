package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/query"
	"kumiki.dev/targets"
)

func newOwnerCmd(s streams) *cobra.Command {
	var in inputFlags
	var lower lowerFlags
	var form string
	cmd := &cobra.Command{
		Use:   "owner OBJECT [DIR|FILE...]",
		Short: "Say which role of which solution an object was made for",
		Long: `Owner says what the object KIND/NAME of a target was made for: the solution, the
deployment, the role, and the artifacts of both. It lowers the solutions once
more; no cluster is asked.

` + solutionsHelp,
		Example: `  kumiki owner Deployment/shop-web examples/shop/deploy -t kubernetes
  kumiki owner service/shop-web solutions -t swarm -o json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := oneOf(form, "text", "json"); err != nil {
				return err
			}
			places, err := runOwner(cmd.Context(), s, &in, lower, args)
			if err != nil {
				return err
			}
			rows := [][]string{{"SOLUTION", "DEPLOYMENT", "ROLE", "TYPE", "SERVICE", "PATH"}}
			for _, p := range places {
				rows = append(rows, []string{p.Solution, p.Deployment, p.Role, p.Type, p.Service, p.Path})
			}
			return printAnswer(s.out, form, places, rows)
		},
	}
	in.register(cmd)
	lower.registerTarget(cmd)
	outputFlag(cmd, &form)
	return cmd
}

// runOwner looks for the object in all solutions: its name may be there in
// several.
func runOwner(ctx context.Context, s streams, in *inputFlags, lower lowerFlags, args []string) ([]query.Place, error) {
	t, err := lower.check()
	if err != nil {
		return nil, err
	}
	solutions, err := in.solutions(ctx, s, args[1:])
	if err != nil {
		return nil, err
	}
	var places []query.Place
	var all []targets.Object
	for _, sol := range solutions {
		objects, problems := t.lower(sol, lower.options)
		if problems.HasErrors() {
			return nil, printProblems(s.err, problems)
		}
		if o, err := object(objects, args[0]); err == nil {
			places = append(places, query.Owner(sol, o.Deployment, o.Role))
		}
		all = append(all, objects...)
	}
	if len(places) > 0 {
		return places, nil
	}
	_, err = object(all, args[0])
	fmt.Fprintln(s.err, err)
	return nil, errWrong
}
