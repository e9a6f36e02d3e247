package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"kumiki.dev/diag"
	"kumiki.dev/internal/filter"
	"kumiki.dev/live"
	"kumiki.dev/live/application"
	cluster "kumiki.dev/live/kubernetes"
	"kumiki.dev/live/swarm"
	"kumiki.dev/solution"
)

// liveFlags are the flags of every command that is about what runs.
type liveFlags struct {
	in      inputFlags
	lower   lowerFlags
	cluster cluster.Options
	timeout time.Duration
	watched *watcher // of the roles that are waited for
}

// register adds the flags that name a cluster, and those with which a solution is made.
func (f *liveFlags) register(cmd *cobra.Command) {
	f.in.registerBut(cmd)
	f.in.registerTimeout(cmd, "compile-timeout")
	f.lower.registerTarget(cmd)
	f.lower.options.Unfilled = false // it is applied
	flags := cmd.Flags()
	flags.StringVar(&f.cluster.Kubeconfig, "kubeconfig", "", "`file` that says which cluster, in place of KUBECONFIG and ~/.kube/config")
	flags.StringVar(&f.cluster.Context, "context", "", "`name` of the context in it, or of docker's (default: the current one)")
	registerServer(cmd)
}

// registerTimeout adds the bound of waiting.
func (f *liveFlags) registerTimeout(cmd *cobra.Command, usage string) {
	cmd.Flags().DurationVar(&f.timeout, "timeout", 5*time.Minute, "how `long` "+usage+"; 0 for as long as it takes")
}

// systems connect to what solutions run on, by the values of -t. Nothing is asked yet.
var systems = map[string]func(f *liveFlags) (live.System, error){
	"kubernetes": func(f *liveFlags) (live.System, error) {
		f.cluster.Namespace, f.cluster.Agent = f.lower.options.Namespace, "kumiki/"+version()
		c, err := cluster.Connect(f.cluster)
		if err == nil {
			f.lower.options.Namespace = c.Namespace
		}
		return c, err
	},
	"swarm": func(f *liveFlags) (live.System, error) {
		return swarm.Connect(swarm.Options{Context: f.cluster.Context, Agent: "kumiki/" + version()})
	},
}

// begin finds the solutions that arguments name, and the cluster.
func (f *liveFlags) begin(cmd *cobra.Command, s streams, args []string) ([]string, live.System, error) {
	names, err := f.names(cmd.Context(), s, args)
	if err != nil {
		return nil, nil, err
	}
	c, err := f.connect(cmd, s)
	return names, c, err
}

// connect finds the system that -t, or the environment, names. Nothing is asked of it yet.
func (f *liveFlags) connect(cmd *cobra.Command, s streams) (live.System, error) {
	if m := s.site.manager; m != nil { // no cluster in place of it
		return nil, unmanaged(cmd, m.URL())
	}
	if f.lower.target == "" {
		f.lower.target = "kubernetes"
	}
	if _, err := f.lower.check(); err != nil {
		return nil, err
	}
	if f.lower.target != "kubernetes" && f.cluster.Kubeconfig != "" {
		return nil, printProblems(s.err, diag.List{diag.New(diag.LiveTarget, diag.NoPos,
			"%s --kubeconfig: that says where a Kubernetes cluster is; which %s it is say --context NAME, DOCKER_HOST or docker's current context", cmd.Name(), f.lower.target)})
	}
	return systems[f.lower.target](f)
}

// unknown says that a system cannot do what a command is for.
func (f *liveFlags) unknown(cmd *cobra.Command, s streams) error {
	return printProblems(s.err, diag.List{diag.New(diag.LiveTarget, diag.NoPos, "%s: %s cannot do that", cmd.Name(), f.lower.target)})
}

// lowering returns how objects are made for the system.
func (f *liveFlags) lowering() application.Lowering {
	t := lowerings[f.lower.target]
	return application.Lowering{Name: f.lower.target, Lower: t.lower, Orchestrator: t.orchestrator}
}

// bounds returns how long to wait.
func (f *liveFlags) bounds(wait bool) application.Bounds {
	return application.Bounds{Wait: wait, Timeout: f.timeout}
}

// wanted makes the application of a solution that is given.
func (f *liveFlags) wanted(ctx context.Context, s streams, c live.System, sol *solution.Solution) (*application.Application, error) {
	objects, problems := f.lowering().Lower(sol, f.lower.options)
	problems = slices.Concat(s.site.check(sol), problems, s.site.checkObjects(sol, objects)).Without(sol.Acknowledged)
	if err := printProblems(s.err, problems); err != nil {
		return nil, err
	}
	environment := ""
	if e := s.site.Environment; e != nil {
		environment = e.Name
	}
	a, err := application.New(ctx, c, f.lowering(), sol, objects, f.lower.options, environment)
	if err != nil {
		return nil, unreachable(s, err)
	}
	return a, nil
}

// recorded makes the application of what a record says.
func (f *liveFlags) recorded(s streams, c live.System, record *live.Record) (*application.Application, error) {
	return application.Recorded(c, f.lowering(), record, func(sol *solution.Solution) { s.secrets.solution(sol) })
}

// named returns the name of the solution that an argument is about: its own, or that of what it
// leads to.
func (f *liveFlags) named(ctx context.Context, s streams, arg string) (string, *solution.Solution, error) {
	if isSolutionName(arg) && !deploys(arg) {
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

// deploys reports whether a place has a deployment or a solution: it is a file, or a directory with
// a #Deployment. Another directory may be called as what runs is.
func deploys(place string) bool {
	info, err := os.Stat(place)
	if err != nil || !info.IsDir() {
		return err == nil
	}
	files, _ := filepath.Glob(filepath.Join(place, "*.cue"))
	return filter.Any(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err != nil || bytes.Contains(text, []byte("#Deployment"))
	})
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

// known returns the record of what runs by a name.
func known(ctx context.Context, s streams, c live.System, name string) (*live.Record, error) {
	record, err := c.Record(ctx, name)
	if err != nil {
		return nil, unreachable(s, err)
	}
	if !record.Known() {
		return nil, fmt.Errorf("%s: no such solution runs in %s, or none that has an inventory; kumiki status lists those that have", name, c.Where())
	}
	return record, nil
}

// unreachable prints an error of a cluster, which is not the command line's. What names something
// that is not there is.
func unreachable(s streams, err error) error {
	if missing := live.Missing(""); errors.As(err, &missing) {
		return err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		fmt.Fprintf(s.err, "kumiki: the time is over: %s\n", diag.Safe(err.Error()))
		return errLate
	}
	var request *url.Error
	if errors.As(err, &request) { // what was asked for tells nobody anything
		if at, parsed := url.Parse(request.URL); parsed == nil {
			err = fmt.Errorf("%s://%s does not answer: %w", at.Scheme, at.Host, request.Err)
		}
	}
	fmt.Fprintf(s.err, "kumiki: the cluster: %s\n", diag.Safe(err.Error()))
	return errSystem
}
