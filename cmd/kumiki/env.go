package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/assist"
	"kumiki.dev/environment"
	"kumiki.dev/internal/sorting"
	"kumiki.dev/load"
	"kumiki.dev/module/scaffold"
	"kumiki.dev/spread/params"
	"kumiki.dev/targets"
)

func newEnvCmd(s streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Look at environments, the places where deployments run",
		Long: `An environment is a file in the directory environments of a module: which target
runs what is deployed there, with which options, and what is registered: the hosts of
domains, the sizes of volumes, the names of secrets. Commands that compile or make
objects work for it with --env NAME.`,
		Args: cobra.NoArgs,
		RunE: needsCommand,
	}
	cmd.AddCommand(newEnvListCmd(s), newEnvImportCmd(s))
	return cmd
}

func newEnvListCmd(s streams) *cobra.Command {
	var form, dir string
	cmd := &cobra.Command{
		Use:   "list [DIR]",
		Short: "Check the environments of a module, and list them",
		Long: `List reads all environments of the module that DIR (default: the working
directory) lies in, prints what is wrong with any, and the others: name, target,
namespace, labels, and how much is registered there.`,
		Example: `  kumiki env list
  kumiki env list -o json`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkForm(form, "table", "json"); err != nil {
				return err
			}
			if dir == "" {
				dir = environment.In(given(args, "."))
			}
			if dir == "" {
				return fmt.Errorf("the module has no directory %s: kumiki new environment NAME makes one", environment.Directory)
			}
			all, problems := environment.Load(load.Input{Dir: dir, Texts: s.secrets.texts()})
			if all == nil {
				all = []*environment.Environment{}
			}
			rows := [][]string{{"NAME", "TARGET", "NAMESPACE", "LABELS", "REGISTERED"}}
			for _, e := range all {
				rows = append(rows, []string{e.Name, e.Target, e.Namespace, labelText(e.Labels), fmt.Sprint(e.Resource.Count())})
			}
			return errors.Join(printAnswer(s.out, form, all, rows), printProblems(s.err, problems))
		},
	}
	cmd.Flags().StringVarP(&form, "output", "o", "table", "`form`: table or json")
	cmd.Flags().StringVar(&dir, "envs", "", "`directory` with environments (default: environments at the root of the module)")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"table", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// labelText writes labels as selectors do.
func labelText(labels map[string]string) string {
	var all []string
	for _, key := range targets.Keys(labels) {
		all = append(all, key+"="+labels[key])
	}
	return strings.Join(all, ",")
}

func newEnvImportCmd(s streams) *cobra.Command {
	return &cobra.Command{
		Use:   "import NAME FILE...",
		Short: "Write an environment of what a cluster has",
		Long: `Import writes the environment NAME of what kubectl or docker print of a cluster:
hosts, certificates, the names of secrets, volumes, classes, nodes. FILE is the output
of kubectl get … -o json, or of docker secret|volume|node inspect; - is standard input.
Of secrets it takes the names alone. It asks no cluster itself.

A file that is there is never touched.`,
		Example: `  kubectl get secrets,pvc,ingress,ingressclass,storageclass,nodes -n shop -o json | kumiki env import eu-prod -
  docker secret inspect $(docker secret ls -q) | kumiki env import edge -`,
		Args: cobra.MinimumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := environment.CheckName(args[0]); err != nil {
				return err
			}
			var found environment.Found
			for _, name := range args[1:] {
				_, text, err := readText(s, name)
				if err == nil {
					err = found.Read(text)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
			}
			data, err := found.File(args[0])
			if err != nil {
				return err
			}
			return addToModule(s, []scaffold.File{{Name: environment.Directory + "/" + args[0] + ".cue", Data: data}})
		},
	}
}

// newEnvironmentCmd is kumiki new environment.
func newEnvironmentCmd(s streams) *cobra.Command {
	var target string
	cmd := &cobra.Command{
		Use:   "environment NAME",
		Short: "Write an environment, in which deployments run",
		Long: `Environment writes the environment NAME of the module that the working directory
lies in, to environments/NAME.cue: its target, and comments that say what can be
registered there. Commands work for it with --env NAME.`,
		Example: `  kumiki new environment eu-prod --target kubernetes`,
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, ok := lowerings[target]; !ok {
				return fmt.Errorf("--target %s: there is %s", target, strings.Join(sorting.Ordered(lowerings), ", "))
			}
			if err := environment.CheckName(args[0]); err != nil {
				return err
			}
			files, err := scaffold.Environment(args[0], target)
			if err != nil {
				return err
			}
			return addToModule(s, files)
		},
	}
	cmd.Flags().StringVarP(&target, "target", "t", "kubernetes", "`target`: "+strings.Join(sorting.Ordered(lowerings), ", "))
	return cmd
}

// newTemplateCmd is kumiki new template.
func newTemplateCmd(s streams) *cobra.Command {
	var in inputFlags
	var artifact, environments string
	cmd := &cobra.Command{
		Use:   "template NAME",
		Short: "Write a template, which many environments get as a deployment",
		Long: `Template writes the template NAME of the module that the working directory lies in,
to templates/NAME.cue: which environments get it, every field of the artifact that has
to be given, with a placeholder (_), and every other field as a comment.

The artifact is a directory of the module, or a published one, MODULE/PACKAGE@v1.2.3. It
is compiled with kumiki matrix, or alone: kumiki render templates/NAME.cue --env ENV.`,
		Example: `  kumiki new template shop --of app --environments 'stage in (dev, prod)'
  kumiki new template shop --of example.org/site/shop@v1.2.3`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if artifact == "" {
				return errors.New("of which artifact? Say --of DIR, or --of MODULE/PACKAGE@v1.2.3")
			}
			if err := environment.CheckTemplateName(args[0]); err != nil {
				return err
			}
			if _, err := environment.ParseSelector(environments); err != nil {
				return fmt.Errorf("--environments %s: %w", environments, err)
			}
			published, arg := "", artifact
			if path, version, ok := load.PublishedArtifact(artifact); ok {
				published, arg = artifact, path+":"+version
			}
			skeleton := func(p *load.Program, list []params.Param) ([]byte, error) {
				return assist.TemplateSkeleton(p.ImportPath(), published, args[0], environments, list)
			}
			return in.onArtifact(cmd.Context(), s, arg, func(s streams, of load.Input) error {
				return runParams(cmd.Context(), s, of, skeleton, func(_ *load.Program, data []byte) error {
					return addToModule(s, []scaffold.File{{Name: environment.Templates + "/" + args[0] + ".cue", Data: data}})
				})
			})
		},
	}
	in.registerLoad(cmd)
	cmd.Flags().StringVar(&artifact, "of", "", "artifact: a `directory`, or a published one, MODULE/PACKAGE@v1.2.3")
	cmd.Flags().StringVar(&environments, "environments", "", "`selector` of the environments that get it, such as stage=prod (default: all)")
	return cmd
}
