package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/assist"
	"kumiki.dev/compiler"
	"kumiki.dev/internal/jsondata"
	"kumiki.dev/query"
	"kumiki.dev/targets"
)

// impact is what a field or an artifact touches.
type impact struct {
	Field    string               `json:"field,omitempty"`
	From     any                  `json:"from,omitempty"`
	To       any                  `json:"to,omitempty"`
	Artifact string               `json:"artifact,omitempty"`
	Roles    []query.Touched      `json:"roles"`
	Objects  []query.ObjectChange `json:"objects"`
}

func newImpactCmd(s streams) *cobra.Command {
	var in inputFlags
	var lower lowerFlags
	var form string
	cmd := &cobra.Command{
		Use:   "impact [DIR | SOLUTION...] FIELD[=VALUE]|ARTIFACT",
		Short: "Say what a config field or an artifact touches, and what would restart",
		Long: `Impact says which roles, containers and objects depend on a FIELD of the
deployment's config, and which of them would restart if it changed. It compiles
the deployment in DIR (default: the working directory; saved:NAME is what a solution
that has been saved was compiled from) as it is, and once more
with another value of the field: VALUE, or one near the old one that the artifact
takes; so it does not matter which way the value goes.

For an ARTIFACT (shop/web, web@2) these are all the roles that it fills. It may be
asked of many solutions: files, saved:NAME, or all that are saved (saved:, or their
directory); then it may be a module as well (kumiki.example/shop), whose artifacts
all count.

Objects are those of Kubernetes unless -t says otherwise.`,
		Example: `  kumiki impact examples/shop/deploy config.parameter.logLevel
  kumiki impact examples/shop/deploy config.scale.detail.api.hsize=5 -t swarm
  kumiki impact examples/shop/deploy shop/web -o json
  kumiki impact saved: kumiki.example/shop`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "text", "json"); err != nil {
				return err
			}
			if lower.target == "" {
				lower.target = "kubernetes"
			}
			from, what := args[:len(args)-1], args[len(args)-1]
			if ofMany(from) && (len(from) > 1 || isStore(from[0]) || !isField(what)) {
				return in.impactOnMany(cmd.Context(), s, &lower, from, what, form)
			}
			return in.onSources(cmd.Context(), s, from, func(s streams, input compiler.Input) error {
				found, err := runImpact(cmd.Context(), s, input, lower, what)
				if err != nil {
					return err
				}
				if form == "json" {
					return printAnswer(s.out, form, found, nil)
				}
				return impactText(s.out, found)
			})
		},
	}
	in.register(cmd)
	in.registerHistory(cmd)
	lower.registerTarget(cmd)
	outputFlag(cmd, &form)
	return cmd
}

// isField reports whether a text names a field of the config, and no artifact.
func isField(what string) bool { return what == "config" || strings.HasPrefix(what, "config.") }

func runImpact(ctx context.Context, s streams, in compiler.Input, lower lowerFlags, what string) (*impact, error) {
	t, err := lower.check()
	if err != nil {
		return nil, err
	}
	if !isField(what) {
		return impactOfArtifact(ctx, s, in, t, lower.options, what)
	}
	trial, problems, err := assist.Try(ctx, in, what)
	if printed := printProblems(s.err, problems); printed != nil {
		return nil, printed
	}
	if err != nil {
		fmt.Fprintln(s.err, err)
		return nil, errWrong
	}
	before, _ := t.lower(trial.Before, lower.options) // losses are not the question
	after, _ := t.lower(trial.After, lower.options)
	return &impact{
		Field: trial.Field, From: trial.From, To: trial.To,
		Roles: query.Differences(trial.Before, trial.After), Objects: query.Objects(before, after),
	}, nil
}

func impactOfArtifact(ctx context.Context, s streams, in compiler.Input, t lowering, o targets.Options, name string) (*impact, error) {
	sol, problems := compiler.Compile(ctx, in)
	if err := printProblems(s.err, problems); err != nil {
		return nil, err
	}
	roles := query.Uses(sol, name)
	if len(roles) == 0 {
		fmt.Fprintf(s.err, "the deployment has no artifact %s: kumiki types lists all; a field of the config starts with config\n", name)
		return nil, errWrong
	}
	objects, _ := t.lower(sol, o)
	return &impact{Artifact: name, Roles: roles, Objects: query.ObjectsOf(objects, roles)}, nil
}

// valueText is a value for people: & is no \u0026 to them.
func valueText(v any) string {
	text, _ := jsondata.Indented(v) // it was JSON before
	return strings.TrimSpace(string(text))
}

// impactText writes the answer for people.
func impactText(out io.Writer, found *impact) error {
	var b strings.Builder
	if found.Field != "" {
		fmt.Fprintf(&b, "%s = %s, if it were %s:\n", found.Field, valueText(found.From), valueText(found.To))
	} else {
		fmt.Fprintf(&b, "artifact %s:\n", found.Artifact)
	}
	for _, r := range found.Roles {
		what := "deployment " + r.Deployment
		if r.Role != "" {
			what = "role " + r.Role + " of " + r.Deployment
		}
		if len(r.Containers) > 0 {
			what += ", container " + strings.Join(r.Containers, ", ")
		}
		fmt.Fprintln(&b, strings.TrimSuffix("  "+what+": "+strings.Join(r.Fields, ", "), ": "))
	}
	for _, o := range found.Objects {
		change := o.Change
		if o.Restarts {
			change += ", restarts"
		}
		fmt.Fprintf(&b, "  %s/%s: %s\n", o.Kind, o.Name, change)
	}
	if len(found.Roles)+len(found.Objects) == 0 {
		b.WriteString("  nothing changes\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}
