package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"kumiki.dev/history"
	"kumiki.dev/plan"
	"kumiki.dev/query"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// planFlags are the flags of every command that shows a plan.
type planFlags struct {
	lower        lowerFlags
	oldNamespace string
	form         string
	details      bool
	allowed      plan.Allowed
	beside       []string
}

var planForms = []string{"text", "json", "markdown"}

func (f *planFlags) register(cmd *cobra.Command) {
	f.registerForm(cmd)
	f.registerGuards(cmd)
}

// registerForm adds only the flags that say what is shown, and how.
func (f *planFlags) registerForm(cmd *cobra.Command) {
	f.lower.registerTarget(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.oldNamespace, "old-namespace", "", "`namespace` that the old objects are in (default: that of the new)")
	flags.StringVarP(&f.form, "output", "o", "text", "`form` of the plan: text, json or markdown")
	flags.BoolVar(&f.details, "details", false, "show the fields behind each line")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(planForms, cobra.ShellCompDirectiveNoFileComp))
}

// registerGuards adds only the flags that say what may happen.
func (f *planFlags) registerGuards(cmd *cobra.Command) {
	flags := cmd.Flags()
	repeatedVar(flags, &f.allowed.Data, "allow-data-loss", "", "`path` of data that may be lost: DEPLOYMENT, DEPLOYMENT/ROLE or DEPLOYMENT/ROLE/VOLUME; may be given several times")
	f.registerGone(cmd)
	repeatedVar(flags, &f.beside, "beside", "", "another `solution` that runs beside, in one of the forms above, which may name what goes; may be given several times")
}

// registerGone adds only the flags about what others name.
func (f *planFlags) registerGone(cmd *cobra.Command) {
	flags := cmd.Flags()
	repeatedVar(flags, &f.allowed.Gone, "allow-dangling", "", "`name` of a deployment, DEPLOYMENT.CHANNEL or DEPLOYMENT.FIELD that may go though other solutions link to it or take values from it; may be given several times")
	repeatedVar(flags, &f.allowed.Orphans, "allow-orphans", "", "`name` of a deployment that may go though others hang from it (up): these stay; may be given several times")
}

func newPlanCmd(s streams) *cobra.Command {
	var sides inputFlags
	var f planFlags
	var t treeFlags
	cmd := &cobra.Command{
		Use:   "plan OLD NEW",
		Short: "Say what a new version does to the instances of an old one",
		Long: `Plan compares two solutions and prints what becomes of each deployment and role:
created, deleted, renamed, scaled, configured without a restart, rolled out,
recreated, or losing data. It needs no cluster.

` + sideHelp + `

With -t it also makes the objects of both, lists those that change, and says what
the target really restarts, which can be less or more than the model asks for.

A plan that loses data is an error, unless --allow-data-loss names what may go;
and so is one that takes away what another solution links to or takes values from,
unless --allow-dangling does, and what another hangs from (up), unless --allow-orphans
does.
Other solutions are those of --beside and the current ones in --solutions.

If OLD or NEW is a module with templates (templates/NAME.cue), the plan is that of all of
them in all environments, or in that of --env: a table, and a plan for each solution that
changes. Only these are compiled. A change that removes more than 3 solutions and more
than one in ten, any of a protected environment, or all of a template or environment is
an error, unless --remove repeats how many.`,
		Example: `  kumiki plan git:HEAD~1:prod prod -t kubernetes
  kumiki plan git:main:. . -o markdown
  kumiki plan saved:shop prod --details
  kumiki plan old.json new.json -o markdown --allow-data-loss shop/db`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if trees, err := areTrees(cmd.Context(), args); trees || err != nil {
				if err = errors.Join(err, t.begin(cmd)); err != nil {
					return err
				}
				return f.planTrees(cmd.Context(), s, &sides, t, args)
			}
			if cmd.Flags().Changed("remove") {
				return errors.New("--remove: it is for two states of a module with templates, and neither argument is one")
			}
			old, new, err := sides.sides(cmd.Context(), s, args)
			if err != nil {
				return err
			}
			others, err := f.others(cmd.Context(), s, &sides, old)
			if err != nil {
				return err
			}
			return runPlan(s, f, old, new, others)
		},
	}
	sides.register(cmd)
	f.register(cmd)
	t.register(cmd)
	return cmd
}

