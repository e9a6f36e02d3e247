package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/assist"
	"kumiki.dev/compiler"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
	"kumiki.dev/spread/params"
)

// paramForms are the output forms of params.
var paramForms = map[string]func(p *load.Program, list []params.Param) ([]byte, error){
	"table": func(_ *load.Program, list []params.Param) ([]byte, error) { return assist.Table(list) },
	"json":  func(_ *load.Program, list []params.Param) ([]byte, error) { return assist.JSON(list) },
	"yaml":  func(_ *load.Program, list []params.Param) ([]byte, error) { return assist.YAML(list) },
	"cue": func(p *load.Program, list []params.Param) ([]byte, error) {
		return assist.Skeleton(p.ImportPath(), assist.NameOf(p.ImportPath()), list)
	},
	"jsonschema": func(p *load.Program, list []params.Param) ([]byte, error) {
		return assist.Schema("values of "+p.Root.Path, list)
	},
}

func newParamsCmd(s streams) *cobra.Command {
	var in inputFlags
	var form string
	forms := sorting.Ordered(paramForms)
	cmd := &cobra.Command{
		Use:   "params ARTIFACT",
		Short: "List what can be configured in an artifact",
		Long: `Params lists every field of the config of the artifact in the directory
ARTIFACT: whether it has to be given, its default and which artifact supplies
it, what it takes, and its doc comment. An optional field without a default is handled
if the artifact reads it where it is given, and ignored if nothing does. For a service that includes the number
of instances of every component in it.`,
		Example: `  kumiki params examples/shop/shop
  kumiki params examples/shop/shop -o jsonschema > values.schema.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			write, ok := paramForms[form]
			if !ok {
				return fmt.Errorf("-o %s: there are %s", form, strings.Join(forms, ", "))
			}
			return in.onArtifact(cmd.Context(), s, args[0], func(s streams, of load.Input) error {
				return runParams(cmd.Context(), s, of, write, func(_ *load.Program, data []byte) error {
					_, err := s.out.Write(data)
					return err
				})
			})
		},
	}
	in.registerLoad(cmd)
	cmd.Flags().StringVarP(&form, "output", "o", "table", "`form`: "+strings.Join(forms, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(forms, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runParams(ctx context.Context, s streams, in load.Input, write func(*load.Program, []params.Param) ([]byte, error), put func(*load.Program, []byte) error) error {
	program, list, problems := compiler.Params(ctx, in)
	if err := printProblems(s.err, problems); err != nil {
		return err
	}
	for i := range list {
		list[i].Default = s.secrets.hideIn(list[i].Path, list[i].Default)
	}
	data, err := write(program, list)
	if err != nil {
		return err
	}
	return put(program, data)
}

func newNewCmd(s streams) *cobra.Command {
	cmd := &cobra.Command{Use: "new", Short: "Write the beginning of a component, a service or a manifest", Args: cobra.NoArgs, RunE: needsCommand}
	var in inputFlags
	var name string
	var output outputFlags
	deployment := &cobra.Command{
		Use:   "deployment ARTIFACT",
		Short: "Write a deployment of an artifact, with placeholders for what it needs",
		Long: `Deployment writes a #Deployment of the artifact in the directory ARTIFACT: every
field that has to be given, with a placeholder (_) and what it takes, and every
other field as a comment with its default. It compiles once the placeholders are
filled in; until then, kumiki vet says which are left.`,
		Example: `  kumiki new deployment examples/shop/shop --name shop > deployment.cue`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			skeleton := func(p *load.Program, list []params.Param) ([]byte, error) {
				return assist.Skeleton(p.ImportPath(), cmp.Or(name, assist.NameOf(p.ImportPath())), list)
			}
			return in.onArtifact(cmd.Context(), s, args[0], func(s streams, of load.Input) error {
				return runParams(cmd.Context(), s, of, skeleton, func(p *load.Program, data []byte) error {
					return output.write(s, manifestForm, sources(p), bytes.NewReader(data))
				})
			})
		},
	}
	in.registerLoad(deployment)
	deployment.Flags().StringVar(&name, "name", "", "`name` of the deployment")
	output.register(deployment, "cue", "`file` to write (default: standard output)")
	cmd.AddCommand(newComponentCmd(s), newServiceCmd(s), deployment, newExampleCmd(s), newEnvironmentCmd(s), newTemplateCmd(s))
	return cmd
}
