package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/assist"
	"kumiki.dev/compiler"
	"kumiki.dev/query"
)

// unused is a line of the answer.
type unused struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	Of    string `json:"of"` // the artifact or deployment that has it
	Path  string `json:"path,omitempty"`
	Place string `json:"place,omitempty"`
}

func newUnusedCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "unused [DIR]",
		Short: "List parameters, resources, channels and roles that nothing uses",
		Long: `Unused compiles the deployment in DIR (default: the working directory) and lists
the parameters and resources of each artifact that nothing in the artifact reads
(optional ones too, whether or not they are given),
the channels of roles that are connected to nothing, and the roles that nothing
sends requests to.

What cannot be told for certain counts as used.`,
		Example: `  kumiki unused examples/shop/deploy
  kumiki unused prod -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
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
	if form == "text" && len(found) == 0 {
		_, err := io.WriteString(s.out, "everything is used\n")
		return err
	}
	rows := [][]string{{"KIND", "NAME", "OF", "PATH", "PLACE"}}
	for _, u := range found {
		rows = append(rows, []string{u.Kind, u.Name, u.Of, u.Path, u.Place})
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
		found = append(found, unused{u.Kind, u.Name, u.Artifact, u.Path, strings.TrimSuffix(o.Place(u.Pos), ": ")})
	}
	for _, i := range query.IdleParts(result.Solution) {
		found = append(found, unused{Kind: i.Kind, Name: i.Name, Of: "deployment " + i.Deployment})
	}
	return found, nil
}
