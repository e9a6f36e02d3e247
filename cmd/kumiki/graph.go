package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/graph"
	"kumiki.dev/internal/filter"
)

// graphForms are the values of graph's -o.
var graphForms = map[string]func(*graph.Graph) ([]byte, error){
	"mermaid": func(g *graph.Graph) ([]byte, error) { return g.Mermaid(), nil },
	"dot":     func(g *graph.Graph) ([]byte, error) { return g.Dot(), nil },
	"json":    (*graph.Graph).JSON,
	"svg":     (*graph.Graph).SVG,
}

func newGraphCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	cmd := &cobra.Command{
		Use:   "graph [OLD] [DIR|FILE|saved:]",
		Short: "Draw a solution: deployments, roles, connectors and links",
		Long: `Graph draws the solution in FILE (- for standard input), or that of the
deployment in DIR (default: the working directory): a box for each deployment,
with its roles and connectors; arrows, labelled with channel and port, for the
ways that requests take; a dashed arrow from a deployment to one that it needs:
that governs its life cycle, or that it takes a value from.

Of all that is saved (saved:, or its directory) it draws a box for each current
solution, with the links, values and up by which it names others.

With two arguments, what is new, gone or changed since OLD is marked.

The SVG is drawn for light and for dark ground.`,
		Example: `  kumiki graph examples/shop/deploy -o svg > shop.svg
  kumiki graph old.json examples/shop/deploy -o svg > change.svg
  kumiki graph shop.json -o mermaid
  kumiki graph saved: -o svg > all.svg`,
		Args: cobra.MaximumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "mermaid", "dot", "json", "svg"); err != nil {
				return err
			}
			g, err := runGraph(cmd.Context(), s, &in, args)
			if err != nil {
				return err
			}
			data, err := graphForms[form](g)
			if err != nil {
				return err
			}
			_, err = s.out.Write(data)
			return err
		},
	}
	in.register(cmd)
	cmd.Flags().StringVarP(&form, "output", "o", "mermaid", "`form`: mermaid, dot, json or svg")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"mermaid", "dot", "json", "svg"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// runGraph makes the graph of one solution, or of two that are compared.
func runGraph(ctx context.Context, s streams, in *inputFlags, args []string) (*graph.Graph, error) {
	if filter.Any(args, isStore) {
		return in.graphOfStore(ctx, s, args)
	}
	if len(args) < 2 {
		now, err := in.solution(ctx, s, given(args, "."))
		if err == nil && now == nil {
			err = fmt.Errorf("%s was deleted: there is nothing to draw", args[0])
		}
		if err != nil {
			return nil, err
		}
		return graph.Of(now), nil
	}
	old, now, err := in.sides(ctx, s, args)
	if err != nil {
		return nil, err
	}
	return graph.Compare(old, now), nil
}
