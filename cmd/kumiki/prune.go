package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/history"
	"kumiki.dev/internal/filter"
	"kumiki.dev/plan"
	"kumiki.dev/query"
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
in --solutions are looked at. It is an error if one of these links to what goes or
takes values from it, unless --allow-dangling names it. What hangs from it (up) goes
first, after the tree has been printed, unless --allow-orphans says that it stays; its
objects are made with the same flags. A namespace is never in the list, and neither is
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
			return runPrune(cmd.Context(), s, pruning{f, &sides, replaced, stack}, old, new)
		},
	}
	sides.register(cmd)
	f.lower.registerTarget(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.oldNamespace, "old-namespace", "", "`namespace` that the old objects are in (default: that of the new)")
	f.registerGone(cmd)
	repeatedVar(flags, &f.allowed.Data, "allow-data-loss", "", "`path` of data that may go: DEPLOYMENT, DEPLOYMENT/ROLE or DEPLOYMENT/ROLE/VOLUME; may be given several times")
	repeatedVar(flags, &f.beside, "beside", "", "another `solution` that runs beside and whose objects stay, in one of the forms above; may be given several times")
	flags.BoolVar(&replaced, "replaced", false, "also list objects that have to be deleted because a field of theirs cannot change")
	flags.StringVar(&stack, "stack", "", "`name` of the stack on Swarm (default: that of the old solution)")
	flags.StringVarP(&f.form, "output", "o", "text", "`form` of the list: text, as the target's tool takes it, or json")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{"text", "json"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// pruning is what a run of prune is given.
type pruning struct {
	planFlags
	sides    *inputFlags
	replaced bool
	stack    string
}

func runPrune(ctx context.Context, s streams, f pruning, old, new *solution.Solution) error {
	beside, err := f.besides(ctx, s, f.sides)
	if err != nil {
		return err
	}
	kept, err := naming(s, f.sides.store, old)
	if err != nil {
		return err
	}
	others := append(beside, kept...)
	hanging := plan.HangingFrom(old, new, others, f.allowed)
	going := inReverse(s, old, hanging)
	others = without(others, going)
	if err := f.guard(s, going, new, others); err != nil {
		return err
	}
	var all []plan.Object
	var text []byte
	for i, sol := range going {
		to, stack := new, f.stack
		if i < len(going)-1 {
			to, stack = nil, "" // it hangs from the last one
		}
		gone, err := f.gone(s, sol, to, others, going)
		if err != nil {
			return err
		}
		list, some, err := f.listed(sol, stack, gone)
		if err != nil {
			return err
		}
		all, text = append(all, list...), append(text, some...)
	}
	if f.form == "json" {
		return printJSON(s, slices.Concat([]plan.Object{}, all))
	}
	_, err = s.out.Write(text)
	return err
}

// guard tells what others name of the solutions that go.
func (f *pruning) guard(s streams, going []*solution.Solution, new *solution.Solution, others []*solution.Solution) error {
	var problems diag.List
	for i, sol := range going {
		to := new
		if i < len(going)-1 {
			to = nil
		}
		p := plan.Plan{Dangling: plan.Dangle(sol, to, others)}
		problems = append(problems, p.Problems(f.allowed)...)
	}
	return printProblems(s.err, problems)
}

// gone are the objects of a solution that go: those that neither its next version has nor
// another solution that stays.
func (f *pruning) gone(s streams, old, new *solution.Solution, others, going []*solution.Solution) ([]targets.Object, error) {
	before, after, err := f.objects(s, old, new)
	if err != nil {
		return nil, err
	}
	keep, err := f.keep(s, before, going)
	if err != nil {
		return nil, err
	}
	for _, other := range plan.Others(old, new, others) {
		objects, err := f.made(s, other, f.lower.options)
		if err != nil {
			return nil, err
		}
		keep = append(keep, objects...)
	}
	return plan.Prune(lowerings[f.lower.target].orchestrator, before, after, keep, plan.PruneOptions{Data: f.allowed.Data, Replaced: f.replaced})
}

// keep are the objects of current solutions that are saved, of those that have one of the
// same kind and name as some that go.
func (f *pruning) keep(s streams, before []targets.Object, going []*solution.Solution) ([]targets.Object, error) {
	names := map[string]bool{}
	for _, o := range before {
		names[o.Kind+"/"+o.Name] = true
	}
	view, err := objectsView(s, &f.lower)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	store := history.Open(f.sides.store)
	entries, err := store.Current()
	if err != nil {
		return nil, err
	}
	made, err := view.Each(store, entries)
	if err != nil {
		return nil, err
	}
	var keep []targets.Object
	for i, objects := range made {
		if filter.Any(going, func(g *solution.Solution) bool { return g.Ref.Name == entries[i].Name }) ||
			!filter.Any(objects, func(o query.Made) bool { return names[o.Kind+"/"+o.Name] }) {
			continue
		}
		sol, err := saved(s, store, entries[i].Name, entries[i].Entry)
		if err != nil {
			return nil, err
		}
		more, err := f.made(s, sol, f.lower.options)
		if err != nil {
			return nil, err
		}
		keep = append(keep, more...)
	}
	return keep, nil
}

// listed are objects that go, as a program reads them and as the target's tool does.
func (f *pruning) listed(of *solution.Solution, stack string, gone []targets.Object) ([]plan.Object, []byte, error) {
	if len(gone) == 0 {
		return nil, nil, nil
	}
	if f.form == "json" {
		list, err := plan.Deleted(lowerings[f.lower.target].orchestrator, gone)
		return list, nil, err
	}
	stack = cmp.Or(stack, swarm.StackName(of.Ref.Name))
	text, err := removals[f.lower.target](stack, gone)
	if err != nil {
		err = fmt.Errorf("--stack %s: %w", stack, err)
	}
	return nil, text, err
}
