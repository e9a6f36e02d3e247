package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/history"
	"kumiki.dev/query"
	"kumiki.dev/solution"
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
more; no cluster is asked. Of what is saved, the names of objects are kept for the
next question.

` + solutionsHelp,
		Example: `  kumiki owner Deployment/shop-web examples/shop/deploy -t kubernetes
  kumiki owner service/shop-web solutions -t swarm -o json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			places, err := runOwner(cmd.Context(), s, &in, lower, args)
			if err != nil {
				return err
			}
			rows := [][]string{{"SOLUTION", "DEPLOYMENT", "ROLE", "TYPE", "SERVICE", "PATH"}}
			for _, p := range places {
				rows = append(rows, []string{ofEntry(p.Solution, p.Entry), p.Deployment, p.Role, p.Type, p.Service, p.Path})
			}
			return printAnswer(s.out, form, places, rows)
		},
	}
	in.register(cmd)
	in.registerHistory(cmd)
	lower.registerTarget(cmd)
	outputFlag(cmd, &form)
	return cmd
}

// runOwner looks for the object in all solutions: its name may be there in
// several.
func runOwner(ctx context.Context, s streams, in *inputFlags, lower lowerFlags, args []string) ([]query.Place, error) {
	made, err := in.made(ctx, s, &lower, args[1:])
	if err != nil {
		return nil, err
	}
	places, names := []query.Place{}, []string{}
	kind, name, _ := strings.Cut(args[0], "/")
	for _, objects := range made {
		for _, o := range objects {
			if strings.EqualFold(o.Kind, kind) && o.Name == name {
				places = append(places, o.Place)
			}
			names = append(names, o.Kind+"/"+o.Name)
		}
	}
	if len(places) > 0 {
		return places, nil
	}
	fmt.Fprintln(s.err, noObject(args[0], names))
	return nil, errWrong
}

// made are the objects of the solutions that the arguments name, a list each.
func (f *inputFlags) made(ctx context.Context, s streams, lower *lowerFlags, args []string) ([][]query.Made, error) {
	view, err := objectsView(s, lower)
	if err != nil {
		return nil, err
	}
	var out [][]query.Made
	err = f.each(ctx, s, args, func(store *history.Store, entries []history.Named) error {
		made, err := view.Each(store, entries)
		for i := range made {
			for j := range made[i] {
				if f.history {
					made[i][j].Entry = entries[i].Number
				}
			}
		}
		out = append(out, made...)
		return err
	}, func(sol *solution.Solution) error {
		made, err := view.Of(sol)
		out = append(out, made)
		return err
	})
	return out, err
}

// objectsView keeps the names of the objects of a store's solutions, as the flags have
// them made.
func objectsView(s streams, lower *lowerFlags) (history.View[[]query.Made], error) {
	t, err := lower.check()
	if err != nil {
		return history.View[[]query.Made]{}, err
	}
	options, err := json.Marshal(lower.options)
	return history.View[[]query.Made]{
		Name: fmt.Sprintf("objects-%s-%x", lower.target, sha256.Sum256(options)),
		Of: func(sol *solution.Solution) ([]query.Made, error) {
			objects, err := t.objects(s, sol, lower.options)
			if err != nil {
				return nil, err
			}
			return query.MadeOf(sol, objects), nil
		},
	}, err
}
