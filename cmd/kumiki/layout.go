package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/internal/sorting"
	"kumiki.dev/query"
	"kumiki.dev/targets"
)

// optional is the target that the flags name, nil for none.
func (f *lowerFlags) optional() (*lowering, error) {
	if f.target == "" {
		return nil, nil
	}
	t, err := f.check()
	return &t, err
}

func newLayoutCmd(s streams) *cobra.Command {
	var in inputFlags
	var lower lowerFlags
	var form string
	cmd := &cobra.Command{
		Use:   "layout [DIR | FILE | saved:NAME]",
		Short: "Show the tree that a solution was before it was flattened",
		Long: `Layout prints the tree of roles that a solution was made of: of each place the role,
the artifact that fills it, and the properties as far as its level changes them: at
the top all of the config, below it what the level above does not have with the same
value. With -t it lists the objects that are made for each place on that target.

Beside it stand what the solution was made of ('kumiki saved show --input') and what
came of it, the solution itself.`,
		Example: `  kumiki layout examples/shop/deploy -t kubernetes
  kumiki layout saved:shop -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			top, err := runLayout(cmd.Context(), s, &in, lower, given(args, "."))
			if err != nil {
				return err
			}
			if form == "json" {
				return printAnswer(s.out, form, top, nil)
			}
			var b strings.Builder
			layoutText(&b, s, top, "")
			_, err = io.WriteString(s.out, b.String())
			return err
		},
	}
	in.register(cmd)
	lower.registerTarget(cmd)
	outputFlag(cmd, &form)
	return cmd
}

func runLayout(ctx context.Context, s streams, in *inputFlags, lower lowerFlags, arg string) (*query.Node, error) {
	t, err := lower.optional()
	if err != nil {
		return nil, err
	}
	sol, err := in.solution(ctx, s, arg)
	if err != nil {
		return nil, err
	}
	if sol == nil {
		return nil, fmt.Errorf("%s was deleted: there is nothing to show", arg)
	}
	var objects []targets.Object
	if t != nil {
		made, problems := t.lower(sol, lower.options)
		if problems.HasErrors() { // losses are not the question
			return nil, printProblems(s.err, problems)
		}
		objects = made
	}
	if top := query.Layout(sol, objects); top != nil {
		return top, nil
	}
	return nil, errors.New("the solution has no layout: another tool has written it, and what its deployments were made of is not in it")
}

// layoutText writes a place and those below it, each level further in.
func layoutText(b *strings.Builder, s streams, n *query.Node, in string) {
	fmt.Fprintf(b, "%s%s  %s\n", in, printable(n.Name), printable(n.Type))
	for _, line := range propertyLines(s, nil, n.Properties) {
		fmt.Fprintf(b, "%s    %s\n", in, line)
	}
	for _, o := range n.Objects {
		fmt.Fprintf(b, "%s    %s\n", in, printable(o))
	}
	for _, below := range n.Roles {
		layoutText(b, s, below, in+"  ")
	}
}

// propertyLines are the values of a config, by their paths.
func propertyLines(s streams, path []string, v any) []string {
	data, isMap := v.(map[string]any)
	if !isMap || len(path) == 2 {
		return []string{printable(strings.Join(path, ".")) + " = " + valueAt(s, path, v)}
	}
	var out []string
	for _, name := range sorting.Ordered(data) {
		out = append(out, propertyLines(s, append(slices.Clip(path), name), data[name])...)
	}
	return out
}
