package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/assist"
	"kumiki.dev/compiler"
	"kumiki.dev/history"
	"kumiki.dev/load"
	"kumiki.dev/query"
)

// unused is a line of the answer.
type unused struct {
	Solution string `json:"solution,omitempty"` // that has it, where many are asked about
	Kind     string `json:"kind"`
	Name     string `json:"name"`
	Of       string `json:"of"` // the artifact or deployment that has it
	Path     string `json:"path,omitempty"`
	Place    string `json:"place,omitempty"`
}

func newUnusedCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "unused [DIR | saved:NAME | saved:]",
		Short: "List parameters, resources, channels and roles that nothing uses",
		Long: `Unused compiles the deployment in DIR (default: the working directory) and lists
the parameters and resources of each artifact that nothing in the artifact reads
(optional ones too, whether or not they are given),
the channels of roles that are connected to nothing, and the roles that nothing
sends requests to. Of all that is saved (saved:, or its directory) it looks at each
current solution, and compiles it again from what it was compiled from.

What cannot be told for certain counts as used.`,
		Example: `  kumiki unused examples/shop/deploy
  kumiki unused prod -o json
  kumiki unused saved:`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			if len(args) > 0 && isStore(args[0]) {
				return in.printUnusedOfStore(cmd.Context(), s, args[0], form)
			}
			return in.onSources(cmd.Context(), s, args, func(s streams, input compiler.Input) error {
				return printUnused(cmd.Context(), s, input, form)
			})
		},
	}
	in.register(cmd)
	outputFlag(cmd, &form)
	return cmd
}

// printUnused prints what nothing uses.
func printUnused(ctx context.Context, s streams, in compiler.Input, form string) error {
	found, err := runUnused(ctx, s, in)
	if err != nil {
		return err
	}
	return tellUnused(s, found, form, false)
}

// printUnusedOfStore prints what nothing uses in the solutions that are current in a
// store, each of which is compiled again from what it was compiled from.
func (f *inputFlags) printUnusedOfStore(ctx context.Context, s streams, arg, form string) error {
	if arg == allSaved {
		arg = f.store
	}
	f.store = arg
	f.memory = load.NewMemory()
	entries, err := history.Open(arg).Current()
	if err != nil {
		return err
	}
	all := []unused{}
	for i, e := range entries {
		compiler.Begin(ctx, i+1, len(entries), "solutions")
		err := f.opening(s, func(o *opener) error {
			of, err := o.sources(ctx, allSaved+e.Name)
			if err != nil {
				return err
			}
			in, err := f.input(s, of)
			if err != nil {
				return err
			}
			found, err := runUnused(ctx, o.streams(), in)
			for _, u := range found {
				u.Solution, u.Place = e.Name, o.named(u.Place)
				all = append(all, u)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return tellUnused(s, all, form, true)
}

// tellUnused prints the answer, of many solutions with their names.
func tellUnused(s streams, found []unused, form string, many bool) error {
	if form == "text" && len(found) == 0 {
		_, err := io.WriteString(s.out, "everything is used\n")
		return err
	}
	rows := [][]string{{"SOLUTION", "KIND", "NAME", "OF", "PATH", "PLACE"}}
	for _, u := range found {
		rows = append(rows, []string{u.Solution, u.Kind, u.Name, u.Of, u.Path, u.Place})
	}
	if !many {
		for i := range rows {
			rows[i] = rows[i][1:]
		}
	}
	return printAnswer(s.out, form, found, rows)
}

func runUnused(ctx context.Context, s streams, in compiler.Input) ([]unused, error) {
	result, problems := compiler.Run(ctx, in, compiler.ExtractStage)
	if err := printProblems(s.err, problems); err != nil {
		return nil, err
	}
	found, o := []unused{}, reportOptions(s.err)
	for _, u := range assist.UnusedConfig(result.Tree) {
		found = append(found, unused{Kind: u.Kind, Name: u.Name, Of: u.Artifact, Path: u.Path, Place: strings.TrimSuffix(o.Place(u.Pos), ": ")})
	}
	for _, i := range query.IdleParts(result.Solution) {
		found = append(found, unused{Kind: i.Kind, Name: i.Name, Of: "deployment " + i.Deployment})
	}
	return found, nil
}
