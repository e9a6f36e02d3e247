package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/engine"
	"kumiki.dev/live"
	cluster "kumiki.dev/live/kubernetes"
	"kumiki.dev/solution"
	"kumiki.dev/targets"
)

// liveFlags are the flags of every command that is about what runs.
type liveFlags struct {
	in      inputFlags
	lower   lowerFlags
	options cluster.Options
	timeout time.Duration
}

// register adds the flags that name a cluster, and those with which a solution is made.
func (f *liveFlags) register(cmd *cobra.Command) {
	f.in.registerBut(cmd)
	f.in.registerTimeout(cmd, "compile-timeout")
	f.lower.registerTarget(cmd)
	f.lower.options.Unfilled = false // it is applied
	flags := cmd.Flags()
	flags.StringVar(&f.options.Kubeconfig, "kubeconfig", "", "`file` that says which cluster, in place of KUBECONFIG and ~/.kube/config")
	flags.StringVar(&f.options.Context, "context", "", "`name` of the context in it (default: the current one)")
}

// registerTimeout adds the bound of waiting.
func (f *liveFlags) registerTimeout(cmd *cobra.Command, usage string) {
	cmd.Flags().DurationVar(&f.timeout, "timeout", 5*time.Minute, "how `long` "+usage+"; 0 for as long as it takes")
}

// kubernetesTarget is the target that runs are looked at on.
const kubernetesTarget = "kubernetes"

// begin finds the solutions that arguments name, and the cluster.
func (f *liveFlags) begin(cmd *cobra.Command, s streams, args []string) ([]string, *cluster.Cluster, error) {
	names, err := f.names(cmd.Context(), s, args)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.connect(cmd, s)
	return names, c, err
}

// connect finds the cluster. Nothing is asked of it yet.
func (f *liveFlags) connect(cmd *cobra.Command, s streams) (*cluster.Cluster, error) {
	if f.lower.target == "" {
		f.lower.target = kubernetesTarget
	}
	if _, err := f.lower.check(); err != nil {
		return nil, err
	}
	if f.lower.target != kubernetesTarget {
		return nil, printProblems(s.err, diag.List{diag.New(diag.LiveTarget, diag.NoPos,
			"%s: what runs on %s is not looked at or changed yet: kumiki render DIR -t %s | docker stack deploy -c - NAME", cmd.Name(), f.lower.target, f.lower.target)})
	}
	f.options.Namespace, f.options.Agent = f.lower.options.Namespace, "kumiki/"+version()
	c, err := cluster.Connect(f.options)
	if err != nil {
		return nil, err
	}
	f.lower.options.Namespace = c.Namespace
	return c, nil
}

// bounded is a context that ends when the time is over.
func (f *liveFlags) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	if f.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, f.timeout)
}

// application is a solution in a cluster: what it should be, and the run that makes it so.
type application struct {
	*live.Run
	solution *solution.Solution // nil where nothing is known but its record
	objects  []targets.Object
	before   []targets.Object
}

// wanted makes the application of a solution that is given.
func (f *liveFlags) wanted(ctx context.Context, s streams, c *cluster.Cluster, sol *solution.Solution) (*application, error) {
	objects, problems := lowerings[kubernetesTarget].lower(sol, f.lower.options)
	problems = slices.Concat(s.site.check(sol), problems, s.site.checkObjects(sol, objects))
	if err := printProblems(s.err, problems); err != nil {
		return nil, err
	}
	record, err := c.Record(ctx, sol.Ref.Name)
	if err != nil {
		return nil, unreachable(s, err)
	}
	a := &application{solution: sol, objects: objects}
	return a, f.run(s, c, a, record, f.lower.options)
}

// recorded makes the application of what a record says.
func (f *liveFlags) recorded(s streams, c *cluster.Cluster, record *live.Record) (*application, error) {
	a := &application{}
	if len(record.Text) == 0 {
		a.Run = &live.Run{Target: c, Record: record, Desired: record.Answers(), Next: *record}
		return a, nil
	}
	sol, options, err := readRecord(record)
	if err != nil {
		return nil, err
	}
	var problems diag.List
	if a.objects, problems = lowerings[kubernetesTarget].lower(s.secrets.solution(sol), options); problems.HasErrors() {
		return nil, printProblems(s.err, problems)
	}
	a.solution = sol
	return a, f.run(s, c, a, record, options)
}

