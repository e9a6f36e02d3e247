package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/assist"
	"kumiki.dev/compiler"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/internal/secretlike"
	"kumiki.dev/report"
)

func newWhyCmd(s streams) *cobra.Command {
	var in inputFlags
	var lower lowerFlags
	var form string
	cmd := &cobra.Command{
		Use:   "why [DIR | saved:NAME] PATH",
		Short: "Say where a value comes from, level by level",
		Long: `Why compiles the deployment in DIR (default: the working directory) and prints
what made the value at PATH: the levels that it went through, from the value
back to the deployment, a default or a flag, each with its place.

PATH goes from role to role and then to a field: web.config.parameter.title,
api.code.api.mapping.env.DB_POOL.parameter; without roles it is one of the
deployed artifact's, or the deployment's own, such as links.db.to. A path of the
solution file (deployments.shop.…) works too.

With -t, PATH is a field of an object of that target: KIND/NAME:FIELD, where the
elements of a list are told by their names, containers[web].`,
		Example: `  kumiki why examples/shop/deploy web.config.parameter.logLevel
  kumiki why examples/shop/deploy deployments.shop.config.resilience -o json
  kumiki why examples/shop/deploy -t kubernetes StatefulSet/shop-api:spec.replicas`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			path := args[len(args)-1]
			if !cmd.Flags().Changed("target") && !strings.Contains(path, "/") {
				lower.target = "" // it is the environment's, and the path is none of an object
			}
			return in.onSources(cmd.Context(), s, args[:len(args)-1], func(s streams, input compiler.Input) error {
				input.NoMemo = true // equal roles share places with it, which is what is asked for here
				steps, err := runWhy(cmd.Context(), s, input, lower, path)
				if err != nil {
					return err
				}
				for i := range steps {
					steps[i].Value = s.secrets.hideIn(secretlike.Dotted(steps[i].Field), steps[i].Value)
				}
				if form == "json" {
					return whyJSON(s.out, steps, reportOptions(s.err))
				}
				return whyText(s.out, steps, reportOptions(s.err))
			})
		},
	}
	in.register(cmd)
	lower.registerTarget(cmd)
	cmd.Flags().StringVarP(&form, "output", "o", "text", "`form`: text or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// runWhy explains a value of the tree, or a field of an object.
func runWhy(ctx context.Context, s streams, in compiler.Input, lower lowerFlags, path string) ([]assist.Step, error) {
	stage := compiler.SpreadStage
	if lower.target != "" {
		stage = compiler.ExtractStage
	}
	result, problems := compiler.Run(ctx, in, stage)
	if err := printProblems(s.err, problems); err != nil {
		return nil, err
	}
	if lower.target != "" {
		return whyObject(s, lower, result, path)
	}
	steps, err := assist.Why(result.Base, result.Tree, path)
	if err != nil {
		fmt.Fprintln(s.err, err)
		return nil, errWrong
	}
	return steps, nil
}

// whyText writes the value, then a line a step, indented by its distance.
func whyText(w io.Writer, steps []assist.Step, o report.Options) error {
	for _, step := range steps {
		arrow := strings.Repeat("  ", step.Depth)
		if step.Depth > 0 {
			arrow += "← "
		}
		expr := ""
		if step.Expr != "" && step.Expr != step.Value.JSON() {
			expr = ", by " + step.Expr
		}
		at := ""
		if p := o.Place(step.Pos); p != "" {
			at = " (" + strings.TrimSuffix(p, ": ") + ")"
		}
		if _, err := fmt.Fprintf(w, "%s%s = %s: %s%s%s\n", arrow, step.Field, step.Value.JSON(), step.What, expr, at); err != nil {
			return err
		}
	}
	return nil
}

func whyJSON(w io.Writer, steps []assist.Step, o report.Options) error {
	type step struct {
		Depth  int    `json:"depth"`
		Field  string `json:"field"`
		Value  any    `json:"value"`
		What   string `json:"what"`
		Expr   string `json:"expr,omitempty"`
		File   string `json:"file,omitempty"`
		Line   int    `json:"line,omitempty"`
		Column int    `json:"column,omitempty"`
	}
	out := []step{}
	for _, s := range steps {
		p := s.Pos.Position()
		out = append(out, step{s.Depth, s.Field, s.Value, s.What, s.Expr, o.Called(p.Filename), p.Line, p.Column})
	}
	text, err := jsondata.Indented(out)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// relative is the name as seen from cwd, with slashes, where it is a file.
func relative(name, cwd string) string {
	if rel, err := filepath.Rel(cwd, name); err == nil && filepath.IsAbs(name) {
		return filepath.ToSlash(rel)
	}
	return name
}
