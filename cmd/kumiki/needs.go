package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/targets"
)

func newNeedsCmd(s streams) *cobra.Command {
	var in inputFlags
	var lower lowerFlags
	var form string
	cmd := &cobra.Command{
		Use:   "needs [DIR | FILE | saved:NAME | git:REV:PATH | ARTIFACT:VERSION | -] -t TARGET",
		Short: "List what a cluster has to have before a deployment runs in it",
		Long: `Needs lists what the objects of a deployment refer to and are not: secrets with
their keys, certificates, configs, volumes and claims, classes, hosts, the image of
the resolver. It looks at the objects alone, as the cluster does, and asks none.

An id that is no name which the target takes is registered by another one: ID says
which it was.

With -o commands it prints the lines that make what can be made by one, with words
in capitals for what only you know: files with secrets, hosts.`,
		Example: `  kumiki needs examples/shop/deploy -t kubernetes -n shop
  kumiki needs examples/shop/deploy -t swarm -o commands`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "table", "json", "commands"); err != nil {
				return err
			}
			needs, err := runNeeds(cmd.Context(), s, &in, lower, given(args, "."))
			if err != nil {
				return err
			}
			return printNeeds(s, form, needs)
		},
	}
	in.register(cmd)
	lower.registerTarget(cmd)
	cmd.Flags().StringVarP(&form, "output", "o", "table", "`form`: table, json or commands")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "commands"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runNeeds(ctx context.Context, s streams, in *inputFlags, lower lowerFlags, arg string) ([]*targets.Need, error) {
	t, err := lower.check()
	if err != nil {
		return nil, err
	}
	sol, err := in.side(ctx, s, arg, true)
	switch {
	case err != nil:
		return nil, err
	case sol == nil:
		return nil, errors.New(arg + " is nothing, and needs nothing")
	}
	objects, err := t.objects(s, sol, lower.options)
	if err != nil {
		return nil, err
	}
	return t.needs(sol, objects, lower.options)
}

func printNeeds(s streams, form string, needs []*targets.Need) error {
	switch {
	case form == "json":
		if needs == nil {
			needs = []*targets.Need{}
		}
		return printJSON(s, needs)
	case form == "commands":
		for _, n := range needs {
			line := n.Command
			if line == "" {
				line = strings.TrimSuffix(fmt.Sprintf("# %s %s: %s", n.Kind, diag.Printable(n.Name), n.Note), ": ")
			}
			if _, err := fmt.Fprintln(s.out, line); err != nil {
				return err
			}
		}
		return nil
	case len(needs) == 0:
		_, err := io.WriteString(s.out, "nothing is needed\n")
		return err
	}
	rows := [][]string{{"KIND", "NAME", "ID", "KEYS", "FOR", "NOTE"}}
	for _, n := range needs {
		note := n.Note
		if n.Type != "" {
			note = "of type " + n.Type
		}
		rows = append(rows, []string{n.Kind, n.Name, n.ID, strings.Join(n.Keys, ", "), strings.Join(n.For, ", "), note})
	}
	return printAnswer(s.out, form, nil, rows)
}