// check tells what is wrong with the flags; no target is none.
func (f *planFlags) check() error {
	if err := checkForm(f.form, planForms...); err != nil {
		return err
	}
	if f.lower.target == "" {
		return nil
	}
	_, err := f.lower.check()
	return err
}

// others reads the solutions that run beside and may name something of an old one: those
// of --beside, and the current ones that are saved and name it.
func (f *planFlags) others(ctx context.Context, s streams, sides *inputFlags, old *solution.Solution) ([]*solution.Solution, error) {
	beside, err := f.besides(ctx, s, sides)
	if err != nil {
		return nil, err
	}
	saved, err := naming(s, sides.store, old)
	return append(beside, saved...), err
}

// besides reads the solutions of --beside. What flags give to the two that are compared
// is not for them.
func (f *planFlags) besides(ctx context.Context, s streams, sides *inputFlags) ([]*solution.Solution, error) {
	var others []*solution.Solution
	beside := inputFlags{modules: sides.modules, store: sides.store, reference: sides.reference}
	for _, arg := range f.beside {
		sol, err := beside.side(ctx, s, arg, true)
		if err != nil {
			return nil, err
		}
		others = append(others, sol)
	}
	return others, nil
}

// naming are the current solutions of a store that name deployments of one, or of another
// that does, and so on.
func naming(s streams, dir string, of *solution.Solution) ([]*solution.Solution, error) {
	if of == nil {
		return nil, nil
	}
	store := history.Open(dir)
	entries, err := store.Current()
	if err != nil {
		return nil, err
	}
	facts, err := factsView.Each(store, entries)
	if err != nil {
		return nil, err
	}
	var out []*solution.Solution
	for _, i := range query.Naming(facts, slices.Collect(maps.Keys(of.Deployments))) {
		sol, err := saved(s, store, entries[i].Name, entries[i].Entry)
		if err != nil {
			return nil, err
		}
		out = append(out, sol)
	}
	return out, nil
}

// runPlan prints the plan, and then what speaks against it.
func runPlan(s streams, f planFlags, old, new *solution.Solution, others []*solution.Solution) error {
	p, err := makePlan(s, f, old, new, others)
	if err != nil {
		return err
	}
	if err := printPlan(s, p, f); err != nil {
		return err
	}
	return printProblems(s.err, p.Problems(f.allowed))
}

func makePlan(s streams, f planFlags, old, new *solution.Solution, others []*solution.Solution) (*plan.Plan, error) {
	p := plan.Compare(old, new)
	p.Dangling, p.Stale = plan.Dangle(old, new, others), plan.MakesStale(old, new, others)
	if f.lower.target == "" {
		return s.secrets.hidePlan(p), nil
	}
	before, after, err := f.objects(s, old, new)
	if err != nil {
		return nil, err
	}
	err = p.On(f.lower.target, lowerings[f.lower.target].orchestrator, before, after)
	return s.secrets.hidePlan(p), err
}

// objects makes those of both sides. What the target cannot carry is told by
// lower, and not again here.
func (f *planFlags) objects(s streams, old, new *solution.Solution) (before, after []targets.Object, err error) {
	o := f.lower.options
	if f.oldNamespace != "" {
		o.Namespace = f.oldNamespace
	}
	if before, err = f.made(s, old, o); err != nil || new == nil {
		return before, nil, err
	}
	if after, err = lowerings[f.lower.target].objects(s, new, f.lower.options); err == nil {
		err = printProblems(s.err, s.site.checkObjects(new, after))
	}
	return before, after, err
}

// made makes the objects of a solution that is there already: what is lost of it is old.
func (f *planFlags) made(s streams, sol *solution.Solution, o targets.Options) ([]targets.Object, error) {
	if sol == nil {
		return nil, nil
	}
	objects, problems := lowerings[f.lower.target].lower(sol, o)
	if problems.HasErrors() {
		return nil, printProblems(s.err, problems)
	}
	return objects, nil
}

func printPlan(s streams, p *plan.Plan, f planFlags) error {
	text := ""
	switch f.form {
	case "json":
		return printJSON(s, p)
	case "markdown":
		text = p.Markdown()
	default:
		text = p.Text(f.details)
	}
	_, err := io.WriteString(s.out, text)
	return err
}

// printLine prints JSON in one line.
func printLine(s streams, v any) error { return json.NewEncoder(s.out).Encode(v) }

func printJSON(s streams, v any) error {
	text, err := indent(v)
	if err == nil {
		_, err = s.out.Write(text)
	}
	return err
}
