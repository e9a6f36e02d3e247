package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"kumiki.dev/plan"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
	"kumiki.dev/targets/kubernetes"
	"kumiki.dev/targets/swarm"
)

// removals write what the targets' tools read to remove objects, by the values
// of -t. A stack has a name of its own.
var removals = map[string]func(stack string, objects []targets.Object) ([]byte, error){
	"kubernetes": func(_ string, objects []targets.Object) ([]byte, error) { return kubernetes.Remove(objects) },
	"swarm":      swarm.Remove,
}

func newPruneCmd(s streams) *cobra.Command {
	var sides inputFlags
	var f planFlags
	var replaced bool
	var stack string
	cmd := &cobra.Command{
		Use:   "prune OLD NEW",
		Short: "List the objects that a new version does not have any more",
		Long: `Prune makes the objects of both solutions and prints those of OLD that NEW does
not have, in an order in which they can be deleted: for Kubernetes as YAML for
kubectl delete -f -, for Swarm as lines "docker service rm NAME" and so on, since
docker reads no list. It looks at no cluster and at no labels.

` + sideHelp + `

Objects that another solution has too stay: those of --beside and the current ones
in --solutions are looked at. A namespace is never in the list, and neither is
what was registered in the cluster. A PersistentVolumeClaim that instances have
their data in is only with --allow-data-loss.

Networks of Swarm can be removed when the tasks of their services have stopped: a
few seconds after these, run the lines that failed again.`,
		Example: `  kumiki prune git:HEAD~1:prod prod -t kubernetes | kubectl delete -f -
  kumiki prune saved:shop@previous saved:shop -t swarm --stack shop | sh
  kumiki prune shop.json none -t kubernetes --allow-data-loss shop/db`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := f.lower.check(); err != nil {
				return err
			}
			if err := checkForm(f.form, "text", "json"); err != nil {
				return err
			}
			old, new, err := sides.sides(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			others, err := f.others(cmd.Context(), s, &sides)
			if err != nil {
				return err
			}
			return runPrune(s, f, old, new, others, plan.PruneOptions{Data: f.allowed, Replaced: replaced}, stack)
		},
	}
	sides.register(cmd)
	f.lower.registerTarget(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.oldNamespace, "old-namespace", "", "`namespace` that the old objects are in (default: that of the new)")
	flags.StringArrayVar(&f.allowed, "allow-data-loss", nil, "`path` of data that may go: DEPLOYMENT, DEPLOYMENT/ROLE or DEPLOYMENT/ROLE/VOLUME; may be given several times")
	flags.StringArrayVar(&f.beside, "beside", nil, "another `solution` that runs beside and whose objects stay, in one of the forms above; may be given several times")
	flags.BoolVar(&replaced, "replaced", false, "also list objects that have to be deleted because a field of theirs cannot change")
	flags.StringVar(&stack, "stack", "", "`name` of the stack on Swarm (default: that of the old solution)")
	flags.StringVarP(&f.form, "output", "o", "text", "`form` of the list: text, as the target's tool takes it, or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func runPrune(s streams, f planFlags, old, new *solution.Solution, others []*solution.Solution, o plan.PruneOptions, stack string) error {
	before, after, err := f.objects(s, old, new)
	if err != nil {
		return err
	}
	var keep []targets.Object
	for _, other := range plan.Others(old, new, others) {
		objects, err := f.made(s, other, f.lower.options)
		if err != nil {
			return err
		}
		keep = append(keep, objects...)
	}
	by := lowerings[f.lower.target].orchestrator
	gone, err := plan.Prune(by, before, after, keep, o)
	if err != nil {
		return err
	}
	if f.form == "json" {
		list, err := plan.Deleted(by, gone)
		if err != nil {
			return err
		}
		return printJSON(s, list)
	}
	if len(gone) == 0 {
		return nil
	}
	stack = cmp.Or(stack, swarm.StackName(old.Ref.Name))
	text, err := removals[f.lower.target](stack, gone)
	if err != nil {
		return fmt.Errorf("--stack %s: %w", stack, err)
	}
	_, err = s.out.Write(text)
	return err
}
