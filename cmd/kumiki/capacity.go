package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"kumiki.dev/capacity"
	"kumiki.dev/diag"
	"kumiki.dev/history"
	"kumiki.dev/late"
	"kumiki.dev/solution"
)

// capacityFlags are those of kumiki capacity.
type capacityFlags struct {
	in    inputFlags
	lower lowerFlags
	nodes []string
	form  string
	grown bool
}

func newCapacityCmd(s streams) *cobra.Command {
	var f capacityFlags
	cmd := &cobra.Command{
		Use:   "capacity [DIR | FILE | saved:NAME | git:REV:PATH | ARTIFACT:VERSION | -]... -t TARGET --nodes FILE",
		Short: "Tell whether nodes have room for deployments",
		Long: `Capacity places the instances of deployments, all together, on the nodes of a cluster,
beside what runs there, and asks no cluster: FILE has the nodes and what runs on them, as
these print them:

  kubectl get nodes,pods -A -o json
  docker inspect $(docker node ls -q) $(docker service ls -q) \
    $(docker node ps -q $(docker node ls -q))

It looks at what the scheduler looks at: amounts that are asked for, labels and taints of
nodes, instances that are kept apart or together, how many may be on a node. An
instance of a role that runs already is replaced, and takes no room.

A role fits if there is room for it in whatever order instances come. It may fit if there
is room when the largest come first, each on the first node that takes it: a scheduler that
spreads instances evenly may leave too little for the last of them. Else it does not
fit; then capacity says why, for each kind of node, and how many more nodes would do.

The exit code is 4 if something does not fit. With --strict it is 4 also if it only may,
and 1 if there is a warning, or something that the target cannot carry, that is not
acknowledged.`,
		Example: `  kubectl get nodes,pods -A -o json > nodes.json
  kumiki capacity prod -t kubernetes --nodes nodes.json
  kumiki capacity saved: -t kubernetes --nodes nodes.json -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkForm(f.form, "text", "json"); err != nil {
				return err
			}
			return runCapacity(cmd.Context(), s, &f, args)
		},
	}
	f.in.register(cmd)
	f.lower.registerTarget(cmd)
	flags := cmd.Flags()
	repeatedVar(flags, &f.nodes, "nodes", "", "`file` with the nodes and what runs on them, in JSON; - is standard input; may be given several times (required)")
	flags.BoolVar(&f.grown, "most", false, "count roles that follow the load with as many instances as they may come to (default: as few)")
	strict := flags.Lookup("strict")
	strict.Usage += "; end with 4 also where instances only may fit"
	outputFlag(cmd, &f.form)
	_ = cmd.MarkFlagRequired("nodes")
	return cmd
}

func runCapacity(ctx context.Context, s streams, f *capacityFlags, args []string) error {
	t, err := f.lower.check()
	if err != nil {
		return err
	}
	demands, err := f.demands(ctx, s, t, args)
	if err != nil {
		return err
	}
	live, err := f.live(s)
	if err != nil {
		return err
	}
	site, err := t.site(live, demands)
	if err != nil {
		return wrong(s, fmt.Errorf("%s: %w", strings.Join(f.nodes, ", "), err))
	}
	report := capacity.Weigh(site, demands)
	if err := printCapacity(s, f.form, report); err != nil {
		return err
	}
	if report.Verdict == capacity.Lacks || f.in.strict && report.Verdict == capacity.MayFit {
		return errDiffers
	}
	return nil
}

// live are the objects in the files.
func (f *capacityFlags) live(s streams) (live []map[string]any, err error) {
	for _, file := range f.nodes {
		name, data, err := readText(s, file)
		if err != nil {
			return nil, err
		}
		objects, err := late.Read(data)
		if err != nil {
			fmt.Fprintf(s.err, "%s cannot be read: %v\n", name, err)
			return nil, errWrong
		}
		for _, o := range objects {
			live = append(live, o.Data)
		}
	}
	return live, nil
}

// demands are those of all solutions that the arguments name.
func (f *capacityFlags) demands(ctx context.Context, s streams, t lowering, args []string) (demands []capacity.Demand, err error) {
	add := func(sol *solution.Solution) error {
		objects, err := t.objects(s, sol, f.lower.options)
		if err != nil {
			return err
		}
		more, err := t.demands(sol, objects, f.lower.options, f.grown)
		if err != nil {
			return wrong(s, fmt.Errorf("%s: %w", sol.Ref.Name, err))
		}
		demands = append(demands, more...)
		return nil
	}
	inStore := func(store *history.Store, entries []history.Named) error {
		for _, e := range entries {
			sol, err := saved(s, store, e.Name, e.Entry)
			if err == nil {
				err = add(sol)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return demands, f.in.each(ctx, s, args, inStore, add)
}

func printCapacity(s streams, form string, report *capacity.Report) error {
	rows := [][]string{{"ROLE", "SOLUTION", "INSTANCES", "FIT", "EACH ASKS FOR", "VERDICT"}}
	for _, r := range report.Roles {
		rows = append(rows, []string{r.Name(), r.Solution, strconv.FormatInt(r.Instances, 10), strconv.FormatInt(r.Placed, 10), r.Asks.Words(true), string(r.Verdict)})
	}
	if err := printAnswer(s.out, form, report, rows); err != nil || form == "json" {
		return err
	}
	for _, line := range report.Lines() {
		if line != "" {
			line = diag.Printable(line)
		}
		if _, err := fmt.Fprintln(s.out, line); err != nil {
			return err
		}
	}
	return nil
}
