package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/late"
	"kumiki.dev/solution"
)

// fillFlags are the flags of fill.
type fillFlags struct {
	live    []string
	output  outputFlags
	options late.Options
}

func newFillCmd(s streams) *cobra.Command {
	var in inputFlags
	var f fillFlags
	cmd := &cobra.Command{
		Use:   "fill [FILE | DIR | saved:NAME | -] --live FILE",
		Short: "Put in values that were not known when a solution was made",
		Long: `Fill puts values of running objects into a solution that is made to take them
({$from: "store", field: "Service/store-web.status.loadBalancer.ingress[0].ip"}),
and writes the solution that results. It asks nobody: --live has the objects, as
kubectl get -o json or docker inspect print them, one or many; - is standard input.

Each value has to be of the type that the artifacts ask for. Where one is not there,
nothing is written, unless --partial leaves it open.`,
		Example: `  kubectl get service/store-web -o json > live.json
  kumiki fill shop.json --live live.json --out shop-filled.json
  kubectl get services -A -o json | kumiki fill prod --live - -n data | kumiki lower -t kubernetes`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runFill(cmd.Context(), s, &in, f, given(args, "."))
		},
	}
	in.register(cmd)
	flags := cmd.Flags()
	repeatedVar(flags, &f.live, "live", "", "`file` with objects that run, in JSON; may be given several times")
	flags.StringVarP(&f.options.Namespace, "namespace", "n", "", "`namespace` of the objects, where several have some of one name")
	flags.BoolVar(&f.options.Partial, "partial", false, "leave values open that are not there")
	f.output.register(cmd, "json", "`file` to write the solution to, all or nothing (default: standard output)")
	return cmd
}

func runFill(ctx context.Context, s streams, in *inputFlags, f fillFlags, arg string) error {
	if len(f.live) == 0 {
		return fmt.Errorf("which objects? Say --live FILE, as kubectl get -o json or docker inspect print them")
	}
	sol, err := in.side(ctx, s, arg, true)
	switch {
	case err != nil:
		return err
	case sol == nil:
		return fmt.Errorf("%s is nothing, and has no values", arg)
	}
	var objects []late.Object
	for _, name := range f.live {
		named, data, err := readText(s, name)
		if err != nil {
			return err
		}
		more, err := late.Read(data)
		if err != nil {
			return printProblems(s.err, diag.List{diag.New(diag.LateUnfilled, diag.NoPos, "%s cannot be read: %v", named, err)})
		}
		objects = append(objects, more...)
	}
	filled, problems := late.Fill(sol, objects, f.options)
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	return writeFilled(s, f, arg, filled)
}

func writeFilled(s streams, f fillFlags, arg string, filled *solution.Solution) error {
	for _, l := range filled.Late {
		if l.Channel == nil {
			fmt.Fprintf(s.err, "%s is still open: %s of %s\n", l.At, l.Field, l.Deployment)
		}
	}
	encoded, err := filled.Encode()
	if err != nil {
		return err
	}
	return f.output.write(s, emits["solution"].form, slices.Concat([]string{arg}, f.live), encoded)
}
