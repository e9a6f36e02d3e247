package main

import (
	"bytes"
	"errors"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	cluster "kumiki.dev/live/kubernetes"
	"kumiki.dev/targets"
)

func newRbacCmd(s streams) *cobra.Command {
	var f applyFlags
	var name, account, form string
	cmd := &cobra.Command{
		Use:   "rbac [DIR | FILE]...",
		Short: "Print the least rights that a solution needs on Kubernetes, as a Role",
		Long: `Rbac prints a Role with no more rights than 'kumiki apply', 'status', 'drift', 'logs'
and 'delete' of the solutions need in the namespace, and its binding to a
ServiceAccount; for objects that are in no namespace a ClusterRole too. Rights that the
solutions give to their own roles (meta.rbac) are among them: Kubernetes lets nobody
give what he has not. What 'kumiki nodes', 'move' and 'drain' need is not: nodes are
everybody's. It needs no cluster.`,
		Example: `  kumiki rbac deploy -n shop --account deployer | kubectl apply -f -
  kubectl create token deployer -n shop`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(form, "yaml", "json"); err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{"."}
			}
			return runRbac(cmd, s, &f, args, name, account, form)
		},
	}
	f.in.registerBut(cmd)
	f.in.registerTimeout(cmd, "compile-timeout")
	f.lower.registerTarget(cmd)
	flags := cmd.Flags()
	flags.StringVar(&name, "role", "kumiki", "`name` of the Role")
	flags.StringVar(&account, "account", "kumiki", "`name` of the ServiceAccount that it is bound to")
	flags.StringVarP(&form, "output", "o", "yaml", "`form`: yaml or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"yaml", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runRbac(cmd *cobra.Command, s streams, f *applyFlags, args []string, name, account, form string) error {
	if f.lower.target == "" {
		f.lower.target = "kubernetes"
	}
	if f.lower.target != "kubernetes" {
		return f.unknown(cmd, s)
	}
	solutions, err := f.solutions(cmd.Context(), s, args)
	if err != nil {
		return err
	}
	how, err := f.lower.check()
	if err != nil {
		return err
	}
	if f.lower.options.Namespace == "" {
		return errors.New("in which namespace? Say -n NAMESPACE, or --env NAME for one that has it")
	}
	var objects []targets.Object
	for _, sol := range solutions {
		made, problems := how.lower(sol, f.lower.options)
		if err := printProblems(s.err, problems); err != nil {
			return err
		}
		objects = append(objects, made...)
	}
	rights, err := cluster.RightsFor(objects)
	if err != nil {
		return err
	}
	out := rights.Objects(name, f.lower.options.Namespace, account)
	if form == "json" {
		return printJSON(s, map[string]any{"apiVersion": "v1", "kind": "List", "items": out})
	}
	var b bytes.Buffer
	for _, o := range out {
		text, err := yaml.Marshal(o)
		if err != nil {
			return err
		}
		b.WriteString("---\n")
		b.Write(text)
	}
	_, err = s.out.Write(b.Bytes())
	return err
}