// readRecord is the solution that a record has, nil where it has none, and with what it was
// lowered.
func readRecord(record *live.Record) (*solution.Solution, targets.Options, error) {
	var options targets.Options
	if len(record.Text) == 0 {
		return nil, options, nil
	}
	if err := json.Unmarshal(record.Options, &options); err != nil {
		return nil, options, fmt.Errorf("the inventory of %s: %w", record.Solution, err)
	}
	sol, problems := solution.Read(record.Text, "the inventory of "+record.Solution)
	if problems.HasErrors() {
		return nil, options, fmt.Errorf("the inventory of %s: %s", record.Solution, problems[0].Message)
	}
	return sol, options, nil
}

// run makes the run of an application, whose objects are there.
func (f *liveFlags) run(s streams, c *cluster.Cluster, a *application, record *live.Record, options targets.Options) error {
	next := live.Record{Format: live.Format, Solution: a.solution.Ref.Name, Digest: a.solution.Digest, Target: kubernetesTarget, Stopped: record.Stopped, Restarts: record.Restarts, Environment: record.Environment}
	if e := s.site.Environment; e != nil {
		next.Environment = e.Name
	}
	options.CreateNamespace = false // it is there then
	var err error
	if next.Options, err = json.Marshal(options); err != nil {
		return err
	}
	if !holdsSecrets(a.objects) {
		text, err := a.solution.Bytes()
		if err != nil {
			return err
		}
		next.Text = json.RawMessage(text)
	}
	desired, err := c.Objects(a.solution.Ref.Name, a.objects, record.Restarts)
	if err != nil {
		return err
	}
	a.Run = &live.Run{Target: c, Record: record, Next: next, Desired: engine.Desired{Solution: next.Solution, Objects: desired, Stopped: record.Stopped}}
	return nil
}

// holdsSecrets reports whether values that are secret go with a solution.
func holdsSecrets(objects []targets.Object) bool {
	for _, o := range objects {
		if o.Kind == "Secret" {
			return true
		}
	}
	return false
}

// named is the name of the solution that an argument is about: its own, or that of what it
// leads to.
func (f *liveFlags) named(ctx context.Context, s streams, arg string) (string, *solution.Solution, error) {
	if _, err := os.Stat(arg); err != nil && isSolutionName(arg) {
		return arg, nil, nil
	}
	sol, err := f.in.side(ctx, s, arg, false)
	switch {
	case err != nil:
		return "", nil, err
	case sol == nil:
		return "", nil, errors.New(arg + " is nothing")
	}
	return sol.Ref.Name, sol, nil
}

// isSolutionName reports whether a text may be the name of a solution rather than a place.
func isSolutionName(arg string) bool {
	for _, r := range arg {
		if r == '/' || r == ':' || r == '.' || r == '\\' {
			return false
		}
	}
	return arg != "" && arg != "-"
}

// known is the record of what runs by a name.
func known(ctx context.Context, s streams, c *cluster.Cluster, name string) (*live.Record, error) {
	record, err := c.Record(ctx, name)
	if err != nil {
		return nil, unreachable(s, err)
	}
	if !record.Known() {
		return nil, fmt.Errorf("%s: no such solution runs in namespace %s of %s, or none that has an inventory; kumiki status lists those that have", name, c.Namespace, cmp.Or(c.Name, "-"))
	}
	return record, nil
}

// unreachable prints an error of a cluster, which is not the command line's.
func unreachable(s streams, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintf(s.err, "kumiki: the time is over: %s\n", diag.Safe(err.Error()))
		return errLate
	}
	fmt.Fprintf(s.err, "kumiki: the cluster: %s\n", diag.Safe(err.Error()))
	return errSystem
}
