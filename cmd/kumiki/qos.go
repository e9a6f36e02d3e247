package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/compiler"
	"kumiki.dev/diag"
	"kumiki.dev/query"
	"kumiki.dev/report"
	"kumiki.dev/solution"
	"kumiki.dev/value"
)

func newQosCmd(s streams) *cobra.Command {
	var in inputFlags
	var form, load string
	cmd := &cobra.Command{
		Use:   "qos [DIR] --load [FIELD=]FROM..TO[/STEP]",
		Short: "Tell what a deployment takes as its load grows, and when it does not bear it any more",
		Long: `Qos compiles the deployment in DIR (default: the working directory) again and
again, with a load (scale.qos) that grows from FROM to TO, and prints what its
artifact makes of each: the instances of every role, and the processors and the
memory that they take together.

The first load that is not borne ends it: one that breaks a bound of the artifact. It
is told with what is wrong then; where the steps are longer than 1, the least such
load is looked for. That is an error only where it is the first of all.

FIELD is the load's name in scale.qos, or a path in scale (detail.web.qos.users). It
may be left out where there is only one.`,
		Example: `  kumiki qos prod --load 100..1000
  kumiki qos prod --load users=0..500/50 -o csv
  kumiki qos prod --load 100..1000 -o svg --out load.svg`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "table", "json", "csv", "svg"); err != nil {
				return err
			}
			loads, err := query.ParseRange(load)
			if err != nil {
				return fmt.Errorf("--load %w", err)
			}
			return in.onSources(cmd.Context(), s, args, func(s streams, input compiler.Input) error {
				return runQos(cmd.Context(), s, input, loads, form)
			})
		},
	}
	in.register(cmd)
	cmd.Flags().StringVar(&load, "load", "", "the `loads` to try: FROM..TO, FROM..TO/STEP, or FIELD=FROM..TO (required)")
	_ = cmd.MarkFlagRequired("load")
	cmd.Flags().StringVarP(&form, "output", "o", "table", "`form`: table, json, csv, svg")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json", "csv", "svg"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runQos(ctx context.Context, s streams, in compiler.Input, r query.Range, form string) error {
	if r.Field == "" {
		field, err := onlyLoad(ctx, s, in)
		if err != nil {
			return err
		}
		r.Field = field
	}
	sweep, err := query.Grow(r, func(load int64) (*solution.Solution, []string, error) {
		in.Replace = []compiler.Replacement{{Path: r.Path(), Value: value.NewInt(diag.NoPos, load)}}
		result, problems := compiler.Run(ctx, in, compiler.ExtractStage)
		if !problems.HasErrors() {
			return result.Solution, nil, nil
		}
		if verdict(problems) != errWrong {
			return nil, nil, printProblems(s.err, problems)
		}
		return nil, wrongLines(s, problems), nil
	})
	if err != nil {
		return err
	}
	if err := printSweep(s, sweep, form); err != nil || len(sweep.Points) > 0 {
		return err
	}
	return errWrong
}

// onlyLoad is the field of the load of a deployment that has one.
func onlyLoad(ctx context.Context, s streams, in compiler.Input) (string, error) {
	result, problems := compiler.Run(ctx, in, compiler.ExtractStage)
	if problems.HasErrors() {
		return "", printProblems(s.err, problems)
	}
	switch loads := query.Loads(result.Solution); len(loads) {
	case 1:
		return loads[0], nil
	case 0:
		return "", fmt.Errorf("--load: the deployment has no load: nothing is in config.scale.qos; name the field, FIELD=FROM..TO, if its artifact takes one")
	default:
		return "", fmt.Errorf("--load: which load? Write FIELD=FROM..TO; there is %s", strings.Join(loads, ", "))
	}
}

// wrongLines are the errors among problems, a line each.
func wrongLines(s streams, problems diag.List) []string {
	var b strings.Builder
	errors := diag.List{}
	for _, d := range problems {
		if d.Severity == diag.Error {
			errors = append(errors, d)
		}
	}
	o := reportOptions(s.err)
	o.Terminal = false
	_ = report.Text(&b, errors, o)
	return strings.Split(strings.TrimSpace(b.String()), "\n")
}

func printSweep(s streams, sweep *query.Sweep, form string) error {
	switch form {
	case "csv":
		_, err := s.out.Write(sweep.CSV())
		return err
	case "svg":
		_, err := s.out.Write(sweep.SVG())
		return err
	case "json":
		return printAnswer(s.out, form, sweep, nil)
	}
	if err := printAnswer(s.out, form, sweep, sweep.Rows()); err != nil {
		return err
	}
	if sweep.Breaks != nil {
		fmt.Fprintf(s.out, "\n%s = %d is not borne:\n  %s\n", sweep.Field, *sweep.Breaks, strings.Join(sweep.Why, "\n  "))
	}
	return nil
}
